// SPDX-License-Identifier: Apache-2.0
//
// Stops the processor between two instructions, looks at its state and changes it.
//
// Halting stops the clocks. It costs no simulated time, and everything else in the SoC stops with the processor. Where
// overlapped loads are under way (rv_core) they are let come home first, and halting is like writing.
//
// Reading has no effect, but for load(), which is a read of the bus. Writing and load() empty the pipeline first and
// wait until nothing is under way on the bus. That takes the SoC some hundred cycles, and drops the instruction cache
// and a reservation.
#ifndef DEBUGGER_H
#define DEBUGGER_H

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "cpu_view.h"
#include "soc_view.h"

class Debugger {
public:
    enum Stop { NONE, STEPPED, BREAKPOINT, WATCHPOINT };
    enum Kind { EXECUTE, WRITE, READ, ACCESS };

    // `cpu_cycle` simulates up to the next rising edge of cpu_clk, with a call of before_edge and of after_edge.
    Debugger(SocView &soc, CpuView &cpu, std::function<void()> cpu_cycle);

    // `bytes` is 0 for EXECUTE.
    void insert(Kind kind, uint32_t address, uint32_t bytes) { points_[kind].insert({address, bytes}); }
    void remove(Kind kind, uint32_t address, uint32_t bytes) { points_[kind].erase({address, bytes}); }

    // Comes to a stop after time has passed without before_edge and after_edge.
    void attach();
    // From here on, stop() says when. `instructions` 0: only at breakpoints and watchpoints.
    void resume(uint64_t instructions);
    Stop stop() const { return stop_; }
    // Of the last watchpoint: what it is, and the address that the instruction before the stop accessed.
    Kind hit_kind() const { return hit_kind_; }
    uint32_t hit_address() const { return hit_address_; }

    // A wfi that waits is done with the next edge, as a step over it wants. asleep(): it waits, and nothing is under
    // way.
    void wake();
    bool asleep() const;

    // To be called at a stop: every register is there.
    void settle();

    // The same access, of who may not let time pass here: it is done when a core comes by a place between two
    // instructions, while time passes with before_edge and after_edge. Until then asked(). Then answer() is what load()
    // gives; nothing: the bus has answered with an error.
    void ask(bool write, uint32_t address, unsigned bytes, uint32_t value);
    bool asked() const { return phase_ != IDLE; }
    std::optional<uint32_t> answer() const { return found_; }

    void before_edge();
    void after_edge();
    void time_passes_unseen() { stores_.clear(); }

    // Memory as the processor left it: with the stores that are still on their way.
    void peek(uint64_t address, uint8_t *data, uint64_t bytes) const;
    void poke(uint64_t address, const uint8_t *data, uint64_t bytes);
    void set_x(unsigned number, uint32_t value);
    void set_filed(unsigned place, uint32_t value);
    // Another pc, with what follows it behind it. set_npc: with that behind the pc that is there.
    void set_pc(uint32_t pc);
    void set_npc(uint32_t npc);
    // As an instruction writes it.
    void set_csr(unsigned number, uint32_t value);
    // One access of the bus of 1, 2 or 4 bytes, aligned: for device registers.
    uint32_t load(uint32_t address, unsigned bytes);
    void store(uint32_t address, unsigned bytes, uint32_t value);

private:
    struct Point {
        uint32_t address, bytes;
        bool operator<(const Point &other) const {
            return address != other.address ? address < other.address : bytes < other.bytes;
        }
    };

    enum Phase { IDLE, COMING, EMPTYING, ACCESSING, RETURNING };

    void judge_edge();
    void go_on();
    void links_come();
    void divert(CpuView::Place place);
    void empty(CpuView::Place place);
    std::optional<uint32_t> leave(CpuView::Place place, bool is_access = false);
    uint32_t access(CpuView::Place place, uint32_t address);
    void check_watchpoints(const CpuView::Access &access);

    SocView &soc_;
    CpuView &cpu_;
    std::function<void()> cpu_cycle_;
    std::set<Point> points_[4];

    bool leaving_ = false;  // seen before the edge
    bool watching_ = false;
    bool diverting_ = false;  // what leaves MEM is no instruction
    bool in_part_ = false;    // what left MEM last was not the end of an instruction
    std::optional<CpuView::Access> access_;
    unsigned store_number_ = 0;

    Phase phase_ = IDLE;  // of what was asked
    bool asked_write_ = false;
    uint32_t asked_address_ = 0, asked_value_ = 0;
    CpuView::Place asked_place_{};
    unsigned asked_log2_ = 0;
    std::optional<uint32_t> found_;

    bool left_ = false;  // at the last edge an instruction left MEM
    uint64_t remaining_ = 0;
    Stop stop_ = NONE;
    Kind hit_kind_ = WRITE;
    uint32_t hit_address_ = 0;
    std::deque<CpuView::Store> stores_;  // the last ones, oldest first
};

#endif
