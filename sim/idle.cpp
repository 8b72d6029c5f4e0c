// SPDX-License-Identifier: Apache-2.0
#include "idle.h"

#include <algorithm>
#include <cstring>

#include "Vsim_top___024root.h"

// Computes what lies between the registers anew. Verilator's own, for the first evaluation.
void Vsim_top___024root___eval_settle(Vsim_top___024root *root);

#define SOC(path) root.sim_top__DOT__u_nsoc__DOT__##path
#define MAC(path) SOC(u_mac__DOT__u_core__DOT__##path)
#define PACE(name) SOC(u_nic__DOT__g_pace__DOT__u_pace__DOT__##name)
// A parameter of the RTL.
#define PARAMETER(path) Vsim_top___024root::sim_top__DOT__u_nsoc__DOT__##path

namespace {

constexpr uint64_t HANDS = 6;

// sync_handshake with a word always waiting: one change of level goes round through six registers, three in each clock.
// registers[0] is sent_q, [3] seen_q, the others those of the synchronizers behind them.
struct Ring {
    CData *registers[HANDS];

    void pass(Clock wr, Clock rd, uint64_t to) const {
        CData sent = *registers[0];
        unsigned reached = 1;  // so many registers show what was sent last
        while (reached < HANDS && *registers[reached] == sent) ++reached;
        for (;;) {
            // The next register follows with the first edge of its clock behind that of the one before.
            const uint64_t now = (reached < 4 ? rd : wr).next;
            if (now > to) break;
            wr.pass(wr.until(now));
            rd.pass(rd.until(now));
            if (reached < HANDS) {
                ++reached;
                continue;
            }
            reached = 1;
            const Rounds rounds = whole_rounds(now, to, wr.period, rd.period, rd.next - now);
            sent ^= 1 ^ (rounds.count & 1);
            wr.pass(wr.until(rounds.end));
            rd.pass(rd.until(rounds.end));
        }
        for (unsigned i = 0; i < HANDS; ++i) *registers[i] = i < reached ? sent : !sent;
    }

private:
    struct Rounds {
        uint64_t end, count;
    };

    // From one edge of wr that sends to another, the last one until `to`. The next edge of rd is `ahead` behind the
    // first.
    static Rounds whole_rounds(uint64_t begin, uint64_t to, uint64_t wr, uint64_t rd, uint64_t ahead) {
        Rounds rounds{begin, 0};
        const uint64_t first_ahead = ahead;
        bool repeats = false;
        for (;;) {
            const uint64_t length = ((ahead + 2 * rd) / wr + 3) * wr;
            if (rounds.end + length > to) return rounds;
            rounds.end += length;
            ++rounds.count;
            ahead = rd - (length - ahead) % rd;
            if (ahead == first_ahead && !repeats) {  // from here on all is as it was
                repeats = true;
                const uint64_t times = (to - rounds.end) / (rounds.end - begin);
                rounds.end += times * (rounds.end - begin);
                rounds.count += times * rounds.count;
            }
        }
    }
};

template <typename Field>
void add(Field &field, uint64_t count, unsigned bits) {
    field = static_cast<Field>((field + count) & ((uint64_t{1} << bits) - 1));
}

template <size_t WORDS>
void add_product(VlWide<WORDS> &sum, const VlWide<WORDS> &factor, uint64_t count, unsigned bits) {
    unsigned __int128 carry = 0;
    const uint64_t low = count & 0xFFFFFFFF, high = count >> 32;
    for (size_t i = 0; i < WORDS; ++i) {
        carry += uint64_t{sum[i]};
        carry += low * factor[i];
        if (i > 0) carry += high * factor[i - 1];
        sum[i] = static_cast<uint32_t>(carry);
        carry >>= 32;
    }
    sum[WORDS - 1] &= (uint32_t{1} << bits % 32) - 1;
}

uint64_t dword(uint64_t value, unsigned) { return value; }

template <size_t WORDS>
uint64_t dword(const VlWide<WORDS> &wide, unsigned index) {
    return uint64_t{wide[2 * index + 1]} << 32 | wide[2 * index];
}

}  // namespace

Idle::Idle(Vsim_top &top, bool one_clock) : root_(top.rootp), one_clock_(one_clock) {}

uint64_t Idle::next_event(const TopClocks &clocks) const {
    const auto &root = *root_;
#if NSOC_CONNECTIONS
    return 0;  // the engine's counters and deadlines are not passed yet
#endif
    // A pause frame would be repeated.
    if (MAC(u_pause__DOT__crowded_q)) return 0;
    // The turns of both ticks are seen one by one.
    if (2 * user(clocks).period > std::min(8 * clocks[CPU].period, 64 * clocks[TX].period)) return 0;
    uint64_t edges = NEVER;
    for (unsigned hart = 0; hart < NSOC_CORES; ++hart) {
        const uint64_t compare = dword(SOC(u_timer__DOT__compare_q), hart), time = SOC(u_timer__DOT__time_q);
        if (compare >= time) edges = std::min(edges, compare - time);
    }
    const Clock &cpu = clocks[CPU];
    return edges > (NEVER - cpu.next) / cpu.period ? NEVER : cpu.next + edges * cpu.period;
}

// Byte times that begin on the line with so many edges of gmii_tx_clk.
uint64_t Idle::line_steps(uint64_t edges) const {
    const auto &root = *root_;
    return MAC(tx_mii_q) ? (edges + SOC(u_mac__DOT__u_gmii_tx__DOT__step_q)) / 2 : edges;
}

// nic_tx_pace, and what it looks at.
void Idle::pass_pace(const TopClocks &clocks, uint64_t to) {
    auto &root = *root_;
    constexpr unsigned TICK_STEPS = PARAMETER(u_mac__DOT__u_core__DOT__TICK_STEPS);
    const Clock &user = this->user(clocks);
    const uint64_t edges = user.until(to);
    // As an edge at that time sees them.
    const auto line_turns = [&](uint64_t time) {
        return (MAC(steps_q) + line_steps(clocks[TX].before(time))) / TICK_STEPS;
    };
    const auto line_tick = [&](uint64_t time) { return MAC(tick_q) ^ (line_turns(time) & 1); };
    const auto edge = [&](uint64_t number) { return user.next + (number - 1) * user.period; };  // the next one is 1

#if !NSOC_QUEUES_IN_MEMORY && !NSOC_CONNECTIONS
    const auto memory_tick = [&](uint64_t time) { return (SOC(memory_cycles_q) + clocks[CPU].before(time)) >> 3 & 1; };
    constexpr unsigned WINDOW = PARAMETER(u_nic__DOT__g_pace__DOT__u_pace__DOT__WINDOW);
    constexpr unsigned NIC_CYCLES = PARAMETER(u_nic__DOT__g_pace__DOT__u_pace__DOT__NIC_CYCLES);
    constexpr unsigned MEMORY_TURNS = PARAMETER(u_nic__DOT__g_pace__DOT__u_pace__DOT__MEMORY_TURNS);
    const bool in_reset = PACE(cycles_q) == 0xFF && PACE(turns_q) == 0x1F;
    unsigned window = PACE(window_q), cycles = PACE(cycles_q), turns = PACE(turns_q);
    bool paced = PACE(paced_q), line_q = PACE(line_q), memory_q = PACE(memory_q);
    bool line_meta = MAC(u_line_tick__DOT__meta_q), line_sync = MAC(u_line_tick__DOT__sync_q);
    bool memory_meta = PACE(u_memory_tick__DOT__meta_q), memory_sync = PACE(u_memory_tick__DOT__sync_q);

    // What was before the last two windows is forgotten, but in which of the turns of a window this is.
    const uint64_t windows = (2 * WINDOW + 1) * TICK_STEPS * (MAC(tx_mii_q) ? 2 : 1) * clocks[TX].period;
    const uint64_t replayed = windows / user.period + 16;
    uint64_t done = 0;
    if (edges > replayed) {
        done = edges - replayed;
        window += (MAC(tick_q) ^ line_q) + line_turns(edge(done - 2));
        line_meta = line_tick(edge(done));
        line_sync = line_tick(edge(done - 1));
        line_q = line_tick(edge(done - 2));
        memory_meta = memory_tick(edge(done));
        memory_sync = memory_tick(edge(done - 1));
        memory_q = memory_tick(edge(done - 2));
    }
    while (done < edges && !in_reset) {
        const uint64_t time = edge(++done);
        const bool turned = line_sync != line_q, ends = turned && window % WINDOW == WINDOW - 1;
        if (ends) paced = cycles == 0 && turns == 0;
        window += turned;
        cycles = ends ? NIC_CYCLES : cycles - (cycles != 0);
        turns = ends ? MEMORY_TURNS : turns - (memory_sync != memory_q && turns != 0);
        line_q = line_sync;
        line_sync = line_meta;
        line_meta = line_tick(time);
        memory_q = memory_sync;
        memory_sync = memory_meta;
        memory_meta = memory_tick(time);
    }
    if (!in_reset) {
        PACE(window_q) = static_cast<CData>(window % WINDOW);
        PACE(cycles_q) = static_cast<CData>(cycles);
        PACE(turns_q) = static_cast<CData>(turns);
        PACE(paced_q) = paced;
        PACE(line_q) = line_q;
        PACE(memory_q) = memory_q;
        PACE(u_memory_tick__DOT__meta_q) = memory_meta;
        PACE(u_memory_tick__DOT__sync_q) = memory_sync;
    }
#endif
    if (edges >= 2) {
        MAC(u_line_tick__DOT__sync_q) = line_tick(edge(edges - 1));
        MAC(u_line_tick__DOT__meta_q) = line_tick(edge(edges));
    }
}

void Idle::pass(const TopClocks &clocks, uint64_t to) {
    auto &root = *root_;
    const Clock &user = this->user(clocks);
    const uint64_t user_edges = user.until(to), cpu_edges = clocks[CPU].until(to), tx_edges = clocks[TX].until(to);

#define SETTINGS_RING(name)                                                                                            \
    Ring {                                                                                                             \
        {                                                                                                              \
            &MAC(name##__DOT__u_settings__DOT__sent_q), &MAC(name##__DOT__u_settings__DOT__u_sent_in_rd__DOT__meta_q), \
                &MAC(name##__DOT__u_settings__DOT__u_sent_in_rd__DOT__sync_q),                                         \
                &MAC(name##__DOT__u_settings__DOT__seen_q),                                                            \
                &MAC(name##__DOT__u_settings__DOT__u_seen_in_wr__DOT__meta_q),                                         \
                &MAC(name##__DOT__u_settings__DOT__u_seen_in_wr__DOT__sync_q)                                          \
        }                                                                                                              \
    }
    SETTINGS_RING(u_rx_settings).pass(user, clocks[RX], to);
    SETTINGS_RING(u_tx_settings).pass(user, clocks[TX], to);

    pass_pace(clocks, to);  // looks at the counters as they were
    add(SOC(memory_cycles_q), cpu_edges, 4);

    constexpr unsigned TICK_STEPS = PARAMETER(u_mac__DOT__u_core__DOT__TICK_STEPS);
    constexpr uint64_t AGE_MOST = uint64_t{1} << PARAMETER(u_mac__DOT__u_core__DOT__u_pause__DOT__REPEAT_W);
    const uint64_t steps = line_steps(tx_edges), turned = MAC(steps_q) + steps;
    auto &age = MAC(u_pause__DOT__age_q);
    if (age < AGE_MOST) age = static_cast<IData>(std::min(age + steps, AGE_MOST));
    MAC(tick_q) ^= turned / TICK_STEPS & 1;
    MAC(steps_q) = static_cast<CData>(turned % TICK_STEPS);
    if (MAC(tx_mii_q)) SOC(u_mac__DOT__u_gmii_tx__DOT__step_q) ^= tx_edges & 1;

    // Counts though there is no word to count in.
    auto &bytes = SOC(u_mac__DOT__u_gmii_tx__DOT__bytes_q);
    bytes = static_cast<CData>((bytes - steps) & 7);

    auto &time = SOC(u_nic__DOT__u_time__DOT__counter_q);
    const auto gray_behind = [&](uint64_t edges) {  // time_gray_q behind so many edges
        if (edges == 0) return MAC(time_gray_q);
        const auto low = static_cast<uint32_t>(time + edges - 1);
        return low ^ low >> 1;
    };
    const auto pass_gray = [&](const Clock &clock, IData &meta, IData &sync) {
        const uint64_t edges = clock.until(to);
        if (edges < 2) return;
        const uint64_t last = clock.next + (edges - 1) * clock.period;
        meta = gray_behind(user.before(last));
        sync = gray_behind(user.before(last - clock.period));
    };
    pass_gray(clocks[RX], MAC(u_time_in_rx__DOT__meta_q), MAC(u_time_in_rx__DOT__sync_q));
    pass_gray(clocks[TX], MAC(u_time_in_tx__DOT__meta_q), MAC(u_time_in_tx__DOT__sync_q));
    MAC(time_gray_q) = gray_behind(user_edges);
    time += user_edges;
    add_product(SOC(u_nic__DOT__u_time__DOT__g_ptp__DOT__u_ptp__DOT__now_q),
                SOC(u_nic__DOT__u_time__DOT__g_ptp__DOT__u_ptp__DOT__addend_q), user_edges, 92);
    SOC(u_timer__DOT__time_q) += cpu_edges;
    Vsim_top___024root___eval_settle(root_);
}

// All of the model's state lies in one object, in front of pointers that do not change; nothing in it owns memory.
std::vector<char> Idle::image() const {
    const char *const begin = reinterpret_cast<const char *>(root_);
    return {begin, reinterpret_cast<const char *>(&root_->vlSymsp)};
}

void Idle::set_image(const std::vector<char> &image) {
    std::memcpy(static_cast<void *>(root_), image.data(), image.size());
}
