// SPDX-License-Identifier: Apache-2.0
//
// A learning switch: it stores a frame, looks its destination up and sends it on. What it drops is counted by cause.
#ifndef SWITCH_H
#define SWITCH_H

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "link.h"
#include "nsoc_network.h"

class Switch;

class SwitchPort : public Port {
public:
    // The frames that wait to be sent, at `time`, take so many bytes.
    uint64_t waiting_bytes(uint64_t time);
    void forward(const ReceivedFrame &frame, uint64_t not_before);

    void advance(uint64_t, uint64_t) override {}  // the switch advances its ports together

private:
    friend class Switch;

    struct Waiting {
        uint64_t sent;  // when it is out
        uint64_t bytes;
    };
    std::deque<Waiting> waiting_;
};

class Switch {
public:
    // Its ports are links of a network, which outlives it.
    Switch(std::vector<SwitchPort *> ports, uint64_t latency_fs, uint64_t queue_bytes)
        : latency_fs_(latency_fs), queue_bytes_(queue_bytes), ports_(std::move(ports)) {}

    const std::array<uint64_t, NSOC_SWITCH_COUNTS> &counts() const { return counts_; }

    // After all links have advanced and before cables carry.
    void advance(uint64_t until);

private:
    using Address = std::array<uint8_t, 6>;

    void pass(const ReceivedFrame &frame, unsigned from);
    void send(const ReceivedFrame &frame, unsigned to);

    uint64_t latency_fs_, queue_bytes_;
    std::vector<SwitchPort *> ports_;
    std::map<Address, unsigned> behind_;  // the port behind which an address was seen last
    std::array<uint64_t, NSOC_SWITCH_COUNTS> counts_{};
};

#endif
