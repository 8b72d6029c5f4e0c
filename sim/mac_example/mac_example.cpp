// SPDX-License-Identifier: Apache-2.0
//
// Runs two mac_example on one cable and prints what the near one counted.
//
//   mac_example NIC_PERIOD_FS GMII_PERIOD_FS PAYLOAD DELAY_CYCLES WARM_UP FRAMES LIMIT
//
// prints `good bad missing rtt_min rtt_max rtt_sum send_fs receive_fs`: counters at the end, round trips in user_clk
// cycles over all frames; and the time in femtoseconds in which FRAMES frames left, and came back good, behind the
// first WARM_UP ones. Exit status 1 when that took more than LIMIT user_clk cycles. Both clocks rise together at time
// 0.
#include <verilated.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#define NSOC_TOP Vmac_example_pair
#define NSOC_CLOCKS(CLOCK) CLOCK(user_clk) CLOCK(gmii_clk)
#include "evaluate.h"

#include "clocks.h"

namespace {

constexpr uint64_t kResetCycles = 32, kSettleCycles = 32;

// When a counter passed the beginning and the end of what is measured.
class Span {
public:
    Span(uint64_t from, uint64_t to) : from_(from), to_(to) {}

    void see(uint64_t count, uint64_t now_fs) {
        if (!begun_ && count >= from_) begun_ = true, began_fs_ = now_fs;
        if (!done_ && count >= to_) done_ = true, ended_fs_ = now_fs;
    }
    bool done() const { return done_; }
    uint64_t fs() const { return ended_fs_ - began_fs_; }

private:
    uint64_t from_, to_, began_fs_ = 0, ended_fs_ = 0;
    bool begun_ = false, done_ = false;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 8) {
        std::fprintf(stderr, "NIC_PERIOD_FS GMII_PERIOD_FS PAYLOAD DELAY_CYCLES WARM_UP FRAMES LIMIT\n");
        return 2;
    }
    uint64_t arguments[7];
    for (int i = 0; i < 7; i++) arguments[i] = std::strtoull(argv[i + 1], nullptr, 10);
    const uint64_t nic_period = arguments[0], gmii_period = arguments[1], warm_up = arguments[4], frames = arguments[5];
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vmac_example_pair>(context.get());
    top->payload_bytes = arguments[2];
    top->delay_cycles = arguments[3];
    top->frame_count = warm_up + frames;
    top->arst = 0;
    top->eval();
    top->arst = 1;
    top->eval();
    Evaluation evaluation(*top);

    Span send(warm_up, warm_up + frames), receive(warm_up, warm_up + frames);
    enum : unsigned { NIC, GMII, CLOCKS };
    Clocks<CLOCKS> clocks;
    clocks[NIC] = {nic_period, 0};
    clocks[GMII] = {gmii_period, 0};
    while (!(send.done() && receive.done()) && clocks[NIC].edges < arguments[6]) {
        const uint64_t now = clocks.next();
        const unsigned due = clocks.due(now);
        evaluation.rise(due);
        if (due >> GMII & 1) clocks[GMII].rise();
        if (!(due >> NIC & 1)) continue;
        clocks[NIC].rise();
        const uint64_t cycle = clocks[NIC].edges;
        if (cycle == kResetCycles) top->arst = 0;
        if (cycle == kResetCycles + kSettleCycles) top->enable = 1;
        if (cycle == kResetCycles || cycle == kResetCycles + kSettleCycles) evaluation.settle();
        send.see(top->sent, now);
        receive.see(top->good, now);
    }
    top->final();
    std::printf("%u %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", top->good, top->bad, top->missing, top->rtt_min,
                top->rtt_max, uint64_t(top->rtt_sum), send.fs(), receive.fs());
    return send.done() && receive.done() ? 0 : 1;
}
