// SPDX-License-Identifier: Apache-2.0
//
// Writes what rv_expand makes of each of the 65536 halfwords to standard output, as little-endian words.
#include <verilated.h>
#include "Vrv_expand.h"

#include <cstdint>
#include <cstdio>
#include <memory>

int main() {
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vrv_expand>(context.get());
    for (uint32_t half = 0; half < 65536; half++) {
        top->half = uint16_t(half);
        top->eval();
        for (int i = 0; i < 4; i++) std::putchar(int(top->instr >> 8 * i & 0xFF));
    }
    top->final();
}
