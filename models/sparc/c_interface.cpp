// SPDX-License-Identifier: Apache-2.0
//
// The C interface of nsoc_sparc.h: checks what comes in, and lets no exception out.
#include <algorithm>
#include <array>

#include "guarded.h"
#include "machine.h"
#include "nsoc_map.h"
#include "nsoc_sparc.h"

struct nsoc_sparc {
    explicit nsoc_sparc(const nsoc_sparc_config_t &config) : machine(config) {}
    sparc::Machine machine;
    mutable std::string error;
};

namespace {

Handles<nsoc_sparc_t> handles("there is no such SPARC simulator");

template <typename Handle, typename Body>
auto guarded(Handle *handle, Body body) noexcept -> decltype(body(handle->machine)) {
    return handles.guarded(handle, [&](nsoc_sparc_t &found) { return body(found.machine); });
}

void check_state(const sparc::State &state) {
    const auto none = [](const char *what, uint32_t bits) {
        if (bits) throw std::invalid_argument(std::string(what) + " has bits that do not exist");
    };
    none("psr", state.psr & ~(sparc::PSR_VERSION | sparc::PSR_WRITABLE));
    none("wim", state.wim >> sparc::WINDOWS);
    none("tbr", state.tbr & ~(sparc::TBR_BASE | sparc::TBR_TYPE));
    none("pc", state.pc & 3);
    none("npc", state.npc & 3);
    for (const uint32_t flag : {state.annul, state.error_mode, state.sleeping}) check_range("a flag", flag, 0, 1);
    check_range("error_trap", state.error_trap, 0, 255);
    none("bus_control", state.bus_control & ~sparc::BUS_CONTROL);
    none("interrupt_mask", state.interrupt_mask & ~sparc::ALL_LEVELS);
    none("counter_control", state.counter_control & ~(sparc::COUNTER_SELECTED | sparc::COUNTERS_STOPPED));
}

}  // namespace

uint32_t nsoc_sparc_abi_version(void) { return NSOC_SPARC_ABI_VERSION; }

nsoc_sparc_t *nsoc_sparc_create(const nsoc_sparc_config_t *config) {
    return handles.attempt([&] {
        needed(config, "config");
        check_range("psr_version", config->psr_version, 0, 255);
        check_range("hart", config->hart, 0, 255);
        check_range("uart_line", config->uart_line, 0, 31);
        check_range("dram_bytes", config->dram_bytes, 4096, nsoc_map::DRAM_BYTES);
        check_range("stall_counters", config->stall_counters, 0, 1);
        return handles.add(std::make_unique<nsoc_sparc_t>(*config));
    });
}

int nsoc_sparc_destroy(nsoc_sparc_t *sparc) {
    return handles.attempt([&] { return delete handles.remove(sparc), 0; });
}

const char *nsoc_sparc_error(nsoc_sparc_t *sparc) { return handles.error(sparc); }

int nsoc_sparc_reset(nsoc_sparc_t *sparc) {
    return guarded(sparc, [](sparc::Machine &m) { return m.cpu().reset(), 0; });
}

int nsoc_sparc_get(nsoc_sparc_t *sparc, nsoc_sparc_state_t *state) {
    return guarded(sparc, [&](sparc::Machine &m) { return *needed(state, "state") = m.cpu().state(), 0; });
}

int nsoc_sparc_set(nsoc_sparc_t *sparc, const nsoc_sparc_state_t *state) {
    return guarded(sparc, [&](sparc::Machine &m) {
        check_state(*needed(state, "state"));
        return m.cpu().set_state(*state), 0;
    });
}

int nsoc_sparc_peek(nsoc_sparc_t *sparc, uint64_t address, uint8_t *data, uint64_t bytes) {
    return guarded(sparc, [&](sparc::Machine &m) {
        std::copy_n(m.memory(address, bytes), bytes, needed(data, "data", bytes));
        return 0;
    });
}

int nsoc_sparc_poke(nsoc_sparc_t *sparc, uint64_t address, const uint8_t *data, uint64_t bytes) {
    return guarded(sparc, [&](sparc::Machine &m) {
        std::copy_n(needed(data, "data", bytes), bytes, m.memory(address, bytes));
        return 0;
    });
}

int nsoc_sparc_answer(nsoc_sparc_t *sparc, uint64_t address, uint64_t bytes, uint32_t answer) {
    return guarded(sparc, [&](sparc::Machine &m) {
        check_range("answer", answer, NSOC_SPARC_OK, NSOC_SPARC_LATE_ERROR);
        check_range("bytes", bytes, 1, uint64_t{1} << 36);
        return m.answer(address, bytes, static_cast<int>(answer)), 0;
    });
}

int nsoc_sparc_device(nsoc_sparc_t *sparc, uint64_t address, uint64_t bytes, nsoc_sparc_device_t device,
                      void *context) {
    return guarded(sparc, [&](sparc::Machine &m) {
        check_range("bytes", bytes, 1, uint64_t{1} << 36);
        return m.add_device(address, bytes, needed(device, "device"), context), 0;
    });
}

int nsoc_sparc_step(nsoc_sparc_t *sparc, const nsoc_sparc_events_t *events, nsoc_sparc_step_t *step) {
    return guarded(sparc, [&](sparc::Machine &m) {
        needed(step, "step");
        if (events && events->levels & ~sparc::ALL_LEVELS)
            throw std::invalid_argument("levels has bits other than 1 to 15");
        return *step = events ? m.step(*events) : m.step(), 0;
    });
}

int nsoc_sparc_run(nsoc_sparc_t *sparc, uint64_t steps, uint32_t stop_pc, const char *text) {
    return guarded(sparc, [&](sparc::Machine &m) { return m.run(steps, stop_pc, text ? text : ""); });
}

int64_t nsoc_sparc_steps(nsoc_sparc_t *sparc) {
    return guarded(sparc, [](sparc::Machine &m) { return static_cast<int64_t>(m.cpu().steps()); });
}

int64_t nsoc_sparc_trace(nsoc_sparc_t *sparc, uint32_t *rows, uint64_t count) {
    return guarded(sparc, [&](sparc::Machine &m) {
        needed(rows, "rows", count);
        const sparc::Cpu &cpu = m.cpu();
        const sparc::State &state = cpu.state();
        int64_t done = 0;
        for (; static_cast<uint64_t>(done) < count && !state.error_mode; done++) {
            if (state.annul) m.step();
            uint32_t *row = rows + done * NSOC_SPARC_ROW;
            *row++ = state.pc;
            *row++ = state.npc;
            for (unsigned i = 0; i < 32; i++) *row++ = cpu.r(i);
            *row++ = state.psr;
            *row++ = state.wim;
            *row++ = state.y;
            m.step();
        }
        return done;
    });
}

int64_t nsoc_sparc_last(nsoc_sparc_t *sparc, uint32_t *pairs, uint64_t capacity) {
    return guarded(sparc, [&](sparc::Machine &m) {
        std::array<sparc::Cpu::Remembered, sparc::Cpu::LAST> last;
        const uint64_t all = m.cpu().remembered(last.data()), count = std::min(all, capacity);
        needed(pairs, "pairs", count);
        for (uint64_t i = 0; i < count; i++) {
            pairs[2 * i] = last[all - count + i].pc;
            pairs[2 * i + 1] = last[all - count + i].word;
        }
        return static_cast<int64_t>(count);
    });
}

int64_t nsoc_sparc_sent(nsoc_sparc_t *sparc, uint8_t *bytes, uint64_t capacity) {
    return guarded(sparc, [&](sparc::Machine &m) {
        const uint64_t count = std::min<uint64_t>(m.sent.size(), capacity);
        std::copy_n(m.sent.begin(), count, needed(bytes, "bytes", count));
        m.sent.erase(0, count);
        return static_cast<int64_t>(count);
    });
}

int nsoc_sparc_type(nsoc_sparc_t *sparc, const uint8_t *data, uint64_t bytes) {
    return guarded(sparc, [&](sparc::Machine &m) {
        needed(data, "data", bytes);
        return m.received.insert(m.received.end(), data, data + bytes), 0;
    });
}
