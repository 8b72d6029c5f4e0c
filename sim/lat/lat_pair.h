// SPDX-License-Identifier: Apache-2.0
//
// Two nodes on a cable (lat_pair.sv): the clocks' loop, registers, packets to send, bytes received and checked, and
// when each tap of a node was high first. Times in femtoseconds.
#ifndef LAT_PAIR_H
#define LAT_PAIR_H

#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#define NSOC_TOP Vlat_pair
#define NSOC_CLOCKS(CLOCK) CLOCK(core_clk_0) CLOCK(core_clk_1) CLOCK(mac_clk_0) CLOCK(mac_clk_1)
#include "evaluate.h"

#include "clocks.h"
#include "draw.h"
#include "xgmii_line.h"
#include "splitmix.h"

// lat_taps_t of rtl/soc/lat_pkg.sv, the first one the highest bit.
enum Tap : unsigned {
    APP_FIRST,
    APP_LAST,
    GO,
    CORE_OUT,
    MAC_IN,
    LINE_FIRST,
    LINE_LAST,
    MAC_OUT,
    CORE_IN,
    PARSED,
    VERDICT,
    OUT_FIRST,
    OUT_LAST,
    TAPS
};
constexpr unsigned STATS = 55;  // lat_stat_t (lat_pkg.sv), mac_stat_t, net_stat_t, the first one the highest bit
constexpr unsigned TX_TAPS = 1u << MAC_IN | 1u << LINE_FIRST | 1u << LINE_LAST, RX_TAPS = 1u << MAC_OUT;
constexpr unsigned CORE_TAPS = ((1u << TAPS) - 1) & ~(TX_TAPS | RX_TAPS);
constexpr unsigned NODES = 2;
constexpr uint32_t NODE_ADDRESS = 0x0A00'0001;  // of node 0, and that of node 1 behind it
constexpr int64_t NEVER = -1;

inline std::runtime_error failure(const std::string &what) { return std::runtime_error(what); }

// A write of an application.
struct Packet {
    uint16_t connection, length;
    bool promise, hold;
    unsigned gap_percent;  // of the cycles between its beats
};

// Byte `at` of the stream that node `from` sends on its connection.
inline uint8_t stream_byte(unsigned from, unsigned connection, uint64_t at) {
    const uint64_t word = splitmix64(uint64_t{from} << 56 ^ uint64_t{connection} << 40 ^ at >> 3);
    return static_cast<uint8_t>(word >> 8 * (at & 7));
}

// Byte `at` of datagram `number` that node `from` sends: the number, then anything.
inline uint8_t datagram_byte(unsigned from, uint64_t number, unsigned at) {
    return at < 8 ? static_cast<uint8_t>(number >> 8 * (7 - at)) : stream_byte(from, UINT16_MAX, number << 11 | at);
}

// An application that sends datagrams one behind the other, and takes those of the other one.
struct Datagrams {
    unsigned length = 0;  // of those that begin; 0: none does
    unsigned stall_percent = 0;  // of the cycles in which nothing is taken
    uint64_t given = 0, taken = 0;
    uint64_t next = 0;  // the least number that may come
    unsigned at = 0, beat = 0, size = 0;  // of what goes out: bytes taken, on offer, in all
    std::vector<uint8_t> coming;
};

struct Node {
    std::deque<Packet> packets;    // to send; the first one may be under way
    std::vector<uint64_t> given;   // by connection: bytes offered so far
    std::vector<uint64_t> received;
    std::vector<uint16_t> peer;    // by connection: the other end's
    unsigned at = 0;               // bytes of the first packet that were taken
    unsigned beat = 0;             // bytes of the beat on offer
    unsigned part = 0;             // bytes of the packet that comes in
    int64_t offered_fs = NEVER;    // the edge behind which the last packet, or doorbell, was first offered
    int64_t last_out_fs = NEVER;   // the edge that took the last beat of the last packet that counts
    std::array<int64_t, TAPS> tap_fs;
    std::array<unsigned, TAPS> tap_count;
    std::array<uint64_t, STATS> stat{};
    uint64_t bytes_given = 0, bytes_in = 0, aborted = 0;
    std::vector<std::array<int64_t, 2>> line;  // since forget_taps(): first and last word of each frame at the pins
    int64_t begun_fs = NEVER;      // the one that is under way there
    uint64_t frames = 0;           // sent since forget_taps()
    uint64_t frames_in = 0;        // that have begun to come
    Datagrams datagrams;
    int64_t busy_fs = 0;           // when its line was last busy
    int doorbell = -1;             // to be rung for this connection
    bool wrong = false;            // a byte of the packet that comes in, which need not count
};

struct Settings {
    unsigned width, connections;
    std::array<uint64_t, NODES> core_fs, mac_fs;  // periods
    bool one_clock;
    unsigned lanes;  // of the XGMII
    bool lines;      // what the nodes send comes by Pair::lines
    uint64_t seed;
};

class Pair {
public:
    Node nodes[NODES];
    std::vector<Line> lines;     // by sender, if there are any
    unsigned stall_percent = 0;  // of the cycles in which an application takes nothing
    std::function<void()> each_cycle;  // called behind each edge of node 0's core

    explicit Pair(const Settings &settings)
        : settings_(settings), draw_(settings.seed), top_(std::make_unique<Vlat_pair>(&context_)) {
        for (unsigned i = 0; i < NODES; ++i) {
            clocks_[CORE + i] = {settings.core_fs[i], 0};
            clocks_[MAC + i] = {settings.mac_fs[i], 0};
            if (settings.lines) lines.emplace_back(settings.lanes, settings.seed << 8 | (1 + i));
            top_->replace[i] = settings.lines;
            if (settings.lines) lines[i].out(top_->replacement_c[i], &top_->replacement_d[i][0]);
            top_->udp_s_to[i] = NODE_ADDRESS + 1 - i;
            top_->udp_m_tready[i] = 1;
        }
        for (Node &node : nodes) {
            for (auto *positions : {&node.given, &node.received}) positions->resize(settings.connections);
            node.peer.resize(settings.connections);
        }
        forget_taps();
        new_phases();
        top_->rst = 1;
        for (unsigned i = 0; i < NODES; ++i) top_->m_tready[i] = 1;
        top_->eval();
        evaluation_.emplace(*top_);
        cycles(RESET_CYCLES);
        top_->rst = 0;
        evaluation_->settle();
    }
    ~Pair() { top_->final(); }

    int64_t now() const { return static_cast<int64_t>(now_); }
    // Since the beginning: cycles of core_clk of node 0, evaluations of the model, edges of all clocks.
    std::array<uint64_t, 3> simulated() const { return {clocks_[CORE].edges, evaluation_->count(), clocks_.edges()}; }
    Draw &draw() { return draw_; }
    const Settings &settings() const { return settings_; }
    void early(bool is) {
        top_->early = is;
        evaluation_->settle();
    }

    // Byte `at` of the next frame that node `from` sends is XORed with `mask`.
    void corrupt(unsigned from, unsigned at, unsigned mask) {
        top_->corrupt_at[from] = static_cast<uint16_t>(at);
        top_->corrupt_mask[from] = static_cast<uint8_t>(mask);
        top_->corrupt[from] = mask != 0;
        evaluation_->settle();
    }

    // Each clock's next period is longer by what is drawn, less than one.
    void new_phases() {
        if (settings_.one_clock) return;
        for (Clock &clock : clocks_) clock.next += draw_.below(clock.period);
    }

    void forget_taps() {
        for (Node &node : nodes) {
            node.tap_fs.fill(NEVER);
            node.tap_count.fill(0);
            node.line.clear();
            node.frames = 0;
        }
    }

    void cycles(unsigned count) {
        const uint64_t end = clocks_[CORE].edges + count;
        while (clocks_[CORE].edges < end) step();
    }

    template <typename Condition>
    void until(Condition condition, uint64_t most_fs, const char *what) {
        const uint64_t end = now_ + most_fs;
        while (!condition()) {
            if (now_ > end) throw failure(std::string("waited in vain for ") + what);
            step();
        }
    }

    uint32_t read(unsigned node, uint32_t address) { return access(node, true, address, 0); }
    void write(unsigned node, uint32_t address, uint32_t value) { access(node, false, address, value); }

    // To the next edge of any clock, and behind it.
    void step() {
        now_ = clocks_.next();
        const unsigned due = clocks_.due(now_);
        for (unsigned i = 0; i < NODES; ++i) {
            if (due >> (CORE + i) & 1) before_core(i);
            if (due >> (MAC + i) & 1) before_mac(i);
        }
        for (unsigned i = 0; i < CLOCKS; ++i)
            if (due >> i & 1) clocks_[i].rise();
        for (unsigned i = 0; i < NODES; ++i) {  // registers take it at this edge: it is there behind it
            if (due >> (CORE + i) & 1) behind_core(i);
            if (due >> (MAC + i) & 1 && settings_.lines)
                nodes[1 - i].frames_in += lines[i].out(top_->replacement_c[i], &top_->replacement_d[i][0]);
        }
        evaluation_->rise(due);
        if (due >> CORE & 1 && each_cycle) each_cycle();
    }

private:
    enum : unsigned { CORE = 0, MAC = 2, CLOCKS = 4 };
    static constexpr unsigned RESET_CYCLES = 32, PATIENCE = 10'000;

    void before_core(unsigned i) {
        Node &node = nodes[i];
        see(i, CORE_TAPS);
        for (uint64_t bits = top_->stat[i]; bits; bits &= bits - 1) ++node.stat[STATS - 1 - __builtin_ctzll(bits)];
        if (top_->s_tvalid[i] && top_->s_tready[i]) {
            node.at += node.beat;
            node.beat = 0;
            if (top_->s_tlast[i]) {
                node.packets.pop_front();
                node.at = 0;
            }
        }
        if (top_->doorbell_valid[i] && top_->doorbell_ready[i]) node.doorbell = -1;
        if (top_->m_tvalid[i] && top_->m_tready[i]) take(i);
        if (top_->udp_m_tvalid[i] && top_->udp_m_tready[i]) take_datagram(i);
        if (top_->udp_s_tvalid[i] && top_->udp_s_tready[i]) {
            Datagrams &sent = node.datagrams;
            sent.at += sent.beat;
            sent.beat = 0;
            if (sent.at == sent.size) {
                sent.size = sent.at = 0;
                ++sent.given;
            }
        }
    }

    void before_mac(unsigned i) {
        see(i, TX_TAPS);
        see_line(i);
        see(1 - i, RX_TAPS);
        if (top_->line_busy[i]) nodes[i].busy_fs = now();
        nodes[i].frames += top_->line_begins[i];
        if (settings_.lines) lines[i].in(top_->line_c[i], &top_->line_d[i][0]);
        else nodes[1 - i].frames_in += top_->line_begins[i];
    }

    void see(unsigned i, unsigned which) {
        Node &node = nodes[i];
        for (unsigned bits = top_->taps[i], tap = 0; tap < TAPS; ++tap) {
            if (!(which >> tap & 1) || !(bits >> (TAPS - 1 - tap) & 1)) continue;
            if (node.tap_count[tap]++ == 0) node.tap_fs[tap] = now();
        }
    }

    // The last word of a frame may be the first one of the next.
    void see_line(unsigned i) {
        Node &node = nodes[i];
        const auto is = [&](unsigned tap) { return (top_->taps[i] >> (TAPS - 1 - tap) & 1) != 0; };
        if (is(LINE_LAST) && node.begun_fs != NEVER) {
            node.line.push_back({node.begun_fs, now()});
            node.begun_fs = NEVER;
        }
        if (is(LINE_FIRST)) node.begun_fs = now();
    }

    void take(unsigned i) {
        Node &node = nodes[i];
        const unsigned connection = top_->m_tdest[i];
        if (connection >= settings_.connections) throw failure("bytes came for a connection that does not exist");
        const uint64_t at = node.received[connection];
        for (unsigned lane = 0; lane < settings_.width / 8; ++lane) {
            if (!(top_->m_tkeep[i] >> (63 - lane) & 1)) continue;
            const uint8_t byte = byte_of(top_->m_tdata[i], lane);
            node.wrong |= byte != stream_byte(1 - i, node.peer[connection], at + node.part);
            ++node.part;
        }
        if (!top_->m_tlast[i]) return;
        if (top_->m_tabort[i]) {
            ++node.aborted;
        } else {
            if (node.wrong) {
                throw failure("a wrong byte came for connection " + std::to_string(connection) + " in bytes " +
                              std::to_string(at) + " to " + std::to_string(at + node.part - 1));
            }
            node.received[connection] += node.part;
            node.bytes_in += node.part;
            node.last_out_fs = now();
        }
        node.part = 0;
        node.wrong = false;
    }

    // Of the words of net: those of the line, or of the streams where these have less.
    unsigned line_bytes() const { return settings_.lanes == 8 ? 8 : settings_.width / 8; }

    static uint8_t byte_of(const VlWide<16> &word, unsigned lane) {
        return static_cast<uint8_t>(word[15 - lane / 4] >> (24 - 8 * (lane % 4)));
    }

    void take_datagram(unsigned i) {
        Datagrams &got = nodes[i].datagrams;
        for (unsigned lane = 0; lane < line_bytes(); ++lane)
            if (top_->udp_m_tkeep[i] >> (63 - lane) & 1) got.coming.push_back(byte_of(top_->udp_m_tdata[i], lane));
        if (!top_->udp_m_tlast[i]) return;
        uint64_t number = 0;
        for (unsigned at = 0; at < 8 && at < got.coming.size(); ++at) number = number << 8 | got.coming[at];
        bool wrong = number < got.next || got.coming.size() != top_->udp_m_tlength[i] || got.coming.size() < 8;
        for (unsigned at = 8; at < got.coming.size(); ++at) wrong |= got.coming[at] != datagram_byte(1 - i, number, at);
        if (wrong) throw failure("a wrong datagram came to node " + std::to_string(i));
        got.next = number + 1;
        ++got.taken;
        got.coming.clear();
    }

    void give_datagram(unsigned i) {
        Datagrams &sent = nodes[i].datagrams;
        top_->udp_m_tready[i] = !sent.stall_percent || draw_.below(100) >= sent.stall_percent;
        if (sent.beat) return;  // it stays on offer
        if (!sent.size) sent.size = sent.length;
        top_->udp_s_tvalid[i] = sent.size != 0;
        if (!sent.size) return;
        sent.beat = std::min(line_bytes(), sent.size - sent.at);
        for (unsigned word = 0; word < line_bytes() / 4; ++word) {
            uint32_t data = 0;
            for (unsigned lane = 4 * word; lane < 4 * word + 4; ++lane)
                data = data << 8 | (lane < sent.beat ? datagram_byte(i, sent.given, sent.at + lane) : 0u);
            top_->udp_s_tdata[i][15 - word] = data;
        }
        top_->udp_s_tkeep[i] = ~uint64_t{0} << (64 - sent.beat);
        top_->udp_s_tlast[i] = sent.at + sent.beat == sent.size;
        top_->udp_s_tlength[i] = static_cast<uint16_t>(sent.size);
    }

    void behind_core(unsigned i) {
        Node &node = nodes[i];
        give_datagram(i);
        top_->m_tready[i] = !stall_percent || draw_.below(100) >= stall_percent;
        if (node.doorbell >= 0 && !top_->doorbell_valid[i]) node.offered_fs = now();
        top_->doorbell_valid[i] = node.doorbell >= 0;
        if (node.doorbell >= 0) top_->doorbell_dest[i] = static_cast<uint16_t>(node.doorbell);
        if (node.beat) return;  // it stays on offer
        top_->s_tvalid[i] = 0;
        if (node.packets.empty()) return;
        const Packet &packet = node.packets.front();
        if (node.at && packet.gap_percent && draw_.below(100) < packet.gap_percent) return;
        if (node.at == 0) node.offered_fs = now();
        node.beat = std::min<unsigned>(settings_.width / 8, packet.length - node.at);
        uint64_t &given = node.given[packet.connection];
        for (unsigned word = 0; word < settings_.width / 32; ++word) {
            uint32_t data = 0;
            for (unsigned lane = 4 * word; lane < 4 * word + 4; ++lane)
                data = data << 8 | (lane < node.beat ? stream_byte(i, packet.connection, given + lane) : 0u);
            top_->s_tdata[i][15 - word] = data;
        }
        given += node.beat;
        node.bytes_given += node.beat;
        top_->s_tkeep[i] = ~uint64_t{0} << (64 - node.beat);
        top_->s_tlast[i] = node.at + node.beat == packet.length;
        top_->s_tdest[i] = packet.connection;
        top_->s_tlength[i] = packet.length;
        top_->s_tpromise[i] = packet.promise;
        top_->s_thold[i] = packet.hold;
        top_->s_tvalid[i] = 1;
    }

    uint32_t access(unsigned i, bool read, uint32_t address, uint32_t value) {
        top_->reg_read[i] = read;
        top_->reg_address[i] = address;
        top_->reg_write_data[i] = value;
        top_->reg_valid[i] = 1;
        evaluation_->settle();
        bool taken = false;
        for (unsigned n = 0; n < PATIENCE; ++n) {
            const bool takes = top_->reg_ready[i] && !taken, answered = taken && top_->reg_answered[i];
            const uint32_t data = top_->reg_data[i];
            const bool error = top_->reg_err[i];
            for (const uint64_t edge = clocks_[CORE + i].edges; clocks_[CORE + i].edges == edge;) step();
            if (answered) {
                if (error) throw failure("the register at " + std::to_string(address) + " answered with an error");
                return data;
            }
            if (takes) {
                taken = true;
                top_->reg_valid[i] = 0;
                evaluation_->settle();
            }
        }
        throw failure("a register did not answer");
    }

    Settings settings_;
    Draw draw_;
    VerilatedContext context_;
    std::unique_ptr<Vlat_pair> top_;
    std::optional<Evaluation> evaluation_;
    Clocks<CLOCKS> clocks_;
    uint64_t now_ = 0;
};

#endif
