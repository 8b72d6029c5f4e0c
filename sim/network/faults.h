// SPDX-License-Identifier: Apache-2.0
//
// What one way of a cable does to frames, and which frame it does it to: drawn by a seed, or repeated from a log.
#ifndef FAULTS_H
#define FAULTS_H

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "nsoc_network.h"

// Times in which something rests.
class Pauses {
public:
    Pauses() = default;
    // Sorted by `at_fs`.
    explicit Pauses(std::vector<nsoc_pause_t> pauses) : pauses_(std::move(pauses)) {}

    // When the one is over that `time` is in; 0: it is in none. Times do not decrease from call to call.
    uint64_t cover(uint64_t time) { return next_ == pauses_.size() ? 0 : find(time); }

private:
    uint64_t find(uint64_t time);

    std::vector<nsoc_pause_t> pauses_;
    size_t next_ = 0;  // those before are over
};

// The fields are those of nsoc_faults_t.
struct Faults {
    double loss = 0, burst_loss = 0, burst_frames = 1, corrupt = 0, wrong_bytes = 0, duplicate = 0, reorder = 0;
    uint32_t behind_frames = 1;
    uint64_t hold_fs = 0, delay_fs = 0, jitter_fs = 0, drain_fs = 0, queue_bytes = 0;
    std::vector<nsoc_pause_t> stalls{}, downs{};

    // Whether the frame must be whole before its fate can be done.
    bool store() const {
        return wrong_bytes > 0 || duplicate > 0 || reorder > 0 || jitter_fs > 0 || drain_fs > 0 || !stalls.empty();
    }
};

// Which way of which cable, as nsoc_fate_t has it.
struct WayNumber {
    uint32_t cable, way;
    bool operator<(const WayNumber &other) const { return std::tie(cable, way) < std::tie(other.cable, other.way); }
};

// The fates of one way's frames, in the order of the frames.
class Fates {
public:
    // `seed`: the same gives the same fates on any machine.
    Fates(WayNumber number, const Faults &faults, uint64_t seed);
    // Repeats `script`, sorted by frame; who is not in it passes.
    Fates(WayNumber number, std::vector<nsoc_fate_t> script)
        : number_(number), replays_(true), script_(std::move(script)) {}

    // Whether a frame that is repeated must be whole before its fate can be done.
    bool store() const;

    // Of the next frame. What bytes change is settled by settle().
    nsoc_fate_t next();
    // The frame with that fate has so many bytes (without FCS): which of them get a wrong value.
    void settle(nsoc_fate_t &fate, size_t bytes) const;

private:
    void draw(nsoc_fate_t &fate);

    WayNumber number_;
    bool replays_ = false;
    std::vector<nsoc_fate_t> script_;
    size_t cursor_ = 0;
    Faults faults_;
    bool more_than_loss_ = false;
    uint64_t random_ = 0, more_random_ = 0;
    bool in_burst_ = false;
    double burst_begins_ = 0;
    uint64_t where_ = 0;
    uint64_t frame_ = 0;
};

#endif
