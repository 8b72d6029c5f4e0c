// SPDX-License-Identifier: Apache-2.0
//
// What the loop has to know of the top that it runs: its clocks, with the period and the phase that a configuration
// gives each, and their pins. The line and the memories of sim_top are line.h and soc_view.h.
#ifndef TOP_H
#define TOP_H

#include <cstdint>

#include "Vsim_top.h"
#include "clocks.h"
#include "nsoc_sim.h"

struct TopClock {
    uint64_t nsoc_config_t::*period_fs;
    unsigned phase;  // number of the random draw that places it; 0: it rises at multiples of its period
};

enum : unsigned { RX, TX, NIC, CPU, DRAM, TOP_CLOCK_COUNT };

constexpr TopClock TOP_CLOCKS[TOP_CLOCK_COUNT] = {
    {&nsoc_config_t::rx_period_fs, 3},  {&nsoc_config_t::tx_period_fs, 4},   {&nsoc_config_t::nic_period_fs, 0},
    {&nsoc_config_t::cpu_period_fs, 1}, {&nsoc_config_t::dram_period_fs, 2},
};

using TopClocks = Clocks<TOP_CLOCK_COUNT>;

constexpr unsigned bit(unsigned clock) { return 1u << clock; }

// Shows the clocks of `mask` high and the others low; those of blocks that rest (rest.h) as the ones they rise with.
inline void set_clocks(Vsim_top &top, unsigned mask) {
    top.gmii_rx_clk = mask >> RX & 1;
    top.gmii_tx_clk = mask >> TX & 1;
    top.nic_clk = top.tcp_clk = mask >> NIC & 1;
    top.cpu_clk = mask >> CPU & 1;
    top.dram_clk = mask >> DRAM & 1;
}

#endif
