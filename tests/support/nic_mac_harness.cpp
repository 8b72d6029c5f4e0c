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
#include "nic_mac_wire.h"
#include "nsoc_regs.h"
#include "verilated.h"

namespace {

enum Feature : uint32_t {
    F_FILTER = 1,      // address filter
    F_PAUSE = 2,       // pause frames, both ways
    F_MII = 4,         // nibbles at 25 MHz
    F_STAMP = 8,      // transmit stamps
    F_PATIENCE = 16,   // frames that nobody has a buffer or a queue for are dropped
    F_STEERING = 32,   // servers by flow
    F_OWNER = 64,      // releasing a lock that is not held is refused
    F_MODERATION = 128,
    F_PTP = 256,       // stamps are nanoseconds of a clock that can be set
};

enum Bug { NO_BUG, LOSE_POINTER, WRONG_BYTE, LOST_FRAME, WRONG_COUNT, BUGS };

#define REG(name) static_cast<uint32_t>(offsetof(nsoc_nic_t, name) / 4)
constexpr uint32_t RXQ = REG(rxq), TXQ = REG(txq), FREEQ = REG(freeq), LOCK = REG(freeq.lock);
constexpr uint32_t EMPTY = 1, FULL = 2;
constexpr uint32_t NIC_ENABLE = NSOC_NIC_CONTROL_NIC_ENABLE, MAC_ENABLE = NSOC_NIC_CONTROL_MAC_ENABLE,
                   IRQ_ENABLE = NSOC_NIC_CONTROL_IRQ_ENABLE, NIC_LOOPBACK = NSOC_NIC_CONTROL_NIC_LOOPBACK,
                   MAC_LOOPBACK = NSOC_NIC_CONTROL_MAC_LOOPBACK;
constexpr size_t SERVERS = 4, BUFFER_BYTES = 2048, FRAME_AT = NSOC_BUFFER_FRAME_OFFSET;
constexpr uint32_t FOREVER = 0xFFFFFF;

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
    template <class F> void values(int64_t from, int64_t until, F see) const {
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
    uint64_t words = 0;         // of the receive FIFO
    uint64_t words_before = 0;  // of all carrier events before it
    int64_t left = INT64_MAX;   // when it was seen behind it
    enum { CANDIDATE, IN_MAC, STORED, LOOPED, REFUSED, GONE } where = CANDIDATE;  // REFUSED: by the memory
};

struct Event {
    int64_t start, end;
    Cause cause;
    size_t frame;  // index in frames_, when cause is GOOD
    bool pause;
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
    size_t frame = 0;    // what was delivered
    size_t session = 0;  // when taken
    uint32_t server = 0;
    bool late = false;   // taken for dropped after it was stored
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
    int queue;      // register to push it to
};

constexpr size_t RX_FIFO_WORDS = RX_FIFO_BYTES / 8;

class Bench {
public:
    Bench(uint64_t seed, uint64_t frames, uint32_t features, Bug bug, std::string command)
        : seed_(seed), to_send_(frames), features_(features), bug_(bug), command_(std::move(command)),
          rng_{seed * 0x5851F42D4C957F2Du}, memory_rng_{seed + 1000}, source_(seed + 2000) {}

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
        const char* format;
        uint64_t a, b, c;
    };

    [[noreturn]] __attribute__((format(printf, 2, 3))) void fail(const char* format, ...);
    void note(const char* format, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
        notes_[note_count_++ % notes_.size()] = {now_, format, a, b, c};
    }
    void check(bool holds, const char* what) {
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
    uint64_t access_memory(const Request& request, bool& error);
    void count_pulses(uint32_t stat);
    void on_line(const LineFrame& line);

    // ---- What is known of frames and buffers ------------------------------------------------------------------------
    size_t buffer_at(uint64_t address, uint32_t& offset);
    void end_session(size_t index);
    void take(size_t index);
    void answer_control(Session& s, Buffer& b, uint64_t word, bool error);
    void refuse(Session& s, Buffer& b, uint32_t offset);
    void check_late(const Buffer& b, uint32_t offset);
    void leave_transmit(Buffer& b);
    uint32_t allowed(const Event& event);
    bool accepted(const Event& event, uint32_t mac_control);
    size_t find_frame(const uint8_t* bytes, size_t length);
    std::string difference(const Bytes& expected, const uint8_t* bytes, size_t length);
    uint64_t fifo_words(size_t before);
    void check_stamp(const Frame& f, uint64_t stamp);

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
    History& history(uint32_t id) { return histories_.at(id); }
    bool push(uint32_t queue, size_t index);
    bool pop(uint32_t queue, size_t& index);
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
    void must_refuse(uint32_t test, const char* why);
    void pass_test(uint32_t test);
    void find_pointer(uint32_t test);
    void test_memory(bool with_fault);
    uint32_t end_test();
    uint64_t answer_test(const Request& request, bool& error);

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
    size_t popping_ = SERVERS;             // the transmit queue of a pop that is not answered yet
    std::vector<Delivery> taken_unseen_;  // left a transmit queue for the engine; may_tx: was delivered there
    std::array<std::deque<size_t>, SERVERS> pushed_rx_, pushed_tx_;
    std::unordered_map<uint64_t, uint32_t> flows_;  // in this epoch of steering
    int64_t epoch_ = 0;
    int64_t held_up_ = 0;  // when the engines' returns to the free queue could last not be taken

    // Counted by the harness
    uint64_t events_counted_ = 0, causes_[CAUSES] = {}, stat_[S_TX] = {};
    uint64_t stored_ = 0, looped_ = 0, refused_ = 0, refused_unknown_ = 0, dropped_sessions_ = 0, delivered_ = 0;
    uint64_t line_frames_ = 0, line_pauses_ = 0, accesses_ = 0, popped_ = 0, own_ = 0;
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
        int64_t anchor;       // ps
        __int128 base;        // 2^-28 ns at the anchor
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

// ---- Simulation ------------------------------------------------------------------------------------------------------

void Bench::fail(const char* format, ...) {
    std::fflush(stdout);
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "nic_mac_harness: seed %llu, cycle %lld, %.3f us: ", static_cast<unsigned long long>(seed_),
                 static_cast<long long>(cycle_), static_cast<double>(now_) / 1e6);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "\nthe last events (NSOC_EVENTS=4096 for more):\n");
    const char* wanted = std::getenv("NSOC_EVENTS");
    size_t n = wanted ? std::strtoul(wanted, nullptr, 0) : 40;
    n = n < notes_.size() ? n : notes_.size();
    for (size_t i = note_count_ > n ? note_count_ - n : 0; i < note_count_; ++i) {
        const Note& e = notes_[i % notes_.size()];
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
    for (Clock* c : {&rx_, &tx_, &nic_}) c->next = 1000 + rng_.range(0, 7999);
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

// ---- Wire ------------------------------------------------------------------------------------------------------------

void Bench::begin_event() {
    size_t gap = 0;
    symbols_ = source_.event(gap);
    gap_ = gap;
    symbol_ = 0;
    high_nibble_ = false;
    wire_busy_ = true;
    event_start_ = now_ + rx_.period;
    ++sent_events_;
}

void Bench::end_event() {
    wire_busy_ = false;
    Frame f;
    size_t sfd = 0;
    Event event{event_start_, now_ + rx_.period, GOOD, 0, false};
    event.cause = judge(mii_ ? aligned(symbols_) : symbols_, f.bytes, sfd);
    if (event.cause == GOOD) {
        event.frame = frames_.size();
        event.pause = is_pause(f.bytes);
        f.start = event.start;
        f.sfd = event.start + static_cast<int64_t>(sfd) * rx_.period;  // MII: one a nibble before the frame
        f.end = event.end;
        f.words = 1 + (f.bytes.size() + 7) / 8;
        f.words_before = words_;
        if (!by_digest_.emplace(digest(f.bytes.data(), f.bytes.size()), frames_.size()).second) fail("two frames are the same");
        frames_.push_back(std::move(f));
    }
    words_ += 2 + symbols_.size() / 8;
    note("wire: event %llu ends, %llu symbols, cause %llu", sent_events_ - 1, symbols_.size(), event.cause);
    events_.push_back(event);
    last_event_ = last_activity_ = now_;
    if (events_.size() > 40) fail("40 carrier events without a disposition");
}

void Bench::drive_wire() {
    uint16_t symbol = 0;
    if (!wire_busy_) {
        if (gap_ > 0) {
            --gap_;
            symbol = source_.idle();
        } else if (!wire_stopped_ && sent_events_ < to_send_) {
            begin_event();
        }
    }
    if (wire_busy_) {
        if (symbol_ == symbols_.size()) {
            end_event();
            symbol = 0;
            if (gap_ > 0) --gap_;
            if (mii_) gap_ *= 2;
        } else if (!mii_) {
            symbol = symbols_[symbol_++];
        } else {
            symbol = symbols_[symbol_];
            symbol = static_cast<uint16_t>((symbol & ~0xFF) | (high_nibble_ ? symbol >> 4 & 15 : symbol & 15));
            symbol_ += high_nibble_;
            high_nibble_ = !high_nibble_;
        }
    }
    top_->gmii_rxd = static_cast<uint8_t>(symbol);
    top_->gmii_rx_dv = symbol >> 8 & 1;
    top_->gmii_rx_er = symbol >> 9 & 1;
}

// Would the filter take this frame?
bool Bench::accepted(const Event& event, uint32_t mac_control) {
    if (mac_control & NSOC_NIC_MAC_CONTROL_PROMISCUOUS) return true;
    const uint8_t* to = frames_[event.frame].bytes.data();
    static constexpr uint8_t ALL[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    if (std::memcmp(to, ALL, 6) == 0) return (mac_control & NSOC_NIC_MAC_CONTROL_BROADCAST) != 0;
    if (to[0] & 1) {
        const uint32_t bit = multicast_hash(to);
        return (value(bit < 32 ? REG(multicast_hash_low) : REG(multicast_hash_high)) >> (bit & 31) & 1) != 0;
    }
    return std::memcmp(to, source_.own, 6) == 0;
}

// What the MAC may say of an event, a bit for each cause.
uint32_t Bench::allowed(const Event& event) {
    const int64_t slack = cycles(8) + 8 * rx_.period;
    uint32_t may = 0;
    history(REG(control)).values(event.start - slack, event.start + slack, [&](uint32_t control) {
        if (!(control & MAC_ENABLE)) {
            may |= 1u << DISABLED;
            return;
        }
        if (event.cause != GOOD) {
            may |= 1u << event.cause;
            return;
        }
        history(REG(mac_control)).values(event.start - slack, event.end + slack, [&](uint32_t mac_control) {
            if (event.pause && mac_control & NSOC_NIC_MAC_CONTROL_RX_PAUSE) may |= 1u << PAUSE;
            else if (accepted(event, mac_control)) may |= 1u << GOOD | 1u << OVERFLOW;
            else may |= 1u << FILTERED;
        });
    });
    return may;
}

// The most that the receive FIFO can have held when this frame began, in words: all that came since the last frame that
// had left it then. Faulty frames too, which are known to be bad only at their end.
uint64_t Bench::fifo_words(size_t before) {
    for (size_t i = before; i-- > 0;) {
        const Frame& f = frames_[i];
        if (f.left != INT64_MAX && f.left < frames_[before].start - cycles(20)) return frames_[before].words_before - f.words_before - f.words;
    }
    return frames_[before].words_before;
}

void Bench::count_pulses(uint32_t stat) {
    for (uint32_t bit = 0; bit < S_TX; ++bit) {
        if (!(stat >> (CAUSES + bit) & 1)) continue;
        ++stat_[bit];
        if (bit == S_TX_UNDERRUN || bit == S_TX_ABORT || bit == S_TX_OVERSIZE) last_drop_ = cycle_;
        note("mac: tx pulse %llu", bit);
    }
    const uint32_t ends = stat & ((1u << CAUSES) - 1);
    if (!ends) return;
    if (ends & (ends - 1)) fail("two dispositions at once: stat 0x%x", stat);
    const Cause cause = STAT_CAUSE[__builtin_ctz(ends)];
    if (events_.empty()) fail("%s without a carrier event", CAUSE_NAMES[cause]);
    const Event event = events_.front();
    events_.pop_front();
    note("mac: event %llu is cause %llu", events_counted_, cause);
    const uint32_t may = allowed(event);
    if (!(may >> cause & 1))
        fail("event %llu is counted as %s; it is one that has %s, and 0x%x are possible",
             static_cast<unsigned long long>(events_counted_), CAUSE_NAMES[cause], CAUSE_NAMES[event.cause], may);
    ++events_counted_;
    ++causes_[cause];
    if (cause != GOOD && cause != PAUSE) last_drop_ = cycle_;
    if (event.cause != GOOD) return;
    Frame& f = frames_[event.frame];
    if (cause == GOOD) {
        if (f.where == Frame::CANDIDATE) f.where = Frame::IN_MAC;
        return;
    }
    if (f.where == Frame::STORED || f.where == Frame::LOOPED)
        fail("a frame that is counted as %s went on", CAUSE_NAMES[cause]);
    if (cause == OVERFLOW && !f.bytes.empty()) {
        const uint64_t words = fifo_words(event.frame) + f.words;
        if (words + 4 < RX_FIFO_WORDS) fail("overflow with at most %llu words of %zu", static_cast<unsigned long long>(words), RX_FIFO_WORDS);
    }
    if (f.where == Frame::REFUSED) --refused_;  // the MAC's verdict came after the memory's and is the one that counts
    f.where = Frame::GONE;
    by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
    Bytes().swap(f.bytes);
}

size_t Bench::find_frame(const uint8_t* bytes, size_t length) {
    const auto found = by_digest_.find(digest(bytes, length));
    if (found == by_digest_.end()) return SIZE_MAX;
    const Frame& f = frames_[found->second];
    return f.bytes.size() == length && std::memcmp(f.bytes.data(), bytes, length) == 0 ? found->second : SIZE_MAX;
}

std::string Bench::difference(const Bytes& expected, const uint8_t* bytes, size_t length) {
    char text[120];
    size_t at = 0;
    while (at < length && at < expected.size() && bytes[at] == expected[at]) ++at;
    std::snprintf(text, sizeof text, "%zu bytes instead of %zu, the first other one is byte %zu", length, expected.size(), at);
    return text;
}

void Bench::on_line(const LineFrame& line) {
    last_activity_ = now_;
    note("line: a frame of %llu bytes began at %llu ps", line.bytes.size(), static_cast<uint64_t>(line.start));
    if (line.broken) fail("a frame leaves with %s", line.broken);
    if (line.gap < 12) fail("a frame leaves %zu byte times after the last one", line.gap);
    const int64_t slack = cycles(8) + 8 * tx_.period;
    if (!history(REG(control)).any(line.start - slack, line.start, MAC_ENABLE)) fail("a frame leaves, and the MAC is disabled");
    // No frame begins before it is certain that it ends, and here no memory makes that certain.
    if (line.error) fail("a frame leaves with an error");
    if (!line.fcs_ok) fail("a frame leaves with a wrong FCS");
    Bytes got(line.bytes.begin(), line.bytes.end() - 4);
    if (bug_ == WRONG_BYTE && line_frames_ == 1000) got[20] ^= 1;
    if (got.size() < MIN_FRAME) fail("a frame of %zu bytes leaves", got.size());
    for (size_t i = next_out_; i < sessions_.size(); ++i) {
        Session& s = sessions_[i];
        if (s.refused || s.bad_length || s.aborted) continue;
        if (s.answered && got.size() == (s.bytes.size() < MIN_FRAME ? MIN_FRAME : s.bytes.size()) &&
            std::memcmp(got.data(), s.bytes.data(), s.bytes.size()) == 0) {
            for (size_t k = s.bytes.size(); k < got.size(); ++k)
                if (got[k] != 0) fail("the padding of a frame shows something");
            for (size_t k = next_out_; k < i; ++k)
                if (sessions_[k].maybe_bad) sessions_[k].bad_length = true;
            s.maybe_bad = false;
            next_out_ = i + 1;
            ++line_frames_;
            if (s.stamp) {
                wanted_.push_back({s.tag, line.sfd});
                ++stamps_wanted_;
                match_stamps();
            }
            Bytes().swap(s.bytes);
            return;
        }
        if (!s.maybe_bad) break;
    }
    const size_t index = find_frame(got.data(), got.size());
    if (index != SIZE_MAX) {
        Frame& f = frames_[index];
        if (f.where != Frame::IN_MAC) fail("frame %zu leaves and should not (it is in state %d)", index, f.where);
        if (!history(REG(control)).any(f.start - cycles(20), now_, MAC_LOOPBACK)) fail("a received frame leaves without MAC loopback");
        if (index + 1 <= last_looped_) fail("frames leave in another order than they came");
        last_looped_ = index + 1;
        f.where = Frame::LOOPED;
        f.left = now_;
        ++looped_;
        ++line_frames_;
        return;
    }
    if (has(F_PAUSE) && std::memcmp(got.data(), PAUSE_ADDRESS, 6) == 0 && be16(&got[12]) == 0x8808) {
        const uint32_t quanta = be16(&got[16]);
        if (be16(&got[14]) != 1 || got.size() != MIN_FRAME || std::memcmp(&got[6], source_.own, 6) != 0)
            fail("a pause frame with opcode %u, %zu bytes", be16(&got[14]), got.size());
        for (size_t i = 18; i < got.size(); ++i)
            if (got[i]) fail("the padding of a pause frame shows something");
        // One that ends the pause may come when no more are asked for.
        if (!(quanta == 0 && paused_far_) && !history(REG(mac_control)).any(line.start - cycles(4000), line.start, NSOC_NIC_MAC_CONTROL_TX_PAUSE))
            fail("a pause frame that nobody asked for, quanta %u", quanta);
        paused_far_ = quanta != 0;
        ++line_pauses_;
        return;
    }
    while (next_out_ < sessions_.size() && (sessions_[next_out_].refused || sessions_[next_out_].bad_length || sessions_[next_out_].aborted))
        ++next_out_;
    if (next_out_ < sessions_.size())
        fail("a frame leaves that is not the next one: %s", difference(sessions_[next_out_].bytes, got.data(), got.size()).c_str());
    fail("a frame of %zu bytes leaves that nobody sent", got.size());
}

// ---- Memory ----------------------------------------------------------------------------------------------------------

size_t Bench::buffer_at(uint64_t address, uint32_t& offset) {
    const int32_t index = address >> 32 ? -1 : pages_[address >> 17];
    if (index >= 0) {
        const Buffer& b = buffers_[static_cast<size_t>(index)];
        if (address >= b.pointer && address < b.pointer + BUFFER_BYTES) {
            offset = static_cast<uint32_t>(address) - b.pointer;
            return static_cast<size_t>(index);
        }
    }
    fail("the NIC addresses 0x%llx, where there is no buffer", static_cast<unsigned long long>(address));
}

uint64_t Bench::access_memory(const Request& q, bool& error) {
    if (tested_.on) return answer_test(q, error);
    uint32_t offset = 0;
    const size_t index = buffer_at(q.address & ~7ull, offset);
    Buffer& b = buffers_[index];
    error = memory_rng_.chance(1) && memory_rng_.chance(q.read ? read_faults_ : write_faults_);
    if (q.read) {
        Session& s = sessions_[q.session];
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
        if (offset + i >= b.bound || offset + i >= BUFFER_BYTES) fail("the NIC writes byte %zu of a buffer of %zu", offset + i, b.bound);
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
    if (!top_->acb_rsp_valid && !requests_.empty() && requests_.front().due <= cycle_ && !memory_rng_.chance(response_stall_)) {
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
    Buffer& b = buffers_[index];
    b.open = false;
    const uint8_t* m = b.memory.data();
    const uint32_t length = be16(m + 6), server = m[3], status = m[2];
    if (m[0] || m[1] || m[4] || m[5] || server >= SERVERS || status > 1) fail("a control word that nothing describes: %02x%02x %02x %02x %02x%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
    const size_t frame = length + FRAME_AT <= b.bound && length >= MIN_FRAME ? find_frame(m + FRAME_AT, length) : SIZE_MAX;
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
        if (next < frames_.size()) fail("memory has a frame of %u bytes that nobody sent; the next one is %zu: %s", length, next, difference(frames_[next].bytes, m + FRAME_AT, length).c_str());
        fail("memory has a frame of %u bytes that nobody sent", length);
    }
    Frame& f = frames_[frame];
    if (f.where != Frame::CANDIDATE && f.where != Frame::IN_MAC) fail("frame %zu comes into memory again (state %d)", frame, f.where);
    if (frame + 1 <= last_stored_) fail("frame %zu is stored after frame %zu", frame, last_stored_ - 1);
    last_stored_ = frame + 1;
    f.where = Frame::STORED;
    f.left = now_;
    ++stored_;
    uint64_t stamp = 0;
    for (int i = 8; i < 16; ++i) stamp = stamp << 8 | m[i];
    check_stamp(f, stamp);
    // The server was chosen when the control word went out, some time between the session's begin and now.
    const int64_t from = b.opened - cycles(20);
    if (!history(REG(servers_enabled)).any(from, now_, 1u << server)) fail("a frame for server %u, which is not enabled", server);
    const History& control = history(REG(control));
    const bool may_tx = control.any(from - cycles(60), now_, NIC_LOOPBACK), may_rx = !control.all(from - cycles(60), now_, NIC_LOOPBACK);
    if (!control.any(f.start - cycles(100000), now_, NIC_ENABLE)) fail("a frame is stored, and the NIC is disabled");
    const int64_t since = history(REG(servers_enabled)).settled() > history(REG(steering)).settled()
                              ? history(REG(servers_enabled)).settled() : history(REG(steering)).settled();
    if (value(REG(steering)) && b.opened > since + cycles(20)) {
        if (epoch_ != since) flows_.clear(), epoch_ = since;
        const uint64_t flow = flow_of(f.bytes);
        if (flow) {
            const auto [there, first] = flows_.emplace(flow, server);
            if (!first && there->second != server) fail("frame %zu goes to server %u, its flow to server %u", frame, server, there->second);
        }
    }
    b.where = Buffer::DELIVERED;
    b.late = false;
    b.frame = frame;
    b.server = server;
    deliveries_[server].push_back({index, now_, may_rx, may_tx});
    watch_queues();
}

void Bench::check_stamp(const Frame& f, uint64_t stamp) {
    for (const PtpSegment& p : ptp_) {
        if (p.until < f.sfd - cycles(20) || p.from > now_) continue;
        const __int128 ticks = f.sfd - p.anchor;
        const __int128 ns = (p.base + ticks * p.increment / nic_.period) >> 28;
        const __int128 off = static_cast<__int128>(stamp) - ns;
        const __int128 most = (static_cast<__int128>(p.increment) * 12 >> 28) + 2;
        if (off <= most && off >= -most) return;
    }
    const PtpSegment& p = ptp_.back();
    const __int128 ns = (p.base + static_cast<__int128>(f.sfd - p.anchor) * p.increment / nic_.period) >> 28;
    fail("stamp %llx, and it should be about %llx", static_cast<unsigned long long>(stamp), static_cast<unsigned long long>(ns));
}

// The control word of a buffer is asked for: its pointer was taken from a transmit queue.
void Bench::take(size_t index) {
    Buffer& b = buffers_[index];
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
            for (const Delivery& d : deliveries_[s]) note("queues of server %llu: %08llx, for receive or transmit: %llu", s, buffers_[d.buffer].pointer, 2u * d.may_rx + d.may_tx);
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

void Bench::answer_control(Session& s, Buffer& b, uint64_t word, bool error) {
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
    s.bad_length = s.length < 14 || s.length > MAX_FRAME || beyond(history(REG(buffer_size)).largest(from, until));
    s.maybe_bad = !s.bad_length && beyond(history(REG(buffer_size)).smallest(from, until));
    if (!s.bad_length) s.bytes.assign(b.memory.begin() + FRAME_AT, b.memory.begin() + FRAME_AT + s.length);
}

void Bench::refuse(Session& s, Buffer& b, uint32_t offset) {
    if (!s.aborted) note("memory: refuses byte %llu of %08llx", offset, b.pointer);
    if (!s.aborted) s.readable = offset > FRAME_AT ? offset - FRAME_AT : 0;
    s.aborted = true;
}

// A read of a buffer that is not in transmission: it can only be one of those that the engine asked for in advance and
// turned out not to need.
void Bench::check_late(const Buffer& b, uint32_t offset) {
    if (b.session < sessions_.size()) {
        const Session& s = sessions_[b.session];
        if (&buffers_[s.buffer] == &b && s.read() && (s.refused || s.bad_length || s.maybe_bad || (offset - 16) / 8 >= s.dwords())) return;
    }
    fail("the NIC reads byte %u of buffer %08x, which is not in transmission", offset, b.pointer);
}

// The buffer has left the transmit engine: it must have read all that it needed.
void Bench::leave_transmit(Buffer& b) {
    const Session& s = sessions_[b.session];
    if (!s.read()) fail("buffer %08x leaves the transmit engine before it was read", b.pointer);
    b.where = Buffer::NIC;
}

// ---- The processor's accesses ----------------------------------------------------------------------------------------

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
            if (!s_afb_valid_ || s_afb_err_ != answer.error || s_afb_data_ != answer.data) fail("register %u: the answer does not stay", id);
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

// A frame is in this receive queue for sure, and has been for so long. Deliveries are in order: one waits when a buffer
// that must go back to the free queue before it finds that locked, or full, or when a frame before it finds its queue
// (in NIC loopback: its transmit queue) filled by the processor, or beyond a depth that was reduced.
bool Bench::delivered(size_t server, int64_t ago) {
    const auto& queue = deliveries_[server];
    return !queue.empty() && !queue.front().may_tx && !queue.front().blocked && queue.front().at < now_ - ago && held_up_ < now_ - ago;
}

// To be called whenever a queue has become longer: at each access, which may be a push, and each delivery.
void Bench::watch_queues() {
    if (locked_ || most_free() >= 60) held_up_ = now_;
    const uint32_t depth = history(REG(queue_depth)).smallest(now_ - cycles(50), now_);
    for (size_t s = 0; s < SERVERS; ++s) {
        const size_t rx = deliveries_[s].size() + pushed_rx_[s].size(), tx = deliveries_[s].size() + pushed_tx_[s].size();
        if (rx > depth) held_up_ = now_;
        for (Delivery& d : deliveries_[s]) {
            if (d.may_tx) held_up_ = now_;
            d.blocked |= (d.may_rx && rx > depth) || (d.may_tx && tx > depth);
        }
    }
}

// As many buffers are in the free queue or on the way there, those included that may have been dropped late.
size_t Bench::most_free() const {
    size_t most = 0;
    for (const Buffer& b : buffers_) most += b.where == Buffer::NIC || b.where == Buffer::TAKEN;
    for (const auto& queue : deliveries_)
        for (const Delivery& d : queue) most += d.blocked;
    return most;
}

// A frame that was stored for a queue, and the processor filled it before the frame came to its head: after rx_patience
// it is dropped as if there were no server.
void Bench::drop_late(size_t server, size_t at) {
    auto& queue = deliveries_[server];
    Buffer& b = buffers_[queue[at].buffer];
    if (!queue[at].blocked || !has(F_PATIENCE)) fail("the frame in buffer %08x, stored for server %zu, is gone", b.pointer, server);
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
    auto& queue = deliveries_[buffers_[index].server];
    for (size_t i = 0; i < queue.size(); ++i)
        if (queue[i].buffer == index) return drop_late(buffers_[index].server, i);
}

// Buffer `index` comes out of a receive (`rx`) or transmit queue as a delivered frame; false when it is not its turn.
// `popped`: by the processor, so that what was ahead of it in a transmit queue may be in the engine already.
bool Bench::claim(size_t server, size_t index, bool rx, bool popped) {
    auto& queue = deliveries_[server];
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
    if (history(REG(control)).settled() > stable || history(REG(irq_mask)).settled() > stable || history(REG(irq_moderation)).settled() > stable) return;
    const int64_t wait = cycles(static_cast<int64_t>(value(REG(irq_moderation)) >> 8) + 100);
    for (size_t s = 0; s < SERVERS; ++s) {
        if (!(mask >> s & 1)) continue;
        if (delivered(s, wait) && !s_irq_) fail("receive queue %zu holds a frame, and the interrupt line is low", s);
    }
}

// Push buffer `index`; false when the queue was full. The model has it in the queue before the access begins, since an
// engine may take it before the answer is here.
bool Bench::push(uint32_t queue, size_t index) {
    Buffer& b = buffers_[index];
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
        if (rx && (deliveries_[s].size() + pushed_rx_[s].size() > 64)) fail("receive queue %u took more than 64 pointers", s);
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
    if (most < history(REG(queue_depth)).smallest(from, now_)) fail("register %u: full with at most %zu pointers", queue, most);
    push_failed_ |= 1u << (rx ? s : tx ? 4 + s : 8);
    last_drop_ = cycle_;
    return false;
}

bool Bench::pop(uint32_t queue, size_t& index) {
    const uint32_t s = (queue < FREEQ ? (queue - (queue < TXQ ? RXQ : TXQ)) / 2 : 0);
    const bool rx = queue < TXQ, tx = !rx && queue < FREEQ;
    const int64_t from = now_;
    if (tx) popping_ = s;
    const uint32_t answer = read(queue);
    popping_ = SERVERS;
    if (answer == EMPTY) {
        if (rx && delivered(s, now_ - from + cycles(100)))
            fail("receive queue %u is empty, and buffer %08x was delivered into it", s, buffers_[deliveries_[s].front().buffer].pointer);
        if (rx && !pushed_rx_[s].empty()) fail("receive queue %u is empty, and a pointer was pushed into it", s);
        return false;
    }
    uint32_t offset = 0;
    index = buffer_at(answer, offset);
    Buffer& b = buffers_[index];
    note("pop: register %llu, %08llx", queue, answer);
    if (offset) fail("register %u: a pop brings 0x%x, which nobody pushed", queue, answer);
    bool found = false;
    if (queue == FREEQ) {
        if (b.where == Buffer::TAKEN) leave_transmit(b);
        if (b.where == Buffer::DELIVERED) returned_late(index);
        found = b.where == Buffer::NIC && !b.open;
    } else {
        auto& pushed = rx ? pushed_rx_[s] : pushed_tx_[s];
        size_t ahead = 0;
        while (ahead < pushed.size() && pushed[ahead] != index) ++ahead;
        if (ahead < pushed.size() && (ahead == 0 || tx)) {
            // What was ahead of it in a transmit queue is in the engine, and its control word not asked for yet.
            for (; ahead > 0; --ahead, pushed.pop_front()) taken_unseen_.push_back({pushed.front(), now_, false, false});
            pushed.pop_front();
            found = true;
        }
        if (!found && claim(s, index, rx, true)) {
            found = true;
            popped_rx(s, index);
        }
        if (taken_unseen_.size() > 2) fail("register %u: a pop passes over pointers", queue);
    }
    if (!found) fail("register %u: a pop brings %08x, which is not the next one there (it is in state %d)", queue, answer, b.where);
    b.where = Buffer::CPU;
    return true;
}

// A received frame is in the processor's hands: it must be as it was when its control word was written.
void Bench::popped_rx(uint32_t server, size_t index) {
    Buffer& b = buffers_[index];
    Frame& f = frames_[b.frame];
    if (b.server != server) fail("a frame for server %u comes from the queue of server %u", b.server, server);
    if (be16(&b.memory[6]) != f.bytes.size() || std::memcmp(&b.memory[FRAME_AT], f.bytes.data(), f.bytes.size()) != 0)
        fail("a frame changed while it was in a queue");
    f.where = Frame::GONE;
    by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
    Bytes().swap(f.bytes);
    ++popped_;
}

// ---- What the processor does -----------------------------------------------------------------------------------------

void Bench::put_frame(size_t index) {
    Buffer& b = buffers_[index];
    const size_t most = value(REG(buffer_size)) - FRAME_AT < MAX_FRAME ? value(REG(buffer_size)) - FRAME_AT : MAX_FRAME;
    const size_t n = rng_.chance(300) ? static_cast<size_t>(rng_.range(14, 60))
                     : rng_.chance(400) ? static_cast<size_t>(rng_.range(14, static_cast<int64_t>(most)))
                                        : static_cast<size_t>(rng_.range(60, 110));
    b.memory.fill(0);
    rng_.fill(&b.memory[FRAME_AT], n);
    b.memory[6] = static_cast<uint8_t>(n >> 8);
    b.memory[7] = static_cast<uint8_t>(n);
    ++own_;
}

void Bench::bad_length(size_t index) {
    Buffer& b = buffers_[index];
    const uint32_t size = value(REG(buffer_size));
    const uint32_t lengths[] = {0, 13, 1519, 0xFFFF, size - 17, static_cast<uint32_t>(rng_.below(14)), static_cast<uint32_t>(rng_.range(1519, 65535))};
    const uint32_t n = rng_.pick(lengths);
    b.memory[6] = static_cast<uint8_t>(n >> 8);
    b.memory[7] = static_cast<uint8_t>(n);
}

void Bench::request_stamp(size_t index) {
    Buffer& b = buffers_[index];
    const uint16_t tag = static_cast<uint16_t>(next_tag_++ * 40503u);  // each of 65536 once
    b.memory[0] = static_cast<uint8_t>(tag >> 8);
    b.memory[1] = static_cast<uint8_t>(tag);
    b.memory[4] = 1;
}

// What becomes of a buffer that was popped.
void Bench::decide(size_t index) {
    Buffer& b = buffers_[index];
    const int64_t until = cycle_ + (rng_.chance(300) ? rng_.range(0, hold_most_) : 0);
    if (!rng_.chance(forward_)) {
        held_.push_back({index, until, static_cast<int>(FREEQ)});
        return;
    }
    if (rng_.chance(200) || be16(&b.memory[6]) < 14) put_frame(index);
    else if (rng_.chance(300)) for (int i = 0; i < 6; ++i) std::swap(b.memory[FRAME_AT + i], b.memory[FRAME_AT + 6 + i]);
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
            if (bug_ == LOSE_POINTER && h.queue == static_cast<int>(FREEQ) && popped_ > 1000) {
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
        for (Held& h : held_) {
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
                   (i >= REG(push_failed) && i <= REG(tx_stamp_lost)) || (i >= REG(mac_control) && i <= REG(tx_stamp_high)) ||
                   (i >= REG(selftest_control) && i <= REG(selftest_address)) || i == REG(capability) || i == REG(reset) ||
                   (i >= REG(mac_address_low) && i <= REG(status)) || i == REG(free_counter);
        };
        while (there(id)) id = static_cast<uint32_t>(rng_.below(256));
        error = access(rng_.chance(512), id, static_cast<uint32_t>(rng_.next())).error;
    } else if (what == 1) {
        const uint32_t ids[] = {REG(control), REG(servers_enabled), REG(queue_depth), REG(buffer_size), REG(irq_mask), RXQ, TXQ + 2, FREEQ, LOCK, REG(push_failed), REG(debug1), REG(selftest_control), REG(selftest_base)};
        id = rng_.pick(ids);
        error = access(false, id, 0, static_cast<uint32_t>(rng_.below(15))).error;
    } else if (what == 2) {
        const uint32_t ids[] = {RXQ + 4, TXQ, FREEQ, LOCK};
        id = rng_.pick(ids);
        error = access(true, id, 0, static_cast<uint32_t>(rng_.below(15))).error;
    } else if (what == 3) {
        const uint32_t ids[] = {REG(debug2), REG(status), REG(free_counter), REG(rx_good), REG(pointers_held), RXQ + 1, REG(packets_received), REG(selftest_status), REG(selftest_got)};
        id = rng_.pick(ids);
        error = access(false, id, static_cast<uint32_t>(rng_.next())).error;
    } else if (what == 4) {
        id = rng_.chance(512) ? REG(queue_depth) : REG(buffer_size);
        const uint32_t depths[] = {0, 65, 127, 128, 0x80000001u};
        const uint32_t sizes[] = {0, 120, 127, 129, 2047, 65532, 65536};
        error = access(false, id, id == REG(queue_depth) ? rng_.pick(depths) : rng_.pick(sizes)).error;
    } else {
        id = rng_.chance(512) ? FREEQ : TXQ;
        error = access(false, id, (static_cast<uint32_t>(rng_.next()) & ~7u) | static_cast<uint32_t>(1 + rng_.below(7))).error;
    }
    if (!error) fail("an illegal access to register %u is no error (kind %u)", id, static_cast<unsigned>(what));
}

// Registers that can be read at any time, against what is known.
void Bench::look() {
    const uint64_t what = rng_.below(8);
    if (what == 0) {
        const uint32_t ids[] = {REG(control), REG(servers_enabled), REG(queue_depth), REG(buffer_size), REG(irq_mask), REG(irq_moderation), REG(rx_patience), REG(mac_control), REG(steering), REG(mac_address_low), REG(mac_address_high), REG(multicast_hash_low), REG(multicast_hash_high)};
        const uint32_t id = rng_.pick(ids);
        if (built(id) && read(id) != value(id)) fail("register %u does not hold 0x%x", id, value(id));
    } else if (what == 1) {
        for (uint32_t s = 0; s < SERVERS; ++s) {
            const uint32_t sure = static_cast<uint32_t>(pushed_rx_[s].size()), rx = read(RXQ + 2 * s + 1), tx = read(TXQ + 2 * s + 1);
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
        if (value(REG(control)) & NIC_ENABLE) must_refuse(1 + static_cast<uint32_t>(rng_.below(4)), "the NIC is enabled");
    } else {
        read_irq();
    }
}

void Bench::read_irq() {
    const uint32_t mask = value(REG(irq_mask));
    const int64_t begin = cycle_, stable = now_ - cycles(20);
    const bool sure = history(REG(control)).settled() < stable && history(REG(irq_mask)).settled() < stable && history(REG(irq_moderation)).settled() < stable;
    const int64_t drop = last_drop_;
    const uint32_t status = read(REG(irq_status));
    if (drop > error_cleared_ + 20 && drop < begin - 20 && !(status & NSOC_NIC_IRQ_STATUS_ERROR)) fail("something was dropped, and irq_status does not say so");
    for (size_t s = 0; s < SERVERS; ++s)
        if (!pushed_rx_[s].empty() && !(status >> s & 1)) fail("irq_status does not show that receive queue %zu holds a pointer", s);
    if (sure) {
        const bool cause = (status & mask) != 0, on = (value(REG(control)) & IRQ_ENABLE) != 0;
        const bool moderated = has(F_MODERATION) && (value(REG(irq_moderation)) >> 8) != 0 && !(status & mask & NSOC_NIC_IRQ_STATUS_ERROR);
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
    for (const Session& s : sessions_) {
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
    const uint32_t ids[] = {REG(rx_good), REG(rx_drop_fcs), REG(rx_drop_runt), REG(rx_drop_oversize), REG(rx_drop_error), REG(rx_drop_overflow), REG(rx_drop_disabled), REG(rx_drop_filtered), REG(rx_pause), REG(rx_drop_too_long), REG(rx_drop_memory_error), REG(rx_drop_no_buffer), REG(rx_drop_no_server), REG(tx_taken), REG(tx_drop_bad_length), REG(tx_drop_memory_error), REG(tx_drop_abort), REG(tx_drop_oversize), REG(tx_drop_underrun), REG(tx_pause), REG(tx_stamp_lost), REG(packets_transmitted), REG(packets_received)};
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
            fail("register %u counts %u, and it was %llu to %llu", id, count, static_cast<unsigned long long>(e->second.first), static_cast<unsigned long long>(e->second.second));
    }
}

// ---- Time and stamps -------------------------------------------------------------------------------------------------

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
        const PtpSegment& p = ptp_.back();
        return static_cast<uint64_t>((p.base + static_cast<__int128>(at - p.anchor) * p.increment / nic_.period) >> 28);
    };
    const uint32_t low = read(REG(ptp_low));
    const int64_t at = acted_;
    const uint64_t ns = static_cast<uint64_t>(read(REG(ptp_high))) << 32 | low;
    const int64_t off = static_cast<int64_t>(ns - at_time(at)), most = static_cast<int64_t>(uint64_t{ptp_.back().increment} * 14 >> 28) + 4;
    if (off > most || off < -most) fail("the PTP time is %llu ns, and it should be about %llu", static_cast<unsigned long long>(ns), static_cast<unsigned long long>(at_time(at)));
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
        const uint32_t increment = rng_.chance(512) ? 0x80000000u : static_cast<uint32_t>(rng_.range(0x70000000, 0x90000000));
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

// ---- The self-test ---------------------------------------------------------------------------------------------------

// While the NIC is at rest and the wire stands still: refused as long as anything is in use; then each test passes, or
// finds what is wrong on purpose. The buffers are in the processor's hands at the end, the NIC disabled.
void Bench::self_test() {
    note("self-test");
    empty_nic();
    must_refuse(5 + static_cast<uint32_t>(rng_.below(3)), "there is no such test");
    write(REG(selftest_bytes), static_cast<uint32_t>(rng_.below(8)));
    must_refuse(4, "there is no memory to test");
    const uint32_t any = 1 + static_cast<uint32_t>(rng_.below(4));
    if (read(LOCK) != 1) fail("a free lock is not granted");
    must_refuse(any, "the processor has the lock");
    if (write(LOCK, 1) != 0) fail("the release of the lock is refused");
    size_t index = held_[rng_.below(held_.size())].buffer;
    const uint32_t queue = RXQ + static_cast<uint32_t>(rng_.below(9)) * 2;
    if (!push(queue < FREEQ ? queue : FREEQ, index)) fail("a push into an empty queue is refused");
    must_refuse(any, "a queue holds a pointer");
    const size_t pushed = index;
    if (!pop(queue < FREEQ ? queue : FREEQ, index) || index != pushed) fail("the pointer in the way of a test is lost");
    write(REG(push_failed), 0x3FF);  // test 2 takes what it finds there for its own
    push_failed_ = 0;
    for (int i = 0; i < 5; ++i) {
        const uint32_t test = i < 4 ? 1 + static_cast<uint32_t>(i) : any;
        configure(REG(queue_depth), rng_.pick({1u, 64u, static_cast<uint32_t>(1 + rng_.below(64))}));
        if (test == 4) test_memory(rng_.chance(512));
        else if (test > 1 && rng_.chance(150)) find_pointer(test);
        else pass_test(test);
        constexpr uint32_t IDLE = NSOC_NIC_STATUS_RX_IDLE | NSOC_NIC_STATUS_TX_IDLE;
        if (read(REG(status)) != IDLE) fail("test %u leaves status 0x%x", test, read(REG(status)));
        if (read(REG(pointers_held)) != 0) fail("test %u gave pointers to the engines", test);
    }
    if (rng_.chance(512)) {
        write(REG(selftest_control), 0);
        if (read(REG(selftest_status)) || read(REG(selftest_cycles))) fail("the self-test's results are not cleared");
    }
    for (Held& h : held_) h = {h.buffer, 0, static_cast<int>(FREEQ)};
    configure(REG(queue_depth), 64);
    configure(REG(control), NIC_ENABLE | MAC_ENABLE | IRQ_ENABLE);
}

// Disable the NIC and take all its pointers, which are in the free queue after a drain.
void Bench::empty_nic() {
    configure(REG(control), static_cast<uint32_t>(rng_.next()) & (MAC_ENABLE | IRQ_ENABLE));
    for (int i = 0; read(REG(pointers_held)) != 0; ++i)
        if (i == 200) fail("a stopped NIC keeps pointers: 0x%x", read(REG(pointers_held)));
    size_t index;
    while (pop(FREEQ, index)) held_.push_back({index, 0, static_cast<int>(FREEQ)});
    if (held_.size() != buffers_.size()) fail("%zu pointers of %zu at rest", held_.size(), buffers_.size());
    while (!requests_.empty() || top_->acb_rsp_valid) step();
}

void Bench::must_refuse(uint32_t test, const char* why) {
    write(REG(selftest_control), test);
    const uint32_t status = read(REG(selftest_status));
    if (status != NSOC_NIC_SELFTEST_STATUS_REFUSED) fail("%s, and test %u has status 0x%x", why, test, status);
    ++tests_refused_;
}

// Wait for the end of a test, with accesses between its own: its status.
uint32_t Bench::end_test() {
    constexpr uint32_t BUSY = NSOC_NIC_SELFTEST_STATUS_BUSY;
    const int64_t begin = cycle_;
    uint32_t status;
    while ((status = read(REG(selftest_status))) & BUSY) {
        if (cycle_ - begin > 400000) fail("a self-test does not end: status 0x%x", status);
        const uint64_t what = rng_.below(8);
        if (what == 0) {
            const bool granted = read(LOCK) != 0, ended = !(read(REG(selftest_status)) & BUSY);
            if (granted && !ended) fail("the lock is granted under a test's feet");
            if (granted) release_lock();
        } else if (what == 1) {
            const bool written = !access(false, rng_.chance(512) ? REG(selftest_base) : REG(selftest_bytes), 0).error;
            if (written && read(REG(selftest_status)) & BUSY) fail("a self-test's register is written while it runs");
        } else if (what == 2) {
            configure(REG(control), value(REG(control)) ^ NIC_ENABLE);
        } else {
            idle(rng_.range(0, 300));
        }
    }
    if (value(REG(control)) & NIC_ENABLE) configure(REG(control), value(REG(control)) & ~NIC_ENABLE);
    testing_ = false;
    return status;
}

void Bench::pass_test(uint32_t test) {
    const bool alone = rng_.chance(512);
    write(REG(selftest_control), 0);
    write(REG(selftest_control), test);
    testing_ = true;
    if (alone) idle(250 * static_cast<int64_t>(value(REG(queue_depth))) + 2000);
    const uint32_t status = end_test();
    if (status != NSOC_NIC_SELFTEST_STATUS_DONE)
        fail("test %u has status 0x%x: 0x%x instead of 0x%x", test, status, read(REG(selftest_got)), read(REG(selftest_expected)));
    const uint32_t cycles = read(REG(selftest_cycles));
    if (alone && ((cycles & 0xFF) > 5 || (cycles >> 8 & 0xFF) > 5 || cycles >> 16 > 40)) fail("test %u took 0x%x cycles", test, cycles);
    if (test == 2) {
        push_failed_ = 0;
        error_cleared_ = cycle_;
        if (read(REG(push_failed)) || read(REG(irq_status))) fail("test 2 leaves push_failed or irq_status");
    }
    ++tests_passed_;
}

// A pointer that the processor pushes, which it must not, is found and thrown out.
void Bench::find_pointer(uint32_t test) {
    write(REG(selftest_control), test);
    testing_ = true;
    write((rng_.chance(512) ? RXQ : TXQ) + 6, static_cast<uint32_t>(rng_.next()) & ~7u);
    const uint32_t status = end_test();
    if ((status & 15) != (NSOC_NIC_SELFTEST_STATUS_DONE | NSOC_NIC_SELFTEST_STATUS_FAILED)) fail("test %u did not find a pointer: status 0x%x", test, status);
    if (read(REG(selftest_expected)) == read(REG(selftest_got))) fail("test %u failed with what it expected", test);
    push_failed_ = 0;
    error_cleared_ = cycle_;
    if (read(REG(push_failed)) || read(REG(irq_status))) fail("test %u leaves push_failed or irq_status", test);
    ++tests_failed_;
}

void Bench::test_memory(bool with_fault) {
    TestMemory& m = tested_;
    m = {};
    const uint32_t dwords = static_cast<uint32_t>(rng_.chance(200) ? 256 : 1 + rng_.below(40));
    write(REG(selftest_bytes), static_cast<uint32_t>(rng_.next()));
    m.base = static_cast<uint32_t>(rng_.next()) & ~7u;
    if (m.base > ~0u - 8 * dwords) m.base -= 8 * dwords;
    write(REG(selftest_base), m.base + static_cast<uint32_t>(rng_.below(8)));
    write(REG(selftest_bytes), 8 * dwords + static_cast<uint32_t>(rng_.below(8)));
    if (read(REG(selftest_base)) != m.base || read(REG(selftest_bytes)) != 8 * dwords) fail("the range to test is not what was written");
    m.bytes.resize(8 * dwords);
    rng_.fill(m.bytes.data(), m.bytes.size());
    m.on = true;
    if (with_fault) {
        m.pass = static_cast<uint32_t>(rng_.below(10));
        m.at = static_cast<uint32_t>(rng_.below(dwords));
        m.bit = static_cast<uint32_t>(rng_.below(64));
        m.fault = m.pass < 8 && m.pass % 2 && rng_.chance(700) ? TestMemory::FLIPS : TestMemory::REFUSES;
    }
    write(REG(selftest_control), 4);
    testing_ = true;
    const uint32_t status = end_test();
    m.on = false;
    uint32_t expected = NSOC_NIC_SELFTEST_STATUS_DONE;
    if (with_fault) {
        expected |= NSOC_NIC_SELFTEST_STATUS_FAILED | m.pass << NSOC_NIC_SELFTEST_STATUS_STEP_LSB;
        if (m.fault == TestMemory::REFUSES && m.pass < 8) expected |= NSOC_NIC_SELFTEST_STATUS_GOT_ERR;
        const uint32_t at = read(REG(selftest_address)), differs = read(REG(selftest_expected)) ^ read(REG(selftest_got));
        if (m.pass < 8 && (at & ~7u) != m.base + 8 * m.at) fail("the memory test shows address %08x instead of %08x", at, m.base + 8 * m.at);
        if (m.fault == TestMemory::FLIPS && (differs != 1u << (m.bit & 31) || (at & 4) != (m.bit < 32 ? 4 : 0)))
            fail("bit %u of %08x is wrong, and the memory test shows 0x%x at %08x", m.bit, m.base + 8 * m.at, differs, at);
    } else if (m.outside != 2) {
        fail("the memory test asks %u times for what does not exist", m.outside);
    } else {
        // What the last pass with masks left: the complement, under each mask the plain word.
        for (uint32_t i = 0; i < dwords; ++i) {
            const uint64_t walking = 1ull << (m.base / 8 + i) % 32, plain = ~walking << 32 | walking;
            for (uint32_t k = 0; k < 8; ++k) {
                const bool masked = (m.base / 8 + i) >> (7 - k) & 1;
                const uint64_t byte = (masked ? ~plain : plain) >> (56 - 8 * k) & 0xFF;
                if (m.bytes[8 * i + k] != byte) fail("the memory test left %02x at %08x", m.bytes[8 * i + k], m.base + 8 * i + k);
            }
        }
    }
    if (status != expected) fail("the memory test has status 0x%x instead of 0x%x", status, expected);
    ++(with_fault ? tests_failed_ : tests_passed_);
}

uint64_t Bench::answer_test(const Request& q, bool& error) {
    TestMemory& m = tested_;
    if (q.address >> 32) {
        if (q.address >> 32 != 15) fail("the memory test addresses 0x%llx", static_cast<unsigned long long>(q.address));
        error = !(m.fault == TestMemory::REFUSES && m.pass == 8 + m.outside);
        ++m.outside;
        return memory_rng_.next();
    }
    const uint64_t offset = q.address - m.base;
    if (offset + 8 > m.bytes.size() || offset % 8) fail("the memory test addresses 0x%llx", static_cast<unsigned long long>(q.address));
    const bool here = offset == 8 * m.at && m.accesses++ == m.pass && m.fault != TestMemory::SOUND;
    error = here && m.fault == TestMemory::REFUSES;
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) {
        if (!q.read && q.mask >> (7 - i) & 1) m.bytes[offset + i] = static_cast<uint8_t>(q.data >> (56 - 8 * i));
        word = word << 8 | m.bytes[offset + i];
    }
    return !q.read || error ? memory_rng_.next() : word ^ uint64_t{here} << m.bit;
}

// ---- How the run goes ------------------------------------------------------------------------------------------------

void Bench::settings() {
    const uint64_t what = rng_.below(12);
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
        configure(REG(buffer_size), rng_.pick({2048u, 2048u, 1536u, 1024u, 128u, 65528u, static_cast<uint32_t>(rng_.range(16, 192)) * 8}));
    } else if (what == 7) {
        configure(REG(irq_mask), rng_.chance(300) ? 0 : static_cast<uint32_t>(rng_.next()) & 0x30F);
    } else if (what == 8 && has(F_MODERATION)) {
        configure(REG(irq_moderation), static_cast<uint32_t>(rng_.pick({uint64_t{0}, rng_.below(2000), rng_.below(100), rng_.next()}) << 8 | rng_.pick({rng_.below(20), rng_.below(20), rng_.below(256)})));
    } else if (what == 9 && has(F_PATIENCE)) {
        configure(REG(rx_patience), rng_.pick({FOREVER, 16384u, static_cast<uint32_t>(rng_.below(100)), static_cast<uint32_t>(rng_.below(5000)), static_cast<uint32_t>(rng_.below(FOREVER))}));
    } else if (what == 10 && has(F_STEERING)) {
        configure(REG(steering), rng_.chance(700));
    } else if (what == 11 && built(REG(mac_control))) {
        uint32_t mac = value(REG(mac_control)) & NSOC_NIC_MAC_CONTROL_MII;
        if (!has(F_FILTER) || rng_.chance(600)) mac |= NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
        if (!has(F_FILTER) || rng_.chance(700)) mac |= NSOC_NIC_MAC_CONTROL_BROADCAST;
        if (has(F_PAUSE) && rng_.chance(500)) mac |= NSOC_NIC_MAC_CONTROL_RX_PAUSE;
        if (has(F_PAUSE) && rng_.chance(300)) mac |= NSOC_NIC_MAC_CONTROL_TX_PAUSE;
        configure(REG(mac_control), mac);
    }
}

void Bench::new_phase() {
    phase_until_ = cycle_ + rng_.range(2000, 40000);
    if (rng_.chance(100)) drain();
    WirePlan& w = source_.plan;
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
        const Session& s = sessions_[i];
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
                    note("nowhere: frame %llu of %llu bytes, which ended at %llu ps", i, frames_[i].bytes.size(), static_cast<uint64_t>(frames_[i].end));
            fail("the traffic does not come to rest: status 0x%x, debug2 0x%x, %llu frames in the MAC, %llu of them dropped, %zu of %zu frames out",
                 read(REG(status)), read(REG(debug2)), static_cast<unsigned long long>(unlocated), static_cast<unsigned long long>(dropped), next_out_, sessions_.size());
        }
        size_t index;
        for (uint32_t s = 0; s < SERVERS; ++s)
            while (pop(RXQ + 2 * s, index)) held_.push_back({index, 0, static_cast<int>(FREEQ)});
        // Neither too few nor too many in the free queue: more than 64 buffers, and the engines wait to give one back.
        for (Held& h : held_) h = {h.buffer, free < 32 ? 0 : INT64_MAX, static_cast<int>(FREEQ)};
        free = read(REG(freeq.occupancy));
        for (int i = 0; free >= 48 && i < 16 && pop(FREEQ, index); ++i) held_.push_back({index, INT64_MAX, static_cast<int>(FREEQ)});
        flush();
        if (has(F_STAMP)) read_stamps();
        unlocated = dropped = 0;
        for (size_t i = oldest_in_mac_; i < frames_.size(); ++i) unlocated += frames_[i].where == Frame::IN_MAC || frames_[i].where == Frame::CANDIDATE;
        if (!settled()) {
            quiet = 0;
            continue;
        }
        dropped = read(REG(rx_drop_too_long)) + read(REG(rx_drop_memory_error)) - refused_ + read(REG(rx_drop_no_buffer)) + read(REG(rx_drop_no_server)) - dropped_before_ - dropped_late_;
        if (bug_ == LOST_FRAME) --dropped;
        quiet = unlocated == dropped ? quiet + 1 : 0;
        idle(50);
    }
    for (Held& h : held_) h.until = 0;
    for (size_t i = next_out_; i < sessions_.size(); ++i)
        if (sessions_[i].maybe_bad) sessions_[i].bad_length = true;
    next_out_ = sessions_.size();
    // Frames that are nowhere were dropped; too long is what did not fit at some time since it came.
    for (; oldest_in_mac_ < frames_.size(); ++oldest_in_mac_) {
        Frame& f = frames_[oldest_in_mac_];
        if (f.where == Frame::IN_MAC) {
            const size_t needed = f.bytes.size() + FRAME_AT;
            perhaps_too_long_ += needed > history(REG(buffer_size)).smallest(f.start, now_);
            surely_too_long_ += needed > history(REG(buffer_size)).largest(f.start, now_);
            by_digest_.erase(digest(f.bytes.data(), f.bytes.size()));
        }
        if (f.where != Frame::STORED) f.where = Frame::GONE, Bytes().swap(f.bytes);
    }
    dropped_before_ += dropped;
    const uint64_t too_long = read(REG(rx_drop_too_long)), others = read(REG(rx_drop_no_buffer)) + read(REG(rx_drop_no_server));
    if (too_long > perhaps_too_long_ || too_long + others + refused_unknown_ < surely_too_long_)
        fail("rx_drop_too_long counts %llu, and it was %llu to %llu", static_cast<unsigned long long>(too_long), static_cast<unsigned long long>(surely_too_long_), static_cast<unsigned long long>(perhaps_too_long_));
    if (!has(F_PATIENCE) && others) fail("frames were dropped for want of a buffer or a server, and nobody asked for that");
    read_counters(true);
    if (has(F_STAMP)) {
        if (!stamps_.empty()) fail("a stamp with tag %x, and no such frame left", stamps_.front().tag);
        stamps_lost_ += wanted_.size();
        wanted_.clear();
        const uint64_t lost = read(REG(tx_stamp_lost));
        if (lost != stamps_lost_) fail("tx_stamp_lost counts %llu, and %llu were", static_cast<unsigned long long>(lost), static_cast<unsigned long long>(stamps_lost_));
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
    configure(REG(mac_control), (value(REG(mac_control)) & ~NSOC_NIC_MAC_CONTROL_MII) | (mii ? NSOC_NIC_MAC_CONTROL_MII : 0));
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
    for (const Buffer& b : buffers_) held += b.where == Buffer::CPU;
    uint32_t queued = 0;
    for (uint32_t id : {RXQ, RXQ + 2, RXQ + 4, RXQ + 6, TXQ, TXQ + 2, TXQ + 4, TXQ + 6, FREEQ}) queued += read(id + 1);
    if (held + queued != buffers_.size()) fail("%u pointers in queues and %u with the processor, of %zu", queued, held, buffers_.size());
    size_t index;
    for (uint32_t id : {RXQ, RXQ + 2, RXQ + 4, RXQ + 6, TXQ, TXQ + 2, TXQ + 4, TXQ + 6, FREEQ})
        while (pop(id, index)) held_.push_back({index, 0, 0});
    for (const Buffer& b : buffers_)
        if (b.where != Buffer::CPU) fail("buffer %08x is lost", b.pointer);
    if (held_.size() != buffers_.size()) fail("%zu pointers of %zu", held_.size(), buffers_.size());
    self_test();
    if (events_counted_ != sent_events_) fail("%llu carrier events, %llu dispositions", static_cast<unsigned long long>(sent_events_), static_cast<unsigned long long>(events_counted_));
}

void Bench::run() {
    for (uint32_t id : {REG(control), REG(servers_enabled), REG(irq_mask), REG(irq_moderation), REG(steering), REG(multicast_hash_low), REG(multicast_hash_high), REG(mac_address_low), REG(mac_address_high)})
        histories_.emplace(id, History(0));
    histories_.emplace(REG(queue_depth), History(64));
    histories_.emplace(REG(buffer_size), History(2048));
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
    std::printf("cycles %lld\naccesses %llu\nnic_period %lld\n", static_cast<long long>(cycle_), static_cast<unsigned long long>(accesses_), static_cast<long long>(nic_.period));
    for (int i = 0; i < CAUSES; ++i) std::printf("%s %llu\n", CAUSE_NAMES[i], static_cast<unsigned long long>(causes_[i]));
    const auto print = [](const char* name, uint64_t n) { std::printf("%s %llu\n", name, static_cast<unsigned long long>(n)); };
    print("sent_to_line", line_frames_);
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
    uint8_t* a = source_.own;
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

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    std::string command;
    for (int i = 0; i < argc; ++i) command += std::string(i ? " " : "") + argv[i];
    const auto bench = std::make_unique<Bench>(std::strtoull(argv[1], nullptr, 0), std::strtoull(argv[2], nullptr, 0),
                                               static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 0)),
                                               static_cast<Bug>(argc > 4 ? std::atoi(argv[4]) : 0), command);
    bench->run();
    return 0;
}
