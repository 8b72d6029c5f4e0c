// SPDX-License-Identifier: Apache-2.0
//
// Writes the model's signals to an FST file for a window of simulated time. Costs nothing but in a simulator that was
// verilated with --trace-fst (build.py says -DVM_TRACE_FST=1 then).
#ifndef WAVES_H
#define WAVES_H

#include <cstdint>
#include <stdexcept>
#include <string>

#include "Vsim_top.h"
#include "verilated.h"

#if VM_TRACE_FST

#include <memory>

#include "verilated_fst_c.h"

class Waves {
public:
    // Before the model is made.
    static void prepare(VerilatedContext &context) { context.traceEverOn(true); }

    // The file is written while simulated time is in the window, and complete when time has left it or at the end.
    void open(Vsim_top &top, const std::string &file, uint64_t from_fs, uint64_t to_fs) {
        if (file_) throw std::invalid_argument("one window of waves in a simulation");
        file_ = std::make_unique<VerilatedFstC>();
        top.trace(file_.get(), ALL_LEVELS);
        file_->open(file.c_str());
        if (!file_->isOpen()) throw std::runtime_error("cannot write " + file);
        from_ = from_fs;
        to_ = to_fs;
    }

    bool covers(uint64_t time_fs) const { return time_fs >= from_ && time_fs <= to_; }
    void dump(uint64_t time_fs) { file_->dump(time_fs); }

    void time_passed(uint64_t time_fs) {
        if (time_fs > to_) close();
    }
    void close() {
        if (file_) file_->close();
        from_ = UINT64_MAX;
        to_ = UINT64_MAX - 1;
    }

private:
    static constexpr int ALL_LEVELS = 99;
    std::unique_ptr<VerilatedFstC> file_;
    uint64_t from_ = UINT64_MAX, to_ = UINT64_MAX - 1;
};

#else

class Waves {
public:
    static void prepare(VerilatedContext &) {}
    void open(Vsim_top &, const std::string &, uint64_t, uint64_t) {
        throw std::invalid_argument("this simulator was built without waves");
    }
    static constexpr bool covers(uint64_t) { return false; }
    void dump(uint64_t) {}
    void time_passed(uint64_t) {}
    void close() {}
};

#endif
#endif
