// SPDX-License-Identifier: Apache-2.0
//
// The clock loop around the Verilated SoC.
//
// Speed: evaluating the model is all that costs, so it is evaluated only when a clock rises (evaluate.h). With 125 MHz
// and 80 MHz that makes four evaluations a nic_clk cycle.
//
// dram_clk is the fastest clock, and most of the time nothing happens in its domain. While sim_top says so (dram_busy),
// and has said so for enough edges for whatever was in its synchronizers and counters to come to rest, an edge would
// change nothing but two counters, so none is simulated: the clock sleeps. It wakes for the next refresh, or at the
// first edge after dram_busy has risen, and the counters are moved on by what was left out. Nothing else can tell the
// difference; every_dram_edge keeps it awake, for the test of this.
//
// Idle time is left out. When nothing happens in the SoC and nothing is due, all that moves are counters (idle.h), and
// time jumps to just before the next event. That nothing happens is not taken on trust: the model is watched for some
// time, and then its whole state must be what idle.h tells it to be. every_cycle does without.
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
// dram_clk edges from the one that asks for a refresh, of an idle DRAM, until it is at rest again: more than PRECHARGE,
// REFRESH and DRAM_REST_EDGES need.
constexpr unsigned DRAM_REFRESH_EDGES = 128;
// Cycles of any clock until what only follows other registers has followed, see idle.h.
constexpr unsigned FOLLOW_CYCLES = 2;
// Cycles of any clock for which the model is watched: some counts of any counter.
constexpr unsigned WATCH_CYCLES = 200;
// nic_clk cycles from one look whether anything happens to the next; they grow while something does that is no event.
constexpr uint64_t LOOK_CYCLES = 61, LOOK_CYCLES_MOST = LOOK_CYCLES << 7;
// From a first proof to a second one, as something that goes round may be back where it was: another prime.
constexpr uint64_t PROOF_CYCLES = 47;

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
      dram_awake_(DRAM_REST_EDGES),
      look_every_(LOOK_CYCLES) {
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
    if (CpuView::STOPS) view->add_probe("stopped", [this] { return stopped(); });
    for (const auto &probe : view->probes()) probe_names += probe.first + "\n";
    uint64_t slowest = 0;
    for (const Clock &clock : clocks_) slowest = std::max(slowest, clock.period);
    follow_fs_ = FOLLOW_CYCLES * slowest;
    watch_fs_ = WATCH_CYCLES * slowest;
    idle_ = std::make_unique<Idle>(*top_, config.one_clock != 0);
    // Taps and waves say what happens in every cycle.
    may_rest_ = !config.every_cycle && dram_may_sleep_ && trace.names().empty() && !VM_TRACE_FST;

    if (config.every_cycle) evaluation_->stay_awake();

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
        if (dram_sleeps_) dram_wake(dram_slept());
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
        if constexpr (CpuView::STOPS) {
            for (const auto &cpu : cpus_)
                if (cpu->watch()) stop(*cpu);
        }
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

void nsoc_sim::dram_account(uint64_t refreshes) {
    const uint64_t edges = dram_slept();
    dram_slept_from_ += edges * clocks_[DRAM].period;
    view->dram_skip(edges, refreshes);
}

uint64_t nsoc_sim::dram_slept() const {
    return now_ < dram_slept_from_ ? 0 : (now_ - dram_slept_from_) / clocks_[DRAM].period + 1;
}

nsoc_sim::Moment nsoc_sim::moment() const {
    return {clocks_, now_, cycle_, dram_sleeps_, dram_awake_, dram_slept_from_};
}

void nsoc_sim::set_moment(const Moment &moment) {
    clocks_ = moment.clocks;
    evaluation_->fallen();
    evaluation_->wake();
    now_ = moment.now;
    cycle_ = moment.cycle;
    dram_sleeps_ = moment.dram_sleeps;
    dram_awake_ = moment.dram_awake;
    dram_slept_from_ = moment.dram_slept_from;
    context_.time(now_);
}

uint64_t nsoc_sim::next_event() const {
    for (const auto &cpu : cpus_)
        if (!cpu->sleeps()) return now_;
    if (!terminal.quiet()) return now_;
    return std::max(now_, std::min(line.next_fs(), idle_->next_event(clocks_)));
}

uint64_t nsoc_sim::quiet_until_fs() const {
    if (rest_ != Rest::PROVEN || now_ >= rest_until_) return now_;
    return std::min(next_event(), uint64_t{NSOC_LONGEST_FS});
}

void nsoc_sim::pass(uint64_t to) {
    idle_->pass(clocks_, to);
    evaluation_->wake();
    for (const auto &cpu : cpus_) cpu->sleep(clocks_[CPU].until(to));
    cycle_ += clocks_[NIC].until(to);
    for (const unsigned clock : {RX, TX, NIC, CPU}) clocks_[clock].pass(clocks_[clock].until(to));
    now_ = to;
    context_.time(to);

    // DRAM sleeps from the next edge on, up to the refresh that comes then.
    const uint64_t refresh_fs = SocView::dram_refresh_interval() * clocks_[DRAM].period;
    uint64_t &refresh = clocks_[DRAM].next;
    const uint64_t refreshes = to < refresh ? 0 : (to - refresh) / refresh_fs + 1;
    refresh += refreshes * refresh_fs;
    dram_account(refreshes);
}

std::vector<char> nsoc_sim::followed(uint64_t to) {
    if (dram_sleeps_) dram_wake(dram_slept());
    while (now_ < to) step();
    evaluation_->fall();
    return idle_->image();
}

bool nsoc_sim::foretold() {
    const uint64_t then = now_, to = then + follow_fs_;
    const std::vector<char> is = followed(to);
    const Moment at = moment();

    idle_->set_image(watched_);
    set_moment(watched_at_);
    pass(then);
    const bool same = followed(to) == is;

    idle_->set_image(is);
    set_moment(at);
    return same;
}

void nsoc_sim::look(uint64_t end) {
    look_at_ = cycle_ + (rest_ == Rest::NONE ? look_every_ : LOOK_CYCLES);
    if (now_ >= rest_until_) rest_ = Rest::NONE;
    rest_until_ = next_event();
    if (rest_until_ == now_) {
        rest_ = Rest::NONE;
        return;
    }
    if (!dram_sleeps_) return;

    // Up to here nothing happens, and this run goes on.
    const uint64_t until = std::min(rest_until_, end);
    if (rest_ == Rest::NONE) {
        if (rest_until_ - now_ < 2 * watch_fs_ || !view->dram_refreshed()) return;
        evaluation_->fall();
        watched_ = idle_->image();
        watched_at_ = moment();
        rest_ = Rest::WATCHED;
        look_at_ = cycle_ + LOOK_CYCLES;
    }
    const bool proof_due = rest_ == Rest::TOLD || (rest_ == Rest::WATCHED && now_ - watched_at_.now >= watch_fs_);
    if (proof_due && until > now_ + 2 * follow_fs_) {
        if (!foretold()) {
            rest_ = Rest::NONE;
            look_every_ = std::min(2 * look_every_, LOOK_CYCLES_MOST);
        } else if (rest_ == Rest::WATCHED) {
            rest_ = Rest::TOLD;
            look_at_ = cycle_ + PROOF_CYCLES;
        } else {
            rest_ = Rest::PROVEN;
            look_every_ = LOOK_CYCLES;
        }
    }
    if (rest_ == Rest::PROVEN && until > now_ + 4 * follow_fs_ && dram_sleeps_) {
        uint64_t to = until - follow_fs_;
        const Clock &dram = clocks_[DRAM];
        if (to >= dram.next) {  // not in the middle of a refresh
            const uint64_t behind = (to - dram.next) % (SocView::dram_refresh_interval() * dram.period);
            if (behind < DRAM_REFRESH_EDGES * dram.period) to -= behind + 1;
        }
        if (to > now_) pass(to);
    }
}

// Ends the run as a model does that stops itself.
void nsoc_sim::stop(const CpuView &cpu) {
    if (context_.gotFinish()) return;
    const CpuView::Stopped why = *cpu.stopped();
    char text[100];
    snprintf(text, sizeof text, "a processor has stopped for good at 0x%08x, for its cause 0x%02x\n", why.pc,
             why.cause);
    messages_ += text;
    context_.gotFinish(true);
}

// The first core that has stopped: its number, cause and pc, then address and word of each of its last instructions;
// UINT64_MAX is the word of one that is in no memory.
SocView::Values nsoc_sim::stopped() const {
    for (size_t core = 0; core < cpus_.size(); ++core) {
        const std::optional<CpuView::Stopped> why = cpus_[core]->stopped();
        if (!why) continue;
        SocView::Values values{core, why->cause, why->pc};
        for (const uint32_t pc : why->last) {
            values.push_back(pc);
            values.push_back(view->word(pc));
        }
        return values;
    }
    return {};
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

    look_at_ = may_rest_ ? cycle_ : UINT64_MAX;  // a frame may have come, or something to type
    for (;;) {
        uint64_t until = end;
        if (stop.frames && line.frames().size() >= stop.frames) return NSOC_STOP_FRAMES;
        if (stop.queued >= 0 && line.queued() <= static_cast<uint64_t>(stop.queued)) return NSOC_STOP_SENT;
        if (!text.empty() && terminal.printed.size() >= searched + text.size()) {
            if (terminal.printed.find(text, searched) != std::string::npos) return NSOC_STOP_TEXT;
            searched = terminal.printed.size() - text.size() + 1;
        }
        if (stop.idle_cycles && line.queued() == 0) {
            const uint64_t active = std::max({cycle_of(line.last_active_fs()), uart_active_, stop.idle_from});
            if (cycle_ >= active + stop.idle_cycles) return NSOC_STOP_IDLE;
            until = std::min(until, active + stop.idle_cycles);
        }
        if (cycle_ >= end) return NSOC_STOP_TIME;
        if (cycle_ >= look_at_) look(fs_of(until));
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
    look_at_ = may_rest_ ? cycle_ : UINT64_MAX;
    in_model([&] {
        while (clocks_.next() < time_fs) {
            if (asked_ != nullptr) {
                step_asked();
            } else {
                if (cycle_ >= look_at_) look(time_fs);
                step();
            }
            if (!messages_.empty()) check_model();
            waves_.time_passed(now_);
        }
    });
    line.check_in_time();
}

void nsoc_sim::debug_ask(uint32_t core, bool write, uint32_t address, uint32_t bytes, uint32_t value) {
    Debugger &asked = debugger(core);
    debug([&] { asked.ask(write, address, bytes, value); });
    asked_ = &asked;
    between_edges_ = false;
}

// A step, under the eyes of the debugger that was asked.
void nsoc_sim::step_asked() {
    if (!between_edges_) asked_->before_edge();
    const uint64_t edge = clocks_[CPU].next;
    step();
    between_edges_ = clocks_[CPU].next == edge;
    if (between_edges_) return;
    asked_->after_edge();
    if (asked_->asked()) return;
    asked_ = nullptr;
    disturb();
    look_at_ = may_rest_ ? cycle_ : UINT64_MAX;
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
            if (instructions != 0) watched.wake();
            if (!messages_.empty()) check_model();
        }
        if (watched.stop() != Debugger::NONE) watched.settle();
    });
    return watched.stop();
}

int nsoc_sim::debug_halt(uint32_t core, uint64_t max_cycles) {
    Debugger &watched = debugger(core);
    check_room(max_cycles);
    debug([&] {
        const uint64_t end = cycle_ + max_cycles;
        watched.resume(1);
        while (cycle_ < end && watched.stop() == Debugger::NONE && !watched.asleep()) {
            cpu_cycle();
            if (!messages_.empty()) check_model();
        }
        if (watched.stop() != Debugger::NONE) watched.settle();
    });
    return watched.stop();
}
