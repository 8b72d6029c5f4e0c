// SPDX-License-Identifier: Apache-2.0
//
// One Verilated SoC with its clocks, its line and its terminal: what a handle of nsoc_sim.h is.
#ifndef SIMULATION_H
#define SIMULATION_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Vsim_top.h"
#include "cpu_view.h"
#include "debugger.h"
#include "idle.h"
#include "line.h"
#include "nsoc_sim.h"
#include "soc_view.h"
#include "top.h"
#include "trace_log.h"
#include "uart_terminal.h"
#include "verilated.h"
#include "waves.h"

constexpr uint64_t FS_PER_PS = 1000;

struct nsoc_sim {
public:
    explicit nsoc_sim(const nsoc_config_t &config);
    ~nsoc_sim();

    int run(const nsoc_stop_t &stop);
    // Simulates every edge before a time, for who has plugged it into a network.
    void run_to(uint64_t time_fs);
    int debug_run(uint32_t core, uint64_t max_cycles, uint64_t instructions);
    int debug_halt(uint32_t core, uint64_t max_cycles);
    // An access that is done while time passes by run_to: Debugger::ask.
    void debug_ask(uint32_t core, bool write, uint32_t address, uint32_t bytes, uint32_t value);

    // Calls `body` as a part of this simulation: for what the debugger does, which may take simulated time.
    template <typename Body>
    void debug(Body body) {
        Entered entered(*this);
        check_model();
        top_->arst = 0;
        disturb();
        in_model(body);
        check_model();
    }

    // The last cycle that there is.
    uint64_t last_cycle() const { return NSOC_LONGEST_FS / clocks_[NIC].period; }
    // Throws std::out_of_range unless that many cycles can pass.
    void check_room(uint64_t cycles) const;

    uint64_t cycle() const { return cycle_; }
    uint64_t time_fs() const { return now_; }
    uint64_t evaluations() const { return evaluation_->count(); }
    uint64_t left_out() const { return evaluation_->left_out(); }
    uint64_t not_at_rest() const { return evaluation_->failures(); }
    // Unless something comes in, nothing goes out before this time, nor changes but counters of time; time_fs() when it
    // is not known to be at rest.
    uint64_t quiet_until_fs() const;
    // What it knows of being at rest is void: somebody changes its state.
    void disturb() {
        rest_ = Rest::NONE;
        evaluation_->wake();
    }
    uint64_t cycle_of(uint64_t time_fs) const { return time_fs / clocks_[NIC].period; }
    uint64_t fs_of(uint64_t cycle) const { return cycle * clocks_[NIC].period; }

    void waves(const std::string &file, uint64_t from_ps, uint64_t to_ps);

    // A core that there is, by its number.
    CpuView &cpu(uint32_t core) const { return *cpus_.at(checked(core)); }
    Debugger &debugger(uint32_t core) const { return *debuggers_.at(checked(core)); }

private:
    TopClocks clocks_;  // the line refers to them

public:
    Line line;
    UartTerminal terminal;
    std::unique_ptr<SocView> view;
    mutable std::string error;
    std::string probe_names;
    TraceLog trace;
    std::vector<nsoc_octet_t> sent_octets;  // what the last nsoc_octets() gave

private:
    // Where time is.
    struct Moment {
        TopClocks clocks;
        uint64_t now, cycle;
        bool dram_sleeps;
        unsigned dram_awake;
        uint64_t dram_slept_from;
    };

    // While it lives, the model's messages go to this handle. Verilator keeps its current context for each thread and
    // does not look at which model is evaluated or destroyed: with several handles it must be told.
    struct Entered {
        explicit Entered(nsoc_sim &sim);
        ~Entered();
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
    uint32_t checked(uint32_t core) const;
    void stop(const CpuView &cpu);
    SocView::Values stopped() const;
    // Throws when the model has stopped itself.
    void check_model();

    // Simulates the next clock edge (or several at the same time).
    void step();
    // dram_clk's edges from its next one on are left out, up to the next refresh.
    void dram_sleep();
    // The edges before dram_clk's next one are made good, up to `edges` of them.
    void dram_wake(uint64_t edges);
    // The edges that were left out until now, with `refreshes` of them that ask for one, are made good; it sleeps on.
    void dram_account(uint64_t refreshes);
    // That many of the edges left out are not behind now_.
    uint64_t dram_slept() const;

    // Looks whether the SoC is at rest, and leaves out time that it is, but for the last cycles before `end`.
    void look(uint64_t end);
    // Time of the first edge that does more than move counters; now_ when something happens already.
    uint64_t next_event() const;
    // While nothing happens, and DRAM sleeps: time passes to `to`, which is not within a refresh.
    void pass(uint64_t to);
    // The model is as pass() tells, since it was watched.
    bool foretold();
    // Simulates until everything that only follows has followed, DRAM's too, and gives the model's whole state.
    std::vector<char> followed(uint64_t to);
    Moment moment() const;
    void set_moment(const Moment &moment);

    // Simulates up to the next rising edge of cpu_clk, under the debugger's eyes.
    void cpu_cycle();
    void step_asked();

    // Declared before top_: the model refers to it until the end.
    VerilatedContext context_;
    std::unique_ptr<Vsim_top> top_;
    mutable std::optional<Evaluation> evaluation_;
    std::vector<std::unique_ptr<CpuView>> cpus_;         // by core
    std::vector<std::unique_ptr<Debugger>> debuggers_;
    Debugger *asked_ = nullptr;     // who has an access to do
    bool between_edges_ = false;    // of its core: before_edge was called
    Waves waves_;
    bool dram_sleeps_ = false;
    const bool dram_may_sleep_;
    unsigned dram_awake_;                    // edges until it may sleep
    uint64_t dram_slept_from_ = 0;           // time of the first edge that was left out
    uint64_t now_ = 0;                       // fs since reset
    uint64_t cycle_ = 0;                     // nic_clk edges since reset
    uint64_t uart_active_ = 0;               // cycle at which the UART was last busy
    std::string messages_;

    // Watched: seen when nothing happened. Told: it was as told once.
    enum class Rest { NONE, WATCHED, TOLD, PROVEN };
    Rest rest_ = Rest::NONE;
    std::unique_ptr<Idle> idle_;
    bool may_rest_ = false;
    uint64_t rest_until_ = 0;                // then something happens
    uint64_t look_at_ = 0;                   // cycle of the next look
    uint64_t look_every_;
    uint64_t follow_fs_ = 0, watch_fs_ = 0;  // FOLLOW_CYCLES, WATCH_CYCLES of each clock
    std::vector<char> watched_;              // the model, and when it was so
    Moment watched_at_{};
};

#endif
