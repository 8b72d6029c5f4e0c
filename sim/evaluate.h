// SPDX-License-Identifier: Apache-2.0
//
// Evaluates the Verilated top when clocks rise. A falling edge changes nothing in it.
//
// Verilator's eval() finds out which clocks rose: it compares each with what the evaluation before saw, and again when
// it is done. The loop knows. With NSOC_BY_CLOCK it tells the model: the clock pins stay low, and only that part of
// eval() runs which these edges trigger. This relies on Verilator's generated code, so build.py says NSOC_BY_CLOCK only
// where that has the expected form (by_clock.py). Otherwise eval() runs.
#ifndef EVALUATE_H
#define EVALUATE_H

#include <array>
#include <cstdint>

#include "Vsim_top.h"
#include "top.h"

#ifdef NSOC_BY_CLOCK

#include <cstring>

#include "Vsim_top___024root.h"
#include "rest.h"
#include "resting.h"  // made by nsoc.machine.rest

void Vsim_top___024root___eval_triggers_vec__act(Vsim_top___024root *root);
void Vsim_top___024root___eval_nba(Vsim_top___024root *root);

class Evaluation {
public:
    // The model has been evaluated, with all clocks low.
    explicit Evaluation(Vsim_top &top) : root_(*top.rootp) {
        for (unsigned clocks = 0; clocks < triggers_.size(); ++clocks) {
            triggered_by(top, clocks);
            triggers_[clocks] = root_.__VactTriggered[0];
            triggered_by(top, 0);
        }
        resting_.each([&](auto &block, auto pin, unsigned) {
            pin(top) = 1;
            Vsim_top___024root___eval_triggers_vec__act(&root_);
            block.trigger = root_.__VactTriggered[0];
            triggered_by(top, 0);
        });
    }

    // How often the model was evaluated.
    uint64_t count() const { return count_; }

    // The clocks of that mask rise.
    void rise(unsigned clocks) {
        ++count_;
        uint64_t triggers = triggers_[clocks];
        resting_.each([&](auto &block, auto, unsigned with) {
            if (clocks >> with & 1 && !block.rises(root_)) triggers &= ~block.trigger;
        });
        root_.__VnbaTriggered[0] = triggers;
        Vsim_top___024root___eval_nba(&root_);
        root_.__VnbaTriggered[0] = 0;  // eval(), for other events than clocks, adds to them
        resting_.each([&](auto &block, auto, unsigned) { block.risen(root_); });
    }

    // Somebody changes the model's state.
    void wake() {
        resting_.each([](auto &block, auto, unsigned) { block.wake(); });
    }
    // Blocks do not rest.
    void stay_awake() {
        resting_.each([](auto &block, auto, unsigned) { block.never(); });
    }
    // Edges of blocks that were left out; how often it came out that one did not rest.
    uint64_t left_out() {
        uint64_t sum = 0;
        resting_.each([&](auto &block, auto, unsigned) { sum += block.left_out(); });
        return sum;
    }
    uint64_t failures() {
        uint64_t sum = 0;
        resting_.each([&](auto &block, auto, unsigned) { sum += block.failures(); });
        return sum;
    }

    // All clocks are low.
    void fall() {}
    // They are: somebody else has brought the model there.
    void fallen() {}

private:
    void triggered_by(Vsim_top &top, unsigned clocks) {
        set_clocks(top, clocks);
        Vsim_top___024root___eval_triggers_vec__act(&root_);
    }

    uint64_t count_ = 0;
    Vsim_top___024root &root_;
    Resting resting_;
    std::array<uint64_t, 1 << TOP_CLOCK_COUNT> triggers_;  // Verilator's mask for each of ours
};

#else

class Evaluation {
public:
    explicit Evaluation(Vsim_top &top) : top_(top) {}

    uint64_t count() const { return count_; }

    // A falling edge is shown together with the next rising edge of another clock. Only a clock that rises twice in a
    // row needs an evaluation of its own for its low phase.
    void rise(unsigned clocks) {
        if ((clocks & high_) != 0) fall();
        show(clocks);
    }

    void fall() { show(0); }
    void fallen() { high_ = 0; }

    // Here no block rests.
    void wake() {}
    void stay_awake() {}
    uint64_t left_out() { return 0; }
    uint64_t failures() { return 0; }

private:
    void show(unsigned clocks) {
        ++count_;
        set_clocks(top_, clocks);
        top_.eval();
        high_ = clocks;
    }

    uint64_t count_ = 0;
    Vsim_top &top_;
    unsigned high_ = 0;
};

#endif
#endif
