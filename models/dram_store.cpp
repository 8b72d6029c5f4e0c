// SPDX-License-Identifier: Apache-2.0
#include "dram_store.h"

#include <stdexcept>
#include <string>

#include <sys/mman.h>

namespace {

thread_local uint8_t *newest = nullptr;

}

uint8_t *nsoc_dram_bytes() { return newest; }

void *nsoc_dram_new(unsigned long long bytes) {
    // NORESERVE: 256 MB for each SoC are promised, only what is touched is taken.
    void *array = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (array == MAP_FAILED)
        throw std::runtime_error("the system has no room for " + std::to_string(bytes >> 20) + " MB of simulated DRAM");
    newest = static_cast<uint8_t *>(array);
    return array;
}

void nsoc_dram_delete(void *dram, unsigned long long bytes) {
    if (newest == dram) newest = nullptr;
    munmap(dram, bytes);
}

void nsoc_dram_read(void *dram, unsigned long long offset, uint32_t *data) {
    const uint8_t *at = static_cast<const uint8_t *>(dram) + offset;
    for (int i = 0; i < DRAM_BURST_BYTES / 8; i++, at += 8) {
        data[2 * i + 1] = uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
        data[2 * i] = uint32_t{at[4]} << 24 | uint32_t{at[5]} << 16 | uint32_t{at[6]} << 8 | at[7];
    }
}

void nsoc_dram_write(void *dram, unsigned long long offset, const uint32_t *data, unsigned long long mask) {
    uint8_t *at = static_cast<uint8_t *>(dram) + offset;
    for (int i = 0; i < DRAM_BURST_BYTES; i++) {
        const int lane = i ^ 7;  // of the burst: the lowest byte of each 8 has the highest address
        if (mask >> lane & 1) at[i] = static_cast<uint8_t>(data[lane / 4] >> lane % 4 * 8);
    }
}
