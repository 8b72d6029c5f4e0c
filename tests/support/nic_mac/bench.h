// SPDX-License-Identifier: Apache-2.0
//
// Random test of NIC and MAC together (nic_mac_tb.sv): a wire that sends frames and faults, a memory, and a processor
// that does everything the registers allow. Whatever happens is checked against models written from regs/nic.rdl,
// frame by frame and buffer by buffer; at the end both conservation laws must hold exactly.
//
//   nic_mac_harness SEED FRAMES FEATURES [BUG]
//
// FRAMES is how many carrier events the wire sends, FEATURES the sum of the groups of registers to use (enum Feature).
// Everything follows from SEED. Exit 0 and a count of what happened, a line each; or 1, what went wrong, the last
// events and how to repeat the run. BUG breaks the harness itself in one way (enum Bug), to show that it would notice.
//
// How it knows what became of a frame:
//   on the wire      judged when it ends; the MAC's statistics pulses, one an event in order, must agree
//   into memory      a session: all writes to a buffer up to its control word; the bytes say which frame it is
//   in queues        pushes and pops of the processor, sessions that were delivered, control words that were read
//   out              frames leave in the order in which their control words were read; what fits none of these must be
//                    a received frame in MAC loopback
// At some rests, with the NIC disabled and empty, it runs the self-test, with and without faults in memory; refusals to
// start are checked all the time.
// Whatever depends on the cycle in which a changed register takes effect is judged by all the values that it had about
// then (class History).
//
// One class, in parts: simulation.cpp (clocks, how a run goes), wire.cpp, memory.cpp, processor.cpp, ledger.cpp (where
// buffers are, what counters must say) and selftest.cpp.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#define _Static_assert static_assert
#include "Vnic_mac_tb.h"
#include "nsoc_regs.h"
#include "verilated.h"
#include "wire.h"

namespace nic_mac {

enum Feature : uint32_t {
    F_FILTER = 1,  // address filter
    F_PAUSE = 2,  // pause frames, both ways
    F_MII = 4,  // nibbles at 25 MHz
    F_STAMP = 8,  // transmit stamps
    F_PATIENCE = 16,  // frames that nobody has a buffer or a queue for are dropped
    F_STEERING = 32,  // servers by flow
    F_OWNER = 64,  // releasing a lock that is not held is refused
    F_MODERATION = 128,
    F_PTP = 256,  // stamps are nanoseconds of a clock that can be set
};

enum Bug { NO_BUG, LOSE_POINTER, WRONG_BYTE, LOST_FRAME, WRONG_COUNT, BUGS };

#define REG(name) static_cast<uint32_t>(offsetof(nsoc_nic_t, name) / 4)
constexpr uint32_t RXQ = REG(rxq), TXQ = REG(txq), FREEQ = REG(freeq), LOCK = REG(freeq.lock);
constexpr uint32_t EMPTY = 1, FULL = 2;
constexpr uint32_t NIC_ENABLE = NSOC_NIC_CONTROL_NIC_ENABLE, MAC_ENABLE = NSOC_NIC_CONTROL_MAC_ENABLE,
                   IRQ_ENABLE = NSOC_NIC_CONTROL_IRQ_ENABLE, NIC_LOOPBACK = NSOC_NIC_CONTROL_NIC_LOOPBACK,
                   MAC_LOOPBACK = NSOC_NIC_CONTROL_MAC_LOOPBACK;
constexpr size_t SERVERS = 4, BUFFER_BYTES = 2048, FRAME_AT = NSOC_BUFFER_FRAME_OFFSET;
constexpr uint32_t FOREVER = 0xFFFFFF, MAX_FRAME_RESET = 1522;

// mac_stat_t: from its lowest bit the causes of received frames, then these.
enum Stat { S_TX_SENT, S_TX_UNDERRUN, S_TX_PAUSE, S_TX_OVERSIZE, S_TX_ABORT, S_TX };
constexpr Cause STAT_CAUSE[CAUSES] = {DISABLED, ERROR, OVERSIZE, RUNT, FCS, PAUSE, FILTERED, OVERFLOW, GOOD};

// Values of a register over time; a write takes effect somewhere between its request and a little after its response.
class History {
public:
    explicit History(uint32_t reset) { changes_.push_back({INT64_MIN / 2, INT64_MIN / 2, reset}); }
    // A write begins; until `settle` it may take effect at any time.
    void write(int64_t from, uint32_t value) {
        changes_.push_back({from, INT64_MAX / 2, value});
        if (changes_.size() > 400) changes_.pop_front();
    }
    void settle(int64_t until) { changes_.back().until = until; }
    uint32_t now() const { return changes_.back().value; }
    int64_t settled() const { return changes_.back().until; }
    // Calls `see` with every value that it may have had between the two times, the newest first.
    template <class F>
    void values(int64_t from, int64_t until, F see) const {
        for (size_t i = changes_.size(); i-- > 0;) {
            if (changes_[i].from > until) continue;
            see(changes_[i].value);
            if (changes_[i].until < from) return;
        }
    }
    bool any(int64_t from, int64_t until, uint32_t bits) const {
        bool found = false;
        values(from, until, [&](uint32_t v) { found |= (v & bits) != 0; });
        return found;
    }
    bool all(int64_t from, int64_t until, uint32_t bits) const {
        bool every = true;
        values(from, until, [&](uint32_t v) { every &= (v & bits) == bits; });
        return every;
    }
    uint32_t largest(int64_t from, int64_t until) const {
        uint32_t most = 0;
        values(from, until, [&](uint32_t v) { most = v > most ? v : most; });
        return most;
    }
    uint32_t smallest(int64_t from, int64_t until) const {
        uint32_t least = ~0u;
        values(from, until, [&](uint32_t v) { least = v < least ? v : least; });
        return least;
    }

private:
    struct Change {
        int64_t from, until;
        uint32_t value;
    };
    std::deque<Change> changes_;
};

struct Frame {  // received without fault
    Bytes bytes;
    int64_t start, sfd, end;
    uint64_t words = 0;  // of the receive FIFO
    uint64_t words_before = 0;  // of all carrier events before it
    int64_t left = INT64_MAX;  // when it was seen behind it
    enum { CANDIDATE, IN_MAC, STORED, LOOPED, REFUSED, GONE } where = CANDIDATE;  // REFUSED: by the memory
};

struct Event {
    int64_t start, end;
    Cause cause;
    size_t frame;  // index in frames_, when cause is GOOD
    bool pause;
    size_t bytes;  // behind the SFD, when cause is GOOD or FCS: nic.max_frame says whether they are too many
};

struct Session {  // a frame the transmit engine took
    size_t buffer;
    int64_t taken;
    Bytes bytes;
    uint32_t length = 0;
    uint16_t tag = 0;
    bool stamp = false;
    bool answered = false, refused = false, bad_length = false, maybe_bad = false, aborted = false;
    bool looped = false;  // NIC loopback: no processor has seen it
    size_t dwords_read = 0;
    size_t readable = SIZE_MAX;  // bytes of the frame before the first that memory refused
    size_t dwords() const { return (length + 2 + 7) / 8; }
    bool read() const { return answered && (refused || bad_length || maybe_bad || dwords_read >= dwords()); }
};

struct Buffer {
    uint32_t pointer;
    enum { CPU, NIC, DELIVERED, PUSHED, QUEUED, TAKEN } where = CPU;
    bool open = false, error = false;  // receive session
    int64_t opened = 0;
    size_t bound = 0;
    size_t frame = 0;  // what was delivered
    size_t session = 0;  // when taken
    uint32_t server = 0;
    bool late = false;  // taken for dropped after it was stored
    std::array<uint8_t, BUFFER_BYTES> memory{};
};

struct Delivery {
    size_t buffer;
    int64_t at;
    bool may_rx, may_tx;
    bool blocked = false;  // the processor may have filled its queue: it may be dropped as if there were no server
};

struct Held {  // a buffer in the processor's hands
    size_t buffer;
    int64_t until;  // cycle
    int queue;  // register to push it to
};

constexpr size_t RX_FIFO_WORDS = RX_FIFO_BYTES / 8;

class Bench {
public:
    Bench(uint64_t seed, uint64_t frames, uint32_t features, Bug bug, std::string command)
        : seed_(seed),
          to_send_(frames),
          features_(features),
          bug_(bug),
          command_(std::move(command)),
          rng_{seed * 0x5851F42D4C957F2Du},
          memory_rng_{seed + 1000},
          source_(seed + 2000) {}

    void run();

private:
    // ---- Simulation -------------------------------------------------------------------------------------------------
    struct Clock {
        int64_t period, next;
    };
    struct Request {
        bool read;
        uint8_t mask;
        uint64_t address, data;
        int64_t due, at;
        size_t session;
    };
    struct Note {
        int64_t at;
        const char *format;
        uint64_t a, b, c;
    };

    [[noreturn]] __attribute__((format(printf, 2, 3))) void fail(const char *format, ...);
    void note(const char *format, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
        notes_[note_count_++ % notes_.size()] = {now_, format, a, b, c};
    }
    void check(bool holds, const char *what) {
        if (!holds) fail("%s", what);
    }
    bool has(uint32_t feature) const { return (features_ & feature) != 0; }
    int64_t cycles(int64_t n) const { return n * nic_.period; }

    void reset();
    void step();  // to the next rising edge of nic_clk and past it
    void idle(int64_t n) {
        for (int64_t i = 0; i < n; ++i) step();
    }
    void evaluate() {
        top_->eval();
        dirty_ = false;
    }
    void drive_wire();
    void begin_event();
    void end_event();
    void memory_edge();
    uint64_t access_memory(const Request &request, bool &error);
    void count_pulses(uint32_t stat);
    void on_line(const LineFrame &line);

    // ---- What is known of frames and buffers ------------------------------------------------------------------------
    size_t buffer_at(uint64_t address, uint32_t &offset);
    void end_session(size_t index);
    void take(size_t index);
    void answer_control(Session &s, Buffer &b, uint64_t word, bool error);
    void refuse(Session &s, Buffer &b, uint32_t offset);
    void check_late(const Buffer &b, uint32_t offset);
    void leave_transmit(Buffer &b);
    uint32_t allowed(const Event &event);
    bool accepted(const Event &event, uint32_t mac_control);
    size_t find_frame(const uint8_t *bytes, size_t length);
    std::string difference(const Bytes &expected, const uint8_t *bytes, size_t length);
    uint64_t fifo_words(size_t before);
    void check_stamp(const Frame &f, uint64_t stamp);

    // ---- The processor ----------------------------------------------------------------------------------------------
    struct Answer {
        bool error;
        uint32_t data;
    };
    Answer access(bool read, uint32_t id, uint32_t data, uint32_t mask = 15);
    uint32_t read(uint32_t id) {
        const Answer a = access(true, id, 0);
        if (a.error) fail("reading register %u is an error", id);
        return a.data;
    }
    uint32_t write(uint32_t id, uint32_t data) {
        const Answer a = access(false, id, data);
        if (a.error) fail("writing 0x%x to register %u is an error", data, id);
        return a.data;
    }
    void configure(uint32_t id, uint32_t value);
    bool built(uint32_t id) const {  // registers come with their features
        if (id == REG(irq_moderation)) return has(F_MODERATION);
        if (id == REG(rx_patience)) return has(F_PATIENCE);
        if (id == REG(steering)) return has(F_STEERING);
        if (id == REG(mac_control)) return has(F_FILTER) || has(F_PAUSE) || has(F_MII);
        return true;
    }
    uint32_t value(uint32_t id) { return history(id).now(); }
    History &history(uint32_t id) { return histories_.at(id); }
    bool push(uint32_t queue, size_t index);
    bool pop(uint32_t queue, size_t &index);
    void popped_rx(uint32_t server, size_t index);
    void serve();
    void decide(size_t index);
    void put_frame(size_t index);
    void bad_length(size_t index);
    void request_stamp(size_t index);
    void flush();
    void settings();
    void new_phase();
    void look();
    void read_irq();
    void read_counters(bool exact);
    void illegal();
    void play_lock();
    void release_lock();
    void odd_queues();
    void read_stamps();
    void match_stamps();
    void play_ptp();
    void anchor_ptp(uint64_t ns, int64_t at, bool exact);
    void check_irq();
    bool delivered(size_t server, int64_t ago);
    void watch_queues();
    size_t most_free() const;
    bool claim(size_t server, size_t index, bool rx, bool popped);
    void drop_late(size_t server, size_t at);
    void returned_late(size_t index);
    void wire_pause(bool pause);
    void drain();
    void switch_speed(bool mii);
    void finish();
    bool settled();
    void set_addresses();
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> expected_counts();
    void self_test();
    void empty_nic();
    void must_refuse(uint32_t test, const char *why);
    void pass_test(uint32_t test);
    void find_pointer(uint32_t test);
    void test_memory(bool with_fault);
    uint32_t end_test();
    uint64_t answer_test(const Request &request, bool &error);

    const uint64_t seed_, to_send_;
    const uint32_t features_;
    const Bug bug_;
    const std::string command_;
    Rng rng_, memory_rng_;
    WireSource source_;

    VerilatedContext context_;
    std::unique_ptr<Vnic_mac_tb> top_;
    Clock rx_{}, tx_{}, nic_{};
    int64_t now_ = 0, cycle_ = 0;
    bool dirty_ = true;
    std::array<Note, 4096> notes_{};
    size_t note_count_ = 0;

    // As the last edge of nic_clk took them
    bool s_afb_ready_ = false, s_afb_valid_ = false, s_afb_err_ = false, s_irq_ = false, in_access_ = false;
    uint32_t s_afb_data_ = 0;
    int64_t irq_low_at_ = 0, irq_high_at_ = 0;  // cycles in which it was so last

    // Wire
    uint64_t sent_events_ = 0, words_ = 0;
    bool paused_far_ = false;  // the last pause frame that left asked for a pause
    bool wire_stopped_ = true, wire_busy_ = false, mii_ = false;
    std::vector<uint16_t> symbols_;
    size_t symbol_ = 0, gap_ = 0;
    bool high_nibble_ = false;
    int64_t event_start_ = 0, last_event_ = 0;
    std::deque<Event> events_;
    LineMonitor line_;

    // Memory
    std::deque<Request> requests_;
    uint32_t latency_ = 5, jitter_ = 0, request_stall_ = 0, response_stall_ = 0, write_faults_ = 0, read_faults_ = 0;
    Request s_request_{};
    bool s_request_valid_ = false, s_response_taken_ = false;
    std::vector<Buffer> buffers_;
    std::vector<int32_t> pages_ = std::vector<int32_t>(1 << 15, -1);

    // Memory for the self-test, and the one thing that it does wrong
    struct TestMemory {
        bool on = false;
        uint32_t base = 0;
        Bytes bytes;
        enum { SOUND, REFUSES, FLIPS } fault = SOUND;
        uint32_t at = 0, pass = 0, bit = 0;  // dword and bit of it; what does not exist accepts in passes 8 and 9
        uint32_t accesses = 0, outside = 0;  // to that dword, of which each pass makes one; to what does not exist
    } tested_;
    bool testing_ = false;  // a self-test may run
    uint64_t tests_passed_ = 0, tests_failed_ = 0, tests_refused_ = 0;

    // Frames
    std::deque<Frame> frames_;
    std::unordered_map<uint64_t, size_t> by_digest_;
    size_t last_stored_ = 0, last_looped_ = 0, oldest_in_mac_ = 0;  // indices + 1, but the oldest
    std::deque<Session> sessions_;
    size_t next_out_ = 0;  // the first session whose frame may still leave
    std::array<std::deque<Delivery>, SERVERS> deliveries_;
    size_t popping_ = SERVERS;  // the transmit queue of a pop that is not answered yet
    std::vector<Delivery> taken_unseen_;  // left a transmit queue for the engine; may_tx: was delivered there
    std::array<std::deque<size_t>, SERVERS> pushed_rx_, pushed_tx_;
    std::unordered_map<uint64_t, uint32_t> flows_;  // in this epoch of steering
    int64_t epoch_ = 0;
    int64_t held_up_ = 0;  // when the engines' returns to the free queue could last not be taken

    // Counted by the harness
    uint64_t events_counted_ = 0, causes_[CAUSES] = {}, stat_[S_TX] = {};
    uint64_t stored_ = 0, looped_ = 0, refused_ = 0, refused_unknown_ = 0, dropped_sessions_ = 0, delivered_ = 0;
    uint64_t line_frames_ = 0, line_pauses_ = 0, accesses_ = 0, popped_ = 0, own_ = 0;
    uint64_t longer_stored_ = 0, longer_sent_ = 0;  // than max_frame lets through behind a reset
    uint64_t nic_looped_ = 0, irq_rises_ = 0, stamps_read_ = 0;
    uint64_t dropped_before_ = 0, dropped_late_ = 0, perhaps_too_long_ = 0, surely_too_long_ = 0;
    int64_t last_drop_ = 0, error_cleared_ = 0, last_activity_ = 0;
    std::map<uint32_t, uint32_t> seen_counts_;

    // Processor
    std::map<uint32_t, History> histories_;
    std::vector<Held> held_;
    int64_t idle_most_ = 0, hold_most_ = 0, phase_until_ = 0;
    uint32_t response_wait_ = 0, forward_ = 600, eager_ = 500;
    bool locked_ = false;
    int64_t acted_ = 0;  // when the last access took effect, give or take two cycles
    uint32_t push_failed_ = 0;

    // Time
    struct PtpSegment {
        int64_t from, until;  // while it was in force
        int64_t anchor;  // ps
        __int128 base;  // 2^-28 ns at the anchor
        uint32_t increment;
    };
    std::deque<PtpSegment> ptp_;
    int64_t counter_zero_ = 0;  // when the free-running counter was 0, ps
    struct Wanted {
        uint16_t tag;
        int64_t sfd;
    };
    struct Taken {
        uint16_t tag;
        uint64_t ns;
        int64_t at;
    };
    std::deque<Wanted> wanted_;
    std::deque<Taken> stamps_;
    uint64_t stamps_wanted_ = 0, stamps_lost_ = 0;
    uint16_t next_tag_ = 0;
};

}  // namespace nic_mac
