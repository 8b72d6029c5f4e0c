// SPDX-License-Identifier: Apache-2.0
//
// The C interface of nsoc_network.h: checks what comes in, and lets no exception out.
#include <algorithm>
#include <array>

#include "guarded.h"
#include "network.h"
#include "nsoc_network.h"

namespace {

constexpr uint64_t LONGEST_DELAY_FS = 1'000'000'000'000'000;  // a second
constexpr uint64_t LONGEST_DRAIN_FS = 1'000'000'000'000;  // 8 kb/s

Handles<nsoc_network_t> handles("there is no such network");

template <typename Network, typename Body>
auto guarded(Network *network, Body body) noexcept -> decltype(body(*network)) {
    return handles.guarded(network, body);
}

void check_probability(const char *what, double value) {
    if (!(value >= 0 && value <= 1)) throw std::out_of_range(std::string(what) + " is a probability, 0 to 1");
}

std::vector<nsoc_pause_t> pauses(const char *what, const nsoc_pause_t *pauses, uint32_t count) {
    needed(pauses, what, count);
    std::vector<nsoc_pause_t> checked(pauses, pauses + count);
    uint64_t least = 0;
    for (const nsoc_pause_t &pause : checked) {
        check_range(what, pause.at_fs, least, NSOC_LONGEST_FS);
        check_range(what, pause.for_fs, 1, NSOC_LONGEST_FS);
        least = pause.at_fs + pause.for_fs;
    }
    return checked;
}

Faults checked_faults(const nsoc_faults_t *given, const char *what) {
    const nsoc_faults_t &f = *needed(given, what);
    check_probability("loss", f.loss);
    check_probability("corrupt", f.corrupt);
    check_probability("wrong_bytes", f.wrong_bytes);
    check_probability("duplicate", f.duplicate);
    check_probability("reorder", f.reorder);
    check_probability("burst_loss", f.burst_loss);
    if (f.burst_loss > 0 && !(f.burst_frames >= 1 && f.burst_loss / (1 - f.burst_loss) <= f.burst_frames))
        throw std::out_of_range("bursts of " + std::to_string(f.burst_frames) +
                                " frames, with one between them that is not lost, cannot be a share of " +
                                std::to_string(f.burst_loss));
    check_range("hold_fs", f.hold_fs, 0, LONGEST_DELAY_FS);
    check_range("delay_fs", f.delay_fs, 0, LONGEST_DELAY_FS);
    check_range("jitter_fs", f.jitter_fs, 0, LONGEST_DELAY_FS);
    check_range("drain_fs", f.drain_fs, 0, LONGEST_DRAIN_FS);
    if (f.duplicate > 0 || f.reorder > 0) check_range("behind_frames", f.behind_frames, 1, NSOC_MOST_BEHIND);
    return {f.loss,
            f.burst_loss,
            f.burst_frames,
            f.corrupt,
            f.wrong_bytes,
            f.duplicate,
            f.reorder,
            f.behind_frames,
            f.hold_fs,
            f.delay_fs,
            f.jitter_fs,
            f.drain_fs,
            f.queue_bytes,
            pauses("stalls", f.stalls, f.stall_count),
            pauses("downs", f.downs, f.down_count)};
}

void check_fate(const nsoc_fate_t &fate) {
    check_range("cable", fate.cable, 0, NSOC_MOST_LINKS);
    check_range("way", fate.way, 0, 1);
    check_range("fate", fate.fate, 0, NSOC_CABLE_DOWN);
    const bool behind = fate.fate == NSOC_CABLE_REORDERED;
    check_range("behind", fate.behind, behind ? 1 : 0, NSOC_MOST_BEHIND);
    check_range("jitter_fs", fate.jitter_fs, 0, LONGEST_DELAY_FS);
    check_range("changes", fate.changes, 0, NSOC_MOST_CHANGES);
}

template <typename Counts>
int copy_counts(const Counts &counts, uint64_t *values, uint32_t capacity) {
    needed(values, "values", capacity);
    std::copy_n(counts.begin(), std::min<size_t>(counts.size(), capacity), values);
    return static_cast<int>(counts.size());
}

// Frames that wait at a host, or on the record of a TAP device.
std::deque<ReceivedFrame> &waiting(const nsoc_network_t &network, uint64_t link) {
    Port &port = network.link<Port>(link);
    if (auto *listening = dynamic_cast<ListeningLink *>(&port)) return listening->arrived;
    if (auto *tap = dynamic_cast<TapLink *>(&port)) return tap->recorded;
    throw std::out_of_range("link " + std::to_string(link) + " is of another kind");
}

}  // namespace

uint32_t nsoc_network_abi_version(void) { return NSOC_ABI_VERSION; }

nsoc_network_t *nsoc_network_create(uint64_t seed) {
    return handles.attempt([&] { return handles.add(std::make_unique<nsoc_network>(seed)); });
}

int nsoc_network_destroy(nsoc_network_t *network) {
    return handles.attempt([&] { return delete handles.remove(network), 0; });
}

const char *nsoc_network_error(const nsoc_network_t *network) {
    return handles.attempt([&] { return handles.error(network); });
}

int nsoc_network_log(nsoc_network_t *network) {
    return guarded(network, [&](nsoc_network &n) { return n.keep_log(), 0; });
}

int64_t nsoc_network_fates(nsoc_network_t *network, nsoc_fate_t *fates, uint64_t capacity) {
    return guarded(network, [&](nsoc_network &n) {
        needed(fates, "fates", capacity);
        const std::deque<nsoc_fate_t> taken = n.take_log(capacity);
        std::copy(taken.begin(), taken.end(), fates);
        return static_cast<int64_t>(taken.size());
    });
}

int nsoc_network_replay(nsoc_network_t *network, const nsoc_fate_t *fates, uint64_t count) {
    return guarded(network, [&](nsoc_network &n) {
        needed(fates, "fates", count);
        std::for_each(fates, fates + count, check_fate);
        return n.replay({fates, fates + count}), 0;
    });
}

int64_t nsoc_network_soc(nsoc_network_t *network, nsoc_sim_t *sim, const nsoc_soc_calls_t *calls) {
    return guarded(network, [&](nsoc_network &n) {
        return static_cast<int64_t>(n.add(std::make_unique<SocLink>(sim, *needed(calls, "calls"), n.time_fs())));
    });
}

int64_t nsoc_network_host(nsoc_network_t *network) {
    return guarded(network, [&](nsoc_network &n) { return static_cast<int64_t>(n.add(std::make_unique<HostLink>())); });
}

int64_t nsoc_network_tap(nsoc_network_t *network, int descriptor) {
    return guarded(network,
                   [&](nsoc_network &n) { return static_cast<int64_t>(n.add(std::make_unique<TapLink>(descriptor))); });
}

int64_t nsoc_network_switch(nsoc_network_t *network, uint32_t ports, uint64_t latency_fs, uint64_t queue_bytes) {
    return guarded(network, [&](nsoc_network &n) {
        check_range("ports", ports, 2, NSOC_MOST_LINKS);
        check_range("latency_fs", latency_fs, 0, LONGEST_DELAY_FS);
        return static_cast<int64_t>(n.add_switch(ports, latency_fs, queue_bytes));
    });
}

int64_t nsoc_network_cable(nsoc_network_t *network, uint64_t a, uint64_t b, uint64_t delay_fs,
                           const nsoc_faults_t *there, const nsoc_faults_t *back) {
    return guarded(network, [&](nsoc_network &n) {
        check_range("delay_fs", delay_fs, 0, LONGEST_DELAY_FS);
        return static_cast<int64_t>(
            n.connect(a, b, delay_fs, checked_faults(there, "there"), checked_faults(back, "back")));
    });
}

int64_t nsoc_network_tap_cable(nsoc_network_t *network, uint64_t cable) {
    return guarded(network, [&](nsoc_network &n) { return static_cast<int64_t>(n.tap_cable(cable)); });
}

int64_t nsoc_network_least_delay(const nsoc_network_t *network, uint64_t a, uint64_t b) {
    return guarded(network, [&](const nsoc_network &n) { return static_cast<int64_t>(n.least_delay(a, b)); });
}

int nsoc_network_run_to(nsoc_network_t *network, uint64_t time_fs) {
    return guarded(network, [&](nsoc_network &n) { return n.run_to(time_fs), 0; });
}

int nsoc_network_await(nsoc_network_t *network, const uint64_t *links, uint32_t count, uint64_t time_fs,
                       uint64_t slice_fs) {
    return guarded(network, [&](nsoc_network &n) {
        needed(links, "links", count);
        check_range("slice_fs", slice_fs, 1, NSOC_LONGEST_FS);
        std::vector<ListeningLink *> hosts;
        for (uint32_t i = 0; i < count; ++i) hosts.push_back(&n.link<ListeningLink>(links[i]));
        return n.await(hosts, time_fs, slice_fs) ? 1 : 0;
    });
}

int nsoc_network_work_to(nsoc_network_t *network, uint64_t time_fs) {
    return guarded(network, [&](nsoc_network &n) { return n.work_to(time_fs), 0; });
}

int nsoc_network_pass_to(nsoc_network_t *network, uint64_t time_fs) {
    return guarded(network, [&](nsoc_network &n) { return n.pass_to(time_fs), 0; });
}

int64_t nsoc_network_quiet_until_fs(const nsoc_network_t *network) {
    return guarded(network, [&](const nsoc_network &n) {
        return static_cast<int64_t>(std::min<uint64_t>(n.quiet_until(), NSOC_LONGEST_FS));
    });
}

int64_t nsoc_network_time_fs(const nsoc_network_t *network) {
    return guarded(network, [&](const nsoc_network &n) { return static_cast<int64_t>(n.time_fs()); });
}

int nsoc_network_send(nsoc_network_t *network, uint64_t link, const uint8_t *data, uint32_t bytes,
                      const nsoc_departure_t *departure, nsoc_stamps_t *stamps) {
    return guarded(network, [&](nsoc_network &n) {
        needed(data, "data");
        needed(departure, "departure");
        needed(stamps, "stamps");
        check_range("bytes", bytes, 1, NSOC_LONGEST_SEND);
        check_range("ifg", departure->ifg, 1, NSOC_LONGEST_SEND);
        check_range("not_before_fs", departure->not_before_fs, 0, NSOC_LONGEST_FS);
        check_range("flags", departure->flags, 0, NSOC_BAD_FCS | NSOC_RAW | NSOC_PAD | NSOC_ADDRESS_TIME);
        FrameShape shape;
        shape.bad_fcs = departure->flags & NSOC_BAD_FCS;
        shape.raw = departure->flags & NSOC_RAW;
        shape.pad = departure->flags & NSOC_PAD;
        const bool of_address = departure->flags & NSOC_ADDRESS_TIME;
        const uint64_t preamble = std::max(of_address ? 0 : departure->not_before_fs, n.time_fs());
        const uint64_t address = of_address ? departure->not_before_fs : 0;
        const Stamps sent = n.link<HostLink>(link).transmit(data, bytes, shape, departure->ifg, preamble, address);
        *stamps = {sent.start, sent.end};
        return 0;
    });
}

int64_t nsoc_network_octet_fs(const nsoc_network_t *network, uint64_t link) {
    return guarded(network, [&](const nsoc_network &n) { return static_cast<int64_t>(n.link<Port>(link).octet_fs()); });
}

int64_t nsoc_network_queued(const nsoc_network_t *network, uint64_t link) {
    return guarded(network, [&](const nsoc_network &n) { return static_cast<int64_t>(n.link<Port>(link).queued()); });
}

int64_t nsoc_network_pending(const nsoc_network_t *network, uint64_t link) {
    return guarded(network, [&](const nsoc_network &n) { return static_cast<int64_t>(waiting(n, link).size()); });
}

int nsoc_network_next(const nsoc_network_t *network, uint64_t link, nsoc_arrival_t *arrival) {
    return guarded(network, [&](const nsoc_network &n) {
        needed(arrival, "arrival");
        const std::deque<ReceivedFrame> &frames = waiting(n, link);
        if (frames.empty()) return 0;
        const ReceivedFrame &oldest = frames.front();
        *arrival = {oldest.stamps.start, oldest.stamps.end, static_cast<uint32_t>(oldest.bytes.size()),
                    oldest.gap,          oldest.fcs_ok,     oldest.error};
        return 1;
    });
}

int nsoc_network_take(nsoc_network_t *network, uint64_t link, uint8_t *data, uint64_t capacity) {
    return guarded(network, [&](nsoc_network &n) {
        std::deque<ReceivedFrame> &frames = waiting(n, link);
        if (frames.empty()) throw std::out_of_range("no received frame waits");
        const std::vector<uint8_t> &bytes = frames.front().bytes;
        if (bytes.size() > capacity)
            throw std::out_of_range("the frame has " + std::to_string(bytes.size()) + " bytes, more than capacity");
        std::copy(bytes.begin(), bytes.end(), needed(data, "data", bytes.size()));
        frames.pop_front();
        return 0;
    });
}

int nsoc_network_cable_counts(const nsoc_network_t *network, uint64_t cable, uint32_t way, uint64_t *values,
                              uint32_t capacity) {
    return guarded(network, [&](const nsoc_network &n) {
        check_range("way", way, 0, 1);
        return copy_counts(n.cable(cable).way(way).counts(), values, capacity);
    });
}

int nsoc_network_tap_counts(const nsoc_network_t *network, uint64_t link, uint64_t *values, uint32_t capacity) {
    return guarded(network, [&](const nsoc_network &n) {
        const TapLink &tap = n.link<TapLink>(link);
        return copy_counts(std::array<uint64_t, NSOC_TAP_COUNTS>{tap.bad, tap.refused}, values, capacity);
    });
}

int nsoc_network_switch_counts(const nsoc_network_t *network, uint64_t link, uint64_t *values, uint32_t capacity) {
    return guarded(network,
                   [&](const nsoc_network &n) { return copy_counts(n.switch_of(link).counts(), values, capacity); });
}
