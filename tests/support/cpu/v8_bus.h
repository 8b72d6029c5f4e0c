// SPDX-License-Identifier: Apache-2.0
//
// What the SPARC V8 core's bench has behind the core: memories and devices twice, once for the RTL and once for the
// simulator, and the ACB in front of the RTL's.
//
//   00000000  ROM, 256 KB            cached; a write is refused
//   40000000  DRAM, 1 MB             cached
//   50000000  local memory, 64 KB
//   FF000000  device of 512 bytes    a group of its own, as the NIC
//   FFFF3000  device of 512 bytes    a group of its own, as the peripherals
//   all else, and where is_bad()     answered with an error
//
// A device's word has another value at each access, which says how often the device has been accessed before; and a
// swap or a write gets such an answer. So an access that is lost, or made twice, shows. What is not a word is refused.
//
// Accesses are numbered, slave by slave, but for what caches read. Some numbers, by seed, are answered with an error. A
// write that is answered with an error in this way is made all the same: what a cache has of it stays true.
#ifndef V8_BUS_H
#define V8_BUS_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace v8 {

constexpr uint32_t ROM_BYTES = 256 << 10, DRAM_BYTES = 1 << 20, LOCAL_BYTES = 64 << 10, DEVICE_BYTES = 512;
constexpr uint32_t DRAM = 0x40000000, LOCAL = 0x50000000, NIC = 0xFF000000, PERIPHERAL = 0xFFFF3000;

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

inline uint32_t mixed(uint64_t seed, uint32_t a, uint32_t b) {
    uint64_t x = seed * 0x9E3779B97F4A7C15ull + (uint64_t(a) << 32 | b);
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return uint32_t(x >> 32);
}

enum Slave { ROM_SLAVE, DRAM_SLAVE, LOCAL_SLAVE, NIC_SLAVE, PERIPHERAL_SLAVE, NOBODY, SLAVES };

inline Slave slave_of(uint32_t address) {
    if (address < DRAM) return ROM_SLAVE;
    if (address < LOCAL) return DRAM_SLAVE;
    if (address < 0x60000000) return LOCAL_SLAVE;
    if (address < 0xFF000000) return NOBODY;
    return address < 0xFF800000 ? NIC_SLAVE : PERIPHERAL_SLAVE;
}
inline bool is_device(uint32_t address) { return address >= 0xFF000000; }

enum Kind : uint8_t { READ, WRITE, ATOMIC };

// An access to data, of bytes of one doubleword. Lane 0, of the lowest address, is the most significant byte.
struct Made {
    Kind kind;
    uint8_t mask;
    uint32_t address;  // of the doubleword
    uint64_t data;  // written, in its lanes
    bool err;
    bool operator==(const Made &o) const {
        return kind == o.kind && mask == o.mask && address == o.address && data == o.data && err == o.err;
    }
};

inline uint64_t lanes_of(uint8_t mask) {
    uint64_t lanes = 0;
    for (int i = 0; i < 8; i++)
        if (mask & (0x80 >> i)) lanes |= 0xFFull << (56 - 8 * i);
    return lanes;
}

// What a program's run has of these.
struct Setup {
    uint64_t seed;
    uint32_t errors;  // one access in so many is answered with an error; 0: none
    bool has_bad;  // there are addresses that are answered with an error
    bool lies;  // devices give other words from the fourth access on
};

// The memories and devices of one side.
class World {
public:
    std::vector<uint8_t> rom, dram, local;

    void begin(const Setup &setup, const uint8_t *image, uint32_t bytes, bool junk) {
        setup_ = setup;
        rom.assign(ROM_BYTES, 0);
        std::copy(image, image + bytes, rom.begin());
        dram.resize(DRAM_BYTES);
        local.resize(LOCAL_BYTES);
        Random random{setup.seed * 2 + 1};
        for (std::vector<uint8_t> *memory : {&dram, &local})
            for (size_t i = 0; i < memory->size(); i += 4) {
                const uint32_t word = junk ? random.next() : 0;
                for (int k = 0; k < 4; k++) (*memory)[i + k] = uint8_t(word >> (24 - 8 * k));
            }
        for (uint32_t &n : count_) n = 0;
    }

    bool is_bad(uint32_t address) const {
        if (!setup_.has_bad) return false;
        const uint32_t offset = address & 0x0FFFFFFF;
        switch (slave_of(address)) {
            case DRAM_SLAVE:
                return offset >= DRAM_BYTES - 64 || (offset >= 0x8FE0 && offset < 0x9000) || (offset & ~31u) == 0x8080;
            case LOCAL_SLAVE:
                return offset >= LOCAL_BYTES - 64 || (offset & ~7u) == 0x8FE8 || (offset & ~7u) == 0x8088;
            case NIC_SLAVE:
                return (offset & 0x1FF) >= 0x1C0;
            default:
                return false;
        }
    }

    uint8_t *at(uint32_t address) {
        if (address < ROM_BYTES) return &rom[address];
        if (address - DRAM < DRAM_BYTES) return &dram[address - DRAM];
        if (address - LOCAL < LOCAL_BYTES) return &local[address - LOCAL];
        return nullptr;
    }
    bool is_there(uint32_t address) {  // may be read
        if (is_device(address)) return address - NIC < DEVICE_BYTES || address - PERIPHERAL < DEVICE_BYTES;
        return at(address) != nullptr;
    }
    uint64_t dword(uint32_t address) {  // of memory
        uint64_t value = 0;
        for (uint32_t i = 0; i < 8; i++) value = value << 8 | *at((address & ~7u) + i);
        return value;
    }

    // What a cache reads, or a fetch. False: an error.
    bool look(uint32_t address, uint64_t &data) {
        data = 0;
        if (is_device(address) || !at(address) || is_bad(address)) return false;
        data = dword(address);
        return true;
    }

    // False: an error. `read` has all lanes of a memory, of a device those of the word.
    bool access(Made &made, uint64_t &read) {
        const Slave slave = slave_of(made.address);
        uint32_t number = 0;
        const bool counts = slave != ROM_SLAVE && (slave != DRAM_SLAVE || made.kind != READ);
        if (counts) number = count_[slave]++;
        const uint32_t draw = mixed(setup_.seed, 1 + slave, number);
        const bool unlucky = counts && setup_.errors && draw % setup_.errors == 0;
        const uint32_t first = made.address + uint32_t(__builtin_clz(uint32_t(made.mask) << 24 | 1 << 23));
        const uint64_t written = made.data;
        read = 0;
        made.err = true;
        if (made.kind == ATOMIC) made.data = 0;  // unless its read succeeds
        if (!is_there(first) || is_bad(first)) return false;
        if (is_device(first)) {
            if ((made.mask != 0xF0 && made.mask != 0x0F) || (unlucky && made.kind != WRITE)) return false;
            const uint64_t value =
                device(first, mixed(setup_.seed, 0x100 + slave, number + (setup_.lies && number > 2)));
            read = value << 32 | value;
            made.err = unlucky;
            return !unlucky;
        }
        if (made.kind != WRITE) {
            if (unlucky && draw >> 31) return false;
            read = dword(made.address);
            made.data = written;
        }
        if (made.kind != READ) {
            if (slave == ROM_SLAVE) return false;
            for (int i = 0; i < 8; i++)
                if (made.mask & (0x80 >> i)) *at(made.address + uint32_t(i)) = uint8_t(made.data >> (56 - 8 * i));
        }
        made.err = unlucky;
        return !unlucky;
    }

    // What the read of an atomic finds, whose write comes with access(). False: an error.
    bool preview(const Made &atomic, uint64_t &data) {
        const Slave slave = slave_of(atomic.address);
        const uint32_t draw = mixed(setup_.seed, 1 + slave, count_[slave]);
        const bool unlucky = slave != ROM_SLAVE && setup_.errors && draw % setup_.errors == 0 && draw >> 31;
        return look(atomic.address, data) && !unlucky;
    }

private:
    // Three words of the first device are of use to a program of random words.
    static uint32_t device(uint32_t address, uint32_t value) {
        switch (address - NIC) {
            case 0x180:  // an instruction of its body
                return 0x2000 + (value >> 19 & 0x1FFC);
            case 0x184:  // PSR: PIL and PS; ET is 0, S is 1
                return (value & 0xF40) | 0x80;
            case 0x188:  // WIM
                return value >> 28 ? 0 : 1u << (value & 7);
            default:
                return value;
        }
    }

    Setup setup_{};
    uint32_t count_[SLAVES] = {};
};

struct Request {
    bool lock, read, fetch;
    uint8_t mask;
    uint64_t address, data;
};

[[noreturn]] void fail(const char *why, uint64_t value);

// The RTL's accesses to data in order, slave by slave, with what has become of them.
struct Logged {
    Made made;
    uint64_t answered;  // in which cycle; 0: not yet
};

// Slaves work through their requests in order, each at its own pace; answers go back in the order of requests.
class Acb {
public:
    World world;
    uint64_t now = 1 << 16;
    std::deque<Logged> log[SLAVES];
    uint64_t logged[SLAVES] = {}, taken[SLAVES] = {};  // numbers of the next one, of the first one in `log`

    void begin(uint64_t seed, int stall, int latency) {
        random_ = {seed * 0x9E3779B97F4A7C15ull + 1};
        stall_ = stall;
        latency_ = latency;
        locked_ = offered_ = false;
        flights_.clear();
        for (int i = 0; i < SLAVES; i++) last_due_[i] = 0, log[i].clear(), logged[i] = taken[i] = 0;
    }

    // One in four, one in two, three in four cycles refused.
    bool ready() { return stall_ == 0 || random_.below(4) >= uint32_t(stall_); }

    void accept(const Request &r) {
        if (r.address >> 32) fail("a request above 32 bits", r.address);
        if (locked_ && (r.lock || r.read || r.address != locked_address_))
            fail("an access in a locked pair", r.address);
        if (r.lock && !r.read) fail("a locked write", r.address);
        if (r.fetch && r.address >= 0x60000000) fail("a fetch outside executable memory", r.address);
        const uint32_t address = uint32_t(r.address);
        Flight f{r, slave_of(address), 0, locked_, false, false, 0, 0};
        if (locked_ && r.mask && r.mask != locked_mask_) fail("another mask in the second half of an atomic", r.mask);
        locked_ = r.lock;
        locked_address_ = r.address;
        locked_mask_ = r.mask;
        const uint64_t wait = f.slave == NOBODY ? 1 : uint64_t(latency_) + (stall_ ? random_.below(4u << stall_) : 0);
        f.due = std::max(now + wait, last_due_[f.slave] + 1);
        last_due_[f.slave] = f.due;
        if (is_device(address)) {
            for (const Flight &o : flights_) {
                if (o.done || o.slave == f.slave) continue;
                if (!o.request.read) fail("a device access overtakes a store", r.address);
                if (!o.request.fetch && o.request.mask != 0xFF && !r.read)
                    fail("a device store overtakes a load", r.address);
            }
        }
        if (flights_.size() >= 16) fail("more than 16 requests under way", r.address);
        flights_.push_back(f);
    }

    void step() {
        for (Flight &f : flights_)
            if (!f.done && f.due <= now) execute(f);
    }

    // Does an answer stand at the port in this cycle? Once offered it stays.
    bool offer() {
        if (!offered_ && !flights_.empty() && flights_.front().done && ready()) offered_ = true;
        return offered_;
    }
    uint64_t data() const { return flights_.front().data; }
    bool err() const { return flights_.front().err; }
    bool busy() const { return !flights_.empty(); }
    void answered() {
        const Flight &f = flights_.front();
        if (f.number) {
            const uint64_t place = f.number - 1;
            if (place >= taken[f.slave]) log[f.slave][place - taken[f.slave]].answered = now;
            else if (Late *late = find_late(f.slave, place)) late->answered = now;
        }
        flights_.pop_front();
        offered_ = false;
    }

    // An access that the simulator has retired, and which is answered with an error. The RTL hears of it some time.
    struct Late {
        Slave slave;
        uint64_t number;
        bool store;
        uint32_t address;
        uint64_t answered;
    };
    std::vector<Late> late;

private:
    struct Flight {
        Request request;
        Slave slave;
        uint64_t due;
        bool second;  // of an atomic
        bool done, err;
        uint64_t data;
        uint64_t number;  // in the log, from 1 on
    };

    Late *find_late(Slave slave, uint64_t number) {
        for (Late &l : late)
            if (l.slave == slave && l.number == number) return &l;
        return nullptr;
    }

    void execute(Flight &f) {
        f.done = true;
        const Request &r = f.request;
        const uint32_t address = uint32_t(r.address) & ~7u;
        if (r.fetch || (r.read && !r.lock && (f.slave == ROM_SLAVE || f.slave == DRAM_SLAVE))) {
            f.err = !world.look(address, f.data);
            return;
        }
        if (r.lock) {  // what comes of it shows when the second half is known
            atomic_ = {ATOMIC, r.mask, address, 0, false};
            atomic_err_ = f.err = !world.preview(atomic_, f.data);
            return;
        }
        Made made{r.read ? READ : WRITE, r.mask, address, r.read ? 0 : r.data & lanes_of(r.mask), false};
        if (f.second) {
            if (atomic_err_ != (r.mask == 0)) fail("an atomic writes although its read failed, or does not", r.address);
            made = atomic_;
            made.data = r.data & lanes_of(r.mask);
        }
        f.err = !world.access(made, f.data);
        log[f.slave].push_back({made, 0});
        f.number = ++logged[f.slave];
    }

    Random random_{1};
    int stall_ = 0, latency_ = 0;
    bool locked_ = false, offered_ = false, atomic_err_ = false;
    uint64_t locked_address_ = 0;
    uint8_t locked_mask_ = 0;
    Made atomic_{};
    std::deque<Flight> flights_;
    uint64_t last_due_[SLAVES] = {};
};

}  // namespace v8

#endif
