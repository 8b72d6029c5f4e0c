// SPDX-License-Identifier: Apache-2.0
// Where harts of a test meet: the words that they share, in both memories, and what goes on beside them.
#ifndef NSOC_TEST_MEETING_H
#define NSOC_TEST_MEETING_H

#include "arch.h"
#include "copy.h"
#include "harts.h"
#include "nic.h"
#include "uart.h"

#ifndef ADDITIONS
#define ADDITIONS 150u
#endif
#define NODES 6u  // of a hart
#define STACK_WORDS 512u

// What is used together is in lines of its own.
typedef struct {
    volatile uint32_t x, beside_x, fill0[6];
    volatile uint32_t y, beside_y, fill1[6];
    volatile uint32_t lock, fill2[7];
    volatile uint32_t count, checked, fill3[6];
    volatile uint32_t top, fill4[7];
    volatile uint32_t next[NODES * HARTS_MAX];
    volatile uint32_t copied[64];
} words_t;

typedef struct {
    volatile uint32_t arrived, left, go, harts, flag, answer, wrong, failed;
    volatile uint32_t result[HARTS_MAX];
} meeting_t;

static words_t in_dram __attribute__((aligned(32)));
static const uint32_t twice[2] __attribute__((aligned(8))) = {77u, 5u};  // what the copy engine writes over a word
static words_t *const in_local = (words_t *)(NSOC_PACKET_MEMORY_BASE + 0x30000u);
static meeting_t *const meeting = (meeting_t *)(NSOC_PACKET_MEMORY_BASE + 0x38000u);
static uint32_t stacks[HARTS_MAX][STACK_WORDS] __attribute__((aligned(16)));

static uint32_t fresh(volatile uint32_t *word) { return arch_load_fresh(word); }

static void delay(uint32_t loops) {
    while (loops--) arch_nop();
}

static uint32_t drawn(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// ---- Beside the harts: hart 0 keeps the copy engine busy, and NIC buffers going round
static bool copies_run;

static void keep_busy(void) {
    copy_result_t result;
    if (!copies_run) return;
    while (copy_take(&result)) {}
    while (copy_start((void *)in_dram.copied, (const void *)in_local->copied, 248, 0) &&
           copy_start((void *)in_local->copied, (const void *)in_dram.copied, 248, 0)) {}
    nsoc_buffer_t *buffer = nic_alloc(NSOC_NIC);
    if (buffer) nic_free(NSOC_NIC, buffer);
}

static void finish_copies(void) {
    copy_result_t result;
    while (copy_outstanding) copy_take(&result);
}

static void meet(volatile uint32_t *gate, uint32_t *round) {
    const uint32_t until = ++*round * meeting->harts;
    arch_atomic_add(gate, 1);
    while ((int32_t)(fresh(gate) - until) < 0) {}
}

#endif
