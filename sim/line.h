// SPDX-License-Identifier: Apache-2.0
//
// The SoC's line as others see it: frames and octets with times in femtoseconds. Behind it are GMII or MII and the
// ticks of their clocks; another kind of line is another class of this shape.
#ifndef LINE_H
#define LINE_H

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "Vsim_top.h"
#include "clocks.h"
#include "gmii_wire.h"
#include "nsoc_sim.h"

class Line {
public:
    Line(bool mii, const Clock &rx, const Clock &tx)
        : mii_(mii), rx_(rx), tx_(tx), sender_(mii), receiver_(mii), octet_ticks_(mii ? 2 : 1) {}

    // Forgets what it saw, and so does who is in reset.
    void start() { receiver_ = GmiiReceiver(mii_); }

    // Queues a frame, its destination address not before `not_before_fs`; returns its number.
    uint64_t send(const uint8_t *frame, size_t bytes, const FrameShape &shape, uint32_t ifg, uint64_t not_before_fs) {
        return sender_.send(frame_octets(frame, bytes, shape), shape.preamble + 1, rx_.number_from(not_before_fs), ifg);
    }
    size_t queued() const { return sender_.queued(); }
    // Frames that have left, by number.
    size_t sent() const { return sender_.sent().size(); }
    Stamps sent(size_t number) const { return in_fs(sender_.sent()[number], rx_); }

    // Frames that have come, oldest first, whose stamps are in ticks until stamps_fs() translates them.
    std::deque<ReceivedFrame> &frames() { return receiver_.frames(); }
    const std::deque<ReceivedFrame> &frames() const { return receiver_.frames(); }
    Stamps stamps_fs(const ReceivedFrame &frame) const { return in_fs(frame.stamps, tx_); }

    // When something was last on the line.
    uint64_t last_active_fs() const {
        const uint64_t in = rx_.time_of(sender_.last_active_tick()), out = tx_.time_of(receiver_.last_active_tick());
        return in > out ? in : out;
    }

    // When the pins change next, right after an edge, NEVER if nothing is to come; 0 while there is something on the
    // line.
    uint64_t next_fs() const {
        const uint64_t tick = sender_.next_tick();
        if (!receiver_.idle() || tick <= rx_.edges + 1) return 0;
        return tick == GmiiSender::NEVER ? NEVER : rx_.time_of(tick - 1);
    }
    static constexpr uint64_t NEVER = GmiiSender::NEVER;

    // On a network octets come and go instead of frames.
    void plug() {
        plugged_ = true;
        receiver_.tap();
    }
    bool plugged() const { return plugged_; }
    // From one octet to the next, of what the SoC sends.
    uint64_t octet_fs() const { return tx_.period * octet_ticks_; }
    // Takes the octets that the SoC has sent.
    void sent_octets(std::vector<nsoc_octet_t> &into) {
        for (const GmiiReceiver::Seen &seen : receiver_.seen) into.push_back({tx_.time_of(seen.tick), seen.octet, 0});
        receiver_.seen.clear();
    }
    // An octet for the SoC, in order. The first of a frame goes out at its time or behind what is before it, the others
    // follow it one by one.
    void carry(const nsoc_octet_t &octet) {
        check_in_time();
        if (octet.value & GmiiReceiver::END) {
            if (carrying_) sender_.close();
            carrying_ = false;
            return;
        }
        if (!carrying_) sender_.open(rx_.number_from(octet.time_fs));
        carrying_ = true;
        sender_.append(static_cast<Octet>(octet.value));
    }

    // Throws std::logic_error when an octet was due before it came.
    void check_in_time() const {
        if (sender_.starved()) throw std::logic_error("an octet of a frame on its way came too late");
    }

    // After a rising edge of the clock.
    void tx_edge(const Vsim_top &top) { receiver_.sample(tx_.edges + 1, top.gmii_tx_en, top.gmii_tx_er, top.gmii_txd); }
    void rx_edge(Vsim_top &top) {
        if (!sender_.advance(rx_.edges + 1)) return;
        top.gmii_rxd = sender_.data;
        top.gmii_rx_dv = sender_.valid;
        top.gmii_rx_er = sender_.error;
    }

private:
    static Stamps in_fs(const Stamps &ticks, const Clock &clock) {
        return {clock.time_of(ticks.start), clock.time_of(ticks.end)};
    }

    bool mii_;
    const Clock &rx_, &tx_;
    GmiiSender sender_;
    GmiiReceiver receiver_;
    uint64_t octet_ticks_;
    bool plugged_ = false;
    bool carrying_ = false;
};

#endif
