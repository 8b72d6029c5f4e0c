// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <algorithm>

#include "splitmix.h"

namespace {

constexpr uint32_t BODY_BITS = 60 * 8;  // every frame has them
constexpr unsigned MOST_FLIPS = 3;  // CRC-32 finds every error of up to 3 bits at any length that Ethernet allows
constexpr size_t HEADER_BYTES = 14;  // with other addresses or another type a frame is not wrong but lost
constexpr uint64_t MORE = 0x6D6F7265;  // makes a second sequence of random numbers out of the seed of the first

uint64_t next(uint64_t &random) {
    const uint64_t drawn = splitmix64(random);
    random += SPLITMIX_STEP;
    return drawn;
}

double unit(uint64_t drawn) {
    constexpr double UNIT = 1.0 / (uint64_t{1} << 53);
    return static_cast<double>(drawn >> 11) * UNIT;
}

bool happens(uint64_t &random, double probability) { return unit(next(random)) < probability; }

void change(nsoc_fate_t &fate, uint32_t place, uint8_t mask) {
    fate.places[fate.changes] = place;
    fate.masks[fate.changes++] = mask;
}

}  // namespace

uint64_t Pauses::find(uint64_t time) {
    while (next_ < pauses_.size() && pauses_[next_].at_fs + pauses_[next_].for_fs <= time) ++next_;
    if (next_ == pauses_.size() || pauses_[next_].at_fs > time) return 0;
    return pauses_[next_].at_fs + pauses_[next_].for_fs;
}

Fates::Fates(WayNumber number, const Faults &faults, uint64_t seed)
    : number_(number), faults_(faults), random_(splitmix64(seed)), more_random_(splitmix64(random_ ^ MORE)) {
    // A share of all frames lost in bursts: so often a burst begins behind a frame that is in none.
    burst_begins_ = faults.burst_loss / (faults.burst_frames * (1 - faults.burst_loss));
    more_than_loss_ = faults.store() || faults.burst_loss > 0;
}

bool Fates::store() const {
    return std::any_of(script_.begin(), script_.end(), [](const nsoc_fate_t &fate) {
        return fate.fate == NSOC_CABLE_CHANGED || fate.fate == NSOC_CABLE_DUPLICATED ||
               fate.fate == NSOC_CABLE_REORDERED || fate.jitter_fs > 0;
    });
}

nsoc_fate_t Fates::next() {
    nsoc_fate_t fate{};
    fate.fate = NSOC_CABLE_PASSED;
    if (!replays_) draw(fate);
    else if (cursor_ < script_.size() && script_[cursor_].frame == frame_) fate = script_[cursor_++];
    fate.cable = number_.cable;
    fate.way = number_.way;
    fate.frame = frame_++;
    return fate;
}

void Fates::draw(nsoc_fate_t &fate) {
    // All are drawn for every frame, so that one probability does not shift the other's sequence.
    bool lost = happens(random_, faults_.loss);
    const bool corrupted = happens(random_, faults_.corrupt);
    where_ = ::next(random_);
    bool changed = false, duplicated = false, reordered = false;
    if (more_than_loss_) {
        in_burst_ = in_burst_ ? !happens(more_random_, 1 / faults_.burst_frames) : happens(more_random_, burst_begins_);
        lost |= in_burst_;
        changed = happens(more_random_, faults_.wrong_bytes);
        duplicated = happens(more_random_, faults_.duplicate);
        reordered = happens(more_random_, faults_.reorder);
        const uint64_t behind = ::next(more_random_);
        const double late = unit(::next(more_random_));
        if (lost || corrupted || changed) fate.behind = 0;
        else if (duplicated) fate.behind = static_cast<uint32_t>(behind % (faults_.behind_frames + 1));
        else if (reordered) fate.behind = static_cast<uint32_t>(1 + behind % faults_.behind_frames);
        fate.jitter_fs = lost ? 0 : static_cast<uint64_t>(late * static_cast<double>(faults_.jitter_fs));
    }
    fate.fate = lost         ? NSOC_CABLE_LOST
                : corrupted  ? NSOC_CABLE_CORRUPTED
                : changed    ? NSOC_CABLE_CHANGED
                : duplicated ? NSOC_CABLE_DUPLICATED
                : reordered  ? NSOC_CABLE_REORDERED
                             : NSOC_CABLE_PASSED;
    if (fate.fate != NSOC_CABLE_CORRUPTED) return;
    uint64_t where = where_;
    std::vector<uint32_t> flips;
    const size_t count = 1 + where % MOST_FLIPS;
    while (flips.size() < count) {
        const auto bit = static_cast<uint32_t>((where = splitmix64(where)) % BODY_BITS);
        if (std::find(flips.begin(), flips.end(), bit) == flips.end()) flips.push_back(bit);
    }
    for (const uint32_t bit : flips) change(fate, bit / 8, static_cast<uint8_t>(1u << bit % 8));
}

void Fates::settle(nsoc_fate_t &fate, size_t bytes) const {
    if (replays_ || fate.fate != NSOC_CABLE_CHANGED) return;
    const size_t payload = bytes > HEADER_BYTES ? bytes - HEADER_BYTES : 0;
    uint64_t where = where_;
    const size_t count = std::min<size_t>(payload, 1 + where % NSOC_MOST_CHANGES);
    while (fate.changes < count) {
        const auto place = static_cast<uint32_t>(HEADER_BYTES + (where = splitmix64(where)) % payload);
        const auto mask = static_cast<uint8_t>(1 + (where = splitmix64(where)) % 255);
        if (std::find(fate.places, fate.places + fate.changes, place) == fate.places + fate.changes)
            change(fate, place, mask);
    }
    if (count == 0) fate.fate = NSOC_CABLE_PASSED;
}
