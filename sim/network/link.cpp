// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

constexpr uint64_t FS_PER_NS = 1'000'000;
constexpr uint32_t IFG = 12;
constexpr size_t LONGEST_TAP_FRAME = 65536;
constexpr size_t TAP_QUEUE = 4;  // frames: enough to keep the line full from one window to the next
constexpr uint64_t RATE_TOLERANCE = 100;  // one in so many: oscillators differ, rates differ by ten

}  // namespace

TapLink::TapLink(int descriptor) : descriptor_(descriptor) {
    if (fcntl(descriptor, F_GETFL) < 0) throw std::invalid_argument("the TAP device's descriptor is not open");
}

Stamps Port::transmit(const uint8_t *frame, size_t bytes, const FrameShape &shape, uint32_t ifg, uint64_t not_before,
                      uint64_t address_not_before) {
    Departure departure{frame_octets(frame, bytes, shape), ifg, not_before, address_not_before, head(shape), 0};
    plan(departure);
    const uint64_t start = departure.start + departure.head * octet_fs_;
    queue_.push_back(std::move(departure));
    return {start, line_free_};
}

void Port::plan(Departure &departure) {
    const uint64_t free = line_free_ == 0 ? 0 : line_free_ + departure.ifg * octet_fs_;
    const uint64_t head_fs = departure.head * octet_fs_;
    const uint64_t wanted = std::max(departure.address_not_before, head_fs) - head_fs;
    departure.start = std::max({free, departure.not_before, wanted});
    line_free_ = departure.start + departure.octets.size() * octet_fs_;
}

bool Port::take_rate(uint64_t octet_fs) {
    octet_fs_ = octet_fs;
    reader_ = FrameReader(octet_fs);
    // What waits takes the time that it takes at this rate.
    line_free_ = begun_free_;
    for (Departure &departure : queue_) plan(departure);
    return true;
}

void Port::deliver(const Octets &octets) {
    for (const nsoc_octet_t &octet : octets) {
        if (octet.value == NSOC_OCTET_END) {
            if (!reader_.idle()) reader_.finish();
            continue;
        }
        reader_.carrier(octet.time_fs);
        reader_.take(octet.time_fs, static_cast<Octet>(octet.value));
    }
}

void Port::send(uint64_t until) {
    while (!queue_.empty() && queue_.front().start < until) {
        uint64_t time = queue_.front().start;
        for (const Octet octet : queue_.front().octets) sent.push_back({time += octet_fs_, octet, 0});
        sent.push_back({time + octet_fs_, NSOC_OCTET_END, 0});
        begun_free_ = time;
        queue_.pop_front();
    }
}

bool Port::receive(uint64_t until, ReceivedFrame &frame) {
    if (reader_.frames.empty() || reader_.frames.front().stamps.end >= until) return false;
    frame = std::move(reader_.frames.front());
    reader_.frames.pop_front();
    return true;
}

void ListeningLink::advance(uint64_t, uint64_t until) {
    ReceivedFrame frame;
    while (receive(until, frame)) arrived.push_back(std::move(frame));
}

void HostLink::advance(uint64_t from, uint64_t until) {
    send(until);
    ListeningLink::advance(from, until);
}

void TapLink::look(uint64_t now) {
    FrameShape shape;
    shape.pad = true;
    // The destination address comes at a whole nanosecond: that is what a capture keeps, so that it can be replayed.
    const uint64_t head_fs = head(shape) * octet_fs();
    const uint64_t found = (now + head_fs + FS_PER_NS - 1) / FS_PER_NS * FS_PER_NS - head_fs;
    std::array<uint8_t, LONGEST_TAP_FRAME> bytes;
    ssize_t length = 1;
    while (queued() < TAP_QUEUE && (length = read(descriptor_, bytes.data(), bytes.size())) > 0) {
        const uint64_t end = transmit(bytes.data(), static_cast<size_t>(length), shape, IFG, found).end;
        recorded.push_back({{bytes.begin(), bytes.begin() + length}, {found, end}, 0, true, false});
    }
    if (length < 0 && errno != EAGAIN && errno != EINTR)
        throw std::system_error(errno, std::generic_category(), "the TAP device cannot be read");
}

void TapLink::advance(uint64_t, uint64_t until) {
    send(until);
    ReceivedFrame frame;
    while (receive(until, frame)) {
        if (!frame.fcs_ok || frame.error) ++bad;
        else if (write(descriptor_, frame.bytes.data(), frame.bytes.size()) < 0) ++refused;  // it is down, or full
    }
}

template <typename Result>
Result SocLink::checked(Result result) const {
    if (result < 0) throw std::runtime_error(calls_.error(sim_));
    return result;
}

SocLink::SocLink(nsoc_sim_t *sim, const nsoc_soc_calls_t &calls, uint64_t now)
    : sim_(sim),
      calls_(calls),
      ahead_(now - static_cast<uint64_t>(checked(calls.time_fs(sim)))),
      octet_fs_(static_cast<uint64_t>(checked(calls.plug(sim)))) {}

bool SocLink::take_rate(uint64_t octet_fs) {
    const uint64_t difference = octet_fs > octet_fs_ ? octet_fs - octet_fs_ : octet_fs_ - octet_fs;
    return difference <= octet_fs_ / RATE_TOLERANCE;
}

void SocLink::advance(uint64_t, uint64_t until) {
    checked(calls_.run_to(sim_, until - ahead_));
    const nsoc_octet_t *octets = nullptr;
    const auto count = static_cast<size_t>(checked(calls_.octets(sim_, &octets)));
    for (size_t i = 0; i < count; ++i) sent.push_back({octets[i].time_fs + ahead_, octets[i].value, 0});
}

uint64_t SocLink::quiet_until() const { return static_cast<uint64_t>(checked(calls_.quiet_until_fs(sim_))) + ahead_; }

void SocLink::deliver(const Octets &octets) {
    brought_.clear();
    for (const nsoc_octet_t &octet : octets) brought_.push_back({octet.time_fs - ahead_, octet.value, 0});
    checked(calls_.carry(sim_, brought_.data(), brought_.size()));
}
