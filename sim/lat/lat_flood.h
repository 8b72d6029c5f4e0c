// SPDX-License-Identifier: Apache-2.0
//
// A sender that is no engine: goes on in node 0's place, with segments of a few bytes back to back, faster than node 0
// could. It learns connections from what has passed the lines, and from there on node 0 hears nothing any more.
//
// It is a plain TCP: a connection has at most WINDOW bytes on their way; from three repeated acknowledgements on, or
// when the window is used up, it goes back to what is acknowledged. So the line is full, whatever node 1 takes.
// Or it keeps pace: so many bytes of all connections together are on their way as node 1 has shown to take, twice as
// many after each round trip until something is missing, then half of it, and from there on a segment more.
#ifndef LAT_FLOOD_H
#define LAT_FLOOD_H

#include <array>
#include <cstring>

#include "lat_boot.h"

class Flood {
public:
    // From before the connections are opened on.
    explicit Flood(Pair &pair) : pair_(pair), known_(pair.settings().connections) {
        pair_.lines[0].look = [this](LineFrame &frame) { learn(0, frame); };
        pair_.lines[1].look = [this](LineFrame &frame) { learn(1, frame); };
    }

    // Nothing is under way: from here on node 0 is out.
    void take_over() {
        for (unsigned i = 0; i < NODES; ++i) {
            pair_.lines[i].look = nullptr;
            pair_.lines[i].instead = [this, i](LineFrame &&frame) {
                if (i == 1) learn(1, frame);
            };
        }
        for (unsigned n = 0; n < known_.size(); ++n) {
            known_[n].base = known_[n].next;
            known_[n].acknowledged = known_[n].next;
            known_[n].given = pair_.nodes[0].given[n];
        }
    }

    // The first so many connections in turn, so many bytes a segment.
    void start(unsigned connections, unsigned payload, bool paced) {
        go_back();
        allowed_ = FIRST * payload;
        missed_ = false;
        connections_ = connections;
        payload_ = payload;
        turn_ = 0;
        pair_.lines[0].source = [this, paced](LineFrame &frame) {
            if (paced && unacknowledged_ + payload_ > allowed_) {
                if (pair_.now() < news_fs_ + TIMEOUT_FS) return false;
                go_back();
                less();
            }
            frame = segment();
            return true;
        };
    }

    void stop() { pair_.lines[0].source = nullptr; }

private:
    static constexpr unsigned IP = PREAMBLE + 14, TCP = IP + 20, PAYLOAD = TCP + 20;
    static constexpr unsigned WINDOW = 3072, REPEATS = 3, BURST = 8;
    static constexpr unsigned FIRST = 8;  // segments on their way at first, and at least
    static constexpr int64_t TIMEOUT_FS = 20'000'000'000;
    static constexpr uint8_t FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16;

    struct Known {
        std::array<uint8_t, PAYLOAD> head{};  // of the last segment
        uint32_t next = 0;  // sequence number of what is sent next
        uint32_t acknowledged = 0;  // by node 1
        uint32_t received = 0;  // from it
        uint32_t base = 0;  // `next` at byte `given` of the stream
        uint64_t given = 0;
        unsigned repeats = 0;  // of the last acknowledgement
        unsigned patience = 0;  // so many segments go before it goes back once more
    };

    static uint32_t number(const uint8_t *at, unsigned bytes) {
        uint32_t value = 0;
        while (bytes--) value = value << 8 | *at++;
        return value;
    }

    static void put(uint8_t *at, uint32_t value, unsigned bytes) {
        while (bytes--) *at++ = static_cast<uint8_t>(value >> 8 * bytes);
    }

    // Of 16-bit words, one's complement.
    static uint32_t sum(const uint8_t *at, unsigned bytes, uint32_t before = 0) {
        for (unsigned i = 0; i < bytes; ++i) before += uint32_t{at[i]} << (i & 1 ? 0 : 8);
        return before;
    }

    static uint32_t folded(uint32_t sum) {
        while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
        return ~sum & 0xFFFF;
    }

    void learn(unsigned from, const LineFrame &frame) {
        const uint8_t *bytes = frame.bytes.data();
        if (frame.bytes.size() < PAYLOAD + 4 || number(bytes + IP - 2, 2) != 0x0800 || bytes[IP + 9] != 6) return;
        const unsigned index = number(bytes + TCP + (from ? 2 : 0), 2) - Boot::LOCAL;
        if (index >= known_.size()) return;
        Known &one = known_[index];
        const uint8_t flags = bytes[TCP + 13];
        const unsigned length = number(bytes + IP + 2, 2) - 20 - 4 * (bytes[TCP + 12] >> 4);
        const uint32_t behind = number(bytes + TCP + 4, 4) + length + (flags & SYN ? 1 : 0) + (flags & FIN ? 1 : 0);
        if (from == 0) {
            std::memcpy(one.head.data(), bytes, PAYLOAD);
            one.next = behind;
            return;
        }
        one.received = behind;
        const uint32_t acknowledged = number(bytes + TCP + 8, 4);
        if (static_cast<int32_t>(acknowledged - one.acknowledged) > 0) {
            const bool all = static_cast<int32_t>(one.next - acknowledged) < 0;  // and some from before it went back
            const uint32_t news = (all ? one.next : acknowledged) - one.acknowledged;
            unacknowledged_ -= news;
            allowed_ += missed_ ? double{1} * news * payload_ / allowed_ : news;
            news_fs_ = pair_.now();
            one.acknowledged = acknowledged;
            one.repeats = 0;
            if (all) one.next = acknowledged;
        } else if (acknowledged == one.acknowledged && one.next != acknowledged && one.patience == 0) {
            ++one.repeats;
        }
    }

    void go_back() {
        for (Known &one : known_) {
            one.next = one.acknowledged;
            one.repeats = 0;
        }
        unacknowledged_ = 0;
        news_fs_ = pair_.now();
    }

    void less() {
        missed_ = true;
        allowed_ = std::max(allowed_ / 2, double{FIRST} * payload_);
    }

    LineFrame segment() {
        Known &one = known_[turn_];
        const unsigned index = turn_;
        turn_ = index + 1 < connections_ ? index + 1 : 0;
        if (one.repeats >= REPEATS || one.next - one.acknowledged + payload_ > WINDOW) {
            unacknowledged_ -= one.next - one.acknowledged;
            one.patience = BURST;
            one.repeats = 0;
            one.next = one.acknowledged;
            less();
        } else if (one.patience > 0) {
            --one.patience;
        }
        LineFrame frame;
        frame.bytes.assign(one.head.begin(), one.head.end());
        for (unsigned i = 0; i < payload_; ++i)
            frame.bytes.push_back(stream_byte(0, index, one.given + (one.next - one.base) + i));
        uint8_t *bytes = frame.bytes.data();
        put(bytes + IP + 2, 40 + payload_, 2);
        put(bytes + IP + 4, id_++, 2);
        put(bytes + IP + 10, 0, 2);
        put(bytes + IP + 10, folded(sum(bytes + IP, 20)), 2);
        put(bytes + TCP + 4, one.next, 4);
        put(bytes + TCP + 8, one.received, 4);
        put(bytes + TCP + 12, 0x5000 | PSH | ACK, 2);
        put(bytes + TCP + 16, 0, 2);
        const uint32_t pseudo = sum(bytes + IP + 12, 8, 6 + 20 + payload_);
        put(bytes + TCP + 16, folded(sum(bytes + TCP, 20 + payload_, pseudo)), 2);
        one.next += payload_;
        unacknowledged_ += payload_;
        frame.bytes.resize(std::max<size_t>(frame.bytes.size(), PREAMBLE + 60));
        end_with_check(frame);
        return frame;
    }

    Pair &pair_;
    std::vector<Known> known_;
    unsigned connections_ = 1, payload_ = 6, turn_ = 0;
    uint32_t unacknowledged_ = 0;  // bytes of all connections, ...
    double allowed_ = 0;  // ... and how many there may be, if it keeps pace
    bool missed_ = false;          // something was, so it is careful now
    int64_t news_fs_ = 0;  // when something was acknowledged last
    uint16_t id_ = 0;
};

#endif
