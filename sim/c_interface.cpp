// SPDX-License-Identifier: Apache-2.0
//
// The C interface of nsoc_sim.h: checks what comes in, and lets no exception out.
#include <algorithm>
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

#include "nsoc_map.h"
#include "guarded.h"
#include "nsoc_sim.h"
#include "simulation.h"

namespace {

Handles<nsoc_sim_t> handles("there is no such simulation");

template <typename Sim, typename Body>
auto guarded(Sim *sim, Body body) noexcept -> decltype(body(*sim)) {
    return handles.guarded(sim, body);
}

void fill_stamps(const nsoc_sim_t &sim, const Stamps &fs, nsoc_frame_t *frame) {
    frame->start_cycle = sim.cycle_of(fs.start);
    frame->end_cycle = sim.cycle_of(fs.end);
    frame->start_ps = fs.start / FS_PER_PS;
    frame->end_ps = fs.end / FS_PER_PS;
}

// On a network, the network lets time pass and brings frames.
void check_alone(const nsoc_sim_t &sim) {
    if (sim.line.plugged())
        throw std::invalid_argument("this SoC is on a network, which lets time pass and brings its frames");
}

}  // namespace

uint32_t nsoc_abi_version(void) { return NSOC_ABI_VERSION; }

nsoc_sim_t *nsoc_create(const nsoc_config_t *config) {
    return handles.attempt([&] {
        needed(config, "config");
        for (const uint64_t period : {config->cpu_period_fs, config->nic_period_fs, config->dram_period_fs,
                                      config->rx_period_fs, config->tx_period_fs})
            check_range("the period of a clock in fs", period, NSOC_SHORTEST_PERIOD_FS, NSOC_LONGEST_PERIOD_FS);
        check_range("uart_divisor", config->uart_divisor, 2, 65535);
        if (config->one_clock && config->cpu_period_fs != config->nic_period_fs)
            throw std::invalid_argument("one clock for processor and NIC has one period");
        return handles.add(std::make_unique<nsoc_sim>(*config));
    });
}

int nsoc_destroy(nsoc_sim_t *sim) {
    return handles.attempt([&] { return delete handles.remove(sim), 0; });
}

const char *nsoc_error(const nsoc_sim_t *sim) {
    return handles.attempt([&] { return handles.error(sim); });
}

int nsoc_run(nsoc_sim_t *sim, const nsoc_stop_t *stop) {
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        return s.run(*needed(stop, "stop"));
    });
}

int64_t nsoc_cycle(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.cycle()); });
}

int64_t nsoc_quiet_until_fs(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.quiet_until_fs()); });
}

int64_t nsoc_evaluations(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.evaluations()); });
}

int64_t nsoc_left_out(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.left_out()); });
}

int64_t nsoc_not_at_rest(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.not_at_rest()); });
}

int64_t nsoc_time_ps(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.time_fs() / FS_PER_PS); });
}

int nsoc_load(nsoc_sim_t *sim, uint64_t address, const uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        s.disturb();
        return s.view->load(address, needed(data, "data", bytes), bytes), 0;
    });
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
        check_alone(s);
        FrameShape shape;
        shape.preamble = options->preamble;
        shape.sfd = static_cast<uint8_t>(options->sfd);
        shape.bad_fcs = options->flags & NSOC_BAD_FCS;
        shape.raw = options->flags & NSOC_RAW;
        shape.pad = options->flags & NSOC_PAD;
        shape.error_at = options->error_at;
        shape.cut_at = options->cut_at;
        const uint64_t not_before_fs = s.fs_of(options->not_before);
        return static_cast<int64_t>(s.line.send(data, bytes, shape, options->ifg, not_before_fs));
    });
}

int nsoc_sent(const nsoc_sim_t *sim, uint64_t number, nsoc_frame_t *stamps) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(stamps, "stamps");
        if (number >= s.line.sent()) return 0;
        fill_stamps(s, s.line.sent(number), stamps);
        return 1;
    });
}

int64_t nsoc_queued(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.line.queued()); });
}

int64_t nsoc_pending(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.line.frames().size()); });
}

int nsoc_next(const nsoc_sim_t *sim, nsoc_frame_t *frame) {
    return guarded(sim, [&](const nsoc_sim &s) {
        needed(frame, "frame");
        if (s.line.frames().empty()) return 0;
        const ReceivedFrame &oldest = s.line.frames().front();
        fill_stamps(s, s.line.stamps_fs(oldest), frame);
        frame->bytes = static_cast<uint32_t>(oldest.bytes.size());
        frame->gap = oldest.gap;
        frame->fcs_ok = oldest.fcs_ok;
        frame->error = oldest.error;
        return 1;
    });
}

int nsoc_take(nsoc_sim_t *sim, uint8_t *data, uint64_t capacity) {
    return guarded(sim, [&](nsoc_sim &s) {
        if (s.line.frames().empty()) throw std::out_of_range("no received frame waits");
        const std::vector<uint8_t> &bytes = s.line.frames().front().bytes;
        if (bytes.size() > capacity)
            throw std::out_of_range("the frame has " + std::to_string(bytes.size()) + " bytes, more than capacity");
        std::copy(bytes.begin(), bytes.end(), needed(data, "data", bytes.size()));
        s.line.frames().pop_front();
        return 0;
    });
}

int64_t nsoc_plug(nsoc_sim_t *sim) {
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        if (s.line.queued() != 0) throw std::invalid_argument("frames are still to be sent to this SoC");
        s.line.plug();
        return static_cast<int64_t>(s.line.octet_fs());
    });
}

int nsoc_run_to(nsoc_sim_t *sim, uint64_t time_fs) {
    return guarded(sim, [&](nsoc_sim &s) { return s.run_to(time_fs), 0; });
}

int64_t nsoc_time_fs(const nsoc_sim_t *sim) {
    return guarded(sim, [&](const nsoc_sim &s) { return static_cast<int64_t>(s.time_fs()); });
}

int64_t nsoc_octets(nsoc_sim_t *sim, const nsoc_octet_t **sent) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(sent, "sent");
        s.sent_octets.clear();
        s.line.sent_octets(s.sent_octets);
        *sent = s.sent_octets.data();
        return static_cast<int64_t>(s.sent_octets.size());
    });
}

int nsoc_carry(nsoc_sim_t *sim, const nsoc_octet_t *octets, uint64_t count) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(octets, "octets", count);
        if (!s.line.plugged()) throw std::invalid_argument("this SoC is not on a network");
        for (uint64_t i = 0; i < count; ++i) s.line.carry(octets[i]);
        return 0;
    });
}

const nsoc_soc_calls_t *nsoc_soc_calls(void) {
    static const nsoc_soc_calls_t calls = {nsoc_error,  nsoc_plug,   nsoc_time_fs, nsoc_quiet_until_fs,
                                           nsoc_run_to, nsoc_octets, nsoc_carry};
    return &calls;
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
        s.disturb();
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
constexpr uint32_t DPC = 0x7B1, NPC = 0x7B2, X0 = 0x1000, X31 = 0x101F;
constexpr uint32_t FILE_0 = 0x1100, FILE_END = FILE_0 + CpuView::REGISTERS;

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
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        return s.debug_run(core, max_cycles, instructions);
    });
}

int nsoc_debug_halt(nsoc_sim_t *sim, uint32_t core, uint64_t max_cycles) {
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        return s.debug_halt(core, max_cycles);
    });
}

int nsoc_debug_hit(const nsoc_sim_t *sim, uint32_t core, uint32_t *address) {
    return guarded(sim, [&](const nsoc_sim &s) {
        *needed(address, "address") = s.debugger(core).hit_address();
        return static_cast<int>(s.debugger(core).hit_kind());
    });
}

int nsoc_debug_insert(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes) {
    return guarded(
        sim, [&](nsoc_sim &s) { return s.debugger(core).insert(point_kind(kind, address, bytes), address, bytes), 0; });
}

int nsoc_debug_remove(nsoc_sim_t *sim, uint32_t core, uint32_t kind, uint32_t address, uint32_t bytes) {
    return guarded(
        sim, [&](nsoc_sim &s) { return s.debugger(core).remove(point_kind(kind, address, bytes), address, bytes), 0; });
}

int nsoc_debug_get(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t *value) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(value, "value");
        CpuView &cpu = s.cpu(core);
        if (number >= X0 && number <= X31) return *value = cpu.x(number - X0), 0;
        if (number >= FILE_0 && number < FILE_END) return *value = cpu.filed(number - FILE_0), 0;
        if (number == DPC) return *value = cpu.next().pc, 0;
        if (number == NPC) return *value = cpu.next().npc, 0;
        const std::optional<uint32_t> found = cpu.csr(number);
        if (!found) throw std::out_of_range("the debugger does not show this register");
        return *value = *found, 0;
    });
}

int nsoc_debug_set(nsoc_sim_t *sim, uint32_t core, uint32_t number, uint32_t value) {
    return guarded(sim, [&](nsoc_sim &s) {
        Debugger &debugger = s.debugger(core);
        const bool is_csr = s.cpu(core).csr(number).has_value();
        if (is_csr) s.cpu(core).check_csr(number, value);
        s.debug([&] {
            if (is_csr) debugger.set_csr(number, value);
            else if (number == DPC) debugger.set_pc(value);
            else if (number == NPC && CpuView::HAS_SLOTS) debugger.set_npc(value);
            else if (number >= X0 && number <= X31) debugger.set_x(number - X0, value);
            else if (number >= FILE_0 && number < FILE_END) debugger.set_filed(number - FILE_0, value);
            else throw std::out_of_range("the debugger writes x0 to x31, pc and CSRs");
        });
        return 0;
    });
}

int nsoc_debug_load(nsoc_sim_t *sim, uint32_t core, uint32_t address, uint32_t bytes, uint32_t *value) {
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        Debugger &debugger = s.debugger(core);
        needed(value, "value");
        return s.debug([&] { *value = debugger.load(address, bytes); }), 0;
    });
}

int nsoc_debug_ask(nsoc_sim_t *sim, uint32_t core, int write, uint32_t address, uint32_t bytes, uint32_t value) {
    return guarded(sim, [&](nsoc_sim &s) { return s.debug_ask(core, write != 0, address, bytes, value), 0; });
}

int nsoc_debug_answer(nsoc_sim_t *sim, uint32_t core, uint32_t *value) {
    return guarded(sim, [&](nsoc_sim &s) {
        needed(value, "value");
        const Debugger &debugger = s.debugger(core);
        if (debugger.asked()) return static_cast<int>(NSOC_DEBUG_ASKED);
        if (!debugger.answer()) return static_cast<int>(NSOC_DEBUG_REFUSED);
        return *value = *debugger.answer(), static_cast<int>(NSOC_DEBUG_ANSWERED);
    });
}

int nsoc_debug_store(nsoc_sim_t *sim, uint32_t core, uint32_t address, uint32_t bytes, uint32_t value) {
    return guarded(sim, [&](nsoc_sim &s) {
        check_alone(s);
        Debugger &debugger = s.debugger(core);
        return s.debug([&] { debugger.store(address, bytes, value); }), 0;
    });
}

int nsoc_debug_peek(nsoc_sim_t *sim, uint32_t core, uint64_t address, uint8_t *data, uint64_t bytes) {
    return guarded(sim,
                   [&](nsoc_sim &s) { return s.debugger(core).peek(address, needed(data, "data", bytes), bytes), 0; });
}

int nsoc_debug_poke(nsoc_sim_t *sim, uint32_t core, uint64_t address, const uint8_t *data, uint64_t bytes) {
    return guarded(sim, [&](nsoc_sim &s) {
        Debugger &debugger = s.debugger(core);
        needed(data, "data", bytes);
        return s.debug([&] { debugger.poke(address, data, bytes); }), 0;
    });
}
