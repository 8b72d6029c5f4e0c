// SPDX-License-Identifier: Apache-2.0
//
// The far end of the Ethernet cable, a byte each GMII clock or a nibble each MII clock, the lower one first: GmiiSender
// plays queued frames into the MAC's receive pins, GmiiReceiver collects frames from its transmit pins. Each counts in
// `ticks` of its own clock: tick n is the n-th rising edge after reset, and a byte belongs to the tick whose edge samples
// it (in stamps: a frame starts with its first nibble and ends with its last one).
#ifndef GMII_WIRE_H
#define GMII_WIRE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

// Ethernet FCS (CRC-32, reflected, inverted) of `bytes` bytes; it goes out least significant byte first.
uint32_t ethernet_fcs(const uint8_t *data, size_t bytes);

struct SendOptions {
    uint64_t not_before_tick = 0;  // first byte of the destination address not before this tick
    uint32_t ifg = 12;             // idle bytes before the preamble
    uint32_t preamble = 7;
    uint8_t sfd = 0xD5;
    bool bad_fcs = false;
    bool raw = false;              // no FCS
    bool pad = false;
    int32_t error_at = -1;
    int32_t cut_at = -1;
};

struct Stamps {
    uint64_t start_tick;  // first byte of the destination address
    uint64_t end_tick;    // last byte of the FCS
};

class GmiiSender {
public:
    explicit GmiiSender(bool mii) : ticks_a_byte_(mii ? 2 : 1) {}

    // What the MAC's receive pins show.
    uint8_t data = 0;
    bool valid = false;
    bool error = false;

    // Queues a frame; returns its number, from 0.
    uint64_t send(const uint8_t *frame, size_t bytes, const SendOptions &options);

    size_t queued() const { return queue_.size(); }
    const std::vector<Stamps> &sent() const { return sent_; }
    uint64_t last_active_tick() const { return last_active_; }

    // Sets the pins for the edge `tick`. True when they may have changed.
    bool advance(uint64_t tick) {
        if (tick < next_start_ && cursor_ == nullptr) return false;
        return play(tick);
    }

private:
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();
    static constexpr uint16_t ERROR = 0x100;

    struct Job {
        std::vector<uint16_t> symbols;  // preamble to FCS; ERROR marks gmii_rx_er
        uint64_t not_before_tick;
        uint32_t ifg;
        uint32_t head;  // symbols before the destination address
    };

    bool play(uint64_t tick);
    void schedule();

    uint32_t ticks_a_byte_;
    bool upper_ = false;  // the upper nibble of the byte at hand is next
    uint8_t byte_ = 0;
    std::deque<Job> queue_;
    std::vector<Stamps> sent_;
    const uint16_t *cursor_ = nullptr;  // next symbol of queue_.front(), nullptr between frames
    const uint16_t *end_ = nullptr;
    uint64_t next_start_ = NEVER;  // tick of the next frame's first symbol
    uint64_t first_tick_ = 0;      // of the frame being sent
    uint64_t line_free_ = 0;       // first idle tick after the last frame
    uint64_t last_active_ = 0;
    uint64_t count_ = 0;
};

struct ReceivedFrame {
    std::vector<uint8_t> bytes;  // without FCS
    Stamps stamps;
    uint32_t gap;
    bool fcs_ok;
    bool error;
};

class GmiiReceiver {
public:
    explicit GmiiReceiver(bool mii) : ticks_a_byte_(mii ? 2 : 1) {}

    std::deque<ReceivedFrame> frames;

    uint64_t last_active_tick() const { return last_active_; }

    // Takes what the MAC's transmit pins show at the edge `tick`.
    void sample(uint64_t tick, bool enable, bool error, uint8_t data) {
        if (enable || state_ != State::IDLE) take(tick, enable, error, data);
    }

private:
    enum class State { IDLE, PREAMBLE, FRAME };

    void take(uint64_t tick, bool enable, bool error, uint8_t data);
    void finish();

    uint32_t ticks_a_byte_;
    bool upper_ = false;  // lower_ waits for the nibble above it
    uint8_t lower_ = 0;
    State state_ = State::IDLE;
    std::vector<uint8_t> bytes_;
    uint64_t start_tick_ = 0;
    uint64_t last_active_ = 0;
    uint64_t gap_ = 0;
    bool error_ = false;
};

#endif
