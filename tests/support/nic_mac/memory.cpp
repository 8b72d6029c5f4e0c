// SPDX-License-Identifier: Apache-2.0
//
// The memory: which frame is written into a buffer, which one is read out of it.

#include "bench.h"

namespace nic_mac {

size_t Bench::buffer_at(uint64_t address, uint32_t &offset) {
    const int32_t index = address >> 32 ? -1 : pages_[address >> 17];
    if (index >= 0) {
        const Buffer &b = buffers_[static_cast<size_t>(index)];
        if (address >= b.pointer && address < b.pointer + BUFFER_BYTES) {
            offset = static_cast<uint32_t>(address) - b.pointer;
            return static_cast<size_t>(index);
        }
    }
    fail("the NIC addresses 0x%llx, where there is no buffer", static_cast<unsigned long long>(address));
}

uint64_t Bench::access_memory(const Request &q, bool &error) {
    if (tested_.on) return answer_test(q, error);
    uint32_t offset = 0;
    const size_t index = buffer_at(q.address & ~7ull, offset);
    Buffer &b = buffers_[index];
    error = memory_rng_.chance(1) && memory_rng_.chance(q.read ? read_faults_ : write_faults_);
    if (q.read) {
        Session &s = sessions_[q.session];
        uint64_t word = 0;
        for (size_t i = 0; i < 8; ++i) word = word << 8 | b.memory[offset + i];
        if (offset == 0) answer_control(s, b, word, error);
        else if (offset >= 16 && s.answered && !s.refused && !s.bad_length && (offset - 16) / 8 < s.dwords()) {
            s.dwords_read = (offset - 16) / 8 + 1;
            if (error) refuse(s, b, offset);
        }
        return error ? memory_rng_.next() : word;
    }
    if (b.where == Buffer::DELIVERED) returned_late(index);
    if (b.where != Buffer::NIC) {
        if (b.where == Buffer::CPU) fail("the NIC writes buffer %08x, which the processor has", b.pointer);
        if (b.where != Buffer::TAKEN) fail("the NIC writes buffer %08x, which is in a queue", b.pointer);
        leave_transmit(b);
    }
    if (!b.open) {
        b.open = true;
        b.error = false;
        b.opened = q.at - cycles(100);  // when it may have begun in the engine
        note("receive: buffer %08llx begun, first write asked for at %llu ps", b.pointer, static_cast<uint64_t>(q.at));
        b.bound = history(REG(buffer_size)).largest(b.opened - cycles(1000), now_);
    }
    for (size_t i = 0; i < 8; ++i) {
        if (!(q.mask >> (7 - i) & 1)) continue;
        if (offset + i >= b.bound || offset + i >= BUFFER_BYTES)
            fail("the NIC writes byte %zu of a buffer of %zu", offset + i, b.bound);
        b.memory[offset + i] = static_cast<uint8_t>(q.data >> (56 - 8 * i));
    }
    b.error |= error;
    if (error) note("memory: refuses a write of %08llx + %llu", b.pointer, offset);
    if (offset == 0) end_session(index);
    return memory_rng_.next();
}

// What the edge of nic_clk transferred, and what is offered for the next one.
void Bench::memory_edge() {
    if (s_request_valid_) {
        Request q = s_request_;
        q.due = cycle_ + latency_ + (jitter_ ? static_cast<int64_t>(memory_rng_.below(jitter_)) : 0);
        uint32_t offset = 0;
        const size_t index = tested_.on ? 0 : buffer_at(q.address & ~7ull, offset);
        if (q.read && !tested_.on) {
            if (offset == 0) take(index);
            q.session = buffers_[index].session;
            if (buffers_[index].where != Buffer::TAKEN) check_late(buffers_[index], offset);
        }
        requests_.push_back(q);
    }
    if (s_response_taken_) top_->acb_rsp_valid = 0;
    if (!top_->acb_rsp_valid && !requests_.empty() && requests_.front().due <= cycle_ &&
        !memory_rng_.chance(response_stall_)) {
        bool error = false;
        top_->acb_data = access_memory(requests_.front(), error);
        requests_.pop_front();
        top_->acb_err = error;
        top_->acb_rsp_valid = 1;
    }
    top_->acb_req_ready = requests_.size() < 64 && !memory_rng_.chance(request_stall_);
    dirty_ = true;
}

// The last write to a buffer, its control word: which frame is it, and what is to become of it?
void Bench::end_session(size_t index) {
    Buffer &b = buffers_[index];
    b.open = false;
    const uint8_t *m = b.memory.data();
    const uint32_t length = be16(m + 6), server = m[3], status = m[2];
    if (m[0] || m[1] || m[4] || m[5] || server >= SERVERS || status > 1)
        fail("a control word that nothing describes: %02x%02x %02x %02x %02x%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    const size_t frame =
        length + FRAME_AT <= b.bound && length >= MIN_FRAME ? find_frame(m + FRAME_AT, length) : SIZE_MAX;
    note("receive: buffer %08llx complete, status %llu, frame %llu", b.pointer, status, frame);
    last_activity_ = now_;
    if (b.error || status) {
        if (frame == SIZE_MAX) {
            ++(b.error ? refused_unknown_ : dropped_sessions_);
        } else if (b.error && status) {
            ++refused_unknown_;  // for one reason or the other
        } else if (b.error) {
            ++refused_;
            frames_[frame].where = Frame::REFUSED;
            frames_[frame].left = now_;
        } else {
            ++dropped_sessions_;  // the MAC has dropped it, or else this is found out in the end
        }
        return;
    }
    if (frame == SIZE_MAX) {
        size_t next = last_stored_;
        while (next < frames_.size() && frames_[next].where != Frame::IN_MAC) ++next;
        if (next < frames_.size())
            fail("memory has a frame of %u bytes that nobody sent; the next one is %zu: %s", length, next,
                 difference(frames_[next].bytes, m + FRAME_AT, length).c_str());
        fail("memory has a frame of %u bytes that nobody sent", length);
    }
    Frame &f = frames_[frame];
    if (f.where != Frame::CANDIDATE && f.where != Frame::IN_MAC)
        fail("frame %zu comes into memory again (state %d)", frame, f.where);
    if (frame + 1 <= last_stored_) fail("frame %zu is stored after frame %zu", frame, last_stored_ - 1);
    last_stored_ = frame + 1;
    f.where = Frame::STORED;
    f.left = now_;
    ++stored_;
    longer_stored_ += length + 4 > MAX_FRAME_RESET;
    uint64_t stamp = 0;
    for (int i = 8; i < 16; ++i) stamp = stamp << 8 | m[i];
    check_stamp(f, stamp);
    // The server was chosen when the control word went out, some time between the session's begin and now.
    const int64_t from = b.opened - cycles(20);
    if (!history(REG(servers_enabled)).any(from, now_, 1u << server))
        fail("a frame for server %u, which is not enabled", server);
    const History &control = history(REG(control));
    const bool may_tx = control.any(from - cycles(60), now_, NIC_LOOPBACK),
               may_rx = !control.all(from - cycles(60), now_, NIC_LOOPBACK);
    if (!control.any(f.start - cycles(100000), now_, NIC_ENABLE)) fail("a frame is stored, and the NIC is disabled");
    const int64_t since = history(REG(servers_enabled)).settled() > history(REG(steering)).settled()
                              ? history(REG(servers_enabled)).settled()
                              : history(REG(steering)).settled();
    if (value(REG(steering)) && b.opened > since + cycles(20)) {
        if (epoch_ != since) flows_.clear(), epoch_ = since;
        const uint64_t flow = flow_of(f.bytes);
        if (flow) {
            const auto [there, first] = flows_.emplace(flow, server);
            if (!first && there->second != server)
                fail("frame %zu goes to server %u, its flow to server %u", frame, server, there->second);
        }
    }
    b.where = Buffer::DELIVERED;
    b.late = false;
    b.frame = frame;
    b.server = server;
    deliveries_[server].push_back({index, now_, may_rx, may_tx});
    watch_queues();
}

void Bench::check_stamp(const Frame &f, uint64_t stamp) {
    for (const PtpSegment &p : ptp_) {
        if (p.until < f.sfd - cycles(20) || p.from > now_) continue;
        const __int128 ticks = f.sfd - p.anchor;
        const __int128 ns = (p.base + ticks * p.increment / nic_.period) >> 28;
        const __int128 off = static_cast<__int128>(stamp) - ns;
        const __int128 most = (static_cast<__int128>(p.increment) * 12 >> 28) + 2;
        if (off <= most && off >= -most) return;
    }
    const PtpSegment &p = ptp_.back();
    const __int128 ns = (p.base + static_cast<__int128>(f.sfd - p.anchor) * p.increment / nic_.period) >> 28;
    fail("stamp %llx, and it should be about %llx", static_cast<unsigned long long>(stamp),
         static_cast<unsigned long long>(ns));
}

// The control word of a buffer is asked for: its pointer was taken from a transmit queue.
void Bench::take(size_t index) {
    Buffer &b = buffers_[index];
    bool found = false, looped = false;
    for (auto t = taken_unseen_.begin(); t != taken_unseen_.end(); ++t) {
        if (t->buffer != index) continue;
        looped = t->may_tx;
        taken_unseen_.erase(t);
        found = true;
        break;
    }
    for (size_t s = 0; s < SERVERS && !found; ++s) {
        // The processor may have the first one already, while its pop waits for the answer.
        for (size_t i = 0; !found && i < pushed_tx_[s].size() && i <= (popping_ == s); ++i) {
            if (pushed_tx_[s][i] != index) continue;
            pushed_tx_[s].erase(pushed_tx_[s].begin() + static_cast<std::ptrdiff_t>(i));
            found = true;
        }
        if (!found) found = looped = claim(s, index, false, false);
    }
    if (!found && b.late) {  // it was only passed over
        found = looped = true;
        ++stored_;
        --dropped_late_;
    }
    if (!found) {
        for (size_t s = 0; s < SERVERS; ++s) {
            for (const Delivery &d : deliveries_[s])
                note("queues of server %llu: %08llx, for receive or transmit: %llu", s, buffers_[d.buffer].pointer,
                     2u * d.may_rx + d.may_tx);
            for (size_t i : pushed_tx_[s]) note("transmit queue %llu: %08llx, pushed", s, buffers_[i].pointer);
        }
        fail("the NIC transmits buffer %08x, which is at the head of no transmit queue", b.pointer);
    }
    note("transmit: buffer %08llx taken", b.pointer);
    Session s{};
    s.buffer = index;
    s.taken = now_;
    s.looped = looped;
    nic_looped_ += looped;
    if (looped) frames_[b.frame].where = Frame::GONE, Bytes().swap(frames_[b.frame].bytes);
    b.where = Buffer::TAKEN;
    b.session = sessions_.size();
    sessions_.push_back(std::move(s));
    last_activity_ = now_;
}

void Bench::answer_control(Session &s, Buffer &b, uint64_t word, bool error) {
    s.answered = true;
    if (error) {
        s.refused = true;
        note("memory: refuses the control word of %08llx", b.pointer);
        return;
    }
    s.length = static_cast<uint32_t>(word & 0xFFFF);
    s.tag = static_cast<uint16_t>(word >> 48);
    s.stamp = has(F_STAMP) && (word >> 24 & 1);
    const auto beyond = [&](uint32_t size) { return s.length > size - FRAME_AT; };
    const int64_t from = s.taken - cycles(20), until = now_;
    const History &size = history(REG(buffer_size)), &longest = history(REG(max_frame));
    s.bad_length = s.length < 14 || s.length + 4 > longest.largest(from, until) || beyond(size.largest(from, until));
    s.maybe_bad = !s.bad_length && (s.length + 4 > longest.smallest(from, until) || beyond(size.smallest(from, until)));
    if (!s.bad_length) s.bytes.assign(b.memory.begin() + FRAME_AT, b.memory.begin() + FRAME_AT + s.length);
}

void Bench::refuse(Session &s, Buffer &b, uint32_t offset) {
    if (!s.aborted) note("memory: refuses byte %llu of %08llx", offset, b.pointer);
    if (!s.aborted) s.readable = offset > FRAME_AT ? offset - FRAME_AT : 0;
    s.aborted = true;
}

// A read of a buffer that is not in transmission: it can only be one of those that the engine asked for in advance and
// turned out not to need.
void Bench::check_late(const Buffer &b, uint32_t offset) {
    if (b.session < sessions_.size()) {
        const Session &s = sessions_[b.session];
        if (&buffers_[s.buffer] == &b && s.read() &&
            (s.refused || s.bad_length || s.maybe_bad || (offset - 16) / 8 >= s.dwords()))
            return;
    }
    fail("the NIC reads byte %u of buffer %08x, which is not in transmission", offset, b.pointer);
}

// The buffer has left the transmit engine: it must have read all that it needed.
void Bench::leave_transmit(Buffer &b) {
    const Session &s = sessions_[b.session];
    if (!s.read()) fail("buffer %08x leaves the transmit engine before it was read", b.pointer);
    b.where = Buffer::NIC;
}

}  // namespace nic_mac
