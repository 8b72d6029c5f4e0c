// SPDX-License-Identifier: Apache-2.0
//
// Clocks, settings, rests, and the end of a run.

#include "bench.h"

namespace nic_mac {

void Bench::fail(const char *format, ...) {
    std::fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "nic_mac_harness: seed %llu, cycle %lld, %.3f us: ", static_cast<unsigned long long>(seed_),
                 static_cast<long long>(cycle_), static_cast<double>(now_) / 1e6);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "\nthe last events (NSOC_EVENTS=4096 for more):\n");
    const char *wanted = std::getenv("NSOC_EVENTS");
    size_t n = wanted ? std::strtoul(wanted, nullptr, 0) : 40;
    n = n < notes_.size() ? n : notes_.size();
    for (size_t i = note_count_ > n ? note_count_ - n : 0; i < note_count_; ++i) {
        const Note &e = notes_[i % notes_.size()];
        std::fprintf(stderr, "  %12.3f us  ", static_cast<double>(e.at) / 1e6);
        std::fprintf(stderr, e.format, static_cast<unsigned long long>(e.a), static_cast<unsigned long long>(e.b),
                     static_cast<unsigned long long>(e.c));
        std::fprintf(stderr, "\n");
    }
    std::fprintf(stderr, "to repeat: %s\n", command_.c_str());
    std::_Exit(1);
}

void Bench::reset() {
    context_.fatalOnError(false);
    top_ = std::make_unique<Vnic_mac_tb>(&context_);
    // nic_clk 100 to 156 MHz; the PHY's clocks within 100 ppm of theirs.
    nic_.period = rng_.chance(200) ? 8000 : rng_.range(6400, 10000);
    rx_.period = 8000 + rng_.range(-1, 1);
    tx_.period = 8000 + rng_.range(-1, 1);
    for (Clock *c : {&rx_, &tx_, &nic_}) c->next = 1000 + rng_.range(0, 7999);
    top_->rst = 1;
    top_->afb_rsp_ready = 1;
    top_->eval();
    wire_stopped_ = true;
    idle(20);
    top_->rst = 0;
    dirty_ = true;
    cycle_ = 0;
    idle(30);
}

void Bench::step() {
    while (true) {
        now_ = rx_.next < tx_.next ? rx_.next : tx_.next;
        if (nic_.next < now_) now_ = nic_.next;
        const bool rx = rx_.next == now_, tx = tx_.next == now_, nic = nic_.next == now_;
        // Clocks that rise now have been seen low, and what the NIC's side takes has followed its inputs.
        if ((rx && top_->gmii_rx_clk) || (tx && top_->gmii_tx_clk) || (nic && (top_->nic_clk || dirty_))) {
            top_->gmii_rx_clk = top_->gmii_tx_clk = top_->nic_clk = 0;
            evaluate();
        }
        uint32_t stat = 0;
        if (nic) {
            s_afb_ready_ = top_->afb_req_ready;
            s_afb_valid_ = top_->afb_rsp_valid;
            s_afb_err_ = top_->afb_err;
            s_afb_data_ = top_->afb_data;
            const bool irq = top_->irq;
            irq_rises_ += irq && !s_irq_;
            s_irq_ = irq;
            (irq ? irq_high_at_ : irq_low_at_) = cycle_;
            stat = top_->stat;
            s_request_ = {top_->acb_read != 0, top_->acb_mask, top_->acb_address, top_->acb_write_data, 0, now_, 0};
            s_request_valid_ = top_->acb_req_valid && top_->acb_req_ready;
            s_response_taken_ = top_->acb_rsp_valid && top_->acb_rsp_ready;
            if (s_request_valid_ && top_->acb_lock) fail("the NIC locks memory");
        }
        top_->gmii_rx_clk = rx;
        top_->gmii_tx_clk = tx;
        top_->nic_clk = nic;
        evaluate();
        if (rx) {
            drive_wire();
            rx_.next += rx_.period;
        }
        if (tx) {
            if (line_.sample(now_, top_->gmii_tx_en, top_->gmii_tx_er, top_->gmii_txd)) on_line(line_.frame);
            tx_.next += tx_.period;
        }
        if (nic) {
            if (stat) count_pulses(stat);
            if (!top_->rst) memory_edge();
            if (context_.gotFinish()) fail("an assertion in the RTL failed");
            nic_.next += nic_.period;
            ++cycle_;
            return;
        }
    }
}

void Bench::settings() {
    const uint64_t what = rng_.below(13);
    if (what < 3) {
        uint32_t control = rng_.chance(930) ? NIC_ENABLE : 0;
        if (rng_.chance(970)) control |= MAC_ENABLE;
        if (rng_.chance(700)) control |= IRQ_ENABLE;
        if (rng_.chance(200)) control |= NIC_LOOPBACK;
        if (rng_.chance(120)) control |= MAC_LOOPBACK;
        configure(REG(control), control);
    } else if (what < 5) {
        configure(REG(servers_enabled), static_cast<uint32_t>(rng_.below(16)));
    } else if (what == 5) {
        configure(REG(queue_depth), rng_.pick({1u, 2u, 5u, 24u, 64u, 64u, static_cast<uint32_t>(1 + rng_.below(64))}));
    } else if (what == 6) {
        configure(REG(buffer_size), rng_.pick({2048u, 2048u, 1536u, 1024u, 128u, 65528u,
                                               static_cast<uint32_t>(rng_.range(16, 192)) * 8}));
    } else if (what == 7) {
        configure(REG(irq_mask), rng_.chance(300) ? 0 : static_cast<uint32_t>(rng_.next()) & 0x30F);
    } else if (what == 8 && has(F_MODERATION)) {
        configure(REG(irq_moderation),
                  static_cast<uint32_t>(rng_.pick({uint64_t{0}, rng_.below(2000), rng_.below(100), rng_.next()}) << 8 |
                                        rng_.pick({rng_.below(20), rng_.below(20), rng_.below(256)})));
    } else if (what == 9 && has(F_PATIENCE)) {
        configure(REG(rx_patience),
                  rng_.pick({FOREVER, 16384u, static_cast<uint32_t>(rng_.below(100)),
                             static_cast<uint32_t>(rng_.below(5000)), static_cast<uint32_t>(rng_.below(FOREVER))}));
    } else if (what == 10 && has(F_STEERING)) {
        configure(REG(steering), rng_.chance(700));
    } else if (what == 11 && built(REG(mac_control))) {
        uint32_t mac = value(REG(mac_control)) & NSOC_NIC_MAC_CONTROL_MII;
        if (!has(F_FILTER) || rng_.chance(600)) mac |= NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
        if (!has(F_FILTER) || rng_.chance(700)) mac |= NSOC_NIC_MAC_CONTROL_BROADCAST;
        if (has(F_PAUSE) && rng_.chance(500)) mac |= NSOC_NIC_MAC_CONTROL_RX_PAUSE;
        if (has(F_PAUSE) && rng_.chance(300)) mac |= NSOC_NIC_MAC_CONTROL_TX_PAUSE;
        configure(REG(mac_control), mac);
    } else if (what == 12) {
        configure(REG(max_frame),
                  rng_.pick({1518u, 1522u, 1526u, 2000u, 2034u, static_cast<uint32_t>(rng_.range(64, 2034))}));
        source_.most = value(REG(max_frame)) - 4;
    }
}

void Bench::new_phase() {
    phase_until_ = cycle_ + rng_.range(2000, 40000);
    if (rng_.chance(100)) drain();
    WirePlan &w = source_.plan;
    w.fault = rng_.pick({0u, 30u, 100u, 400u});
    w.flow = rng_.pick({0u, 300u, 1000u});
    w.foreign = has(F_FILTER) ? rng_.pick({0u, 300u, 800u}) : 100;
    w.pause = has(F_PAUSE) ? rng_.pick({0u, 0u, 60u}) : 5;
    w.gap = static_cast<int>(rng_.below(4));
    w.lengths = rng_.pick({0, 0, 1, 1, 1, 2, 3, 4, 5});
    latency_ = static_cast<uint32_t>(rng_.pick({1, 3, 10, 40, 60}));
    jitter_ = rng_.pick({0u, 0u, 8u, 60u});
    request_stall_ = rng_.pick({0u, 0u, 300u, 800u});
    response_stall_ = rng_.pick({0u, 0u, 0u, 500u});
    write_faults_ = rng_.pick({0u, 0u, 300u, 1000u});
    read_faults_ = rng_.pick({0u, 0u, 300u, 1000u});
    idle_most_ = rng_.pick({0, 0, 20, 400, 3000});
    hold_most_ = rng_.pick({100, 3000, 20000});
    response_wait_ = rng_.pick({0u, 0u, 400u});
    forward_ = rng_.pick({100u, 600u, 900u, 1000u});
    eager_ = rng_.pick({300u, 600u, 600u, 900u});
    note("a new phase");
}

void Bench::wire_pause(bool stop) {
    wire_stopped_ = stop;
    if (!stop) return;
    for (int i = 0; i < 400000 && (wire_busy_ || !events_.empty()); ++i) step();
    if (!events_.empty()) fail("%zu carrier events have no disposition", events_.size());
}

// Whether everything that was begun has come to its end.
bool Bench::settled() {
    const uint32_t status = read(REG(status));
    constexpr uint32_t IDLE = NSOC_NIC_STATUS_RX_IDLE | NSOC_NIC_STATUS_TX_IDLE;
    if ((status & IDLE) != IDLE || status & (NSOC_NIC_STATUS_RXQ_NONEMPTY | NSOC_NIC_STATUS_TXQ_NONEMPTY)) return false;
    if (line_.busy() || now_ - line_.last_busy < 80 * tx_.period || now_ - last_activity_ < cycles(300)) return false;
    for (size_t i = next_out_; i < sessions_.size(); ++i) {
        const Session &s = sessions_[i];
        if (!s.refused && !s.bad_length && !s.maybe_bad && !s.aborted) return false;
    }
    for (size_t s = 0; s < SERVERS; ++s)
        while (!deliveries_[s].empty() && deliveries_[s].front().blocked) drop_late(s, 0);
    for (size_t s = 0; s < SERVERS; ++s)
        if (!deliveries_[s].empty() || !pushed_rx_[s].empty() || !pushed_tx_[s].empty()) return false;
    return true;
}

// Stop the wire, let everything come to rest, and check that every frame is somewhere or counted.
void Bench::drain() {
    note("drain");
    wire_pause(true);
    write_faults_ = read_faults_ = 0;
    request_stall_ = request_stall_ > 300 ? 300 : request_stall_;
    if (locked_) release_lock();
    configure(REG(queue_depth), 64);
    configure(REG(buffer_size), 2048);
    configure(REG(servers_enabled), 15);
    configure(REG(control), NIC_ENABLE | MAC_ENABLE | IRQ_ENABLE);
    const int64_t begin = cycle_;
    uint32_t free = 0;
    int quiet = 0;
    uint64_t unlocated = 0, dropped = 0;
    while (quiet < 3) {
        if (cycle_ - begin > 600000) {
            for (size_t i = oldest_in_mac_; i < frames_.size(); ++i)
                if (frames_[i].where == Frame::IN_MAC || frames_[i].where == Frame::CANDIDATE)
                    note("nowhere: frame %llu of %llu bytes, which ended at %llu ps", i, frames_[i].bytes.size(),
                         static_cast<uint64_t>(frames_[i].end));
            fail(
                "the traffic does not come to rest: status 0x%x, debug2 0x%x, %llu frames in the MAC, %llu of them "
                "dropped, %zu of %zu frames out",
                read(REG(status)), read(REG(debug2)), static_cast<unsigned long long>(unlocated),
                static_cast<unsigned long long>(dropped), next_out_, sessions_.size());
        }
        size_t index;
        for (uint32_t s = 0; s < SERVERS; ++s)
            while (pop(RXQ + 2 * s, index)) held_.push_back({index, 0, static_cast<int>(FREEQ)});
        // Neither too few nor too many in the free queue: more than 64 buffers, and the engines wait to give one back.
        for (Held &h : held_) h = {h.buffer, free < 32 ? 0 : INT64_MAX, static_cast<int>(FREEQ)};
        free = read(REG(freeq.occupancy));
        for (int i = 0; free >= 48 && i < 16 && pop(FREEQ, index); ++i)
            held_.push_back({index, INT64_MAX, static_cast<int>(FREEQ)});
        flush();
        if (has(F_STAMP)) read_stamps();
        unlocated = dropped = 0;
        for (size_t i = oldest_in_mac_; i < frames_.size(); ++i)
            unlocated += frames_[i].where == Frame::IN_MAC || frames_[i].where == Frame::CANDIDATE;
        if (!settled()) {
            quiet = 0;
            continue;
        }
        dropped = read(REG(rx_drop_too_long)) + read(REG(rx_drop_memory_error)) - refused_ +
                  read(REG(rx_drop_no_buffer)) + read(REG(rx_drop_no_server)) - dropped_before_ - dropped_late_;
        if (bug_ == LOST_FRAME) --dropped;
        quiet = unlocated == dropped ? quiet + 1 : 0;
        idle(50);
    }
    for (Held &h : held_) h.until = 0;
    for (size_t i = next_out_; i < sessions_.size(); ++i)
        if (sessions_[i].maybe_bad) sessions_[i].bad_length = true;
    next_out_ = sessions_.size();
    // Frames that are nowhere were dropped; too long is what did not fit at some time since it came.
    for (; oldest_in_mac_ < frames_.size(); ++oldest_in_mac_) {
        Frame &f = frames_[oldest_in_mac_];
        if (f.where == Frame::IN_MAC) {
            const size_t needed = f.bytes.size() + FRAME_AT;
            perhaps_too_long_ += needed > history(REG(buffer_size)).smallest(f.start, now_);
            surely_too_long_ += needed > history(REG(buffer_size)).largest(f.start, now_);
            by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
        }
        if (f.where != Frame::STORED) f.where = Frame::GONE, Bytes().swap(f.bytes);
    }
    dropped_before_ += dropped;
    const uint64_t too_long = read(REG(rx_drop_too_long)),
                   others = read(REG(rx_drop_no_buffer)) + read(REG(rx_drop_no_server));
    if (too_long > perhaps_too_long_ || too_long + others + refused_unknown_ < surely_too_long_)
        fail("rx_drop_too_long counts %llu, and it was %llu to %llu", static_cast<unsigned long long>(too_long),
             static_cast<unsigned long long>(surely_too_long_), static_cast<unsigned long long>(perhaps_too_long_));
    if (!has(F_PATIENCE) && others)
        fail("frames were dropped for want of a buffer or a server, and nobody asked for that");
    read_counters(true);
    if (has(F_STAMP)) {
        if (!stamps_.empty()) fail("a stamp with tag %x, and no such frame left", stamps_.front().tag);
        stamps_lost_ += wanted_.size();
        wanted_.clear();
        const uint64_t lost = read(REG(tx_stamp_lost));
        if (lost != stamps_lost_)
            fail("tx_stamp_lost counts %llu, and %llu were", static_cast<unsigned long long>(lost),
                 static_cast<unsigned long long>(stamps_lost_));
    }
    if (rng_.chance(500)) self_test();
    set_addresses();
    idle(100);
    wire_pause(false);
}

void Bench::switch_speed(bool mii) {
    drain();
    wire_pause(true);
    configure(REG(control), NIC_ENABLE);
    idle(100);
    configure(REG(mac_control),
              (value(REG(mac_control)) & ~NSOC_NIC_MAC_CONTROL_MII) | (mii ? NSOC_NIC_MAC_CONTROL_MII : 0));
    idle(100);
    mii_ = line_.mii = mii;
    rx_.period = tx_.period = mii ? 40000 : 8000;
    rx_.period += rng_.range(-1, 1);
    idle(100);
    configure(REG(control), NIC_ENABLE | MAC_ENABLE);
    idle(100);
    wire_pause(false);
}

void Bench::finish() {
    drain();
    wire_pause(true);
    configure(REG(control), 0);
    for (int i = 0; read(REG(pointers_held)) != 0; ++i)
        if (i == 200) fail("a stopped NIC keeps pointers: 0x%x", read(REG(pointers_held)));
    uint32_t held = 0;
    for (const Buffer &b : buffers_) held += b.where == Buffer::CPU;
    uint32_t queued = 0;
    for (uint32_t id : {RXQ, RXQ + 2, RXQ + 4, RXQ + 6, TXQ, TXQ + 2, TXQ + 4, TXQ + 6, FREEQ}) queued += read(id + 1);
    if (held + queued != buffers_.size())
        fail("%u pointers in queues and %u with the processor, of %zu", queued, held, buffers_.size());
    size_t index;
    for (uint32_t id : {RXQ, RXQ + 2, RXQ + 4, RXQ + 6, TXQ, TXQ + 2, TXQ + 4, TXQ + 6, FREEQ})
        while (pop(id, index)) held_.push_back({index, 0, 0});
    for (const Buffer &b : buffers_)
        if (b.where != Buffer::CPU) fail("buffer %08x is lost", b.pointer);
    if (held_.size() != buffers_.size()) fail("%zu pointers of %zu", held_.size(), buffers_.size());
    self_test();
    if (events_counted_ != sent_events_)
        fail("%llu carrier events, %llu dispositions", static_cast<unsigned long long>(sent_events_),
             static_cast<unsigned long long>(events_counted_));
}

void Bench::run() {
    for (uint32_t id : {REG(control), REG(servers_enabled), REG(irq_mask), REG(irq_moderation), REG(steering),
                        REG(multicast_hash_low), REG(multicast_hash_high), REG(mac_address_low), REG(mac_address_high)})
        histories_.emplace(id, History(0));
    histories_.emplace(REG(queue_depth), History(64));
    histories_.emplace(REG(buffer_size), History(2048));
    histories_.emplace(REG(max_frame), History(MAX_FRAME_RESET));
    histories_.emplace(REG(rx_patience), History(16384));
    histories_.emplace(REG(mac_control), History(NSOC_NIC_MAC_CONTROL_PROMISCUOUS | NSOC_NIC_MAC_CONTROL_BROADCAST));
    reset();
    ptp_.push_back({INT64_MIN / 2, INT64_MAX / 2, 0, 0, has(F_PTP) ? 0x80000000u : 1u << 28});
    const int64_t begin = now_;
    counter_zero_ = begin - cycles(read(REG(free_counter)) - 1);
    ptp_.back().anchor = counter_zero_;

    const size_t count = rng_.pick({size_t{6}, size_t{24}, size_t{64}, size_t{90}});
    for (size_t i = 0; i < count; ++i) {
        uint32_t page;
        do page = static_cast<uint32_t>(rng_.below(1 << 15));
        while (pages_[page] >= 0);
        pages_[page] = static_cast<int32_t>(i);
        Buffer b{};
        b.pointer = page << 17 | static_cast<uint32_t>(rng_.below(15000)) * 8;
        buffers_.push_back(b);
        held_.push_back({i, 0, static_cast<int>(FREEQ)});
    }
    set_addresses();
    configure(REG(servers_enabled), 15);
    configure(REG(control), NIC_ENABLE | MAC_ENABLE);
    new_phase();
    wire_pause(false);
    uint64_t mii_until = 0;
    while (sent_events_ < to_send_ || wire_busy_ || !events_.empty()) {
        if (cycle_ >= phase_until_) new_phase();
        if (has(F_MII) && !mii_ && rng_.chance(1) && rng_.chance(8)) {
            switch_speed(true);
            mii_until = sent_events_ + 100;
        } else if (mii_ && sent_events_ >= mii_until) {
            switch_speed(false);
        }
        const uint64_t what = rng_.below(1000);
        if (what < eager_ * 6 / 10) serve();
        else if (what < 700) flush();
        else if (what < 760) odd_queues();
        else if (what < 775) play_lock();
        else if (what < 800) settings();
        else if (what < 860) look();
        else if (what < 880) illegal();
        else if (what < 890 && has(F_STAMP)) read_stamps();
        else if (what < 896 && has(F_PTP)) play_ptp();
        else if (idle_most_) idle(rng_.range(0, idle_most_));
    }
    finish();
    std::printf("cycles %lld\naccesses %llu\nnic_period %lld\n", static_cast<long long>(cycle_),
                static_cast<unsigned long long>(accesses_), static_cast<long long>(nic_.period));
    for (int i = 0; i < CAUSES; ++i)
        std::printf("%s %llu\n", CAUSE_NAMES[i], static_cast<unsigned long long>(causes_[i]));
    const auto print = [](const char *name, uint64_t n) {
        std::printf("%s %llu\n", name, static_cast<unsigned long long>(n));
    };
    print("sent_to_line", line_frames_);
    print("longer_stored", longer_stored_);
    print("longer_sent", longer_sent_);
    print("popped", popped_);
    print("mac_looped", looped_);
    print("nic_looped", nic_looped_);
    print("irq_rises", irq_rises_);
    print("stamps_read", stamps_read_);
    print("tests_passed", tests_passed_);
    print("tests_failed", tests_failed_);
    print("tests_refused", tests_refused_);
    print("rx_drop_too_long", seen_counts_[REG(rx_drop_too_long)]);
    print("rx_drop_memory_error", seen_counts_[REG(rx_drop_memory_error)]);
    print("rx_drop_no_buffer", seen_counts_[REG(rx_drop_no_buffer)]);
    print("rx_drop_no_server", seen_counts_[REG(rx_drop_no_server)]);
    print("tx_taken", seen_counts_[REG(tx_taken)]);
    print("tx_drop_bad_length", seen_counts_[REG(tx_drop_bad_length)]);
    print("tx_drop_memory_error", seen_counts_[REG(tx_drop_memory_error)]);
    print("tx_drop_abort", seen_counts_[REG(tx_drop_abort)]);
    print("tx_drop_underrun", seen_counts_[REG(tx_drop_underrun)]);
    print("tx_pause", seen_counts_[REG(tx_pause)]);
    print("tx_stamp_lost", seen_counts_[REG(tx_stamp_lost)]);
    top_->final();
#if VM_COVERAGE
    context_.coveragep()->write(std::getenv("NSOC_COVERAGE_FILE"));
#endif
}

// The MAC's own address and the multicast filter, while no frame is on the wire.
void Bench::set_addresses() {
    uint8_t *a = source_.own;
    rng_.fill(a, 6);
    a[0] &= 0xFE;
    configure(REG(mac_address_high), be16(a));
    configure(REG(mac_address_low), be16(a + 2) << 16 | be16(a + 4));
    if (!has(F_FILTER)) return;
    uint64_t hash = rng_.next() & rng_.next() & rng_.next();
    for (size_t i = 0; i < 8; ++i)
        if (rng_.chance(512)) hash |= 1ull << multicast_hash(source_.group(i).data());
    configure(REG(multicast_hash_low), static_cast<uint32_t>(hash));
    configure(REG(multicast_hash_high), static_cast<uint32_t>(hash >> 32));
}

}  // namespace nic_mac

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    std::string command;
    for (int i = 0; i < argc; ++i) command += std::string(i ? " " : "") + argv[i];
    const auto bench =
        std::make_unique<nic_mac::Bench>(std::strtoull(argv[1], nullptr, 0), std::strtoull(argv[2], nullptr, 0),
                                         static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 0)),
                                         static_cast<nic_mac::Bug>(argc > 4 ? std::atoi(argv[4]) : 0), command);
    bench->run();
    return 0;
}
