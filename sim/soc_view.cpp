// SPDX-License-Identifier: Apache-2.0
#include "soc_view.h"

#include <cinttypes>
#include <cstdio>
#include <type_traits>

#include "Vsim_top.h"
#include "Vsim_top___024root.h"
#include "dram_store.h"
#include "nsoc_map.h"

// A signal inside the SoC, by its place in the hierarchy. --flatten keeps these names whatever Verilator inlines.
#define SOC(path) root.sim_top__DOT__u_nsoc__DOT__##path
#define DRAM(path) root.sim_top__DOT__##path
#define DRAM_MERGE(name) DRAM(u_controller__DOT__u_merge__DOT__##name)
#define RX_ENGINE(name) SOC(u_nic__DOT__u_rx_engine__DOT__##name)
#define TX_ENGINE(name) SOC(u_nic__DOT__u_tx_engine__DOT__##name)
// NSOC_<parameter> is what the model was built with (build.py).
#define IN_QUEUES(index, path) \
    SOC(u_nic__DOT__g_queues__DOT__u_queues__DOT__g_queue__BRA__##index##__KET____DOT__##path)
#if NSOC_QUEUES_IN_MEMORY
#define QUEUE(index, name) IN_QUEUES(index, u_queue__DOT__##name)
#else
#define QUEUE(index, name) IN_QUEUES(index, g_there__DOT__u_queue__DOT__##name)
#endif

namespace {

using nsoc_map::BOOT_ROM_BASE, nsoc_map::DRAM_BASE, nsoc_map::DRAM_BYTES, nsoc_map::PACKET_MEMORY_BASE;
constexpr uint64_t WORD_BYTES = 8;

using Values = SocView::Values;

// The RTL keeps pointers without their three zero bits.
uint64_t address(uint64_t pointer) { return pointer << 3; }

#if NSOC_QUEUES_IN_MEMORY
using nsoc_map::MEMORY_QUEUE_ENTRIES, nsoc_map::MEMORY_QUEUE_INDICES;

uint32_t big_endian(const uint8_t *bytes) {
    return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

// Bits `low` to `low + width - 1` of a signal wider than 64 bits.
template <typename Wide>
uint64_t bits(const Wide &wide, unsigned low, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= uint64_t{wide[(low + i) / 32] >> (low + i) % 32 & 1u} << i;
    return value;
}

// The pointers of a queue in memory, none when the NIC has not been told of it or its indices make no sense. Throws
// std::out_of_range when firmware has put it where no memory is.
Values queued(const SocView &view, const std::string &name, uint64_t base, uint32_t entries) {
    Values pointers;
    if (entries == 0) return pointers;
    std::vector<uint8_t> bytes(MEMORY_QUEUE_ENTRIES + 4 * entries);
    try {
        view.peek(base, bytes.data(), bytes.size());
    } catch (const std::out_of_range &problem) {
        throw std::out_of_range("firmware has put the queue " + name + " where " + problem.what());
    }
    const uint32_t head = big_endian(&bytes[MEMORY_QUEUE_INDICES]), tail = big_endian(&bytes[MEMORY_QUEUE_INDICES + 4]);
    if (tail - head > entries) return pointers;
    for (uint32_t i = head; i != tail; ++i)
        pointers.push_back(big_endian(&bytes[MEMORY_QUEUE_ENTRIES + 4 * (i % entries)]));
    return pointers;
}
#else
template <typename Words>
Values queued(const Words &mem, unsigned pop_index, unsigned occupancy) {
    Values pointers;
    for (unsigned i = 0; i < occupancy; ++i) pointers.push_back(address(mem[(pop_index + i) % 64]));
    return pointers;
}
#endif

// Slots of an engine from the oldest to the newest; `in` and `out` count modulo twice their number.
template <typename Slots>
Values in_slots(const Slots &pointers, unsigned in, unsigned out) {
    constexpr unsigned slots = sizeof pointers / sizeof pointers[0];
    Values found;
    for (unsigned i = out; i != in; i = (i + 1) % (2 * slots)) found.push_back(address(pointers[i % slots]));
    return found;
}

Values rx_pointers(const Vsim_top___024root &root) {
    Values found = in_slots(RX_ENGINE(slot_pointer), RX_ENGINE(in_q), RX_ENGINE(out_q));
    if (RX_ENGINE(storing)) found.push_back(address(RX_ENGINE(pointer_q)));
    if (RX_ENGINE(next_valid_q)) found.push_back(address(RX_ENGINE(next_q)));
    if (RX_ENGINE(fetching_q)) found.push_back(address(RX_ENGINE(fetched)));
    return found;
}

Values tx_pointers(const Vsim_top___024root &root) {
    Values found = in_slots(TX_ENGINE(slot_pointer), TX_ENGINE(in_q), TX_ENGINE(out_q));
    if (TX_ENGINE(taking) && !found.empty())
        found.back() = address(TX_ENGINE(taken));  // in its slot with the next edge
    return found;
}

// The L2 cache, where the RTL was built with one: where the newest value of a dword of DRAM is.
#define L2(path) sim_top__DOT__u_nsoc__DOT__u_l2__DOT__g_cache__DOT__u_cache__DOT__##path

template <typename Root, typename = void>
struct L2Cache {
    explicit L2Cache(Root &) {}
    uint64_t *find(uint64_t) const { return nullptr; }
};

template <typename Root>
struct L2Cache<Root, std::void_t<decltype(Root::L2(data))>> {
    static constexpr unsigned WAYS = 4, LINE = 64;
    Root &root;

    explicit L2Cache(Root &root) : root(root) {}

    // Null: in DRAM. A line that is on its way out is in its place until the victim buffer has all of it, and there
    // until DRAM has answered; a place that is being filled holds nothing yet.
    uint64_t *find(uint64_t address) const {
        const auto tags = {&root.L2(g_way__BRA__0__KET____DOT__tags), &root.L2(g_way__BRA__1__KET____DOT__tags),
                           &root.L2(g_way__BRA__2__KET____DOT__tags), &root.L2(g_way__BRA__3__KET____DOT__tags)};
        const uint64_t sets = sizeof root.L2(data) / LINE / WAYS;
        const uint64_t line = address / LINE, set = line % sets, dword = address / WORD_BYTES % (LINE / WORD_BYTES);
        const uint64_t valid = (uint64_t{1} << 30) / sets;  // above the tag: an address has 36 bits
        for (unsigned way = 0; way < WAYS; ++way) {
            if ((*tags.begin()[way])[set] != (valid | line / sets)) continue;
            const bool replaced = root.L2(miss_q) && root.L2(victim_q) == way && root.L2(victim_line_q) % sets == set;
            if (!replaced || root.L2(moving)) return &root.L2(data)[(set * WAYS + way) * (LINE / WORD_BYTES) + dword];
        }
        if (root.L2(open_q) && root.L2(buffer_line_q) == line) return &root.L2(victim_buffer)[dword];
        return nullptr;
    }
};

// The counters of the TCP/IP engine, where the RTL was built with one, in the order of their registers.
#define TOE(path) sim_top__DOT__u_nsoc__DOT__g_toe__DOT__u_toe__DOT__##path
#define TOE_STATS(name) TOE(u_tcp__DOT__u_commands__DOT__u_stats__DOT__##name)

template <typename Root, typename = void>
struct EngineCounters {
    static constexpr bool THERE = false;
    static Values tcp(const Root &) { return {}; }
    static Values udp(const Root &) { return {}; }
};

template <typename Root>
struct EngineCounters<Root, std::void_t<decltype(Root::TOE_STATS(counters))>> {
    static constexpr bool THERE = true;

    // What is in the memory, waits for its turn there, or is on its way.
    static Values tcp(const Root &root) {
        constexpr unsigned count = sizeof Root::TOE_STATS(counters) / sizeof Root::TOE_STATS(counters)[0];
        constexpr unsigned width = 8 * sizeof Root::TOE_STATS(small_q) / 32 / (count / 32);
        Values values(count);
        if (root.TOE_STATS(first_q)) return values;  // it is cleared
        for (unsigned i = 0; i < count; ++i) {
            uint64_t small = 0;
            for (unsigned bit = 0; bit < width; ++bit) {
                const unsigned at = i * width + bit;
                small |= uint64_t{root.TOE_STATS(small_q)[at / 32] >> at % 32 & 1u} << bit;
            }
            uint64_t value = root.TOE_STATS(counters)[i];
            if (root.TOE_STATS(write_valid_q) && root.TOE_STATS(writes_q) == i) value = root.TOE_STATS(sum_q);
            if (root.TOE_STATS(add_valid_q) && root.TOE_STATS(adds_q) == i) value += root.TOE_STATS(amount_q);
            values[i] = static_cast<uint32_t>(value + small);
        }
        return values;
    }

    static Values udp(const Root &root) {
        const auto &counters = root.TOE(u_udp__DOT__counters_q);
        constexpr unsigned count = sizeof counters / sizeof counters[0];
        Values values;
        for (unsigned i = 0; i < count; ++i) values.push_back(counters[i]);
        return values;
    }
};

// Writes that the DRAM's controller has answered and not made yet.
constexpr unsigned HELD = 4, BURST_BYTES = 64;

// The newest held byte at an offset into DRAM, or what DRAM itself holds.
uint8_t dram_byte(const Vsim_top___024root &root, const uint8_t *dram, uint64_t offset) {
    const uint64_t *const lanes[] = {
#define LANE(index) &DRAM_MERGE(g_lane__BRA__##index##__KET____DOT__mem)[0]
        LANE(0), LANE(1), LANE(2), LANE(3), LANE(4), LANE(5), LANE(6), LANE(7),
    };
    const unsigned bit = offset % BURST_BYTES ^ (WORD_BYTES - 1);
    for (unsigned i = DRAM_MERGE(writes_q); i-- > 0;) {
        const unsigned entry = (DRAM_MERGE(write_at_q) + i) % HELD;
        if (DRAM_MERGE(line_q)[entry] == offset / BURST_BYTES && DRAM_MERGE(mask_q)[entry] >> bit & 1)
            return static_cast<uint8_t>(lanes[bit / 8][entry] >> bit % 8 * 8);
    }
    return dram[offset];
}

// What is written behind the SoC's back is newer than what is held.
void set_dram_byte(Vsim_top___024root &root, uint8_t *dram, uint64_t offset, uint8_t value) {
    const unsigned bit = offset % BURST_BYTES ^ (WORD_BYTES - 1);
    for (unsigned i = 0; i < DRAM_MERGE(writes_q); ++i) {
        const unsigned entry = (DRAM_MERGE(write_at_q) + i) % HELD;
        if (DRAM_MERGE(line_q)[entry] == offset / BURST_BYTES) DRAM_MERGE(mask_q)[entry] &= ~(uint64_t{1} << bit);
    }
    dram[offset] = value;
}

}  // namespace

uint64_t SocView::dram_refresh_in() const {
    const auto &root = *root_;
    return DRAM(u_controller__DOT__u_scheduler__DOT__refi_q);
}

uint64_t SocView::dram_refresh_interval() {
    return Vsim_top___024root::sim_top__DOT__u_controller__DOT__u_scheduler__DOT__REFI;
}

bool SocView::dram_refreshed() const {
    const auto &root = *root_;
    const auto refreshed = static_cast<int64_t>(DRAM(u_memory__DOT__refreshed_q));  // below 0: never
    return DRAM(u_controller__DOT__u_scheduler__DOT__open_q) == 0 && refreshed >= 0;
}

void SocView::dram_skip(uint64_t edges, uint64_t refreshes) {
    auto &root = *root_;
    const uint64_t refreshing = refreshes * dram_refresh_interval();
    auto &to_next = DRAM(u_controller__DOT__u_scheduler__DOT__refi_q);
    to_next = static_cast<std::decay_t<decltype(to_next)>>(to_next + refreshing - edges);
    DRAM(u_memory__DOT__now_q) += edges;
    DRAM(u_memory__DOT__refreshed_q) += refreshing;
    DRAM(u_memory__DOT__due_q) += refreshing;
    DRAM(u_memory__DOT__refresh_by_q) += refreshing;
    dram_skipped_ += edges;
}

SocView::SocView(Vsim_top &top) : root_(top.rootp) {
    auto &root = *top.rootp;

    const auto add_words = [this](uint64_t base, auto &words) {
        memories_.push_back({base, sizeof words,
                             [&words](uint64_t offset) {
                                 const unsigned shift = 8 * (WORD_BYTES - 1 - offset % WORD_BYTES);
                                 return static_cast<uint8_t>(words[offset / WORD_BYTES] >> shift);
                             },
                             [&words](uint64_t offset, uint8_t value) {
                                 const unsigned shift = 8 * (WORD_BYTES - 1 - offset % WORD_BYTES);
                                 auto &word = words[offset / WORD_BYTES];
                                 word = (word & ~(uint64_t{0xFF} << shift)) | (uint64_t{value} << shift);
                             }});
    };
    add_words(BOOT_ROM_BASE, SOC(u_boot_rom__DOT__mem));
    add_words(PACKET_MEMORY_BASE, SOC(u_local_mem__DOT__mem));
    uint8_t *dram = nsoc_dram_bytes();
    const L2Cache l2(root);
    memories_.push_back({DRAM_BASE, DRAM_BYTES,
                         [&root, dram, l2](uint64_t offset) {
                             const uint64_t *word = l2.find(DRAM_BASE + offset);
                             const unsigned shift = 8 * (WORD_BYTES - 1 - offset % WORD_BYTES);
                             return word ? static_cast<uint8_t>(*word >> shift) : dram_byte(root, dram, offset);
                         },
                         [&root, dram, l2](uint64_t offset, uint8_t value) {
                             const unsigned shift = 8 * (WORD_BYTES - 1 - offset % WORD_BYTES);
                             if (uint64_t *word = l2.find(DRAM_BASE + offset))
                                 *word = (*word & ~(uint64_t{0xFF} << shift)) | (uint64_t{value} << shift);
                             set_dram_byte(root, dram, offset, value);
                         }});

    probes_["dram.edges_left_out"] = [this] { return Values{dram_skipped_}; };
    probes_["counters"] = [&root] {
        const auto &counts = SOC(u_nic__DOT__g_statistics__DOT__u_counters__DOT__count_q);
        Values values;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) values.push_back(counts[i]);
        return values;
    };
    using Engine = EngineCounters<Vsim_top___024root>;
    if (Engine::THERE) {
        probes_["toe.counters"] = [&root] { return Engine::tcp(root); };
        probes_["toe_udp.counters"] = [&root] { return Engine::udp(root); };
    }
#if NSOC_QUEUES_IN_MEMORY
    // While no operation is under way; a pointer that is being pushed is seen in both places.
    const auto add_queue = [this, &root](const char *name, unsigned index) {
        probes_[std::string("pointers.") + name] = [this, &root, name, index] {
            const auto &base = SOC(u_nic__DOT__u_regfile__DOT__queue_base_q);
            const uint64_t pointer = bits(base, 29 * index, 29);
            return queued(*this, name, address(pointer), SOC(u_nic__DOT__u_regfile__DOT__queue_setup_q) & 0x7F);
        };
    };
    add_queue("freeq", 0);
    add_queue("rxq0", 1);
    add_queue("txq0", 2);
    probes_["pointers.memory_queues"] = [&root] {
        Values found;
#define ADD_HELD(index)                                                         \
    if (QUEUE(index, push_q)) found.push_back(address(QUEUE(index, pushed_q))); \
    if (QUEUE(index, have_q)) found.push_back(address(QUEUE(index, popped_q)))
        ADD_HELD(0);
        ADD_HELD(1);
        ADD_HELD(2);
        return found;
    };
#else
#define ADD_QUEUE(name, index)                                                                  \
    probes_["pointers." name] = [&root] {                                                       \
        return queued(QUEUE(index, mem), QUEUE(index, pop_index_q), QUEUE(index, occupancy_q)); \
    }
    ADD_QUEUE("rxq0", 0);
    ADD_QUEUE("rxq1", 1);
    ADD_QUEUE("rxq2", 2);
    ADD_QUEUE("rxq3", 3);
    ADD_QUEUE("txq0", 4);
    ADD_QUEUE("txq1", 5);
    ADD_QUEUE("txq2", 6);
    ADD_QUEUE("txq3", 7);
    ADD_QUEUE("freeq", 8);
#endif
    probes_["pointers.rx_engine"] = [&root] { return rx_pointers(root); };
    probes_["pointers.tx_engine"] = [&root] { return tx_pointers(root); };

    // Frames stored whole (one that is being read out counts), and 8-byte words in use. The counters wrap.
#define ADD_FIFO(name, fifo)                                                                     \
    probes_["fifo." name] = [&root] {                                                            \
        const uint64_t depth = sizeof SOC(fifo##__DOT__mem) / sizeof SOC(fifo##__DOT__mem)[0];   \
        const uint64_t mask = 2 * depth - 1;                                                     \
        const uint64_t stored = (SOC(fifo##__DOT__frames_q) - SOC(fifo##__DOT__taken_q)) & mask; \
        const uint64_t used = (SOC(fifo##__DOT__wr_ptr_q) - SOC(fifo##__DOT__rd_ptr_q)) & mask;  \
        return Values{stored, used};                                                             \
    }
    ADD_FIFO("mac_rx", u_mac__DOT__u_core__DOT__u_rx_fifo);
    ADD_FIFO("mac_tx", u_mac__DOT__u_core__DOT__u_tx_fifo);
}

const SocView::Memory &SocView::memory_at(uint64_t address, uint64_t bytes) const {
    for (const Memory &memory : memories_) {
        if (address >= memory.base && bytes <= memory.bytes && address - memory.base <= memory.bytes - bytes)
            return memory;
    }
    char text[120];
    snprintf(text, sizeof text, "there is no memory for %" PRIu64 " bytes at address 0x%08" PRIX64, bytes, address);
    throw std::out_of_range(text);
}

void SocView::load(uint64_t address, const uint8_t *data, uint64_t bytes) {
    const Memory &memory = memory_at(address, bytes);
    for (uint64_t i = 0; i < bytes; ++i) memory.write(address - memory.base + i, data[i]);
}

void SocView::peek(uint64_t address, uint8_t *data, uint64_t bytes) const {
    const Memory &memory = memory_at(address, bytes);
    for (uint64_t i = 0; i < bytes; ++i) data[i] = memory.read(address - memory.base + i);
}

uint64_t SocView::word(uint64_t address) const {
    uint8_t bytes[4];
    try {
        peek(address, bytes, sizeof bytes);
    } catch (const std::out_of_range &) {
        return UINT64_MAX;
    }
    return uint64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}
