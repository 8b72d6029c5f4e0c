// SPDX-License-Identifier: Apache-2.0
//
// SplitMix64, a generator of random numbers: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014.
#ifndef SPLITMIX_H
#define SPLITMIX_H

#include <cstdint>

constexpr uint64_t SPLITMIX_STEP = 0x9E3779B97F4A7C15u;

// The number behind state `x`.
inline uint64_t splitmix64(uint64_t x) {
    x += SPLITMIX_STEP;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

#endif
