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

groups_result_t toe_groups_join(uint32_t group) { return groups_join(group, toe_now_ms()); }
groups_result_t toe_groups_leave(uint32_t group) { return groups_leave(group, toe_now_ms()); }
bool toe_groups_take(nsoc_buffer_t *buffer) { return groups_take(buffer, toe_now_ms()); }
uint32_t toe_groups_tick(void) { return groups_tick(toe_now_ms()); }
