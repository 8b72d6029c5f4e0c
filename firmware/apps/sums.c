// SPDX-License-Identifier: Apache-2.0
// sums: every received frame goes back, addresses swapped, and the NIC puts in the sums that it found in it (a preset
// with offloads). The last byte of the sender's address says what it found: NSOC_BUFFER_STATUS_*.
//
// The buffers are kept and come back to the free queue by the processor. What stood in the places of the sums is
// overwritten before: what comes back is the NIC's work.
#include "ethernet.h"
#include "nic.h"
#include "uart.h"

#define TYPE_TAG 0x8100u
#define PROTOCOL_UDP 17u

static uint32_t half(const nsoc_buffer_t *buffer, uint32_t at) {
    return (uint32_t)buffer->frame[at] << 8 | buffer->frame[at + 1];
}

static void spoil(nsoc_buffer_t *buffer, uint32_t at) {
    buffer->frame[at] = 0x5A;
    buffer->frame[at + 1] = 0xA5;
}

// Asks for the sums of a frame that the NIC has found them in.
static uint8_t sums_of(nsoc_buffer_t *buffer) {
    uint8_t request = NSOC_BUFFER_REQUEST_KEEP;
    uint32_t ip = half(buffer, 12) == TYPE_TAG ? 18 : 14;
    if (buffer->status & (NSOC_BUFFER_STATUS_IP_GOOD | NSOC_BUFFER_STATUS_IP_BAD)) {
        spoil(buffer, ip + 10);
        request |= NSOC_BUFFER_REQUEST_IP_SUM;
    }
    if (buffer->status & (NSOC_BUFFER_STATUS_L4_GOOD | NSOC_BUFFER_STATUS_L4_BAD)) {
        uint32_t l4 = ip + 4u * (buffer->frame[ip] & 15u);
        spoil(buffer, l4 + (buffer->frame[ip + 9] == PROTOCOL_UDP ? 6u : 16u));
        request |= NSOC_BUFFER_REQUEST_L4_SUM;
    }
    return request;
}

int main(void) {
    nsoc_nic_t *nic = NSOC_NIC;
    static nsoc_buffer_t *kept[NIC_BUFFERS];  // that the NIC has or had, in their order
    uint32_t first = 0, end = 0;
    uart_puts("N-SoC sums: ");
    if (!NSOC_HAS_OFFLOADS) {
        uart_puts("the NIC has no offloads; a preset with offloads = true has\n");
        return 1;
    }
    if (!nic_init(nic, 1, 0)) {
        uart_puts("the free queue refused a buffer\n");
        return 1;
    }
    uart_puts("ready\n");
    for (;;) {
        for (uint32_t out = nic->tx_kept; first != out; first++) (void)nic_free(nic, kept[first % NIC_BUFFERS]);
        nsoc_buffer_t *buffer = nic_receive(nic, 0);
        if (!buffer) continue;
        volatile ethernet_header_t *header = ethernet_header(buffer);
        ethernet_address_t source = ethernet_address_read(&header->source);
        ethernet_address_t destination = ethernet_address_read(&header->destination);
        ethernet_address_write(&header->destination, source);
        ethernet_address_write(&header->source, destination);
        buffer->request = sums_of(buffer);
        buffer->frame[11] = buffer->status;
        kept[end++ % NIC_BUFFERS] = buffer;
        (void)nic_transmit(nic, 0, buffer);  // its queue has room for all buffers
    }
}
