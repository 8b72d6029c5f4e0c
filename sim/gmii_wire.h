// SPDX-License-Identifier: Apache-2.0
//
// The far end of the Ethernet cable. GmiiSender plays queued frames into the MAC's receive pins, GmiiReceiver collects
// frames from its transmit pins: a byte each GMII clock, or a nibble each MII clock, the lower one first.
//
// Each counts in `ticks` of its own clock. Tick n is the n-th rising edge after reset. A byte belongs to the tick whose
// edge samples it. In stamps a frame starts with its first nibble and ends with its last one.
//
// Both also move octets as they come and go, for whoever is at the other end of the cable (a network of SoCs). A frame
// may be sent whose end is not known yet, and a tap sees each octet that the MAC sends.
#ifndef GMII_WIRE_H
#define GMII_WIRE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "frame.h"

class GmiiSender {
public:
    explicit GmiiSender(bool mii) : ticks_a_byte_(mii ? 2 : 1) {}

    // What the MAC's receive pins show.
    uint8_t data = 0;
    bool valid = false;
    bool error = false;

    // Queues octets, `head` of them before the destination address, which is not on the line before tick `not_before`;
    // `ifg` idle bytes before them at least. Returns the frame's number, from 0.
    uint64_t send(std::vector<Octet> octets, uint32_t head, uint64_t not_before, uint32_t ifg);

    // The same for a frame of which more is told later: its first octet is not on the line before tick `not_before`.
    // Octets must be there when it is their turn: the frame is cut and starved() otherwise.
    void open(uint64_t not_before);
    void append(Octet octet) { queue_.back().octets.push_back(octet); }
    void close() { queue_.back().open = false; }

    bool starved() const { return starved_; }

    size_t queued() const { return queue_.size(); }
    const std::vector<Stamps> &sent() const { return sent_; }
    uint64_t last_active_tick() const { return last_active_; }
    // Of the next frame's first octet; NEVER when none waits, 0 while one goes out.
    uint64_t next_tick() const { return playing_ ? 0 : next_start_; }

    // Sets the pins for the edge `tick`. True when they may have changed.
    bool advance(uint64_t tick) {
        if (tick < next_start_ && !playing_) return false;
        return play(tick);
    }

    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

private:
    struct Job {
        std::vector<Octet> octets;  // preamble to FCS
        uint32_t head;  // of them before the destination address
        uint64_t not_before;  // tick of the first octet
        uint32_t ifg;
        bool open;  // more octets are to come
    };

    bool play(uint64_t tick);
    void queue(Job job);
    void schedule();

    uint32_t ticks_a_byte_;
    bool upper_ = false;  // the upper nibble of the byte at hand is next
    uint8_t byte_ = 0;
    std::deque<Job> queue_;
    std::vector<Stamps> sent_;
    bool playing_ = false;  // queue_.front() goes out
    size_t cursor_ = 0;  // its next octet
    uint64_t next_start_ = NEVER;  // tick of the next frame's first octet
    uint64_t first_tick_ = 0;  // of the frame being sent
    uint64_t line_free_ = 0;  // first idle tick after the last frame
    uint64_t last_active_ = 0;
    uint64_t count_ = 0;
    bool starved_ = false;
};

class GmiiReceiver {
public:
    // What a tap sees: an octet and the tick of its last nibble; END: carrier has gone.
    struct Seen {
        uint64_t tick;
        Octet octet;
    };
    static constexpr Octet END = 0x200;

    explicit GmiiReceiver(bool mii) : ticks_a_byte_(mii ? 2 : 1), reader_(ticks_a_byte_) {}

    std::deque<ReceivedFrame> &frames() { return reader_.frames; }
    const std::deque<ReceivedFrame> &frames() const { return reader_.frames; }
    uint64_t last_active_tick() const { return reader_.last_active(); }
    bool idle() const { return reader_.idle(); }

    // From here on octets are kept in `seen`, and no frames.
    void tap() { tapped_ = true; }
    std::vector<Seen> seen;

    // Takes what the MAC's transmit pins show at the edge `tick`.
    void sample(uint64_t tick, bool enable, bool error, uint8_t data) {
        if (enable || !reader_.idle()) take(tick, enable, error, data);
    }

private:
    void take(uint64_t tick, bool enable, bool error, uint8_t data);

    uint32_t ticks_a_byte_;
    FrameReader reader_;
    bool tapped_ = false;
    bool upper_ = false;  // lower_ waits for the nibble above it
    Octet lower_ = 0;
};

#endif
