// SPDX-License-Identifier: Apache-2.0
//
// A cable between two links: octets come out of it a delay later. It may lose whole frames, or flip bits in them under
// the FCS that they had, each way by its own sequence of random numbers, as channel.py does for a single SoC.
//
// A frame's fate is drawn with its first octet, when its length is not known: bits flip in its first 60 bytes, which
// every frame has.
#ifndef CABLE_H
#define CABLE_H

#include <array>
#include <cstdint>
#include <vector>

#include "link.h"

struct Faults {
    double loss = 0;
    double corrupt = 0;
};

// Octets that an end may be ahead of the other in a frame: rates differ by no more over the longest frame.
constexpr unsigned SLACK_OCTETS = 8;

class Cable {
public:
    enum Fate { PASSED, LOST, CORRUPTED, FATES };

    // `seed`: the same gives the same fates on any machine.
    Cable(Link &a, Link &b, uint64_t delay_fs, const Faults &faults, uint64_t seed);

    uint64_t delay_fs() const { return delay_fs_; }
    // For this long what one end sends cannot reach the other.
    uint64_t window_fs() const;
    // Takes what both ends have sent to the other end.
    void carry();
    const std::array<uint64_t, FATES> &counts(unsigned way) const { return ways_.at(way).counts; }

private:
    struct Way {
        Link *from, *to;
        uint64_t random;
        std::array<uint64_t, FATES> counts{};
        bool in_frame = false;
        bool in_body = false;       // behind the start delimiter
        Fate fate = PASSED;
        uint32_t position = 0;      // of the next octet in the body
        std::vector<uint32_t> flips{};  // bits of the body, to be turned

        uint64_t next_random();
        bool happens(double probability);
        void begin(const Faults &faults);
        uint32_t faulty(uint32_t octet);
    };

    void carry(Way &way);

    uint64_t delay_fs_;
    Faults faults_;
    std::array<Way, 2> ways_;
    Octets moved_;
};

#endif
