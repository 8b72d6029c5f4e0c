// SPDX-License-Identifier: Apache-2.0
//
// A programmable NIC between a host and a line: frames of one length both ways at once, each with a number and a
// content that follows from it. The host's driver is as fast as its memory (host_model.h) lets it be. Arguments are
// KEY=VALUE:
//
//   image=FILE            firmware, as for cluster.cpp
//   mailbox=N shown=N     where firmware has these (scratchpad addresses)
//   cores=N               as built
//   pieces=N              descriptors of a frame to be sent: 42 bytes and the rest, or all
//   core_fs mac_fs fm_fs host_fs    periods of the clocks
//   latency_ns jitter_ns mbps
//                         of the host: a read's, how much more it may be (then answers come in any order), and Mb/s
//                         each way (0: no limit)
//   bytes=N               of a frame, with FCS
//   slot=N                of a buffer of the host, and of SLOT_BYTES of the firmware
//   send=N receive=N      share of the line in each direction, in percent
//   warm_us window_us     nothing is counted in the first, and so long is measured
//   profile=FILE          which instructions took how long in the window, of all cores: lines
//                         `PC IDLE INSTRUCTIONS CYCLES FETCH LOAD CONFLICT PIPELINE`, the latter cycles lost by cause
//   round=PC idle=PC      where a round of the firmware's loop begins; where it comes by when it has found nothing
//   trace=FILE trace_us=N what happened in the window's first N us: lines `i CORE PC INSTRUCTION` of what has retired,
//                         `a MASTER WORD WRITE` of accesses of the scratchpad, masters the cores and then as in `words`
//   bad=N bad_every=M     every M-th frame to be sent has a bad first descriptor: 1 of no byte, 2 of 10000, 3 at an
//                         address that the host refuses. It must not come to the line
//   no_buffers_us=N       so long the host has no buffers for what is received
//   pause_us=N            behind the first 100 us the host's memory does not answer for so long
//   reset_us=N            at that time everything is reset, may not touch the host's memory any more, and is started
//                         again; what comes then is counted from there on
//   mailbox_us=N          at that time, for 50 us, the host says that it has posted 5000 descriptors more than it has
//   traps=1               a core that traps is told at the end, by lines `trapped CORE PC MCAUSE`, and the others go on
//   frames=N              instead: until so many have come each way
//   seed=N
//
// Lines, at the end:
//
//   window SENT RECEIVED CORE_CYCLES INTERRUPTS
//                         frames on the line and in the host's buffers, in the window
//   words MASTER ..       of the scratchpad that moved in it: the cores', those of each assist, the host's
//   beats CLIENT ..       of the frame memory
//   retired N ROWS        instructions of all cores; rows of the instruction memory that were read
//   mac COUNT ..          since the beginning, as in mac_stat_t from its lowest bit on
//   shown COUNT ..        what firmware shows of the assists' counters
//   total GIVEN SENT OFFERED DELIVERED
//                         since the beginning: frames that the host has given, that were on the line, that were on the
//                         line towards the NIC, that the host has got
//
// Exit status 1, and a sentence, when a frame was wrong, out of order or lost and not counted, or nothing moves.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "Vpnic_top.h"
#include "clocks.h"
#include "draw.h"
#include "host_model.h"
#include "verilated.h"
#include "xgmii_line.h"

namespace {

constexpr uint64_t US = 1'000'000'000;  // in femtoseconds
constexpr uint32_t TRAPPED = 0x7A90'0000;

[[noreturn]] void fail(const std::string &what) { throw std::runtime_error(what); }

class Options {
public:
    Options(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const size_t at = word.find('=');
            if (at == std::string::npos) fail("not KEY=VALUE: " + word);
            values_[word.substr(0, at)] = word.substr(at + 1);
        }
    }
    uint64_t number(const std::string &key, uint64_t otherwise = 0) const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
    }
    std::string text(const std::string &key) const { return values_.at(key); }
    bool has(const std::string &key) const { return values_.count(key) != 0; }

private:
    std::map<std::string, std::string> values_;
};

// Frame number `count` of a direction, without FCS.
std::vector<uint8_t> content(uint64_t count, unsigned bytes, uint8_t way) {
    std::vector<uint8_t> frame(bytes);
    static constexpr uint8_t HEAD[14] = {2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0x88, 0xB5};
    std::memcpy(frame.data(), HEAD, sizeof HEAD);
    frame[5] = way;
    uint64_t state = splitmix64(count * 2 + way);
    for (unsigned i = 0; i < 8; ++i) frame[14 + i] = static_cast<uint8_t>(count >> (56 - 8 * i));
    for (unsigned at = 22; at < bytes; ++at) {
        if ((at - 22) % 8 == 0) state += SPLITMIX_STEP;
        frame[at] = static_cast<uint8_t>(splitmix64(state) >> 8 * ((at - 22) % 8));
    }
    return frame;
}

// What is in lib/assists.h of the firmware.
constexpr unsigned TX_RING = 1024, RX_RING = 1024, HEADERS = 42;

class Nic {
public:
    explicit Nic(const Options &options)
        : options_(options), top_(&context_), host_(settings(options)), in_(8, 1), out_(8, 2) {
        const uint64_t seed = options.number("seed", 1);
        Draw draw(seed);
        const char *names[] = {"core_fs", "mac_fs", "fm_fs", "host_fs"};
        for (unsigned i = 0; i < CLOCKS; ++i) {
            clocks_[i].period = options.number(names[i]);
            clocks_[i].next = 1 + draw.below(clocks_[i].period);
            clocks_[i].start(0);
        }
        bytes_ = static_cast<unsigned>(options.number("bytes", 64)) - 4;
        slot_ = static_cast<unsigned>(options.number("slot", 2048));
        pieces_ = static_cast<unsigned>(options.number("pieces", 1));
        cores_ = static_cast<unsigned>(options.number("cores"));
        tx_ring_ = allocate(TX_RING * 16);
        rx_ring_ = allocate(RX_RING * 16);
        rx_done_ = allocate(RX_RING * 8);
        tx_done_ = allocate(16);
        tx_buffers_ = allocate(TX_RING * slot_);
        rx_buffers_ = allocate(RX_RING * slot_);
        out_.instead = [this](LineFrame &&frame) { sent(std::move(frame)); };
        mailbox_ = static_cast<uint32_t>(options.number("mailbox"));
        shown_ = static_cast<uint32_t>(options.number("shown"));
        round_ = static_cast<uint32_t>(options.number("round"));
        idle_ = static_cast<uint32_t>(options.number("idle"));
        bad_ = static_cast<unsigned>(options.number("bad"));
        bad_every_ = options.number("bad_every", 10);
        top_.rst = 0;
        top_.eval();
        idle();
        reset();
        load();
    }

    // A while of reset, and a while behind it. Nothing may go to the host but what was on its way.
    void reset(unsigned steps = 200) {
        top_.rst = 1;
        for (unsigned i = 0; i < 40; ++i) step();
        const uint64_t before = written_;
        for (unsigned i = 0; i < steps; ++i) step();
        top_.rst = 0;
        for (unsigned i = 0; i < 200; ++i) step();
        if (written_ != before) fail("a reset NIC has written to the host's memory");
    }

    // As it was before the first frame.
    void begin_again() {
        in_.source = nullptr;
        running_ = false;
        reset(20'000);  // until the host has answered all, and no frame is half on the line
        busy_ = accepted_ = irq_ = acknowledged_ = false;
        given_ = sent_ = offered_ = delivered_ = next_ = written_ = credit_ = 0;
        tx_posted_ = tx_told_ = rx_posted_ = rx_told_ = 0;
        for (auto &trap : traps_) trap.clear();
        counts_ = Counts();
        for (unsigned i = 0; i < RX_RING; ++i) put32(rx_done_ + 8 * i, 0);
        put32(tx_done_, 0);
        reset();
        load();
    }

    void run() {
        if (options_.has("reset_us")) {
            receive_percent_ = send_percent_ = 100;
            in_.source = [this](LineFrame &frame) { return offer(frame); };
            access(CONTROL, 1);
            running_ = true;
            // To the edge: any cycle of any clock can be the one.
            until(now_ + options_.number("reset_us") * US + options_.number("seed", 1) * 12'347'000);
            begin_again();
        }
        receive_percent_ = static_cast<unsigned>(options_.number("receive", 100));
        send_percent_ = static_cast<unsigned>(options_.number("send", 100));
        in_.source = [this](LineFrame &frame) { return offer(frame); };
        access(CONTROL, 1);
        running_ = true;
        no_buffers_until_ = now_ + options_.number("no_buffers_us") * US;
        pause_from_ = now_ + 100 * US;
        pause_until_ = pause_from_ + options_.number("pause_us") * US;
        if (options_.has("mailbox_us")) lie_at_ = now_ + options_.number("mailbox_us") * US;
        const uint64_t warm = options_.number("warm_us", 40) * US, window = options_.number("window_us", 100) * US;
        const uint64_t frames = options_.number("frames");
        until(now_ + warm);
        const Counts before = counts_;
        if (options_.has("profile")) profile_.resize(2 * IMEM_WORDS);
        if (options_.has("trace")) {
            trace_.open(options_.text("trace"));
            trace_end_ = now_ + options_.number("trace_us", 50) * US;
        }
        if (frames) {
            const uint64_t end_sent = frames, end_got = frames;
            uint64_t last = 0, still = now_;
            while ((send_percent_ && sent_ < end_sent) || (receive_percent_ && delivered_ < end_got)) {
                until(now_ + US);
                if (sent_ + delivered_ != last) {
                    last = sent_ + delivered_;
                    still = now_;
                } else if (now_ > still + 500 * US) {
                    fail("nothing moves any more: " + state());
                }
            }
        } else {
            until(now_ + window);
        }
        const Counts after = counts_;
        if (options_.has("profile")) write_profile(options_.text("profile"));
        receive_percent_ = send_percent_ = 0;
        drain();
        std::printf("window %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", after.sent - before.sent,
                    after.delivered - before.delivered, after.core_cycles - before.core_cycles,
                    after.interrupts - before.interrupts);
        print("words", before.words, after.words, MASTERS);
        print("beats", before.beats, after.beats, 5);
        std::printf("retired %" PRIu64 " %" PRIu64 "\n", after.retired - before.retired, after.rows - before.rows);
        std::printf("mac");
        for (unsigned i = 0; i < 32; ++i) std::printf(" %" PRIu64, counts_.mac[i]);
        std::printf("\nshown");
        for (unsigned i = 0; i < SHOWN; ++i) std::printf(" %u", access(shown_ + 4 * i));
        for (unsigned core = 0; core < MOST_CORES; ++core)
            if (traps_[core].size() == 3) std::printf("\ntrapped %u %u %u", core, traps_[core][1], traps_[core][2]);
        std::printf("\ntotal %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", given_, sent_, offered_, delivered_);
    }

private:
    enum : unsigned { CORE, MAC, FM, HOST, CLOCKS };
    static constexpr unsigned MASTERS = 6, SHOWN = 24, MOST_CORES = 8, IMEM_WORDS = 32768;
    static constexpr uint64_t BASE = 0x1'0000'0000;  // of the host's memory
    static constexpr uint64_t NOWHERE = 0x7F'0000'0000;
    static constexpr uint32_t CONTROL = 0x60000, IMEM = 0x40000;

    struct Counts {
        uint64_t sent = 0, delivered = 0, core_cycles = 0, interrupts = 0, retired = 0, rows = 0;
        uint64_t words[MASTERS] = {}, beats[5] = {}, mac[32] = {};
    };

    // Cycles in which nothing retired: no instruction, a load's answer, a bank that had another, everything else
    enum : unsigned { FETCH, LOAD, CONFLICT, PIPELINE, CAUSES };

    struct Spent {
        uint64_t instructions = 0, cycles = 0, lost[CAUSES] = {};
        void add(const Spent &more) {
            instructions += more.instructions;
            cycles += more.cycles;
            for (unsigned i = 0; i < CAUSES; ++i) lost[i] += more.lost[i];
        }
    };

    // What a core is doing: the instruction that will retire next, and what of this round has retired.
    struct Doing {
        Spent next;
        unsigned refused = 0, since = 0;  // cycles that a load has waited for a bank, and since the last of these
        bool idle = false;
        std::vector<std::pair<uint32_t, Spent>> round;
    };

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

    void write_profile(const std::string &file) {
        std::ofstream out(file);
        for (Doing &doing : doing_) end_round(doing);
        for (unsigned idle = 0; idle < 2; ++idle)
            for (unsigned word = 0; word < IMEM_WORDS; ++word) {
                const Spent &spent = profile_[idle * IMEM_WORDS + word];
                if (!spent.instructions) continue;
                out << 4 * word << ' ' << idle << ' ' << spent.instructions << ' ' << spent.cycles;
                for (const uint64_t lost : spent.lost) out << ' ' << lost;
                out << '\n';
            }
        profile_.clear();
    }

    void profile(unsigned core) {
        Doing &doing = doing_[core];
        Spent &next = doing.next;
        ++next.cycles;
        if (top_.refused >> core & 1) {
            ++doing.refused;
            doing.since = 0;
        } else if (++doing.since > 8) {
            doing.refused = 0;
        }
        if (!(top_.retired >> core & 1)) {
            ++next.lost[cause(doing, top_.why[core])];
            return;
        }
        const uint32_t pc = top_.retired_pc[core];
        if (pc == round_) end_round(doing);
        doing.idle |= pc == idle_;
        ++next.instructions;
        if (round_) doing.round.emplace_back(pc / 4 % IMEM_WORDS, next);
        else profile_[pc / 4 % IMEM_WORDS].add(next);
        next = Spent();
    }

    void end_round(Doing &doing) {
        for (const auto &[word, spent] : doing.round) profile_[doing.idle * IMEM_WORDS + word].add(spent);
        doing.round.clear();
        doing.idle = false;
    }

    // Numbers of why_t. A load's wait is the bank's as long as the bank has made it wait.
    static unsigned cause(Doing &doing, unsigned why) {
        constexpr unsigned LOAD_USE = 3, NO_INSTRUCTION = 6, MISS = 7, ROUND_TRIP = 8, STORES = 9;
        if (why == NO_INSTRUCTION) return FETCH;
        if (why == STORES) return CONFLICT;
        if (why != LOAD_USE && why != MISS && why != ROUND_TRIP) return PIPELINE;
        if (!doing.refused) return LOAD;
        --doing.refused;
        return CONFLICT;
    }

    static void print(const char *what, const uint64_t *before, const uint64_t *after, unsigned count) {
        std::printf("%s", what);
        for (unsigned i = 0; i < count; ++i) std::printf(" %" PRIu64, after[i] - before[i]);
        std::printf("\n");
    }

    std::string state() const {
        return std::to_string(given_) + " frames given, " + std::to_string(sent_) + " sent, " +
               std::to_string(offered_) + " offered, " + std::to_string(delivered_) + " delivered";
    }

    void idle() {
        top_.rxc = 0xFF;
        top_.rxd[0] = top_.rxd[1] = 0x07070707;
        top_.access_valid = top_.found_valid = 0;
        top_.read_ready = top_.write_ready = 1;
    }

    // ---- Firmware, rings
    void load() {
        std::ifstream image(options_.text("image"));
        if (!image) fail("cannot read " + options_.text("image"));
        uint32_t address, word;
        while (image >> std::hex >> address >> word) {
            if (address >> 28) access(address & 0x3FFFF, word);
            else access(IMEM + address, __builtin_bswap32(word));
        }
        const uint64_t places[] = {tx_ring_, rx_ring_, rx_done_, tx_done_};
        for (unsigned i = 0; i < 4; ++i) {
            access(mailbox_ + 32 + 8 * i, static_cast<uint32_t>(places[i]));
            access(mailbox_ + 36 + 8 * i, static_cast<uint32_t>(places[i] >> 32));
        }
    }

    uint32_t access(uint32_t address, uint32_t data) { return access(address, true, data); }
    uint32_t access(uint32_t address) { return access(address, false, 0); }

    uint32_t access(uint32_t address, bool write, uint32_t data) {
        for (unsigned i = 0; busy_ && i < 100'000; ++i) step();
        busy_ = true;
        top_.access_valid = 1;
        top_.access_write = write;
        top_.access_address = (address & 0x7FFFF) >> 2;
        top_.access_data = data;
        for (unsigned i = 0; busy_ && i < 100'000; ++i) step();
        if (busy_) fail("the host's access to the NIC has no answer");
        return answer_;
    }

    // ---- Time
    void until(uint64_t end) {
        while (now_ < end) step();
    }

    void step() {
        now_ = clocks_.next();
        const unsigned due = clocks_.due(now_);
        top_.core_clk = top_.mac_clk = top_.fm_clk = top_.host_clk = 0;
        top_.eval();
        if (due >> CORE & 1) before_core();
        if (due >> MAC & 1) before_mac();
        if (due >> FM & 1) count(top_.moved, counts_.beats);
        if (due >> HOST & 1) before_host();
        top_.core_clk = due >> CORE & 1;
        top_.mac_clk = due >> MAC & 1;
        top_.fm_clk = due >> FM & 1;
        top_.host_clk = due >> HOST & 1;
        top_.eval();
        for (unsigned i = 0; i < CLOCKS; ++i)
            if (due >> i & 1) clocks_[i].rise();
        if (due >> MAC & 1) behind_mac();
        if (due >> HOST & 1) behind_host();
    }

    static void count(uint64_t bits, uint64_t *counts) {
        for (; bits; bits &= bits - 1) ++counts[__builtin_ctzll(bits)];
    }

    void before_core() {
        ++counts_.core_cycles;
        const unsigned cores = cores_;
        uint64_t granted = top_.granted;
        counts_.words[0] += __builtin_popcountll(granted & ((1ull << cores) - 1));
        count(granted >> cores, &counts_.words[1]);
        counts_.retired += __builtin_popcountll(top_.retired);
        counts_.rows += top_.imem_used;
        for (unsigned core = 0; core < cores && !profile_.empty(); ++core) profile(core);
        if (now_ < trace_end_) trace();
        if (!top_.message_valid) return;
        told(top_.message_core, top_.message);
    }

    // A trap is three messages of a core: that it is one, where, and why.
    void told(unsigned core, uint32_t message) {
        std::vector<uint32_t> &trap = traps_[core];
        if (trap.size() < 3 && (!trap.empty() || message == TRAPPED)) trap.push_back(message);
        if (trap.size() == 3 && !options_.has("traps"))
            fail("core " + std::to_string(core) + " has trapped at " + std::to_string(trap[1]) + ", mcause " +
                 std::to_string(trap[2]));
    }

    void trace() {
        trace_ << std::hex;
        for (unsigned core = 0; core < cores_; ++core)
            if (top_.retired >> core & 1)
                trace_ << "i " << core << ' ' << top_.retired_pc[core] << ' ' << top_.retired_instr[core] << '\n';
        for (uint64_t bits = top_.granted; bits; bits &= bits - 1) {
            const unsigned master = __builtin_ctzll(bits);
            trace_ << "a " << master << ' ' << top_.wanted[master] << ' ' << (top_.wanted_write >> master & 1) << '\n';
        }
    }

    void before_mac() {
        count(top_.mac_stat, counts_.mac);
        uint32_t data[2] = {top_.txd[0], top_.txd[1]};
        out_.in(top_.txc, data);
    }

    void behind_mac() {
        uint64_t control;
        uint32_t data[2];
        credit_ = std::min<uint64_t>(credit_ + receive_percent_, 1'000'000);
        in_.out(control, data);
        top_.rxc = static_cast<uint8_t>(control);
        top_.rxd[0] = data[0];
        top_.rxd[1] = data[1];
    }

    // ---- The line
    bool offer(LineFrame &frame) {
        // A frame takes so many columns of the line, in hundredths.
        const uint64_t columns = (bytes_ + 24) * 100 / 8;
        if (receive_percent_ == 0 || (receive_percent_ < 100 && credit_ < columns)) return false;
        credit_ -= std::min(credit_, columns);
        frame.bytes.assign(PREAMBLE, 0x55);
        frame.bytes.back() = 0xD5;
        const std::vector<uint8_t> bytes = content(offered_++, bytes_, 1);
        frame.bytes.insert(frame.bytes.end(), bytes.begin(), bytes.end());
        end_with_check(frame);
        return true;
    }

    bool bad(uint64_t count) const { return bad_ && count % bad_every_ == bad_every_ - 1; }

    void sent(LineFrame &&frame) {
        if (!running_) return;  // a reset has cut it
        while (bad(sent_)) ++sent_;
        const size_t size = frame.bytes.size() - std::min<size_t>(frame.bytes.size(), PREAMBLE + 4);
        std::vector<uint8_t> expected = content(sent_, bytes_, 0);
        expected.resize(std::max<size_t>(expected.size(), 60));
        const uint32_t check = frame_check(&frame.bytes[PREAMBLE], size);
        bool same = frame.error_at < 0 && size == expected.size() &&
                    std::memcmp(&frame.bytes[PREAMBLE], expected.data(), size) == 0;
        for (unsigned i = 0; same && i < 4; ++i)
            same = frame.bytes[PREAMBLE + size + i] == static_cast<uint8_t>(check >> 8 * i);
        if (!same) fail("frame " + std::to_string(sent_) + " is wrong on the line, or out of order");
        ++sent_;
        ++counts_.sent;
    }

    // ---- The host: its memory and bus
    void before_host() {
        if (top_.read_valid && top_.read_ready) host_.read(now_, top_.read_tag, top_.read_address, top_.read_bytes);
        if (top_.write_valid && top_.write_ready) {
            HostModel::Beat data;
            for (unsigned i = 0; i < 4; ++i) data[i] = top_.write_data[i];
            host_.write(now_, top_.write_first, top_.write_address, top_.write_bytes, data);
            ++written_;
        }
        if (top_.access_valid && top_.access_ready) accepted_ = true;
        if (top_.answer_valid) {
            answer_ = top_.answer;
            busy_ = false;
        }
        counts_.interrupts += top_.irq && !irq_;
        irq_ = top_.irq;
    }

    void behind_host() {
        if (accepted_) {
            top_.access_valid = 0;
            accepted_ = false;
        }
        const HostModel::Answer found = host_.edge(now_);
        top_.found_valid = found.valid;
        top_.found_tag = found.tag;
        top_.found_last = found.last;
        top_.found_error = found.error;
        for (unsigned i = 0; i < 4; ++i) top_.found_data[i] = found.data[i];
        const bool pauses = now_ >= pause_from_ && now_ < pause_until_;
        top_.write_ready = host_.write_ready() && !pauses;
        top_.read_ready = !pauses;
        if (running_ && !busy_) drive();
    }

    // ---- The driver, between accesses to the NIC
    void post(uint32_t address, uint32_t value) {
        busy_ = true;
        top_.access_valid = 1;
        top_.access_write = 1;
        top_.access_address = (address & 0x3FFFF) >> 2;
        top_.access_data = value;
    }

    void descriptor(uint64_t at, uint64_t address, uint32_t bytes) {
        put32(at, static_cast<uint32_t>(address));
        put32(at + 4, static_cast<uint32_t>(address >> 32));
        put32(at + 8, 0);
        put32(at + 12, bytes);
    }

    void drive() {
        get();
        give();
        if (irq_ && !acknowledged_) {
            acknowledged_ = true;
            post(CONTROL, 3);
        } else if (rx_posted_ != rx_told_) {
            post(mailbox_ + 4, rx_told_ = rx_posted_);
        } else if (tx_posted_ + lie() != tx_told_) {
            post(mailbox_, tx_told_ = tx_posted_ + lie());
        }
        if (!irq_) acknowledged_ = false;
    }

    uint32_t lie() const { return lie_at_ && now_ >= lie_at_ && now_ < lie_at_ + 50 * US ? 5000 : 0; }

    void give() {
        const uint32_t done = get32(tx_done_);
        while (send_percent_ && static_cast<uint32_t>(given_) - done < TX_RING / pieces_ - 1) {
            const uint64_t at = tx_buffers_ + given_ % TX_RING * slot_ + given_ % 16;  // at any byte
            const std::vector<uint8_t> bytes = content(given_, bytes_, 0);
            std::memcpy(host_.at(at, bytes_), bytes.data(), bytes_);
            for (unsigned piece = 0, from = 0; piece < pieces_; ++piece) {
                const unsigned end = piece + 1 == pieces_ ? bytes_ : HEADERS;
                const bool spoilt = bad(given_) && piece == 0;
                descriptor(tx_ring_ + tx_posted_ % TX_RING * 16, spoilt && bad_ == 3 ? NOWHERE : at + from,
                           spoilt && bad_ < 3 ? (bad_ == 1 ? 0 : 10'000) : end - from);
                from = end;
                ++tx_posted_;
            }
            ++given_;
        }
    }

    void get() {
        for (;;) {
            const uint64_t at = rx_done_ + delivered_ % RX_RING * 8;
            if (rx_posted_ && get32(at) == static_cast<uint32_t>(delivered_ + 1)) {
                const uint32_t bytes = get32(at + 4);
                const uint64_t buffer = rx_buffers_ + delivered_ % RX_RING * slot_;
                check(buffer, bytes);
                ++delivered_;
                ++counts_.delivered;
            } else if (now_ >= no_buffers_until_ && rx_posted_ < delivered_ + RX_RING) {
                descriptor(rx_ring_ + rx_posted_ % RX_RING * 16, rx_buffers_ + rx_posted_ % RX_RING * slot_, slot_);
                ++rx_posted_;
            } else {
                return;
            }
        }
    }

    // A frame that the NIC has dropped is missing; those that come are in order.
    void check(uint64_t buffer, uint32_t bytes) {
        const uint8_t *found = host_.at(buffer, slot_);
        uint64_t number = 0;
        for (unsigned i = 0; i < 8; ++i) number = number << 8 | found[14 + i];
        if (bytes != bytes_ || number < next_ || number >= offered_)
            fail("a received frame is none of those that were sent next: " + std::to_string(number) + " of " +
                 std::to_string(bytes) + " bytes, " + state());
        const std::vector<uint8_t> expected = content(number, bytes_, 1);
        for (unsigned i = 0; i < bytes; ++i)
            if (found[i] != expected[i])
                fail("byte " + std::to_string(i) + " of received frame " + std::to_string(number) + " is wrong");
        next_ = number + 1;
    }

    // Until nothing has moved for a while, on the line and at the host.
    void drain() {
        uint64_t last = ~0ull, still = now_;
        while (now_ < still + 300 * US) {
            until(now_ + US);
            const uint64_t moved = sent_ + delivered_ + written_;
            if (last == moved) continue;
            last = moved;
            still = now_;
        }
        while (sent_ < given_ && bad(sent_)) ++sent_;
        if (sent_ != given_) fail("frames that were given have not been sent: " + state());
    }

    const Options &options_;
    VerilatedContext context_;
    Vpnic_top top_;
    Clocks<CLOCKS> clocks_{};
    HostModel host_;
    Line in_, out_;
    Counts counts_;
    std::vector<Spent>
        profile_;  // by word of the instruction memory, rounds with work and idle ones; empty: nobody asks
    Doing doing_[MOST_CORES];
    std::ofstream trace_;
    uint64_t trace_end_ = 0;
    uint64_t now_ = 0, credit_ = 0, free_ = BASE;
    unsigned bytes_, slot_, pieces_, cores_, receive_percent_ = 0, send_percent_ = 0;
    uint64_t tx_ring_, rx_ring_, rx_done_, tx_done_, tx_buffers_, rx_buffers_;
    uint64_t given_ = 0, sent_ = 0, offered_ = 0, delivered_ = 0, next_ = 0, written_ = 0;
    uint32_t mailbox_, shown_, round_, idle_, answer_ = 0, tx_posted_ = 0, tx_told_ = 0, rx_posted_ = 0, rx_told_ = 0;
    unsigned bad_ = 0;
    std::vector<uint32_t> traps_[MOST_CORES];
    uint64_t bad_every_ = 0, no_buffers_until_ = 0, pause_from_ = 0, pause_until_ = 0, lie_at_ = 0;
    bool running_ = false, busy_ = false, accepted_ = false, irq_ = false, acknowledged_ = false;
};

}  // namespace

int main(int argc, char **argv) {
    try {
        const Options options(argc, argv);
        Nic(options).run();
    } catch (const std::exception &problem) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
