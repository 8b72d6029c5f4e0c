// SPDX-License-Identifier: Apache-2.0
//
// What moves in a SoC in which nothing happens, and where it has got to after any time: the counters of time, the
// MAC's settings on their way to the line's clocks and back, what says how fast the line is. simulation.cpp leaves out
// the time in between. (What DRAM does then is SocView's, what a processor does that sleeps is CpuView's.)
//
// Nothing here decides that a SoC is at rest. simulation.cpp asks for the state of the whole model after some time, as
// told by pass(), and compares it with the model that was simulated so far: should anything else move, they differ.
// What moves less often than it watches (every 200 cycles) must be here, or an event.
//
// Registers that only follow others, synchronizers most of them, are right a few cycles of their clock behind pass().
#ifndef IDLE_H
#define IDLE_H

#include <cstdint>
#include <vector>

#include "top.h"

class Vsim_top___024root;

class Idle {
public:
    // `one_clock`: the NIC runs on cpu_clk.
    Idle(Vsim_top &top, bool one_clock);

    static constexpr uint64_t NEVER = UINT64_MAX;
    // Time of the first clock edge that does more than move counters, NEVER for none; 0 when that cannot be told.
    uint64_t next_event(const TopClocks &clocks) const;
    // The edges up to `to` happen, those at this time too. `clocks` is as before them.
    void pass(const TopClocks &clocks, uint64_t to);

    // The state of the whole model, as bytes; of this one only, as some of them mean nothing.
    std::vector<char> image() const;
    void set_image(const std::vector<char> &image);

private:
    void pass_pace(const TopClocks &clocks, uint64_t to);
    uint64_t line_steps(uint64_t edges) const;
    const Clock &user(const TopClocks &clocks) const { return clocks[one_clock_ ? CPU : NIC]; }

    Vsim_top___024root *root_;
    bool one_clock_;
};

#endif
