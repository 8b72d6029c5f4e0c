// SPDX-License-Identifier: Apache-2.0
// loopback: sets the NIC up and leaves the frames to it.
//
// Build option (-D): MODE, NSOC_NIC_CONTROL_NIC_LOOPBACK (default; through NIC and memory, no processor) or
// NSOC_NIC_CONTROL_MAC_LOOPBACK (from the MAC's receive FIFO to its transmit FIFO).
#include "nic.h"
#include "uart.h"

#ifndef MODE
#define MODE NSOC_NIC_CONTROL_NIC_LOOPBACK
#endif

int main(void) {
    uart_puts("N-SoC loopback: ");
    uart_puts(nic_init(NSOC_NIC, 0x1u, MODE) ? "ready\n" : "the free queue refused a buffer\n");
    return 0;
}
