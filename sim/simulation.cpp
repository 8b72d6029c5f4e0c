// SPDX-License-Identifier: Apache-2.0
//
// The clock loop around the Verilated SoC.
//
// Speed: evaluating the model is all that costs, so it is evaluated only when a clock rises (evaluate.h). With 125 MHz
// and 80 MHz that makes four evaluations a nic_clk cycle.
//
// dram_clk is the fastest clock, and most of the time nothing happens in its domain. While sim_top says so (dram_busy),
// and has said so for enough edges for whatever was in its synchronizers and counters to come to rest, an edge would
// change nothing but two counters, so none is simulated: the clock sleeps. It wakes for the next refresh, or at the first
// edge after dram_busy has risen, and the counters are moved on by what was left out. Nothing else can tell the
// difference; every_dram_edge keeps it awake, for the test of this.
//
// Pins that the wire and the terminal drive change right after the edge of their clock and are sampled by the next one.
#include "simulation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "splitmix.h"

namespace {

constexpr unsigned RESET_CYCLES = 32;  // of nic_clk; every reset_sync has seen its clock a few times by then

// Where the model's $display and assertion messages go: the handle that runs on this thread.
thread_local std::string *messages = nullptr;
// dram_clk edges with nothing under way until its domain is at rest: more than synchronizers (2), the pipeline of
// decisions (3) and the longest counter of a bank (7) need. REFRESH is waited for by dram_busy itself.
constexpr unsigned DRAM_REST_EDGES = 16;
constexpr size_t MESSAGES_MAX = 4096;

// A clock of the table, as the configuration places it: its first edge is at a time from 1 to its period.
Clock placed(const nsoc_config_t &config, const TopClock &clock) {
    const uint64_t period = config.*clock.period_fs;
    const unsigned phase = config.one_clock && &clock == &TOP_CLOCKS[CPU] ? 0 : clock.phase;
    if (phase == 0) return {period, period};
    uint64_t random = config.seed;
    for (unsigned i = 0; i < phase; ++i) random = splitmix64(random);
    return {period, 1 + random % period};
}

TopClocks placed(const nsoc_config_t &config) {
    TopClocks clocks;
    for (unsigned i = 0; i < TOP_CLOCK_COUNT; ++i) clocks[i] = placed(config, TOP_CLOCKS[i]);
    return clocks;
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

nsoc_sim::Entered::Entered(nsoc_sim &sim) {
    messages = &sim.messages_;
    trace_log = &sim.trace;
    trace_now_fs = &sim.now_;
    Verilated::threadContextp(&sim.context_);
}

nsoc_sim::Entered::~Entered() { messages = nullptr; }

nsoc_sim::nsoc_sim(const nsoc_config_t &config)
    : clocks_(placed(config)),
      line(config.mii != 0, clocks_[RX], clocks_[TX]),
      terminal(config.uart_divisor),
      dram_may_sleep_(config.every_dram_edge == 0),
      dram_awake_(DRAM_REST_EDGES) {
    Entered entered(*this);
    context_.fatalOnError(false);
    Waves::prepare(context_);
    top_ = std::make_unique<Vsim_top>(&context_, "");
    top_->uart_rxd = 1;
    top_->eval();
    evaluation_.emplace(*top_);
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
    for (Clock &clock : clocks_) clock.start(now_);  // dram_clk is awake: it is in reset
    now_ = 0;
    cycle_ = 0;
    terminal = UartTerminal(config.uart_divisor);  // what the pins showed before is not data
    line.start();
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

void nsoc_sim::check_room(uint64_t cycles) const {
    if (cycles <= last_cycle() - cycle_) return;
    throw std::out_of_range("simulated time ends " + std::to_string(last_cycle() - cycle_) + " cycles from now, not " +
                            std::to_string(cycles));
}

uint32_t nsoc_sim::checked(uint32_t core) const {
    if (core >= cpus_.size()) throw std::out_of_range("there is no such core");
    return core;
}

void nsoc_sim::waves(const std::string &file, uint64_t from_ps, uint64_t to_ps) {
    if (from_ps > to_ps || to_ps > NSOC_LONGEST_FS / FS_PER_PS)
        throw std::out_of_range("a window of waves ends before it begins, or after simulated time does");
    Entered entered(*this);
    waves_.open(*top_, file, from_ps * FS_PER_PS, to_ps * FS_PER_PS);
}

inline void nsoc_sim::step() {
    const uint64_t t = clocks_.next();
    const unsigned due = clocks_.due(t);
    Vsim_top &top = *top_;

    const bool shown = waves_.covers(t);  // then clocks fall in time for everybody to see
    if (shown) {
        evaluation_->fall();
        waves_.dump(now_ + (t - now_) / 2);
    }
    now_ = t;
    context_.time(t);
    const bool dram = due & bit(DRAM);
    if (dram && dram_sleeps_) dram_wake((t - dram_slept_from_) / clocks_[DRAM].period);  // for a refresh
    evaluation_->rise(due);
    if (shown) waves_.dump(t);

    if (top.dram_busy) {
        // An edge at this very time would have seen what was before it: that one is left out too.
        if (dram_sleeps_) dram_wake(t < dram_slept_from_ ? 0 : (t - dram_slept_from_) / clocks_[DRAM].period + 1);
        dram_awake_ = DRAM_REST_EDGES;
    }
    if (dram) {
        clocks_[DRAM].rise();
        if (--dram_awake_ == 0) dram_sleep();
    }
    if (due & bit(NIC)) {
        clocks_[NIC].rise();
        ++cycle_;
    }
    if (due & bit(TX)) {
        clocks_[TX].rise();
        line.tx_edge(top);
    }
    if (due & bit(RX)) {
        clocks_[RX].rise();
        line.rx_edge(top);
    }
    if (due & bit(CPU)) {
        clocks_[CPU].rise();
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
    dram_slept_from_ = clocks_[DRAM].next;
    clocks_[DRAM].next += edges * clocks_[DRAM].period;
}

void nsoc_sim::dram_wake(uint64_t edges) {
    dram_sleeps_ = false;
    dram_awake_ = DRAM_REST_EDGES;
    clocks_[DRAM].next = dram_slept_from_ + edges * clocks_[DRAM].period;
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
        if (stop.frames && line.frames().size() >= stop.frames) return NSOC_STOP_FRAMES;
        if (stop.queued >= 0 && line.queued() <= static_cast<uint64_t>(stop.queued)) return NSOC_STOP_SENT;
        if (!text.empty() && terminal.printed.size() >= searched + text.size()) {
            if (terminal.printed.find(text, searched) != std::string::npos) return NSOC_STOP_TEXT;
            searched = terminal.printed.size() - text.size() + 1;
        }
        if (stop.idle_cycles && line.queued() == 0) {
            const uint64_t active = std::max({cycle_of(line.last_active_fs()), uart_active_, stop.idle_from});
            if (cycle_ >= active + stop.idle_cycles) return NSOC_STOP_IDLE;
        }
        if (cycle_ >= end) return NSOC_STOP_TIME;
        const uint64_t cycle = cycle_;
        while (cycle_ == cycle) step();
        if (!messages_.empty()) check_model();  // it says something before it stops; gotFinish() takes a lock
        waves_.time_passed(now_);
    }
}

void nsoc_sim::run_to(uint64_t time_fs) {
    if (time_fs > NSOC_LONGEST_FS) throw std::out_of_range("simulated time ends before that");
    Entered entered(*this);
    check_model();
    top_->arst = 0;
    for (const auto &debugger : debuggers_) debugger->time_passes_unseen();
    in_model([&] {
        while (clocks_.next() < time_fs) {
            step();
            if (!messages_.empty()) check_model();
            waves_.time_passed(now_);
        }
    });
    line.check_in_time();
}

void nsoc_sim::cpu_cycle() {
    for (const auto &debugger : debuggers_) debugger->before_edge();
    const uint64_t edge = clocks_[CPU].next;
    while (clocks_[CPU].next == edge) step();
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
