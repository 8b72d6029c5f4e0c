// SPDX-License-Identifier: Apache-2.0
//
// Measures two nodes on a cable. Arguments are KEY=VALUE:
//
//   width connections ring_bytes core_fs mac_fs one_clock timestamps seed   as built, and the clocks' periods
//   modes=stream-early,...  payloads=1,32,...  phases=64                    single segments on an idle line; in turn
//   goodput=1460,...  warm_fs window_fs                                     both ways at once
//   gap_percent stall_percent                                               applications that pause
//   corrupt=N                                                               each segment goes with byte N spoilt first
//   least_rto_us                                                            of the engines, 1000 by default
//
// A line for each measurement:
//
//   latency MODE PAYLOAD CONNECTION APP_FIRST .. OUT_LAST    the taps (lat_pair.h): the edges at which they were high,
//   in
//                                                            femtoseconds since the offer; `-`: was not. OUT_LAST is
//                                                            the end
//   goodput PAYLOAD NODE BYTES FRAMES                        in the window: bytes the node's application has taken, and
//                                                            frames the node has sent
//   stat NODE COUNT ..                                       at the end: lat_stat_t; packets that did not count
//
// The watch starts at the edge behind which s_tvalid (or doorbell_valid) is up, a cycle or more before the beat is
// taken; it stops at the edge that takes the last beat that counts. So a node that took a beat at once, and gave it at
// once, would need a cycle. Before each segment the line is idle, what was sent is acknowledged, and each clock is
// moved by less than a period, as the seed says. Every byte is compared with what was sent. Exit status 1, and a
// sentence, when a byte is wrong or missing, a segment went twice or one payload in two.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "lat_boot.h"

namespace {

constexpr uint64_t US = 1'000'000'000;  // in femtoseconds
constexpr uint64_t PATIENCE_FS = 50 * US, QUIET_FS = 3 * US / 2;
constexpr unsigned AT_REST = 200, SETTLE = 8;  // cycles
constexpr unsigned ALONE = 512;  // bytes: shorter ones are alone at their connection
constexpr unsigned SOME = 64;  // cycles, drawn: what scans inside is anywhere

class Options {
public:
    Options(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const size_t at = word.find('=');
            if (at == std::string::npos) throw failure("not KEY=VALUE: " + word);
            values_[word.substr(0, at)] = word.substr(at + 1);
        }
    }
    uint64_t number(const std::string &key, uint64_t otherwise = 0) const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
    }
    std::vector<std::string> list(const std::string &key) const {
        std::vector<std::string> words;
        const auto found = values_.find(key);
        std::istringstream text(found == values_.end() ? "" : found->second);
        for (std::string word; std::getline(text, word, ',');) words.push_back(word);
        return words;
    }
    bool has(const std::string &key) const { return values_.count(key) != 0; }

private:
    std::map<std::string, std::string> values_;
};

class Bench {
public:
    Bench(Pair &pair, const Options &options) : pair_(pair), options_(options) {}

    // Both lines have been idle for long enough that nothing is under way.
    void settle() {
        pair_.until(
            [&] {
                for (const Node &node : pair_.nodes)
                    if (!node.packets.empty() || pair_.now() < node.busy_fs + int64_t{QUIET_FS}) return false;
                return true;
            },
            PATIENCE_FS, "an idle line");
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

    void goodput(unsigned payload) {
        settle();
        pair_.early(true);
        stream(payload, options_.number("warm_fs", 50 * US));
        uint64_t bytes[NODES];
        for (unsigned i = 0; i < NODES; ++i) bytes[i] = pair_.nodes[i].bytes_in;
        pair_.forget_taps();
        stream(payload, options_.number("window_fs", 200 * US));
        for (unsigned i = 0; i < NODES; ++i) {
            std::printf("goodput %u %u %" PRIu64 " %" PRIu64 "\n", payload, i, pair_.nodes[i].bytes_in - bytes[i],
                        pair_.nodes[i].frames);
        }
        std::fflush(stdout);
        pair_.until(
            [&] {
                for (unsigned i = 0; i < NODES; ++i)
                    for (unsigned c = 0; c < pair_.settings().connections; ++c)
                        if (pair_.nodes[1 - i].received[pair_.nodes[i].peer[c]] != pair_.nodes[i].given[c])
                            return false;
                return true;
            },
            40 * PATIENCE_FS, "the rest of what was sent");
    }

    void stat() {
        for (unsigned i = 0; i < NODES; ++i) {
            std::printf("stat %u", i);
            for (const uint64_t count : pair_.nodes[i].stat) std::printf(" %" PRIu64, count);
            std::printf(" %" PRIu64 "\n", pair_.nodes[i].aborted);
        }
    }

private:
    // Both send packets of that length, a connection after the other; short ones when the one before has come, or
    // several would be one segment.
    void stream(unsigned payload, uint64_t fs) {
        const int64_t end = pair_.now() + static_cast<int64_t>(fs);
        while (pair_.now() < end) {
            for (unsigned i = 0; i < NODES; ++i) {
                const Node &far = pair_.nodes[1 - i];
                Node &node = pair_.nodes[i];
                if (node.packets.size() > 1) continue;
                const uint16_t connection = next_[i];
                next_[i] = static_cast<uint16_t>((connection + 1) % pair_.settings().connections);
                if (payload < ALONE && far.received[node.peer[connection]] != node.given[connection]) continue;
                node.packets.push_back({connection, static_cast<uint16_t>(payload), true, false, 0});
            }
            pair_.cycles(1);
        }
    }

    Pair &pair_;
    const Options &options_;
    uint16_t next_[NODES] = {};
};

void run(const Options &options) {
    Settings settings;
    settings.width = static_cast<unsigned>(options.number("width"));
    settings.connections = static_cast<unsigned>(options.number("connections"));
    settings.core_fs = options.number("core_fs");
    settings.mac_fs = options.number("mac_fs");
    settings.one_clock = options.number("one_clock") != 0;
    settings.seed = options.number("seed");
    Pair pair(settings);
    BootSettings boot;
    boot.ring_bytes = static_cast<uint32_t>(options.number("ring_bytes"));
    boot.least_rto_us = static_cast<uint32_t>(options.number("least_rto_us", boot.least_rto_us));
    boot.timestamps = options.number("timestamps") != 0;
    Boot(pair, boot);
    pair.stall_percent = static_cast<unsigned>(options.number("stall_percent"));
    Bench bench(pair, options);
    for (const std::string &payload : options.list("payloads"))
        for (const std::string &mode : options.list("modes"))
            for (uint64_t phase = 0; phase < options.number("phases", 1); ++phase)
                bench.segment(mode, static_cast<unsigned>(std::stoul(payload)));
    for (const std::string &payload : options.list("goodput"))
        bench.goodput(static_cast<unsigned>(std::stoul(payload)));
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
