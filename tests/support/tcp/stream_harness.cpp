// SPDX-License-Identifier: Apache-2.0
//
// tcp_stream between an application and what the engine is to it: tells positions, takes SEND and READ, reads and
// writes rings by ACB, or what is like it with PORT bits. Each byte of a connection is a function of its position, so
// who has a byte knows what it must be.
//
//   stream_harness SEED CYCLES
//
// Random packets, stalls, deliveries by the other path, connections that end and begin. A line that says what is wrong
// and exit code 1, or one of figures: name=value.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "Vtcp_stream_tb.h"
#include "Vtcp_stream_tb___024root.h"
#include "verilated.h"

namespace {

constexpr uint32_t BASE = 0x5000'0000;
constexpr int BYTES = WIDTH / 8, WORD = PORT / 8, LONGEST = 1460, PACKET = 2048;
constexpr int SETTLED = 6;  // cycles behind what is told until it counts for sure

uint64_t cycle = 0;

[[noreturn]] void fail(const std::string &what) {
    std::printf("cycle %llu: %s\n", static_cast<unsigned long long>(cycle), what.c_str());
    std::exit(1);
}
void check(bool holds, const char *what, int64_t a = 0, int64_t b = 0) {
    if (!holds) fail(std::string(what) + " " + std::to_string(a) + " " + std::to_string(b));
}

// Lane 0 is the first byte: the top one of a port.
template <typename T>
void set_lane(T &port, int lane, uint8_t value, int lanes = BYTES) {
    const int bit = 8 * (lanes - 1 - lane);
    if constexpr (std::is_integral_v<T>) {
        port = (port & ~(T{0xFF} << bit)) | T{value} << bit;
    } else {
        port[bit / 32] = (port[bit / 32] & ~(0xFFu << bit % 32)) | static_cast<uint32_t>(value) << bit % 32;
    }
}
template <typename T>
uint8_t get_lane(const T &port, int lane, int lanes = BYTES) {
    const int bit = 8 * (lanes - 1 - lane);
    if constexpr (std::is_integral_v<T>) return static_cast<uint8_t>(port >> bit);
    else return static_cast<uint8_t>(port[bit / 32] >> bit % 32);
}

uint8_t byte_of(int way, uint32_t life, int index, uint32_t position) {
    uint32_t x = position * 0x9E37'79B1u ^ (life * 2 + way) * 0x85EB'CA6Bu ^ index * 0xC2B2'AE35u;
    x = (x ^ x >> 15) * 0x2C1B'3C6Du;
    return static_cast<uint8_t>(x >> 21);
}

struct Connection {
    bool open = false;
    uint32_t life = 0;
    uint64_t changed = 0, began = 0;  // when it was told to begin or to end
    // The send ring
    uint32_t given = 0, sendable = 0, sent = 0, read = 0, fetched = 0, acknowledged = 0;
    int reading = 0;            // words on their way
    uint64_t acknowledged_at = 0;
    // The receive ring
    uint32_t written = 0, stored = 0, received = 0, delivered = 0, said = 0;
    uint64_t knew = 0;  // when the engine told that it has read by itself
};

struct Packet {
    int index = 0, bytes = 0, length = 0, at = 0;  // bytes that it has, and says to have
    bool holes = false, hold = false, good = false, closed = false, killed = false, begun = false;
    uint64_t offered = 0;
};

struct Ask {
    bool read = false, err = false;
    int index = 0, first = 0, count = 0;  // of its bytes those that are looked at
    uint32_t position = 0, life = 0;
    bool last = false;
    uint64_t at = 0;
};

struct Bench {
    VerilatedContext context;
    std::unique_ptr<Vtcp_stream_tb> top{new Vtcp_stream_tb{&context}};
    std::mt19937 rng;
    std::vector<Connection> all = std::vector<Connection>(CONNECTIONS);
    std::map<std::string, uint64_t> figures;
    std::set<uint32_t> lengths, pairs, received_pairs;  // of packets; pairs: last beat, and byte of a line

    uint32_t random(uint32_t below) { return static_cast<uint32_t>((uint64_t{rng()} * below) >> 32); }
    bool chance(int percent) { return static_cast<int>(random(100)) < percent; }
    uint32_t ring(int index, bool sends, uint32_t position) {
        return BASE + ((sends ? CONNECTIONS : 0) + index) * RING_BYTES + position % RING_BYTES;
    }

    // ---- How lively each is, changed now and then -------------------------------------------------------------------
    int brief = 20, gaps = 0, stalls = 0, slow = 0, fast = 0, rare = 0, acks = 50, few = CONNECTIONS;
    bool calm = false;  // nothing new begins

    void mood() {
        const int some[] = {0, 0, 10, 50, 90}, slowness[] = {0, 0, 10, 50, 90, 98};
        gaps = some[random(5)], stalls = some[random(5)], slow = slowness[random(6)], rare = some[random(4)];
        fast = chance(50) ? 0 : 5 + random(60);
        acks = chance(30) ? 3 : 50, brief = chance(30) ? 95 : 20;
        few = chance(40) ? 1 + random(3) : CONNECTIONS;
    }
    int someone() { return random(few); }

    // ---- The application sends
    // ----------------------------------------------------------------------------------------
    bool offering = false, beat = false;
    Packet packet;
    int next_length = 0;
    std::deque<int> rings;  // doorbells
    uint64_t last_beat = 0, drops_length = 0, drops_closed = 0, expect_length = 0, expect_closed = 0;
    uint32_t placed = 0, placed_life = 0;
    int placed_index = 0;

    void new_packet() {
        const int index = someone();
        Connection &c = all[index];
        if (cycle - c.changed < SETTLED) return;
        packet = Packet{};
        packet.index = index;
        packet.bytes = packet.length = chance(brief) ? 1 + random(2 * BYTES) : next_length++ % LONGEST + 1;
        if (chance(1)) packet.bytes = packet.length = 1 + random(RING_BYTES);
        packet.hold = chance(20);
        packet.closed = !c.open;
        packet.good = c.open;
        packet.offered = cycle;
        if (chance(3)) {  // a length that is not that of the bytes
            const int kinds[] = {0,
                                 RING_BYTES + 1 + static_cast<int>(random(100)),
                                 packet.bytes + 1,
                                 packet.bytes - 1,
                                 packet.bytes + BYTES,
                                 packet.bytes - BYTES,
                                 65535};
            packet.length = kinds[random(7)];
            const int room = c.acknowledged + RING_BYTES - c.given;
            if (room && chance(50)) {  // one behind the room are bytes that the engine still wants
                packet.length = room;
                packet.bytes = room + 1 + random(chance(50) ? RING_BYTES : 2 * BYTES);
            }
            if (packet.length > RING_BYTES && packet.length < 65535) packet.bytes = packet.length;
            if (chance(20)) packet.bytes = packet.length = 2 * BYTES + 1 + random(99), packet.holes = true;
            if (packet.length < 0) packet.length = 0;
            packet.good = false;
        }
        if (!packet.good) packet.closed ? expect_closed++ : expect_length++;
        offering = true;
    }

    void drive_send() {
        if (!offering && !calm && !chance(rare)) new_packet();
        if (!offering) {
            top->s_tvalid = beat = false;
            top->s_tdest = random(CONNECTIONS), top->s_tlength = random(2000);
            return;
        }
        if (!beat) beat = packet.at == 0 || !chance(gaps);
        top->s_tvalid = beat;
        top->s_tdest = packet.index, top->s_tlength = packet.length, top->s_thold = packet.hold;
        const int left = packet.bytes - packet.at;
        top->s_tlast = left <= BYTES;
        top->s_tkeep = 0;
        for (int lane = 0; lane < BYTES; lane++) {
            if (packet.holes && packet.at == BYTES && lane == BYTES - 1) continue;
            if (lane < left) top->s_tkeep |= uint64_t{1} << (BYTES - 1 - lane);
            const Connection &c = all[packet.index];
            const uint8_t value = byte_of(0, c.life, packet.index, c.given + packet.at + lane);
            set_lane(top->s_tdata, lane, packet.good && lane < left ? value : ~value);
        }
    }

    void see_send() {
        drops_length += top->drop_length, drops_closed += top->drop_closed;
        if (placed_life && placed_life == all[placed_index].life)
            check(top->s_position == placed, "where a packet begins", placed_index, placed);
        placed_life = 0;
        if (!offering || !beat) return;
        Connection &c = all[packet.index];
        const bool room = c.acknowledged + RING_BYTES - c.given >= static_cast<uint32_t>(packet.length);
        const bool first = packet.at == 0;
        if (!top->s_tready) {
            check(first, "a packet waits after its first beat");
            const bool should =
                packet.closed || packet.length > RING_BYTES || (room && cycle - c.acknowledged_at >= SETTLED);
            check(!should || cycle - last_beat <= 1, "a packet with room waits", packet.index, cycle - last_beat);
            if ((cycle - packet.offered) % 500 == 499) rings.push_back(packet.index);  // all the room may be held
            return;
        }
        if (first && packet.good) {
            check(room, "a packet without room is taken", packet.index, packet.length);
            packet.begun = true;
            placed_index = packet.index, placed = c.given, placed_life = c.life;
        }
        packet.at += BYTES;
        beat = false;
        if (packet.at < packet.bytes) return;
        offering = false;
        last_beat = cycle;
        figures["packets"]++;
        if (!packet.good || packet.killed) return;
        if (packet.length <= LONGEST) lengths.insert(packet.length);
        pairs.insert(packet.length % BYTES * BYTES + c.given % BYTES);
        figures["round"] += c.given % RING_BYTES + packet.length > RING_BYTES;
        c.given += packet.length;
        if (!packet.hold) c.sendable = c.given;
        else if (chance(60)) rings.push_back(packet.index);
    }

    void drive_doorbell() {
        top->doorbell_valid = !rings.empty();
        if (!rings.empty()) top->doorbell_dest = rings.front();
    }
    void see_doorbell() {
        if (rings.empty() || !top->doorbell_ready) return;
        Connection &c = all[rings.front()];
        rings.pop_front();
        if (c.open || cycle - c.changed < SETTLED) c.sendable = c.given;
    }

    // ---- The application receives
    // ----------------------------------------------------------------------------------------
    int into = -1, taken = 0;  // inside a packet of whom, bytes of it
    uint64_t moved_at = 0;
    void see_receive() {
        bool waits = false;
        for (int i = 0; i < CONNECTIONS; i++) {
            waits = waits || (i != held && static_cast<int32_t>(all[i].received - all[i].delivered) > 0);
        }
        if (!waits || top->m_tvalid) moved_at = cycle;
        check(cycle - moved_at < 20 + 4 * CONNECTIONS, "received bytes wait");
        if (!top->m_tvalid || !top->m_tready) return;
        const int index = top->m_tdest;
        Connection &c = all[index];
        check(index != held || !claims, "what is held is delivered", index);
        check(into < 0 || into == index, "a packet changes its connection", into, index);
        check(top->busy_valid && top->busy_index == index, "it is not said who is busy", index);
        int count = 0;
        while (count < BYTES && (top->m_tkeep >> (BYTES - 1 - count) & 1)) count++;
        check(count > 0 && (top->m_tlast || count == BYTES), "a beat is not full", count);
        if (count < BYTES) check((top->m_tkeep & ((uint64_t{1} << (BYTES - count)) - 1)) == 0, "a mask with holes");
        for (int lane = 0; lane < count; lane++) {
            const uint8_t wanted = byte_of(1, c.life, index, c.delivered + taken + lane);
            check(get_lane(top->m_tdata, lane) == wanted, "a received byte is another one", index,
                  c.delivered + taken + lane);
        }
        taken += count;
        check(c.received - c.delivered >= static_cast<uint32_t>(taken), "bytes that were not received", index, taken);
        into = index;
        if (!top->m_tlast) return;
        check(taken <= PACKET, "a packet is too long", taken);
        received_pairs.insert(taken % BYTES * BYTES + c.delivered % BYTES);
        c.delivered += taken;
        figures["delivered"] += taken;
        into = -1, taken = 0;
    }

    // ---- The other path delivers ------------------------------------------------------------------------------------
    int held = -1, hold_left = 0;
    bool claims = false;  // it delivers
    bool looked = false;  // the cycle before was of the same hold, so look_* are of its connection

    void drive_fast() {
        bool over = false;
        top->fast_valid = false;
        if (held < 0) {
            if (fast && !calm && chance(fast)) held = someone(), hold_left = random(40);
            looked = claims = false;
        } else {
            Connection &c = all[held];
            const bool free = !(top->busy_valid && static_cast<int>(top->busy_index) == held);
            const bool settled = cycle - c.changed >= SETTLED;
            if (settled) check(top->look_open == c.open, "whether a connection is open", held, c.open);
            if (settled && free && c.open) {
                check(top->look_delivered == c.delivered, "what was delivered", top->look_delivered, c.delivered);
            }
            looked = true;
            if (hold_left-- <= 0 && !claims) {
                claims = settled && free && c.open && chance(80);
                over = !claims;
                hold_left = random(30);
            } else if (claims && hold_left < 0) {
                const uint32_t ahead = c.said + RING_BYTES - c.delivered, some = chance(50) ? LONGEST : 40;
                claims = false;
                over = chance(70);
                if (ahead && c.open && chance(80)) {  // else its segment was a bad one
                    c.delivered += 1 + random(ahead < some ? ahead : some);
                    top->fast_valid = true, top->fast_index = held, top->fast_position = c.delivered;
                    figures["fast"]++;
                    hold_left = 1 + random(10);
                }
            }
        }
        top->hold_valid = held >= 0;
        top->hold_index = top->look_index = held >= 0 ? held : random(CONNECTIONS);
        if (over) held = -1;  // in the next cycle
    }

    // ---- The engine
    // ---------------------------------------------------------------------------------------------------------
    std::deque<Ask> asks, under_way;
    uint64_t told_at = 0;

    void tell(int index, bool begins, bool closed, bool all_read = false) {
        Connection &c = all[index];
        top->told_valid = true, top->told_index = index, top->told_begins = begins, top->told_closed = closed;
        top->told_received = c.received, top->told_acknowledged = c.acknowledged, top->told_all_read = all_read;
        told_at = cycle;
    }

    // A connection that has begun just now: half of them shall be old, and their positions wrap around soon.
    void make_old() {
        if (begun < 0 || cycle - all[begun].changed != SETTLED - 1) return;
        Connection &c = all[begun];
        const uint32_t at = chance(50) ? 0 : -random(5000);
        c.given = c.sendable = c.sent = c.read = c.fetched = c.acknowledged = at;
        c.written = c.stored = c.received = c.delivered = c.said = at;
        auto *root = top->rootp;
        root->tcp_stream_tb__DOT__u_stream__DOT__u_send__DOT__given[begun] = at;
        root->tcp_stream_tb__DOT__u_stream__DOT__u_receive__DOT__received[begun] = at;
        root->tcp_stream_tb__DOT__u_stream__DOT__u_receive__DOT__delivered[begun] = at;
        root->tcp_stream_tb__DOT__u_stream__DOT__u_receive__DOT__said[begun] = at & (8 * RING_BYTES - 1);
        begun = -1;
    }
    int begun = -1, ended = 0;  // the last ones

    void drive_told() {
        top->told_valid = false;
        make_old();
        if (cycle - told_at < 2 || chance(slow < 98 ? slow : 50)) return;
        const int index = chance(20) ? ended : chance(3) ? static_cast<int>(random(CONNECTIONS)) : someone();
        Connection &c = all[index];
        const bool mine = offering && packet.index == index;
        const bool inside = mine && packet.begun && packet.bytes - packet.at > 6 * BYTES;
        if (!c.open) {
            const bool done = static_cast<int32_t>(c.received - c.delivered) <= 0 && into != index && held != index;
            bool quiet = done && cycle - c.changed > 10 && (!mine || (packet.killed && inside));
            for (const Ask &ask : asks) quiet = quiet && ask.index != index;
            for (const Ask &ask : under_way) quiet = quiet && ask.index != index;
            for (const int one : rings) quiet = quiet && one != index;
            if (top->request_valid && static_cast<int>(top->request_index) == index) quiet = false;
            if (top->busy_valid && static_cast<int>(top->busy_index) == index) quiet = false;
            if (!quiet || calm || begun >= 0) {
                if (chance(20)) {  // of one that has ended nothing counts that is told
                    const Connection before = c;
                    c.received += random(9), c.acknowledged += random(9);
                    tell(index, false, false);
                    c = before;
                }
                return;
            }
            const uint32_t life = c.life + 1;
            c = Connection{};
            c.open = true, c.life = life, c.changed = c.began = cycle;
            figures["begun"]++;
            begun = index;
            tell(index, true, false);
            return;
        }
        if (cycle - c.changed < SETTLED) return;
        const uint32_t before = c.received + c.acknowledged;
        if (chance(50) || calm) c.received = c.stored;
        if (c.acknowledged != c.fetched && c.reading == 0 && (chance(acks) || calm)) {
            c.acknowledged += 1 + random(c.fetched - c.acknowledged);
            if (chance(50)) c.acknowledged = c.fetched;
            c.acknowledged_at = cycle;
        }
        const bool ends = !calm && random(400) == 0 && (!mine || (inside && !packet.killed));
        if (ends) {
            if (inside) packet.killed = true, expect_closed++;
            c.received = c.stored;
            c.open = false, c.changed = cycle, ended = index;
        }
        if (ends || c.received + c.acknowledged != before || chance(5)) {
            // The engine knows what was delivered from READ or the other path: not before it has counted here.
            const bool counted = !(top->busy_valid && static_cast<int>(top->busy_index) == index);
            const bool all_read = !ends && counted && static_cast<int32_t>(c.received - c.delivered) <= 0 && chance(50);
            tell(index, false, ends, all_read);
            if (all_read && c.said != c.received) c.said = c.received, c.knew = cycle, figures["all_read"]++;
        }
    }

    void new_asks() {
        const int index = someone();
        Connection &c = all[index];
        if (asks.size() > 4 || !c.open || cycle - c.changed < SETTLED) return;
        if (chance(2)) {  // who may not
            const uint32_t position = random(RING_BYTES);
            Ask ask{.read = chance(50), .err = true, .index = index, .position = position};
            ask.first = random(3);  // a kind
            asks.push_back(ask);
            return;
        }
        if (chance(50)) {  // it reads what it has been told to send, or once more what is not acknowledged
            const bool again = chance(20);
            const uint32_t from = again ? c.acknowledged : c.read;
            const uint32_t to = again ? c.fetched : c.sent;
            const uint32_t some = random(4) == 0 ? 20 : LONGEST;
            if (to != from) ask_for(true, index, from, 1 + random(to - from < some ? to - from : some), !again);
        } else {
            const uint32_t room = c.said + RING_BYTES - c.written;
            const uint32_t some = random(4) == 0 ? 20 : LONGEST;
            if (room && !calm) ask_for(false, index, c.written, 1 + random(room < some ? room : some), true);
        }
    }
    void ask_for(bool reads, int index, uint32_t from, uint32_t count, bool counts) {
        Connection &c = all[index];
        if (counts) (reads ? c.read : c.written) = from + count;
        for (uint32_t at = from; at != from + count;) {
            Ask ask{
                .read = reads, .index = index, .first = static_cast<int>(at % WORD), .position = at, .life = c.life};
            while (at != from + count && ask.first + ask.count < WORD) ask.count++, at++;
            ask.last = at == from + count && counts;
            c.reading += reads;
            asks.push_back(ask);
        }
    }

    bool asking = false;
    void drive_acb() {
        new_asks();
        top->acb_valid = asking = !asks.empty() && !chance(slow / 2);
        if (!asking) return;
        const Ask &ask = asks.front();
        top->acb_read = ask.read;
        top->acb_mask = 0;
        for (int i = 0; i < WORD; i++) set_lane(top->acb_write_data, i, static_cast<uint8_t>(rng()), WORD);
        if (ask.err) {
            top->acb_mask = ~uint64_t{0} >> (64 - WORD);
            if (ask.first == 0) top->acb_address = ring(ask.index, !ask.read, ask.position);
            else if (ask.first == 1) top->acb_address = uint64_t{BASE} + 2 * CONNECTIONS * RING_BYTES + ask.position;
            else top->acb_address = (uint64_t{1} << (32 + random(4))) + ring(ask.index, ask.read, ask.position);
            return;
        }
        top->acb_address = ring(ask.index, ask.read, ask.position) & ~(WORD - 1u);
        for (int i = 0; i < ask.count; i++) {
            top->acb_mask |= uint64_t{1} << (WORD - 1 - ask.first - i);
            set_lane(top->acb_write_data, ask.first + i, byte_of(1, ask.life, ask.index, ask.position + i), WORD);
        }
    }
    void see_acb() {
        if (top->acb_answered) {
            check(!under_way.empty(), "an answer to nothing");
            const Ask ask = under_way.front();
            under_way.pop_front();
            Connection &c = all[ask.index];
            check(cycle - ask.at == 2, "an answer's latency", cycle - ask.at);
            check(top->acb_err == ask.err, "an answer's error", ask.index, ask.first);
            for (int i = 0; ask.read && !ask.err && i < ask.count; i++) {
                const uint8_t value = get_lane(top->acb_data, ask.first + i, WORD);
                check(value == byte_of(0, ask.life, ask.index, ask.position + i), "a sent byte is another one",
                      ask.index, ask.position + i);
            }
            if (ask.read && !ask.err) {
                figures["sent"] += ask.count, c.reading--;
                if (ask.last) c.fetched = ask.position + ask.count;
            }
            if (!ask.read && ask.last) c.stored = ask.position + ask.count;
        }
        check(top->acb_ready, "ACB is not ready");
        if (asking) {
            under_way.push_back(asks.front());
            under_way.back().at = cycle;
            asks.pop_front();
        }
    }

    bool offered = false;
    uint64_t offered_at = 0;
    uint32_t offered_position = 0;
    int wrote_index = -1;
    uint32_t wrote_position = 0;
    void see_request() {
        check(top->wrote == (wrote_index >= 0), "`wrote`");
        if (wrote_index >= 0) {
            check(static_cast<int>(top->wrote_index) == wrote_index && top->wrote_position == wrote_position,
                  "`wrote` of another one");
        }
        wrote_index = -1;
        if (offered) {
            check(top->request_valid && top->request_position == offered_position, "a request does not stand");
        }
        if (top->request_valid && !offered) offered_at = cycle;
        offered = top->request_valid && !top->request_ready;
        offered_position = top->request_position;
        if (!top->request_valid || !top->request_ready) return;
        const int index = top->request_index;
        Connection &c = all[index];
        const uint32_t position = top->request_position;
        if (top->request_sends) wrote_index = index, wrote_position = position;
        if (c.life && offered_at - c.began < 4) return;  // it was meant for the one before
        check(c.open || offered_at < c.changed + SETTLED, "a command for a closed connection", index);
        if (top->request_sends) {
            check(static_cast<int32_t>(position - c.sent) >= 0, "SEND goes back", index, position);
            check(static_cast<int32_t>(c.sendable - position) >= 0, "SEND of what is held", index, position);
            c.sent = position;
            figures["sends"]++;
        } else {
            check(top->request_reads, "a command of another kind");
            if (offered_at <= c.knew + SETTLED && static_cast<int32_t>(position - c.said) <= 0) return;  // has met it
            check(static_cast<int32_t>(position - c.said) > 0, "READ goes back", index, position);
            check(static_cast<int32_t>(c.received - position) >= 0, "READ of what was not received", index, position);
            check(static_cast<int32_t>(c.delivered - position) >= 0, "READ of what was not delivered", index, position);
            c.said = position;
            figures["reads"]++;
        }
    }

    // ---- A cycle
    // ---------------------------------------------------------------------------------------------------------------
    void step() {
        top->m_tready = !chance(stalls);
        top->request_ready = !chance(slow);
        drive_fast();
        drive_send();
        drive_doorbell();
        drive_told();
        drive_acb();
        top->clk = 0;
        top->eval();
        see_receive();
        see_request();
        see_acb();
        see_doorbell();
        see_send();
        edge();
    }
    void edge() {
        top->clk = 1;
        top->eval();
        cycle++;
    }
    void still() {  // all inputs at rest
        top->told_valid = top->acb_valid = top->s_tvalid = top->doorbell_valid = top->hold_valid = top->fast_valid = 0;
        top->request_ready = top->m_tready = 1;
    }
    void tick() {
        top->clk = 0;
        top->eval();
        edge();
    }
    void reset() {
        still();
        top->rst = 1;
        for (int i = 0; i < 4; i++) tick();
        top->rst = 0;
        tick();
    }

    void run(uint64_t cycles) {
        const uint64_t end = cycle + cycles;
        while (cycle < end) {
            if (random(2000) == 0) mood();
            step();
        }
        calm = true, gaps = stalls = slow = rare = 0, few = CONNECTIONS, acks = 100;
        held = -1;
        for (int i = 0; i < 40'000; i++) {
            step();
            if (i == 30'000) {  // what is held goes at last
                for (int index = 0; index < CONNECTIONS; index++) rings.push_back(index);
            }
        }
        still();
        for (int i = 0; i < 20; i++) tick();
        check(!offering, "a packet is not taken");
        for (int index = 0; index < CONNECTIONS; index++) {
            const Connection &c = all[index];
            check(c.delivered - c.received < uint32_t{1} << 31, "bytes are not delivered", index, c.received);
            if (!c.open) continue;
            check(c.sent == c.given && c.read == c.given, "bytes are not sent", index, c.given - c.sent);
            const uint32_t both = static_cast<int32_t>(c.received - c.delivered) < 0 ? c.received : c.delivered;
            check(c.said == both, "READ is missing", index, both - c.said);
        }
        check(drops_length == expect_length, "drops of lengths", drops_length, expect_length);
        check(drops_closed == expect_closed, "drops of closed ones", drops_closed, expect_closed);
        check(top->idle, "it is not idle");
        figures["lengths"] = lengths.size();
        figures["pairs"] = pairs.size(), figures["received_pairs"] = received_pairs.size();
        figures["drops_length"] = drops_length, figures["drops_closed"] = drops_closed;
    }

    // ---- One after the other, on a quiet machine
    // ---------------------------------------------------------------------------
    void quiet() {
        reset();
        auto told = [&](int index, bool begins, uint32_t received) {
            top->told_valid = 1, top->told_index = index, top->told_begins = begins, top->told_closed = 0;
            top->told_received = received, top->told_acknowledged = 0;
            tick();
            top->told_valid = 0;
        };
        told(3, true, 0);
        for (int i = 0; i < 10; i++) tick();
        check(top->idle, "it is not idle at first");
        // Two packets, one behind the other: of three beats and of one.
        uint64_t begin = cycle, last = 0;
        top->s_tdest = 3, top->s_tlength = 3 * BYTES, top->s_thold = 0, top->s_tvalid = 1;
        top->s_tkeep = ~uint64_t{0} >> (64 - BYTES);
        for (int beat_at = 0; beat_at < 4 && cycle < begin + 30;) {
            top->s_tlast = beat_at >= 2;
            if (beat_at == 3) top->s_tlength = BYTES;
            top->clk = 0;
            top->eval();
            const bool ready = top->s_tready;
            if (ready && beat_at == 0) figures["ready_after"] = cycle - begin;
            if (ready && beat_at == 2) last = cycle, figures["three_beats"] = cycle - begin + 1;
            if (ready && beat_at == 3) figures["gap"] = cycle - last - 1;
            beat_at += ready;
            edge();
        }
        top->s_tvalid = 0;
        for (int i = 0; i < 20 && !figures.count("send_after"); i++) {
            top->clk = 0;
            top->eval();
            edge();
            if (top->wrote && top->wrote_position == 3 * BYTES) figures["send_after"] = cycle - 1 - last;
        }
        for (int i = 0; i < 20; i++) tick();
        for (const int lines : {1, 2, 9}) {
            const uint32_t to = lines == 1 ? BYTES - 3 : lines == 2 ? BYTES + 1 : 10 * BYTES;
            begin = cycle;
            told(3, false, to);
            int beats = 0;
            const std::string name = "lines_" + std::to_string(lines);
            for (int i = 0; i < 60; i++) {
                top->clk = 0;
                top->eval();
                if (top->m_tvalid && !beats++) figures[name + "_first"] = cycle - begin;
                if (top->m_tvalid && top->m_tlast) figures[name + "_last"] = cycle - begin;
                if (top->request_valid && top->request_reads) figures[name + "_read"] = cycle - begin;
                edge();
            }
        }
    }
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    Bench bench;
    bench.rng.seed(std::strtoul(argv[1], nullptr, 0));
    bench.quiet();
    bench.reset();
    bench.run(std::strtoull(argv[2], nullptr, 0));
    for (const auto &[name, value] : bench.figures) std::printf("%s=%llu ", name.c_str(), (unsigned long long)value);
    std::printf("\n");
    return 0;
}
