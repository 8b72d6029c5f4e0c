// SPDX-License-Identifier: Apache-2.0
//
// What the simulated processor reaches: the SoC's memories, and of its devices timer, UART and interrupt controller, at
// the SoC's addresses. All else, and an access to both words of a dword of a device, is answered with an error. A step
// of the processor takes one cycle of the timer.
#ifndef SPARC_MACHINE_H
#define SPARC_MACHINE_H

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cpu.h"

namespace sparc {

// Levels of the devices' interrupts.
enum Level : unsigned { LEVEL_SOFTWARE = 9, LEVEL_TIMER = 10, LEVEL_UART = 12 };

class Machine final : public Bus {
public:
    explicit Machine(const nsoc_sparc_config_t &config);
    ~Machine() override;
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    bool fetch(uint32_t address, bool supervisor, uint32_t &word) override;
    int access(Access &access) override;
    bool is_cached(uint64_t address) const override;
    bool is_postable(uint64_t address) const override;

    Cpu &cpu() { return cpu_; }
    Step step() { return cpu_.step(levels()); }
    Step step(const Events &events);
    int run(uint64_t steps, uint32_t stop_pc, const std::string &text);
    uint8_t *memory(uint64_t address, uint64_t bytes);  // throws where there is none
    void answer(uint64_t address, uint64_t bytes, int answer);
    void add_device(uint64_t address, uint64_t bytes, nsoc_sparc_device_t device, void *context);

    std::string sent;  // by the UART
    std::deque<uint8_t> received;

private:
    struct Memory {
        uint64_t base, bytes;
        bool writable;
        uint8_t *content;
    };
    struct Answer {
        uint64_t first, last;
        int answer;
    };

    struct Device {
        uint64_t first, last;
        nsoc_sparc_device_t access;
        void *context;
    };

    const Memory *find(uint64_t address, uint64_t bytes) const;
    int special_answer(uint64_t address, unsigned bytes) const;
    std::optional<uint32_t> read_device(uint64_t address, bool takes);
    bool write_device(uint64_t address, uint32_t value);
    uint64_t time() const { return cpu_.steps() + time_offset_; }
    uint32_t lines() const;
    uint32_t levels() const;
    bool wake();

    Cpu cpu_;
    std::vector<Memory> memories_;
    std::vector<Answer> answers_;
    std::vector<Device> devices_;  // the caller's
    uint64_t hart_offset_;
    uint32_t uart_line_;
    uint64_t time_offset_ = 0, compare_ = ~uint64_t{0};
    uint32_t software_ = 0, enabled_ = 0, divisor_;
};

}  // namespace sparc

#endif
