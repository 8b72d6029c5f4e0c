// SPDX-License-Identifier: Apache-2.0
//
// A programmable NIC with what is around it: four clocks, the host's memory and bus, the host's accesses to the NIC, a
// line each way. What the host and the line do with it is for who derives from this: Traffic, Commands.
#ifndef NIC_H
#define NIC_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#define NSOC_TOP Vpnic_top
#define NSOC_CLOCKS(CLOCK) CLOCK(core_clk) CLOCK(mac_clk) CLOCK(fm_clk) CLOCK(host_clk)
#include "evaluate.h"

#include "clocks.h"
#include "draw.h"
#include "host_model.h"
#include "options.h"
#include "trace_file.h"
#include "verilated.h"
#include "xgmii_line.h"

constexpr uint64_t US = 1'000'000'000;  // in femtoseconds

class Nic {
public:
    explicit Nic(const Options &options)
        : options_(options), top_(&context_), host_(settings(options)), in_(8, 1), out_(8, 2) {
        Draw draw(options.number("seed", 1));
        const char *names[] = {"core_fs", "mac_fs", "fm_fs", "host_fs"};
        for (unsigned i = 0; i < CLOCKS; ++i) {
            clocks_[i].period = options.number(names[i]);
            clocks_[i].next = 1 + draw.below(clocks_[i].period);
            clocks_[i].start(0);
        }
        cores_ = static_cast<unsigned>(options.number("cores"));
        in_.source = [this](LineFrame &frame) { return offer(frame); };
        out_.instead = [this](LineFrame &&frame) { sent(std::move(frame)); };
        top_.rst = 0;
        top_.eval();
        evaluation_.emplace(top_);
        top_.rxc = 0xFF;
        top_.rxd[0] = top_.rxd[1] = 0x07070707;
        top_.access_valid = top_.found_valid = 0;
        top_.read_ready = top_.write_ready = 1;
    }
    virtual ~Nic() = default;

    // A while of reset, and a while behind it. Nothing may go to the host but what was on its way.
    void reset(unsigned steps = 200) {
        top_.rst = 1;
        evaluation_->settle();
        for (unsigned i = 0; i < 40; ++i) step();
        const uint64_t before = written_;
        for (unsigned i = 0; i < steps; ++i) step();
        top_.rst = 0;
        evaluation_->settle();
        for (unsigned i = 0; i < 200; ++i) step();
        if (written_ != before) fail("a reset NIC has written to the host's memory");
    }

    // Firmware: lines of an address and a word, in hex.
    void load() {
        std::ifstream image(options_.text("image"));
        if (!image) fail("cannot read " + options_.text("image"));
        uint32_t address, word;
        while (image >> std::hex >> address >> word) {
            if (address >> 28) access(address & 0x3FFFF, word);
            else access(IMEM + address, __builtin_bswap32(word));
        }
    }

    // The host's accesses to the NIC: a word, answered.
    uint32_t access(uint32_t address, uint32_t data) { return access(address, true, data); }
    uint32_t access(uint32_t address) { return access(address, false, 0); }

    void until(uint64_t end) {
        while (now_ < end) step();
    }

    void step() {
        now_ = clocks_.next();
        const unsigned due = clocks_.due(now_);
        if (due >> CORE & 1) before_core();
        if (due >> MAC & 1) before_mac();
        if (due >> FM & 1) count(top_.moved, counts_.beats);
        if (due >> HOST & 1) before_host();
        for (unsigned i = 0; i < CLOCKS; ++i)
            if (due >> i & 1) clocks_[i].rise();
        if (due >> MAC & 1) line_speaks();
        if (due >> HOST & 1) host_speaks();
        evaluation_->rise(due);
        if (due >> CORE & 1) behind_core();
        if (due >> HOST & 1) behind_host();
    }

protected:
    enum : unsigned { CORE, MAC, FM, HOST, CLOCKS };
    static constexpr unsigned MASTERS = 6, CLIENTS = 5, MOST_CORES = 8;
    static constexpr uint64_t BASE = 0x1'0000'0000;  // of the host's memory
    static constexpr uint32_t CONTROL = 0x60000, IMEM = 0x40000;
    static constexpr uint32_t TRAPPED = 0x7A90'0000;

    struct Counts {
        uint64_t core_cycles = 0, interrupts = 0, retired = 0, rows = 0;
        uint64_t words[MASTERS] = {}, beats[CLIENTS] = {}, mac[32] = {};
    };

    // A frame for the line, if there is one; one that was on the line.
    virtual bool offer(LineFrame &frame) = 0;
    virtual void sent(LineFrame &&frame) = 0;
    // In each cycle of the host's bus in which none of its accesses to the NIC is under way.
    virtual void drive() {}
    // In each cycle of the cores, before its end and behind it.
    virtual void core_cycle() {}
    virtual void behind_core() {}
    // A trap is three messages of a core: that it is one, where, and why.
    virtual void trapped(unsigned core, uint32_t pc, uint32_t cause) {
        fail("core " + std::to_string(core) + " has trapped at " + std::to_string(pc) + ", mcause " +
             std::to_string(cause));
    }

    // An access without an answer that anybody waits for.
    void post(uint32_t address, uint32_t value) {
        busy_ = true;
        top_.access_valid = 1;
        top_.access_write = 1;
        top_.access_address = (address & 0x7FFFF) >> 2;
        top_.access_data = value;
        evaluation_->settle();
        if (trace_.on(now_)) trace_.posted(now_, address & 0x3FFFF, value);
    }

    void forget_accesses() {
        busy_ = accepted_ = irq_ = false;
        for (auto &trap : traps_) trap.clear();
        counts_ = Counts();
        written_ = 0;
    }

    uint64_t allocate(size_t bytes) {
        const uint64_t at = free_;
        free_ += (bytes + 4095) / 4096 * 4096;
        if (!host_.at(at, bytes)) fail("the host's memory is too small");
        return at;
    }

    uint32_t get32(uint64_t at) {
        uint32_t value;
        std::memcpy(&value, host_.at(at, 4), 4);  // little-endian, as who runs this
        return value;
    }
    void put32(uint64_t at, uint32_t value) { std::memcpy(host_.at(at, 4), &value, 4); }

    const Options &options_;
    VerilatedContext context_;
    Vpnic_top top_;
    std::optional<Evaluation> evaluation_;
    Clocks<CLOCKS> clocks_{};
    HostModel host_;
    Line in_, out_;
    Counts counts_;
    TraceFile trace_;
    std::vector<uint32_t> traps_[MOST_CORES];
    uint64_t now_ = 0, free_ = BASE, written_ = 0;
    uint64_t pause_from_ = 0, pause_until_ = 0;  // the host's memory does not answer
    unsigned cores_;
    bool busy_ = false, irq_ = false;

private:
    static HostOptions settings(const Options &options) {
        HostOptions made;
        made.base = BASE;
        made.bytes = (options.number("slot", 2048) * 2 * 1024) + (size_t{1} << 20);
        made.latency = options.number("latency_ns") * 1'000'000;
        made.jitter = options.number("jitter_ns") * 1'000'000;
        made.any_order = made.jitter != 0;
        made.bits_per_s = options.number("mbps") * 1'000'000;
        made.seed = options.number("seed", 1);
        return made;
    }

    uint32_t access(uint32_t address, bool write, uint32_t data) {
        for (unsigned i = 0; busy_ && i < 100'000; ++i) step();
        busy_ = true;
        top_.access_valid = 1;
        top_.access_write = write;
        top_.access_address = (address & 0x7FFFF) >> 2;
        top_.access_data = data;
        evaluation_->settle();
        for (unsigned i = 0; busy_ && i < 100'000; ++i) step();
        if (busy_) fail("the host's access to the NIC has no answer");
        return answer_;
    }

    static void count(uint64_t bits, uint64_t *counts) {
        for (; bits; bits &= bits - 1) ++counts[__builtin_ctzll(bits)];
    }

    void before_core() {
        ++counts_.core_cycles;
        const uint64_t granted = top_.granted;
        counts_.words[0] += __builtin_popcountll(granted & ((1ull << cores_) - 1));
        count(granted >> cores_, &counts_.words[1]);
        counts_.retired += __builtin_popcountll(top_.retired);
        counts_.rows += top_.imem_used;
        if (trace_.on(now_)) trace_.core_cycle(now_, top_, cores_);
        core_cycle();
        if (top_.message_valid) told(top_.message_core, top_.message);
    }

    void told(unsigned core, uint32_t message) {
        std::vector<uint32_t> &trap = traps_[core];
        if (trap.size() == 3 || (trap.empty() && message != TRAPPED)) return;
        trap.push_back(message);
        if (trap.size() == 3) trapped(core, trap[1], trap[2]);
    }

    void before_mac() {
        count(top_.mac_stat, counts_.mac);
        uint32_t data[2] = {top_.txd[0], top_.txd[1]};
        out_.in(top_.txc, data);
    }

    // What line and host say is taken by registers at the edge that comes.
    void line_speaks() {
        uint64_t control;
        uint32_t data[2];
        in_.out(control, data);
        top_.rxc = static_cast<uint8_t>(control);
        top_.rxd[0] = data[0];
        top_.rxd[1] = data[1];
    }

    void before_host() {
        if (top_.read_valid && top_.read_ready) {
            host_.read(now_, top_.read_tag, top_.read_address, top_.read_bytes);
            if (trace_.on(now_)) trace_.read(now_, top_.read_tag, top_.read_address, top_.read_bytes);
        }
        if (top_.write_valid && top_.write_ready) {
            HostModel::Beat data;
            for (unsigned i = 0; i < 4; ++i) data[i] = top_.write_data[i];
            host_.write(now_, top_.write_first, top_.write_address, top_.write_bytes, data);
            if (top_.write_first) first_word_ = __builtin_bswap32(data[3]);
            if (trace_.on(now_) && top_.write_last)
                trace_.written(now_, top_.write_address, top_.write_bytes, first_word_);
            ++written_;
        }
        if (trace_.on(now_) && top_.found_valid && top_.found_last) trace_.answered(now_, top_.found_tag);
        if (top_.access_valid && top_.access_ready) accepted_ = true;
        if (top_.answer_valid) {
            answer_ = top_.answer;
            busy_ = false;
        }
        counts_.interrupts += top_.irq && !irq_;
        irq_ = top_.irq;
    }

    void host_speaks() {
        const HostModel::Answer found = host_.edge(now_);
        top_.found_valid = found.valid;
        top_.found_tag = found.tag;
        top_.found_last = found.last;
        top_.found_error = found.error;
        for (unsigned i = 0; i < 4; ++i) top_.found_data[i] = found.data[i];
        const bool pauses = now_ >= pause_from_ && now_ < pause_until_;
        top_.write_ready = host_.write_ready() && !pauses;
        top_.read_ready = !pauses;
    }

    void behind_host() {
        if (accepted_) {
            top_.access_valid = 0;
            accepted_ = false;
            evaluation_->settle();
        }
        if (!busy_) drive();
    }

    uint32_t answer_ = 0, first_word_ = 0;  // of the write that is under way
    bool accepted_ = false;
};

#endif
