// SPDX-License-Identifier: Apache-2.0
//
// Measures two nodes on a cable. Arguments are KEY=VALUE:
//
//   width columns connections ring_bytes core_fs mac_fs one_clock timestamps seed   as built, and the clocks' periods
//   ppm=N                                                       node 1's clocks are slower by so much
//   modes=stream-early,...  payloads=1,32,...  phases=64        single segments on an idle line; in turn
//   goodput=1460,...  udp=18,...  warm_fs window_fs             streams, datagrams of that length: both ways at once
//   received=6                                                  segments back to back from a sender that is no engine
//                                                               (lat_flood.h), through all connections, then one; the
//                                                               same when it keeps pace; the last thing that is done
//   gap_percent stall_percent udp_stall_percent                 applications that pause
//   corrupt=N                                                   each single segment goes with byte N spoilt first
//   lose spoil swap repeat                                      of 1000 frames, while there are streams (xgmii_line.h)
//   offer_mss=N                                                 what node 1's SYNs say
//   reopen=N reset=N                                            while there are streams so many connections are closed,
//                                                               reset, and opened again
//   least_rto_us delayed_ack_us                                 of the engines, 1000 and 1 by default
//
// A line for each measurement:
//
//   latency MODE PAYLOAD CONNECTION APP_FIRST .. OUT_LAST    the taps (lat_pair.h): the edges at which they were
//                                                            high, in femtoseconds since the offer; `-`: was not.
//                                                            OUT_LAST is the end
//   load WHAT PAYLOAD NODE UNITS SENT  GIVEN TAKEN FRAMES COUNT ..    WHAT: goodput, udp, received, received-one,
//                                                            received-paced, received-paced-one. In the window: bytes
//                                                            (datagrams) the node's application has taken (of full
//                                                            segments those that came on the line), and frames the node
//                                                            has sent. From quiet to quiet: those given to the
//                                                            other node and taken here, frames that came, and what
//                                                            became of them (as in lat_pair.h; of received the engine's
//                                                            counters behind that)
//   line NODE LOST SPOILT SWAPPED REPEATED LONGEST           at the end, where there is an xgmii_line: of what it sends
//   stat NODE COUNT ..                                       at the end: as in lat_pair.h; packets that did not count
//   engine NODE COUNT ..                                     ... the engine's counters, from tcp_drop_no_connection on
//   simulated CYCLES EVALUATIONS EDGES                       ... as in lat_pair.h
//
// The watch starts at the edge behind which s_tvalid (or doorbell_valid) is up, a cycle or more before the beat is
// taken; it stops at the edge that takes the last beat that counts. So a node that took a beat at once, and gave it at
// once, would need a cycle. Before each segment the line is idle, what was sent is acknowledged, and each clock is
// moved by less than a period, as the seed says. Every byte is compared with what was sent. Exit status 1, and a
// sentence, when a byte is wrong or missing, a datagram wrong, a segment went twice or one payload in two.
#include <cinttypes>
#include <cstdio>
#include <tuple>

#include "lat_boot.h"
#include "lat_flood.h"
#include "options.h"

namespace {

constexpr uint64_t US = 1'000'000'000;  // in femtoseconds
constexpr uint64_t PATIENCE_FS = 50 * US, QUIET_FS = 3 * US / 2;
constexpr unsigned AT_REST = 200, SETTLE = 8;  // cycles
constexpr unsigned ALONE = 512;  // bytes: shorter ones are alone at their connection
constexpr unsigned AROUND = 78, STAMP = 12;  // bytes on the line: headers, FCS, preamble and gap; an option
constexpr unsigned RIDE_US = 100;  // full segments both ways: acknowledgements have data to ride on
constexpr uint64_t DRAIN_FS = 100 * US;  // what waits before net at the most: no answer need come of it
constexpr unsigned FLOODED = 20;  // times PATIENCE_FS: above 10 Gb/s small frames come sooner than they are taken
constexpr unsigned SOME = 64;  // cycles, drawn: what scans inside is anywhere

class Bench {
public:
    Bench(Pair &pair, const Options &options) : pair_(pair), options_(options) {
        for (unsigned i = 0; i < NODES; ++i) shut_[i].resize(pair.settings().connections);
    }

    // Both lines have been idle for long enough that nothing is under way; `times`: what waits inside may be more.
    void settle(unsigned times = 1) {
        pair_.until(
            [&] {
                for (const Node &node : pair_.nodes) {
                    if (!node.packets.empty() || node.datagrams.size) return false;
                    if (pair_.now() < node.busy_fs + int64_t{QUIET_FS}) return false;
                }
                for (const Line &line : pair_.lines)
                    if (!line.idle()) return false;
                return true;
            },
            times * PATIENCE_FS, "an idle line");
    }

    void segment(const std::string &mode, unsigned payload) {
        const bool doorbell = mode.rfind("doorbell", 0) == 0;
        Node &sender = pair_.nodes[0], &receiver = pair_.nodes[1];
        const unsigned connection = static_cast<unsigned>(pair_.draw().below(pair_.settings().connections));
        const unsigned gaps = static_cast<unsigned>(options_.number("gap_percent"));
        settle();
        pair_.early(mode.find("early") != std::string::npos);
        pair_.new_phases();
        pair_.cycles(SETTLE + static_cast<unsigned>(pair_.draw().below(SOME)));
        pair_.forget_taps();
        if (options_.has("corrupt")) pair_.corrupt(0, static_cast<unsigned>(options_.number("corrupt")), 0x10);
        const uint64_t before = receiver.bytes_in;
        const uint64_t again = receiver.aborted;
        receiver.last_out_fs = NEVER;
        const bool promise = !doorbell && !gaps;
        sender.packets.push_back(
            {static_cast<uint16_t>(connection), static_cast<uint16_t>(payload), promise, doorbell, gaps});
        if (doorbell) {
            pair_.until([&] { return sender.packets.empty(); }, PATIENCE_FS, "a packet to be taken");
            pair_.cycles(AT_REST + static_cast<unsigned>(pair_.draw().below(SOME)));
            if (sender.frames) throw failure("a packet went before its doorbell");
            sender.doorbell = static_cast<int>(connection);
        }
        const uint64_t patience = options_.has("corrupt") ? 100 * PATIENCE_FS : PATIENCE_FS;
        pair_.until([&] { return receiver.bytes_in == before + payload; }, patience, "a payload");
        const int64_t end = receiver.last_out_fs;
        if (!options_.has("corrupt")) {
            if (sender.frames != 1) throw failure("one payload went as more than one frame");
            if (receiver.aborted != again) throw failure("a good segment was given up");
            if (receiver.tap_count[OUT_LAST] && receiver.tap_fs[OUT_LAST] != end)
                throw failure("the tap out_last is not when the last beat was taken");
        }
        std::printf("latency %s %u %u", mode.c_str(), payload, connection);
        for (unsigned tap = 0; tap < TAPS; ++tap) {
            const Node &node = tap < MAC_OUT ? sender : receiver;
            const int64_t at = tap == OUT_LAST ? end : node.tap_fs[tap];
            if (at == NEVER) std::printf(" -");
            else std::printf(" %" PRId64, at - sender.offered_fs);
        }
        std::printf("\n");
        std::fflush(stdout);
        pair_.corrupt(0, 0, 0);
        pair_.until([&] { return receiver.frames != 0; }, PATIENCE_FS, "an acknowledgement");
    }

    void goodput(unsigned payload, Boot &boot) {
        settle();
        pair_.early(true);
        faults({static_cast<unsigned>(options_.number("lose")), static_cast<unsigned>(options_.number("spoil")),
                static_cast<unsigned>(options_.number("swap")), static_cast<unsigned>(options_.number("repeat"))});
        // Small ones wait for the acknowledgement of those before (Nagle).
        if (payload >= ALONE) boot.delay_acknowledgements(RIDE_US);
        Load load(*this, "goodput", payload);
        stream(payload, options_.number("warm_fs", 50 * US));
        load.window();
        stream(payload, options_.number("window_fs", 200 * US), &boot);
        load.window_ends();
        pair_.until(
            [&] {
                for (unsigned c = 0; c < pair_.settings().connections; ++c)
                    if (!all_has_come(c)) return false;
                return true;
            },
            (options_.has("lose") ? 1000 : 40) * PATIENCE_FS, "the rest of what was sent");
        faults({});
        boot.delay_acknowledgements();
        if (payload >= ALONE) run_for(RIDE_US * US);  // those that wait still go
        settle();
        pair_.cycles(10 * AT_REST);  // what waits for net is there
        load.print();
    }

    void datagrams(unsigned length) {
        settle();
        Load load(*this, "udp", length);
        for (Node &node : pair_.nodes) {
            node.datagrams.length = length;
            node.datagrams.stall_percent = static_cast<unsigned>(options_.number("udp_stall_percent"));
        }
        run_for(options_.number("warm_fs", 50 * US));
        load.window();
        run_for(options_.number("window_fs", 200 * US));
        load.window_ends();
        for (Node &node : pair_.nodes) node.datagrams.length = node.datagrams.stall_percent = 0;
        settle();
        pair_.cycles(10 * AT_REST);  // what waits is taken now
        load.print();
    }

    // Node 0 is no longer there.
    void received(Flood &flood, unsigned payload) {
        settle();
        pair_.early(true);
        flood.take_over();
        const unsigned all = pair_.settings().connections;
        const std::tuple<const char *, unsigned, bool> ways[] = {{"received", all, false},
                                                                 {"received-one", 1, false},
                                                                 {"received-paced", all, true},
                                                                 {"received-paced-one", 1, true}};
        for (const auto &[what, connections, paced] : ways) {
            settle();
            Load load(*this, what, payload);
            flood.start(connections, payload, paced);
            run_for(options_.number("warm_fs", 50 * US));
            load.window();
            run_for(options_.number("window_fs", 200 * US));
            load.window_ends();
            flood.stop();
            run_for(DRAIN_FS);
            settle(FLOODED);
            load.print();
        }
    }

    void stat() {
        for (unsigned i = 0; i < pair_.lines.size(); ++i) {
            const LineCounts &counts = pair_.lines[i].counts;
            std::printf("line %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu\n", i, counts.lost, counts.spoilt,
                        counts.swapped, counts.repeated, counts.longest);
        }
        for (unsigned i = 0; i < NODES; ++i) {
            std::printf("stat %u", i);
            for (const uint64_t count : pair_.nodes[i].stat) std::printf(" %" PRIu64, count);
            std::printf(" %" PRIu64 "\n", pair_.nodes[i].aborted);
        }
        for (unsigned i = 0; i < NODES; ++i) {
            std::printf("engine %u", i);
            for (const uint32_t count : engine(i)) std::printf(" %u", count);
            std::printf("\n");
        }
        std::printf("simulated");
        for (const uint64_t count : pair_.simulated()) std::printf(" %" PRIu64, count);
        std::printf("\n");
    }

private:
    // What a line of output is about, from now on.
    class Load {
    public:
        Load(Bench &bench, const char *what, unsigned payload)
            : bench_(bench),
              pair_(bench.pair_),
              what_(what),
              payload_(payload),
              before_{pair_.nodes[0], pair_.nodes[1]} {
            if (of_flood()) engine_ = bench.engine(1);
        }

        void window() {
            for (unsigned i = 0; i < NODES; ++i) units_[i] = taken(pair_.nodes[i]);
            pair_.forget_taps();
            begin_ = pair_.now();
        }

        void window_ends() {
            end_ = pair_.now();
            for (unsigned i = 0; i < NODES; ++i) {
                units_[i] = taken(pair_.nodes[i]) - units_[i];
                sent_[i] = pair_.nodes[i].frames;
            }
        }

        // Nothing is under way.
        void print() const {
            for (unsigned i = of_flood() ? 1 : 0; i < NODES; ++i) {
                const uint64_t units = of_line() ? on_line(1 - i) : units_[i];
                const Node &node = pair_.nodes[i], &other = pair_.nodes[1 - i];
                std::printf("load %s %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, what_.c_str(),
                            payload_, i, units, sent_[i], given(other) - given(before_[1 - i]),
                            taken(node) - taken(before_[i]), node.frames_in - before_[i].frames_in);
                for (unsigned n = 0; n < STATS; ++n) std::printf(" %" PRIu64, node.stat[n] - before_[i].stat[n]);
                if (of_flood()) {
                    const std::vector<uint32_t> now = bench_.engine(i);
                    for (size_t n = 0; n < now.size(); ++n) std::printf(" %u", now[n] - engine_[n]);
                }
                std::printf("\n");
            }
            std::fflush(stdout);
        }

    private:
        // Full segments, none of them lost: what came is what was on the line. What the application has taken in the
        // window may have come before it.
        bool of_line() const { return what_ == "goodput" && payload_ >= ALONE && !pair_.settings().lines; }

        // Bytes that node `from` had on the line in the window: of a segment by the part of its time, with preamble and
        // gap, that is in there. Times are those of words, and gaps differ by some bytes: so two words less at each
        // end, and the line cannot have more than it carries. Frames of half the length are acknowledgements.
        uint64_t on_line(unsigned from) const {
            const int64_t word = static_cast<int64_t>(pair_.settings().mac_fs[from]);
            const int64_t begin = begin_ + 2 * word, end = end_ - 2 * word;
            const unsigned stamp = bench_.options_.number("timestamps") ? STAMP : 0;
            const int64_t slot = (AROUND + stamp + payload_) * word / pair_.settings().lanes;
            int64_t time = 0;
            for (const auto &[first, last] : pair_.nodes[from].line) {
                if (last - first < slot / 2) continue;
                time += std::max<int64_t>(std::min(first + slot, end) - std::max(first, begin), 0);
            }
            return static_cast<uint64_t>(static_cast<double>(time) / static_cast<double>(slot) * payload_);
        }

        bool of_flood() const { return what_.rfind("received", 0) == 0; }
        uint64_t taken(const Node &node) const { return what_ == "udp" ? node.datagrams.taken : node.bytes_in; }
        uint64_t given(const Node &node) const { return what_ == "udp" ? node.datagrams.given : node.bytes_given; }

        Bench &bench_;
        Pair &pair_;
        std::string what_;
        unsigned payload_;
        Node before_[NODES];
        uint64_t units_[NODES] = {}, sent_[NODES] = {};
        int64_t begin_ = 0, end_ = 0;
        std::vector<uint32_t> engine_;  // of node 1
    };

    std::vector<uint32_t> engine(unsigned i) {
        using namespace nsoc_map::toe;
        std::vector<uint32_t> counts;
        for (uint32_t at = TCP_DROP_NO_CONNECTION; at <= COMMAND_REFUSED; at += 4) counts.push_back(pair_.read(i, at));
        return counts;
    }

    void run_for(uint64_t fs) {
        const int64_t end = pair_.now() + static_cast<int64_t>(fs);
        while (pair_.now() < end) pair_.cycles(1);
    }

    void faults(const LineFaults &kinds) {
        for (Line &line : pair_.lines) line.faults = kinds;
    }

    // Both ways.
    bool all_has_come(unsigned near) const {
        const unsigned ends[] = {near, pair_.nodes[0].peer[near]};
        for (unsigned i = 0; i < NODES; ++i)
            if (pair_.nodes[1 - i].received[ends[1 - i]] != pair_.nodes[i].given[ends[i]]) return false;
        return true;
    }

    // Both send packets of that length, a connection after the other; short ones when the one before has come, or
    // several would be one segment. With a boot, connections are opened again meanwhile.
    void stream(unsigned payload, uint64_t fs, Boot *boot = nullptr) {
        const int64_t end = pair_.now() + static_cast<int64_t>(fs);
        bool more = boot && (options_.has("reopen") || options_.has("reset"));
        const auto feed = [&] {
            if (more || pair_.now() < end) give(payload);
        };
        feed();
        pair_.each_cycle = feed;
        if (more) {
            let_go(*boot, boot->last(), false);
            boot->listen();
            for (uint64_t n = 0; n < options_.number("reopen"); ++n) open_again(*boot, false);
            for (uint64_t n = 0; n < options_.number("reset"); ++n) open_again(*boot, true);
            boot->end_listening();
            shut(boot->last(), false);
        }
        more = false;
        while (pair_.now() < end) pair_.cycles(1);
        pair_.each_cycle = nullptr;
    }

    void give(unsigned payload) {
        for (unsigned i = 0; i < NODES; ++i) {
            const Node &far = pair_.nodes[1 - i];
            Node &node = pair_.nodes[i];
            if (node.packets.size() > 1) continue;
            const uint16_t connection = next_[i];
            next_[i] = static_cast<uint16_t>((connection + 1) % pair_.settings().connections);
            if (shut_[i][connection]) continue;
            if (payload < ALONE && far.received[node.peer[connection]] != node.given[connection]) continue;
            node.packets.push_back({connection, static_cast<uint16_t>(payload), true, false, 0});
        }
    }

    // Whether nothing goes into a connection, from either end.
    void shut(unsigned near, bool is) { shut_[0][near] = shut_[1][pair_.nodes[0].peer[near]] = is; }

    // What went into that end of a connection is the engine's.
    void taken_over(unsigned i, unsigned connection) {
        pair_.until(
            [&] {
                for (const Packet &packet : pair_.nodes[i].packets)
                    if (packet.connection == connection) return false;
                return true;
            },
            40 * PATIENCE_FS, "a connection's packets to be taken");
        pair_.cycles(AT_REST);
    }

    void let_go(Boot &boot, unsigned near, bool reset) {
        const unsigned far = pair_.nodes[0].peer[near];
        if (reset) {
            boot.abort(near);
            shut(near, true);
            taken_over(0, near);
            taken_over(1, far);
            pair_.cycles(10 * AT_REST);  // what was received before is still delivered
        } else {
            shut_[1][far] = true;
            taken_over(1, far);
            boot.close(near, [&] {
                shut(near, true);
                taken_over(0, near);
                pair_.until([&] { return all_has_come(near); }, 40 * PATIENCE_FS, "the last bytes before an end");
                pair_.cycles(AT_REST);
            });
        }
        boot.release(near);
    }

    void open_again(Boot &boot, bool reset) {
        const unsigned near = static_cast<unsigned>(pair_.draw().below(boot.last()));
        let_go(boot, near, reset);
        boot.open(near);
        shut(near, false);
    }

    Pair &pair_;
    const Options &options_;
    uint16_t next_[NODES] = {};
    std::vector<bool> shut_[NODES];  // by connection
};

// The MSS in that segment, if it is a SYN of node 1, is another one.
void offer_mss(LineFrame &frame, unsigned mss) {
    constexpr unsigned TCP = PREAMBLE + 34, OPTIONS = TCP + 20;
    uint8_t *bytes = frame.bytes.data();
    if (frame.bytes.size() < OPTIONS + 8 || bytes[PREAMBLE + 12] != 8 || bytes[PREAMBLE + 23] != 6) return;
    if (!(bytes[TCP + 13] & 2) || bytes[OPTIONS] != 2) return;
    const unsigned old_mss = bytes[OPTIONS + 2] << 8 | bytes[OPTIONS + 3];
    unsigned sum = bytes[TCP + 16] << 8 | bytes[TCP + 17];
    sum += old_mss + (~mss & 0xFFFF);  // RFC 1624
    while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
    for (const auto &[at, value] : {std::pair{OPTIONS + 2, mss}, {TCP + 16, sum}}) {
        bytes[at] = static_cast<uint8_t>(value >> 8);
        bytes[at + 1] = static_cast<uint8_t>(value);
    }
    frame.bytes.resize(frame.bytes.size() - 4);
    end_with_check(frame);
}

void run(const Options &options) {
    Settings settings;
    settings.width = static_cast<unsigned>(options.number("width"));
    settings.connections = static_cast<unsigned>(options.number("connections"));
    for (unsigned i = 0; i < NODES; ++i) {
        const uint64_t ppm = i ? options.number("ppm") : 0;
        settings.core_fs[i] = options.number("core_fs") * (1'000'000 + ppm) / 1'000'000;
        settings.mac_fs[i] = options.number("mac_fs") * (1'000'000 + ppm) / 1'000'000;
    }
    settings.lanes = 8 * static_cast<unsigned>(options.number("columns"));
    settings.lines = false;
    for (const char *key : {"lose", "spoil", "swap", "repeat", "offer_mss", "received"})
        settings.lines |= options.has(key);
    settings.one_clock = options.number("one_clock") != 0;
    settings.seed = options.number("seed");
    Pair pair(settings);
    BootSettings boot;
    boot.ring_bytes = static_cast<uint32_t>(options.number("ring_bytes"));
    boot.least_rto_us = static_cast<uint32_t>(options.number("least_rto_us", boot.least_rto_us));
    boot.delayed_ack_us = static_cast<uint32_t>(options.number("delayed_ack_us", boot.delayed_ack_us));
    boot.timestamps = options.number("timestamps") != 0;
    std::unique_ptr<Flood> flood;
    if (options.has("received")) flood = std::make_unique<Flood>(pair);
    if (options.has("offer_mss")) {
        const unsigned mss = static_cast<unsigned>(options.number("offer_mss"));
        pair.lines[1].look = [mss](LineFrame &frame) { offer_mss(frame, mss); };
    }
    Boot firmware(pair, boot);
    pair.stall_percent = static_cast<unsigned>(options.number("stall_percent"));
    Bench bench(pair, options);
    for (const std::string &payload : options.list("payloads"))
        for (const std::string &mode : options.list("modes"))
            for (uint64_t phase = 0; phase < options.number("phases", 1); ++phase)
                bench.segment(mode, static_cast<unsigned>(std::stoul(payload)));
    for (const std::string &payload : options.list("goodput"))
        bench.goodput(static_cast<unsigned>(std::stoul(payload)), firmware);
    for (const std::string &length : options.list("udp")) bench.datagrams(static_cast<unsigned>(std::stoul(length)));
    if (flood) bench.received(*flood, static_cast<unsigned>(options.number("received")));
    bench.stat();
}

}  // namespace

int main(int argc, char **argv) {
    try {
        run(Options(argc, argv));
    } catch (const std::exception &problem) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
