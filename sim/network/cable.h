// SPDX-License-Identifier: Apache-2.0
//
// A cable between two links: octets come out of it a delay later. Each way it may do to frames what faults.h draws.
//
// A cable that only loses frames, or flips bits in them under the FCS that they had, passes octets as they come. What
// becomes of a frame is decided with its first octet, when its length is not known: bits flip in its first 60 bytes,
// which every frame has. A cable with other faults stores each frame (store.h), which adds the frame's own time.
//
// While a way is down, what goes in is lost: of a frame on its way the rest, so that it ends there; of a frame that
// begins all of it, also what comes when the way is up again.
#ifndef CABLE_H
#define CABLE_H

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "faults.h"
#include "link.h"
#include "store.h"

// Octets that an end may be ahead of the other in a frame: rates differ by no more over the longest frame.
constexpr unsigned SLACK_OCTETS = 8;

// One way of a cable.
class CableWay {
public:
    // `log`, if there is one, gets what is done to frames, but for those that pass as they are.
    CableWay(Link &from, Link &to, uint64_t delay_fs, const Faults &faults, Fates fates, std::deque<nsoc_fate_t> *log);

    // For this long what goes in cannot come out.
    uint64_t window_fs() const;
    uint64_t octet_fs() const { return from_->octet_fs(); }
    uint64_t quiet_until() const { return store_ ? store_->next() : Store::NEVER; }
    // What goes in, and what comes out, is delivered to these, too.
    void tap(Link &in, Link &out) { in_ = &in, out_ = &out; }
    // Takes what was sent before `until` to the other end.
    void carry(uint64_t until);
    const CableCounts &counts() const { return counts_; }

private:
    void begin(uint64_t time);
    void take(const nsoc_octet_t &octet);
    // All of the frame that passes has passed, at `time`; it counts as `count`.
    void conclude(uint64_t time, unsigned count);
    uint32_t faulty(uint32_t octet);

    Link *from_, *to_;
    Link *in_ = nullptr, *out_ = nullptr;
    uint64_t delay_fs_;
    Fates fates_;
    std::deque<nsoc_fate_t> *log_;
    Pauses downs_;
    std::optional<Store> store_;
    CableCounts counts_{};
    Octets moved_;

    bool in_frame_ = false;
    bool in_body_ = false;  // behind the start delimiter
    bool concluded_ = false;  // nothing more of the frame passes
    nsoc_fate_t fate_{};
    uint32_t position_ = 0;  // of the next octet in the body
    std::vector<Octet> stored_;
};

class Cable {
public:
    Cable(CableWay there, CableWay back) : ways_{std::move(there), std::move(back)} {}

    CableWay &way(unsigned number) { return ways_.at(number); }
    const CableWay &way(unsigned number) const { return ways_.at(number); }

private:
    std::array<CableWay, 2> ways_;
};

#endif
