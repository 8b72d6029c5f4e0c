// SPDX-License-Identifier: Apache-2.0
// The data cache against a flat memory, while somebody else writes DRAM behind the core's back. The flat memory is a
// copy in the local memory, which is never cached. Lines are few and 8 KB apart in pairs, so that each has a rival for
// its place in any cache of up to 8 KB; in a smaller one all of them fight.
#include "bench.h"

#define LINES 16
#define ROUNDS 3000

static volatile uint8_t *const flat = (volatile uint8_t *)LOCAL;
static uint32_t state = 12345;

static uint32_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

static volatile uint32_t *device(uint32_t offset) { return (volatile uint32_t *)(NIC + offset); }

// Where byte `offset` of the flat memory is in DRAM.
static uint32_t place(uint32_t offset) {
  const uint32_t line = offset / 32;
  return DRAM + 0x10000 + (line & 1) * 0x2000 + (line / 2) * 32 + offset % 32;
}

static void drop_line(uint32_t address) { __asm__ volatile(".insn i 0x0F, 2, x0, %0, 0" ::"r"(address) : "memory"); }
static void fence(void) { __asm__ volatile("fence" ::: "memory"); }

int main(void) {
  for (uint32_t at = 0; at < LINES * 32; at += 4) {
    const uint32_t word = next_random();
    *(volatile uint32_t *)place(at) = word;
    *(volatile uint32_t *)(flat + at) = word;
  }
  for (int round = 0; round < ROUNDS; round++) {
    const uint32_t what = next_random() >> 8, at = next_random() >> 8 & (LINES * 32 - 1), value = next_random();
    switch (what & 15) {
      case 0: case 1:
        *(volatile uint8_t *)place(at) = (uint8_t)value;
        flat[at] = (uint8_t)value;
        break;
      case 2: case 3:
        *(volatile uint16_t *)place(at & ~1u) = (uint16_t)value;
        *(volatile uint16_t *)(flat + (at & ~1u)) = (uint16_t)value;
        break;
      case 4: case 5:
        *(volatile uint32_t *)place(at & ~3u) = value;
        *(volatile uint32_t *)(flat + (at & ~3u)) = value;
        break;
      case 6:  // another master writes a word, mostly one that is cached; the line, or everything, is dropped
        if (what & 32 && *(volatile uint32_t *)place(at & ~3u) != *(volatile uint32_t *)(flat + (at & ~3u))) return 7;
        *device(DMA_WORD) = value;
        *device(DMA_GO) = place(at & ~3u);
        fence();
        if (what & 16) drop_line(place(at));
        else __asm__ volatile("csrwi 0x7C2, 1" ::: "memory");
        *(volatile uint32_t *)(flat + (at & ~3u)) = value;
        if (what & 64 && *(volatile uint32_t *)place(at & ~3u) != value) return 8;
        break;
      case 7:
        if (__atomic_fetch_add((uint32_t *)place(at & ~3u), value, __ATOMIC_RELAXED) !=
            *(volatile uint32_t *)(flat + (at & ~3u))) return 1;
        *(volatile uint32_t *)(flat + (at & ~3u)) += value;
        break;
      case 8: case 9:
        if (*(volatile int8_t *)place(at) != *(volatile int8_t *)(flat + at)) return 2;
        break;
      case 10: case 11:
        if (*(volatile uint16_t *)place(at & ~1u) != *(volatile uint16_t *)(flat + (at & ~1u))) return 3;
        break;
      default:
        if (*(volatile uint32_t *)place(at & ~3u) != *(volatile uint32_t *)(flat + (at & ~3u))) return 4;
        break;
    }
  }
  for (uint32_t at = 0; at < LINES * 32; at += 4) {
    if (*(volatile uint32_t *)place(at) != *(volatile uint32_t *)(flat + at)) return 5;
  }
  __asm__ volatile("csrwi 0x7C2, 1" ::: "memory");  // what is in DRAM itself
  for (uint32_t at = 0; at < LINES * 32; at += 4) {
    if (*(volatile uint32_t *)place(at) != *(volatile uint32_t *)(flat + at)) return 6;
  }
  return 0;
}
