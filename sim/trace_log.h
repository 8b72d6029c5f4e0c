// SPDX-License-Identifier: Apache-2.0
//
// What the taps of a SoC built with TRACE said (trace_log.sv hands it over), kept until somebody takes it.
#ifndef TRACE_LOG_H
#define TRACE_LOG_H

#include <cstdint>
#include <string>
#include <vector>

#include "nsoc_sim.h"

class TraceLog {
public:
    // Names of the taps by their number, one a line; empty when there are none.
    const std::string &names() const { return names_; }

    // Keeps what is said from now on, beginning with the present levels; or no more.
    void record(bool on, uint64_t now_fs);

    // For trace_log.sv.
    int open(const char *name);
    void event(uint64_t now_fs, uint32_t tap, uint32_t detail, uint32_t value) {
        if (recording_) events.push_back({now_fs, tap, detail, value, 0});
    }
    void level(uint64_t now_fs, uint32_t tap, uint32_t value);

    std::vector<nsoc_event_t> events;

private:
    struct Level {
        bool is_level;
        uint32_t value;
    };

    std::string names_;
    std::vector<Level> levels_;  // by the tap's number
    bool recording_ = false;
};

// Those of the simulation that runs on this thread (sim.cpp).
extern thread_local TraceLog *trace_log;
extern thread_local const uint64_t *trace_now_fs;

#endif
