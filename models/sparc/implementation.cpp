// SPDX-License-Identifier: Apache-2.0
//
// What the architecture manual leaves to an implementation: ancillary state registers and alternate spaces, as AJIT has
// them. docs/sparc.md has the table for people. A register or space more is a row more here.
#include "cpu.h"

#include <algorithm>
#include <iterator>

namespace sparc {

namespace {

constexpr uint32_t PROCESSOR = 0x5052'0000;
constexpr unsigned CORE_SHIFT = 8;  // the thread is 0
constexpr unsigned BOTH_CACHES = NSOC_SPARC_DROPS_INSTRUCTIONS | NSOC_SPARC_DROPS_DATA;
constexpr uint32_t MMU_FAULT_STATUS = 0x300, MMU_FAULT_ADDRESS = 0x400;
constexpr unsigned FIRST_STALL_COUNTER = 3, LAST_STALL_COUNTER = 11;

uint32_t counter_control(const Cpu &cpu) {
    return cpu.state().counter_control | (cpu.has_stall_counters() ? COUNTERS_OF_STALLS : 0);
}

uint32_t stall_counter(const Cpu &cpu) {
    const uint32_t selected = cpu.state().counter_control & COUNTER_SELECTED;
    const bool is_there = selected >= FIRST_STALL_COUNTER && selected <= LAST_STALL_COUNTER;
    return cpu.has_stall_counters() && is_there ? cpu.stalls() : 0;
}

// number, privileged, read, write
constexpr Asr ASRS[] = {
    {16, true, [](const Cpu &cpu) { return cpu.state().bus_control; },
     [](Cpu &cpu, uint32_t value) { cpu.set_bus_control(value); }},
    {19, true, nullptr, [](Cpu &cpu, uint32_t) { cpu.sleep(); }},
    {20, true, [](const Cpu &cpu) { return cpu.state().interrupt_mask; },
     [](Cpu &cpu, uint32_t value) { cpu.set_interrupt_mask(value); }},
    {21, true, [](const Cpu &cpu) { return cpu.pending(); }, nullptr},
    {24, true, counter_control, [](Cpu &cpu, uint32_t value) { cpu.set_counter_control(value); }},
    {25, true, stall_counter, nullptr},
    {26, true, [](const Cpu &cpu) { return static_cast<uint32_t>(cpu.retired() >> 32); }, nullptr},
    {27, true, [](const Cpu &cpu) { return static_cast<uint32_t>(cpu.retired()); }, nullptr},
    {29, false, [](const Cpu &cpu) { return PROCESSOR | cpu.hart() << CORE_SHIFT; }, nullptr},
    {30, false, [](const Cpu &cpu) { return static_cast<uint32_t>(cpu.counter() >> 32); }, nullptr},
    {31, false, [](const Cpu &cpu) { return static_cast<uint32_t>(cpu.counter()); }, nullptr},
};

uint32_t reads_zero(const Cpu &, uint32_t) { return 0; }
void ignored(Cpu &, uint32_t, uint32_t) {}

uint32_t mmu_register(const Cpu &cpu, uint32_t address) {
    switch (address) {
        case MMU_FAULT_STATUS:
            return cpu.fault_status();
        case MMU_FAULT_ADDRESS:
            return cpu.fault_address();
        default:
            return 0;
    }
}

// first, last, kind, load, store
constexpr Space SPACES[] = {
    {0x03, 0x03, Space::CONTROL, reads_zero, ignored},  // probe of the MMU: no page is there
    {0x04, 0x04, Space::CONTROL, mmu_register, ignored},
    {USER_CODE, SUPERVISOR_DATA, Space::MEMORY, nullptr, nullptr},
    {0x10, 0x14, Space::CONTROL, reads_zero, [](Cpu &cpu, uint32_t, uint32_t) { cpu.affect(BOTH_CACHES); }},
    {0x18, 0x1C, Space::CONTROL, reads_zero,
     [](Cpu &cpu, uint32_t, uint32_t) { cpu.affect(NSOC_SPARC_DROPS_INSTRUCTIONS); }},
    {0x20, 0x20, Space::PAST_CACHES, nullptr, nullptr},
    {0x21, 0x2F, Space::NOTHING, nullptr, nullptr},  // AJIT: bits 35:32 of the address are those of the number
};

}  // namespace

const Asr *find_asr(unsigned number) {
    const auto *found =
        std::find_if(std::begin(ASRS), std::end(ASRS), [&](const Asr &a) { return a.number == number; });
    return found == std::end(ASRS) ? nullptr : found;
}

const Space *find_space(unsigned asi) {
    const auto *found = std::find_if(std::begin(SPACES), std::end(SPACES),
                                     [&](const Space &s) { return asi >= s.first && asi <= s.last; });
    return found == std::end(SPACES) ? nullptr : found;
}

}  // namespace sparc
