// SPDX-License-Identifier: Apache-2.0
//
// What the loop has to know of the top that it runs: its clocks, with the period and the phase that a configuration
// gives each, and their pins in the same order. The line and the memories of sim_top are line.h and soc_view.h.
#ifndef TOP_H
#define TOP_H

#include <cstdint>

#define NSOC_TOP Vsim_top
#define NSOC_CLOCKS(CLOCK) CLOCK(gmii_rx_clk) CLOCK(gmii_tx_clk) CLOCK(nic_clk) CLOCK(cpu_clk) CLOCK(dram_clk)
#include "clocks.h"
#include "evaluate.h"
#include "nsoc_sim.h"

struct TopClock {
    uint64_t nsoc_config_t::*period_fs;
    unsigned phase;  // number of the random draw that places it; 0: it rises at multiples of its period
};

enum : unsigned { RX, TX, NIC, CPU, DRAM, TOP_CLOCK_COUNT };
static_assert(TOP_CLOCK_COUNT == CLOCK_PINS);

constexpr TopClock TOP_CLOCKS[TOP_CLOCK_COUNT] = {
    {&nsoc_config_t::rx_period_fs, 3},  {&nsoc_config_t::tx_period_fs, 4},   {&nsoc_config_t::nic_period_fs, 0},
    {&nsoc_config_t::cpu_period_fs, 1}, {&nsoc_config_t::dram_period_fs, 2},
};

using TopClocks = Clocks<TOP_CLOCK_COUNT>;

constexpr unsigned bit(unsigned clock) { return 1u << clock; }

#endif
