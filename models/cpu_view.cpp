// SPDX-License-Identifier: Apache-2.0
#include "cpu_view.h"

#include "Vsim_top.h"
#include "Vsim_top___024root.h"

// A signal inside the processor slot, by its place in the hierarchy.
#define CPU(path) root.sim_top__DOT__u_nsoc__DOT__u_cpu_slot__DOT__##path
#define CORE(name) CPU(u_core__DOT__##name)
#define CSR(name) CPU(u_core__DOT__u_csr__DOT__##name)
#define LSU(name) CPU(u_lsu__DOT__##name)
#define LOADS(name) CPU(u_core__DOT__u_loads__DOT__##name)
#define STORE_BUFFER(name) CPU(u_lsu__DOT__u_store_buffer__DOT__##name)

namespace {

// Zero bits that the RTL leaves out at the end of instruction addresses.
constexpr unsigned PC_SHIFT = 1;

// mem_op_t and mem_kind_t of rv_pkg.
enum MemKind { MEM_LOAD = 1, MEM_STORE = 2, MEM_LR = 3, MEM_SC = 4, MEM_AMO = 5 };
constexpr unsigned KIND_SHIFT = 8, SIZE_SHIFT = 5;

}  // namespace

CpuView::CpuView(Vsim_top &top) : top_(top), root(*top.rootp) {
    csrs_[0x300] = [this] { return 0x1800u | CSR(mpie_q) << 7 | CSR(mie_bit_q) << 3; };  // mstatus; MPP is always M
    csrs_[0x304] = [this] { return CSR(enabled); };                                       // mie
    csrs_[0x305] = [this] { return CSR(mtvec_base_q) << 2 | CSR(mtvec_vectored_q); };
    csrs_[0x340] = [this] { return CSR(mscratch_q); };
    csrs_[0x341] = [this] { return CSR(mepc_q) << PC_SHIFT; };
    csrs_[0x342] = [this] { return (CSR(mcause_q) >> 5) << 31 | (CSR(mcause_q) & 31u); };
    csrs_[0x343] = [this] { return CSR(mtval_q); };
    csrs_[0x344] = [this] { return CSR(pending); };                                       // mip
    csrs_[0xB00] = [this] { return static_cast<uint32_t>(CSR(mcycle_q)); };
    csrs_[0xB80] = [this] { return static_cast<uint32_t>(CSR(mcycle_q) >> 32); };
    csrs_[0xB02] = [this] { return static_cast<uint32_t>(CSR(minstret_q)); };
    csrs_[0xB82] = [this] { return static_cast<uint32_t>(CSR(minstret_q) >> 32); };
}

bool CpuView::leaving() const { return CORE(m_valid_q) && !CORE(mem_stall); }

bool CpuView::diverted() const { return CORE(flush_q); }

bool CpuView::empty() const { return !CORE(m_valid_q) && !CORE(x_valid_q) && !CORE(d_valid_q); }

uint32_t CpuView::next_pc() const {
    // The oldest one is always on the right path.
    if (CORE(flush_q)) return CORE(flush_target_q) << PC_SHIFT;
    if (CORE(m_valid_q)) return CORE(m_pc_q) << PC_SHIFT;
    if (CORE(x_valid_q)) return CORE(x_pc_q) << PC_SHIFT;
    if (CORE(d_valid_q)) return CORE(d_pc_q) << PC_SHIFT;
    return CORE(f_pc) << PC_SHIFT;
}

uint32_t CpuView::x(unsigned number) const {
    if (number == 0) return 0;
    if (CORE(w_rd_we_q) && CORE(w_rd_q) == number) return CORE(w_result_q);
    return CPU(u_core__DOT__u_regfile__DOT__regs)[number];
}

std::optional<uint32_t> CpuView::csr(unsigned number) const {
    const auto found = csrs_.find(number);
    if (found == csrs_.end()) return std::nullopt;
    return found->second();
}

std::optional<CpuView::Access> CpuView::access() const {
    if (!LSU(valid_q)) return std::nullopt;
    const unsigned kind = LSU(op_q) >> KIND_SHIFT & 7;
    Access access{LSU(address_q), 1u << (LSU(op_q) >> SIZE_SHIFT & 3), false, false};
    access.reads = kind == MEM_LOAD || kind == MEM_LR || kind == MEM_AMO;
    access.writes = kind == MEM_STORE || kind == MEM_SC || kind == MEM_AMO;
    return access;
}

unsigned CpuView::stores_under_way() const {
    const unsigned depth = sizeof STORE_BUFFER(entries) / sizeof STORE_BUFFER(entries)[0];
    const unsigned waiting = (STORE_BUFFER(tail_q) - STORE_BUFFER(head_q)) & (2 * depth - 1);
    return waiting + CPU(u_biu__DOT__stores_q);
}

unsigned CpuView::store_number() const { return STORE_BUFFER(tail_q); }

CpuView::Store CpuView::newest_store() const {
    const unsigned depth = sizeof STORE_BUFFER(entries) / sizeof STORE_BUFFER(entries)[0];
    const auto &entry = STORE_BUFFER(entries)[(STORE_BUFFER(tail_q) - 1) & (depth - 1)];
    // {address, mask, word}; mask and word in bus lanes, the lowest address first
    const uint32_t word = entry[0], mask = entry[1] & 15, address = entry[2] << 28 | entry[1] >> 4;
    Store store{address & ~3u, {}, {}};
    for (unsigned i = 0; i < 4; ++i) {
        store.bytes[i] = static_cast<uint8_t>(word >> (24 - 8 * i));
        store.written[i] = mask >> (3 - i) & 1;
    }
    return store;
}

bool CpuView::loads_under_way() const { return LOADS(head_q) != LOADS(tail_q); }

bool CpuView::drained() const {
    return stores_under_way() == 0 && !loads_under_way() && !CORE(w_rd_we_q) && !LSU(filling_q);
}

void CpuView::divert(uint32_t pc) {
    top_.debug_pc = pc;
    top_.debug_clk = 1;
    top_.eval();
    top_.debug_clk = 0;
    top_.eval();
}

void CpuView::set_x(unsigned number, uint32_t value) {
    if (number != 0) CPU(u_core__DOT__u_regfile__DOT__regs)[number] = value;
}

void CpuView::drop_data_cache() {
    auto &tags = LSU(u_array__DOT__tags);
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) tags[i] = 0;
}
