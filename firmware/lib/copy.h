// SPDX-License-Identifier: Apache-2.0
// Copies bytes between memories, of any alignment, and says what their CRC-32 and their Internet checksum are. By the
// copy engine where the system has one (a preset with `dma`), else by the processor, at once in copy_start().
//
// Copies are done one behind the other, results come in their order. All that the program has stored before
// copy_start() is copied, and when copy_take() has given the result, loads find what was copied: nothing is to be
// flushed. Until then the source must stay, and nobody may look at the destination. For one hart, and not for a trap
// handler beside it.
#ifndef NSOC_COPY_H
#define NSOC_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "nsoc_regs.h"

// 1 where there is a copy engine.
#ifndef NSOC_HAS_DMA
#define NSOC_HAS_DMA 0
#endif

// Copies that are under way or have a result that nobody has taken, at most.
#define COPY_MOST 16u

// What is wanted of a copy.
#define COPY_CRC NSOC_DMA_COMMAND_CRC            // its CRC-32
#define COPY_SUM NSOC_DMA_COMMAND_SUM            // its Internet checksum
#define COPY_NO_WRITE NSOC_DMA_COMMAND_NO_WRITE  // nothing is written: only CRC and checksum are wanted
#define COPY_IRQ NSOC_DMA_COMMAND_IRQ            // engine only: NSOC_IRQ_DMA is high until its result is taken

typedef struct {
    // As zlib's crc32(). 0 if not wanted.
    uint32_t crc;
    // One's complement sum of big-endian 16-bit numbers (RFC 1071: the checksum is its complement). 0 if not wanted.
    uint16_t sum;
    // A memory answered the engine with an error; crc and sum are 0. (By the processor such a copy traps.)
    bool failed;
} copy_result_t;

extern uint32_t copy_outstanding;  // copies whose result has not been taken

#if !NSOC_HAS_DMA

// Starts a copy of `bytes` (0 to 2^24 - 1) from `source` to `destination`; flags as above. They may overlap if the
// destination begins below the source. False: there is no room, take a result first.
bool copy_start(void *destination, const void *source, uint32_t bytes, uint32_t flags);

// Takes the oldest result. False: no copy has ended whose result was not taken. Does not wait.
bool copy_take(copy_result_t *result);

#else

static inline bool copy_start(void *destination, const void *source, uint32_t bytes, uint32_t flags) {
    const uint32_t outstanding = copy_outstanding;
    if (outstanding == COPY_MOST) return false;
    arch_compiler_barrier();  // everything written into the source is written before
    NSOC_DMA->source = (uint32_t)(uintptr_t)source;
    NSOC_DMA->destination = (uint32_t)(uintptr_t)destination;
    NSOC_DMA->command = bytes << NSOC_DMA_COMMAND_BYTES_LSB | flags;
    arch_compiler_barrier();  // a store to memory goes last: one to a device would wait for it
    copy_outstanding = outstanding + 1u;
    return true;
}

static inline bool copy_take(copy_result_t *result) {
    const uint32_t outstanding = copy_outstanding;
    if (outstanding == 0) return false;
    const uint32_t oldest = NSOC_DMA->result;
    if (!(oldest & NSOC_DMA_RESULT_VALID)) return false;
    result->crc = oldest & NSOC_DMA_RESULT_WITH_CRC ? NSOC_DMA->result_crc : 0;
    result->sum = oldest & NSOC_DMA_RESULT_SUM;
    result->failed = oldest & NSOC_DMA_RESULT_FAILED;
    copy_outstanding = outstanding - 1u;
    arch_compiler_barrier();  // nothing is read from the destination before
    return true;
}

#endif

#endif
