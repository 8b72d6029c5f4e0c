// SPDX-License-Identifier: Apache-2.0
//
// The processor slot alone with memory that answers every access in the next cycle, one access a cycle: what a core
// does when memory costs nothing. Built with caches that hold a whole program, it is the single-cycle memory for which
// CoreMark figures are published. A UART that is never busy prints to standard output.
//
//   core_alone PROGRAM.elf TEXT CYCLES
//
// runs until the program has printed TEXT (exit status 0), CYCLES have passed (1), or the core has stopped for good (3;
// then cause and address are on standard error).
#include <verilated.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define NSOC_TOP Vcore_top
#define NSOC_CLOCKS(CLOCK) CLOCK(cpu_clk)
#include "evaluate.h"

#include "nsoc_map.h"

namespace {

constexpr int kStopped = 3;  // exit status
constexpr uint64_t kDramBytes = 1 << 20;  // so much of it is there

constexpr uint64_t kTxData = nsoc_map::UART_BASE + nsoc_map::uart::TX_DATA;
constexpr uint64_t kStatus = nsoc_map::UART_BASE + nsoc_map::uart::STATUS;

struct Answer {
    uint64_t data = 0;
    bool err = true;
};

class Memory {
public:
    std::string printed;

    uint8_t *byte_at(uint64_t address) {
        const uint64_t in_rom = address - nsoc_map::BOOT_ROM_BASE, in_dram = address - nsoc_map::DRAM_BASE;
        if (in_rom < rom_.size()) return &rom_[in_rom];
        if (in_dram < dram_.size()) return &dram_[in_dram];
        return nullptr;
    }

    // Lane 0, the lowest address, is the most significant byte; a device register is a big-endian word.
    Answer access(uint64_t address, uint8_t mask, bool read, uint64_t data) {
        const uint64_t base = address & ~7ull;
        if (base == kTxData) {  // TX data [63:32], RX data [31:0]
            if (!read && (mask & 0x10)) printed += char(data >> 32);
            return {0, false};
        }
        if (base == kStatus) return {uint64_t(nsoc_map::uart::STATUS_TX_IDLE) << 32, false};
        Answer answer;
        for (int i = 0; i < 8; i++) {
            uint8_t *byte = byte_at(base + i);
            if (!byte) return {};
            if (read) answer.data |= uint64_t(*byte) << (56 - 8 * i);
            else if (mask & (0x80 >> i)) *byte = uint8_t(data >> (56 - 8 * i));
        }
        answer.err = false;
        return answer;
    }

private:
    std::vector<uint8_t> rom_ = std::vector<uint8_t>(nsoc_map::BOOT_ROM_BYTES),
                         dram_ = std::vector<uint8_t>(kDramBytes);
};

[[noreturn]] void fail(const char *why) {
    std::fprintf(stderr, "core_alone: %s\n", why);
    std::exit(2);
}

// A number of the file, in the file's byte order.
uint32_t word(const std::vector<uint8_t> &image, size_t at, size_t bytes) {
    constexpr size_t kOrder = 5;  // of e_ident
    constexpr uint8_t kBigEndian = 2;
    if (at + bytes > image.size() || image.size() <= kOrder) fail("the program is truncated");
    const bool big = image[kOrder] == kBigEndian;
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= uint32_t(image[at + i]) << 8 * (big ? bytes - 1 - i : i);
    return value;
}

void load(Memory &memory, const char *path) {
    std::FILE *file = std::fopen(path, "rb");
    if (!file) fail("cannot open the program");
    std::vector<uint8_t> image;
    uint8_t buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) image.insert(image.end(), buffer, buffer + n);
    std::fclose(file);
    const uint32_t table = word(image, 28, 4), entry_bytes = word(image, 42, 2), entries = word(image, 44, 2);
    for (uint32_t i = 0; i < entries; i++) {
        const size_t entry = table + i * entry_bytes;
        constexpr uint32_t kLoad = 1;
        if (word(image, entry, 4) != kLoad) continue;
        const uint32_t offset = word(image, entry + 4, 4), address = word(image, entry + 12, 4);
        for (uint32_t k = 0; k < word(image, entry + 16, 4); k++) {
            uint8_t *byte = memory.byte_at(uint64_t(address) + k);
            if (!byte) fail("the program does not fit");
            *byte = uint8_t(word(image, offset + k, 1));
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) fail("PROGRAM.elf TEXT CYCLES");
    const std::string text = argv[2];
    const uint64_t cycles = std::strtoull(argv[3], nullptr, 10);
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vcore_top>(context.get());
    Memory memory;
    load(memory, argv[1]);

    top->cpu_rst = 1;
    top->eval();
    Evaluation evaluation(*top);
    Answer answer;
    bool answering = false, found = false;
    for (uint64_t now = 0; now < cycles && !found && !top->error; now++) {
        if (now == 8) {
            top->cpu_rst = 0;
            evaluation.settle();
        }
        if (top->acb_req_ready) {
            const auto &w = top->acb_req;  // acb_req_t: lock, read, byte_mask, address, write_data
            answering = top->acb_req_valid && !top->cpu_rst;
            if (answering) {
                answer = memory.access(w[2] | uint64_t(w[3] & 0xF) << 32, uint8_t(w[3] >> 4), w[3] >> 12 & 1,
                                       uint64_t(w[1]) << 32 | w[0]);
                found = memory.printed.size() >= text.size() &&
                        memory.printed.compare(memory.printed.size() - text.size(), text.size(), text) == 0;
            }
        }
        top->acb_rsp_valid = answering;
        top->acb_rsp[0] = uint32_t(answer.data);
        top->acb_rsp[1] = uint32_t(answer.data >> 32);
        top->acb_rsp[2] = answer.err;
        evaluation.rise(1);
    }
    std::fwrite(memory.printed.data(), 1, memory.printed.size(), stdout);
    if (top->error) std::fprintf(stderr, "%u %u\n", unsigned(top->error_cause), unsigned(top->error_pc));
    const int status = top->error ? kStopped : !found;
    top->final();
    return status;
}
