// SPDX-License-Identifier: Apache-2.0
//
// The processor: accesses, what it does with buffers, queues and the lock, PTP time and stamps.

#include "bench.h"

namespace nic_mac {

Bench::Answer Bench::access(bool read, uint32_t id, uint32_t data, uint32_t mask) {
    watch_queues();
    check_irq();
    ++accesses_;
    top_->afb_read = read;
    top_->afb_mask = static_cast<uint8_t>(mask);
    top_->afb_address = 0xFF000000u + 4 * id;
    top_->afb_write_data = read ? static_cast<uint32_t>(rng_.next()) : data;
    top_->afb_req_valid = 1;
    dirty_ = true;
    int waited = 0;
    do {
        if (++waited > (testing_ ? 10 : 5)) fail("register %u: a request is not taken", id);  // an access of the test
        step();
    } while (!s_afb_ready_);
    top_->afb_req_valid = 0;
    const bool slow = rng_.chance(response_wait_);
    top_->afb_rsp_ready = !slow;
    dirty_ = true;
    waited = 0;
    do {
        if (++waited > 5) fail("register %u: no answer after 5 cycles", id);
        step();
    } while (!s_afb_valid_);
    const Answer answer{s_afb_err_, s_afb_data_};
    acted_ = now_ - cycles(2);
    if (slow) {
        for (uint64_t n = rng_.below(20); n > 0; --n) {
            step();
            if (!s_afb_valid_ || s_afb_err_ != answer.error || s_afb_data_ != answer.data)
                fail("register %u: the answer does not stay", id);
        }
        top_->afb_rsp_ready = 1;
        dirty_ = true;
        step();
    }
    return answer;
}

void Bench::configure(uint32_t id, uint32_t value) {
    history(id).write(now_, value);
    write(id, value);
    history(id).settle(now_ + cycles(30));
    note("register %llu := %llx", id, value);
}

void Bench::put_frame(size_t index) {
    Buffer &b = buffers_[index];
    const size_t room = value(REG(buffer_size)) - FRAME_AT, most = room < source_.most ? room : source_.most;
    const auto last = static_cast<int64_t>(most);
    const size_t n = rng_.chance(300)   ? static_cast<size_t>(rng_.range(14, 60))
                     : rng_.chance(40)  ? most
                     : rng_.chance(400) ? static_cast<size_t>(rng_.range(14, last))
                                        : static_cast<size_t>(rng_.range(60, last < 110 ? last : 110));
    b.memory.fill(0);
    rng_.fill(&b.memory[FRAME_AT], n);
    b.memory[6] = static_cast<uint8_t>(n >> 8);
    b.memory[7] = static_cast<uint8_t>(n);
    ++own_;
}

void Bench::bad_length(size_t index) {
    Buffer &b = buffers_[index];
    const uint32_t size = value(REG(buffer_size)), longest = value(REG(max_frame));
    const uint32_t lengths[] = {0,
                                13,
                                longest - 3,
                                0xFFFF,
                                size - 17,
                                static_cast<uint32_t>(rng_.below(14)),
                                static_cast<uint32_t>(rng_.range(longest - 3, 65535))};
    const uint32_t n = rng_.pick(lengths);
    b.memory[6] = static_cast<uint8_t>(n >> 8);
    b.memory[7] = static_cast<uint8_t>(n);
}

void Bench::request_stamp(size_t index) {
    Buffer &b = buffers_[index];
    const uint16_t tag = static_cast<uint16_t>(next_tag_++ * 40503u);  // each of 65536 once
    b.memory[0] = static_cast<uint8_t>(tag >> 8);
    b.memory[1] = static_cast<uint8_t>(tag);
    b.memory[4] = 1;
}

// What becomes of a buffer that was popped.
void Bench::decide(size_t index) {
    Buffer &b = buffers_[index];
    const int64_t until = cycle_ + (rng_.chance(300) ? rng_.range(0, hold_most_) : 0);
    if (!rng_.chance(forward_)) {
        held_.push_back({index, until, static_cast<int>(FREEQ)});
        return;
    }
    if (rng_.chance(200) || be16(&b.memory[6]) < 14) put_frame(index);
    else if (rng_.chance(300))
        for (int i = 0; i < 6; ++i) std::swap(b.memory[FRAME_AT + i], b.memory[FRAME_AT + 6 + i]);
    b.memory[0] = b.memory[1] = b.memory[2] = b.memory[4] = 0;
    if (rng_.chance(200)) b.memory[2] = b.memory[3] = b.memory[5] = static_cast<uint8_t>(rng_.next());  // not looked at
    if (has(F_STAMP) && rng_.chance(150)) request_stamp(index);
    if (rng_.chance(50)) bad_length(index);
    held_.push_back({index, until, static_cast<int>(TXQ + 2 * rng_.below(SERVERS))});
}

void Bench::serve() {
    const uint32_t first = static_cast<uint32_t>(rng_.below(SERVERS));
    for (uint32_t i = 0; i < SERVERS; ++i) {
        size_t index;
        if (pop(RXQ + 2 * ((first + i) % SERVERS), index)) decide(index);
    }
}

void Bench::flush() {
    for (size_t i = 0; i < held_.size();) {
        const Held h = held_[i];
        if (h.until <= cycle_) {
            if (bug_ == LOSE_POINTER && h.queue == static_cast<int>(FREEQ) && popped_ > 300) {
                held_[i] = held_.back();
                held_.pop_back();
                return;
            }
            if (push(static_cast<uint32_t>(h.queue), h.buffer)) {
                held_[i] = held_.back();
                held_.pop_back();
                if (rng_.chance(300)) return;
                continue;
            }
            // Full: later, or somewhere else.
            if (h.queue == static_cast<int>(FREEQ)) held_[i].until = cycle_ + 200;
            else held_[i].queue = static_cast<int>(TXQ + 2 * rng_.below(SERVERS));
        }
        ++i;
    }
}

// A buffer out of turn: out of the free queue or a transmit queue, into a receive queue.
void Bench::odd_queues() {
    size_t index;
    const uint64_t what = rng_.below(8);
    if (what < 5) {
        if (pop(FREEQ, index)) {
            put_frame(index);
            buffers_[index].memory[0] = buffers_[index].memory[4] = 0;
            if (has(F_STAMP) && rng_.chance(300)) request_stamp(index);
            if (rng_.chance(60)) bad_length(index);
            held_.push_back({index, cycle_, static_cast<int>(TXQ + 2 * rng_.below(SERVERS))});
        }
    } else if (what == 5) {
        if (pop(TXQ + 2 * static_cast<uint32_t>(rng_.below(SERVERS)), index)) decide(index);
    } else if (what == 6) {
        for (Held &h : held_) {
            if (h.queue != static_cast<int>(FREEQ)) continue;
            h.queue = static_cast<int>(RXQ + 2 * rng_.below(SERVERS));
            std::memset(buffers_[h.buffer].memory.data(), 0, 16);
            break;
        }
    } else if (pop(FREEQ, index)) {
        held_.push_back({index, cycle_ + rng_.range(0, hold_most_), static_cast<int>(FREEQ)});
    }
}

void Bench::play_lock() {
    if (locked_) {
        if (read(LOCK) != 0) fail("a lock that is held is granted");
        release_lock();
        return;
    }
    if (rng_.chance(200)) {
        const uint32_t answer = write(LOCK, 1);
        if (answer != (has(F_OWNER) ? 2u : 0u)) fail("releasing a lock that nobody holds is answered with %u", answer);
        if (has(F_OWNER)) push_failed_ |= 1u << 9, last_drop_ = cycle_;
        return;
    }
    if (read(LOCK) != 1) fail("a free lock is not granted");
    locked_ = true;
    note("the processor has the lock");
    // What is in the free queue stays, and only the processor changes it.
    idle(3);
    const uint32_t before = read(REG(freeq.occupancy));
    idle(rng_.range(0, 60));
    if (read(REG(freeq.occupancy)) != before) fail("the free queue changes while the processor has its lock");
    if (!(read(REG(status)) & NSOC_NIC_STATUS_LOCK_HELD)) fail("the status word does not show the lock");
    if (rng_.chance(200) && write(LOCK, 0) != 0) fail("writing 0 to the lock is answered");
}

void Bench::release_lock() {
    if (write(LOCK, 1) != 0) fail("the release of the lock is refused");
    locked_ = false;
}

void Bench::illegal() {
    const uint64_t what = rng_.below(6);
    uint32_t id = static_cast<uint32_t>(rng_.below(256));
    bool error = false;
    if (what == 0) {
        const auto there = [](uint32_t i) {
            return i < 5 || (i >= RXQ && i <= LOCK && (i < RXQ + 8 || i >= TXQ) && (i < TXQ + 8 || i >= FREEQ)) ||
                   (i >= REG(push_failed) && i <= REG(tx_stamp_lost)) ||
                   (i >= REG(mac_control) && i <= REG(tx_stamp_high)) ||
                   (i >= REG(selftest_control) && i <= REG(selftest_address)) || i == REG(capability) ||
                   i == REG(reset) || (i >= REG(mac_address_low) && i <= REG(status)) || i == REG(free_counter) ||
                   i == REG(max_frame);
        };
        while (there(id)) id = static_cast<uint32_t>(rng_.below(256));
        error = access(rng_.chance(512), id, static_cast<uint32_t>(rng_.next())).error;
    } else if (what == 1) {
        const uint32_t ids[] = {REG(control),
                                REG(servers_enabled),
                                REG(queue_depth),
                                REG(buffer_size),
                                REG(irq_mask),
                                RXQ,
                                TXQ + 2,
                                FREEQ,
                                LOCK,
                                REG(push_failed),
                                REG(debug1),
                                REG(selftest_control),
                                REG(selftest_base)};
        id = rng_.pick(ids);
        error = access(false, id, 0, static_cast<uint32_t>(rng_.below(15))).error;
    } else if (what == 2) {
        const uint32_t ids[] = {RXQ + 4, TXQ, FREEQ, LOCK};
        id = rng_.pick(ids);
        error = access(true, id, 0, static_cast<uint32_t>(rng_.below(15))).error;
    } else if (what == 3) {
        const uint32_t ids[] = {REG(debug2),           REG(status),          REG(free_counter),
                                REG(rx_good),          REG(pointers_held),   RXQ + 1,
                                REG(packets_received), REG(selftest_status), REG(selftest_got)};
        id = rng_.pick(ids);
        error = access(false, id, static_cast<uint32_t>(rng_.next())).error;
    } else if (what == 4) {
        const uint32_t limits[] = {REG(queue_depth), REG(buffer_size), REG(max_frame)};
        id = rng_.pick(limits);
        const uint32_t depths[] = {0, 65, 127, 128, 0x80000001u};
        const uint32_t sizes[] = {0, 120, 127, 129, 2047, 65532, 65536};
        const uint32_t frames[] = {0, 1, 63, 2035, 2047, 2048, 0x10000u | 1522};
        const uint32_t bad = id == REG(queue_depth)   ? rng_.pick(depths)
                             : id == REG(buffer_size) ? rng_.pick(sizes)
                                                      : rng_.pick(frames);
        error = access(false, id, bad).error;
    } else {
        id = rng_.chance(512) ? FREEQ : TXQ;
        error = access(false, id, (static_cast<uint32_t>(rng_.next()) & ~7u) | static_cast<uint32_t>(1 + rng_.below(7)))
                    .error;
    }
    if (!error) fail("an illegal access to register %u is no error (kind %u)", id, static_cast<unsigned>(what));
}

// Registers that can be read at any time, against what is known.
void Bench::look() {
    const uint64_t what = rng_.below(8);
    if (what == 0) {
        const uint32_t ids[] = {REG(control),
                                REG(servers_enabled),
                                REG(queue_depth),
                                REG(buffer_size),
                                REG(max_frame),
                                REG(irq_mask),
                                REG(irq_moderation),
                                REG(rx_patience),
                                REG(mac_control),
                                REG(steering),
                                REG(mac_address_low),
                                REG(mac_address_high),
                                REG(multicast_hash_low),
                                REG(multicast_hash_high)};
        const uint32_t id = rng_.pick(ids);
        if (built(id) && read(id) != value(id)) fail("register %u does not hold 0x%x", id, value(id));
    } else if (what == 1) {
        for (uint32_t s = 0; s < SERVERS; ++s) {
            const uint32_t sure = static_cast<uint32_t>(pushed_rx_[s].size()), rx = read(RXQ + 2 * s + 1),
                           tx = read(TXQ + 2 * s + 1);
            if (rx > 64 || tx > 64 || rx < sure || rx > sure + deliveries_[s].size())
                fail("server %u: the queues hold %u and %u pointers, and %u were pushed", s, rx, tx, sure);
        }
    } else if (what == 2) {
        read_counters(false);
    } else if (what == 3) {
        const uint32_t failed = read(REG(push_failed));
        if (failed != push_failed_) fail("push_failed is 0x%x instead of 0x%x", failed, push_failed_);
        const uint32_t clear = static_cast<uint32_t>(rng_.next()) & 0x3FF;
        write(REG(push_failed), clear);
        push_failed_ &= ~clear;
    } else if (what == 4) {
        const int64_t at = now_;
        const uint32_t low = read(REG(free_counter)), high = read(REG(free_counter_high));
        const int64_t count = static_cast<int64_t>(static_cast<uint64_t>(high) << 32 | low);
        const int64_t off = count - (at - counter_zero_) / nic_.period;
        if (off < -2 || off > 8) fail("the free-running counter is %lld cycles off", static_cast<long long>(off));
    } else if (what == 5) {
        const uint32_t scratch = static_cast<uint32_t>(rng_.next());
        write(REG(debug1), scratch);
        if (read(REG(debug1)) != scratch) fail("debug1 does not hold what was written");
        read(REG(debug2));
        if (value(REG(control)) & NIC_ENABLE)
            must_refuse(1 + static_cast<uint32_t>(rng_.below(4)), "the NIC is enabled");
    } else {
        read_irq();
    }
}

void Bench::read_irq() {
    const uint32_t mask = value(REG(irq_mask));
    const int64_t begin = cycle_, stable = now_ - cycles(20);
    const bool sure = history(REG(control)).settled() < stable && history(REG(irq_mask)).settled() < stable &&
                      history(REG(irq_moderation)).settled() < stable;
    const int64_t drop = last_drop_;
    const uint32_t status = read(REG(irq_status));
    if (drop > error_cleared_ + 20 && drop < begin - 20 && !(status & NSOC_NIC_IRQ_STATUS_ERROR))
        fail("something was dropped, and irq_status does not say so");
    for (size_t s = 0; s < SERVERS; ++s)
        if (!pushed_rx_[s].empty() && !(status >> s & 1))
            fail("irq_status does not show that receive queue %zu holds a pointer", s);
    if (sure) {
        const bool cause = (status & mask) != 0, on = (value(REG(control)) & IRQ_ENABLE) != 0;
        const bool moderated =
            has(F_MODERATION) && (value(REG(irq_moderation)) >> 8) != 0 && !(status & mask & NSOC_NIC_IRQ_STATUS_ERROR);
        if (cause && on && !moderated) {
            for (int i = 0; i < 4 && irq_high_at_ < begin; ++i) step();
            if (irq_high_at_ < begin) fail("irq_status is 0x%x, mask 0x%x, and the line is low", status, mask);
        } else if (!(cause && on) && irq_low_at_ < begin) {
            fail("irq_status is 0x%x, mask 0x%x, enable %d, and the line is high", status, mask, on);
        }
    }
    if (rng_.chance(600)) {
        const uint32_t clear = rng_.pick({0x300u, 0x100u, 0x200u, 0x30Fu});
        write(REG(irq_status), clear);
        if (clear & 0x200) error_cleared_ = cycle_;
    }
}

// From `at` on (give or take some cycles) the PTP time is `ns` there; `exact`: it was so before as well.
void Bench::anchor_ptp(uint64_t ns, int64_t at, bool exact) {
    PtpSegment next = ptp_.back();
    next.anchor = at;
    next.base = static_cast<__int128>(ns) << 28;
    if (exact) {
        ptp_.back() = next;
        return;
    }
    next.from = at - cycles(40);
    ptp_.back().until = now_ + cycles(20);
    ptp_.push_back(next);
    if (ptp_.size() > 64) ptp_.pop_front();
}

void Bench::play_ptp() {
    const auto at_time = [&](int64_t at) {
        const PtpSegment &p = ptp_.back();
        return static_cast<uint64_t>((p.base + static_cast<__int128>(at - p.anchor) * p.increment / nic_.period) >> 28);
    };
    const uint32_t low = read(REG(ptp_low));
    const int64_t at = acted_;
    const uint64_t ns = static_cast<uint64_t>(read(REG(ptp_high))) << 32 | low;
    const int64_t off = static_cast<int64_t>(ns - at_time(at)),
                  most = static_cast<int64_t>(uint64_t{ptp_.back().increment} * 14 >> 28) + 4;
    if (off > most || off < -most)
        fail("the PTP time is %llu ns, and it should be about %llu", static_cast<unsigned long long>(ns),
             static_cast<unsigned long long>(at_time(at)));
    anchor_ptp(ns, at, true);
    if (read(REG(ptp_increment)) != ptp_.back().increment) fail("ptp_increment is not what was written");
    if (read(REG(ptp_command)) != 0) fail("ptp_command stays");
    const uint64_t what = rng_.below(4);
    if (what == 0) {
        const uint64_t to = rng_.chance(300) ? rng_.below(1 << 20) + (1ull << 32) - (1 << 19) : rng_.next();
        write(REG(ptp_low), static_cast<uint32_t>(to));
        write(REG(ptp_high), static_cast<uint32_t>(to >> 32));
        write(REG(ptp_command), 1);
        anchor_ptp(to, acted_, false);
        note("PTP time := %llu", to);
    } else if (what == 1) {
        int64_t by = static_cast<int64_t>(rng_.below(1u << 30));
        if (rng_.chance(512) && ns > (1u << 31)) by = -by;
        write(REG(ptp_low), static_cast<uint32_t>(by));
        write(REG(ptp_high), static_cast<uint32_t>(static_cast<uint64_t>(by) >> 32));
        write(REG(ptp_command), 2);
        anchor_ptp(at_time(acted_) + static_cast<uint64_t>(by), acted_, false);
        note("PTP time += %llx", static_cast<uint64_t>(by));
    } else if (what == 2) {
        const uint32_t increment =
            rng_.chance(512) ? 0x80000000u : static_cast<uint32_t>(rng_.range(0x70000000, 0x90000000));
        write(REG(ptp_increment), increment);
        anchor_ptp(at_time(acted_), acted_, false);
        ptp_.back().increment = increment;
    }
}

void Bench::read_stamps() {
    for (int i = 0; i < 17; ++i) {
        const uint32_t tag = read(REG(tx_stamp));
        if (!(tag & NSOC_NIC_TX_STAMP_VALID)) break;
        const uint32_t low = read(REG(tx_stamp_low)), high = read(REG(tx_stamp_high));
        stamps_.push_back({static_cast<uint16_t>(tag), static_cast<uint64_t>(high) << 32 | low, now_});
        ++stamps_read_;
        note("stamp of tag %llx", tag & 0xFFFF);
    }
    match_stamps();
}

// Stamps that were read against frames that left with one wanted; what was passed over is lost.
void Bench::match_stamps() {
    while (!stamps_.empty()) {
        size_t k = 0;
        while (k < wanted_.size() && wanted_[k].tag != stamps_.front().tag) ++k;
        if (k == wanted_.size()) return;
        stamps_lost_ += k;
        Frame f;
        f.sfd = wanted_[k].sfd;
        check_stamp(f, stamps_.front().ns);
        wanted_.erase(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        stamps_.pop_front();
    }
}

}  // namespace nic_mac
