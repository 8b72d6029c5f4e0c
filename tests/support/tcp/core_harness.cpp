// SPDX-License-Identifier: Apache-2.0
//
// Plays events into `tcp_core` at the speed of the compiled model and writes down what was told and what the records
// are then. It knows nothing of TCP; core_replay.py makes the script and judges the record.
//
//   core_harness SCRIPT RECORD
//
// All are little-endian 32-bit words, the lowest first. The script: words of settings_t, the settings; how it is played
// (0: each event by itself, 1: as fast as they are taken); the rows of all records as they are at first; count, then
// the events: now (2 words), cycles to wait before it is offered, whether the record is to be set before (1), its
// index, its four rows, event_t. The record, for each that was told: cycles from taking it (of one that follows by
// itself: from the one before), kind, index, actions_t, the four rows that were shown, and what was said of its
// deadline: cycles behind what was told (0: nothing), index, whether there is one, the deadline (2 words); at the end
// the rows of all records.

#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "Vtcp_core.h"
#include "Vtcp_core___024root.h"
#include "verilated.h"

namespace {

constexpr int ROWS = 4, ROW_WORDS = (ROW_BITS + 31) / 32;
constexpr int SPAWN = 1, LEAVE = 2;
constexpr int LONGEST = 64;  // cycles that an event with its successors may take

struct Script {
    std::vector<char> bytes;
    size_t at = 0;
    uint32_t word() {
        uint32_t value = 0;
        for (int i = 0; i < 4; i++) value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes.at(at++))) << 8 * i;
        return value;
    }
};

struct Bench {
    VerilatedContext context;
    std::unique_ptr<Vtcp_core> top{new Vtcp_core{&context}};
    std::vector<uint32_t> out;
    std::deque<uint64_t> taken;  // when
    uint64_t cycle = 0;
    bool fast = false;

    void put_rows(uint32_t index) {
        for (int row = 0; row < ROWS; row++) {
            auto &words = top->rootp->tcp_core__DOT__records__DOT__mem[index * ROWS + row];
            for (int i = 0; i < ROW_WORDS; i++) out.push_back(words[i]);
        }
    }
    void set_row(uint32_t index, int row, const std::vector<uint32_t> &words) {
        auto &target = top->rootp->tcp_core__DOT__records__DOT__mem[index * ROWS + row];
        for (int i = 0; i < ROW_WORDS; i++) target[i] = words[i];
    }
    void clock() {
        top->clk = 1;
        top->eval();
        top->clk = 0;
        top->eval();
        cycle++;
        if (top->row_valid) {
            for (int i = 0; i < ROW_WORDS; i++) rows[top->row_number][i] = top->row_data[i];
            shown |= 1 << top->row_number;
        }
        if (top->told_valid) {
            const bool follows = top->told_kind == SPAWN || top->told_kind == LEAVE;
            out.push_back(static_cast<uint32_t>(cycle - (follows || taken.empty() ? last_told : taken.front())));
            if (!follows && !taken.empty()) taken.pop_front();
            last_told = cycle;
            out.push_back(top->told_kind);
            out.push_back(top->told_index);
            constexpr int words = sizeof(top->told) / 4;
            for (int i = 0; i < words; i++) out.push_back(top->told[i]);
            for (auto &row : rows)
                for (auto &word : row) out.push_back(shown == (1 << ROWS) - 1 ? word : ~0u);
            shown = 0;
            deadline_at = out.size();
            for (int i = 0; i < 5; i++) out.push_back(0);
        }
        if (top->deadline_valid && deadline_at) {
            const uint64_t deadline = top->deadline_on ? top->deadline : 0;
            out[deadline_at] += static_cast<uint32_t>(cycle - last_told);  // a second one is seen
            out[deadline_at + 1] = top->told_index;
            out[deadline_at + 2] = top->deadline_on;
            out[deadline_at + 3] = static_cast<uint32_t>(deadline);
            out[deadline_at + 4] = static_cast<uint32_t>(deadline >> 32);
        }
    }
    size_t deadline_at = 0;  // in `out`, of the last one that was told
    uint32_t rows[ROWS][ROW_WORDS] = {};
    int shown = 0;  // which of them
    uint64_t last_told = 0;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    Script script{{std::istreambuf_iterator<char>(file), {}}};
    Bench bench;
    auto &top = *bench.top;
    for (auto &word : top.settings.m_storage) word = script.word();
    bench.fast = script.word() != 0;
    top.rst = 1;
    top.ev_valid = 0;
    for (int i = 0; i < 3; i++) bench.clock();
    top.rst = 0;
    for (int i = 0; i < CONNECTIONS * ROWS + 2; i++) bench.clock();
    std::vector<uint32_t> row(ROW_WORDS);
    for (uint32_t index = 0; index < CONNECTIONS; index++) {
        for (int i = 0; i < ROWS; i++) {
            for (auto &word : row) word = script.word();
            bench.set_row(index, i, row);
        }
    }
    for (uint32_t count = script.word(); count > 0; count--) {
        uint64_t now = script.word();
        now |= static_cast<uint64_t>(script.word()) << 32;
        for (uint32_t wait = script.word(); wait > 0; wait--) bench.clock();
        const bool set = script.word() != 0;
        const uint32_t index = script.word();
        for (int i = 0; i < ROWS; i++) {
            for (auto &word : row) word = script.word();
            if (set) bench.set_row(index, i, row);
        }
        for (auto &word : top.ev.m_storage) word = script.word();
        top.now = now;
        top.ev_valid = 1;
        top.eval();
        int waited = 0;
        while (!top.ev_ready) {
            bench.clock();
            if (++waited > LONGEST) return std::fputs("core_harness: an event is not taken\n", stderr), 3;
        }
        bench.taken.push_back(bench.cycle);
        bench.clock();
        top.ev_valid = 0;
        top.eval();
        if (bench.fast) continue;
        for (waited = 0; !top.idle; waited++) {
            bench.clock();
            if (waited > LONGEST) return std::fputs("core_harness: an event has no end\n", stderr), 3;
        }
    }
    for (int i = 0; i < LONGEST; i++) bench.clock();
    for (uint32_t index = 0; index < CONNECTIONS; index++) bench.put_rows(index);
    std::ofstream record(argv[2], std::ios::binary);
    record.write(reinterpret_cast<const char *>(bench.out.data()), static_cast<std::streamsize>(bench.out.size() * 4));
    Verilated::threadContextp()->coveragep()->write(argv[3]);  // cover points
    return 0;
}
