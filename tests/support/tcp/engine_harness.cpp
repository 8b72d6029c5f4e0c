// SPDX-License-Identifier: Apache-2.0
//
// The TCP engine in RTL as a library, for hw_engine.py: segments in and out, registers, a memory behind the ACB with a
// latency and stalls of its own. Time that passes while nothing moves is left out: the counter of microseconds is set.

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "Vtcp_tb.h"
#include "Vtcp_tb___024root.h"
#include "verilated.h"

namespace {

constexpr uint64_t BASE = 0x50000000;
constexpr int PATIENCE = 100000;  // cycles for an access
constexpr uint64_t AROUND = 58;   // bytes around a segment on the line: IP, Ethernet, FCS, preamble and gap
constexpr uint64_t LEAST = 84;    // bytes of the smallest frame, with preamble and gap

struct Segment {
    uint32_t address;
    std::vector<uint8_t> bytes;
};

struct Answer {
    uint64_t when;
    bool error;
    uint64_t data;
};

struct Engine {
    VerilatedContext context;
    std::unique_ptr<Vtcp_tb> top{new Vtcp_tb{&context}};
    std::vector<uint8_t> memory;
    std::deque<Segment> in, out;
    std::deque<Answer> answers;
    std::mt19937 random;
    int latency, stall_percent;
    size_t at = 0;           // in the segment that goes in
    Segment coming;
    bool open = false;       // the line takes a segment
    bool pause = false;      // of the segment that goes in, in this cycle
    uint64_t cycle = 0, skipped = 0, memory_errors = 0;
    uint64_t speed = 0, out_speed = 0;  // of the line, in Gb/s: bytes a cycle; 0: segments go as fast as they are taken
    uint64_t in_free = 0, out_free = 0;

    Engine(uint32_t seed, uint32_t bytes, int latency_, int stall)
        : memory(bytes), random(seed), latency(latency_), stall_percent(stall) {
        top->rst = 1;
        for (int i = 0; i < 4; i++) clock();
        top->rst = 0;
        for (int i = 0; i < 4096; i++) clock();
    }

    ~Engine() { Verilated::threadContextp(&context); }  // that of another engine may be gone

    bool stalls() { return stall_percent && static_cast<int>(random() % 100) < stall_percent; }

    // The cycles that a segment has the line.
    static uint64_t wire(size_t bytes, uint64_t speed) { return std::max<uint64_t>(bytes + AROUND, LEAST) / speed; }

    void put_in() {
        top->in_valid = 0;
        if (in.empty() || pause || (at == 0 && cycle < in_free)) return;
        const Segment &now = in.front();
        uint64_t data = 0;
        const size_t count = std::min<size_t>(8, now.bytes.size() - at);
        for (size_t i = 0; i < count; i++) data |= uint64_t{now.bytes[at + i]} << (56 - 8 * i);
        top->in_data = data;
        top->in_keep = static_cast<uint8_t>(0xFF00 >> count);
        top->in_last = at + count == now.bytes.size();
        top->in_source = now.address;
        top->in_length = static_cast<uint16_t>(now.bytes.size());
        top->in_valid = 1;
    }

    void clock() {
        Verilated::threadContextp(&context);
        put_in();
        if (speed && cycle >= out_free) open = true;
        top->out_ready = open && !stalls();
        top->mem_ready = !stalls();
        top->mem_answered = !answers.empty() && answers.front().when <= cycle;
        if (top->mem_answered) {
            top->mem_data = answers.front().data;
            top->mem_err = answers.front().error;
        }
        top->clk = 0;
        top->eval();
        // What the edge will see.
        if (top->in_valid && top->in_ready) {
            if (speed && at == 0) in_free = cycle + wire(in.front().bytes.size(), speed);
            at += 8;
            if (top->in_last) {
                in.pop_front();
                at = 0;
            }
            pause = stalls();
        } else if (!top->in_valid) {
            pause = stalls();
        }
        if (top->out_valid && top->out_ready) {
            if (coming.bytes.empty()) {
                coming.address = top->out_destination;
                if (speed) out_free = cycle + wire(top->out_length, out_speed);
            }
            for (int i = 0; i < 8; i++)
                if (top->out_keep >> (7 - i) & 1)
                    coming.bytes.push_back(static_cast<uint8_t>(top->out_data >> (56 - 8 * i)));
            if (top->out_last) {
                out.push_back(coming);
                coming.bytes.clear();
                open = false;
            }
        }
        if (top->mem_answered && top->mem_taken) answers.pop_front();
        if (top->mem_valid && top->mem_ready) access();
        top->clk = 1;
        top->eval();
        ++cycle;
    }

    void access() {
        const uint64_t address = (top->mem_address & ~uint64_t{7}) - BASE;
        Answer answer{cycle + static_cast<uint64_t>(latency), false, 0};
        if (address + 8 > memory.size()) {
            answer.error = true;
            ++memory_errors;
        } else if (top->mem_read) {
            for (int i = 0; i < 8; i++) answer.data = answer.data << 8 | memory[address + i];
        } else {
            for (int i = 0; i < 8; i++)
                if (top->mem_mask >> (7 - i) & 1)
                    memory[address + i] = static_cast<uint8_t>(top->mem_write_data >> (56 - 8 * i));
        }
        answers.push_back(answer);
    }

    uint64_t now() const { return top->now; }

    bool busy() const { return top->busy || !in.empty() || !answers.empty(); }

    // Until that time, or a segment is out, or the interrupt's level has changed.
    void run(uint64_t until) {
        const bool irq = top->irq;
        while (now() < until && out.empty() && top->irq == irq) {
            if (busy() || (open && top->out_valid)) {
                clock();
                continue;
            }
            uint64_t to = until;
            if (top->earliest_valid) {
                const uint64_t ahead = (top->earliest - now()) & ((uint64_t{1} << 40) - 1);
                if (ahead >> 39) to = now() + 1;
                else to = std::min(to, now() + ahead);
            }
            if (to <= now() + 1) {
                clock();
                continue;
            }
            skipped += to - now() - 1;
            top->rootp->tcp_tb__DOT__u_tcp__DOT__u_time__DOT__now_q = to - 1;
            clock();
        }
    }

    // So many cycles, or fewer: a segment is out, at most `low` wait to go in, or the interrupt has come.
    void pass(int cycles, size_t low) {
        const bool irq = top->irq;
        for (int i = 0; i < cycles && out.empty() && in.size() > low && (irq || !top->irq); i++) clock();
    }

    // The segment that has begun to leave, or is on offer: whole.
    bool take() {
        for (int i = 0; i < PATIENCE && out.empty() && (top->out_valid || !coming.bytes.empty()); i++) {
            open = true;
            clock();
        }
        return !out.empty();
    }

    int reach(bool read, uint32_t offset, uint32_t value, uint32_t &data) {
        top->reg_read = read;
        top->reg_address = offset;
        top->reg_write_data = value;
        top->reg_valid = 1;
        top->eval();
        bool taken = false;
        for (int i = 0; i < PATIENCE; i++) {
            const bool takes = top->reg_ready && top->reg_valid;
            if (taken && top->reg_answered) {
                data = top->reg_data;
                const int err = top->reg_err;
                clock();
                return err;
            }
            clock();
            if (takes) {
                taken = true;
                top->reg_valid = 0;
            }
        }
        return 2;
    }
};

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Engine *engine_new(uint32_t seed, uint32_t bytes, int latency, int stall) {
    return new Engine(seed, bytes, latency, stall);
}
EXPORT void engine_free(Engine *engine) { delete engine; }
EXPORT uint8_t *engine_memory(Engine *engine) { return engine->memory.data(); }
EXPORT uint64_t engine_now(Engine *engine) { return engine->now(); }
EXPORT uint64_t engine_cycle(Engine *engine) { return engine->cycle; }
EXPORT int engine_busy(Engine *engine) { return engine->busy(); }
EXPORT int engine_irq(Engine *engine) { return engine->top->irq; }
// Microseconds to the earliest deadline, -1: none.
EXPORT int64_t engine_earliest(Engine *engine) {
    if (!engine->top->earliest_valid) return -1;
    const uint64_t ahead = (engine->top->earliest - engine->now()) & ((uint64_t{1} << 40) - 1);
    return ahead >> 39 ? 0 : static_cast<int64_t>(ahead);
}
EXPORT void engine_run(Engine *engine, uint64_t until) { engine->run(until); }
EXPORT void engine_clock(Engine *engine, int cycles) {
    for (int i = 0; i < cycles; i++) engine->clock();
}
EXPORT void engine_put(Engine *engine, uint32_t source, const uint8_t *bytes, uint32_t count) {
    engine->in.push_back({source, {bytes, bytes + count}});
}
EXPORT int engine_get(Engine *engine, uint32_t *destination, uint8_t *bytes) {
    if (!engine->take()) return -1;
    const Segment &first = engine->out.front();
    *destination = first.address;
    std::memcpy(bytes, first.bytes.data(), first.bytes.size());
    const int count = static_cast<int>(first.bytes.size());
    engine->out.pop_front();
    return count;
}
// The line has so many Gb/s in, and out, and segments leave by themselves, for engine_next.
EXPORT void engine_line(Engine *engine, int in, int out) {
    engine->speed = static_cast<uint64_t>(in);
    engine->out_speed = static_cast<uint64_t>(out);
}
EXPORT void engine_pass(Engine *engine, int cycles, int low) { engine->pass(cycles, static_cast<size_t>(low)); }
EXPORT int engine_waiting(Engine *engine) { return static_cast<int>(engine->in.size()); }
EXPORT int engine_buffered(Engine *engine) { return engine->top->buffered; }
EXPORT int engine_next(Engine *engine, uint32_t *destination, uint8_t *bytes) {
    return engine->out.empty() ? -1 : engine_get(engine, destination, bytes);
}
// Keeps the line open: segments leave as they come, into a queue that engine_get empties.
EXPORT void engine_open(Engine *engine, int open) { engine->open = open; }
EXPORT int engine_read(Engine *engine, uint32_t offset, uint32_t *value) {
    return engine->reach(true, offset, 0, *value);
}
EXPORT int engine_write(Engine *engine, uint32_t offset, uint32_t value) {
    uint32_t unused = 0;
    return engine->reach(false, offset, value, unused);
}
EXPORT void engine_icmp(Engine *engine, uint32_t destination, int source_port, int port, uint32_t seq, int kind,
                        int code, int mtu) {
    auto &top = *engine->top;
    top.icmp_destination = destination;
    top.icmp_source_port = static_cast<uint16_t>(source_port);
    top.icmp_port = static_cast<uint16_t>(port);
    top.icmp_seq = seq;
    top.icmp_kind = static_cast<uint8_t>(kind);
    top.icmp_code = static_cast<uint8_t>(code);
    top.icmp_mtu = static_cast<uint16_t>(mtu);
    top.icmp_valid = 1;
    engine->clock();
    top.icmp_valid = 0;
}
