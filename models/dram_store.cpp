// SPDX-License-Identifier: Apache-2.0
#include "dram_store.h"

#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace {

thread_local uint8_t *newest = nullptr;

}

uint8_t *nsoc_dram_bytes() { return newest; }

void *nsoc_dram_new(unsigned long long bytes) {
    // NORESERVE: 256 MB for each SoC are promised, only what is touched is taken.
    void *array = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (array == MAP_FAILED) {
        std::perror("dram_model: cannot reserve its memory");
        std::abort();  // called from inside eval(): there is nobody to return an error to
    }
    newest = static_cast<uint8_t *>(array);
    return array;
}

void nsoc_dram_delete(void *dram, unsigned long long bytes) {
    if (newest == dram) newest = nullptr;
    munmap(dram, bytes);
}

unsigned long long nsoc_dram_read(void *dram, unsigned long long offset) {
    const uint8_t *at = static_cast<const uint8_t *>(dram) + offset;
    unsigned long long data = 0;
    for (int i = 0; i < 8; i++) data = data << 8 | at[i];
    return data;
}

void nsoc_dram_write(void *dram, unsigned long long offset, unsigned long long data, unsigned char mask) {
    uint8_t *at = static_cast<uint8_t *>(dram) + offset;
    for (int i = 0; i < 8; i++) {
        if (mask & 0x80 >> i) at[i] = static_cast<uint8_t>(data >> (56 - 8 * i));
    }
}
