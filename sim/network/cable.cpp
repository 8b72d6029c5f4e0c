// SPDX-License-Identifier: Apache-2.0
#include "cable.h"

#include <algorithm>

#include "splitmix.h"

namespace {

constexpr uint32_t SFD = 0xD5;
constexpr uint32_t BODY_BITS = 60 * 8;
constexpr unsigned MOST_FLIPS = 3;  // CRC-32 finds every error of up to 3 bits at any length that Ethernet allows

}  // namespace

Cable::Cable(Link &a, Link &b, uint64_t delay_fs, const Faults &faults, uint64_t seed)
    : delay_fs_(delay_fs), faults_(faults), ways_{Way{&a, &b, splitmix64(seed)}, Way{&b, &a, splitmix64(~seed)}} {}

uint64_t Cable::window_fs() const {
    const uint64_t slack = SLACK_OCTETS * std::max(ways_[0].from->octet_fs(), ways_[0].to->octet_fs());
    return delay_fs_ > slack ? delay_fs_ - slack : 0;
}

void Cable::carry() {
    for (Way &way : ways_) carry(way);
}

void Cable::carry(Way &way) {
    if (way.from->sent.empty()) return;
    moved_.clear();
    for (const nsoc_octet_t &octet : way.from->sent) {
        if (!way.in_frame) way.begin(faults_);
        const bool end = octet.value == NSOC_OCTET_END;
        if (way.fate != LOST)
            moved_.push_back({octet.time_fs + delay_fs_, end ? octet.value : way.faulty(octet.value), 0});
        way.in_frame = !end;
    }
    way.from->sent.clear();
    way.to->deliver(moved_);
}

uint64_t Cable::Way::next_random() {
    const uint64_t drawn = splitmix64(random);
    random += SPLITMIX_STEP;
    return drawn;
}

bool Cable::Way::happens(double probability) {
    constexpr double UNIT = 1.0 / (uint64_t{1} << 53);
    return static_cast<double>(next_random() >> 11) * UNIT < probability;
}

void Cable::Way::begin(const Faults &faults) {
    // All are drawn for every frame, so that one probability does not shift the other's sequence.
    const bool lost = happens(faults.loss), corrupted = happens(faults.corrupt);
    uint64_t where = next_random();
    fate = lost ? LOST : corrupted ? CORRUPTED : PASSED;
    ++counts[fate];
    in_body = false;
    position = 0;
    flips.clear();
    if (fate != CORRUPTED) return;
    const size_t count = 1 + where % MOST_FLIPS;
    while (flips.size() < count) {
        const auto bit = static_cast<uint32_t>((where = splitmix64(where)) % BODY_BITS);
        if (std::find(flips.begin(), flips.end(), bit) == flips.end()) flips.push_back(bit);
    }
}

uint32_t Cable::Way::faulty(uint32_t octet) {
    if (!in_body) {
        in_body = (octet & 0xFF) == SFD;
        return octet;
    }
    for (const uint32_t bit : flips)
        if (bit / 8 == position) octet ^= 1u << bit % 8;
    ++position;
    return octet;
}
