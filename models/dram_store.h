// SPDX-License-Identifier: Apache-2.0
//
// What ddr3_model.sv keeps its contents in: a byte array, byte n = DRAM offset n, allocated by the system page by page
// as it is touched, and zero before.
//
// For a simulator with several SoCs in one process: each ddr3_model creates its own array, from its `initial` block,
// which runs inside the first eval() of its Verilated model. So, in the thread that made this first eval(),
//
//     model.eval();
//     uint8_t *bytes = nsoc_dram_bytes();   // of the array created last in this thread: this model's
//
// Keep the pointer: it stays valid until the model's `final` block, that is, until model.final().
#ifndef DRAM_STORE_H
#define DRAM_STORE_H

#include <cstdint>

extern "C" {

uint8_t *nsoc_dram_bytes();

// Called by ddr3_model.sv (DPI-C). `offset` in bytes, a multiple of 64 within the array. A burst is eight 64-bit beats,
// beat n in bits 64n and up, the most significant byte of a beat at its lowest address; bit n of `mask` enables bits 8n
// to 8n+7 of `data`. nsoc_dram_new throws std::runtime_error, through eval(), where the system has no room.
enum { DRAM_BURST_BYTES = 64 };
void *nsoc_dram_new(unsigned long long bytes);
void nsoc_dram_delete(void *dram, unsigned long long bytes);
void nsoc_dram_read(void *dram, unsigned long long offset, uint32_t *data);
void nsoc_dram_write(void *dram, unsigned long long offset, const uint32_t *data, unsigned long long mask);
}

#endif
