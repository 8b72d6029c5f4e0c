// SPDX-License-Identifier: Apache-2.0
//
// Stops the small cores between two instructions, each by itself or all together, looks at their state and changes it.
//
// A core stops in DECODE: what is there stays, and what is ahead of it is finished. So at a stop all instructions
// before next_pc are done, with their loads, stores and atomics, and the one at next_pc has done nothing. What is in
// DECODE while something is ahead of it may be of a wrong path: only with nothing ahead of it does it count.
//
// Watched are the accesses of cores, and what assists and host write into the scratchpad.
//
// Assists, host and line go on while a core comes to its stop (some ten cycles), and while others run. When all cores
// rest nobody has to let time pass: looking costs none, nor does writing memory and registers. Writing `pc` or code
// drops instruction caches, which takes some cycles.
#ifndef DEBUGGER_H
#define DEBUGGER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Vpnic_top.h"
#include "nsoc_map.h"
#include "options.h"

class Debugger {
public:
    enum Stop : unsigned { NONE, STEPPED, BREAKPOINT, WATCHPOINT };
    enum Kind : unsigned { EXECUTE, WRITE, READ, ACCESS, KINDS };
    // What a core is to do.
    static constexpr char HOLD = 'h', RUN = 'r', STEP = 's';

    struct Point {
        uint32_t address, bytes;
        bool operator<(const Point &other) const {
            return address != other.address ? address < other.address : bytes < other.bytes;
        }
    };

    struct Stopped {
        Stop why = NONE;
        unsigned core = 0;
        Kind kind = WRITE;     // of a watchpoint
        uint32_t address = 0;  // ... and where
        Point point = {0, 0};
    };

    // `step` lets time pass, with a call of behind_edge behind each edge of the cores' clock.
    Debugger(Vpnic_top &top, unsigned cores, std::function<void()> step)
        : top_(top), step_(std::move(step)), cores_(cores) {}

    void insert(Kind kind, uint32_t address, uint32_t bytes) { points_[kind].insert({address, bytes}); }
    void remove(Kind kind, uint32_t address, uint32_t bytes) { points_[kind].erase({address, bytes}); }

    // Each core does what its letter says, until stopped() says why one of them has stopped; a held one stays where it
    // is. A breakpoint where a core was told to have stopped does not count at the start. When none has stopped, the
    // same letters go on: a step is still the same step.
    void resume(const std::string &wishes) {
        if (wishes.size() != cores_.size()) fail("one letter for each core");
        const bool goes_on = !halting_ && stopped_.why == NONE;  // nobody has stopped since the last time
        for (unsigned i = 0; i < cores_.size(); ++i) {
            Core &core = cores_[i];
            if (!goes_on || core.wish != wishes[i]) core.gone = false;
            if (!goes_on) core.fresh = stopped_.why != NONE && stopped_.core == i;
            core.wish = wishes[i];
            core.rests = 0;
            if (core.hit && !points_[core.hit->kind].count(core.hit->point)) core.hit.reset();  // it is gone
        }
        stopped_ = {};
        halting_ = false;
        if (by_other_ && points_[by_other_->kind].count(by_other_->point)) stopped_ = *by_other_;
        by_other_.reset();
        halting_ = stopped_.why != NONE;
    }

    // All cores come to a stop.
    void halt() {
        halting_ = true;
        for (unsigned i = 0; i < PATIENCE && !rests(); ++i) step_();
        if (!rests()) fail("a core does not come to a stop");
    }

    const Stopped &stopped() const { return stopped_; }
    bool rests() const {
        bool all = halting_;
        for (const Core &core : cores_) all = all && core.rests >= SETTLE;
        return all;
    }

    void behind_edge() {
        see_all();
        unsigned hold = 0;
        for (unsigned i = 0; i < cores_.size(); ++i) {
            cores_[i].gone |= goes_ >> i & 1;
            if (goes_ >> i & 1) cores_[i].fresh = false;
            hold |= unsigned{holds(i)} << i;
        }
        pulse(hold, HELD, 0, 0);
        see_all();
        goes_ = top_.goes;
        for (unsigned i = 0; i < cores_.size(); ++i) {
            Core &core = cores_[i];
            core.rests = (hold & ~top_.busy) >> i & 1 ? core.rests + 1 : 0;
            if (!halting_ && stopped_.why == NONE && core.wish != HOLD && core.rests >= SETTLE) stopped_ = why(i);
        }
        look_at_others();
        halting_ |= stopped_.why != NONE;
    }

    // ---- At a stop
    uint32_t pc(unsigned core) {
        see_all();
        return top_.next_pc[core];
    }
    uint32_t x(unsigned core, unsigned number) {
        look(number);
        return top_.x[core];
    }
    uint32_t csr(unsigned core, unsigned number) {
        check_csr(number);
        pulse(1u << core, LOOK, number, 0);
        see_all();
        const uint32_t value = top_.csr[core];
        pulse(1u << core, LOOKED, 0, 0);
        return value;
    }
    void set_csr(unsigned core, unsigned number, uint32_t value) {
        check_csr(number);
        if (number >> 10 == 3) fail("this CSR is read-only");
        pulse(1u << core, CSR, number, value);
        cores_[core].rests = 0;
        halt();
    }
    void set_x(unsigned core, unsigned number, uint32_t value) {
        if (number != 0) pulse(1u << core, X, number, value);
    }
    void set_pc(unsigned core, uint32_t address) {
        if (address & 3) fail("an instruction's address is a multiple of 4");
        pulse(1u << core, PC, 0, address);
        for (unsigned i = 0; i < cores_.size(); ++i) cores_[i].rests = 0;
        halt();
    }

    // Memory by the cores' addresses.
    uint8_t byte(uint32_t address) {
        see(address);
        return static_cast<uint8_t>(top_.debug_word >> shift(address));
    }
    void set_byte(uint32_t address, uint8_t value) {
        see(address);
        top_.debug_value = (top_.debug_word & ~(0xFFu << shift(address))) | uint32_t{value} << shift(address);
        top_.debug_store = 1;
        top_.eval();
        top_.debug_store = 0;
        top_.eval();
    }
    // What has been fetched may have been written since.
    void drop_code() {
        for (unsigned i = 0; i < cores_.size(); ++i) set_pc(i, pc(i));
    }
    static bool is_code(uint32_t address) { return address < CODE_BYTES; }
    static bool is_memory(uint32_t address) {
        return is_code(address) || is_scratchpad(address) || address >> 24 == FRAMES;
    }

private:
    static constexpr unsigned SETTLE = 8;           // cycles: what a bank does behind an atomic's grant is over
    static constexpr unsigned PATIENCE = 1'000'000;  // edges of any clock
    static constexpr uint32_t CODE_BYTES = 131072;
    static constexpr uint32_t SCRATCHPAD = nsoc_map::PACKET_MEMORY_BASE >> 18, FRAMES = nsoc_map::DRAM_BASE >> 24;

    struct Core {
        char wish = HOLD;
        bool gone = false;   // an instruction has left DECODE since resume()
        bool fresh = false;  // none has, and a breakpoint at this one has been told
        unsigned rests = 0;  // cycles
        std::optional<Stopped> hit;
    };

    static bool is_scratchpad(uint32_t address) { return address >> 18 == SCRATCHPAD; }
    static unsigned shift(uint32_t address) { return 8 * (is_scratchpad(address) ? address & 3 : 3 - (address & 3)); }

    bool at_breakpoint(unsigned i) const {
        return !cores_[i].fresh && top_.decodes >> i & 1 && points_[EXECUTE].count({top_.decode_pc[i], 0});
    }

    bool holds(unsigned i) {
        Core &core = cores_[i];
        if (core.hit && top_.faults >> i & 1) core.hit.reset();  // it has accessed nothing
        bool watched = false;
        if (top_.offers >> i & 1) {
            const std::optional<Stopped> found = watchpoint(i);
            watched = found.has_value();
            if (found && top_.issues >> i & 1) core.hit = found;
        }
        return halting_ || core.wish == HOLD || (core.wish == STEP && core.gone) || watched || core.hit ||
               at_breakpoint(i);
    }

    std::optional<Stopped> watchpoint(unsigned i) const {
        const uint32_t address = top_.access_at[i], bytes = top_.access_bytes[i];
        const bool reads = top_.access_reads >> i & 1, writes = top_.access_writes >> i & 1;
        return watched(i, address, bytes, reads, writes);
    }

    std::optional<Stopped> watched(unsigned i, uint32_t address, uint32_t bytes, bool reads, bool writes) const {
        for (const Kind kind : {WRITE, READ, ACCESS}) {
            if (!(kind == WRITE ? writes : kind == READ ? reads : reads || writes)) continue;
            for (const Point &point : points_[kind]) {
                if (address - point.address < point.bytes) return Stopped{WATCHPOINT, i, kind, address, point};
                if (point.address - address < bytes) return Stopped{WATCHPOINT, i, kind, point.address, point};
            }
        }
        return std::nullopt;
    }

    // What assists and host write into the scratchpad is watched, too: the first core that was to go on is told of it.
    void look_at_others() {
        unsigned told = 0;
        while (told + 1 < cores_.size() && cores_[told].wish == HOLD) ++told;
        for (uint64_t bits = top_.granted >> cores_.size() << cores_.size(); bits; bits &= bits - 1) {
            const unsigned master = __builtin_ctzll(bits);
            if (!(top_.wanted_write >> master & 1)) continue;
            const uint32_t address = SCRATCHPAD << 18 | uint32_t{top_.wanted[master]} << 2;
            const auto found = watched(told, address, 4, false, true);
            if (!found) continue;
            if (!halting_ && stopped_.why == NONE) stopped_ = *found;
            else if (!by_other_) by_other_ = found;  // while cores come to a stop: told next
        }
    }

    // Of a core that rests by itself.
    Stopped why(unsigned i) {
        Core &core = cores_[i];
        if (core.hit) {
            const Stopped found = *core.hit;
            core.hit.reset();
            return found;
        }
        if (core.wish == STEP && core.gone) return {STEPPED, i, WRITE, 0};
        if (core.wish != HOLD && at_breakpoint(i)) return {BREAKPOINT, i, WRITE, 0};
        return {};
    }

    static void check_csr(unsigned number) {
        if (!nsoc_map::csr::exists(number)) fail("there is no CSR of that number");
    }

    // What pnic_debug_port knows, in its order.
    enum What { HELD, PC, X, LOOK, LOOKED, CSR };
    void pulse(unsigned cores, What what, unsigned number, uint32_t value) {
        if (!cores) return;
        top_.debug_what = static_cast<uint8_t>(what);
        top_.debug_number = static_cast<uint16_t>(number);
        top_.debug_value = value;
        top_.debug_clk = static_cast<uint8_t>(cores);
        top_.eval();
        top_.debug_clk = 0;
        top_.eval();
    }

    void look(unsigned number) {
        top_.debug_number = static_cast<uint16_t>(number);
        see_all();
    }

    void see(uint32_t address) {
        if (!is_memory(address)) fail("there is no memory");
        top_.debug_address = address >> 2;
        see_all();
    }

    // The ports say what is now.
    void see_all() {
        top_.debug_look = 1;
        top_.eval();
        top_.debug_look = 0;
        top_.eval();
    }

    Vpnic_top &top_;
    std::function<void()> step_;
    std::vector<Core> cores_;
    std::set<Point> points_[KINDS];
    Stopped stopped_;
    std::optional<Stopped> by_other_;  // a write that nobody has been told of
    unsigned goes_ = 0;
    bool halting_ = true;
};

#endif
