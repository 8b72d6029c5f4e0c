// SPDX-License-Identifier: Apache-2.0
#ifndef DRAW_H
#define DRAW_H

#include <cstdint>

#include "splitmix.h"

// A number after the other, all from one seed.
class Draw {
public:
    explicit Draw(uint64_t seed) : state_(splitmix64(seed)) {}
    uint64_t below(uint64_t bound) { return splitmix64(state_ += SPLITMIX_STEP) % bound; }

private:
    uint64_t state_;
};

#endif
