// SPDX-License-Identifier: Apache-2.0
//
// What firmware does before a program may talk: addresses, key, timers, rings; connections by handshakes, the first one
// behind an ARP request. All connections of the two nodes are with each other: all but the last by a listener of node
// 1, whose record is the last one's then. That one both open at once, and each one that is opened again later.
#ifndef LAT_BOOT_H
#define LAT_BOOT_H

#include <functional>
#include <map>

#include "lat_pair.h"
#include "nsoc_map.h"

struct BootSettings {
    uint32_t ring_bytes = 4096;
    bool timestamps = false;
    uint32_t delayed_ack_us = 1;
    uint32_t least_rto_us = 1000;
};

class Boot {
public:
    Boot(Pair &pair, const BootSettings &settings) : pair_(pair), settings_(settings) {
        for (unsigned i = 0; i < NODES; ++i) start(i);
        listen();
        for (unsigned i = 0; i < last(); ++i) open(i);
        end_listening();
    }

    // The last connection's record is a listener from now on, through which others open; it was released.
    void listen() { command(1, last(), LISTEN, last(), SERVICE); }

    void open(unsigned near) {
        command(0, near, OPEN, NODE_ADDRESS + 1, uint32_t{SERVICE} << 16 | (LOCAL + near));
        join(near);
    }

    // ... and a connection again, that both ends open at once.
    void end_listening() {
        command(1, last(), CLOSE, 0, 0);
        wait_for(1, CLOSED);
        command(1, last(), RELEASE, 0, 0);
        set_up(1, last(), false);
        both_open(last());
    }

    unsigned last() const { return pair_.settings().connections - 1; }

    // Node 1 has no more to send, then node 0. `last_words` is what node 0 does in between.
    void close(unsigned near, const std::function<void()> &last_words) {
        const unsigned far = pair_.nodes[0].peer[near];
        command(1, far, SHUTDOWN, 0, 0);
        wait_for(0, FINISHED, near);
        last_words();
        command(0, near, CLOSE, 0, 0);
        wait_for(0, CLOSED, near);
        command(1, far, CLOSE, 0, 0);
        command(1, far, ABORT, 0, 0);  // it would be in TIME-WAIT for two MSL
        wait_for(1, CLOSED, far);
    }

    // Node 1 resets it.
    void abort(unsigned near) {
        const unsigned far = pair_.nodes[0].peer[near];
        command(1, far, ABORT, 0, 0);
        wait_for(1, CLOSED, far);
        wait_for(0, CLOSED, near);
    }

    // One that is closed may be opened again.
    void release(unsigned near) {
        const unsigned ends[] = {near, pair_.nodes[0].peer[near]};
        for (unsigned i = 0; i < NODES; ++i) {
            command(i, ends[i], RELEASE, 0, 0);
            if (i == 0 || ends[i] == last()) set_up(i, ends[i], false);  // the others are in the pool
            pair_.nodes[i].given[ends[i]] = pair_.nodes[i].received[ends[i]] = 0;
            seen_[i].erase(ends[i]);
        }
    }

    static constexpr uint16_t LOCAL = 10'000;  // port of node 0's first connection; the others' are behind it

    // An acknowledgement waits so long for data to ride on.
    void delay_acknowledgements(uint32_t us) {
        for (unsigned i = 0; i < NODES; ++i) pair_.write(i, nsoc_map::toe::DELAYED_ACK, us);
    }
    void delay_acknowledgements() { delay_acknowledgements(settings_.delayed_ack_us); }

private:
    enum Op : uint32_t { SETUP, OPTION, OPEN, LISTEN, ACCEPT, SEND, READ, SHUTDOWN, CLOSE, ABORT, RELEASE, STATUS };
    enum Event : uint32_t {
        ACCEPTED = 1u << 16,
        CONNECTED = 1u << 17,
        FINISHED = 1u << 20,
        CLOSED = 1u << 24,
        VALID = 1u << 31
    };
    static constexpr uint32_t MASK = 0xFFFF'FF00, READY = 1u << 24;
    static constexpr uint32_t IP_ON = 0x17;  // enable, tcp, refuse, steady
    static constexpr uint16_t SERVICE = 7, LAST_SERVICE = 8;
    static constexpr uint32_t POOL = 8, LEAST_RING = 2048;
    static constexpr uint32_t FIRST_RTO_US = 200;
    static constexpr unsigned PATIENCE = 200'000;  // polls: under load a SYN may be lost more than once
    static constexpr unsigned ATTEMPTS = 20;

    void start(unsigned i) {
        using namespace nsoc_map::toe;
        for (unsigned n = 0; !(pair_.read(i, nsoc_map::toe::STATUS) & READY); ++n)
            if (n == PATIENCE) throw failure("the engine is not ready");
        const std::pair<uint32_t, uint32_t> values[] = {
            {MAC_HIGH, 0x0200},
            {MAC_LOW, 1 + i},
            {ADDRESS, NODE_ADDRESS + i},
            {nsoc_map::toe::MASK, MASK},
            {KEY0, random()},
            {KEY1, random()},
            {KEY2, random()},
            {KEY3, random()},
            {LEAST_RTO, settings_.least_rto_us},
            {FIRST_RTO, FIRST_RTO_US},
            {DELAYED_ACK, settings_.delayed_ack_us},
            {OFFERS, 5u | uint32_t{settings_.timestamps} << 1},
            {IP_CONTROL, IP_ON},
        };
        for (const auto &[address, value] : values) pair_.write(i, address, value);
        const unsigned count = pair_.settings().connections;
        for (unsigned n = 0; n < count; ++n) set_up(i, n, i == 1 && n != count - 1);
    }

    uint32_t random() { return static_cast<uint32_t>(pair_.draw().below(uint64_t{1} << 32)); }

    void set_up(unsigned i, unsigned n, bool pool) {
        uint32_t size = 0;
        while (LEAST_RING << size < settings_.ring_bytes) ++size;
        const uint64_t base = nsoc_map::PACKET_MEMORY_BASE;
        const uint64_t receive = base + uint64_t{n} * settings_.ring_bytes;
        const uint64_t send = base + uint64_t{pair_.settings().connections + n} * settings_.ring_bytes;
        command(i, n, SETUP, static_cast<uint32_t>(receive) | size,
                static_cast<uint32_t>(send) | size | (pool ? POOL : 0));
    }

    void hand_over(unsigned i, unsigned n, Op op, uint32_t a, uint32_t b) {
        pair_.write(i, nsoc_map::toe::ARGUMENT_A, a);
        pair_.write(i, nsoc_map::toe::ARGUMENT_B, b);
        pair_.write(i, nsoc_map::toe::COMMAND, n | op << 16);
    }

    void answered(unsigned i, unsigned n, Op op) {
        for (unsigned polls = 0; polls < PATIENCE; ++polls) {
            const uint32_t answer = pair_.read(i, nsoc_map::toe::ANSWER);
            if (!(answer & VALID)) continue;
            if ((answer & 0x3FF'FFFF) == (n | op << 16)) return;
            throw failure("node " + std::to_string(i) + " has refused command " + std::to_string(op) +
                          " at connection " + std::to_string(n));
        }
        throw failure("a command was not answered");
    }

    void command(unsigned i, unsigned n, Op op, uint32_t a, uint32_t b) {
        hand_over(i, n, op, a, b);
        answered(i, n, op);
    }

    // The next event with one of these bits; others are forgotten.
    uint32_t next_event(unsigned i, uint32_t bits) {
        for (unsigned polls = 0; polls < PATIENCE; ++polls) {
            const uint32_t event = pair_.read(i, nsoc_map::toe::EVENT);
            if (event & VALID && event & bits) return event;
        }
        throw failure("node " + std::to_string(i) + " was not told of a connection");
    }

    // The connection that has such an event next.
    unsigned wait_for(unsigned i, uint32_t wanted) {
        const uint32_t event = next_event(i, wanted | CLOSED);
        if (!(event & wanted)) throw failure("connection " + std::to_string(event & 0xFFFF) + " was closed");
        return event & 0xFFFF;
    }

    // Until that one has it, now or before.
    void wait_for(unsigned i, uint32_t wanted, unsigned connection) {
        for (unsigned polls = 0; polls < PATIENCE; ++polls) {
            if (seen_[i][connection] & wanted) return;
            const uint32_t event = pair_.read(i, nsoc_map::toe::EVENT);
            if (!(event & VALID)) continue;
            const unsigned index = event & 0xFFFF;
            if (event & CLOSED && index != connection) throw failure("a connection was closed that should not be");
            seen_[i][index] |= event;
        }
        throw failure("node " + std::to_string(i) + " was not told in time of " + std::to_string(wanted >> 16) +
                      " at connection " + std::to_string(connection));
    }

    void join(unsigned near) {
        const unsigned connected = wait_for(0, CONNECTED), far = wait_for(1, ACCEPTED);
        const uint32_t ports = pair_.read(1, nsoc_map::toe::PORTS);
        if (connected != near || ports >> 16 != LOCAL + near) throw failure("another connection has opened");
        command(1, far, ACCEPT, 0, 0);
        meet(near, far);
    }

    // A SYN that comes before the other end opens is refused, and so is the other's then: both open again.
    void both_open(unsigned n) {
        for (unsigned attempt = 0; attempt < ATTEMPTS; ++attempt) {
            hand_over(0, n, OPEN, NODE_ADDRESS + 1, uint32_t{LAST_SERVICE} << 16 | (LOCAL + n));
            hand_over(1, n, OPEN, NODE_ADDRESS, (LOCAL + n) << 16 | uint32_t{LAST_SERVICE});
            for (unsigned i = 0; i < NODES; ++i) answered(i, n, OPEN);
            bool connected[NODES];
            for (unsigned i = 0; i < NODES; ++i) connected[i] = has_connected(i, n);
            if (connected[0] != connected[1]) throw failure("one end is open, the other was refused");
            if (connected[0]) return meet(n, n);
            for (unsigned i = 0; i < NODES; ++i) {
                command(i, n, RELEASE, 0, 0);
                set_up(i, n, false);
            }
        }
        throw failure("two ends that open at once were refused each time");
    }

    // Whether it has; else it was refused.
    bool has_connected(unsigned i, unsigned n) {
        const uint32_t event = next_event(i, CONNECTED | CLOSED);
        if ((event & 0xFFFF) != n) throw failure("another connection has opened or was closed");
        return event & CONNECTED;
    }

    void meet(unsigned near, unsigned far) {
        pair_.nodes[0].peer[near] = static_cast<uint16_t>(far);
        pair_.nodes[1].peer[far] = static_cast<uint16_t>(near);
    }

    Pair &pair_;
    BootSettings settings_;
    std::map<unsigned, uint32_t> seen_[NODES];  // events by connection, since it was opened
};

#endif
