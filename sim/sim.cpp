// SPDX-License-Identifier: Apache-2.0
//
// The clock loop around the Verilated SoC, and the C interface of nsoc_sim.h.
//
// Speed: evaluating the model is all that costs, so it is evaluated only when a clock rises. A falling edge changes
// nothing in the SoC; it is shown together with the next rising edge of another clock. Only a clock that rises twice in
// a row needs an evaluation of its own for its low phase, because the model detects an edge by comparing with what the
// previous evaluation saw. With 125 MHz and 80 MHz that makes four evaluations a nic_clk cycle.
//
// dram_clk is the fastest clock, and most of the time nothing happens in its domain. While sim_top says so (dram_busy),
// and has said so for enough edges for whatever was in its synchronizers and counters to come to rest, an edge would
// change nothing but two counters, so none is simulated: the clock sleeps. It wakes for the next refresh, or at the first
// edge after dram_busy has risen, and the counters are moved on by what was left out. Nothing else can tell the
// difference; every_dram_edge keeps it awake, for the test of this.
//
// Pins that the wire and the terminal drive change right after the edge of their clock and are sampled by the next one.
#include "nsoc_sim.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "Vsim_top.h"
#include "cpu_view.h"
#include "debugger.h"
#include "gmii_wire.h"
#include "soc_view.h"
#include "trace_log.h"
#include "uart_terminal.h"
#include "verilated.h"
#include "waves.h"

namespace {

constexpr uint64_t FS_PER_PS = 1000;
constexpr unsigned RESET_CYCLES = 32;  // of nic_clk; every reset_sync has seen its clock a few times by then

// Where the model's $display and assertion messages go: the handle that runs on this thread.
thread_local std::string *messages = nullptr;
// dram_clk edges with nothing under way until its domain is at rest: more than synchronizers (2), the pipeline of
// decisions (3) and the longest counter of a bank (7) need. REFRESH is waited for by dram_busy itself.
constexpr unsigned DRAM_REST_EDGES = 16;
constexpr size_t MESSAGES_MAX = 4096;

uint64_t splitmix64(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// A time from 1 to `period`, of the clock with that number.
uint64_t drawn(const nsoc_config_t &config, unsigned number, uint64_t period) {
    uint64_t random = config.seed;
    for (unsigned i = 0; i < number; ++i) random = splitmix64(random);
    return 1 + random % period;
}

}  // namespace

// Named by -DVL_PRINTF (build.py): a library has no business writing to standard output.
extern "C" int nsoc_sim_printf(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (messages == nullptr) fputs(line, stderr);
    else if (messages->size() < MESSAGES_MAX) messages->append(line);
    return length;
}

struct nsoc_sim {
public:
    explicit nsoc_sim(const nsoc_config_t &config);
    ~nsoc_sim();

    int run(const nsoc_stop_t &stop);
    int debug_run(uint32_t core, uint64_t max_cycles, uint64_t instructions);

    // Calls `body` as a part of this simulation: for what the debugger does, which may take simulated time.
    template <typename Body>
    void debug(Body body) {
        Entered entered(*this);
        check_model();
        top_->arst = 0;
        in_model(body);
        check_model();
    }

    // The last cycle that there is.
    uint64_t last_cycle() const { return NSOC_LONGEST_FS / nic_.period; }
    // Throws std::out_of_range unless that many cycles can pass.
    void check_room(uint64_t cycles) const {
        if (cycles <= last_cycle() - cycle_) return;
        throw std::out_of_range("simulated time ends " + std::to_string(last_cycle() - cycle_) + " cycles from now, not " +
                                std::to_string(cycles));
    }

    uint64_t cycle() const { return cycle_; }
    uint64_t time_fs() const { return now_; }
    uint64_t cycle_of(uint64_t time_fs) const { return time_fs / nic_.period; }
    // The line's clocks count in ticks, each its own.
    uint64_t rx_fs(uint64_t tick) const { return rx_.time_of(tick); }
    uint64_t tx_fs(uint64_t tick) const { return tx_.time_of(tick); }
    // The first of gmii_rx_clk that is not before a cycle.
    uint64_t rx_tick_of(uint64_t cycle) const { return rx_.number_from(cycle * nic_.period); }

    GmiiSender sender;
    GmiiReceiver receiver;
    UartTerminal terminal;
    std::unique_ptr<SocView> view;
    // A core that there is, by its number.
    CpuView &cpu(uint32_t core) const { return *cpus_.at(checked(core)); }
    Debugger &debugger(uint32_t core) const { return *debuggers_.at(checked(core)); }
    mutable std::string error;
    std::string probe_names;
    TraceLog trace;

    void waves(const std::string &file, uint64_t from_ps, uint64_t to_ps) {
        if (from_ps > to_ps || to_ps > NSOC_LONGEST_FS / FS_PER_PS)
            throw std::out_of_range("a window of waves ends before it begins, or after simulated time does");
        Entered entered(*this);
        waves_.open(*top_, file, from_ps * FS_PER_PS, to_ps * FS_PER_PS);
    }

private:
    // While it lives, the model's messages go to this handle. Verilator keeps its current context for each thread and
    // does not look at which model is evaluated or destroyed: with several handles it must be told.
    struct Entered {
        explicit Entered(nsoc_sim &sim) {
            messages = &sim.messages_;
            trace_log = &sim.trace;
            trace_now_fs = &sim.now_;
            Verilated::threadContextp(&sim.context_);
        }
        ~Entered() { messages = nullptr; }
    };

    struct Clock {
        uint64_t period;
        uint64_t next;          // time of the next rising edge
        uint64_t edges = 0;     // since reset
        uint64_t early = 0;     // so long before n periods is edge number n, less than a period

        void start(uint64_t now) {
            next -= now;
            edges = 0;
            early = period - next;
        }
        uint64_t time_of(uint64_t edge) const { return edge == 0 ? 0 : edge * period - early; }
        uint64_t number_from(uint64_t time) const { return (time + early + period - 1) / period; }
    };

    // What lets time pass. When the model fails, it does not run any more: check_model() says so from then on.
    template <typename Body>
    auto in_model(Body body) -> decltype(body()) {
        try {
            return body();
        } catch (const nsoc_model_failed &) {
            context_.gotFinish(true);
            throw;
        }
    }

    int run_until(const nsoc_stop_t &stop);

    uint32_t checked(uint32_t core) const {
        if (core >= cpus_.size()) throw std::out_of_range("there is no such core");
        return core;
    }

    // Simulates the next clock edge (or several at the same time).
    void step();
    // dram_clk's edges from its next one on are left out, up to the next refresh.
    void dram_sleep();
    // The edges before dram_.next are made good, up to `edges` of them.
    void dram_wake(uint64_t edges);
    // Simulates up to the next rising edge of cpu_clk, under the debugger's eyes.
    void cpu_cycle();
    void check_model();

    // Declared before top_: the model refers to it until the end.
    VerilatedContext context_;
    std::unique_ptr<Vsim_top> top_;
    std::vector<std::unique_ptr<CpuView>> cpus_;         // by core
    std::vector<std::unique_ptr<Debugger>> debuggers_;
    Waves waves_;
    Clock rx_, tx_, nic_, cpu_, dram_;
    bool dram_sleeps_ = false;
    const bool dram_may_sleep_;
    unsigned dram_awake_ = DRAM_REST_EDGES;  // edges until it may sleep
    uint64_t dram_slept_from_ = 0;           // time of the first edge that was left out
    uint64_t now_ = 0;         // fs since reset
    uint64_t cycle_ = 0;       // nic_clk edges since reset
    uint64_t uart_active_ = 0; // cycle at which the UART was last busy
    std::string messages_;
};

nsoc_sim::nsoc_sim(const nsoc_config_t &config)
    : sender(config.mii != 0),
      receiver(config.mii != 0),
      terminal(config.uart_divisor),
      rx_{config.rx_period_fs, drawn(config, 3, config.rx_period_fs)},
      tx_{config.tx_period_fs, drawn(config, 4, config.tx_period_fs)},
      nic_{config.nic_period_fs, config.nic_period_fs},
      cpu_{config.cpu_period_fs, config.one_clock ? config.nic_period_fs : drawn(config, 1, config.cpu_period_fs)},
      dram_{config.dram_period_fs, drawn(config, 2, config.dram_period_fs)},
      dram_may_sleep_(config.every_dram_edge == 0) {
    Entered entered(*this);
    context_.fatalOnError(false);
    Waves::prepare(context_);
    top_ = std::make_unique<Vsim_top>(&context_, "");
    top_->uart_rxd = 1;
    top_->eval();
    view = std::make_unique<SocView>(*top_);
    for (unsigned core = 0; core < NSOC_CORES; ++core) {
        cpus_.push_back(std::make_unique<CpuView>(*top_, core));
        debuggers_.push_back(std::make_unique<Debugger>(*view, *cpus_[core], [this] { cpu_cycle(); }));
    }
    for (const auto &probe : view->probes()) probe_names += probe.first + "\n";

    // The model takes an asynchronous reset as the event of its rising, so it must have been low. It ends at time 0,
    // right after an edge of nic_clk; time runs from there.
    top_->arst = 1;
    top_->eval();
    while (cycle_ < RESET_CYCLES) step();
    for (Clock *clock : {&rx_, &tx_, &nic_, &cpu_, &dram_}) clock->start(now_);  // dram_ is awake: it is in reset
    now_ = 0;
    cycle_ = 0;
    terminal = UartTerminal(config.uart_divisor);  // what the pins showed before is not data
    receiver = GmiiReceiver(config.mii != 0);
    check_model();
}

nsoc_sim::~nsoc_sim() {
    Entered entered(*this);
    try {
        waves_.close();
        top_->final();
    } catch (const std::exception &) {  // nobody to tell
    }
    top_.reset();
}

inline void nsoc_sim::step() {
    const uint64_t line = rx_.next < tx_.next ? rx_.next : tx_.next;
    uint64_t t = cpu_.next < nic_.next ? cpu_.next : nic_.next;
    if (line < t) t = line;
    if (dram_.next < t) t = dram_.next;
    const bool rx = rx_.next == t, tx = tx_.next == t, nic = nic_.next == t, cpu = cpu_.next == t, dram = dram_.next == t;
    Vsim_top &top = *top_;

    const bool shown = waves_.covers(t);  // then clocks fall in time for everybody to see
    if (shown | (rx & top.gmii_rx_clk) | (tx & top.gmii_tx_clk) | (nic & top.nic_clk) | (cpu & top.cpu_clk) |
        (dram & top.dram_clk)) {
        top.gmii_rx_clk = top.gmii_tx_clk = top.nic_clk = top.cpu_clk = top.dram_clk = 0;
        top.eval();
        if (shown) waves_.dump(now_ + (t - now_) / 2);
    }
    now_ = t;
    context_.time(t);
    top.gmii_rx_clk = rx;
    top.gmii_tx_clk = tx;
    top.nic_clk = nic;
    top.cpu_clk = cpu;
    top.dram_clk = dram;
    if (dram & dram_sleeps_) dram_wake((t - dram_slept_from_) / dram_.period);  // for a refresh
    top.eval();
    if (shown) waves_.dump(t);

    if (top.dram_busy) {
        // An edge at this very time would have seen what was before it: that one is left out too.
        if (dram_sleeps_) dram_wake(t < dram_slept_from_ ? 0 : (t - dram_slept_from_) / dram_.period + 1);
        dram_awake_ = DRAM_REST_EDGES;
    }
    if (dram) {
        dram_.next += dram_.period;
        if (--dram_awake_ == 0) dram_sleep();
    }

    if (nic) {
        ++cycle_;
        nic_.next += nic_.period;
    }
    if (tx) {
        tx_.next += tx_.period;
        receiver.sample(++tx_.edges + 1, top.gmii_tx_en, top.gmii_tx_er, top.gmii_txd);
    }
    if (rx) {
        rx_.next += rx_.period;
        if (sender.advance(++rx_.edges + 1)) {
            top.gmii_rxd = sender.data;
            top.gmii_rx_dv = sender.valid;
            top.gmii_rx_er = sender.error;
        }
    }
    if (cpu) {
        cpu_.next += cpu_.period;
        terminal.sample(top.uart_txd);
        if (terminal.drive()) top.uart_rxd = terminal.rxd();
        if (!terminal.quiet()) uart_active_ = cycle_;
    }
}

void nsoc_sim::dram_sleep() {
    const uint64_t edges = view->dram_refresh_in();
    dram_awake_ = DRAM_REST_EDGES;
    if (!dram_may_sleep_ || edges == 0) return;
    dram_sleeps_ = true;
    dram_slept_from_ = dram_.next;
    dram_.next += edges * dram_.period;
}

void nsoc_sim::dram_wake(uint64_t edges) {
    dram_sleeps_ = false;
    dram_awake_ = DRAM_REST_EDGES;
    dram_.next = dram_slept_from_ + edges * dram_.period;
    view->dram_skip(edges);
}

void nsoc_sim::check_model() {
    if (!context_.gotFinish()) return;
    while (!messages_.empty() && messages_.back() == '\n') messages_.pop_back();
    throw std::runtime_error(messages_.empty() ? "the model stopped itself" : messages_);
}

int nsoc_sim::run(const nsoc_stop_t &stop) {
    check_room(stop.max_cycles);
    if (stop.queued < -1 || stop.idle_cycles > last_cycle() || stop.idle_from > last_cycle())
        throw std::out_of_range("a stop condition is out of range");
    Entered entered(*this);
    check_model();
    top_->arst = 0;
    return in_model([&] { return run_until(stop); });
}

int nsoc_sim::run_until(const nsoc_stop_t &stop) {
    for (const auto &debugger : debuggers_) debugger->time_passes_unseen();
    const uint64_t end = cycle_ + stop.max_cycles;
    const std::string text = stop.text ? stop.text : "";
    size_t searched = 0;  // no match of `text` begins before this

    for (;;) {
        if (stop.frames && receiver.frames.size() >= stop.frames) return NSOC_STOP_FRAMES;
        if (stop.queued >= 0 && sender.queued() <= static_cast<uint64_t>(stop.queued)) return NSOC_STOP_SENT;
        if (!text.empty() && terminal.printed.size() >= searched + text.size()) {
            if (terminal.printed.find(text, searched) != std::string::npos) return NSOC_STOP_TEXT;
            searched = terminal.printed.size() - text.size() + 1;
        }
        if (stop.idle_cycles && sender.queued() == 0) {
            const uint64_t last_fs = std::max(rx_fs(sender.last_active_tick()), tx_fs(receiver.last_active_tick()));
            const uint64_t active = std::max({cycle_of(last_fs), uart_active_, stop.idle_from});
            if (cycle_ >= active + stop.idle_cycles) return NSOC_STOP_IDLE;
        }
        if (cycle_ >= end) return NSOC_STOP_TIME;
        const uint64_t cycle = cycle_;
        while (cycle_ == cycle) step();
        if (!messages_.empty()) check_model();  // it says something before it stops; gotFinish() takes a lock
        waves_.time_passed(now_);
    }
}

void nsoc_sim::cpu_cycle() {
    for (const auto &debugger : debuggers_) debugger->before_edge();
    const uint64_t edge = cpu_.next;
    while (cpu_.next == edge) step();
    for (const auto &debugger : debuggers_) debugger->after_edge();
}

int nsoc_sim::debug_run(uint32_t core, uint64_t max_cycles, uint64_t instructions) {
    Debugger &watched = debugger(core);
    check_room(max_cycles);
    debug([&] {
        const uint64_t end = cycle_ + max_cycles;
        watched.resume(instructions);
        while (cycle_ < end && watched.stop() == Debugger::NONE) {
            cpu_cycle();
            if (!messages_.empty()) check_model();
        }
        if (watched.stop() != Debugger::NONE) watched.settle();
    });
    return watched.stop();
}

// ---- The C interface ------------------------------------------------------------------------------------------------

namespace {

thread_local std::string create_error;  // of calls without a handle that there is

// Handles that are not destroyed yet.
std::mutex handles_mutex;
std::set<const nsoc_sim_t *> handles;

// Every function below is one of these: calls `body`. An exception becomes -1, or NULL where a pointer is returned, and
// its text `error`.
template <typename Body>
auto attempt(std::string &error, Body body) noexcept -> decltype(body()) {
    const auto note = [&error](const char *text) {
        try {
            error = text;
        } catch (...) {
            error.clear();
        }
    };
    try {
        return body();
    } catch (const std::bad_alloc &) {
        note("there is not enough memory");
    } catch (const std::exception &problem) {
        note(problem.what());
    } catch (...) {
        note("something went wrong that has no name");
    }
    if constexpr (std::is_pointer_v<decltype(body())>) return nullptr;
    else return -1;
}

// The same with a handle, which must be there.
template <typename Sim, typename Body>
auto guarded(Sim *sim, Body body) noexcept -> decltype(body(*sim)) {
    bool there = false;
    {
        const std::lock_guard<std::mutex> lock(handles_mutex);
        there = handles.count(sim) != 0;
    }
    return attempt(there ? sim->error : create_error, [&] {
        if (!there) throw std::invalid_argument("there is no such simulation");
        return body(*sim);
    });
}

// What a caller gave to be read or written; there may be nothing where there is nothing to do.
template <typename Pointer>
Pointer needed(Pointer pointer, const char *what, uint64_t count = 1) {
    if (pointer == nullptr && count != 0) throw std::invalid_argument(std::string(what) + " is a null pointer");
    return pointer;
}

void check_range(const char *what, uint64_t value, uint64_t least, uint64_t most) {
    if (value >= least && value <= most) return;
    throw std::out_of_range(std::string(what) + " must be " + std::to_string(least) + " to " + std::to_string(most) +
                            ", not " + std::to_string(value));
}

void fill_stamps(const nsoc_sim_t &sim, uint64_t start_fs, uint64_t end_fs, nsoc_frame_t *frame) {
    frame->start_cycle = sim.cycle_of(start_fs);
    frame->end_cycle = sim.cycle_of(end_fs);
    frame->start_ps = start_fs / FS_PER_PS;
    frame->end_ps = end_fs / FS_PER_PS;
}

}  // namespace

uint32_t nsoc_abi_version(void) { return NSOC_ABI_VERSION; }

nsoc_sim_t *nsoc_create(const nsoc_config_t *config) {
    return attempt(create_error, [&] {
        needed(config, "config");
        for (const uint64_t period : {config->cpu_period_fs, config->nic_period_fs, config->dram_period_fs,
                                      config->rx_period_fs, config->tx_period_fs})
            check_range("the period of a clock in fs", period, NSOC_SHORTEST_PERIOD_FS, NSOC_LONGEST_PERIOD_FS);
        check_range("uart_divisor", config->uart_divisor, 2, 65535);
        if (config->one_clock && config->cpu_period_fs != config->nic_period_fs)
            throw std::invalid_argument("one clock for processor and NIC has one period");
        auto sim = std::make_unique<nsoc_sim>(*config);
        const std::lock_guard<std::mutex> lock(handles_mutex);
        handles.insert(sim.get());
        return sim.release();
    });
}

int nsoc_destroy(nsoc_sim_t *sim) {
    return attempt(create_error, [&] {
        {
            const std::lock_guard<std::mutex> lock(handles_mutex);
            if (handles.erase(sim) == 0) throw std::invalid_argument("there is no such simulation");
        }
        delete sim;
        return 0;
    });
}

const char *nsoc_error(const nsoc_sim_t *sim) {
    return attempt(create_error, [&] {
        const std::lock_guard<std::mutex> lock(handles_mutex);
        return handles.count(sim) ? sim->error.c_str() : create_error.c_str();
    });
}

int nsoc_run(nsoc_sim_t *sim, const nsoc_stop_t *stop) {
    return guarded(sim, [&](nsoc_sim &s) { return s.run(*needed(stop, "stop")); });
}

int64_t nsoc_cycle(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.cycle()); });
}

int64_t nsoc_time_ps(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.time_fs() / FS_PER_PS); });
}

int nsoc_load(nsoc_sim_t *sim, uint64_t address, const uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) { return s.view->load(address, needed(data, "data", bytes), bytes), 0; });
}

int nsoc_peek(nsoc_sim_t *sim, uint64_t address, uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) { return s.view->peek(address, needed(data, "data", bytes), bytes), 0; });
}

int64_t nsoc_send(nsoc_sim_t *sim, const uint8_t *data, uint32_t bytes, const nsoc_send_t *options) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(data, "data");
        needed(options, "options");
        check_range("bytes", bytes, 1, NSOC_LONGEST_SEND);
        check_range("not_before", options->not_before, 0, s.last_cycle());
        check_range("ifg", options->ifg, 1, UINT32_MAX);
        check_range("preamble", options->preamble, 0, NSOC_LONGEST_SEND);
        check_range("sfd", options->sfd, 0, 0xFF);
        check_range("flags", options->flags, 0, NSOC_BAD_FCS | NSOC_RAW | NSOC_PAD);
        if (options->error_at < -1 || options->cut_at < -1)
            throw std::out_of_range("error_at and cut_at must be at least 0, or -1 for never");
        SendOptions wire;
        wire.not_before_tick = s.rx_tick_of(options->not_before);
        wire.ifg = options->ifg;
        wire.preamble = options->preamble;
        wire.sfd = static_cast<uint8_t>(options->sfd);
        wire.bad_fcs = options->flags & NSOC_BAD_FCS;
        wire.raw = options->flags & NSOC_RAW;
        wire.pad = options->flags & NSOC_PAD;
        wire.error_at = options->error_at;
        wire.cut_at = options->cut_at;
        return static_cast<int64_t>(s.sender.send(data, bytes, wire));
    });
}

int nsoc_sent(const nsoc_sim_t *sim, uint64_t number, nsoc_frame_t *stamps) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(stamps, "stamps");
        if (number >= s.sender.sent().size()) return 0;
        const Stamps &ticks = s.sender.sent()[number];
        fill_stamps(s, s.rx_fs(ticks.start_tick), s.rx_fs(ticks.end_tick), stamps);
        return 1;
    });
}

int64_t nsoc_queued(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.sender.queued()); });
}

int64_t nsoc_pending(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.receiver.frames.size()); });
}

int nsoc_next(const nsoc_sim_t *sim, nsoc_frame_t *frame) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(frame, "frame");
        if (s.receiver.frames.empty()) return 0;
        const ReceivedFrame &oldest = s.receiver.frames.front();
        fill_stamps(s, s.tx_fs(oldest.stamps.start_tick), s.tx_fs(oldest.stamps.end_tick), frame);
        frame->bytes = static_cast<uint32_t>(oldest.bytes.size());
        frame->gap = oldest.gap;
        frame->fcs_ok = oldest.fcs_ok;
        frame->error = oldest.error;
        return 1;
    });
}

int nsoc_take(nsoc_sim_t *sim, uint8_t *data, uint64_t capacity) {
    return guarded(sim, [&](nsoc_sim &s) {
        if (s.receiver.frames.empty()) throw std::out_of_range("no received frame waits");
        const std::vector<uint8_t> &bytes = s.receiver.frames.front().bytes;
        if (bytes.size() > capacity)
            throw std::out_of_range("the frame has " + std::to_string(bytes.size()) + " bytes, more than capacity");
        std::copy(bytes.begin(), bytes.end(), needed(data, "data", bytes.size()));
        s.receiver.frames.pop_front();
        return 0;
    });
}

int nsoc_uart_read(const nsoc_sim_t *sim, uint64_t from, uint8_t *data, uint32_t capacity) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(data, "data", capacity);
        const std::string &printed = s.terminal.printed;
        if (from >= printed.size()) return 0;
        const auto most = std::min<uint64_t>(capacity, std::numeric_limits<int>::max());
        return static_cast<int>(printed.copy(reinterpret_cast<char *>(data), most, from));
    });
}

int nsoc_uart_write(nsoc_sim_t *sim, const uint8_t *data, uint32_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(data, "data", bytes);
        return s.terminal.to_type.insert(s.terminal.to_type.end(), data, data + bytes), 0;
    });
}

const char *nsoc_probes(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return s.probe_names.c_str(); });
}

int nsoc_probe(const nsoc_sim_t *sim, const char *name, uint64_t *values, uint32_t capacity) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(values, "values", capacity);
        const auto found = s.view->probes().find(needed(name, "name"));
        if (found == s.view->probes().end()) throw std::out_of_range(std::string("there is no probe ") + name);
        const SocView::Values all = found->second();
        std::copy_n(all.begin(), std::min<size_t>(all.size(), capacity), values);
        return static_cast<int>(all.size());
    });
}

const char *nsoc_taps(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return s.trace.names().c_str(); });
}

int nsoc_trace(nsoc_sim_t *sim, int on) {
    return guarded(sim, [&](nsoc_sim &s) {
        if (s.trace.names().empty()) throw std::invalid_argument("this simulator was built without taps");
        return s.trace.record(on != 0, s.time_fs()), 0;
    });
}

int64_t nsoc_trace_take(nsoc_sim_t *sim, nsoc_event_t *events, uint64_t capacity) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(events, "events", capacity);
        std::vector<nsoc_event_t> &kept = s.trace.events;
        const auto count = static_cast<std::ptrdiff_t>(std::min<uint64_t>(capacity, kept.size()));
        std::copy_n(kept.begin(), count, events);
        kept.erase(kept.begin(), kept.begin() + count);
        return static_cast<int64_t>(count);
    });
}

int64_t nsoc_trace_count(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.trace.events.size()); });
}

int nsoc_waves(nsoc_sim_t *sim, const char *file, uint64_t from_ps, uint64_t to_ps) {
    return guarded(sim, [&](nsoc_sim &s) { return s.waves(needed(file, "file"), from_ps, to_ps), 0; });
}

namespace {

// Register numbers of the RISC-V debug specification: CSRs, then x0 to x31. The pc is dpc.
constexpr uint32_t DPC = 0x7B1, X0 = 0x1000, X31 = 0x101F;

Debugger::Kind point_kind(uint32_t kind, uint32_t address, uint32_t bytes) {
    if (kind > NSOC_POINT_ACCESS) throw std::invalid_argument("no such kind of breakpoint");
    if ((kind == NSOC_POINT_EXECUTE) != (bytes == 0))
        throw std::invalid_argument("a watchpoint covers at least one byte, a breakpoint none");
    if (uint64_t{address} + bytes > uint64_t{1} << 32)
        throw std::out_of_range("a watchpoint ends behind the last address");
    return static_cast<Debugger::Kind>(kind);
}

}  // namespace

int nsoc_debug_attach(nsoc_sim_t *sim, uint32_t core) {
    return guarded(sim, [&](nsoc_sim &s) {
        Debugger &debugger = s.debugger(core);
        return s.debug([&] { debugger.attach(); }), 0;
    });
}

int nsoc_debug_run(nsoc_sim_t *sim, uint32_t core, uint64_t max_cycles, uint64_t instructions) {
    return guarded(sim, [&](nsoc_sim &s) { return s.debug_run(core, max_cycles, instructions); });
}

int nsoc_debug_hit(const nsoc_sim_t *sim, uint32_t core, uint32_t *address) {
    return guarded(sim, [&](const nsoc_sim &s) {
        *needed(address, "address") = s.debugger(core).hit_address();
        return static_cast<int>(s.debugger(core).hit_kind());
    });
}

int nsoc_debug_insert(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        return s.debugger(core).insert(point_kind(kind, address, bytes), address, bytes), 0;
    });
}

int nsoc_debug_remove(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        return s.debugger(core).remove(point_kind(kind, address, bytes), address, bytes), 0;
    });
}

int nsoc_debug_get(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t *value) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(value, "value");
        CpuView &cpu = s.cpu(core);
        if (number >= X0 && number <= X31) return *value = cpu.x(number - X0), 0;
        const std::optional<uint32_t> found = number == DPC ? cpu.next_pc() : cpu.csr(number);
        if (!found) throw std::out_of_range("the debugger does not show this register");
        return *value = *found, 0;
    });
}

int nsoc_debug_set(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t value) {
    return guarded(sim, [&](nsoc_sim &s) {
        if (number != DPC && (number < X0 || number > X31))
            throw std::out_of_range("the debugger writes only x0 to x31 and pc");
        Debugger &debugger = s.debugger(core);
        s.debug([&] { number == DPC ? debugger.set_pc(value) : debugger.set_x(number - X0, value); });
        return 0;
    });
}

int nsoc_debug_peek(nsoc_sim_t *sim, uint32_t core, uint64_t address, uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        return s.debugger(core).peek(address, needed(data, "data", bytes), bytes), 0;
    });
}

int nsoc_debug_poke(nsoc_sim_t *sim, uint32_t core, uint64_t address, const uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        Debugger &debugger = s.debugger(core);
        needed(data, "data", bytes);
        return s.debug([&] { debugger.poke(address, data, bytes); }), 0;
    });
}
