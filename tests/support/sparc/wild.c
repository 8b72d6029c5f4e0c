// SPDX-License-Identifier: Apache-2.0
// Every kind of access to the addresses in wild.h, which its test makes, in each of three ways: stores that wait and
// plain loads, stores that are posted, loads that overlap. What became of each is a record in DRAM. Prints "end" behind
// all.
#include "arch.h"
#include "trap.h"
#include "uart.h"
#include "wild.h"

typedef struct {
    uint32_t trap, address;  // the type, 0 for none, and the address of a fault
    uint32_t registers[2];   // rd and the one behind it, which were REGISTER and its complement
    uint32_t memory[4];      // what is at RAM then, which was PATTERN...; elsewhere 0
} record_t;

static const uint32_t places[] = {PLACES};

static volatile uint32_t trapped, fault;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    trapped = trapped ? 0xFFFFFFFFu : cause;  // twice is once too often
    fault = value;
    // The instructions that access memory; what is late comes at another one, which did nothing.
    const uint32_t access = 3;
    return *(const uint32_t *)pc >> 30 == access ? arch_trap_next(pc) : pc;
}

// The result is wanted, and all is answered, before anything else is done.
#define ACCESS(instruction)                                                                          \
    __asm__ volatile(instruction "\n\tmov %0, %0\n\tmov %1, %1\n\tstbar\n\tnop\n\tnop\n\tnop\n\tnop" \
                     : "+r"(first), "+r"(second)                                                     \
                     : "r"(at)                                                                       \
                     : "memory");                                                                    \
    break;

static void access(uint32_t which, uint32_t address, uint32_t registers[2]) {
    register uint32_t first __asm__("o2") = registers[0];
    register uint32_t second __asm__("o3") = registers[1];
    register uint32_t at __asm__("o4") = address;
    switch (which) { ACCESSES }
    registers[0] = first;
    registers[1] = second;
}

static bool is_memory(uint32_t address) {
    return address - 0x40000000 < 0x10000000 || address - 0x50000000 < 0x40000;
}

int main(void) {
    record_t *record = (record_t *)RECORDS;
    for (uint32_t way = 0; way < WAYS; ++way) {
        V8_WRITE(V8_BUS_CONTROL, way == 0 ? V8_PRECISE_STORES : way == 1 ? 0 : V8_OVERLAP_LOADS);
        for (uint32_t place = 0; place < sizeof places / sizeof places[0]; ++place) {
            for (uint32_t which = 0; which < ACCESS_COUNT; ++which) {
                const uint32_t address = places[place];
                volatile uint32_t *ram = (volatile uint32_t *)(address & ~7u);
                if (is_memory(address))
                    for (uint32_t i = 0; i < 4; ++i) ram[i] = PATTERN + i * 0x04040404u;
                arch_fence();
                trapped = fault = 0;
                uint32_t registers[2] = {REGISTER, ~REGISTER};
                access(which, address, registers);
                record->trap = trapped;
                record->address = trapped == 9 || trapped == 0x2B || trapped == 0x60 ? fault : 0;
                for (uint32_t i = 0; i < 2; ++i) record->registers[i] = registers[i];
                for (uint32_t i = 0; i < 4; ++i)
                    record->memory[i] = is_memory(address) ? arch_load_fresh((uint32_t *)&ram[i]) : 0;
                ++record;
            }
        }
    }
    arch_fence();
    V8_WRITE(V8_BUS_CONTROL, 0);
    uart_puts("end\n");
    for (;;) arch_sleep();
}
