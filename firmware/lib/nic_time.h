// SPDX-License-Identifier: Apache-2.0
// The NIC's PTP time, and the stamps of frames by it. Times are nanoseconds, 64 bits.
//
// Not to be called from two contexts at once: the NIC keeps one half of the words.
#ifndef NSOC_NIC_TIME_H
#define NSOC_NIC_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

uint64_t nic_ptp_now(nsoc_nic_t *nic);
void nic_ptp_set(nsoc_nic_t *nic, uint64_t ns);
void nic_ptp_step(nsoc_nic_t *nic, int64_t ns);  // forwards or back

// Nanoseconds a nic_clk cycle, 4 bits and 28 of fraction: 8 << 28 at 125 MHz; 1 more is 0.47 ppb faster.
static inline void nic_ptp_rate(nsoc_nic_t *nic, uint32_t increment) { nic->ptp_increment = increment; }

// Asks for a stamp of the frame in a buffer that is about to be transmitted. `tag` comes back with the stamp.
static inline void nic_stamp_request(nsoc_buffer_t *buffer, uint16_t tag) {
    buffer->tag = NSOC_BE16(tag);
    buffer->request = NSOC_BUFFER_REQUEST_STAMP;
}

// Takes the oldest transmit stamp: the frame's tag and the PTP time when it left. False when there is none (yet).
// Frames that were dropped have none; take them in time, 16 is what the NIC keeps.
bool nic_stamp_take(nsoc_nic_t *nic, uint16_t *tag, uint64_t *ns);

// PTP time when the frame in a received buffer arrived.
static inline uint64_t nic_stamp_received(const nsoc_buffer_t *buffer) {
    return (uint64_t)NSOC_BE32(buffer->stamp_ns[0]) << 32 | NSOC_BE32(buffer->stamp_ns[1]);
}

#endif
