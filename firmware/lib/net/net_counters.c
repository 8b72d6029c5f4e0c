// SPDX-License-Identifier: Apache-2.0
#include "net_counters.h"

#include "nic.h"
#include "register_table.h"
#include "uart.h"

#include "in_dram.h"

static net_counters_t groups[NET_COUNTER_GROUPS];
static uint32_t group_count;

void net_counters_add(const char *group, const char *const *names, const volatile uint32_t *values, uint32_t count) {
    if (group_count < NET_COUNTER_GROUPS) groups[group_count++] = (net_counters_t){group, names, values, count};
}

bool net_counters_next(net_counters_place_t *place, const char **group, const char **name, uint32_t *value) {
    const register_block_t *nic = register_blocks;
    while (place->group == 0 && place->next < nic->count) {
        const register_entry_t *entry = &nic->registers[place->next++];
        if (!(entry->flags & REGISTER_COUNTER) || !register_readable(entry, NSOC_NIC->capability)) continue;
        *group = nic->name, *name = register_name(entry), *value = register_read(nic, entry);
        return true;
    }
    if (place->group == 0) *place = (net_counters_place_t){1, 0};
    while (place->group <= group_count && place->next == groups[place->group - 1u].count)
        *place = (net_counters_place_t){place->group + 1u, 0};
    if (place->group > group_count) return false;
    const net_counters_t *found = &groups[place->group - 1u];
    *group = found->group, *name = found->names[place->next], *value = found->values[place->next];
    place->next++;
    return true;
}

void net_counters_print(void) {
    net_counters_place_t place = {0, 0};
    const char *group, *name;
    uint32_t value;
    while (net_counters_next(&place, &group, &name, &value)) {
        if (!value) continue;
        uart_puts(group);
        uart_putc('.');
        uart_puts(name);
        uart_putc(' ');
        uart_put_dec(value);
        uart_putc('\n');
    }
    uart_puts("end\n");
}

static void print_buffers(const char *where, uint32_t count) {
    uart_puts(where);
    uart_put_dec(count);
}

void net_buffers_print(uint32_t held) {
    uint32_t free, receive = 0, transmit = 0;
#if NIC_QUEUES_IN_MEMORY
    free = memory_queue_occupancy(nic_queue(NIC_FREE_QUEUE));
    receive = memory_queue_occupancy(nic_queue(NIC_RECEIVE_QUEUE));
    transmit = memory_queue_occupancy(nic_queue(NIC_TRANSMIT_QUEUE));
#else
    free = NSOC_NIC->freeq.occupancy;
    for (unsigned server = 0; server < NSOC_NIC_RXQ_COUNT; server++) {
        receive += NSOC_NIC->rxq[server].occupancy;
        transmit += NSOC_NIC->txq[server].occupancy;
    }
#endif
    const uint32_t nic = NSOC_NIC->pointers_held;
    print_buffers("free ", free);
    print_buffers(" receive ", receive);
    print_buffers(" transmit ", transmit);
    print_buffers(" nic ", (nic & 0xFFu) + (nic >> 8 & 0xFFu) + (nic >> 16 & 0xFFu));
    print_buffers(" held ", held);
    print_buffers(" of ", NIC_BUFFERS);
    uart_putc('\n');
}
