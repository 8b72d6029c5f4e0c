// SPDX-License-Identifier: Apache-2.0
//
// A frame as octets on a line: what a sender makes of its bytes, what a reader makes of the octets that it sees. Time
// is in whatever unit the line counts, ticks of a clock or femtoseconds.
#ifndef FRAME_H
#define FRAME_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

// Ethernet FCS (CRC-32, reflected, inverted) of `bytes` bytes; it goes out least significant byte first.
uint32_t ethernet_fcs(const uint8_t *data, size_t bytes);

// An octet on the line: 8 bits of data, and whether the line's error signal is high with them.
using Octet = uint16_t;
constexpr Octet OCTET_ERROR = 0x100;

// How a frame goes out.
struct FrameShape {
    uint32_t preamble = 7;
    uint8_t sfd = 0xD5;
    bool bad_fcs = false;
    bool raw = false;  // no FCS
    bool pad = false;
    int32_t error_at = -1;
    int32_t cut_at = -1;
};

// Preamble to FCS.
std::vector<Octet> frame_octets(const uint8_t *frame, size_t bytes, const FrameShape &shape);

struct Stamps {
    uint64_t start;  // first byte of the destination address
    uint64_t end;    // last byte of the FCS
};

struct ReceivedFrame {
    std::vector<uint8_t> bytes;  // without FCS
    Stamps stamps;
    uint32_t gap;                // idle bytes before the preamble, saturated
    bool fcs_ok;
    bool error;
};

class FrameReader {
public:
    // `octet_time`: from one octet to the next.
    explicit FrameReader(uint64_t octet_time) : octet_time_(octet_time) {}

    std::deque<ReceivedFrame> frames;

    bool idle() const { return state_ == State::IDLE; }
    // Time of the last octet.
    uint64_t last_active() const { return last_active_; }

    // There is carrier at `time`: of an octet, or of a part of it.
    void carrier(uint64_t time) {
        if (state_ == State::IDLE) begin(time);
        last_active_ = time;
    }
    // An octet that began at `time`, after carrier() at each of its parts.
    void take(uint64_t time, Octet octet);
    // Carrier has gone, where `error` says in the middle of an octet.
    void finish(bool error = false);

private:
    enum class State { IDLE, PREAMBLE, FRAME };

    void begin(uint64_t time);

    uint64_t octet_time_;
    State state_ = State::IDLE;
    std::vector<uint8_t> bytes_;
    uint64_t start_ = 0;
    uint64_t last_active_ = 0;
    uint64_t gap_ = 0;
    bool error_ = false;
    unsigned before_ = 0;  // octets before the start delimiter
};

#endif
