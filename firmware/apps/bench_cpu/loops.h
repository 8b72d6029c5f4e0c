// SPDX-License-Identifier: Apache-2.0
// The loops that bench_cpu measures, and the data they work on.
#ifndef LOOPS_H
#define LOOPS_H

#include <stdint.h>

// One loop. It is run twice on the same data: the first time warms the caches and the branch predictor, the second is
// measured. Only `body` is inside the measurement.
typedef struct {
    const char *name;
    void (*prepare)(void);
    void (*body)(void);
    uint32_t (*result)(void);
    uint32_t expected;
} loop_t;

// list.c: 96 nodes of 12 bytes, linked in another order than they lie in memory.
void list_prepare(void);
void list_search(void);   // 64 keys, most of them not there
uint32_t list_search_result(void);
void list_reverse(void);  // 31 times
void list_sort(void);     // merge sort, bottom up, stable
uint32_t list_result(void);

// matrix.c
void matrix_prepare(void);
void matrix_multiply(void);  // 16 x 16, 32-bit
uint32_t matrix_multiply_result(void);
void matrix_filter(void);    // 3 x 3 over 24 x 24, 16-bit
uint32_t matrix_filter_result(void);

// text.c: splits a text into tokens, character by character
void text_prepare(void);
void text_states(void);
uint32_t text_result(void);

// crc.c: CRC-32 of Ethernet
void crc_prepare(void);
void crc_table(void);    // 1024 bytes, a table of 256
void crc_bitwise(void);  // the first 128 bytes
uint32_t crc_result(void);

// strings.c
void strings_prepare(void);
void string_copy(void);     // 64 strings of 0 to 63 characters, at all alignments, byte by byte
uint32_t string_copy_result(void);
void memory_copy(void);     // 1024 bytes four times, word by word
uint32_t memory_copy_result(void);
void string_compare(void);  // 126 pairs of strings of which one is the begin of the other
uint32_t string_compare_result(void);

// forward.c: what the application `forward` does with a frame, for FORWARD_FRAMES frames that wait
void forward_prepare(void);
void forward_frames(void);
uint32_t forward_result(void);

#define FORWARD_FRAMES 48u

// Pseudo-random numbers: the upper half of x <- x * 1664525 + 1013904223.
static inline uint32_t random_next(uint32_t *x) {
    *x = *x * 1664525u + 1013904223u;
    return *x >> 16;
}

// A hash of the words that a loop left behind.
static inline uint32_t hash_add(uint32_t hash, uint32_t word) { return (hash ^ word) * 16777619u; }

#endif
