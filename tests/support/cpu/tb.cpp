// SPDX-License-Identifier: Apache-2.0
//
// Test bench of cpu_slot: clocks the Verilated slot against a model of the ACB and everything behind it, runs one
// program until it writes `tohost`, and checks the bus's rules on the way. No expected values live here.
//
//   Vcpu_slot PROGRAM.elf [--seed N] [--stall 0..3] [--latency N] [--cycles N] [--dump ADDRESS LENGTH FILE]..
//             [--trace FILE] [--writes FILE] [--snoop] [--halt N]
//
// Memory is flat bytes. Each slave (ROM, DRAM, local memory, NIC page, peripheral page) works through its own requests
// in order, at its own pace; responses go back in request order, as the SoC's router does it. So a request that
// overtakes another in a different slave is seen here as it would be on the chip.
//
// --trace writes down every retired instruction, 24 little-endian words each: what rvfi_retire gets but `order`, which
// is checked here; mcause of the interrupt that was taken before it, or 0; the interrupt inputs that were high some
// time since the third report before it, and since how many reports each has been high (4 bits each, up to 15), by
// number of the interrupt: software, timer, external; and the CSRs after it in the order of slot_retire.
//
// --writes writes down every write that the bus has taken, but those of no byte: address of the dword, mask (two
// little-endian words), eight bytes of data by lane.
//
// --snoop: another master writes lines that the processor has asked for, with what they hold: the data cache loses them
// all the time, the program sees no difference.
//
// --halt: the slot does not run for the first cycles, in which it must make no request, and is stopped again and again,
// about every N cycles. It must come to rest in bounded time, make no request while it says that it has, and go on.
//
// The retire port must tell the same story as RVFI: every instruction that is not interrupted, in its order.
//
// Two dwords of DRAM cannot be read: the third of its last line, and the last of the third line from the end.
//
// NIC page, 0xFF00_0000                      Peripheral page, 0xFFFF_0000
//   000-0FF registers, byte writable           00 tohost: 1 pass, else the failed check's number
//   100 queue of 4: write pushes (response     04 putchar
//       0 taken, 2 full), read pops (1 empty)  08 interrupt levels now: [0] external [1] timer [2] software
//   104 pushes so far                          0C external interrupt after a random 1..N cycles
//   108 a read returns how often it was read   10 cycle counter
//   10C DMA: write this word ..                18 timer interrupt after exactly N cycles
//   110   .. to this address, now              20-2C last access outside this page: mask, data [63:32],
//   114 read: memory word at address 118           data [31:0], address
//   200- every access answers with an error    30 accesses outside this page that the bus has seen
//                                              34 whole dwords read from DRAM (line fills)
//                                              38 the stall level
#include <verilated.h>
#include "Vcpu_slot.h"
#include "Vcpu_slot__Dpi.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr uint32_t kRomBytes = 256 << 10, kDramBytes = 8 << 20, kLocalBytes = 512 << 10;
constexpr uint32_t kBadDword = 0x40000000 + kDramBytes - 16, kBadLast = 0x40000000 + kDramBytes - 72;  // to read

struct Random {  // xorshift64*: the same on every machine
    uint64_t state;
    uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return uint32_t((state * 0x2545F4914F6CDD1Dull) >> 32);
    }
    uint32_t below(uint32_t n) { return uint32_t((uint64_t(next()) * n) >> 32); }
};

struct Request {
    bool lock, read;
    uint8_t mask;
    uint64_t address;
    uint64_t data;
};

enum Slave { kRom, kDram, kLocal, kNic, kPeripheral, kNobody, kSlaves };

struct Flight {
    Request request;
    Slave slave;
    uint64_t due;
    bool done = false, err = false;
    uint64_t data = 0;
};

[[noreturn]] void fail(const char *why, uint64_t value = 0) {
    std::printf("BENCH FAIL %s (0x%llx)\n", why, (unsigned long long)value);
    std::exit(2);
}

class Bus {
public:
    Bus(uint64_t seed, int stall, int latency)
        : random{seed * 0x9E3779B97F4A7C15ull + 1}, stall_(stall), latency_(latency) {}

    std::vector<uint8_t> rom = std::vector<uint8_t>(kRomBytes), dram = std::vector<uint8_t>(kDramBytes),
                         local = std::vector<uint8_t>(kLocalBytes);
    uint64_t now = 0;
    bool irq_external = false, irq_timer = false, irq_software = false;
    bool finished = false;
    uint32_t tohost = 0;
    Random random;

    uint8_t *byte_at(uint64_t address, bool write) {
        if (address < kRomBytes) return write ? nullptr : &rom[address];
        if (address >= 0x40000000 && address < 0x40000000 + kDramBytes) return &dram[address - 0x40000000];
        if (address >= 0x50000000 && address < 0x50000000 + kLocalBytes) return &local[address - 0x50000000];
        return nullptr;
    }

    // One in four, one in two, three in four cycles refused.
    bool ready() { return stall_ == 0 || random.below(4) >= uint32_t(stall_); }

    void accept(const Request &r) {
        if (locked_ && (r.lock || r.address != locked_address_)) fail("an access inside a locked pair", r.address);
        locked_ = r.lock;
        locked_address_ = r.address;
        if (r.lock && !r.read) fail("a locked write", r.address);
        if (r.address >> 32) fail("address above 32 bits", r.address);
        Flight f{r, slave_of(r.address), 0};
        uint64_t wait = latency_ + (stall_ ? random.below(4u << stall_) : 0);
        if (f.slave == kNobody) wait = 1;
        // Slaves are pipelined, and each works in order.
        f.due = std::max(now + wait, last_due_[f.slave] + 1);
        last_due_[f.slave] = f.due;
        if ((f.slave == kNic || f.slave == kPeripheral))
            for (const Flight &other : flights_)
                if (!other.done && !other.request.read && other.slave != f.slave)
                    fail("a device access overtakes a store", r.address);
                else if (!other.done && other.request.read && other.request.mask != 0xFF && other.slave != f.slave &&
                         !r.read)
                    fail("a device store overtakes a load", r.address);  // whole dwords: instructions, lines
        if (flights_.size() >= 16) fail("more than 16 in flight", r.address);
        flights_.push_back(f);
    }

    void step() {
        for (Flight &f : flights_)
            if (!f.done && f.due <= now) execute(f);
        if (external_at_ && now >= external_at_) irq_external = true, external_at_ = 0;
        if (timer_at_ && now >= timer_at_) irq_timer = true, timer_at_ = 0;
    }

    // Does a response stand at the port in this cycle? Once offered it stays.
    bool offer() {
        if (!offered_ && !flights_.empty() && flights_.front().done && ready()) offered_ = true;
        return offered_;
    }
    const Flight &front() const { return flights_.front(); }
    bool busy() const { return !flights_.empty(); }
    void answered() {
        flights_.pop_front();
        offered_ = false;
    }

private:
    int stall_, latency_;
    bool locked_ = false, offered_ = false;
    uint64_t locked_address_ = 0;
    std::deque<Flight> flights_;
    uint64_t last_due_[kSlaves] = {};
    uint64_t external_at_ = 0, timer_at_ = 0;

    uint32_t nic_[64] = {};
    std::deque<uint32_t> queue_;
    uint32_t pushes_ = 0, reads_ = 0, dma_word_ = 0, peek_ = 0;
    Request last_{};
    uint32_t seen_ = 0, fills_ = 0;

    static Slave slave_of(uint64_t a) {
        if (a < kRomBytes) return kRom;
        if (a >= 0x40000000 && a < 0x40000000 + kDramBytes) return kDram;
        if (a >= 0x50000000 && a < 0x50000000 + kLocalBytes) return kLocal;
        if ((a & 0xFFFFF000) == 0xFF000000) return kNic;
        if ((a & 0xFFFFF000) == 0xFFFF0000) return kPeripheral;
        return kNobody;
    }

    void execute(Flight &f) {
        f.done = true;
        const Request &r = f.request;
        if (f.slave != kPeripheral && f.slave != kRom && r.mask != 0xFF) last_ = r, seen_++;
        if (f.slave == kDram && r.mask == 0xFF) fills_++;
        switch (f.slave) {
            case kRom:
            case kDram:
            case kLocal:
                memory(f);
                break;
            case kNic:
            case kPeripheral:
                device(f);
                break;
            default:
                f.err = true;
        }
    }

    void memory(Flight &f) {
        const uint64_t base = f.request.address & ~7ull;
        if (f.request.read && (base == kBadDword || base == kBadLast)) {
            f.err = true;
            return;
        }
        for (int i = 0; i < 8; i++) {
            // Lane 0, the lowest address, is the most significant byte.
            const int shift = 56 - 8 * i;
            uint8_t *p = byte_at(base + i, !f.request.read);
            if (!p) {
                f.err = true;
                return;
            }
            if (f.request.read) f.data |= uint64_t(*p) << shift;
            else if (f.request.mask & (0x80 >> i)) *p = uint8_t(f.request.data >> shift);
        }
    }

    void device(Flight &f) {
        const Request &r = f.request;
        const bool low = r.address & 4;
        const uint32_t mask = low ? r.mask & 15 : r.mask >> 4;
        if ((low ? r.mask >> 4 : r.mask & 15) != 0) fail("a device access touches both halves", r.address);
        const uint32_t value = uint32_t(low ? r.data : r.data >> 32);
        uint32_t answer = 0;
        f.err = f.slave == kNic ? !nic(r, uint32_t(r.address) & 0xFFC, mask, value, answer)
                                : !peripheral(r, uint32_t(r.address) & 0xFFC, value, answer);
        f.data = low ? answer : uint64_t(answer) << 32;
    }

    bool nic(const Request &r, uint32_t offset, uint32_t mask, uint32_t value, uint32_t &answer) {
        if (offset < 0x100) {
            uint32_t &reg = nic_[offset / 4];
            if (r.read) {
                answer = reg;
                return true;
            }
            for (int k = 0; k < 4; k++)
                if (mask >> k & 1) reg = (reg & ~(0xFFu << 8 * k)) | (value & (0xFFu << 8 * k));
            return true;
        }
        switch (offset) {
            case 0x100:
                if (r.read) {
                    answer = 1;
                    if (!queue_.empty()) answer = queue_.front(), queue_.pop_front();
                } else {
                    pushes_++;
                    if (queue_.size() < 4) queue_.push_back(value);
                    else answer = 2;
                }
                return true;
            case 0x104:
                answer = pushes_;
                return r.read;
            case 0x108:
                answer = ++reads_;
                return r.read;
            case 0x10C:
                dma_word_ = value;
                return !r.read;
            case 0x110:
                for (int i = 0; i < 4; i++)
                    if (uint8_t *p = byte_at(value + i, true)) *p = uint8_t(dma_word_ >> 8 * i);
                return !r.read;
            case 0x114:
                for (int i = 0; i < 4; i++)
                    if (uint8_t *p = byte_at(peek_ + i, false)) answer |= uint32_t(*p) << 8 * i;
                return r.read;
            case 0x118:
                peek_ = value;
                return !r.read;
            default:
                return false;
        }
    }

    bool peripheral(const Request &r, uint32_t offset, uint32_t value, uint32_t &answer) {
        switch (offset) {
            case 0x00:
                if (!r.read) finished = true, tohost = value;
                return !r.read;
            case 0x04:
                if (!r.read) std::putchar(int(value & 0xFF));
                return !r.read;
            case 0x08:
                if (!r.read) {
                    irq_external = value & 1, irq_timer = value & 2, irq_software = value & 4;
                    external_at_ = timer_at_ = 0;
                }
                return !r.read;
            case 0x0C:
                external_at_ = now + 1 + random.below(value);
                return !r.read;
            case 0x10:
                answer = uint32_t(now);
                return r.read;
            case 0x18:
                timer_at_ = now + value;
                return !r.read;
            case 0x20:
                answer = last_.mask;
                return r.read;
            case 0x24:
                answer = uint32_t(last_.data >> 32);
                return r.read;
            case 0x28:
                answer = uint32_t(last_.data);
                return r.read;
            case 0x2C:
                answer = uint32_t(last_.address);
                return r.read;
            case 0x30:
                answer = seen_;
                return r.read;
            case 0x34:
                answer = fills_;
                return r.read;
            case 0x38:
                answer = uint32_t(stall_);
                return r.read;
            default:
                return false;
        }
    }
};

uint32_t le32(const uint8_t *p) { return p[0] | p[1] << 8 | p[2] << 16 | uint32_t(p[3]) << 24; }
uint32_t le16(const uint8_t *p) { return p[0] | p[1] << 8; }

void load_elf(Bus &bus, const char *path) {
    std::FILE *file = std::fopen(path, "rb");
    if (!file) fail("cannot open the program");
    std::vector<uint8_t> image;
    uint8_t buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) image.insert(image.end(), buffer, buffer + n);
    std::fclose(file);
    if (image.size() < 52 || std::memcmp(image.data(),
                                         "\x7f"
                                         "ELF\x01\x01",
                                         6))
        fail("not a little-endian ELF32 file");
    const uint32_t table = le32(&image[28]), entry_size = le16(&image[42]), entries = le16(&image[44]);
    for (uint32_t i = 0; i < entries; i++) {
        const uint8_t *h = &image[table + i * entry_size];
        if (le32(h) != 1) continue;  // PT_LOAD
        const uint32_t offset = le32(h + 4), address = le32(h + 12), size = le32(h + 16);
        for (uint32_t k = 0; k < size; k++) {
            uint8_t *p = bus.byte_at(address + k, false);
            if (!p) fail("the program does not fit", address + k);
            *p = image[offset + k];
        }
    }
}

}  // namespace

static std::FILE *trace = nullptr, *writes = nullptr;
static long long retired = 0;
static bool reported = false;  // the store to tohost: RVFI's reports may come later than what they report

struct Retired {
    int pc, instr;
    bool trap, handler;  // the first instruction of a handler
    uint32_t more[11];  // of the trace
};
static std::deque<Retired> at_port;  // what the retire port has said and RVFI has not
static bool handler_next = false;
static uint32_t interrupted_by = 0;
static const Bus *irq_lines = nullptr;
static uint32_t were_high[4] = {},
                high_for[3] = {};  // were_high: since the last report, between that and the one before, ..

static void watch_interrupts() {
    const bool lines[] = {irq_lines->irq_software, irq_lines->irq_timer, irq_lines->irq_external};
    for (int i = 0; i < 3; i++) {
        were_high[0] |= uint32_t(lines[i]) << i;
        if (!lines[i]) high_for[i] = 0;
    }
}

extern "C" void slot_retire(int flags, int cause, int pc, int instr, int mstatus, int mie, int mtvec, int mscratch,
                            int mepc, int mcause, int mtval, int mbusctl) {
    const bool trap = flags & 1, interrupt = flags & 2;
    if (trap && interrupt) fail("a trap and an interrupt at once", uint64_t(pc));
    if (!trap && !interrupt && cause != 0) fail("a cause of nothing", uint64_t(cause));
    if (interrupt && cause != 3 && cause != 7 && cause != 11 && cause != 16) fail("no such interrupt", uint64_t(cause));
    if (!interrupt) {
        Retired r{pc, instr, trap, handler_next, {}};
        const uint32_t more[] = {interrupted_by,
                                 were_high[0] | were_high[1] | were_high[2] | were_high[3],
                                 high_for[0] | high_for[1] << 4 | high_for[2] << 8,
                                 uint32_t(mstatus),
                                 uint32_t(mie),
                                 uint32_t(mtvec),
                                 uint32_t(mscratch),
                                 uint32_t(mepc),
                                 uint32_t(mcause),
                                 uint32_t(mtval),
                                 uint32_t(mbusctl)};
        static_assert(sizeof more == sizeof r.more);
        std::memcpy(r.more, more, sizeof more);
        at_port.push_back(r);
        handler_next = false;
        interrupted_by = 0;
        for (int i = 3; i > 0; i--) were_high[i] = were_high[i - 1];
        were_high[0] = 0;
        for (uint32_t &n : high_for) n += n < 15;
    }
    if (interrupt) interrupted_by = 0x80000000 | uint32_t(cause);
    if (trap || interrupt) handler_next = true;
}

extern "C" void rvfi_retire(long long order, int flags, int insn, int pc, int next_pc, int rs, int rs1, int rs2, int rd,
                            int rd_data, int address, int masks, int read_data, int write_data) {
    if (reported) return;
    if (order != retired++) fail("RVFI order", uint64_t(order));
    if (at_port.empty()) fail("not seen at the retire port", uint64_t(pc));
    const Retired seen = at_port.front();
    at_port.pop_front();
    if (seen.pc != pc || seen.instr != insn || seen.trap != bool(flags & 1) || seen.handler != bool(flags & 2))
        fail("the retire port says something else", uint64_t(pc));
    reported = uint32_t(address) == 0xFFFF0000 && (masks & 0xF0) && !(flags & 1);
    const int words[] = {flags, insn, pc, next_pc, rs, rs1, rs2, rd, rd_data, address, masks, read_data, write_data};
    if (trace) std::fwrite(words, sizeof words, 1, trace), std::fwrite(seen.more, sizeof seen.more, 1, trace);
}

int main(int argc, char **argv) {
    uint64_t seed = 1, cycles = 400000;
    int stall = 0, latency = 4;
    const char *program = nullptr;
    struct Dump {
        uint32_t address, length;
        const char *file;
    };
    std::vector<Dump> dumps;
    bool report = false, snoop = false;
    uint32_t halt = 0;
    uint64_t asked = 0;  // address of the processor's last request
    for (int i = 1; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg == "--seed") seed = std::strtoull(argv[++i], nullptr, 0);
        else if (arg == "--stall") stall = std::atoi(argv[++i]);
        else if (arg == "--latency") latency = std::atoi(argv[++i]);
        else if (arg == "--cycles") cycles = std::strtoull(argv[++i], nullptr, 0);
        else if (arg == "--report") report = true;
        else if (arg == "--snoop") snoop = true;
        else if (arg == "--halt") halt = uint32_t(std::atoi(argv[++i]));
        else if (arg == "--trace") {
            trace = std::fopen(argv[++i], "wb");
            if (!trace) fail("cannot write the trace");
        } else if (arg == "--writes") {
            writes = std::fopen(argv[++i], "wb");
            if (!writes) fail("cannot write down the writes");
        } else if (arg == "--dump") {
            if (i + 3 >= argc) fail("--dump ADDRESS LENGTH FILE");
            const auto address = uint32_t(std::strtoul(argv[++i], nullptr, 0));
            const auto length = uint32_t(std::strtoul(argv[++i], nullptr, 0));
            dumps.push_back({address, length, argv[++i]});
        } else program = argv[i];
    }
    if (!program) fail("no program given");

    auto context = std::make_unique<VerilatedContext>();
    context->randSeed(int(seed));
    context->randReset(2);
    auto top = std::make_unique<Vcpu_slot>(context.get());
    Bus bus(seed, stall, latency);
    load_elf(bus, program);
    irq_lines = &bus;
    if (report) std::setvbuf(stdout, nullptr, _IONBF, 0);

    top->cpu_rst = 1;
    top->acb_req_ready = 0;
    top->acb_rsp_valid = 0;
    top->snoop_valid = 0;
    top->run = halt == 0;
    // Stopping: when it is to end, since when it lasts, whether the slot has come to rest.
    uint64_t stopped_until = halt ? 100 : 0, stopped_at = 0, stops = 0;
    bool rested = false;
    for (int i = 0; i < 8; i++) {
        top->cpu_clk = 0;
        top->eval();
        context->timeInc(1);
        top->cpu_clk = 1;
        top->eval();
        context->timeInc(1);
    }
    top->cpu_rst = 0;

    for (bus.now = 1; bus.now <= cycles && !(bus.finished && reported); bus.now++) {
        bus.step();
        top->irq_external = bus.irq_external;
        top->irq_timer = bus.irq_timer;
        top->irq_software = bus.irq_software;
        watch_interrupts();
        top->acb_req_ready = bus.ready();
        if (snoop) {
            top->snoop_valid = bus.random.below(4) == 0;
            top->snoop_address = uint32_t(asked >> 5) + bus.random.below(2);
        }
        top->acb_rsp_valid = bus.offer();
        if (top->acb_rsp_valid) {
            const uint64_t data = bus.front().data;
            top->acb_rsp[0] = uint32_t(data);
            top->acb_rsp[1] = uint32_t(data >> 32);
            top->acb_rsp[2] = bus.front().err;
        }
        if (halt && top->run && bus.random.below(halt) == 0) {
            top->run = 0;
            stopped_at = bus.now;
            stopped_until = bus.now + bus.random.below(60);
            rested = false;
        }
        if (!top->run && bus.now >= stopped_until) {
            // A third of the stops end before the slot may have come to rest, the others show that it does.
            if (rested || bus.random.below(3) == 0) top->run = 1;
        }
        top->cpu_clk = 0;
        top->eval();
        context->timeInc(1);
        if (!top->run && top->halted && !rested) rested = true, stops++;
        if (!top->run && rested && !top->halted) fail("halted fell by itself");
        if (!top->run && !rested && bus.now > stopped_at + 20000) fail("does not come to rest");
        if (top->halted && (top->acb_req_valid || bus.busy())) fail("a halted slot uses the bus");
        if (stopped_at == 0 && !top->run && top->acb_req_valid) fail("a request before it ever ran");
        if (top->acb_rsp_valid && top->acb_rsp_ready) bus.answered();
        if (top->acb_req_valid && top->acb_req_ready) {
            const auto &w = top->acb_req;
            Request r;
            r.data = uint64_t(w[1]) << 32 | w[0];
            r.address = w[2] | uint64_t(w[3] & 0xF) << 32;
            r.mask = uint8_t(w[3] >> 4);
            r.read = w[3] >> 12 & 1;
            r.lock = w[3] >> 13 & 1;
            bus.accept(r);
            if (writes && !r.read && r.mask) {
                const uint32_t words[] = {uint32_t(r.address) & ~7u, r.mask};
                std::fwrite(words, sizeof words, 1, writes);
                for (int lane = 7; lane >= 0; lane--) std::fputc(int(r.data >> 8 * lane & 0xFF), writes);
            }
            asked = r.address;
        }
        top->cpu_clk = 1;
        top->eval();
        context->timeInc(1);
        if (context->gotFinish()) fail("an assertion ended the simulation");
    }
    top->final();
    if (trace) std::fclose(trace);
    if (writes) std::fclose(writes);

    for (const Dump &dump : dumps) {
        std::FILE *file = std::fopen(dump.file, "wb");
        if (!file) fail("cannot write the dump");
        for (uint32_t k = 0; k < dump.length; k++) {
            const uint8_t *p = bus.byte_at(dump.address + k, false);
            std::fputc(p ? *p : 0, file);
        }
        std::fclose(file);
    }
    if (halt && stops < 3) fail("hardly ever halted", stops);
    if (!bus.finished || !reported) fail("no result after the last cycle", cycles);
    if (bus.tohost != 1) {
        std::printf("PROGRAM FAIL check %u after %llu cycles\n", bus.tohost, (unsigned long long)bus.now);
        return 1;
    }
    if (report) std::printf("PASS %llu cycles\n", (unsigned long long)bus.now);
    return 0;
}
