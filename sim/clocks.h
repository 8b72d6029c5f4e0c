// SPDX-License-Identifier: Apache-2.0
//
// The clocks of a top as a table: when each rises next, which of them rise at a time. Times in femtoseconds.
#ifndef CLOCKS_H
#define CLOCKS_H

#include <array>
#include <cstdint>

struct Clock {
    uint64_t period;
    uint64_t next;       // time of the next rising edge
    uint64_t edges = 0;  // since start()
    uint64_t early = 0;  // so long before n periods is edge number n, less than a period

    // Time 0 is at `now`.
    void start(uint64_t now) {
        next -= now;
        edges = 0;
        early = period - next;
    }
    uint64_t time_of(uint64_t edge) const { return edge == 0 ? 0 : edge * period - early; }
    // The first edge that is not before a time.
    uint64_t number_from(uint64_t time) const { return (time + early + period - 1) / period; }

    // How many of the edges to come are before a time, and how many are not behind it.
    uint64_t before(uint64_t time) const { return time <= next ? 0 : (time - next - 1) / period + 1; }
    uint64_t until(uint64_t time) const { return time < next ? 0 : (time - next) / period + 1; }
    void pass(uint64_t count) {
        edges += count;
        next += count * period;
    }
    void rise() {
        ++edges;
        next += period;
    }
};

template <unsigned COUNT>
class Clocks : public std::array<Clock, COUNT> {
public:
    // Of the first edge to come.
    uint64_t next() const {
        uint64_t first = (*this)[0].next;
        for (unsigned i = 1; i < COUNT; ++i)
            if ((*this)[i].next < first) first = (*this)[i].next;
        return first;
    }
    // Bit i: clock i rises at that time.
    unsigned due(uint64_t time) const {
        unsigned mask = 0;
        for (unsigned i = 0; i < COUNT; ++i) mask |= unsigned{(*this)[i].next == time} << i;
        return mask;
    }
    // Of all clocks, since start().
    uint64_t edges() const {
        uint64_t all = 0;
        for (const Clock &clock : *this) all += clock.edges;
        return all;
    }
};

#endif
