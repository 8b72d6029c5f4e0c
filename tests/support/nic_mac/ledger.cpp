// SPDX-License-Identifier: Apache-2.0
//
// Where each buffer is, and what each counter must say.

#include "bench.h"

namespace nic_mac {

// A frame is in this receive queue for sure, and has been for so long. Deliveries are in order: one waits when a buffer
// that must go back to the free queue before it finds that locked, or full, or when a frame before it finds its queue
// (in NIC loopback: its transmit queue) filled by the processor, or beyond a depth that was reduced.
bool Bench::delivered(size_t server, int64_t ago) {
    const auto &queue = deliveries_[server];
    return !queue.empty() && !queue.front().may_tx && !queue.front().blocked && queue.front().at < now_ - ago &&
           held_up_ < now_ - ago;
}

// To be called whenever a queue has become longer: at each access, which may be a push, and each delivery.
void Bench::watch_queues() {
    if (locked_ || most_free() >= 60) held_up_ = now_;
    const uint32_t depth = history(REG(queue_depth)).smallest(now_ - cycles(50), now_);
    for (size_t s = 0; s < SERVERS; ++s) {
        const size_t rx = deliveries_[s].size() + pushed_rx_[s].size(),
                     tx = deliveries_[s].size() + pushed_tx_[s].size();
        if (rx > depth) held_up_ = now_;
        for (Delivery &d : deliveries_[s]) {
            if (d.may_tx) held_up_ = now_;
            d.blocked |= (d.may_rx && rx > depth) || (d.may_tx && tx > depth);
        }
    }
}

// As many buffers are in the free queue or on the way there, those included that may have been dropped late.
size_t Bench::most_free() const {
    size_t most = 0;
    for (const Buffer &b : buffers_) most += b.where == Buffer::NIC || b.where == Buffer::TAKEN;
    for (const auto &queue : deliveries_)
        for (const Delivery &d : queue) most += d.blocked;
    return most;
}

// A frame that was stored for a queue, and the processor filled it before the frame came to its head: after rx_patience
// it is dropped as if there were no server.
void Bench::drop_late(size_t server, size_t at) {
    auto &queue = deliveries_[server];
    Buffer &b = buffers_[queue[at].buffer];
    if (!queue[at].blocked || !has(F_PATIENCE))
        fail("the frame in buffer %08x, stored for server %zu, is gone", b.pointer, server);
    note("receive: buffer %08llx was dropped after it was stored", b.pointer);
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(at));
    b.where = Buffer::NIC;
    b.late = true;
    --stored_;
    ++dropped_late_;
    frames_[b.frame].where = Frame::GONE;
}

// The NIC treats a buffer as free that was delivered.
void Bench::returned_late(size_t index) {
    auto &queue = deliveries_[buffers_[index].server];
    for (size_t i = 0; i < queue.size(); ++i)
        if (queue[i].buffer == index) return drop_late(buffers_[index].server, i);
}

// Buffer `index` comes out of a receive (`rx`) or transmit queue as a delivered frame; false when it is not its turn.
// `popped`: by the processor, so that what was ahead of it in a transmit queue may be in the engine already.
bool Bench::claim(size_t server, size_t index, bool rx, bool popped) {
    auto &queue = deliveries_[server];
    size_t k = 0;
    while (k < queue.size() && queue[k].buffer != index) ++k;
    if (k == queue.size() || !(rx ? queue[k].may_rx : queue[k].may_tx)) return false;
    bool pass = !rx && popping_ == server;
    for (size_t i = 0; i < k;) {
        const Delivery d = queue[i];
        if (rx ? d.may_tx : d.may_rx) {
            ++i;
        } else if (d.blocked) {
            drop_late(server, i);
            --k;
        } else if (popped && !rx) {
            taken_unseen_.push_back({d.buffer, now_, false, true});
            queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
            --k;
        } else if (pass) {
            pass = false;
            ++i;
        } else {
            return false;
        }
    }
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
}

// The interrupt line: a frame that surely is in a queue raises it, within the moderation's time.
void Bench::check_irq() {
    if (!(value(REG(control)) & IRQ_ENABLE)) return;
    const uint32_t mask = value(REG(irq_mask));
    const int64_t stable = now_ - cycles(100);
    if (history(REG(control)).settled() > stable || history(REG(irq_mask)).settled() > stable ||
        history(REG(irq_moderation)).settled() > stable)
        return;
    const int64_t wait = cycles(static_cast<int64_t>(value(REG(irq_moderation)) >> 8) + 100);
    for (size_t s = 0; s < SERVERS; ++s) {
        if (!(mask >> s & 1)) continue;
        if (delivered(s, wait) && !s_irq_) fail("receive queue %zu holds a frame, and the interrupt line is low", s);
    }
}

// Push buffer `index`; false when the queue was full. The model has it in the queue before the access begins, since an
// engine may take it before the answer is here.
bool Bench::push(uint32_t queue, size_t index) {
    Buffer &b = buffers_[index];
    const uint32_t s = (queue < FREEQ ? (queue - (queue < TXQ ? RXQ : TXQ)) / 2 : 0);
    const bool rx = queue < TXQ, tx = !rx && queue < FREEQ;
    b.open = false;
    b.where = rx ? Buffer::PUSHED : tx ? Buffer::QUEUED : Buffer::NIC;
    if (rx) pushed_rx_[s].push_back(index);
    if (tx) pushed_tx_[s].push_back(index);
    const int64_t from = now_;
    const uint32_t answer = write(queue, b.pointer);
    note("push: register %llu, %08llx: %llu", queue, b.pointer, answer);
    if (answer == 0) {
        if (rx && (deliveries_[s].size() + pushed_rx_[s].size() > 64))
            fail("receive queue %u took more than 64 pointers", s);
        return true;
    }
    if (answer != FULL) fail("a push is answered with %u", answer);
    if (b.where == Buffer::TAKEN || b.open) fail("a refused pointer was taken all the same");
    if (rx) pushed_rx_[s].pop_back();
    if (tx) pushed_tx_[s].pop_back();
    b.where = Buffer::CPU;
    size_t most = 0;
    if (queue == FREEQ) {
        most = most_free();
    } else {
        most = deliveries_[s].size() + (rx ? pushed_rx_[s] : pushed_tx_[s]).size() + 16;  // 16: in the engines
    }
    if (most < history(REG(queue_depth)).smallest(from, now_))
        fail("register %u: full with at most %zu pointers", queue, most);
    push_failed_ |= 1u << (rx ? s : tx ? 4 + s : 8);
    last_drop_ = cycle_;
    return false;
}

bool Bench::pop(uint32_t queue, size_t &index) {
    const uint32_t s = (queue < FREEQ ? (queue - (queue < TXQ ? RXQ : TXQ)) / 2 : 0);
    const bool rx = queue < TXQ, tx = !rx && queue < FREEQ;
    const int64_t from = now_;
    if (tx) popping_ = s;
    const uint32_t answer = read(queue);
    popping_ = SERVERS;
    if (answer == EMPTY) {
        if (rx && delivered(s, now_ - from + cycles(100)))
            fail("receive queue %u is empty, and buffer %08x was delivered into it", s,
                 buffers_[deliveries_[s].front().buffer].pointer);
        if (rx && !pushed_rx_[s].empty()) fail("receive queue %u is empty, and a pointer was pushed into it", s);
        return false;
    }
    uint32_t offset = 0;
    index = buffer_at(answer, offset);
    Buffer &b = buffers_[index];
    note("pop: register %llu, %08llx", queue, answer);
    if (offset) fail("register %u: a pop brings 0x%x, which nobody pushed", queue, answer);
    bool found = false;
    if (queue == FREEQ) {
        if (b.where == Buffer::TAKEN) leave_transmit(b);
        if (b.where == Buffer::DELIVERED) returned_late(index);
        found = b.where == Buffer::NIC && !b.open;
    } else {
        auto &pushed = rx ? pushed_rx_[s] : pushed_tx_[s];
        size_t ahead = 0;
        while (ahead < pushed.size() && pushed[ahead] != index) ++ahead;
        if (ahead < pushed.size() && (ahead == 0 || tx)) {
            // What was ahead of it in a transmit queue is in the engine, and its control word not asked for yet.
            for (; ahead > 0; --ahead, pushed.pop_front())
                taken_unseen_.push_back({pushed.front(), now_, false, false});
            pushed.pop_front();
            found = true;
        }
        if (!found && claim(s, index, rx, true)) {
            found = true;
            popped_rx(s, index);
        }
        if (taken_unseen_.size() > 2) fail("register %u: a pop passes over pointers", queue);
    }
    if (!found)
        fail("register %u: a pop brings %08x, which is not the next one there (it is in state %d)", queue, answer,
             b.where);
    b.where = Buffer::CPU;
    return true;
}

// A received frame is in the processor's hands: it must be as it was when its control word was written.
void Bench::popped_rx(uint32_t server, size_t index) {
    Buffer &b = buffers_[index];
    Frame &f = frames_[b.frame];
    if (b.server != server) fail("a frame for server %u comes from the queue of server %u", b.server, server);
    if (be16(&b.memory[6]) != f.bytes.size() || std::memcmp(&b.memory[FRAME_AT], f.bytes.data(), f.bytes.size()) != 0)
        fail("a frame changed while it was in a queue");
    f.where = Frame::GONE;
    by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
    Bytes().swap(f.bytes);
    ++popped_;
}

// Lowest and highest value of each counter by what the harness has seen; the two are the same when it knows exactly.
std::map<uint32_t, std::pair<uint64_t, uint64_t>> Bench::expected_counts() {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> e;
    const auto exact = [&](uint32_t id, uint64_t n) { e[id] = {n, n}; };
    exact(REG(rx_good), causes_[GOOD]);
    exact(REG(rx_drop_fcs), causes_[FCS]);
    exact(REG(rx_drop_runt), causes_[RUNT]);
    exact(REG(rx_drop_oversize), causes_[OVERSIZE]);
    exact(REG(rx_drop_error), causes_[ERROR]);
    exact(REG(rx_drop_overflow), causes_[OVERFLOW]);
    exact(REG(rx_drop_disabled), causes_[DISABLED]);
    exact(REG(rx_drop_filtered), causes_[FILTERED]);
    exact(REG(rx_pause), causes_[PAUSE]);
    e[REG(rx_drop_memory_error)] = {refused_, refused_ + refused_unknown_};
    // A length that may have been too long for the buffer, and a read of the frame that was refused: one of the two.
    uint64_t refused = 0, bad = 0, aborted = 0, taken = 0, either = 0;
    for (const Session &s : sessions_) {
        const bool open = s.maybe_bad && s.aborted;
        either += open;
        refused += s.refused;
        bad += s.bad_length && !open;
        aborted += s.aborted && !open;
        taken += s.answered && !s.refused && !s.bad_length && !open;
    }
    e[REG(tx_taken)] = {taken, taken + either};
    e[REG(tx_drop_bad_length)] = {bad, bad + either};
    exact(REG(tx_drop_memory_error), refused);
    e[REG(tx_drop_abort)] = {aborted, aborted + either};
    exact(REG(tx_drop_oversize), 0);
    exact(REG(tx_drop_underrun), 0);
    exact(REG(tx_pause), line_pauses_);
    exact(REG(packets_transmitted), line_frames_);
    exact(REG(packets_received), stored_);
    return e;
}

// At any time: no counter runs ahead of what happened, or back. When all is quiet (`exact`): each is what it has to be.
void Bench::read_counters(bool exact) {
    const uint32_t ids[] = {REG(rx_good),
                            REG(rx_drop_fcs),
                            REG(rx_drop_runt),
                            REG(rx_drop_oversize),
                            REG(rx_drop_error),
                            REG(rx_drop_overflow),
                            REG(rx_drop_disabled),
                            REG(rx_drop_filtered),
                            REG(rx_pause),
                            REG(rx_drop_too_long),
                            REG(rx_drop_memory_error),
                            REG(rx_drop_no_buffer),
                            REG(rx_drop_no_server),
                            REG(tx_taken),
                            REG(tx_drop_bad_length),
                            REG(tx_drop_memory_error),
                            REG(tx_drop_abort),
                            REG(tx_drop_oversize),
                            REG(tx_drop_underrun),
                            REG(tx_pause),
                            REG(tx_stamp_lost),
                            REG(packets_transmitted),
                            REG(packets_received)};
    if (!exact) {
        const uint32_t id = rng_.pick(ids);
        const uint32_t count = read(id);
        if (count < seen_counts_[id]) fail("register %u counts back", id);
        seen_counts_[id] = count;
        return;
    }
    const auto expected = expected_counts();
    for (uint32_t id : ids) {
        uint32_t count = read(id);
        if (bug_ == WRONG_COUNT && id == REG(packets_received)) ++count;
        seen_counts_[id] = count;
        const auto e = expected.find(id);
        if (e == expected.end()) continue;
        if (count < e->second.first || count > e->second.second)
            fail("register %u counts %u, and it was %llu to %llu", id, count,
                 static_cast<unsigned long long>(e->second.first), static_cast<unsigned long long>(e->second.second));
    }
}

}  // namespace nic_mac
