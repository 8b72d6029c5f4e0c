// SPDX-License-Identifier: Apache-2.0
//
// The simulator's wire and terminal (sim/, models/) without a SoC, for test_wire.py. A symbol is what GMII shows for
// one clock: data | valid << 8 | error << 9. `mii`: a nibble each clock.
#include <cstring>

#include "gmii_wire.h"
#include "uart_terminal.h"

extern "C" {

GmiiSender *sender_new(uint32_t mii) { return new GmiiSender(mii != 0); }

uint64_t sender_send(GmiiSender *sender, const uint8_t *frame, uint32_t bytes, uint64_t not_before, uint32_t ifg,
                     uint32_t preamble, uint32_t sfd, uint32_t flags, int32_t error_at, int32_t cut_at) {
    const FrameShape shape{
        preamble, static_cast<uint8_t>(sfd), (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, error_at, cut_at};
    return sender->send(frame_octets(frame, bytes, shape), preamble + 1, not_before, ifg);
}

void sender_play(GmiiSender *sender, uint64_t first_tick, uint32_t ticks, uint16_t *symbols) {
    for (uint32_t i = 0; i < ticks; ++i) {
        sender->advance(first_tick + i);
        symbols[i] = static_cast<uint16_t>(sender->data | sender->valid << 8 | sender->error << 9);
    }
}

uint32_t sender_sent(GmiiSender *sender, uint64_t *stamps) {
    for (size_t i = 0; i < sender->sent().size(); ++i) {
        stamps[2 * i] = sender->sent()[i].start;
        stamps[2 * i + 1] = sender->sent()[i].end;
    }
    return static_cast<uint32_t>(sender->sent().size());
}

GmiiReceiver *receiver_new(uint32_t mii) { return new GmiiReceiver(mii != 0); }

void receiver_sample(GmiiReceiver *receiver, uint64_t first_tick, const uint16_t *symbols, uint32_t ticks) {
    for (uint32_t i = 0; i < ticks; ++i)
        receiver->sample(first_tick + i, symbols[i] >> 8 & 1, symbols[i] >> 9 & 1, static_cast<uint8_t>(symbols[i]));
}

// Takes the oldest frame: its bytes into `data`; start, end, gap, fcs_ok, error into `about`. Its length, -1 for none.
int receiver_take(GmiiReceiver *receiver, uint8_t *data, uint64_t *about) {
    if (receiver->frames().empty()) return -1;
    const ReceivedFrame frame = receiver->frames().front();
    receiver->frames().pop_front();
    memcpy(data, frame.bytes.data(), frame.bytes.size());
    about[0] = frame.stamps.start;
    about[1] = frame.stamps.end;
    about[2] = frame.gap;
    about[3] = frame.fcs_ok;
    about[4] = frame.error;
    return static_cast<int>(frame.bytes.size());
}

// Types `text` into a terminal whose pins are wired to each other; what it printed after `clocks`, and the levels.
uint32_t terminal_loop(uint32_t divisor, const uint8_t *text, uint32_t bytes, uint32_t clocks, uint8_t *levels,
                       uint8_t *printed) {
    UartTerminal terminal(divisor);
    terminal.to_type.assign(text, text + bytes);
    for (uint32_t i = 0; i < clocks; ++i) {
        levels[i] = terminal.rxd();
        terminal.sample(terminal.rxd());
        terminal.drive();
    }
    memcpy(printed, terminal.printed.data(), terminal.printed.size());
    return static_cast<uint32_t>(terminal.printed.size());
}
}
