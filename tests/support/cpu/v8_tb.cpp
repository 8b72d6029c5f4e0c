// SPDX-License-Identifier: Apache-2.0
//
// Test bench of the SPARC V8 core: clocks the Verilated slot (v8_tb) against a model of the bus (v8_bus.h) and steps
// the instruction-set simulator (models/sparc) once for each instruction of the core. They must agree on everything:
// PC, nPC, what became of the instruction, its trap, PSR, WIM, TBR, Y, each register written, each access to data, and
// on the memories at the end. The first difference ends the run with the last instructions of both.
//
//   v8_bench PROGRAMS [--coverage FILE] [--only N]
//
// PROGRAMS is a file of programs, which tests/support/cpu/v8_bench.py writes: a header each (Header) and what the ROM
// has. Each begins with a reset of both and ends at an address, after so many instructions, in error mode, or asleep
// with nothing that could wake it.
//
// What only the core can know is taken from it, after a check that it may be so:
//   interrupts      that the level is one that mask, PIL and ET let in, and was pending since the instruction before.
//   One
//                   that stays and may be taken is taken within PATIENCE instructions
//   late errors     that one has been answered, and only that; likewise within PATIENCE instructions with ET = 1
//   overlapped      that a load may be: its register is written later, and those are in order
//   shared lines    what a load finds there (SHARES): that it was there since the instruction before was done, and no
//   load
//                   finds what is older than what one before it has found
//   ASR 21, 30, 31  that the levels were pending, and that it is that cycle
//
// A program that executes what it has written, without a FLUSH between, ends there: what it finds is not defined.
#include <verilated.h>
#include "Vv8_tb.h"
#include "Vv8_tb__Dpi.h"

#include <cinttypes>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "cpu.h"
#include "v8_bus.h"

namespace {

using namespace v8;
using sparc::Access;
using sparc::State;

constexpr unsigned PATIENCE = 5;
constexpr uint64_t SETTLED = 8;  // after so many cycles all that a step brings has been reported
constexpr uint64_t HANGS = 20000, SLEEPS = 400;
constexpr unsigned HISTORY = 4096, REMEMBERED = 20;
constexpr unsigned WRASR = 0x30, RDASR = 0x28;

struct Header {
    uint32_t magic, seed, stall, latency;
    uint32_t levels;  // an interrupt level about every so many cycles; 0: none
    uint32_t errors;
    uint32_t flags;
    uint32_t halts;  // the slot is stopped about every so many cycles; 0: never
    uint32_t end, steps;  // it ends before this address, or after so many instructions
    uint32_t body_first, body_last;  // instructions in here are counted
    uint32_t bytes;
};
// LIES: the core's devices give other words than the simulator's from the fourth access on.
// SHARES: another master writes new values into two lines of DRAM.
// RESETS: a first attempt ends in a reset in the middle of whatever it is at.
enum Flag : uint32_t { BAD = 1, SNOOPS = 2, JUNK = 4, LIES = 8, SHARES = 16, RESETS = 32 };
constexpr uint32_t SHARED = DRAM + 0xA000, SHARED_BYTES = 64;
constexpr uint32_t MAGIC = 0x56384231;

struct RtlStep {
    bool annulled, trap, error, overlapped;
    uint32_t tt, pc, npc, word, psr, wim, tbr, y;
    uint64_t cycle;
};
struct Write {
    uint32_t number, value;
    uint64_t cycle;
    uint64_t overtaken = 0;  // a trap has written this register in this cycle: the load's value does not come any more
};
struct Retired {
    bool trap, interrupted;
    uint32_t cause, pc, word;
};
struct Both {
    RtlStep rtl;
    sparc::Step iss;
};

// What came from the core and has not been compared yet.
std::deque<RtlStep> steps;
std::deque<Write> writes, late_writes, iss_writes, iss_late_writes;
std::deque<Retired> retired;
std::deque<Both> last;
Acb acb;
Header header;
std::string program_name;
uint64_t reset_at = 0;

void show_step(const char *who, uint32_t pc, uint32_t npc, uint32_t word, const char *kind, uint32_t tt, uint32_t psr,
               uint32_t wim, uint32_t tbr, uint32_t y) {
    std::printf("%s %08x %08x %08x %-9s tt %02x psr %08x wim %02x tbr %08x y %08x", who, pc, npc, word, kind, tt, psr,
                wim, tbr, y);
}

void show_last() {
    const char *kinds[] = {"retired", "annulled", "trapped", "error"};
    for (const Both &b : last) {
        const RtlStep &r = b.rtl;
        show_step("core", r.pc, r.npc, r.word,
                  r.annulled     ? "annulled"
                  : r.error      ? "error"
                  : r.trap       ? "trapped"
                  : r.overlapped ? "overlaps"
                                 : "retired",
                  r.tt, r.psr, r.wim, r.tbr, r.y);
        std::printf(" cycle %" PRIu64 "\n", r.cycle - reset_at);
        const sparc::Step &s = b.iss;
        show_step("iss ", s.pc, s.npc, s.word, kinds[s.kind & 3], s.trap, s.psr, s.wim, s.tbr, s.y);
        for (unsigned i = 0; i < s.writes; i++) std::printf(" r%u=%08x", s.reg[i], s.value[i]);
        if (s.access.kind)
            std::printf(" access %u of %u at %" PRIx64 " asi %x written %" PRIx64 " read %" PRIx64 " answer %u",
                        s.access.kind, s.access.bytes, s.access.address, s.access.asi, s.access.written, s.access.read,
                        s.access.answer);
        std::printf("\n");
    }
}

}  // namespace

namespace v8 {
void fail(const char *why, uint64_t value) {
    show_last();
    std::printf("BENCH FAIL %s (0x%" PRIx64 "): program %s, seed %u, cycle %" PRIu64 "\n", why, value,
                program_name.c_str(), header.seed, acb.now - reset_at);
    std::exit(1);
}
}  // namespace v8

namespace {

// What the simulator reaches.
class IssBus final : public sparc::Bus {
public:
    World world;
    std::deque<Made> log[SLAVES];
    uint64_t logged[SLAVES] = {};
    std::vector<bool> stale =
        std::vector<bool>(size_t{1} << 27);  // lines written since the last flush, by address / 32
    std::vector<uint32_t> stale_lines;

    void begin() {
        for (int i = 0; i < SLAVES; i++) log[i].clear(), logged[i] = 0;
        flushed();
    }
    void flushed() {
        for (const uint32_t line : stale_lines) stale[line] = false;
        stale_lines.clear();
    }

    bool fetch(uint32_t address, bool, uint32_t &word) override {
        if (address >= 0x60000000) return false;
        uint64_t data = 0;
        for (uint32_t i = 0; i < 32; i += 8)
            if (!world.look((address & ~31u) + i, data)) return false;
        world.look(address, data);
        word = uint32_t(address & 4 ? data : data >> 32);
        return true;
    }

    int access(Access &access) override {
        const uint32_t address = uint32_t(access.address);
        const Slave slave = slave_of(address);
        const unsigned shift = 64 - 8 * (address & 7) - 8 * access.bytes;
        uint64_t data = 0;
        bool ok;
        if (access.kind == NSOC_SPARC_READ && (slave == ROM_SLAVE || slave == DRAM_SLAVE)) {
            ok = world.look(address, data);
        } else {
            if (access.kind == NSOC_SPARC_LDSTUB && is_device(address)) return NSOC_SPARC_REFUSED;
            const uint8_t mask = uint8_t(uint8_t(0xFF00u >> access.bytes) >> (address & 7));
            Made made{WRITE, mask, address & ~7u, access.written << shift, false};
            if (access.kind == NSOC_SPARC_READ) made.kind = READ, made.data = 0;
            else if (access.kind != NSOC_SPARC_WRITE && !is_device(address)) made.kind = ATOMIC;
            ok = world.access(made, data);
            log[slave].push_back(made);
            logged[slave]++;
            if (made.kind != READ && slave != ROM_SLAVE && world.at(address)) {
                if (!stale[address >> 5]) stale_lines.push_back(address >> 5);
                stale[address >> 5] = true;
            }
        }
        if (!ok) return NSOC_SPARC_REFUSED;
        if (access.kind != NSOC_SPARC_WRITE) access.read = data >> shift & (~0ull >> (64 - 8 * access.bytes));
        return NSOC_SPARC_OK;
    }
    // What overlaps is the core's to say; it is checked.
    bool is_cached(uint64_t) const override { return !overlaps; }
    bool overlaps = false;
    bool is_postable(uint64_t address) const override {
        return (address >= DRAM && address < 0x60000000) || address >= 0xFF000000;
    }
};

// Which instruction, trap, slot, mode and so on have been seen, and how often.
std::map<std::tuple<uint32_t, uint32_t, int, bool, bool, bool>, uint64_t> coverage;
std::map<std::pair<uint32_t, uint32_t>, uint64_t> windows;  // trap and CWP before it

struct Totals {
    uint64_t instructions = 0, body = 0, cycles = 0, traps = 0, interrupts = 0, late = 0, errors = 0, overlapped = 0,
             slept = 0, stale = 0, programs = 0;
} totals;

class Bench {
public:
    Bench() : context_(std::make_unique<VerilatedContext>()) {
        context_->randReset(2);
        top_ = std::make_unique<Vv8_tb>(context_.get());
    }

    void begin(const uint8_t *image) {
        const Header &h = header;
        random_ = {h.seed * 0x9E3779B97F4A7C15ull + 77};
        Setup setup{h.seed, h.errors, (h.flags & BAD) != 0, false};
        bus_.begin();
        bus_.world.begin(setup, image, h.bytes, h.flags & JUNK);
        setup.lies = h.flags & LIES;
        acb.world.begin(setup, image, h.bytes, h.flags & JUNK);
        acb.begin(h.seed, int(h.stall), int(h.latency));
        acb.late.clear();
        for (auto *queue : {&writes, &late_writes, &iss_writes, &iss_late_writes}) queue->clear();
        steps.clear(), retired.clear(), last.clear();
        nsoc_sparc_config_t config{};
        config.hart = 3;
        config.stall_counters = 1;
        cpu_ = std::make_unique<sparc::Cpu>(bus_, config);
        done_ = false;
        executed_ = 0;
        interrupt_due_ = late_due_ = 0;
        before_ = {};
        previous_cycle_ = acb.now;
        previous_counter_ = 0;
        levels_ = 0;
        levels_until_ = 0;
        std::fill(std::begin(history_), std::end(history_), 0);

        versions_.clear();
        for (uint32_t a = SHARED; a < SHARED + SHARED_BYTES; a += 8) versions_.push_back({0, a, acb.world.dword(a)});
        shared_at_ = 0;

        reset();
    }

    void run(const Header &h, const uint8_t *image) {
        header = h;
        begin(image);
        if (h.flags & RESETS) {
            for (uint32_t left = random_.below(600); left > 0; left--) cycle();
            begin(image);
        }
        uint64_t quiet_since = acb.now;
        bool stopping = false, rested = false;
        uint64_t stopped_at = 0;
        while (true) {
            cycle();
            if (!steps.empty() && steps.back().cycle == acb.now) quiet_since = acb.now;
            compare(acb.now - SETTLED);
            if (!stopping && !done_) {
                drive_levels(quiet_since);
                if (h.halts && random_.below(h.halts) == 0) halt(), quiet_since = acb.now;
                if (acb.now - quiet_since > HANGS) {
                    compare(acb.now);
                    if (!done_) v8::fail("the core does nothing any more at", cpu_->state().pc);
                }
            }
            if (done_ && !stopping) stopping = true, stopped_at = acb.now, top_->run = 0;
            if (stopping) {
                if (top_->halted && !acb.busy()) rested = true;
                if (!rested && acb.now - stopped_at > HANGS) v8::fail("does not come to rest", 0);
                if (rested && acb.now - stopped_at > 2 * SETTLED && ++rested_for_ > 2 * SETTLED) break;
            }
        }
        rested_for_ = 0;
        done_ = false;
        ending_ = true;
        compare(acb.now);
        ending_ = false;
        check_end();
        totals.programs++;
        totals.cycles += acb.now - reset_at;
    }

    void finish() { top_->final(); }

private:
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vv8_tb> top_;
    IssBus bus_;
    std::unique_ptr<sparc::Cpu> cpu_;
    Random random_{1};
    uint32_t levels_ = 0, history_[HISTORY] = {};
    uint64_t levels_until_ = 0;
    bool done_ = false, ending_ = false, stale_ = false;
    uint64_t executed_ = 0, rested_for_ = 0;
    unsigned interrupt_due_ = 0, late_due_ = 0;
    uint64_t looked_since_ = 0, previous_cycle_ = 0, previous_counter_ = 0;
    sparc::Step before_{};  // the step before

    void reset() {
        top_->cpu_rst = 1;
        top_->run = 1;
        top_->acb_req_ready = top_->acb_rsp_valid = top_->snoop_valid = 0;
        top_->irq_levels = 0;
        for (int i = 0; i < 8; i++) {
            top_->cpu_clk = 0;
            top_->eval();
            context_->timeInc(1);
            top_->cpu_clk = 1;
            top_->eval();
            context_->timeInc(1);
            acb.now++;
        }
        steps.clear(), writes.clear(), late_writes.clear(), retired.clear();
        top_->cpu_rst = 0;
        reset_at = previous_cycle_ = looked_since_ = acb.now;
    }

    void cycle() {
        acb.now++;
        acb.step();
        history_[acb.now % HISTORY] = levels_;
        top_->irq_levels = levels_ >> 1;
        top_->acb_req_ready = acb.ready();
        if (header.flags & SNOOPS) {
            top_->snoop_valid = random_.below(4) == 0;
            top_->snoop_address = uint32_t(asked_ >> 5) + random_.below(2);
        } else {
            top_->snoop_valid = 0;
        }
        if (header.flags & SHARES && random_.below(12) == 0) {
            const uint32_t address = SHARED + 4 * random_.below(SHARED_BYTES / 4), value = random_.next();
            for (uint32_t i = 0; i < 4; i++) *acb.world.at(address + i) = uint8_t(value >> (24 - 8 * i));
            versions_.push_back({acb.now, address & ~7u, acb.world.dword(address)});
            top_->snoop_valid = 1;
            top_->snoop_address = address >> 5;
        }
        top_->acb_rsp_valid = acb.offer();
        if (top_->acb_rsp_valid) {
            top_->acb_rsp[0] = uint32_t(acb.data());
            top_->acb_rsp[1] = uint32_t(acb.data() >> 32);
            top_->acb_rsp[2] = acb.err();
        }
        top_->cpu_clk = 0;
        top_->eval();
        context_->timeInc(1);
        if (top_->acb_rsp_valid && top_->acb_rsp_ready) acb.answered();
        if (top_->acb_req_valid && top_->halted) v8::fail("a halted slot makes a request", 0);
        if (top_->acb_req_valid && top_->acb_req_ready) {
            const auto &w = top_->acb_req;
            Request r;
            r.data = uint64_t(w[1]) << 32 | w[0];
            r.address = w[2] | uint64_t(w[3] & 0xF) << 32;
            r.mask = uint8_t(w[3] >> 4);
            r.read = w[3] >> 12 & 1;
            r.lock = w[3] >> 13 & 1;
            r.fetch = top_->acb_req_fetch;
            acb.accept(r);
            asked_ = r.address;
        }
        top_->cpu_clk = 1;
        top_->eval();
        context_->timeInc(1);
        if (top_->run && top_->halted) v8::fail("halted, but told to run", 0);
        if (context_->gotFinish()) v8::fail("an assertion ended the simulation", 0);
    }
    uint64_t asked_ = 0;

    // Of the shared lines: which doubleword had which value from when on.
    struct Version {
        uint64_t since;
        uint32_t address;
        uint64_t value;
    };
    std::vector<Version> versions_;
    uint64_t shared_at_ = 0;  // the moment at which the last load may have looked there

    // Gives the simulator what the core's load has found, if it may be that.
    void share(const RtlStep &rtl, const State &s, uint32_t word) {
        const unsigned op3 = word >> 19 & 63, size = op3 & 3;
        if (word >> 30 != 3 || (op3 & 0x24) != 0 || rtl.trap || rtl.annulled) return;
        const uint32_t second =
            !(op3 & 0x10) && word >> 13 & 1 ? uint32_t(int32_t(word << 19) >> 19) : visible(s, word & 31);
        const uint32_t address = visible(s, word >> 14 & 31) + second;
        if (address < SHARED || address >= SHARED + SHARED_BYTES) return;
        const unsigned bytes = size == 0 ? 4 : size == 3 ? 8 : size;
        const bool wants = (word >> 25 & 31) != 0 && !writes.empty();
        const uint64_t first = std::max(shared_at_, looked_since_ - 6);
        // Versions in their order: the first one that fits and has not ended before `first`.
        const Version *found = nullptr;
        uint64_t ends = ~0ull;
        for (size_t i = versions_.size(); i-- > 0 && ends > first;) {
            const Version &v = versions_[i];
            if (v.address != (address & ~7u)) continue;
            const uint64_t from = v.since;
            if (from <= rtl.cycle && (!wants || fits(v.value, address, bytes, op3))) found = &v;
            ends = from;
        }
        if (!found) {
            remember(rtl, {});
            v8::fail("another master's line was not so", address);
        }
        shared_at_ = std::max(first, found->since);
        for (uint32_t i = 0; i < 8; i++) *bus_.world.at((address & ~7u) + i) = uint8_t(found->value >> (56 - 8 * i));
    }
    static bool fits(uint64_t dword, uint32_t address, unsigned bytes, unsigned op3) {
        if (bytes == 8) return writes.size() > 1 && dword == (uint64_t(writes[0].value) << 32 | writes[1].value);
        uint64_t value = dword >> (64 - 8 * (address & 7) - 8 * bytes) & (~0ull >> (64 - 8 * bytes));
        if (op3 & 8 && value >> (8 * bytes - 1)) value |= ~0ull << (8 * bytes);
        return uint32_t(value) == writes[0].value;
    }

    void halt() {
        top_->run = 0;
        const uint64_t since = acb.now, until = acb.now + random_.below(60);
        bool rested = false;
        const bool waits = random_.below(3) != 0;  // else it goes on before it may have come to rest
        while (acb.now < until || (waits && !rested)) {
            cycle();
            compare(acb.now - SETTLED);
            if (rested && !top_->halted) v8::fail("halted fell by itself", 0);
            if (top_->halted) rested = true;
            if (rested && acb.busy()) v8::fail("a halted slot uses the bus", 0);
            if (acb.now - since > HANGS) v8::fail("does not come to rest", 0);
        }
        top_->run = 1;
    }

    bool sleeps() const {
        const State &s = cpu_->state();
        uint32_t word = 0;
        if (s.annul || !(s.psr & sparc::PSR_S)) return false;
        IssBus &bus = const_cast<IssBus &>(bus_);
        return bus.fetch(s.pc, true, word) && word >> 30 == 2 && (word >> 19 & 63) == WRASR && (word >> 25 & 31) == 19;
    }

    void drive_levels(uint64_t quiet_since) {
        if (steps.empty() && acb.now - quiet_since > SLEEPS && sleeps()) {
            const uint32_t mask = cpu_->state().interrupt_mask;
            if (mask == 0 || (levels_ & mask) == 0) {
                if (mask == 0) {
                    done_ = true;
                    return;
                }
                uint32_t level;
                do level = 1 + random_.below(15);
                while (!(mask >> level & 1));
                levels_ |= 1u << level;
                levels_until_ = acb.now + 20 + random_.below(200);
            }
            return;
        }
        if (!header.levels) {
            if (acb.now >= levels_until_) levels_ = 0;
            return;
        }
        if (acb.now >= levels_until_ && levels_) {
            levels_ &= random_.next();
            levels_until_ = acb.now + random_.below(60);
        }
        if (random_.below(header.levels) == 0) {
            levels_ |= 1u << (1 + random_.below(15));
            if (random_.below(4) == 0) levels_ |= 1u << (1 + random_.below(15));
            levels_until_ = acb.now + (random_.below(4) ? random_.below(40) : random_.below(400));
        }
    }

    // The levels at some moment that the core may have looked at for this step. False: `wanted` says no to all.
    template <typename Wanted>
    bool some_levels(const RtlStep &step, Wanted wanted) const {
        // It looks when the instruction before goes on to MEM, where the one before that has been.
        const uint64_t first = std::max(looked_since_ - 8, step.cycle - (HISTORY - 64));
        for (uint64_t t = first; t <= step.cycle; t++)
            if (wanted(history_[t % HISTORY])) return true;
        return false;
    }
    uint32_t held_levels(const RtlStep &step) const {
        uint32_t held = ~0u;
        const uint64_t first = std::max(previous_cycle_ - 3, step.cycle - (HISTORY - 64));
        for (uint64_t t = first; t <= step.cycle; t++) held &= history_[t % HISTORY];
        return held;
    }

    void compare(uint64_t until) {
        while (!done_ && !steps.empty() && steps.front().cycle <= until) {
            const RtlStep step = steps.front();
            steps.pop_front();
            one(step);
            looked_since_ = previous_cycle_;
            previous_cycle_ = step.cycle;
        }
    }

    void check(bool right, const char *what, uint64_t core, uint64_t simulator) {
        if (right) return;
        show_last();
        std::printf("BENCH FAIL %s: core %" PRIx64 ", simulator %" PRIx64 ": program %s, seed %u, cycle %" PRIu64 "\n",
                    what, core, simulator, program_name.c_str(), header.seed, acb.now - reset_at);
        std::exit(1);
    }

    void remember(const RtlStep &rtl, const sparc::Step &iss) {
        last.push_back({rtl, iss});
        if (last.size() > REMEMBERED) last.pop_front();
    }

    void one(const RtlStep &rtl) {
        sparc::Cpu &cpu = *cpu_;
        compare_accesses();
        if (cpu.state().error_mode) v8::fail("a step in error mode", rtl.pc);
        if (cpu.state().annul && !rtl.annulled) {  // a slot that the core has left out
            const State slot = cpu.state();
            note(slot, cpu.step(0, false), 0, false);
        }
        const State before = cpu.state();
        if (!before.annul && before.pc < 0x60000000 && bus_.stale[before.pc >> 5]) {
            stale_ = true;
            totals.stale++;
            done_ = true;
            return;
        }
        uint32_t word = 0;
        if (!bus_.fetch(before.pc, true, word)) word = 0;
        const bool enabled = before.psr & sparc::PSR_ET;
        uint32_t levels = 0;
        bool late = false, masked = false;
        const uint32_t held = held_levels(rtl);
        if (rtl.trap && rtl.tt > 0x10 && rtl.tt < 0x20) {
            const unsigned level = rtl.tt & 15;
            const bool right = some_levels(rtl, [&](uint32_t now) {
                if (cpu.interrupt(now) != level) return false;
                levels = now;
                return true;
            });
            if (!right) {
                remember(rtl, {});
                v8::fail("no such interrupt was pending", rtl.tt);
            }
            totals.interrupts++;
        } else if (rtl.trap && enabled && rtl.tt == 0x60) {
            late = take_late(rtl, false);
        } else if (rtl.trap && enabled && rtl.tt == 0x2B && !is_precise_store(before, word)) {
            late = take_late(rtl, true);
        } else if (word >> 30 == 2 && (word >> 19 & 63) == RDASR && !rtl.trap && !rtl.annulled) {
            masked = read_outside(rtl, word, levels);
        }
        if (header.flags & SHARES) share(rtl, before, word);
        bus_.overlaps = rtl.overlapped;
        State state = before;
        if (masked) {  // ASR 21 shows levels that were not taken
            state.interrupt_mask = 0;
            cpu.set_state(state);
        }
        const sparc::Step iss = cpu.step(levels, false);
        if (masked) {
            state = cpu.state();
            state.interrupt_mask = before.interrupt_mask;
            cpu.set_state(state);
        }
        remember(rtl, iss);
        executed_++;

        const uint8_t kind = rtl.annulled ? NSOC_SPARC_ANNULLED
                             : rtl.error  ? NSOC_SPARC_ERROR_MODE
                             : rtl.trap   ? NSOC_SPARC_TRAPPED
                                          : NSOC_SPARC_RETIRED;
        check(rtl.pc == iss.pc, "PC", rtl.pc, iss.pc);
        check(rtl.npc == iss.npc, "nPC", rtl.npc, iss.npc);
        check(kind == iss.kind, "what became of the instruction", kind, iss.kind);
        check(rtl.tt == iss.trap, "type of the trap", rtl.tt, iss.trap);
        if (kind == NSOC_SPARC_RETIRED || (kind == NSOC_SPARC_TRAPPED && iss.word))
            check(rtl.word == iss.word, "instruction", rtl.word, iss.word);
        check(rtl.psr == iss.psr, "PSR", rtl.psr, iss.psr);
        check(rtl.wim == iss.wim, "WIM", rtl.wim, iss.wim);
        check(rtl.tbr == iss.tbr, "TBR", rtl.tbr, iss.tbr);
        check(rtl.y == iss.y, "Y", rtl.y, iss.y);
        if (!rtl.annulled) check_retired(rtl);
        check_duties(rtl, iss, before, held, late);
        // A load overlaps if neither its address nor what rs1 holds is of what is cached.
        const Access &a = iss.access;
        const bool overlaps = a.kind == NSOC_SPARC_READ && a.bytes <= 4 && a.asi < 0x10 && a.asi >= 8 &&
                              a.address >= LOCAL && before.bus_control & sparc::OVERLAPPED_LOADS &&
                              visible(before, word >> 14 & 31) >= LOCAL;
        check(rtl.overlapped == overlaps, "whether a load overlaps", rtl.overlapped, overlaps);
        totals.overlapped += overlaps;
        for (unsigned i = 0; i < iss.writes; i++)
            (rtl.overlapped ? iss_late_writes : iss_writes).push_back({iss.reg[i], iss.value[i], rtl.cycle});
        compare_writes(writes, iss_writes, "register", ~0ull);
        // A later step may be a trap that overtakes what its cycle has not brought.
        compare_writes(late_writes, iss_late_writes, "register of an overlapped load", rtl.cycle);
        if (kind == NSOC_SPARC_TRAPPED)
            for (Write &load : iss_late_writes)
                for (unsigned i = 0; i < 2; i++)  // they are written two and three cycles later
                    if (load.number == iss.reg[i]) load.overtaken = rtl.cycle + 2 + i;
        if (iss_writes.size() > 0) check(false, "a register that the core has not written", 0, iss_writes[0].number);
        if (iss.access.kind && !find_control(iss)) note_late(iss);
        compare_accesses();
        if (iss.effects & NSOC_SPARC_DROPS_INSTRUCTIONS) bus_.flushed();
        if (iss.sleeps && !some_levels(rtl, [&](uint32_t now) { return (now & before.interrupt_mask) != 0; }))
            v8::fail("woke up from nothing", rtl.pc);
        totals.slept += iss.sleeps;
        was_stopped_ |= cpu.state().counter_control & sparc::COUNTERS_STOPPED;
        totals.instructions++;
        if (rtl.pc >= header.body_first && rtl.pc < header.body_last) totals.body++;
        if (rtl.trap) totals.traps++;
        note(before, iss, held, late || has_late());
        if (rtl.error) {
            totals.errors++;
            done_ = true;
            acb.late.clear();
        }
        const bool at_end = cpu.state().pc == header.end && !cpu.state().annul;
        if (!ending_ && (executed_ >= header.steps || at_end)) done_ = true;
    }

    static bool find_control(const sparc::Step &iss) {
        const unsigned asi = iss.access.asi;
        return asi < 8 || (asi >= 0x10 && asi < 0x20);
    }

    static uint32_t visible(const State &s, unsigned number) {
        if (number < 8) return number ? s.r[NSOC_SPARC_GLOBALS + number] : 0;
        return s.r[((s.psr + (number >= 24)) & 7) << 4 | (number & 15)];
    }

    // Of the instruction at PC, if that is a store, the RTL has made the access.
    bool is_precise_store(const State &s, uint32_t word) {
        const unsigned op3 = word >> 19 & 0x2F;
        if (word >> 30 != 3 || (op3 != 4 && op3 != 5 && op3 != 6 && op3 != 7)) return false;
        const uint32_t second = word >> 13 & 1 ? uint32_t(int32_t(word << 19) >> 19) : visible(s, word & 31);
        const uint32_t address = visible(s, word >> 14 & 31) + second;
        const auto &log = acb.log[slave_of(address)];
        return !log.empty() && log[0].made.kind == WRITE && log[0].made.err && log[0].made.address == (address & ~7u);
    }

    void note_late(const sparc::Step &iss) {
        if (iss.access.answer != NSOC_SPARC_LATE_ERROR) return;
        const uint32_t address = uint32_t(iss.access.address);
        const Slave slave = slave_of(address);
        const uint64_t number = bus_.logged[slave] - 1;
        uint64_t answered = 0;
        if (number >= acb.taken[slave] && number < acb.logged[slave])
            answered = acb.log[slave][number - acb.taken[slave]].answered;
        acb.late.push_back({slave, number, iss.access.kind == NSOC_SPARC_WRITE, address, answered});
    }
    bool has_late() const {
        for (const Acb::Late &l : acb.late)
            if (l.answered) return true;
        return false;
    }

    // The core says that it takes a late error: the first one that has been answered.
    bool take_late(const RtlStep &rtl, bool store) {
        const uint64_t commit = rtl.cycle - 1;
        const Acb::Late *first = nullptr;
        for (const Acb::Late &l : acb.late)
            if (l.store == store && l.answered && l.answered < commit && (!first || l.answered < first->answered))
                first = &l;
        if (!first) {
            remember(rtl, {});
            v8::fail("no late error has been answered", rtl.tt);
        }
        if (store) cpu_->late_store_error(first->address);
        else cpu_->late_load_error(first->address);
        // Those that have come in the meantime are one with it.
        auto &all = acb.late;
        all.erase(
            std::remove_if(all.begin(), all.end(),
                           [&](const Acb::Late &l) { return l.store == store && l.answered && l.answered < commit; }),
            all.end());
        totals.late++;
        return true;
    }

    // RDASR of what the simulator has not got. Whether ASR 21 is read.
    bool read_outside(const RtlStep &rtl, uint32_t word, uint32_t &levels) {
        const unsigned number = word >> 14 & 31, rd = word >> 25 & 31;
        const bool counter = number == 30 || number == 31;
        if (number != 21 && number != 25 && !counter) return false;
        if (rd == 0) return false;
        if (writes.empty()) return false;  // found by the comparison
        const uint32_t value = writes.front().value;
        if (number == 21) {
            levels = value;
            if (value & 0xFFFF0001 || !some_levels(rtl, [&](uint32_t now) { return now == value; }))
                v8::fail("these levels were not pending", value);
            return true;
        }
        if (number == 25) {
            cpu_->set_stalls(value);
            return false;
        }
        if (number == 30) {
            cpu_->set_counter(0);
            return false;
        }
        const uint64_t now = value, most = rtl.cycle - reset_at + 8;
        if (now > most || now < previous_counter_) v8::fail("the counter of cycles goes wrong", now);
        if (cpu_->state().counter_control & sparc::COUNTERS_STOPPED && stopped_reads_ && now != previous_counter_)
            v8::fail("a stopped counter of cycles goes on", now);
        stopped_reads_ = cpu_->state().counter_control & sparc::COUNTERS_STOPPED;
        if (!stopped_reads_ && !was_stopped_ && now + 64 < previous_cycle_ - reset_at)
            v8::fail("the counter of cycles is behind", now);
        previous_counter_ = now;
        cpu_->set_counter(value);
        return false;
    }
    bool stopped_reads_ = false, was_stopped_ = false;

    void check_retired(const RtlStep &rtl) {
        if (retired.empty()) v8::fail("not seen at the retire port", rtl.pc);
        const Retired port = retired.front();
        retired.pop_front();
        const bool same = port.pc == rtl.pc && (port.trap || port.interrupted) == rtl.trap && port.cause == rtl.tt &&
                          !(port.trap && port.interrupted) && port.word == (port.interrupted ? 0 : rtl.word);
        if (!same) v8::fail("the retire port says something else", rtl.pc);
    }

    // The level that must be taken if these are pending, 0: none.
    static unsigned due(const State &s, uint32_t levels) {
        const uint32_t heard = levels & s.interrupt_mask & sparc::ALL_LEVELS;
        if (!heard || !(s.psr & sparc::PSR_ET)) return 0;
        const unsigned level = 31 - unsigned(__builtin_clz(heard));
        return level == 15 || level > (s.psr >> 8 & 15) ? level : 0;
    }

    void check_duties(const RtlStep &rtl, const sparc::Step &iss, const State &before, uint32_t held, bool late) {
        if (iss.kind == NSOC_SPARC_ANNULLED) return;
        const bool enabled = before.psr & sparc::PSR_ET;
        const unsigned level = due(before, held);
        interrupt_due_ = level && iss.kind == NSOC_SPARC_RETIRED ? interrupt_due_ + 1 : 0;
        if (interrupt_due_ > PATIENCE) v8::fail("an interrupt is not taken", level);
        bool waits = false;
        for (const Acb::Late &l : acb.late) waits |= l.answered && l.answered + 2 < previous_cycle_;
        late_due_ = waits && enabled && !late && iss.kind == NSOC_SPARC_RETIRED ? late_due_ + 1 : 0;
        if (late_due_ > PATIENCE) v8::fail("a late error is not taken", rtl.pc);
    }

    void compare_writes(std::deque<Write> &core, std::deque<Write> &iss, const char *what, uint64_t until) {
        while (!core.empty() && !iss.empty() && core.front().cycle <= until) {
            const Write a = core.front(), b = iss.front();
            iss.pop_front();
            if (b.overtaken && a.cycle > b.overtaken) continue;
            core.pop_front();
            if (a.number == b.number && a.value == b.value) continue;
            show_last();
            std::printf("the core writes r%u = %08x, the simulator r%u = %08x\n", a.number, a.value, b.number, b.value);
            v8::fail(what, b.number);
        }
    }

    void compare_accesses() {
        for (int slave = 0; slave < SLAVES; slave++) {
            auto &core = acb.log[slave];
            auto &iss = bus_.log[slave];
            while (!core.empty() && !iss.empty()) {
                const Made a = core.front().made, b = iss.front();
                const uint64_t number = acb.taken[slave];
                for (Acb::Late &l : acb.late)
                    if (l.slave == slave && l.number == number) l.answered = core.front().answered;
                core.pop_front();
                iss.pop_front();
                acb.taken[slave]++;
                if (a == b) continue;
                show_last();
                for (const Made &m : {a, b})
                    std::printf("%s: kind %d mask %02x address %08x data %016" PRIx64 " err %d\n",
                                &m == &a ? "core" : "simulator", m.kind, m.mask, m.address, m.data, m.err);
                v8::fail("another access", number);
            }
        }
    }

    void check_end() {
        if (!stale_) {
            compare_accesses();
            compare_writes(late_writes, iss_late_writes, "register of an overlapped load", ~0ull);
            for (int i = 0; i < SLAVES; i++) {
                if (!acb.log[i].empty())
                    v8::fail("an access that the simulator does not make", acb.log[i][0].made.address);
                if (!bus_.log[i].empty()) v8::fail("an access that the core does not make", bus_.log[i][0].address);
            }
            // A slot that is halted may have loaded the first register of a pair.
            if (!writes.empty() && !(writes.size() == 1 && is_pair(cpu_->state())))
                v8::fail("a register that the simulator does not write", writes[0].number);
            if (!late_writes.empty())
                v8::fail("a late register that the simulator does not write", late_writes[0].number);
            while (!iss_late_writes.empty() && iss_late_writes.front().overtaken) iss_late_writes.pop_front();
            if (!iss_late_writes.empty()) v8::fail("an overlapped load without an end", iss_late_writes[0].number);
            for (uint32_t a = SHARED; header.flags & SHARES && a < SHARED + SHARED_BYTES; a++)
                *bus_.world.at(a) = *acb.world.at(a);
            if (acb.world.dram != bus_.world.dram) v8::fail("DRAM differs", 0);
            if (acb.world.local != bus_.world.local) v8::fail("local memory differs", 0);
            const State &s = cpu_->state();
            check(bool(top_->error) == bool(s.error_mode), "error mode", top_->error, s.error_mode);
            if (s.error_mode) {
                check(top_->error_type == s.error_trap, "type at the output", top_->error_type, s.error_trap);
                check(top_->error_pc == s.pc, "PC at the output", top_->error_pc, s.pc);
            }
        }
        stale_ = stopped_reads_ = was_stopped_ = false;
    }

    bool is_pair(const State &s) {
        uint32_t word = 0;
        return !s.annul && bus_.fetch(s.pc, true, word) && word >> 30 == 3 && (word >> 19 & 0x2F) == 3;
    }

    static bool is_transfer(uint32_t word) {
        if (word >> 30 == 1) return true;
        if (word >> 30 == 0) return (word >> 22 & 7) == 2;
        return word >> 30 == 2 && ((word >> 19 & 63) == 0x38 || (word >> 19 & 63) == 0x39);
    }

    // Of Bicc with its condition; RDY, STBAR and WRY are 0x500 to 0x502; 0x400 is one that cannot be fetched.
    uint32_t instruction(uint32_t pc) {
        uint32_t word = 0;
        if (!bus_.fetch(pc, true, word)) return 0x400;
        const uint32_t op = word >> 30, op2 = word >> 22 & 7, op3 = word >> 19 & 63, rd = word >> 25 & 31;
        if (op == 0) return op2 << 4 | (op2 == 2 ? rd & 15 : 0);
        if (op == 1) return 0x100;
        if (op == 2 && op3 == RDASR && (word >> 14 & 31) == 0) return 0x500;
        if (op == 2 && op3 == RDASR && (word >> 14 & 31) == 15 && rd == 0) return 0x501;
        if (op == 2 && op3 == WRASR && rd == 0) return 0x502;
        return op << 8 | op3;
    }

    void note(const State &before, const sparc::Step &iss, uint32_t held, bool late) {
        int slot = 0;
        if (iss.kind == NSOC_SPARC_ANNULLED) slot = 3;
        else if (before_.kind == NSOC_SPARC_RETIRED && is_transfer(before_.word) && before_.next_pc == iss.pc)
            slot = before.npc == before.pc + 4 ? 2 : 1;
        uint32_t trap = iss.kind == NSOC_SPARC_RETIRED || iss.kind == NSOC_SPARC_ANNULLED ? 0 : iss.trap;
        if (trap >= 0x80) trap = 0x80;
        if (trap > 0x10 && trap < 0x20) trap = 0x10;
        const bool user = !(before.psr & sparc::PSR_S), stops = iss.kind == NSOC_SPARC_ERROR_MODE;
        const bool second = trap && trap != 0x10 && (due(before, held) || late);
        coverage[{instruction(before.pc), trap, slot, user, stops, second}]++;
        if (trap && !stops) windows[{iss.trap, before.psr & 7}]++;
        before_ = iss;
    }
};

}  // namespace

extern "C" void v8_retire(int flags, int cause, int pc, int instr) {
    retired.push_back({(flags & 1) != 0, (flags & 2) != 0, uint32_t(cause), uint32_t(pc), uint32_t(instr)});
}

extern "C" void v8_step(int flags, int tt, int pc, int npc, int instr, int psr, int wim, int tbr, int y) {
    steps.push_back({(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 10) == 8, uint32_t(tt),
                     uint32_t(pc), uint32_t(npc), uint32_t(instr), uint32_t(psr), uint32_t(wim), uint32_t(tbr),
                     uint32_t(y), acb.now});
}

extern "C" void v8_written(int late, int number, int value) {
    (late ? late_writes : writes).push_back({uint32_t(number), uint32_t(value), acb.now});
}

int main(int argc, char **argv) {
    const char *path = nullptr, *coverage_file = nullptr;
    long only = -1;
    for (int i = 1; i < argc; i++) {
        if (!std::strcmp(argv[i], "--coverage")) coverage_file = argv[++i];
        else if (!std::strcmp(argv[i], "--only")) only = std::atol(argv[++i]);
        else path = argv[i];
    }
    std::FILE *file = path ? std::fopen(path, "rb") : nullptr;
    if (!file) {
        std::printf("no programs\n");
        return 2;
    }
    Bench bench;
    Header h;
    long number = 0;
    for (; std::fread(&h, sizeof h, 1, file) == 1; number++) {
        std::vector<uint8_t> image(h.bytes);
        if (h.magic != MAGIC || std::fread(image.data(), 1, h.bytes, file) != h.bytes) {
            std::printf("not a file of programs\n");
            return 2;
        }
        program_name = std::to_string(number);
        if (only < 0 || only == number) bench.run(h, image.data());
    }
    std::fclose(file);
    bench.finish();
    std::printf("programs %" PRIu64 " instructions %" PRIu64 " body %" PRIu64 " cycles %" PRIu64 " traps %" PRIu64
                " interrupts %" PRIu64 " late %" PRIu64 " errors %" PRIu64 " overlapped %" PRIu64 " slept %" PRIu64
                " stale %" PRIu64 "\n",
                totals.programs, totals.instructions, totals.body, totals.cycles, totals.traps, totals.interrupts,
                totals.late, totals.errors, totals.overlapped, totals.slept, totals.stale);
    if (coverage_file) {
        std::FILE *out = std::fopen(coverage_file, "w");
        if (!out) return 2;
        for (const auto &[key, count] : coverage) {
            const auto &[what, trap, slot, user, stops, second] = key;
            std::fprintf(out, "seen %u %u %d %d %d %d %" PRIu64 "\n", what, trap, slot, user, stops, second, count);
        }
        for (const auto &[key, count] : windows)
            std::fprintf(out, "window %u %u %" PRIu64 "\n", key.first, key.second, count);
        std::fclose(out);
    }
    return 0;
}
