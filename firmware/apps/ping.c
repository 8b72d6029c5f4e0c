// SPDX-License-Identifier: Apache-2.0
// ping: sends a frame to another station, waits for it to come back, prints how long that took; again and again.
//
// The other station is one that sends frames back with their addresses swapped, as forward does. A frame has type
// 0x88B5 (IEEE 802: local experiments) and a sequence number in its first four bytes of payload.
//
// Build options (-D):
//   STATION  own address is 02-00-00-00-00-STATION; default 1
//   PEER     the other's address is 02-00-00-00-00-PEER; default 2
//   BYTES    of a frame, without FCS, 60 to 1514; default 60
//   COUNT    of frames, 0: no end; default 0
//   PATIENCE cpu_clk cycles after which a frame counts as lost; default 100000
#include "arch.h"
#include "ethernet.h"
#include "nic.h"
#include "uart.h"

#ifndef STATION
#define STATION 1u
#endif
#ifndef PEER
#define PEER 2u
#endif
#ifndef BYTES
#define BYTES 60u
#endif
#ifndef COUNT
#define COUNT 0u
#endif
#ifndef PATIENCE
#define PATIENCE 100000u
#endif
_Static_assert(BYTES >= 60u && BYTES <= 1514u, "the length of an Ethernet frame");

#define TYPE 0x88B5u

typedef struct {
    ethernet_header_t header;
    uint16_t sequence[2];  // big-endian: NSOC_BE16(), the upper half first
} ping_t;

static const ethernet_address_t own = {{NSOC_BE16(0x0200), 0, NSOC_BE16(STATION)}};
static const ethernet_address_t peer = {{NSOC_BE16(0x0200), 0, NSOC_BE16(PEER)}};

static void send(nsoc_nic_t *nic, uint32_t sequence) {
    nsoc_buffer_t *buffer;
    while (!(buffer = nic_alloc(nic))) {}
    volatile ping_t *ping = (volatile ping_t *)(uintptr_t)buffer->frame;
    ethernet_address_write(&ping->header.destination, peer);
    ethernet_address_write(&ping->header.source, own);
    ping->header.type = NSOC_BE16(TYPE);
    ping->sequence[0] = NSOC_BE16(sequence >> 16);
    ping->sequence[1] = NSOC_BE16(sequence);
    buffer->length = NSOC_BE16(BYTES);
    while (!nic_transmit(nic, 0, buffer)) {}
}

// Whether a frame with that number came back before the patience has ended. Other frames are dropped.
static bool comes_back(nsoc_nic_t *nic, uint32_t sequence, uint32_t start) {
    while (arch_cycles() - start < PATIENCE) {
        nsoc_buffer_t *buffer = nic_receive(nic, 0);
        if (!buffer) continue;
        volatile ping_t *ping = (volatile ping_t *)(uintptr_t)buffer->frame;
        bool found = ping->header.type == NSOC_BE16(TYPE) && ping->sequence[0] == NSOC_BE16(sequence >> 16) &&
                     ping->sequence[1] == NSOC_BE16(sequence);
        while (!nic_free(nic, buffer)) {}
        if (found) return true;
    }
    return false;
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    uart_puts("N-SoC ping: ");
    if (!nic_init(nic, 0x1u, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");
    for (uint32_t sequence = 1; COUNT == 0 || sequence <= COUNT; sequence++) {
        uint32_t start = arch_cycles();
        send(nic, sequence);
        bool back = comes_back(nic, sequence, start);
        uint32_t took = arch_cycles() - start;
        uart_put_dec(sequence);
        if (back) {
            uart_puts(": back after ");
            uart_put_dec(took);
            uart_puts(" cycles\n");
        } else {
            uart_puts(": lost\n");
        }
    }
    uart_puts("end\n");
    return 0;
}
