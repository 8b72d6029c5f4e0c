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

// number, privileged, read, write
constexpr Asr ASRS[] = {
    {19, true, nullptr, [](Cpu &cpu, uint32_t) { cpu.sleep(); }},
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

// first, last, address bits 35:32 in the number, load, store
constexpr Space SPACES[] = {
    {0x03, 0x03, false, reads_zero, ignored},  // probe of the MMU: no page is there
    {0x04, 0x04, false, mmu_register, ignored},
    {USER_CODE, SUPERVISOR_DATA, false, nullptr, nullptr},
    {0x10, 0x14, false, reads_zero, [](Cpu &cpu, uint32_t, uint32_t) { cpu.affect(BOTH_CACHES); }},
    {0x18, 0x1C, false, reads_zero, [](Cpu &cpu, uint32_t, uint32_t) { cpu.affect(NSOC_SPARC_DROPS_INSTRUCTIONS); }},
    {0x20, 0x2F, true, nullptr, nullptr},  // past the caches
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
