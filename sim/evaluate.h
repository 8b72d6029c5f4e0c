// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a Verilated top when clocks rise. A falling edge changes nothing in it. Who includes this says before it
// which top, and which of its pins are clocks, in the order of their bits in a mask:
//
//   #define NSOC_TOP Vsome_top
//   #define NSOC_CLOCKS(CLOCK) CLOCK(some_clk) CLOCK(other_clk)
//
// Verilator's eval() finds out which clocks rose: it compares each with what the evaluation before saw, and again when
// it is done. The loop knows. With NSOC_BY_CLOCK it tells the model: the clock pins stay low, and only that part of
// eval() runs which these edges trigger. This relies on Verilator's generated code, so NSOC_BY_CLOCK is only there
// where that has the expected form for these clocks (by_clock.py). Otherwise eval() runs.
//
// Who changes another pin that is more than the data of a register says so by settle(), before anything depends on it.
#ifndef EVALUATE_H
#define EVALUATE_H

#include <array>
#include <cstdint>

#define NSOC_JOINED(a, b) a##b
#define NSOC_WITH(a, b) NSOC_JOINED(a, b)
#define NSOC_TEXT_OF(text) #text
#define NSOC_HEADER(name) NSOC_TEXT_OF(name.h)

#include NSOC_HEADER(NSOC_TOP)

#define NSOC_COUNTED(clock) +1
constexpr unsigned CLOCK_PINS = NSOC_CLOCKS(NSOC_COUNTED);
#undef NSOC_COUNTED

// Shows the clocks of `mask` high and the others low.
inline void set_clocks(NSOC_TOP &top, unsigned mask) {
#define NSOC_SHOWN(clock) \
    top.clock = mask & 1; \
    mask >>= 1;
    NSOC_CLOCKS(NSOC_SHOWN)
#undef NSOC_SHOWN
}

#ifdef NSOC_BY_CLOCK

#define NSOC_ROOT NSOC_WITH(NSOC_TOP, ___024root)
#define NSOC_FIND_TRIGGERS NSOC_WITH(NSOC_ROOT, ___eval_triggers_vec__act)
#define NSOC_EVALUATE NSOC_WITH(NSOC_ROOT, ___eval_nba)

#include NSOC_HEADER(NSOC_ROOT)

#ifdef NSOC_RESTS
#include "rest.h"
#include "resting.h"  // made by nsoc.machine.rest
#else
struct Resting {
    static void show(NSOC_ROOT &, unsigned) {}
    template <typename F>
    void each(F) {}
    template <typename F>
    void due(unsigned, F) {}
};
#endif

void NSOC_FIND_TRIGGERS(NSOC_ROOT *root);
void NSOC_EVALUATE(NSOC_ROOT *root);

class Evaluation {
public:
    // The model has been evaluated, with all clocks low.
    explicit Evaluation(NSOC_TOP &top) : top_(top), root_(*top.rootp) {
        for (unsigned clock = 0; clock < CLOCK_PINS; ++clock) {
            triggered_by(1u << clock);
            triggers_[clock] = root_.__VactTriggered[0];
            triggered_by(0);
        }
        resting_.each([&](auto &block, auto clock) {
            clock(root_) = 1;
            NSOC_FIND_TRIGGERS(&root_);
            block.trigger = root_.__VactTriggered[0];
            triggered_by(0);
        });
    }

    // How often the model was evaluated.
    uint64_t count() const { return count_; }

    // The clocks of that mask rise.
    void rise(unsigned clocks) {
        ++count_;
        uint64_t triggers = 0;
        for (unsigned clock = 0; clock < CLOCK_PINS; ++clock)
            triggers |= triggers_[clock] & -uint64_t{clocks >> clock & 1};
        resting_.due(clocks, [&](auto &block) {
            if (!block.rises(root_)) triggers &= ~block.trigger;
        });
        root_.__VnbaTriggered[0] = triggers;
        NSOC_EVALUATE(&root_);
        root_.__VnbaTriggered[0] = 0;  // eval(), for other events than clocks, adds to them
        resting_.due(clocks, [&](auto &block) { block.risen(root_); });
    }

    // Somebody changes the model's state.
    void wake() {
        resting_.each([](auto &block, auto) { block.wake(); });
    }
    // Blocks do not rest.
    void stay_awake() {
        resting_.each([](auto &block, auto) { block.never(); });
    }
    // Edges of blocks that were left out; how often it came out that one did not rest.
    uint64_t left_out() {
        uint64_t sum = 0;
        resting_.each([&](auto &block, auto) { sum += block.left_out(); });
        return sum;
    }
    uint64_t failures() {
        uint64_t sum = 0;
        resting_.each([&](auto &block, auto) { sum += block.failures(); });
        return sum;
    }

    // All clocks are low.
    void fall() {}
    // They are: somebody else has brought the model there.
    void fallen() {}

    // Other pins have changed. All clocks are low behind it.
    void settle() {
        ++count_;
        top_.eval();
    }

private:
    void triggered_by(unsigned clocks) {
        set_clocks(top_, clocks);
        Resting::show(root_, clocks);
        NSOC_FIND_TRIGGERS(&root_);
    }

    uint64_t count_ = 0;
    NSOC_TOP &top_;
    NSOC_ROOT &root_;
    Resting resting_;
    // Verilator's bits, one for each event of the design, that each clock sets when it rises. Each event is the rising
    // of one clock, or of any one of some: what several clocks set together is what each of them sets.
    std::array<uint64_t, CLOCK_PINS> triggers_;
};

#else

class Evaluation {
public:
    explicit Evaluation(NSOC_TOP &top) : top_(top) {}

    uint64_t count() const { return count_; }

    // A falling edge is shown together with the next rising edge of another clock. Only a clock that rises twice in a
    // row needs an evaluation of its own for its low phase.
    void rise(unsigned clocks) {
        if ((clocks & high_) != 0) fall();
        show(clocks);
    }

    void fall() { show(0); }
    void fallen() { high_ = 0; }
    void settle() { show(0); }

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
    NSOC_TOP &top_;
    unsigned high_ = 0;
};

#endif
#endif
