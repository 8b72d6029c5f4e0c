// SPDX-License-Identifier: Apache-2.0
#include "cpu_view.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "Vsim_top.h"
#include "Vsim_top___024root.h"
#include "nsoc_map.h"

// A signal inside the core of a processor slot, by its place in the hierarchy.
#ifdef NSOC_IS_SPARC
#define SLOT g_sparc__DOT__u_v8_slot
#else
#define SLOT g_rv32__DOT__u_rv_slot
#endif
#define AT(core, path) AT_SLOT(core, SLOT, path)
#define AT_SLOT(core, slot, path) AT_NAMED(core, slot, path)
#define AT_NAMED(core, slot, path) \
    sim_top__DOT__u_nsoc__DOT__g_slot__BRA__##core##__KET____DOT__u_cpu_slot__DOT__##slot##__DOT__##path

// Those that are looked at: name here, place there. First what both cores have.
#define SHARED(S)                                           \
    S(loads_head, u_core__DOT__u_loads__DOT__head_q)        \
    S(loads_tail, u_core__DOT__u_loads__DOT__tail_q)        \
    S(idle, u_core__DOT__idle)                              \
    S(memory_valid, u_lsu__DOT__valid_q)                    \
    S(memory_address, u_lsu__DOT__address_q)                \
    S(memory_reads, u_debug_lsu__DOT__reads)                \
    S(memory_writes, u_debug_lsu__DOT__writes)              \
    S(memory_bytes, u_debug_lsu__DOT__bytes)                \
    S(csr, u_debug_port__DOT__csr)                          \
    S(loaded, u_debug_port__DOT__loaded)                    \
    S(faulted, u_debug_port__DOT__faulted)                  \
    S(filling, u_lsu__DOT__filling_q)                       \
    S(cache_tags, u_lsu__DOT__u_array__DOT__tags)           \
    S(stores, u_lsu__DOT__u_store_buffer__DOT__entries)     \
    S(stores_head, u_lsu__DOT__u_store_buffer__DOT__head_q) \
    S(stores_tail, u_lsu__DOT__u_store_buffer__DOT__tail_q) \
    S(stores_on_bus, u_biu__DOT__stores_q)
#ifdef NSOC_IS_SPARC
#define OWN(S)                                                                     \
    S(flush, u_debug_port__DOT__flush)                                             \
    S(flush_target, u_debug_port__DOT__flush_target)                               \
    S(mem_stall, u_debug_port__DOT__mem_stall)                                     \
    S(m_valid, u_debug_port__DOT__m_valid)                                         \
    S(m_ends, u_debug_port__DOT__m_ends)                                           \
    S(m_annulled, u_debug_port__DOT__m_annulled)                                   \
    S(m_mul, u_debug_port__DOT__m_mul)                                             \
    S(m_pc, u_debug_port__DOT__m_pc)                                               \
    S(m_npc, u_debug_port__DOT__m_npc)                                             \
    S(m_cwp, u_debug_port__DOT__m_cwp)                                             \
    S(m_link, u_core__DOT__u_commit__DOT__m_link_q)                                \
    S(x_valid, u_debug_port__DOT__x_valid)                                         \
    S(x_annulled, u_debug_port__DOT__x_annulled)                                   \
    S(x_early, u_debug_port__DOT__x_early)                                         \
    S(x_pc, u_debug_port__DOT__x_pc)                                               \
    S(x_npc, u_debug_port__DOT__x_npc)                                             \
    S(x_cwp, u_debug_port__DOT__x_cwp)                                             \
    S(d_jump, u_core__DOT__u_issue__DOT__u_flow__DOT__jump_q)                      \
    S(d_target, u_core__DOT__u_issue__DOT__u_flow__DOT__target_q)                  \
    S(d_annulled, u_core__DOT__u_issue__DOT__u_flow__DOT__annulled_q)              \
    S(product_high, u_debug_port__DOT__product_high)                               \
    S(d_valid, u_debug_port__DOT__d_valid)                                         \
    S(d_pc, u_debug_port__DOT__d_pc)                                               \
    S(f_pc, u_debug_port__DOT__f_pc)                                               \
    S(w_rd_we, u_debug_port__DOT__w_rd_we)                                         \
    S(w_rd, u_debug_port__DOT__w_rd)                                               \
    S(w_result, u_debug_port__DOT__w_result)                                       \
    S(registers, u_core__DOT__u_issue__DOT__u_operands__DOT__u_regfile__DOT__regs) \
    S(cwp, u_core__DOT__cwp)                                                       \
    S(psr, u_core__DOT__psr)                                                       \
    S(wim, u_core__DOT__wim)                                                       \
    S(tbr, u_core__DOT__tbr)                                                       \
    S(y, u_core__DOT__y)                                                           \
    S(error, u_core__DOT__u_commit__DOT__error_q)                                  \
    S(error_type, u_core__DOT__u_commit__DOT__error_type)                          \
    S(error_pc, u_core__DOT__u_commit__DOT__error_pc)                              \
    S(cycles, u_core__DOT__u_state__DOT__cycles_q)                                 \
    S(stop, u_core__DOT__u_state__DOT__stop_q)                                     \
    S(stalls, u_core__DOT__u_state__DOT__g_stalls__DOT__counts)                    \
    S(why, u_core__DOT__u_state__DOT__g_stalls__DOT__why_q)                        \
    S(counting, u_core__DOT__u_state__DOT__g_stalls__DOT__counting_q)
#else
#define OWN(S)                                                    \
    S(flush, u_core__DOT__u_commit__DOT__flush_q)                 \
    S(flush_target, u_core__DOT__u_commit__DOT__flush_target_q)   \
    S(mem_stall, u_core__DOT__mem_stall)                          \
    S(m_valid, u_core__DOT__m_valid_q)                            \
    S(m_pc, u_core__DOT__m_pc_q)                                  \
    S(x_valid, u_core__DOT__x_valid_q)                            \
    S(x_pc, u_core__DOT__x_pc_q)                                  \
    S(d_valid, u_core__DOT__d_valid_q)                            \
    S(d_pc, u_core__DOT__d_pc_q)                                  \
    S(f_pc, u_core__DOT__f_pc)                                    \
    S(w_rd_we, u_core__DOT__w_rd_we_q)                            \
    S(w_rd, u_core__DOT__w_rd_q)                                  \
    S(w_result, u_core__DOT__w_result_q)                          \
    S(registers, u_core__DOT__u_issue__DOT__u_regfile__DOT__regs) \
    S(mcycle, u_core__DOT__u_csr__DOT__mcycle_q)                  \
    S(stop_cycle, u_core__DOT__u_csr__DOT__stop_cycle_q)          \
    S(stalls, u_core__DOT__u_csr__DOT__g_stalls__DOT__counts)     \
    S(why, u_core__DOT__u_csr__DOT__g_stalls__DOT__why_q)         \
    S(counting, u_core__DOT__u_csr__DOT__g_stalls__DOT__counting)
#endif
#define SIGNALS(S) SHARED(S) OWN(S)

struct CpuView::Signals {
#define DECLARE(name, path) decltype(Vsim_top___024root::AT(0, path)) &name;
    SIGNALS(DECLARE)
};

namespace {

// Zero bits that the RTL leaves out at the end of instruction addresses.
#ifdef NSOC_IS_SPARC
constexpr unsigned PC_SHIFT = 2;
#else
constexpr unsigned PC_SHIFT = 1;
#endif

}  // namespace

CpuView::Signals CpuView::signals_of(Vsim_top___024root &root, unsigned core) {
#define OF_0(name, path) root.AT(0, path),
#define OF_1(name, path) root.AT(1, path),
#define OF_2(name, path) root.AT(2, path),
#define OF_3(name, path) root.AT(3, path),
    switch (core) {
        case 0:
            return {SIGNALS(OF_0)};
#if NSOC_CORES > 1
        case 1:
            return {SIGNALS(OF_1)};
#endif
#if NSOC_CORES > 2
        case 2:
            return {SIGNALS(OF_2)};
#endif
#if NSOC_CORES > 3
        case 3:
            return {SIGNALS(OF_3)};
#endif
    }
    throw std::out_of_range("there is no such core");
}

CpuView::CpuView(Vsim_top &top, unsigned core)
    : top_(top), core_(core), signals_(std::make_unique<Signals>(signals_of(*top.rootp, core))), at(*signals_) {}

CpuView::~CpuView() = default;

bool CpuView::moving() const { return at.m_valid && !at.mem_stall; }

bool CpuView::leaving() const {
#ifdef NSOC_IS_SPARC
    if (!at.m_ends) return false;
#endif
    return moving();
}

bool CpuView::slot_goes_by() const {
#ifdef NSOC_IS_SPARC
    if (at.flush) return false;
    return at.m_valid ? at.m_annulled : at.x_valid ? at.x_annulled : at.d_annulled;
#else
    return false;
#endif
}

bool CpuView::diverted() const { return at.flush; }

bool CpuView::empty() const { return !at.m_valid && !at.x_valid && !at.d_valid; }

CpuView::Place CpuView::next() const {
    const auto followed = [](uint32_t pc) { return Place{pc << PC_SHIFT, (pc << PC_SHIFT) + 4}; };
    // The oldest one is always on the right path.
#ifdef NSOC_IS_SPARC
    if (at.error) return {at.error_pc, at.error_pc + 4};
    if (at.m_valid) return {at.m_pc << PC_SHIFT, at.m_npc << PC_SHIFT};
    if (at.x_valid) return {at.x_pc << PC_SHIFT, at.x_npc << PC_SHIFT};
    Place place = followed(at.flush ? at.flush_target : at.d_valid ? at.d_pc : at.f_pc);
    if (at.d_jump) place.npc = at.d_target << PC_SHIFT;
    return place;
#else
    if (at.flush) return followed(at.flush_target);
    if (at.m_valid) return followed(at.m_pc);
    if (at.x_valid) return followed(at.x_pc);
    return followed(at.d_valid ? at.d_pc : at.f_pc);
#endif
}

bool CpuView::links_under_way() const {
#ifdef NSOC_IS_SPARC
    return at.m_link != 0;
#else
    return false;
#endif
}

#ifdef NSOC_IS_SPARC
CpuView::Early CpuView::now() const { return {at.psr << 3, at.wim, at.tbr, at.y}; }
#endif

void CpuView::remember() {
#ifdef NSOC_IS_SPARC
    early_ = at.x_valid && at.x_early;
    if (!early_) return;
    before_ = now();
    if (leaving() && at.m_mul) before_.y = at.product_high;
#endif
}

// The instruction in MEM has come there at the last edge, and has written a state register as it did.
bool CpuView::early() const {
#ifdef NSOC_IS_SPARC
    return early_ && at.m_valid;
#else
    return false;
#endif
}

// The window of the next instruction. DECODE may be at another one.
unsigned CpuView::window() const {
#ifdef NSOC_IS_SPARC
    return at.m_valid ? at.m_cwp : at.x_valid ? at.x_cwp : at.cwp;
#else
    return 0;
#endif
}

// Where the register file has a register of the program.
unsigned CpuView::in_file(unsigned number) const {
#ifdef NSOC_IS_SPARC
    constexpr unsigned globals = 128, ins = 24;  // as v8_pkg numbers them
    if (number < 8) return globals + number;
    return (window() + (number >= ins)) % 8 * 16 + number % 16;
#else
    return number;
#endif
}

uint32_t CpuView::x(unsigned number) const {
    if (number == 0) return 0;
    return filed(in_file(number));
}

uint32_t CpuView::filed(unsigned place) const {
    if (at.w_rd_we && at.w_rd == place) return at.w_result;
    return at.registers[place];
}

std::optional<uint32_t> CpuView::csr(unsigned number) const {
#ifdef NSOC_IS_SPARC
    constexpr uint32_t icc = 0xF << 20;  // that of all instructions which are done
    const Early state = early() ? before_ : now();
    switch (number) {
        case PSR:
            return (state.psr & ~icc) | (at.psr << 3 & icc) | window();
        case WIM:
            return state.wim;
        case TBR:
            return state.tbr;
        case Y:
            return state.y;
    }
    constexpr unsigned others[] = {BUS_CONTROL, IRQ_MASK, 21, COUNTER_CONTROL, 25, 26, 27, 29, 30, 31};
    if (std::find(std::begin(others), std::end(others), number) == std::end(others)) return std::nullopt;
    pulse(LOOK, number);
    pulse(LOOKED);
    return at.csr;
#else
    if (!nsoc_map::csr::exists(number)) return std::nullopt;
    pulse(LOOK, number);
    pulse(LOOKED);
    return at.csr;
#endif
}

std::optional<CpuView::Access> CpuView::access() const {
    if (!at.memory_valid) return std::nullopt;
    return Access{at.memory_address, at.memory_bytes, at.memory_reads != 0, at.memory_writes != 0};
}

unsigned CpuView::stores_under_way() const {
    const unsigned depth = sizeof at.stores / sizeof at.stores[0];
    const unsigned waiting = (at.stores_tail - at.stores_head) & (2 * depth - 1);
    return waiting + at.stores_on_bus;
}

unsigned CpuView::store_number() const { return at.stores_tail; }

CpuView::Store CpuView::newest_store() const {
    const unsigned depth = sizeof at.stores / sizeof at.stores[0];
    const auto &entry = at.stores[(at.stores_tail - 1) & (depth - 1)];
    // {address, mask, data}; mask and data in bus lanes, the lowest address first
    constexpr unsigned bytes = STORE_BYTES;
    const auto bits = [&](unsigned from, unsigned count) {
        const uint64_t words = entry[from / 32] | (from % 32 ? uint64_t{entry[from / 32 + 1]} << 32 : 0);
        return static_cast<uint32_t>(words >> from % 32 & ((uint64_t{1} << count) - 1));
    };
    const unsigned mask = bits(8 * bytes, bytes);
    Store store{bits(9 * bytes, 32) & ~(bytes - 1), {}, {}};
    for (unsigned i = 0; i < bytes; ++i) {
        store.bytes[i] = static_cast<uint8_t>(bits(8 * (bytes - 1 - i), 8));
        store.written[i] = mask >> (bytes - 1 - i) & 1;
    }
    return store;
}

bool CpuView::loads_under_way() const { return at.loads_head != at.loads_tail; }

bool CpuView::drained() const { return stores_under_way() == 0 && !loads_under_way() && !at.w_rd_we && !at.filling; }

bool CpuView::watch() {
#ifdef NSOC_IS_SPARC
    if (at.error) return true;
    if (!leaving()) return false;
    const uint32_t pc = at.m_pc << PC_SHIFT;
    // One that is done again was not done before; with delay slots, none follows itself.
    if (left_count_ == 0 || left_[(left_count_ - 1) % LEFT] != pc) left_[left_count_++ % LEFT] = pc;
#endif
    return false;
}

std::optional<CpuView::Stopped> CpuView::stopped() const {
#ifdef NSOC_IS_SPARC
    if (!at.error) return std::nullopt;
    Stopped stopped{at.error_type, at.error_pc, {}};
    for (uint64_t i = left_count_ - std::min<uint64_t>(left_count_, LEFT); i < left_count_; ++i)
        stopped.last.push_back(left_[i % LEFT]);
    return stopped;
#else
    return std::nullopt;
#endif
}

bool CpuView::sleeps() const { return at.idle && at.x_valid; }

void CpuView::sleep(uint64_t cycles) {
#ifdef NSOC_IS_SPARC
    if (!at.stop) at.cycles += cycles;
#else
    if (!at.stop_cycle) at.mcycle += cycles;
#endif
    if (at.counting) at.stalls[at.why] += static_cast<uint32_t>(cycles);
}

bool CpuView::in_reset() const {
#ifdef NSOC_IS_SPARC
    return at.cycles == 0;
#else
    return at.mcycle == 0;
#endif
}

void CpuView::wake() { pulse(WAKE); }

void CpuView::divert(uint32_t pc) {
#ifdef NSOC_IS_SPARC
    const bool undo = early();
    const Early state = before_;
    const uint32_t psr = *csr(PSR);
    pulse(DIVERT, 0, pc);
    if (!undo) return;
    pulse(CSR, PSR, psr);
    pulse(CSR, WIM, state.wim);
    pulse(CSR, TBR, state.tbr);
    pulse(CSR, Y, state.y);
    early_ = false;
#else
    pulse(DIVERT, 0, pc);
#endif
}

void CpuView::go_on(Place place) {
#ifdef NSOC_IS_SPARC
    if (place.npc != place.pc + 4) pulse(BEHIND, 0, place.npc);
#endif
}

void CpuView::check_csr(unsigned number, uint32_t value) const {
#ifdef NSOC_IS_SPARC
    constexpr unsigned written[] = {Y, BUS_CONTROL, IRQ_MASK, COUNTER_CONTROL, PSR, WIM, TBR};
    if (std::find(std::begin(written), std::end(written), number) == std::end(written))
        throw std::invalid_argument("this state register is read-only");
    if (number == PSR && (value & 0x1F) >= 8)
        throw std::invalid_argument("bits 4 to 0 of psr are a window, of which there are 0 to 7");
#else
    if (number >> 10 == 3) throw std::invalid_argument("this CSR is read-only");
#endif
}

bool CpuView::put_csr(unsigned number, uint32_t value) {
    pulse(CSR, number, value);
#ifdef NSOC_IS_SPARC
    return false;
#else
    return true;
#endif
}

void CpuView::put_load(uint32_t address, unsigned log2_bytes) { pulse(LOAD, log2_bytes, address); }

void CpuView::put_store(uint32_t address, unsigned log2_bytes, uint32_t data) {
    pulse(STORE, log2_bytes, address, data);
}

std::optional<uint32_t> CpuView::see_access() {
    pulse(SEE);
    if (at.faulted) return std::nullopt;
    return at.loaded;
}

void CpuView::accessed() { pulse(ACCESSED); }

void CpuView::pulse(What what, unsigned number, uint32_t value, uint32_t data) const {
    top_.debug_what = what;
    top_.debug_number = static_cast<uint16_t>(number);
    top_.debug_value = value;
    top_.debug_data = data;
    top_.debug_clk = 1u << core_;
    top_.eval();
    top_.debug_clk = 0;
    top_.eval();
}

void CpuView::set_x(unsigned number, uint32_t value) {
    if (number != 0) set_filed(in_file(number), value);
}

void CpuView::set_filed(unsigned place, uint32_t value) { at.registers[place] = value; }

void CpuView::drop_data_cache() {
    auto &tags = at.cache_tags;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) tags[i] = 0;
}
