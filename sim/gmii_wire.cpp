// SPDX-License-Identifier: Apache-2.0
#include "gmii_wire.h"

#include <algorithm>

uint64_t GmiiSender::send(std::vector<Octet> octets, uint32_t head, uint64_t not_before, uint32_t ifg) {
    const uint64_t head_ticks = uint64_t{head} * ticks_a_byte_;
    queue({std::move(octets), head, not_before > head_ticks ? not_before - head_ticks : 0, ifg, false});
    return count_++;
}

void GmiiSender::open(uint64_t not_before) { queue({{}, 0, not_before, 1, true}); }

void GmiiSender::queue(Job job) {
    queue_.push_back(std::move(job));
    if (queue_.size() == 1) schedule();
}

void GmiiSender::schedule() {
    next_start_ = NEVER;
    if (queue_.empty()) return;
    const Job &job = queue_.front();
    next_start_ = std::max(line_free_ + uint64_t{job.ifg} * ticks_a_byte_, job.not_before);
}

bool GmiiSender::play(uint64_t tick) {
    if (!playing_) {
        playing_ = true;
        cursor_ = 0;
        first_tick_ = tick;
    }
    if (upper_) {
        data = byte_ >> 4;
        upper_ = false;
        return true;
    }
    const Job &job = queue_.front();
    if (cursor_ == job.octets.size()) {
        starved_ |= job.open;
        sent_.push_back({first_tick_ + uint64_t{job.head} * ticks_a_byte_, tick - 1});
        last_active_ = tick - 1;
        line_free_ = tick;
        playing_ = false;
        data = 0;
        valid = false;
        error = false;
        queue_.pop_front();
        schedule();
        return true;
    }
    const Octet octet = job.octets[cursor_++];
    byte_ = static_cast<uint8_t>(octet);
    upper_ = ticks_a_byte_ == 2;
    data = upper_ ? byte_ & 0xF : byte_;
    valid = true;
    error = (octet & OCTET_ERROR) != 0;
    return true;
}

void GmiiReceiver::take(uint64_t tick, bool enable, bool error, uint8_t data) {
    if (!enable) {
        reader_.finish(upper_);
        upper_ = false;
        if (tapped_) {
            reader_.frames.pop_back();
            seen.push_back({tick, END});
        }
        return;
    }
    reader_.carrier(tick);
    Octet octet = static_cast<Octet>(data | (error ? OCTET_ERROR : 0));
    if (ticks_a_byte_ == 2) {
        upper_ = !upper_;
        if (upper_) {
            lower_ = octet;
            return;
        }
        octet = static_cast<Octet>((lower_ & (OCTET_ERROR | 0xF)) | (octet & OCTET_ERROR) | (data & 0xF) << 4);
    }
    reader_.take(tick - ticks_a_byte_ + 1, octet);
    if (tapped_) seen.push_back({tick, octet});
}
