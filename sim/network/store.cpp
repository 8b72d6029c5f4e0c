// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <algorithm>

namespace {

constexpr uint64_t IFG = 12;
constexpr size_t FCS_BYTES = 4;
constexpr Octet SFD = 0xD5;

// Where the destination address begins.
size_t body_at(const std::vector<Octet> &octets) {
    return static_cast<size_t>(std::find(octets.begin(), octets.end(), SFD) - octets.begin()) + 1;
}

// Without FCS; 0 for what is shorter than that.
size_t body_bytes(const std::vector<Octet> &octets) {
    const size_t head = body_at(octets);
    return octets.size() > head + FCS_BYTES ? octets.size() - head - FCS_BYTES : 0;
}

// An FCS that was right is right for the new bytes, one that was wrong stays so.
void change(std::vector<Octet> &octets, const nsoc_fate_t &fate) {
    const size_t head = body_at(octets), bytes = body_bytes(octets);
    std::vector<uint8_t> body(bytes);
    const auto fcs = [&] {
        for (size_t i = 0; i < bytes; ++i) body[i] = static_cast<uint8_t>(octets[head + i]);
        return ethernet_fcs(body.data(), bytes);
    };
    const uint32_t before = fcs();
    for (uint32_t i = 0; i < fate.changes; ++i)
        if (fate.places[i] < bytes) octets[head + fate.places[i]] ^= fate.masks[i];
    const uint32_t difference = before ^ fcs();
    for (size_t i = 0; bytes > 0 && i < FCS_BYTES; ++i)
        octets[head + bytes + i] ^= static_cast<uint8_t>(difference >> (8 * i));
}

}  // namespace

Store::Store(const Faults &faults, uint64_t octet_fs, uint64_t delay_fs, std::deque<nsoc_fate_t> *log)
    : octet_fs_(octet_fs),
      delay_fs_(delay_fs),
      hold_fs_(faults.hold_fs),
      drain_fs_(faults.drain_fs),
      queue_bytes_(faults.queue_bytes),
      stalls_(faults.stalls),
      log_(log) {}

void Store::add(std::vector<Octet> octets, uint64_t time, const nsoc_fate_t &fate, CableCounts &counts) {
    if (fate.fate == NSOC_CABLE_CHANGED) change(octets, fate);
    const uint64_t in_order = coming_.empty() ? 0 : coming_.back().time;
    coming_.push_back({std::move(octets), fate, std::max(in_order, time + fate.jitter_fs)});
    ++counts[NSOC_CABLE_HELD];
}

uint64_t Store::next() const {
    uint64_t time = NEVER;
    for (const auto *frames : {&coming_, &held_, &queue_})
        if (!frames->empty()) time = std::min(time, frames->front().time);
    return time;
}

void Store::advance(uint64_t until, Octets &out, CableCounts &counts) {
    for (uint64_t time; (time = next()) < until;) {
        const auto take = [time](std::deque<Frame> &frames, Frame &frame) {
            if (frames.empty() || frames.front().time != time) return false;
            frame = std::move(frames.front());
            frames.pop_front();
            return true;
        };
        Frame frame;
        if (take(queue_, frame)) leave(frame, out, counts);
        else if (take(held_, frame)) queue(std::move(frame), time, counts);
        else if (take(coming_, frame)) pass(std::move(frame), counts);
    }
}

void Store::pass(Frame frame, CableCounts &counts) {
    const uint64_t time = frame.time;
    if (frame.fate.fate == NSOC_CABLE_REORDERED) {
        frame.time += hold_fs_;
        held_.push_back(std::move(frame));
        return;
    }
    const bool twice = frame.fate.fate == NSOC_CABLE_DUPLICATED;
    Frame copy;
    if (twice) {
        copy = frame;
        copy.time += hold_fs_;
        frame.fate.fate = NSOC_CABLE_PASSED;
    }
    queue(std::move(frame), time, counts);
    for (auto held = held_.begin(); held != held_.end();) {
        if (--held->fate.behind > 0) {
            ++held;
            continue;
        }
        queue(std::move(*held), time, counts);
        held = held_.erase(held);
    }
    if (!twice) return;
    if (copy.fate.behind == 0) queue(std::move(copy), time, counts);
    else held_.push_back(std::move(copy));
}

void Store::queue(Frame frame, uint64_t time, CableCounts &counts) {
    while (!taken_.empty() && taken_.front().time <= time) {
        queued_bytes_ -= taken_.front().bytes;
        taken_.pop_front();
    }
    const uint64_t bytes = body_bytes(frame.octets);
    const bool copy = frame.fate.fate == NSOC_CABLE_DUPLICATED;
    if (queued_bytes_ + bytes > queue_bytes_) {
        if (copy) return;
        --counts[NSOC_CABLE_HELD], ++counts[NSOC_CABLE_OVERFLOWED];
        frame.fate.fate = NSOC_CABLE_OVERFLOWED;
        if (log_ != nullptr) log_->push_back(frame.fate);
        return;
    }
    frame.time = std::max(time, free_);
    while (const uint64_t over = stalls_.cover(frame.time)) frame.time = over;
    const uint64_t over = frame.time + frame.octets.size() * octet_fs_;
    const uint64_t taken = std::max(over, frame.time + bytes * drain_fs_);
    free_ = std::min<uint64_t>(std::max(over + IFG * octet_fs_, taken), NSOC_LONGEST_FS);
    queued_bytes_ += bytes;
    taken_.push_back({taken, bytes});
    queue_.push_back(std::move(frame));
}

void Store::leave(const Frame &frame, Octets &out, CableCounts &counts) const {
    uint64_t time = frame.time + delay_fs_;
    for (const Octet octet : frame.octets) out.push_back({time += octet_fs_, octet, 0});
    out.push_back({time + octet_fs_, NSOC_OCTET_END, 0});
    ++counts[frame.fate.fate];
    if (frame.fate.fate != NSOC_CABLE_DUPLICATED) --counts[NSOC_CABLE_HELD];
}
