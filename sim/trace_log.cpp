// SPDX-License-Identifier: Apache-2.0
#include "trace_log.h"

thread_local TraceLog *trace_log = nullptr;
thread_local const uint64_t *trace_now_fs = nullptr;

void TraceLog::record(bool on, uint64_t now_fs) {
    if (on && !recording_) {
        for (uint32_t tap = 0; tap < levels_.size(); ++tap)
            if (levels_[tap].is_level) events.push_back({now_fs, tap, 0, levels_[tap].value, 0});
    }
    recording_ = on;
}

int TraceLog::open(const char *name) {
    names_ += name;
    names_ += '\n';
    levels_.push_back({false, 0});
    return static_cast<int>(levels_.size() - 1);
}

void TraceLog::level(uint64_t now_fs, uint32_t tap, uint32_t value) {
    levels_[tap] = {true, value};
    event(now_fs, tap, 0, value);
}

// Called by trace_event.sv, trace_level.sv and trace_use.sv.
extern "C" {

int nsoc_trace_open(const char *name) { return trace_log->open(name); }

void nsoc_trace_event(int number, int detail, int value) {
    trace_log->event(*trace_now_fs, static_cast<uint32_t>(number), static_cast<uint32_t>(detail),
                     static_cast<uint32_t>(value));
}

void nsoc_trace_level(int number, int value) {
    trace_log->level(*trace_now_fs, static_cast<uint32_t>(number), static_cast<uint32_t>(value));
}
}
