// SPDX-License-Identifier: Apache-2.0
// A first C program: recursion, arrays, multiplication, division, bytes, function pointers.
#include "bench.h"

static uint32_t table[64];
static signed char text[32];

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static uint32_t twice(uint32_t x) { return 2 * x; }
static uint32_t square(uint32_t x) { return x * x; }
static uint32_t (*const functions[])(uint32_t) = {twice, square};

int main(void) {
  if (fib(12) != 144) return 1;
  for (uint32_t i = 0; i < 64; i++) table[i] = functions[i & 1](i);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 64; i++) sum += table[i];
  if (sum != 45664) return 2;  // 2 * (0+2+..+62) + (1+9+..+3969)
  for (int i = 0; i < 32; i++) text[i] = (signed char)(i * 7);
  int total = 0;
  for (int i = 0; i < 32; i++) total += text[i];
  if (total != 144) return 3;  // sum of ((7i + 128) mod 256) - 128
  volatile int a = 1234567, b = -89;
  if (a / b != -13871) return 4;
  if (a % b != 48) return 5;
  return 0;
}
