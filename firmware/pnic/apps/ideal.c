// SPDX-License-Identifier: Apache-2.0
// ideal: the same work on one core, without locks, queues or order: what sending and receiving a frame takes at least.
#define ONE_CORE
#include "stages.h"

static uint32_t reads_taken, writes_taken, sends_taken, receives_taken, frames_taken;

STAGE void send_descriptors(uint32_t first, uint32_t count) { here.tx_here = first + count; }
STAGE void receive_descriptors(uint32_t first, uint32_t count) { here.rx_here = first + count; }

STAGE int send_dispatch(void) {
    int worked = 0;
    uint32_t count = news.read - reads_taken;
    if (count) {
        reads_taken += reads_done(reads_taken, count);
        if (plain_ready(&mac_order)) send_order_frames();
        worked = 1;
    }
    count = news.sent - sends_taken;
    if (count) {
        sends_taken += frames_sent(sends_taken, count);
        worked = 1;
    }
    if (report_waits()) worked |= send_report() != 0;
    count = least(here.tx_here / PIECES - frames_taken, TX_FETCH);
    if (count && (count = send_frames(frames_taken, count))) {
        frames_taken += count;
        worked = 1;
    }
    if (mailbox.tx_posted != here.tx_fetched) worked |= fetch_send() != 0;
    if (plain_ready(&read_order)) send_order_reads();
    return worked;
}

STAGE int receive_dispatch(void) {
    int worked = 0;
    uint32_t count = news.write - writes_taken;
    if (count) {
        writes_taken += writes_done(writes_taken, count);
        worked = 1;
    }
    if (completion_waits()) worked |= receive_complete() != 0;
    count = least(least(news.received - receives_taken, here.rx_here - receives_taken), RX_FETCH);
    if (count && (count = receive_frames(receives_taken, count))) {
        receives_taken += count;
        worked = 1;
    }
    if (mailbox.rx_posted != here.rx_fetched) worked |= fetch_receive() != 0;
    if (plain_ready(&write_order)) receive_order_writes();
    return worked;
}

STAGE void idle(void) { __asm__ volatile(""); }

STAGE void dispatch(void) {
    int worked = receive_dispatch();
    worked |= send_dispatch();
    if (!worked) idle();
}

int main(uint32_t hart) {
    if (hart != 0) return 0;
    begin_all(hart);
    for (uint32_t round = 1;; ++round) {
        if (round % 64u == 0) show();
        dispatch();
    }
}
