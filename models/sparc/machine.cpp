// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <algorithm>
#include <stdexcept>

#include <sys/mman.h>

#include "nsoc_map.h"

namespace sparc {

using namespace nsoc_map;

namespace {

constexpr uint32_t NO_LINE = 0xFFFF'FFFF;
constexpr uint32_t RESET_DIVISOR = 8;

uint8_t *room(uint64_t bytes) {
    // Promised, and taken page by page as it is touched.
    void *found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) throw std::runtime_error("the system has no room for the simulated memory");
    return static_cast<uint8_t *>(found);
}

uint64_t big_endian(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

void put_big_endian(uint8_t *at, unsigned bytes, uint64_t value) {
    for (unsigned i = bytes; i-- > 0; value >>= 8) at[i] = static_cast<uint8_t>(value);
}

void low(uint64_t &word, uint32_t value) { word = (word & ~uint64_t{0xFFFF'FFFF}) | value; }
void high(uint64_t &word, uint32_t value) { word = (word & 0xFFFF'FFFF) | uint64_t{value} << 32; }

}  // namespace

Machine::Machine(const nsoc_sparc_config_t &config)
    : cpu_(*this, config),
      hart_offset_(uint64_t{config.hart} * config.hart_stride),
      uart_line_(config.uart_line),
      divisor_(RESET_DIVISOR) {
    const auto add = [this](uint64_t base, uint64_t bytes, bool writable) {
        memories_.push_back({base, bytes, writable, room(bytes)});
    };
    add(DRAM_BASE, config.dram_bytes, true);
    add(BOOT_ROM_BASE, BOOT_ROM_BYTES, false);
    add(PACKET_MEMORY_BASE, PACKET_MEMORY_BYTES, true);
}

Machine::~Machine() {
    for (const Memory &memory : memories_) munmap(memory.content, memory.bytes);
}

const Machine::Memory *Machine::find(uint64_t address, uint64_t bytes) const {
    for (const Memory &memory : memories_)
        if (address - memory.base < memory.bytes && bytes <= memory.bytes - (address - memory.base)) return &memory;
    return nullptr;
}

uint8_t *Machine::memory(uint64_t address, uint64_t bytes) {
    const Memory *found = find(address, bytes);
    if (!found) throw std::out_of_range("there is no memory at all of these addresses");
    return found->content + (address - found->base);
}

void Machine::answer(uint64_t address, uint64_t bytes, int answer) {
    answers_.push_back({address, address + (bytes - 1), answer});
}

void Machine::add_device(uint64_t address, uint64_t bytes, nsoc_sparc_device_t device, void *context) {
    devices_.push_back({address, address + (bytes - 1), device, context});
}

int Machine::special_answer(uint64_t address, unsigned bytes) const {
    for (auto last = answers_.rbegin(); last != answers_.rend(); ++last)
        if (address <= last->last && address + (bytes - 1) >= last->first) return last->answer;
    return NSOC_SPARC_OK;
}

bool Machine::fetch(uint32_t address, bool, uint32_t &word) {
    const Memory *found = find(address, 4);
    if (!found || special_answer(address, 4) != NSOC_SPARC_OK) return false;
    word = static_cast<uint32_t>(big_endian(found->content + (address - found->base), 4));
    return true;
}

// As the RTL's cpu_regions_pkg: what belongs to the ROM reaches up to DRAM, what belongs to the local memory behind it.
bool Machine::is_cached(uint64_t address) const { return address < DRAM_BASE + DRAM_BYTES; }

bool Machine::is_postable(uint64_t address) const {
    constexpr uint64_t behind_local = 0x6000'0000, behind_devices = AFB_BASE + AFB_BYTES;
    return (address >= DRAM_BASE && address < behind_local) || (address >= AFB_BASE && address < behind_devices);
}

int Machine::access(Access &access) {
    const int special = special_answer(access.address, access.bytes);
    if (special != NSOC_SPARC_OK) return special;
    const bool reads = access.kind != NSOC_SPARC_WRITE, writes = access.kind != NSOC_SPARC_READ;
    if (const Memory *found = find(access.address, access.bytes)) {
        if (writes && !found->writable) return NSOC_SPARC_REFUSED;
        uint8_t *at = found->content + (access.address - found->base);
        if (reads) access.read = big_endian(at, access.bytes);
        if (writes) put_big_endian(at, access.bytes, access.written);
        return NSOC_SPARC_OK;
    }
    for (auto device = devices_.rbegin(); device != devices_.rend(); ++device)
        if (access.address >= device->first && access.address <= device->last)
            return device->access(device->context, &access);
    if (access.bytes > 4 || access.kind == NSOC_SPARC_LDSTUB) return NSOC_SPARC_REFUSED;

    // Of a register those bytes, the highest at the lowest address.
    const uint64_t in_word = access.address % 4, address = access.address - in_word;
    const unsigned behind = static_cast<unsigned>(4 - in_word - access.bytes);
    const bool has_lowest = behind == 0;
    const uint32_t mask = (access.bytes == 4 ? ~0u : (1u << 8 * access.bytes) - 1) << 8 * behind;
    if (writes) {  // a swap gives what the bus answers to the write: these devices answer 0
        if (address == UART_BASE + uart::TX_DATA && !has_lowest) return NSOC_SPARC_OK;
        const uint32_t kept = mask == ~0u ? 0 : read_device(address, false).value_or(0) & ~mask;
        const uint32_t value = kept | (static_cast<uint32_t>(access.written) << 8 * behind & mask);
        return write_device(address, value) ? NSOC_SPARC_OK : NSOC_SPARC_REFUSED;
    }
    const std::optional<uint32_t> value = read_device(address, has_lowest);
    access.read = (value.value_or(0) & mask) >> 8 * behind;
    return value ? NSOC_SPARC_OK : NSOC_SPARC_REFUSED;
}

// With `takes` a received byte is taken.
std::optional<uint32_t> Machine::read_device(uint64_t address, bool takes) {
    switch (address) {
        case UART_BASE + uart::RX_DATA: {
            if (received.empty()) return 0;
            const uint32_t byte = received.front();
            if (takes) received.pop_front();
            return byte | uart::RX_DATA_VALID;
        }
        case UART_BASE + uart::TX_DATA:
            return 0;
        case UART_BASE + uart::STATUS:
            return uart::STATUS_TX_IDLE | (received.empty() ? 0 : uart::STATUS_RX_VALID);
        case UART_BASE + uart::DIVISOR:
            return divisor_;
        default:
            break;
    }
    address -= hart_offset_;
    switch (address) {
        case TIMER_BASE + timer::MTIME_LOW:
            return static_cast<uint32_t>(time());
        case TIMER_BASE + timer::MTIME_HIGH:
            return static_cast<uint32_t>(time() >> 32);
        case TIMER_BASE + timer::MTIMECMP_LOW:
            return static_cast<uint32_t>(compare_);
        case TIMER_BASE + timer::MTIMECMP_HIGH:
            return static_cast<uint32_t>(compare_ >> 32);
        case TIMER_BASE + timer::MSIP:
            return software_;
        case INTC_BASE + intc::PENDING:
            return lines();
        case INTC_BASE + intc::ENABLE:
            return enabled_;
        case INTC_BASE + intc::HIGHEST: {
            const uint32_t both = lines() & enabled_;
            return both ? static_cast<uint32_t>(__builtin_ctz(both)) : NO_LINE;
        }
        default:
            return std::nullopt;
    }
}

bool Machine::write_device(uint64_t address, uint32_t value) {
    switch (address) {
        case UART_BASE + uart::TX_DATA:
            sent += static_cast<char>(value);
            return true;
        case UART_BASE + uart::RX_DATA:
        case UART_BASE + uart::STATUS:
            return true;
        case UART_BASE + uart::DIVISOR:
            divisor_ = value & 0xFFFF;
            return true;
        default:
            break;
    }
    address -= hart_offset_;
    const uint64_t before = time();
    uint64_t now = before;
    switch (address) {
        case TIMER_BASE + timer::MTIME_LOW:
            low(now, value);
            break;
        case TIMER_BASE + timer::MTIME_HIGH:
            high(now, value);
            break;
        case TIMER_BASE + timer::MTIMECMP_LOW:
            low(compare_, value);
            return true;
        case TIMER_BASE + timer::MTIMECMP_HIGH:
            high(compare_, value);
            return true;
        case TIMER_BASE + timer::MSIP:
            software_ = value & timer::MSIP_PENDING;
            return true;
        case INTC_BASE + intc::PENDING:
        case INTC_BASE + intc::HIGHEST:
            return true;
        case INTC_BASE + intc::ENABLE:
            enabled_ = value;
            return true;
        default:
            return false;
    }
    time_offset_ += now - before;
    return true;
}

uint32_t Machine::lines() const { return received.empty() ? 0 : 1u << uart_line_; }

uint32_t Machine::levels() const {
    const auto level = [](bool pending, Level number) { return uint32_t{pending} << number; };
    return level(lines() & enabled_, LEVEL_UART) | level(time() >= compare_, LEVEL_TIMER) |
           level(software_ != 0, LEVEL_SOFTWARE);
}

// The processor waits for an interrupt that its mask lets in: time goes on to the next one. False: there will be none.
bool Machine::wake() {
    if (cpu_.let_in(levels()) == 0) {
        if (time() >= compare_ || compare_ == ~uint64_t{0} || cpu_.let_in(1u << LEVEL_TIMER) == 0) return false;
        time_offset_ += compare_ - time();
    }
    cpu_.wake();
    return true;
}

Step Machine::step(const Events &events) {
    if (events.store_error) cpu_.late_store_error(events.address);
    if (events.load_error) cpu_.late_load_error(events.address);
    if (events.sets_counter) cpu_.set_counter(events.counter);
    cpu_.set_stalls(events.stalls);
    return cpu_.step(events.levels, false);
}

int Machine::run(uint64_t steps, uint32_t stop_pc, const std::string &text) {
    size_t seen = sent.size();
    for (; steps > 0; steps--) {
        const State &state = cpu_.state();
        if (state.pc == stop_pc && !state.annul) return NSOC_SPARC_STOPPED;
        if (state.sleeping && !wake()) return NSOC_SPARC_ASLEEP;
        if (step().kind == NSOC_SPARC_ERROR_MODE) return NSOC_SPARC_IN_ERROR_MODE;
        if (sent.size() == seen) continue;
        seen = sent.size();
        const size_t length = text.size();
        if (length != 0 && seen >= length && sent.compare(seen - length, length, text) == 0) return NSOC_SPARC_PRINTED;
    }
    return NSOC_SPARC_LIMIT;
}

}  // namespace sparc
