// SPDX-License-Identifier: Apache-2.0
//
// The wire: what it sends, what the MAC may say of it, and what comes back.

#include "bench.h"

namespace nic_mac {

void Bench::begin_event() {
    size_t gap = 0;
    symbols_ = source_.event(gap);
    gap_ = gap;
    symbol_ = 0;
    high_nibble_ = false;
    wire_busy_ = true;
    event_start_ = now_ + rx_.period;
    ++sent_events_;
}

void Bench::end_event() {
    wire_busy_ = false;
    Frame f;
    size_t sfd = 0;
    Event event{event_start_, now_ + rx_.period, GOOD, 0, false, 0};
    event.cause = judge(mii_ ? aligned(symbols_) : symbols_, mii_ ? 18 : 9, f.bytes, sfd);
    event.bytes = f.bytes.size() + 4;
    if (event.cause == GOOD) {
        event.frame = frames_.size();
        event.pause = is_pause(f.bytes);
        f.start = event.start;
        f.sfd = event.start + static_cast<int64_t>(sfd) * rx_.period;  // MII: one a nibble before the frame
        f.end = event.end;
        f.words = 1 + (f.bytes.size() + 7) / 8;
        f.words_before = words_;
        if (!by_digest_.emplace(digest(f.bytes.data(), f.bytes.size()), frames_.size()).second)
            fail("two frames are the same");
        frames_.push_back(std::move(f));
    }
    words_ += 2 + symbols_.size() / 8;
    note("wire: event %llu ends, %llu symbols, cause %llu", sent_events_ - 1, symbols_.size(), event.cause);
    events_.push_back(event);
    last_event_ = last_activity_ = now_;
    if (events_.size() > 40) fail("40 carrier events without a disposition");
}

void Bench::drive_wire() {
    uint16_t symbol = 0;
    if (!wire_busy_) {
        if (gap_ > 0) {
            --gap_;
            symbol = source_.idle();
        } else if (!wire_stopped_ && sent_events_ < to_send_) {
            begin_event();
        }
    }
    if (wire_busy_) {
        if (symbol_ == symbols_.size()) {
            end_event();
            symbol = 0;
            if (gap_ > 0) --gap_;
            if (mii_) gap_ *= 2;
        } else if (!mii_) {
            symbol = symbols_[symbol_++];
        } else {
            symbol = symbols_[symbol_];
            symbol = static_cast<uint16_t>((symbol & ~0xFF) | (high_nibble_ ? symbol >> 4 & 15 : symbol & 15));
            symbol_ += high_nibble_;
            high_nibble_ = !high_nibble_;
        }
    }
    top_->gmii_rxd = static_cast<uint8_t>(symbol);
    top_->gmii_rx_dv = symbol >> 8 & 1;
    top_->gmii_rx_er = symbol >> 9 & 1;
}

// Would the filter take this frame?
bool Bench::accepted(const Event &event, uint32_t mac_control) {
    if (mac_control & NSOC_NIC_MAC_CONTROL_PROMISCUOUS) return true;
    const uint8_t *to = frames_[event.frame].bytes.data();
    static constexpr uint8_t ALL[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    if (std::memcmp(to, ALL, 6) == 0) return (mac_control & NSOC_NIC_MAC_CONTROL_BROADCAST) != 0;
    if (to[0] & 1) {
        const uint32_t bit = multicast_hash(to);
        return (value(bit < 32 ? REG(multicast_hash_low) : REG(multicast_hash_high)) >> (bit & 31) & 1) != 0;
    }
    return std::memcmp(to, source_.own, 6) == 0;
}

// What the MAC may say of an event, a bit for each cause.
uint32_t Bench::allowed(const Event &event) {
    const int64_t slack = cycles(8) + 8 * rx_.period;
    uint32_t may = 0;
    history(REG(control)).values(event.start - slack, event.start + slack, [&](uint32_t control) {
        if (!(control & MAC_ENABLE)) {
            may |= 1u << DISABLED;
            return;
        }
        if (event.cause != GOOD && event.cause != FCS) {
            may |= 1u << event.cause;
            return;
        }
        const History &longest = history(REG(max_frame));
        if (event.bytes > longest.smallest(event.start - slack, event.end + slack)) may |= 1u << OVERSIZE;
        if (event.bytes > longest.largest(event.start - slack, event.end + slack)) return;
        if (event.cause == FCS) {
            may |= 1u << FCS;
            return;
        }
        history(REG(mac_control)).values(event.start - slack, event.end + slack, [&](uint32_t mac_control) {
            if (event.pause && mac_control & NSOC_NIC_MAC_CONTROL_RX_PAUSE) may |= 1u << PAUSE;
            else if (accepted(event, mac_control)) may |= 1u << GOOD | 1u << OVERFLOW;
            else may |= 1u << FILTERED;
        });
    });
    return may;
}

// The most that the receive FIFO can have held when this frame began, in words: all that came since the last frame that
// had left it then. Faulty frames too, which are known to be bad only at their end.
uint64_t Bench::fifo_words(size_t before) {
    for (size_t i = before; i-- > 0;) {
        const Frame &f = frames_[i];
        if (f.left != INT64_MAX && f.left < frames_[before].start - cycles(20))
            return frames_[before].words_before - f.words_before - f.words;
    }
    return frames_[before].words_before;
}

void Bench::count_pulses(uint32_t stat) {
    for (uint32_t bit = 0; bit < S_TX; ++bit) {
        if (!(stat >> (CAUSES + bit) & 1)) continue;
        ++stat_[bit];
        if (bit == S_TX_UNDERRUN || bit == S_TX_ABORT || bit == S_TX_OVERSIZE) last_drop_ = cycle_;
        note("mac: tx pulse %llu", bit);
    }
    const uint32_t ends = stat & ((1u << CAUSES) - 1);
    if (!ends) return;
    if (ends & (ends - 1)) fail("two dispositions at once: stat 0x%x", stat);
    const Cause cause = STAT_CAUSE[__builtin_ctz(ends)];
    if (events_.empty()) fail("%s without a carrier event", CAUSE_NAMES[cause]);
    const Event event = events_.front();
    events_.pop_front();
    note("mac: event %llu is cause %llu", events_counted_, cause);
    const uint32_t may = allowed(event);
    if (!(may >> cause & 1))
        fail("event %llu is counted as %s; it is one that has %s, and 0x%x are possible",
             static_cast<unsigned long long>(events_counted_), CAUSE_NAMES[cause], CAUSE_NAMES[event.cause], may);
    ++events_counted_;
    ++causes_[cause];
    if (cause != GOOD && cause != PAUSE) last_drop_ = cycle_;
    if (event.cause != GOOD) return;
    Frame &f = frames_[event.frame];
    if (cause == GOOD) {
        if (f.where == Frame::CANDIDATE) f.where = Frame::IN_MAC;
        return;
    }
    if (f.where == Frame::STORED || f.where == Frame::LOOPED)
        fail("a frame that is counted as %s went on", CAUSE_NAMES[cause]);
    if (cause == OVERFLOW && !f.bytes.empty()) {
        const uint64_t words = fifo_words(event.frame) + f.words;
        if (words + 4 < RX_FIFO_WORDS)
            fail("overflow with at most %llu words of %zu", static_cast<unsigned long long>(words), RX_FIFO_WORDS);
    }
    if (f.where == Frame::REFUSED) --refused_;  // the MAC's verdict came after the memory's and is the one that counts
    f.where = Frame::GONE;
    by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
    Bytes().swap(f.bytes);
}

size_t Bench::find_frame(const uint8_t *bytes, size_t length) {
    const auto found = by_digest_.find(digest(bytes, length));
    if (found == by_digest_.end()) return SIZE_MAX;
    const Frame &f = frames_[found->second];
    return f.bytes.size() == length && std::memcmp(f.bytes.data(), bytes, length) == 0 ? found->second : SIZE_MAX;
}

std::string Bench::difference(const Bytes &expected, const uint8_t *bytes, size_t length) {
    char text[120];
    size_t at = 0;
    while (at < length && at < expected.size() && bytes[at] == expected[at]) ++at;
    std::snprintf(text, sizeof text, "%zu bytes instead of %zu, the first other one is byte %zu", length,
                  expected.size(), at);
    return text;
}

void Bench::on_line(const LineFrame &line) {
    last_activity_ = now_;
    note("line: a frame of %llu bytes began at %llu ps", line.bytes.size(), static_cast<uint64_t>(line.start));
    if (line.broken) fail("a frame leaves with %s", line.broken);
    if (line.gap < 12) fail("a frame leaves %zu byte times after the last one", line.gap);
    const int64_t slack = cycles(8) + 8 * tx_.period;
    if (!history(REG(control)).any(line.start - slack, line.start, MAC_ENABLE))
        fail("a frame leaves, and the MAC is disabled");
    // No frame begins before it is certain that it ends, and here no memory makes that certain.
    if (line.error) fail("a frame leaves with an error");
    if (!line.fcs_ok) fail("a frame leaves with a wrong FCS");
    Bytes got(line.bytes.begin(), line.bytes.end() - 4);
    if (bug_ == WRONG_BYTE && line_frames_ == 1000) got[20] ^= 1;
    if (got.size() < MIN_FRAME) fail("a frame of %zu bytes leaves", got.size());
    for (size_t i = next_out_; i < sessions_.size(); ++i) {
        Session &s = sessions_[i];
        if (s.refused || s.bad_length || s.aborted) continue;
        if (s.answered && got.size() == (s.bytes.size() < MIN_FRAME ? MIN_FRAME : s.bytes.size()) &&
            std::memcmp(got.data(), s.bytes.data(), s.bytes.size()) == 0) {
            for (size_t k = s.bytes.size(); k < got.size(); ++k)
                if (got[k] != 0) fail("the padding of a frame shows something");
            for (size_t k = next_out_; k < i; ++k)
                if (sessions_[k].maybe_bad) sessions_[k].bad_length = true;
            s.maybe_bad = false;
            next_out_ = i + 1;
            ++line_frames_;
            longer_sent_ += line.bytes.size() > MAX_FRAME_RESET;
            if (s.stamp) {
                wanted_.push_back({s.tag, line.sfd});
                ++stamps_wanted_;
                match_stamps();
            }
            Bytes().swap(s.bytes);
            return;
        }
        if (!s.maybe_bad) break;
    }
    const size_t index = find_frame(got.data(), got.size());
    if (index != SIZE_MAX) {
        Frame &f = frames_[index];
        if (f.where != Frame::IN_MAC) fail("frame %zu leaves and should not (it is in state %d)", index, f.where);
        if (!history(REG(control)).any(f.start - cycles(20), now_, MAC_LOOPBACK))
            fail("a received frame leaves without MAC loopback");
        if (index + 1 <= last_looped_) fail("frames leave in another order than they came");
        last_looped_ = index + 1;
        f.where = Frame::LOOPED;
        f.left = now_;
        ++looped_;
        ++line_frames_;
        return;
    }
    if (has(F_PAUSE) && std::memcmp(got.data(), PAUSE_ADDRESS, 6) == 0 && be16(&got[12]) == 0x8808) {
        const uint32_t quanta = be16(&got[16]);
        if (be16(&got[14]) != 1 || got.size() != MIN_FRAME || std::memcmp(&got[6], source_.own, 6) != 0)
            fail("a pause frame with opcode %u, %zu bytes", be16(&got[14]), got.size());
        for (size_t i = 18; i < got.size(); ++i)
            if (got[i]) fail("the padding of a pause frame shows something");
        // One that ends the pause may come when no more are asked for.
        if (!(quanta == 0 && paused_far_) &&
            !history(REG(mac_control)).any(line.start - cycles(4000), line.start, NSOC_NIC_MAC_CONTROL_TX_PAUSE))
            fail("a pause frame that nobody asked for, quanta %u", quanta);
        paused_far_ = quanta != 0;
        ++line_pauses_;
        return;
    }
    while (next_out_ < sessions_.size() &&
           (sessions_[next_out_].refused || sessions_[next_out_].bad_length || sessions_[next_out_].aborted))
        ++next_out_;
    if (next_out_ < sessions_.size())
        fail("a frame leaves that is not the next one: %s",
             difference(sessions_[next_out_].bytes, got.data(), got.size()).c_str());
    fail("a frame of %zu bytes leaves that nobody sent", got.size());
}

}  // namespace nic_mac
