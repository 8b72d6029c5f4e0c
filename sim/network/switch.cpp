// SPDX-License-Identifier: Apache-2.0
#include "switch.h"

#include <algorithm>

namespace {

constexpr uint32_t IFG = 12;
constexpr size_t SHORTEST_BYTES = 60;  // without FCS
constexpr size_t SOURCE_AT = 6;
constexpr std::array<uint8_t, 5> RESERVED = {0x01, 0x80, 0xC2, 0x00, 0x00};  // and 0x00 to 0x0F: IEEE 802.1D, 7.12.6

}  // namespace

uint64_t SwitchPort::waiting_bytes(uint64_t time) {
    while (!waiting_.empty() && waiting_.front().sent <= time) waiting_.pop_front();
    uint64_t bytes = 0;
    for (const Waiting &frame : waiting_) bytes += frame.bytes;
    return bytes;
}

void SwitchPort::forward(const ReceivedFrame &frame, uint64_t not_before) {
    const Stamps sent = transmit(frame.bytes.data(), frame.bytes.size(), FrameShape{}, IFG, not_before);
    waiting_.push_back({sent.end, frame.bytes.size()});
}

void Switch::advance(uint64_t until) {
    struct Arrived {
        ReceivedFrame frame;
        unsigned from;
    };
    std::vector<Arrived> arrived;
    for (unsigned port = 0; port < ports_.size(); ++port) {
        ReceivedFrame frame;
        while (ports_[port]->receive(until, frame)) arrived.push_back({std::move(frame), port});
    }
    // By time, then by port.
    std::stable_sort(arrived.begin(), arrived.end(),
                     [](const Arrived &a, const Arrived &b) { return a.frame.stamps.end < b.frame.stamps.end; });
    for (const Arrived &one : arrived) pass(one.frame, one.from);
    for (SwitchPort *port : ports_) port->send(until);
}

void Switch::pass(const ReceivedFrame &frame, unsigned from) {
    if (!frame.fcs_ok || frame.error || frame.bytes.size() < SHORTEST_BYTES) {
        ++counts_[NSOC_SWITCH_BAD];
        return;
    }
    Address destination, source;
    std::copy_n(frame.bytes.begin(), destination.size(), destination.begin());
    std::copy_n(frame.bytes.begin() + SOURCE_AT, source.size(), source.begin());
    const auto is_group = [](const Address &address) { return (address[0] & 1) != 0; };
    if (!is_group(source)) behind_[source] = from;
    if (std::equal(RESERVED.begin(), RESERVED.end(), destination.begin()) && destination[5] < 0x10) {
        ++counts_[NSOC_SWITCH_RESERVED];
        return;
    }
    const auto known = is_group(destination) ? behind_.end() : behind_.find(destination);
    if (known == behind_.end()) {
        ++counts_[NSOC_SWITCH_FLOODED];
        for (unsigned port = 0; port < ports_.size(); ++port)
            if (port != from) send(frame, port);
    } else if (known->second == from) {
        ++counts_[NSOC_SWITCH_FILTERED];
    } else {
        ++counts_[NSOC_SWITCH_FORWARDED];
        send(frame, known->second);
    }
}

void Switch::send(const ReceivedFrame &frame, unsigned to) {
    if (ports_[to]->waiting_bytes(frame.stamps.end) + frame.bytes.size() > queue_bytes_) {
        ++counts_[NSOC_SWITCH_FULL];
        return;
    }
    ports_[to]->forward(frame, frame.stamps.end + latency_fs_);
}
