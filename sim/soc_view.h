// SPDX-License-Identifier: Apache-2.0
//
// A look into the SoC from outside the clocks: its memories by bus address, its state by name. soc_view.cpp, and
// cpu_view.cpp for the processor, are the one place that knows names inside the RTL (public.vlt makes them visible);
// nothing here changes what the SoC does.
#ifndef SOC_VIEW_H
#define SOC_VIEW_H

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Vsim_top;
class Vsim_top___024root;

class SocView {
public:
    explicit SocView(Vsim_top &top);

    // Memory by bus address, first byte = lowest address. Throws std::out_of_range where no memory is, as check() does.
    void check(uint64_t address, uint64_t bytes) const { memory_at(address, bytes); }
    void load(uint64_t address, const uint8_t *data, uint64_t bytes);
    void peek(uint64_t address, uint8_t *data, uint64_t bytes) const;
    // Four bytes as a big-endian word; UINT64_MAX where no memory is.
    uint64_t word(uint64_t address) const;

    // Edges of dram_clk before the one that asks for a refresh, and between two of these; and so many edges less, when
    // they were left out. So many refreshes were among them, which found all banks closed as they had left them.
    uint64_t dram_refresh_in() const;
    static uint64_t dram_refresh_interval();
    // All banks are closed as a refresh leaves them, so the next one will find and leave the same.
    bool dram_refreshed() const;
    void dram_skip(uint64_t edges, uint64_t refreshes = 0);

    // Throws std::out_of_range where what firmware told the NIC makes no sense.
    using Values = std::vector<uint64_t>;
    const std::map<std::string, std::function<Values()>> &probes() const { return probes_; }
    void add_probe(const std::string &name, std::function<Values()> values) { probes_[name] = std::move(values); }

private:
    struct Memory {
        uint64_t base, bytes;
        std::function<uint8_t(uint64_t offset)> read;
        std::function<void(uint64_t offset, uint8_t value)> write;
    };

    const Memory &memory_at(uint64_t address, uint64_t bytes) const;

    Vsim_top___024root *root_;
    uint64_t dram_skipped_ = 0;
    std::vector<Memory> memories_;
    std::map<std::string, std::function<Values()>> probes_;
};

#endif
