// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on the cores of the programmable NIC, with nothing around them (cluster_top). Arguments are KEY=VALUE:
//
//   image=FILE   what lies where: a line `ADDRESS WORD` for each word, both hexadecimal (nsoc.pnic.firmware writes it)
//   cores=N      as built
//   seed=N       of the pauses
//   pause=N      the host stops all cores about every N cycles, for up to N (0: never)
//   cycles=N     patience
//   until=N      ends when so many cores have said DONE
//
// A line for each message of a core, in the order in which they come:
//
//   message CYCLE CORE VALUE
//
// and at the end `cycles N`. Exit status 1, and a sentence, when patience ends before that.
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#define NSOC_TOP Vcluster_top
#define NSOC_CLOCKS(CLOCK) CLOCK(clk)
#include "evaluate.h"

#include "draw.h"
#include "options.h"
#include "verilated.h"

namespace {

constexpr uint32_t DONE = 0xD0'0E'D0'0E, SCRATCHPAD = 0x5000'0000;

class Cluster {
public:
    Cluster() : context_(), top_(&context_) {
        top_.rst = 1;
        top_.eval();
        evaluation_.emplace(top_);
        for (int i = 0; i < 4; ++i) cycle();
        top_.rst = 0;
        settle();
    }

    void cycle() {
        evaluation_->rise(1);
        ++cycles_;
    }

    // Pins have changed.
    void settle() { evaluation_->settle(); }

    void load(const std::string &file) {
        std::ifstream image(file);
        if (!image) fail("cannot read " + file);
        uint32_t address, word;
        while (image >> std::hex >> address >> word) {
            if (address >= SCRATCHPAD) write(address, word);
            else instruction(address, word);
        }
    }

    Vcluster_top &top() { return top_; }
    uint64_t cycles() const { return cycles_; }

private:
    void instruction(uint32_t address, uint32_t word) {
        top_.imem_write = 1;
        top_.imem_address = address >> 2;
        top_.imem_data = __builtin_bswap32(word);  // the byte at the lowest address is the top one
        settle();
        cycle();
        top_.imem_write = 0;
        settle();
    }

    void write(uint32_t address, uint32_t word) {
        top_.pad_valid = top_.pad_write = 1;
        top_.pad_address = (address & 0x3FFFF) >> 2;
        top_.pad_data = word;
        settle();
        while (!top_.pad_ready) cycle();
        cycle();
        top_.pad_valid = 0;
        settle();
    }

    VerilatedContext context_;
    Vcluster_top top_;
    std::optional<Evaluation> evaluation_;
    uint64_t cycles_ = 0;
};

void run(const Options &options) {
    Cluster cluster;
    cluster.load(options.text("image"));
    Vcluster_top &top = cluster.top();
    Draw draw(options.number("seed", 1));
    const uint64_t pause = options.number("pause", 0), first = cluster.cycles();
    const uint64_t end = first + options.number("cycles", 1'000'000);
    uint64_t turns_at = pause ? cluster.cycles() + 1 + draw.below(2 * pause) : end;
    unsigned missing = static_cast<unsigned>(options.number("until", 1));
    top.run = 1;
    cluster.settle();
    while (missing && cluster.cycles() < end) {
        if (cluster.cycles() >= turns_at) {
            top.run = !top.run;
            cluster.settle();
            turns_at = cluster.cycles() + 1 + draw.below(top.run ? 2 * pause : pause);
        }
        cluster.cycle();
        if (!top.message_valid) continue;
        std::printf("message %" PRIu64 " %u %u\n", cluster.cycles() - first, top.message_core, top.message);
        if (top.message == DONE) --missing;
    }
    if (missing) fail("no end after " + std::to_string(end - first) + " cycles");
    std::printf("cycles %" PRIu64 "\n", cluster.cycles() - first);
}

}  // namespace

int main(int argc, char **argv) {
    try {
        run(Options(argc, argv));
    } catch (const std::exception &problem) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
