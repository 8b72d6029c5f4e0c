// SPDX-License-Identifier: Apache-2.0
#include "cable.h"

#include <algorithm>

namespace {

constexpr uint32_t SFD = 0xD5;
constexpr uint32_t FCS_BYTES = 4;

}  // namespace

CableWay::CableWay(Link &from, Link &to, uint64_t delay_fs, const Faults &faults, Fates fates,
                   std::deque<nsoc_fate_t> *log)
    : from_(&from),
      to_(&to),
      delay_fs_(delay_fs + faults.delay_fs),
      fates_(std::move(fates)),
      log_(log),
      downs_(faults.downs) {
    if (faults.store() || fates_.store()) store_.emplace(faults, from.octet_fs(), delay_fs_, log_);
}

uint64_t CableWay::window_fs() const {
    const uint64_t slack = SLACK_OCTETS * std::max(from_->octet_fs(), to_->octet_fs());
    return delay_fs_ > slack ? delay_fs_ - slack : 0;
}

void CableWay::carry(uint64_t until) {
    if (in_ != nullptr) in_->deliver(from_->sent);
    for (const nsoc_octet_t &octet : from_->sent) {
        if (!in_frame_) begin(octet.time_fs);
        in_frame_ = octet.value != NSOC_OCTET_END;
        if (concluded_) continue;
        if (in_frame_) take(octet);
        else conclude(octet.time_fs, fate_.fate);
    }
    from_->sent.clear();
    if (store_) store_->advance(until, moved_, counts_);
    if (moved_.empty()) return;
    to_->deliver(moved_);
    if (out_ != nullptr) out_->deliver(moved_);
    moved_.clear();
}

void CableWay::begin(uint64_t time) {
    fate_ = fates_.next();
    concluded_ = in_body_ = false;
    position_ = 0;
    stored_.clear();
    if (downs_.cover(time)) conclude(time, NSOC_CABLE_DOWN);
    else if (fate_.fate == NSOC_CABLE_LOST || fate_.fate == NSOC_CABLE_DOWN) conclude(time, fate_.fate);
}

void CableWay::take(const nsoc_octet_t &octet) {
    if (downs_.cover(octet.time_fs)) {
        conclude(octet.time_fs, NSOC_CABLE_CUT);
        return;
    }
    const uint32_t value = faulty(octet.value);
    if (store_) stored_.push_back(static_cast<Octet>(value));
    else moved_.push_back({octet.time_fs + delay_fs_, value, 0});
}

void CableWay::conclude(uint64_t time, unsigned count) {
    concluded_ = true;
    if (count == NSOC_CABLE_CHANGED) {
        fates_.settle(fate_, position_ > FCS_BYTES ? position_ - FCS_BYTES : 0);
        count = fate_.fate;
    }
    fate_.fate = count;
    if (log_ != nullptr && (count != NSOC_CABLE_PASSED || fate_.jitter_fs > 0)) log_->push_back(fate_);
    if (count == NSOC_CABLE_LOST || count == NSOC_CABLE_DOWN) {
        ++counts_[count];
    } else if (store_) {
        store_->add(std::move(stored_), time, fate_, counts_);
    } else {
        moved_.push_back({time + delay_fs_, NSOC_OCTET_END, 0});
        ++counts_[count];
    }
}

uint32_t CableWay::faulty(uint32_t octet) {
    if (!in_body_) {
        in_body_ = (octet & 0xFF) == SFD;
        return octet;
    }
    // Other bytes under a new FCS are the store's work.
    if (fate_.fate != NSOC_CABLE_CHANGED)
        for (uint32_t i = 0; i < fate_.changes; ++i)
            if (fate_.places[i] == position_) octet ^= fate_.masks[i];
    ++position_;
    return octet;
}
