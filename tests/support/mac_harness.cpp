// SPDX-License-Identifier: Apache-2.0
//
// Drives `mac` (in mac_tb.sv, which has the fields of its frame streams on ports of their own) at the speed of the
// compiled model: plays a script from a file, writes down what came out. It knows nothing of Ethernet; mac_harness.py
// makes the script and the tests judge the record.
//
//   mac_harness SCRIPT RECORD
//
// All numbers are little-endian 64-bit integers, times in picoseconds. The script:
//   periods and first rising edges of gmii_rx_clk, gmii_tx_clk, user_clk (6), seed, first value of time_now, time limit
//   count, then the events: time, what (0 enable, 1 loopback, 2 RX stall, 3 TX stall: chance of 256, 4 reset,
//     5 settings: the number of a 32-bit word of mac_settings_t << 32 | its value; number 5: tx_start, 6 restart),
//     value
//   count, then the frames to send: earliest time, length, flags (1 abort, 2 a stamp is wanted), number of a beat and
//     how many user_clk cycles it is held back, bytes padded to eight
//   count, then the GMII RX symbols, two bytes each: rx_er << 9 | rx_dv << 8 | rxd
// The first event should be the release of the reset. Symbol i is put on the pins after rising edge START + i of
// gmii_rx_clk, so edge START + i + 1 takes it. The record:
//   end, 1 when the time limit ended the run
//   count, frames received: times of the edges behind which the first and the last beat are valid, rx_time, 1 when it
//     ended as bad, length, bytes padded
//   count, stat pulses: time, mask
//   count, frames handed over: time of the edge that took the last beat
//   count, transmit stamps: time, stamp
//   count, GMII TX symbols from the first rising edge of gmii_tx_clk on, two bytes each: tx_er << 9 | tx_en << 8 | txd

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "Vmac_tb.h"
#include "verilated.h"

namespace {

constexpr uint32_t PROMISCUOUS = 1 << 3, BROADCAST = 1 << 4;  // of mac_settings_t

constexpr int64_t START = 64;  // clock edges before the first symbol, for the reset
constexpr int64_t QUIET = 64;  // nothing moved for so many cycles of the slowest clock behind the script,
constexpr int64_t QUIET_PS = 8'000'000;  // and for so long: the run is over

[[noreturn]] void fail(const char *what, int64_t now) {
    std::fprintf(stderr, "mac_harness: %s at %lld ps\n", what, static_cast<long long>(now));
    std::exit(2);
}

struct Reader {
    std::vector<char> bytes;
    size_t at = 0;
    const char *take(size_t n) {
        if (at + n > bytes.size()) fail("the script is too short", 0);
        at += n;
        return bytes.data() + at - n;
    }
    int64_t number() {
        int64_t value;
        __builtin_memcpy(&value, take(8), 8);
        return value;
    }
};

struct Writer {
    std::vector<char> bytes;
    int64_t count = 0;
    void raw(const void *data, size_t n) {
        bytes.insert(bytes.end(), static_cast<const char *>(data), static_cast<const char *>(data) + n);
    }
    void number(int64_t value) { raw(&value, 8); }
    void padded(const std::vector<uint8_t> &data) {
        raw(data.data(), data.size());
        bytes.resize((bytes.size() + 7) / 8 * 8);
    }
    void section(std::ofstream &out) const {
        out.write(reinterpret_cast<const char *>(&count), 8);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
};

struct Beat {
    uint64_t data;
    uint8_t keep;
    bool last, bad;
    bool operator==(const Beat &) const = default;
};

struct Event {
    int64_t at, what, value;
};

struct Send {
    int64_t at;
    bool abort, stamp;
    size_t held_beat;
    int64_t hold;  // cycles left
    std::vector<uint8_t> bytes;
};

struct Clock {
    int64_t period, next;
    int64_t edges = 0;
    bool high = false;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    std::ifstream file(argv[1], std::ios::binary);
    Reader in{{std::istreambuf_iterator<char>(file), {}}};

    Clock rx{}, tx{}, nic{};
    for (Clock *clock : {&rx, &tx, &nic}) {
        clock->period = in.number();
        clock->next = in.number();
    }
    const int64_t quiet = std::max(QUIET_PS, QUIET * std::max({rx.period, tx.period, nic.period}));
    uint64_t random = static_cast<uint64_t>(in.number()) * 2 + 1;
    const uint64_t time_base = static_cast<uint64_t>(in.number());
    const int64_t limit = in.number();
    std::vector<Event> events(static_cast<size_t>(in.number()));
    for (Event &event : events) {
        event.at = in.number();
        event.what = in.number();
        event.value = in.number();
    }
    std::vector<Send> sends(static_cast<size_t>(in.number()));
    for (Send &send : sends) {
        send.at = in.number();
        const size_t length = static_cast<size_t>(in.number());
        const int64_t flags = in.number();
        send.abort = flags & 1;
        send.stamp = flags & 2;
        send.held_beat = static_cast<size_t>(in.number());
        send.hold = in.number();
        const char *bytes = in.take((length + 7) / 8 * 8);
        send.bytes.assign(bytes, bytes + length);
    }
    std::vector<uint16_t> symbols(static_cast<size_t>(in.number()));
    __builtin_memcpy(symbols.data(), in.take(symbols.size() * 2), symbols.size() * 2);

    const auto context = std::make_unique<VerilatedContext>();
    const auto mac = std::make_unique<Vmac_tb>(context.get());
    mac->gmii_rx_rst = mac->gmii_tx_rst = mac->user_rst = 1;
    mac->settings[0] = PROMISCUOUS | BROADCAST;

    auto chance = [&random](int64_t of_256) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        return static_cast<int64_t>(random >> 32 & 255) < of_256;
    };

    Writer received, pulses, handed, stamps, gmii;
    std::vector<uint8_t> frame;
    size_t event_at = 0, send_at = 0, byte_at = 0;
    int64_t rx_stall = 0, tx_stall = 0, now = 0, last_activity = 0, frame_valid_at = -1, valid_at = -1;
    bool stalled = false;  // a received beat was valid and not taken: it must stay
    bool sent_beat = false;  // this edge takes the offered beat
    Beat held{};
    uint64_t frame_time = 0;

    auto rx_beat = [&mac] {
        const auto &b = mac->rx_frame;
        return Beat{uint64_t{b[2]} << 56 | uint64_t{b[1]} << 24 | b[0] >> 8, static_cast<uint8_t>(b[0]),
                    (b[2] >> 8 & 1) != 0, mac->rx_frame_bad != 0};
    };

    auto before_nic_edge = [&] {
        sent_beat = false;
        if (mac->user_rst || mac->restart) {
            stalled = false;  // what the reset interrupts is lost
            frame.clear();
            frame_valid_at = -1;
            return;
        }
        if (mac->rx_frame_valid) {
            const Beat beat = rx_beat();
            if (frame_valid_at < 0) {
                frame_valid_at = now - nic.period;
                frame_time = mac->rx_time;
            }
            if (mac->rx_time != frame_time) fail("rx_time changed inside a frame", now);
            if (stalled && beat != held) fail("rx_frame changed while it waited", now);
            if (beat.bad && !beat.last) fail("rx_frame_bad without the last beat", now);
            if (!stalled) valid_at = now - nic.period;
            held = beat;
            stalled = !mac->rx_frame_ready;
            if (!stalled) {
                if (!beat.last && beat.keep != 0xFF) fail("a beat inside a frame is not full", now);
                for (int lane = 0; lane < 8; ++lane) {
                    const uint8_t byte = static_cast<uint8_t>(beat.data >> (56 - 8 * lane));
                    if (beat.keep >> (7 - lane) & 1) frame.push_back(byte);
                    else if (byte != 0) fail("a byte behind the end of the frame shows something", now);
                }
                if (beat.last) {
                    received.number(frame_valid_at);
                    received.number(valid_at);
                    received.number(static_cast<int64_t>(frame_time));
                    received.number(beat.bad);
                    received.number(static_cast<int64_t>(frame.size()));
                    received.padded(frame);
                    ++received.count;
                    frame.clear();
                    frame_valid_at = -1;
                }
            }
        } else if (stalled) {
            fail("rx_frame_valid fell before the beat was taken", now);
        }
        if (mac->tx_frame_valid && mac->tx_frame_ready) {
            byte_at += 8;
            if (byte_at >= sends[send_at].bytes.size()) {
                handed.number(now);
                ++handed.count;
                ++send_at;
                byte_at = 0;
            }
            sent_beat = true;
        }
    };

    auto after_nic_edge = [&] {
        mac->time_now = time_base + static_cast<uint64_t>(nic.edges);
        if (mac->stat) {
            pulses.number(now);
            pulses.number(mac->stat);
            ++pulses.count;
        }
        if (mac->tx_stamp_valid) {
            stamps.number(now);
            stamps.number(mac->tx_stamp);
            ++stamps.count;
        }
        if (mac->stat || mac->rx_frame_valid || sent_beat) last_activity = now;
        while (event_at < events.size() && events[event_at].at <= now) {
            const Event &event = events[event_at++];
            if (event.what == 0) mac->enable = event.value != 0;
            if (event.what == 1) mac->loopback = event.value != 0;
            if (event.what == 2) rx_stall = event.value;
            if (event.what == 3) tx_stall = event.value;
            if (event.what == 5 && event.value >> 32 == 5) mac->tx_start = static_cast<uint8_t>(event.value);
            else if (event.what == 5) mac->settings[event.value >> 32] = static_cast<uint32_t>(event.value);
            if (event.what == 6) mac->restart = event.value != 0;
            if (event.what == 4) mac->gmii_rx_rst = mac->gmii_tx_rst = mac->user_rst = event.value != 0;
        }
        mac->rx_frame_ready = !chance(rx_stall);
        if (sent_beat) mac->tx_frame_valid = 0;
        if (mac->user_rst || mac->restart) {
            mac->tx_frame_valid = 0;
            byte_at = 0;
        } else if (!mac->tx_frame_valid && send_at < sends.size() && sends[send_at].at <= now && !chance(tx_stall)) {
            Send &send = sends[send_at];
            if (byte_at / 8 == send.held_beat && send.hold-- > 0) return;
            uint64_t data = 0;
            uint8_t keep = 0;
            for (size_t lane = 0; lane < 8 && byte_at + lane < send.bytes.size(); ++lane) {
                data |= uint64_t{send.bytes[byte_at + lane]} << (56 - 8 * lane);
                keep |= static_cast<uint8_t>(0x80 >> lane);
            }
            const bool last = byte_at + 8 >= send.bytes.size();
            mac->tx_frame[0] = static_cast<uint32_t>(data << 8) | keep;
            mac->tx_frame[1] = static_cast<uint32_t>(data >> 24);
            mac->tx_frame[2] = static_cast<uint32_t>(data >> 56) | (last ? 0x100u : 0u);
            mac->tx_frame_abort = last && send.abort;
            mac->tx_frame_stamp = send.stamp;
            mac->tx_frame_valid = 1;
        }
    };

    while (true) {
        now = rx.next < tx.next ? rx.next : tx.next;
        if (nic.next < now) now = nic.next;
        const bool rx_now = rx.next == now, tx_now = tx.next == now, nic_now = nic.next == now;
        const bool nic_rise = nic_now && !nic.high, rx_rise = rx_now && !rx.high, tx_rise = tx_now && !tx.high;

        if (nic_rise) before_nic_edge();
        for (auto [clock, active] : {std::pair{&rx, rx_now}, {&tx, tx_now}, {&nic, nic_now}}) {
            if (!active) continue;
            clock->high = !clock->high;
            clock->next += clock->high ? clock->period / 2 : clock->period - clock->period / 2;
        }
        mac->gmii_rx_clk = rx.high;
        mac->gmii_tx_clk = tx.high;
        mac->user_clk = nic.high;
        mac->eval();
        if (context->gotFinish()) fail("an assertion failed", now);

        if (rx_rise) {
            const int64_t i = rx.edges++ - START;
            const bool playing = i >= 0 && i < static_cast<int64_t>(symbols.size());
            const uint16_t symbol = playing ? symbols[static_cast<size_t>(i)] : 0;
            mac->gmii_rxd = static_cast<uint8_t>(symbol);
            mac->gmii_rx_dv = symbol >> 8 & 1;
            mac->gmii_rx_er = symbol >> 9 & 1;
            if (i < static_cast<int64_t>(symbols.size())) last_activity = now;
        }
        if (tx_rise) {
            ++tx.edges;
            const uint16_t symbol = static_cast<uint16_t>(mac->gmii_txd | mac->gmii_tx_en << 8 | mac->gmii_tx_er << 9);
            gmii.raw(&symbol, 2);
            ++gmii.count;
            if (mac->gmii_tx_en) last_activity = now;
        }
        if (nic_rise) {
            after_nic_edge();
            ++nic.edges;
        }

        const bool idle = send_at == sends.size() && event_at == events.size() && now > last_activity + quiet;
        if (idle || now >= limit) {
            std::ofstream out(argv[2], std::ios::binary);
            const int64_t head[2] = {now, idle ? 0 : 1};
            out.write(reinterpret_cast<const char *>(head), sizeof head);
            for (const Writer *writer : {&received, &pulses, &handed, &stamps, &gmii}) writer->section(out);
            break;
        }
    }
    mac->final();
    return 0;
}
