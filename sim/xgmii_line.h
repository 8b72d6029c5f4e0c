// SPDX-License-Identifier: Apache-2.0
//
// One way of a cable, frame by frame: reads the columns that a node sends, does to the frames what it is told, and
// writes columns for the other one, as close as a line may have them. A frame comes later by itself and some columns.
#ifndef XGMII_LINE_H
#define XGMII_LINE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "draw.h"

constexpr unsigned PREAMBLE = 7;  // bytes between the start and the frame

// What is between a start and a terminate: preamble, frame, FCS.
struct LineFrame {
    std::vector<uint8_t> bytes;
    int error_at = -1;  // this one is an error character instead
};

// IEEE 802.3's, of a frame without it.
inline uint32_t frame_check(const uint8_t *bytes, size_t count) {
    static const std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> made{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t crc = i;
            for (unsigned bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB8'8320u : 0);
            made[i] = crc;
        }
        return made;
    }();
    uint32_t crc = ~0u;
    for (size_t i = 0; i < count; ++i) crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
    return ~crc;
}

inline void end_with_check(LineFrame &frame) {
    const uint32_t crc = frame_check(&frame.bytes[PREAMBLE], frame.bytes.size() - PREAMBLE);
    for (unsigned i = 0; i < 4; ++i) frame.bytes.push_back(static_cast<uint8_t>(crc >> 8 * i));
}

// Of 1000 frames, drawn one by one.
struct LineFaults {
    unsigned lose = 0, spoil = 0, swap = 0, repeat = 0;
};

struct LineCounts {
    uint64_t lost = 0, spoilt = 0, swapped = 0, repeated = 0;
    size_t longest = 0;  // bytes of a frame, without preamble and FCS
};

class Line {
public:
    using Taker = std::function<void(LineFrame &&)>;
    using Source = std::function<bool(LineFrame &)>;

    LineFaults faults;
    LineCounts counts;
    std::function<void(LineFrame &)> look;  // sees, and may change, each frame first
    Taker instead;                          // gets what goes in: it does not come out
    Source source;                          // gives a frame when it has one, behind what is under way

    Line(unsigned lanes, uint64_t seed) : lanes_(lanes), starts_(lanes <= 16 ? 4 : 8), draw_(seed) {}

    void in(uint64_t control, const uint32_t *data) {
        for (unsigned lane = 0; lane < lanes_; ++lane) {
            const uint8_t byte = static_cast<uint8_t>(data[lane / 4] >> 8 * (lane % 4));
            const bool is_control = control >> lane & 1;
            if (is_control && byte == START) {
                inside_ = true;
                coming_ = {};
            } else if (inside_ && is_control && byte != ERROR) {
                inside_ = false;
                whole(std::move(coming_));
            } else if (inside_) {
                if (is_control) coming_.error_at = static_cast<int>(coming_.bytes.size());
                coming_.bytes.push_back(byte);
            }
        }
        if (!held_.empty() && ++waited_ > HELD_COLUMNS) release(~0u);
    }

    // Returns how many frames begin.
    unsigned out(uint64_t &control, uint32_t *data) {
        unsigned begun = 0;
        std::array<uint8_t, 64> bytes;
        control = 0;
        for (unsigned lane = 0; lane < lanes_; ++lane) {
            bool is_control = true;
            bytes[lane] = IDLE;
            if (goes_) {
                is_control = at_ >= going_.bytes.size() || static_cast<int>(at_) == going_.error_at;
                if (at_ == going_.bytes.size()) {
                    bytes[lane] = TERMINATE;
                    goes_ = false;
                    gap_ = 1;
                } else {
                    bytes[lane] = is_control ? ERROR : going_.bytes[at_];
                    ++at_;
                }
            } else if (gap_ + saved_ >= GAP && lane % starts_ == 0 && next()) {
                bytes[lane] = START;
                goes_ = true;
                at_ = 0;
                saved_ = std::min(starts_ - 1, saved_ + gap_ - GAP);
                ++begun;
            } else {
                ++gap_;
            }
            control |= uint64_t{is_control} << lane;
        }
        for (unsigned word = 0; word < lanes_ / 4; ++word) {
            data[word] = 0;
            for (unsigned i = 0; i < 4; ++i) data[word] |= uint32_t{bytes[4 * word + i]} << 8 * i;
        }
        return begun;
    }

    bool idle() const { return !inside_ && !goes_ && queue_.empty() && held_.empty() && !source; }

private:
    static constexpr uint8_t START = 0xFB, TERMINATE = 0xFD, ERROR = 0xFE, IDLE = 0x07;
    static constexpr unsigned GAP = 12;              // bytes between terminate and start, both but the second one
    static constexpr unsigned HELD_COLUMNS = 1'000;  // so long a frame is held back at most
    static constexpr unsigned MOST_BEHIND = 4;       // frames that overtake one
    static constexpr size_t HEADERS = PREAMBLE + 34, CHECK = 4;

    struct Held {
        LineFrame frame;
        unsigned behind;  // frames that go first
    };

    bool chance(unsigned of_1000) { return of_1000 && draw_.below(1000) < of_1000; }

    void whole(LineFrame &&frame) {
        counts.longest =
            std::max(counts.longest, frame.bytes.size() - std::min(frame.bytes.size(), size_t{PREAMBLE + CHECK}));
        if (look) look(frame);
        if (instead) {
            instead(std::move(frame));
            return;
        }
        if (chance(faults.lose)) {
            ++counts.lost;
            return;
        }
        if (chance(faults.spoil)) {
            ++counts.spoilt;
            spoil(frame);
        } else if (chance(faults.repeat)) {
            ++counts.repeated;
            queue_.push_back(frame);
        }
        if (chance(faults.swap)) {
            ++counts.swapped;
            waited_ = 0;
            held_.push_back({std::move(frame), 1 + static_cast<unsigned>(draw_.below(MOST_BEHIND))});
            return;
        }
        queue_.push_back(std::move(frame));
        release(1);
    }

    // Those that so many more have overtaken now.
    void release(unsigned by) {
        for (Held &held : held_) held.behind -= std::min(held.behind, by);
        while (!held_.empty() && held_.front().behind == 0) {
            queue_.push_back(std::move(held_.front().frame));
            held_.pop_front();
        }
    }

    void spoil(LineFrame &frame) {
        const size_t size = frame.bytes.size();
        if (size <= HEADERS) return;
        switch (draw_.below(4)) {
            case 0:  // an error character
                frame.error_at = static_cast<int>(PREAMBLE + draw_.below(size - PREAMBLE));
                break;
            case 1:  // its end is missing
                frame.bytes.resize(HEADERS + draw_.below(size - HEADERS));
                break;
            case 2:  // two bits
                frame.bytes[PREAMBLE + draw_.below(size - PREAMBLE)] ^= static_cast<uint8_t>(3u << draw_.below(7));
                break;
            default:
                frame.bytes[PREAMBLE + draw_.below(size - PREAMBLE)] ^= static_cast<uint8_t>(1u << draw_.below(8));
        }
    }

    bool next() {
        if (queue_.empty()) {
            going_ = {};
            return source && source(going_);
        }
        going_ = std::move(queue_.front());
        queue_.pop_front();
        return true;
    }

    unsigned lanes_, starts_;
    Draw draw_;
    LineFrame coming_, going_;
    std::deque<LineFrame> queue_;
    std::deque<Held> held_;
    bool inside_ = false, goes_ = false;
    size_t at_ = 0;
    unsigned gap_ = GAP, saved_ = 0, waited_ = 0;
};

#endif
