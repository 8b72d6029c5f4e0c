// SPDX-License-Identifier: Apache-2.0
//
// Plays commands into ddr3_model. Standard input: a line each, the cycle and command_t as a number, in the order of the
// cycles; in between there is no command, with RESET# and CKE as they were. Exit status 1 when the model stops itself.
#include <cstdint>
#include <cstdio>

#include "Vddr3_model.h"
#include "verilated.h"

namespace {

constexpr unsigned CODE_AT = 17, NOP = 7;  // of command_t

}  // namespace

int main() {
    VerilatedContext context;
    context.fatalOnError(false);
    Vddr3_model model(&context);
    uint32_t command = NOP << CODE_AT;

    const auto edge = [&] {
        model.command = command;
        model.clk = 0;
        model.eval();
        model.clk = 1;
        model.eval();
        command |= NOP << CODE_AT;
    };
    model.rst = 1;
    edge();
    model.rst = 0;
    uint64_t cycle = 0, at;
    uint32_t next;
    while (!context.gotFinish() && std::scanf("%lu %u", &at, &next) == 2) {
        for (; cycle < at; ++cycle) edge();
        command = next;
        edge();
        ++cycle;
    }
    model.final();
    return context.gotFinish() ? 1 : 0;
}
