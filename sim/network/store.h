// SPDX-License-Identifier: Apache-2.0
//
// What a way of a cable with faults does to whole frames: it stores each and sends it on when its last octet is there,
// later for jitter, behind others that came later, twice, with other bytes under an FCS made for them. Then they go
// through a queue of bounded size, which a receiver may empty slowly, or not at all for a while.
//
// Frames that leave keep the interframe gap, and come at the rate of who sent them.
#ifndef STORE_H
#define STORE_H

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "faults.h"
#include "frame.h"
#include "link.h"

using CableCounts = std::array<uint64_t, NSOC_CABLE_COUNTS>;

class Store {
public:
    // `octet_fs`: from one octet that leaves to the next; `delay_fs`: added to the time of each. `log`, if there is
    // one, gets the frames that do not fit into the queue.
    Store(const Faults &faults, uint64_t octet_fs, uint64_t delay_fs, std::deque<nsoc_fate_t> *log);

    // A frame, preamble to FCS, whose carrier has gone at `time`.
    void add(std::vector<Octet> octets, uint64_t time, const nsoc_fate_t &fate, CableCounts &counts);
    // Nothing leaves before this time but what comes.
    uint64_t next() const;
    // Puts into `out` what begins to leave before `until`.
    void advance(uint64_t until, Octets &out, CableCounts &counts);

    static constexpr uint64_t NEVER = UINT64_MAX;

private:
    struct Frame {
        std::vector<Octet> octets;
        nsoc_fate_t fate;  // as which it counts when it leaves (NSOC_CABLE_DUPLICATED: a copy), and behind how many
        uint64_t time;  // of what happens to it next
    };
    struct Taken {
        uint64_t time;  // when the receiver has taken it
        uint64_t bytes;
    };

    // What happens to the frame that has come, or was held for long enough, or begins to leave.
    void pass(Frame frame, CableCounts &counts);
    void queue(Frame frame, uint64_t time, CableCounts &counts);
    void leave(const Frame &frame, Octets &out, CableCounts &counts) const;

    uint64_t octet_fs_, delay_fs_, hold_fs_, drain_fs_, queue_bytes_;
    Pauses stalls_;
    std::deque<nsoc_fate_t> *log_;
    // Each sorted by time: on their way to the store, held in it, in the queue behind it.
    std::deque<Frame> coming_, held_, queue_;
    std::deque<Taken> taken_;  // those that fill the queue
    uint64_t queued_bytes_ = 0;
    uint64_t free_ = 0;  // when the next frame may leave
};

#endif
