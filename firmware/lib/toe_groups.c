// SPDX-License-Identifier: Apache-2.0
#include "toe_groups.h"

#include "siphash.h"

#define IN_DRAM_ALWAYS
#include "in_dram.h"

static void changed(uint32_t place, uint32_t group) {
    NSOC_TOE->group = place << NSOC_TOE_GROUP_PLACE_LSB | (group ? NSOC_TOE_GROUP_JOINED : 0u) | (group & NSOC_TOE_GROUP_ADDRESS);
}

void toe_groups_init(const toe_config_t *config) {
    const uint8_t *mac = config->mac;
    ethernet_address_t own;
    for (unsigned i = 0; i < 3; i++) own.half[i] = NSOC_BE16((uint32_t)mac[2u * i] << 8 | mac[2u * i + 1u]);
    groups_start(NSOC_NIC, own, &NSOC_TOE->address, &NSOC_TOE->mask, secret_word(SECRET_GROUPS, config->address), changed);
}

// When the next report is due, in the engine's microseconds: the clock of milliseconds takes a division.
static uint32_t due_us;
static bool is_anew;  // that is not known

groups_result_t toe_groups_join(uint32_t group) {
    is_anew = true;
    return groups_join(group, toe_now_ms());
}

groups_result_t toe_groups_leave(uint32_t group) { return groups_leave(group, toe_now_ms()); }

bool toe_groups_take(nsoc_buffer_t *buffer) {
    if (!groups_take(buffer, toe_now_ms())) return false;
    is_anew = true;
    return true;
}

uint32_t toe_groups_tick(void) {
    if (!groups_wait()) return 0;
    const uint32_t left = due_us - toe_now();
    if (!is_anew && (int32_t)left > 0) return left;
    is_anew = false;
    const uint32_t next = groups_tick(toe_now_ms());
    if (next == GROUPS_NONE) return 0;
    const uint32_t us = (next + 1u) * 1000u;  // a millisecond has begun
    due_us = toe_now() + us;
    return us;
}
