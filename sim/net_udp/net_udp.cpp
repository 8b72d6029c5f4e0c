// SPDX-License-Identifier: Apache-2.0
//
// Runs net_udp at its stream edges and prints what each size of payload gets.
//
//   net_udp FRAMES SIZE...
//
// prints for each size `size tx_cycles rx_cycles sent_in stalled wrong`: cycles from the first beat offered to the
// first beat that comes out, of a datagram to send (steady; more than 64 bytes with their sum) and of one received,
// nothing else under way; then, FRAMES datagrams both ways at once: cycles from the first frame sent to the begin of
// the last one (as fast as the block takes them), cycles that received frames had to wait (they come at the rate of the
// line), and what came out wrong.
//
// The line is one of 64 bits a cycle: a frame takes its bytes, padded to 60, and 24 of FCS, preamble and gap.
#include <verilated.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#define NSOC_TOP Vnet_udp
#define NSOC_CLOCKS(CLOCK) CLOCK(clk)
#include "evaluate.h"

#include "splitmix.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kOurs = 0x0A000002, kPeer = 0x0A000011;
constexpr uint64_t kOurMac = 0x020000000002, kPeerMac = 0x020000000011, kAll = 0xFFFFFFFFFFFF;
constexpr unsigned kPort = 4000, kPeerPort = 3000;
constexpr unsigned kHeaders = 42, kLeast = 60, kAround = 24, kBeat = 8, kShort = 64;
constexpr unsigned kPatience = 4000;  // cycles

void put(Bytes &to, uint64_t value, unsigned bytes) {
    while (bytes--) to.push_back(uint8_t(value >> 8 * bytes));
}

// One's complement sum of 16-bit words, not inverted.
uint16_t sum(const uint8_t *data, size_t bytes, uint32_t before = 0) {
    uint64_t total = before;
    for (size_t i = 0; i < bytes; i++) total += uint32_t(data[i]) << (i & 1 ? 0 : 8);
    while (total >> 16) total = (total & 0xFFFF) + (total >> 16);
    return uint16_t(total);
}

uint16_t udp_sum(const uint8_t *ip) {
    const unsigned length = unsigned(ip[24] << 8 | ip[25]);
    return sum(ip + 20, length, sum(ip + 12, 8) + 17u + length);
}

Bytes frame_of(const Bytes &payload) {
    Bytes f;
    put(f, kOurMac, 6), put(f, kPeerMac, 6), put(f, 0x0800, 2);
    put(f, 0x4500, 2), put(f, 28 + payload.size(), 2), put(f, 0, 4), put(f, 0x4011, 2), put(f, 0, 2);
    put(f, kPeer, 4), put(f, kOurs, 4);
    put(f, kPeerPort, 2), put(f, kPort, 2), put(f, 8 + payload.size(), 2), put(f, 0, 2);
    f.insert(f.end(), payload.begin(), payload.end());
    const uint16_t head = uint16_t(~sum(&f[14], 20));
    f[24] = uint8_t(head >> 8), f[25] = uint8_t(head);
    const uint16_t all = uint16_t(~udp_sum(&f[14])), told = all ? all : 0xFFFF;
    f[40] = uint8_t(told >> 8), f[41] = uint8_t(told);
    if (f.size() < kLeast) f.resize(kLeast);
    return f;
}

Bytes question() {  // who has our address
    Bytes f;
    put(f, kAll, 6), put(f, kPeerMac, 6), put(f, 0x0806, 2), put(f, 0x000108000604, 6), put(f, 1, 2);
    put(f, kPeerMac, 6), put(f, kPeer, 4), put(f, 0, 6), put(f, kOurs, 4);
    f.resize(kLeast);
    return f;
}

// The frame of that payload, with right sums.
bool right(const Bytes &frame, const Bytes &payload) {
    if (frame.size() < kHeaders + payload.size() || sum(&frame[14], 20) != 0xFFFF || udp_sum(&frame[14]) != 0xFFFF)
        return false;
    return std::equal(payload.begin(), payload.end(), frame.begin() + kHeaders);
}

// Gives its items beat by beat; with `paced` at the rate of the line.
struct Source {
    std::deque<Bytes> items;
    bool paced = false;
    size_t at = 0;
    uint64_t due = 0, begun = 0, stalled = 0, credit = 0;  // credit: bytes of line time that are no whole cycle
    bool offered = false;

    bool offer(uint64_t cycle) {
        if (!offered && !items.empty() && (at > 0 || !paced || cycle >= due)) {
            offered = true;
            if (at == 0) {
                begun = cycle;
                const size_t bytes = items.front().size();
                credit += (bytes < kLeast ? kLeast : bytes) + kAround;
                due = (due > cycle ? due : cycle) + credit / kBeat;
                credit %= kBeat;
            }
        }
        return offered;
    }
    uint64_t data() const {
        uint64_t word = 0;
        for (unsigned i = 0; i < kBeat && at + i < items.front().size(); i++)
            word |= uint64_t(items.front()[at + i]) << 8 * i;
        return word;
    }
    uint8_t keep() const {
        const size_t left = items.front().size() - at;
        return left >= kBeat ? 0xFF : uint8_t((1u << left) - 1u);
    }
    bool last() const { return at + kBeat >= items.front().size(); }
    void took(bool ready) {
        if (!offered) return;
        if (!ready) {
            stalled++;
            return;
        }
        offered = false;
        if (last()) items.pop_front(), at = 0;
        else at += kBeat;
    }
};

struct Item {
    Bytes data;
    bool bad;
    uint64_t first;
};

struct Sink {
    std::vector<Item> items;
    bool inside = false;

    void take(uint64_t data, uint8_t keep, bool last, bool bad, uint64_t cycle) {
        if (!inside) items.push_back({{}, false, cycle});
        for (unsigned i = 0; i < kBeat; i++)
            if (keep >> i & 1) items.back().data.push_back(uint8_t(data >> 8 * i));
        items.back().bad = last && bad;
        inside = !last;
    }
    size_t whole() const { return items.size() - inside; }
};

class Bench {
public:
    Bench() : context_(std::make_unique<VerilatedContext>()), top_(std::make_unique<Vnet_udp>(context_.get())) {
        Vnet_udp &t = *top_;
        t.enable = 1, t.mac = kOurMac, t.address = kOurs, t.mask = 0xFFFFFF00, t.gateway = 0;
        t.arp_lifetime = 60, t.refuse_gap = 0, t.tick = 0, t.udp_open = 1;
        t.m_axis_tx_tready = t.m_axis_udp_tready = t.m_axis_other_tready = 1;
        t.s_axis_udp_destination = kPeer, t.s_axis_udp_source_port = kPort, t.s_axis_udp_port = kPeerPort;
        t.s_axis_udp_ttl = 64, t.s_axis_udp_df = 1;
        t.rst = 1;
        t.eval();
        evaluation_.emplace(t);
        for (int i = 0; i < 4; i++) step();
        t.rst = 0;
        line.items.push_back(question());
        rest();
    }

    Source line, datagrams;
    Sink sent, came;

    void steady(bool on, bool known, uint16_t is) {
        top_->s_axis_udp_steady = on, top_->s_axis_udp_sum_known = known, top_->s_axis_udp_sum = is;
    }

    void step() {
        Vnet_udp &t = *top_;
        if ((t.s_axis_rx_tvalid = line.offer(cycle_)))
            t.s_axis_rx_tdata = line.data(), t.s_axis_rx_tkeep = line.keep(), t.s_axis_rx_tlast = line.last();
        if ((t.s_axis_udp_tvalid = datagrams.offer(cycle_))) {
            t.s_axis_udp_tdata = datagrams.data(), t.s_axis_udp_tkeep = datagrams.keep();
            t.s_axis_udp_tlast = datagrams.last();
            t.s_axis_udp_length = uint16_t(datagrams.items.front().size());
        }
        evaluation_->settle();
        if (t.m_axis_tx_tvalid)
            sent.take(t.m_axis_tx_tdata, t.m_axis_tx_tkeep, t.m_axis_tx_tlast, t.m_axis_tx_tuser, cycle_);
        if (t.m_axis_udp_tvalid)
            came.take(t.m_axis_udp_tdata, t.m_axis_udp_tkeep, t.m_axis_udp_tlast, t.m_axis_udp_tuser, cycle_);
        line.took(t.s_axis_rx_tready);
        datagrams.took(t.s_axis_udp_tready);
        evaluation_->rise(1);
        cycle_++;
    }

    // Until so many have come out each way. False: they did not.
    bool until(size_t frames, size_t payloads) {
        uint64_t end = cycle_ + kPatience;
        for (size_t seen = 0; sent.whole() < frames || came.whole() < payloads;) {
            if (cycle_ > end) return false;
            step();
            if (seen != sent.whole() + came.whole()) seen = sent.whole() + came.whole(), end = cycle_ + kPatience;
        }
        return true;
    }

    // What is under way ends, and is forgotten.
    void rest() {
        for (int i = 0; i < 64; i++) step();
        line = datagrams = {};
        sent = came = {};
    }

private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vnet_udp> top_;
    std::optional<Evaluation> evaluation_;
    uint64_t cycle_ = 0;
};

Bytes random_bytes(size_t count) {
    static uint64_t state = 1;
    Bytes data(count);
    for (uint8_t &one : data) one = uint8_t(splitmix64(state += SPLITMIX_STEP));
    return data;
}

int measure(Bench &bench, unsigned size, unsigned frames) {
    unsigned wrong = 0;
    const Bytes one = random_bytes(size);
    bench.steady(true, size > kShort, sum(one.data(), one.size()));
    bench.datagrams.items.push_back(one);
    if (!bench.until(1, 0)) return 1;
    const uint64_t tx = bench.sent.items[0].first - bench.datagrams.begun;
    wrong += !right(bench.sent.items[0].data, one);
    bench.rest();
    bench.line.items.push_back(frame_of(one));
    if (!bench.until(0, 1)) return 1;
    const uint64_t rx = bench.came.items[0].first - bench.line.begun;
    wrong += bench.came.items[0].bad || bench.came.items[0].data != one;
    bench.rest();

    std::vector<Bytes> payloads;
    bench.steady(false, false, 0);
    bench.line.paced = true;
    for (unsigned i = 0; i < frames; i++) {
        payloads.push_back(random_bytes(size));
        bench.line.items.push_back(frame_of(payloads.back()));
        bench.datagrams.items.push_back(payloads.back());
    }
    if (!bench.until(frames, frames)) return 1;
    for (unsigned i = 0; i < frames; i++) {
        wrong += !right(bench.sent.items[i].data, payloads[i]);
        wrong += bench.came.items[i].bad || bench.came.items[i].data != payloads[i];
    }
    const uint64_t sent_in = bench.sent.items.back().first - bench.sent.items[0].first;
    std::printf("%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", size, tx, rx, sent_in, bench.line.stalled,
                wrong);
    bench.rest();
    return 0;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "FRAMES SIZE...\n");
        return 2;
    }
    Bench bench;
    const unsigned frames = unsigned(std::strtoul(argv[1], nullptr, 10));
    for (int i = 2; i < argc; i++) {
        const unsigned size = unsigned(std::strtoul(argv[i], nullptr, 10));
        if (measure(bench, size, frames)) {
            std::fprintf(stderr, "datagrams of %u bytes do not come through\n", size);
            return 1;
        }
    }
    return 0;
}
