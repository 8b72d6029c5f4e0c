// SPDX-License-Identifier: Apache-2.0
//
// Frames of one length both ways at once, each with a number and a content that follows from it. The host's driver is
// as fast as its memory (host_model.h) lets it be.
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <cinttypes>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "nic.h"
#include "profile.h"

// What is in lib/assists.h of the firmware.
constexpr unsigned TX_RING = 1024, RX_RING = 1024, HEADERS = 42;
constexpr unsigned CHECK_BYTES = 4, AROUND = 20;  // preamble with its start, and gap

// Frame number `count` of a direction, without FCS.
inline std::vector<uint8_t> content(uint64_t count, unsigned bytes, uint8_t way) {
    std::vector<uint8_t> frame(bytes);
    static constexpr uint8_t HEAD[14] = {2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0x88, 0xB5};
    std::memcpy(frame.data(), HEAD, sizeof HEAD);
    frame[5] = way;
    uint64_t state = splitmix64(count * 2 + way);
    for (unsigned i = 0; i < 8; ++i) frame[14 + i] = static_cast<uint8_t>(count >> (56 - 8 * i));
    for (unsigned at = 22; at < bytes; ++at) {
        if ((at - 22) % 8 == 0) state += SPLITMIX_STEP;
        frame[at] = static_cast<uint8_t>(splitmix64(state) >> 8 * ((at - 22) % 8));
    }
    return frame;
}

class Traffic : public Nic {
public:
    explicit Traffic(const Options &options) : Nic(options) {
        bytes_ = static_cast<unsigned>(options.number("bytes", 64)) - CHECK_BYTES;
        slot_ = static_cast<unsigned>(options.number("slot", 2048));
        pieces_ = static_cast<unsigned>(options.number("pieces", 1));
        tx_ring_ = allocate(TX_RING * 16);
        rx_ring_ = allocate(RX_RING * 16);
        rx_done_ = allocate(RX_RING * 8);
        tx_done_ = allocate(16);
        tx_buffers_ = allocate(TX_RING * slot_);
        rx_buffers_ = allocate(RX_RING * slot_);
        mailbox_ = static_cast<uint32_t>(options.number("mailbox"));
        shown_ = static_cast<uint32_t>(options.number("shown"));
        bad_ = static_cast<unsigned>(options.number("bad"));
        bad_every_ = options.number("bad_every", 10);
        every_ = options.number("every_ns") * (US / 1000);
        reset();
        begin();
    }

    void run() {
        if (options_.has("reset_us")) {
            start(100, 100);
            // To the edge: any cycle of any clock can be the one.
            until(now_ + options_.number("reset_us") * US + options_.number("seed", 1) * 12'347'000);
            begin_again();
        }
        start(static_cast<unsigned>(options_.number("send", 100)),
              static_cast<unsigned>(options_.number("receive", 100)));
        no_buffers_until_ = now_ + options_.number("no_buffers_us") * US;
        pause_from_ = now_ + 100 * US;
        pause_until_ = pause_from_ + options_.number("pause_us") * US;
        if (options_.has("mailbox_us")) lie_at_ = now_ + options_.number("mailbox_us") * US;
        const uint64_t warm = options_.number("warm_us", 40) * US, window = options_.number("window_us", 100) * US;
        const uint64_t frames = options_.number("frames");
        until(now_ + warm);
        const Counts before = counts_;
        const uint64_t begin = now_;
        sent_at_.clear();
        came_at_.clear();
        if (options_.has("profile"))
            profile_.start(static_cast<uint32_t>(options_.number("round")),
                           static_cast<uint32_t>(options_.number("idle")));
        if (options_.has("trace")) trace_.open(options_.text("trace"), now_ + options_.number("trace_us", 50) * US);
        if (frames) until_frames(frames);
        else until(now_ + window);
        const Counts after = counts_;
        const uint64_t end = now_;
        if (profile_.on()) profile_.write(options_.text("profile"));
        start(0, 0);
        drain();
        std::printf("window %.6f %.6f %" PRIu64 " %" PRIu64 "\n", frames_in(sent_at_, begin, end),
                    frames_in(came_at_, begin, end), after.core_cycles - before.core_cycles,
                    after.interrupts - before.interrupts);
        print("words", before.words, after.words, MASTERS);
        print("beats", before.beats, after.beats, CLIENTS);
        std::printf("retired %" PRIu64 " %" PRIu64 "\n", after.retired - before.retired, after.rows - before.rows);
        std::printf("mac");
        for (unsigned i = 0; i < 32; ++i) std::printf(" %" PRIu64, counts_.mac[i]);
        std::printf("\nshown");
        for (unsigned i = 0; i < SHOWN; ++i) std::printf(" %u", access(shown_ + 4 * i));
        for (unsigned core = 0; core < MOST_CORES; ++core)
            if (traps_[core].size() == 3) std::printf("\ntrapped %u %u %u", core, traps_[core][1], traps_[core][2]);
        std::printf("\ntotal %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", given_, sent_, offered_, delivered_);
        std::printf("places %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tx_ring_,
                    tx_done_, rx_done_, tx_buffers_, rx_buffers_, rx_ring_);
        std::printf("simulated %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", clocks_[CORE].edges, evaluation_->count(),
                    clocks_.edges());
    }

protected:
    static constexpr unsigned SHOWN = 24;

    // Firmware, and where the host's rings are.
    void begin() {
        load();
        const uint64_t places[] = {tx_ring_, rx_ring_, rx_done_, tx_done_};
        for (unsigned i = 0; i < 4; ++i) {
            access(mailbox_ + 32 + 8 * i, static_cast<uint32_t>(places[i]));
            access(mailbox_ + 36 + 8 * i, static_cast<uint32_t>(places[i] >> 32));
        }
    }

    // Frames from now on, so many percent of the line in each direction.
    void start(unsigned send_percent, unsigned receive_percent) {
        send_percent_ = send_percent;
        receive_percent_ = receive_percent;
        credited_ = give_credited_ = clocks_[MAC].edges;
        next_given_ = next_offered_ = now_;
        if (!running_) access(CONTROL, 1);
        running_ = true;
    }

    bool offer(LineFrame &frame) override {
        if (!running_) return false;
        if (!has_credit(receive_percent_, credit_, credited_)) return false;
        if (now_ < next_offered_) return false;
        next_offered_ += every_;
        credit_ -= std::min(credit_, columns());
        if (trace_.on(now_)) trace_.offered(now_, offered_, bytes_ + CHECK_BYTES);
        frame.bytes.assign(PREAMBLE, 0x55);
        frame.bytes.back() = 0xD5;
        offered_at_.push_back(now_);
        const std::vector<uint8_t> bytes = content(offered_++, bytes_, 1);
        frame.bytes.insert(frame.bytes.end(), bytes.begin(), bytes.end());
        end_with_check(frame);
        return true;
    }

    void sent(LineFrame &&frame) override {
        if (!running_) return;  // a reset has cut it
        while (bad(sent_)) ++sent_;
        const size_t size = frame.bytes.size() - std::min<size_t>(frame.bytes.size(), PREAMBLE + CHECK_BYTES);
        std::vector<uint8_t> expected = content(sent_, bytes_, 0);
        expected.resize(std::max<size_t>(expected.size(), 60));
        const uint32_t check = frame_check(&frame.bytes[PREAMBLE], size);
        bool same = frame.error_at < 0 && size == expected.size() &&
                    std::memcmp(&frame.bytes[PREAMBLE], expected.data(), size) == 0;
        for (unsigned i = 0; same && i < CHECK_BYTES; ++i)
            same = frame.bytes[PREAMBLE + size + i] == static_cast<uint8_t>(check >> 8 * i);
        if (!same) fail("frame " + std::to_string(sent_) + " is wrong on the line, or out of order");
        if (trace_.on(now_)) trace_.sent(now_, sent_, size + CHECK_BYTES);
        ++sent_;
        sent_at_.push_back(now_ - std::min(now_, slot_time()));
    }

    // The driver, between accesses to the NIC.
    void drive() override {
        if (!running_) return;
        get();
        give();
        if (irq_ && !acknowledged_) {
            acknowledged_ = true;
            post(CONTROL, 3);
        } else if (rx_posted_ != rx_told_) {
            post(mailbox_ + 4, rx_told_ = rx_posted_);
        } else if (tx_posted_ + lie() != tx_told_) {
            post(mailbox_, tx_told_ = tx_posted_ + lie());
        }
        if (!irq_) acknowledged_ = false;
    }

    void core_cycle() override {
        for (unsigned core = 0; core < cores_ && profile_.on(); ++core) profile_.cycle(top_, core);
    }

    void trapped(unsigned core, uint32_t pc, uint32_t cause) override {
        if (!options_.has("traps")) Nic::trapped(core, pc, cause);
    }

    std::string state() const {
        return std::to_string(given_) + " frames given, " + std::to_string(sent_) + " sent, " +
               std::to_string(offered_) + " offered, " + std::to_string(delivered_) + " delivered";
    }

    unsigned slot_;
    bool running_ = false;
    uint64_t tx_ring_, rx_ring_, rx_done_, tx_done_, tx_buffers_, rx_buffers_;

private:
    static constexpr uint64_t NOWHERE = 0x7F'0000'0000;

    // As it was before the first frame.
    void begin_again() {
        running_ = false;
        reset(20'000);  // until the host has answered all, and no frame is half on the line
        forget_accesses();
        acknowledged_ = false;
        offered_at_.clear();
        given_ = sent_ = offered_ = delivered_ = next_ = credit_ = give_credit_ = 0;
        tx_posted_ = tx_told_ = rx_posted_ = rx_told_ = 0;
        for (unsigned i = 0; i < RX_RING; ++i) put32(rx_done_ + 8 * i, 0);
        put32(tx_done_, 0);
        reset();
        begin();
    }

    void until_frames(uint64_t frames) {
        const uint64_t *const moved[] = {&sent_, &delivered_};
        const bool wanted[] = {send_percent_ != 0, receive_percent_ != 0};
        uint64_t last[] = {0, 0}, still[] = {now_, now_};
        for (bool waits = true; waits;) {
            waits = false;
            for (unsigned way = 0; way < 2; ++way) {
                if (*moved[way] != last[way]) still[way] = now_;
                last[way] = *moved[way];
                if (!wanted[way] || *moved[way] >= frames) continue;
                if (now_ > still[way] + 500 * US) fail("nothing moves any more, one way at least: " + state());
                waits = true;
            }
            if (waits) until(now_ + US);
        }
    }

    static void print(const char *what, const uint64_t *before, const uint64_t *after, unsigned count) {
        std::printf("%s", what);
        for (unsigned i = 0; i < count; ++i) std::printf(" %" PRIu64, after[i] - before[i]);
        std::printf("\n");
    }

    // Of the line that a frame takes, in hundredths of a column.
    uint64_t columns() const { return (bytes_ + 24) * 100 / 8; }

    // Whether there may be a frame at that share of the line; 100 percent are as fast as one can.
    bool has_credit(unsigned percent, uint64_t &credit, uint64_t &credited) const {
        const uint64_t passed = clocks_[MAC].edges - credited;
        credited += passed;
        credit = std::min<uint64_t>(credit + percent * passed, 1'000'000);
        return percent == 100 || (percent != 0 && credit >= columns());
    }

    bool bad(uint64_t count) const { return bad_ && count % bad_every_ == bad_every_ - 1; }

    void descriptor(uint64_t at, uint64_t address, uint32_t bytes) {
        put32(at, static_cast<uint32_t>(address));
        put32(at + 4, static_cast<uint32_t>(address >> 32));
        put32(at + 8, 0);
        put32(at + 12, bytes);
    }

    uint32_t lie() const { return lie_at_ && now_ >= lie_at_ && now_ < lie_at_ + 50 * US ? 5000 : 0; }

    void give() {
        const uint32_t done = get32(tx_done_);
        while (now_ >= next_given_ && static_cast<uint32_t>(given_) - done < TX_RING / pieces_ - 1 &&
               has_credit(send_percent_, give_credit_, give_credited_)) {
            next_given_ += every_;
            give_credit_ -= std::min(give_credit_, columns());
            const uint64_t at = tx_buffers_ + given_ % TX_RING * slot_ + given_ % 16;  // at any byte
            const std::vector<uint8_t> bytes = content(given_, bytes_, 0);
            std::memcpy(host_.at(at, bytes_), bytes.data(), bytes_);
            for (unsigned piece = 0, from = 0; piece < pieces_; ++piece) {
                const unsigned end = piece + 1 == pieces_ ? bytes_ : HEADERS;
                const bool spoilt = bad(given_) && piece == 0;
                descriptor(tx_ring_ + tx_posted_ % TX_RING * 16, spoilt && bad_ == 3 ? NOWHERE : at + from,
                           spoilt && bad_ < 3 ? (bad_ == 1 ? 0 : 10'000) : end - from);
                from = end;
                ++tx_posted_;
            }
            ++given_;
        }
    }

    void get() {
        for (;;) {
            const uint64_t at = rx_done_ + delivered_ % RX_RING * 8;
            if (rx_posted_ && get32(at) == static_cast<uint32_t>(delivered_ + 1)) {
                const uint32_t bytes = get32(at + 4);
                const uint64_t buffer = rx_buffers_ + delivered_ % RX_RING * slot_;
                check(buffer, bytes);
                if (trace_.on(now_)) trace_.delivered(now_, delivered_, next_ - 1);
                ++delivered_;
            } else if (now_ >= no_buffers_until_ && rx_posted_ < delivered_ + RX_RING) {
                descriptor(rx_ring_ + rx_posted_ % RX_RING * 16, rx_buffers_ + rx_posted_ % RX_RING * slot_, slot_);
                ++rx_posted_;
            } else {
                return;
            }
        }
    }

    // A frame that the NIC has dropped is missing; those that come are in order.
    void check(uint64_t buffer, uint32_t bytes) {
        const uint8_t *found = host_.at(buffer, slot_);
        uint64_t number = 0;
        for (unsigned i = 0; i < 8; ++i) number = number << 8 | found[14 + i];
        if (bytes != bytes_ || number < next_ || number >= offered_)
            fail("a received frame is none of those that were sent next: " + std::to_string(number) + " of " +
                 std::to_string(bytes) + " bytes, " + state());
        const std::vector<uint8_t> expected = content(number, bytes_, 1);
        for (unsigned i = 0; i < bytes; ++i)
            if (found[i] != expected[i])
                fail("byte " + std::to_string(i) + " of received frame " + std::to_string(number) + " is wrong");
        next_ = number + 1;
        came_at_.push_back(offered_at_[number]);
    }

    // Of the line, with preamble and gap, that a frame takes.
    uint64_t slot_time() const { return (bytes_ + CHECK_BYTES + AROUND) * clocks_[MAC].period / 8; }

    // Frames that began at those times, each by the part of its time on the line that is in the window. Times are those
    // of words of 8 bytes, and a gap may be 3 bytes shorter than those around it: so two words less at either end, and
    // the line cannot have more than it carries.
    double frames_in(const std::vector<uint64_t> &starts, uint64_t begin, uint64_t end) const {
        begin += 2 * clocks_[MAC].period;
        end -= std::min(end, 2 * clocks_[MAC].period);
        uint64_t time = 0;
        for (const uint64_t start : starts) {
            const uint64_t from = std::max(start, begin), to = std::min(start + slot_time(), end);
            if (from < to) time += to - from;
        }
        return static_cast<double>(time) / static_cast<double>(slot_time());
    }

    // Until nothing has moved for a while, on the line and at the host.
    void drain() {
        uint64_t last = ~0ull, still = now_;
        while (now_ < still + 300 * US) {
            until(now_ + US);
            const uint64_t moved = sent_ + delivered_ + written_;
            if (last == moved) continue;
            last = moved;
            still = now_;
        }
        while (sent_ < given_ && bad(sent_)) ++sent_;
        if (sent_ != given_) fail("frames that were given have not been sent: " + state());
    }

    Profile profile_;
    unsigned bytes_, pieces_, receive_percent_ = 0, send_percent_ = 0, bad_ = 0;
    uint32_t mailbox_, shown_, tx_posted_ = 0, tx_told_ = 0, rx_posted_ = 0, rx_told_ = 0;
    uint64_t given_ = 0, sent_ = 0, offered_ = 0, delivered_ = 0;  // sent_ counts bad ones, too
    uint64_t credit_ = 0, credited_ = 0, give_credit_ = 0, give_credited_ = 0;
    std::vector<uint64_t> offered_at_;          // when each frame of the line began
    std::vector<uint64_t> sent_at_, came_at_;  // those that the NIC has sent, and delivered, since the window began
    uint64_t next_ = 0, bad_every_ = 0, no_buffers_until_ = 0, lie_at_ = 0;
    uint64_t every_ = 0, next_given_ = 0, next_offered_ = 0;
    bool acknowledged_ = false;
};

#endif
