// SPDX-License-Identifier: Apache-2.0
//
// A link: one end of a line. Octets come and go with times. Each kind of end is a class. A cable joins two links
// (cable.h).
//
// Time passes in windows [from, until). advance() simulates one: it sees what was delivered before, and leaves in
// `sent` what went out. Octets are delivered in the order of time, and may be of later windows.
#ifndef LINK_H
#define LINK_H

#include <cstdint>
#include <deque>
#include <vector>

#include "frame.h"
#include "nsoc_sim.h"

using Octets = std::vector<nsoc_octet_t>;

constexpr uint64_t GIGABIT_OCTET_FS = 8'000'000;

class Link {
public:
    virtual ~Link() = default;

    Octets sent;

    // From one octet to the next, of what this end sends.
    virtual uint64_t octet_fs() const = 0;
    // The other end sends at this rate: true when this end now does, too, or does already, nearly.
    virtual bool take_rate(uint64_t octet_fs) = 0;
    // Whether the rate is this end's own.
    virtual bool has_rate() const = 0;

    // At the beginning of a window: looks for what comes from outside.
    virtual void look(uint64_t) {}
    // Before this time nothing is sent, unless something comes or a program asks for it. Less than the present: not
    // known.
    virtual uint64_t quiet_until() const = 0;
    virtual void advance(uint64_t from, uint64_t until) = 0;
    virtual void deliver(const Octets &octets) = 0;
};

// An end that has whole frames to send, and takes whole frames: host programs, TAP devices, ports of switches.
class Port : public Link {
public:
    Port() : reader_(GIGABIT_OCTET_FS) {}

    // The preamble begins at `not_before` at the earliest, `ifg` octets after the last frame; the first byte of the
    // destination address comes at `address_not_before` at the earliest.
    Stamps transmit(const uint8_t *frame, size_t bytes, const FrameShape &shape, uint32_t ifg, uint64_t not_before,
                    uint64_t address_not_before = 0);
    size_t queued() const { return queue_.size(); }

    uint64_t octet_fs() const override { return octet_fs_; }
    bool has_rate() const override { return false; }
    bool take_rate(uint64_t octet_fs) override;
    void deliver(const Octets &octets) override;
    // What has come and is not over is known when it is.
    uint64_t quiet_until() const override {
        if (!nothing_came()) return 0;
        return queue_.empty() ? NEVER : queue_.front().start;
    }

    static constexpr uint64_t NEVER = UINT64_MAX;
    // When the next frame is over for all that is delivered, its end of carrier too; NEVER when that is not known.
    uint64_t next_over() const {
        return reader_.frames.empty() ? NEVER : reader_.frames.front().stamps.end + 2 * octet_fs_;
    }

protected:
    // Sends what begins before `until`.
    void send(uint64_t until);
    // The next frame that is over before `until`; false when there is none.
    bool receive(uint64_t until, ReceivedFrame &frame);
    // Octets from the beginning of the preamble until the first byte of the destination address is whole.
    static uint64_t head(const FrameShape &shape) { return shape.preamble + 2; }

private:
    // Nothing has come that receive() did not give, not even the begin of a frame.
    bool nothing_came() const { return reader_.idle() && reader_.frames.empty(); }

    struct Departure {
        std::vector<Octet> octets;
        uint64_t ifg, not_before, address_not_before, head;
        uint64_t start;  // of the preamble
    };
    // When it goes out, behind those that are planned already.
    void plan(Departure &departure);

    uint64_t octet_fs_ = GIGABIT_OCTET_FS;
    FrameReader reader_;
    std::deque<Departure> queue_;
    uint64_t line_free_ = 0;  // when the last octet of the last frame is over, ...
    uint64_t begun_free_ = 0;  // ... of the last that has begun
};

// Frames wait until a program takes them.
class ListeningLink : public Port {
public:
    std::deque<ReceivedFrame> arrived;

    void advance(uint64_t from, uint64_t until) override;
};

// A program's end.
class HostLink : public ListeningLink {
public:
    void advance(uint64_t from, uint64_t until) override;
};

// A TAP device of the operating system. Few frames wait here for the line: the others stay with the operating system,
// which counts those that its queue has no room for.
class TapLink : public Port {
public:
    // Throws std::invalid_argument when it is not open.
    explicit TapLink(int descriptor);

    // What came from outside, with the time at which it went on the line.
    std::deque<ReceivedFrame> recorded;
    // Frames that did not go out: with a wrong FCS; not taken by the device.
    uint64_t bad = 0, refused = 0;

    void look(uint64_t now) override;
    void advance(uint64_t from, uint64_t until) override;

private:
    int descriptor_;
};

// A simulated SoC. Throws std::runtime_error with its sentence when it fails.
class SocLink : public Link {
public:
    // Plugs it in; its time goes on from where it is, beside the network's from `now`.
    SocLink(nsoc_sim_t *sim, const nsoc_soc_calls_t &calls, uint64_t now);

    uint64_t octet_fs() const override { return octet_fs_; }
    bool has_rate() const override { return true; }
    bool take_rate(uint64_t octet_fs) override;
    void advance(uint64_t from, uint64_t until) override;
    void deliver(const Octets &octets) override;
    uint64_t quiet_until() const override;

private:
    template <typename Result>
    Result checked(Result result) const;

    nsoc_sim_t *sim_;
    const nsoc_soc_calls_t calls_;
    uint64_t ahead_;  // the network's time less that of the SoC; may be negative, modulo 2^64
    uint64_t octet_fs_;
    Octets brought_;  // in the SoC's time
};

#endif
