// SPDX-License-Identifier: Apache-2.0
//
// Frames back to back through two MACs (mac_pair_tb.sv), each way in clocks of its own: [0] sends, [1] sends back what
// has come, whole frames. Prints what the lines and the users have seen, one `name value` a line;
// test_mac_back_to_back.py judges it.
//
//   mac_pair COLUMNS START_LANES FRAMES SEED TX_FS0 TX_FS1 CORE_FS0 CORE_FS1      (periods in femtoseconds)
//
// Of side i:  sent_i         frames that its user has handed over
//             same_i, other_i  frames that came: the next one in order and good, any other
//             starts_i       starts on its line; wrong_lane_i  of these in lanes that START_LANES does not divide
//             least_i, most_i  what its gaps were short of a mean of 12 by then, in bytes, from the first gap on
//             short_i        the same, but that what a gap was too long is forgotten: most of it
//             stat_i_k       pulses of bit k of mac_stat_t

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "Vmac_pair_tb.h"
#include "verilated.h"

namespace {

using Frame = std::vector<uint8_t>;

constexpr int GAP = 12, PULSES = 14;
constexpr uint8_t START = 0xFB, TERMINATE = 0xFD;
constexpr size_t AHEAD = 64;        // frames that the one who sends back waits for: more than the longest is long
constexpr int64_t QUIET = 4000;     // edges without a frame's end: the run is over
constexpr int RESET_EDGES = 64, SETTLE_EDGES = 256;

uint64_t random_of(uint64_t &state) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// The index-th frame. With eight columns those that a wide line can carry without a pause: with little in its last word
// a frame has more words than the line has cycles.
Frame frame(uint64_t seed, uint64_t index, int columns) {
    uint64_t state = seed ^ (index * 0xD1342543DE82EF95u);
    uint64_t draw = random_of(state);
    size_t length = 60 + draw % 70;
    if (draw >> 32 & 15) length += 0;
    else length = 60 + (draw >> 40) % 1455;
    if (columns > 1) length = std::max<size_t>(60, length / 64 * 64 + 48 + (draw >> 52) % 13);
    length = std::min<size_t>(length, columns > 1 ? 1468 : 1514);
    Frame made(length);
    for (size_t at = 0; at < length; at += 8) {
        uint64_t word = random_of(state);
        for (size_t n = at; n < std::min(at + 8, length); n++) made[n] = uint8_t(word >> 8 * (n - at));
    }
    return made;
}

struct Line {
    int64_t at = 0, start = -1, terminate = -1, starts = 0, wrong_lane = 0;
    int64_t drift = 0, least = 0, most = 0, clamped = 0, short_most = 0;

    void character(uint8_t code, int64_t lane, int64_t step) {
        if (code == TERMINATE) terminate = lane;
        if (code != START) return;
        starts++;
        wrong_lane += lane % step != 0;
        if (terminate < 0) return;
        int64_t missing = GAP - (lane - terminate);
        drift += missing;
        clamped = std::max<int64_t>(clamped + missing, 0);
        least = std::min(least, drift);
        most = std::max(most, drift);
        short_most = std::max(short_most, clamped);
    }
};

struct Side {
    std::deque<Frame> waiting;
    size_t offset = 0;  // in the first of them
    bool begun = false;
    Frame coming;
    uint64_t sent = 0, same = 0, other = 0;
    std::array<uint64_t, PULSES> stat{};
    Line line;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 9) return 2;
    const int columns = std::atoi(argv[1]), step = std::atoi(argv[2]), lanes = 8 * columns;
    const uint64_t frames = std::strtoull(argv[3], nullptr, 10), seed = std::strtoull(argv[4], nullptr, 10);
    std::array<int64_t, 4> period{}, next{};  // transmit 0, 1; core 0, 1
    for (int i = 0; i < 4; i++) {
        period[i] = std::strtoll(argv[5 + i], nullptr, 10);
        next[i] = period[i] * (i + 1) / 5;
    }
    const auto context = std::make_unique<VerilatedContext>();
    const auto top = std::make_unique<Vmac_pair_tb>(context.get());
    std::array<CData *, 4> clock = {&top->tx_clk0, &top->tx_clk1, &top->core_clk0, &top->core_clk1};
    std::array<Side, 2> side;
    uint64_t made = 0;
    int64_t edges = 0, quiet = 0;

    top->rst = 1;
    top->eval();
    while (quiet < QUIET) {
        int which = int(std::min_element(next.begin(), next.end()) - next.begin());
        edges++;
        quiet++;
        if (edges == RESET_EDGES) top->rst = 0;
        Side &one = side[which & 1];
        const int i = which & 1;
        if (which < 2) {
            uint64_t control = uint64_t(top->txc[2 * i + 1]) << 32 | top->txc[2 * i];
            if (edges > RESET_EDGES && control != 0) {
                for (int n = 0; n < lanes; n++) {
                    uint8_t code = uint8_t(top->txd[2 * columns * i + n / 4] >> 8 * (n % 4));
                    if (control >> n & 1) one.line.character(code, one.line.at + n, step);
                }
            }
            one.line.at += lanes;
        }
        bool took = false;
        if (which >= 2 && edges > SETTLE_EDGES) {
            took = (top->s_valid >> i & 1) && (top->s_ready >> i & 1);
            if (top->m_valid >> i & 1) {
                int bytes = top->m_bytes >> 8 * i & 0xFF;
                for (int n = 0; n < bytes; n++) {
                    int bit = 64 * columns * (i + 1) - 8 * (n + 1);
                    one.coming.push_back(uint8_t(top->m_data[bit / 32] >> bit % 32));
                }
                if (top->m_last >> i & 1) {
                    bool good = !(top->m_bad >> i & 1) && one.coming == frame(seed, one.same, columns);
                    (good ? one.same : one.other)++;
                    if (good && i == 1) one.waiting.push_back(one.coming);
                    one.coming.clear();
                    quiet = 0;
                }
            }
            uint32_t pulses = top->stat >> PULSES * i & ((1 << PULSES) - 1);
            for (int k = 0; k < PULSES; k++) one.stat[k] += pulses >> k & 1;
        }
        *clock[which] = 1;
        top->eval();
        *clock[which] = 0;
        if (which >= 2 && edges > SETTLE_EDGES) {
            if (took) {
                one.offset += lanes;
                if (one.offset >= one.waiting.front().size()) {
                    one.waiting.pop_front();
                    one.offset = 0;
                    one.sent++;
                    quiet = 0;
                }
            }
            if (i == 0 && one.waiting.empty() && made < frames) one.waiting.push_back(frame(seed, made++, columns));
            one.begun = one.begun || i == 0 || one.waiting.size() >= AHEAD || one.same == frames;
            bool offers = one.begun && !one.waiting.empty();
            if (offers) {
                const Frame &now = one.waiting.front();
                int bytes = int(std::min<size_t>(lanes, now.size() - one.offset));
                for (int word = 0; word < 2 * columns; word++) {
                    uint32_t value = 0;
                    for (int n = 0; n < 4; n++) {
                        int at = lanes - 4 * word - 4 + n;  // the first byte is on top
                        if (at < bytes) value |= uint32_t(now[one.offset + at]) << 8 * (3 - n);
                    }
                    top->s_data[2 * columns * i + word] = value;
                }
                top->s_bytes = (top->s_bytes & ~(0xFF << 8 * i)) | bytes << 8 * i;
                top->s_last = (top->s_last & ~(1 << i)) | (one.offset + bytes == now.size()) << i;
            }
            top->s_valid = (top->s_valid & ~(1 << i)) | offers << i;
        }
        top->eval();
        next[which] += period[which];
    }
    top->final();
    for (int i = 0; i < 2; i++) {
        const Side &one = side[i];
        auto say = [i](const char *name, int64_t value) { std::printf("%s_%d %lld\n", name, i, (long long)value); };
        say("sent", one.sent);
        say("same", one.same);
        say("other", one.other);
        say("starts", one.line.starts);
        say("wrong_lane", one.line.wrong_lane);
        say("least", one.line.least);
        say("most", one.line.most);
        say("short", one.line.short_most);
        for (int k = 0; k < PULSES; k++) std::printf("stat_%d_%d %llu\n", i, k, (unsigned long long)one.stat[k]);
    }
    return 0;
}
