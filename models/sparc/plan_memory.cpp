// SPDX-License-Identifier: Apache-2.0
//
// What a load or store would do, and which trap it has before it reaches memory.
#include "cpu.h"

namespace sparc {

namespace {

// clang-format off: op3 of loads and stores: bit 4 is that of the forms with an alternate space.
enum : unsigned {
    LD = 0x00, LDUB = 0x01, LDUH = 0x02, LDD = 0x03, ST = 0x04, STB = 0x05, STH = 0x06, STD = 0x07, LDSB = 0x09,
    LDSH = 0x0A, LDSTUB = 0x0D, SWAP = 0x0F, ALTERNATE = 0x10,
    LDF = 0x20, LDFSR = 0x21, LDDF = 0x23, STF = 0x24, STFSR = 0x25, STDFQ = 0x26, STDF = 0x27,
    LDC = 0x30, LDCSR = 0x31, LDDC = 0x33, STC = 0x34, STCSR = 0x35, STDCQ = 0x36, STDC = 0x37,
};
// clang-format on

constexpr bool is_pair(unsigned operation) { return operation == LDD || operation == STD; }

}  // namespace

void Cpu::plan_load(Plan &plan, unsigned kind, unsigned bytes, bool is_signed) const {
    const unsigned rd = plan.word >> 25 & 31;
    plan.access.kind = static_cast<uint8_t>(kind);
    plan.access.bytes = static_cast<uint8_t>(bytes);
    plan.is_signed = is_signed;
    plan_write(plan, rd, 0);  // the values come with the answer
    if (bytes == 8) plan_write(plan, rd | 1, 0);
}

void Cpu::plan_store(Plan &plan, unsigned bytes) const {
    const unsigned rd = plan.word >> 25 & 31;
    plan.access.kind = NSOC_SPARC_WRITE;
    plan.access.bytes = static_cast<uint8_t>(bytes);
    const uint64_t value = bytes == 8 ? uint64_t{r(rd)} << 32 | r(rd | 1) : r(rd);
    plan.access.written = value & (~uint64_t{0} >> (64 - 8 * bytes));
}

Trap Cpu::plan_memory(Plan &plan) const {
    const uint32_t word = plan.word;
    const unsigned op3 = word >> 19 & 63, rd = word >> 25 & 31;
    const bool supervisor = s_.psr & PSR_S, immediate = word >> 13 & 1;
    switch (op3) {
        case STDFQ:
        case STDCQ:
            if (!supervisor) return PRIVILEGED_INSTRUCTION;
            return op3 == STDFQ ? FP_DISABLED : CP_DISABLED;
        case LDF:
        case LDFSR:
        case LDDF:
        case STF:
        case STFSR:
        case STDF:
            return FP_DISABLED;
        case LDC:
        case LDCSR:
        case LDDC:
        case STC:
        case STCSR:
        case STDC:
            return CP_DISABLED;
        default:
            break;
    }
    const bool alternate = op3 & ALTERNATE;
    const unsigned operation = op3 & ~ALTERNATE;
    Access &access = plan.access;
    switch (operation) {
        case LD:
            plan_load(plan, NSOC_SPARC_READ, 4, false);
            break;
        case LDUB:
            plan_load(plan, NSOC_SPARC_READ, 1, false);
            break;
        case LDUH:
            plan_load(plan, NSOC_SPARC_READ, 2, false);
            break;
        case LDD:
            plan_load(plan, NSOC_SPARC_READ, 8, false);
            break;
        case LDSB:
            plan_load(plan, NSOC_SPARC_READ, 1, true);
            break;
        case LDSH:
            plan_load(plan, NSOC_SPARC_READ, 2, true);
            break;
        case ST:
            plan_store(plan, 4);
            break;
        case STB:
            plan_store(plan, 1);
            break;
        case STH:
            plan_store(plan, 2);
            break;
        case STD:
            plan_store(plan, 8);
            break;
        case LDSTUB:
            plan_load(plan, NSOC_SPARC_LDSTUB, 1, false);
            access.written = 0xFF;
            break;
        case SWAP:
            plan_load(plan, NSOC_SPARC_SWAP, 4, false);
            access.written = r(rd);
            break;
        default:
            return ILLEGAL_INSTRUCTION;
    }
    if (alternate && !supervisor) return PRIVILEGED_INSTRUCTION;
    if ((alternate && immediate) || (is_pair(operation) && rd & 1)) return ILLEGAL_INSTRUCTION;
    access.address = operand1(word) + operand2(word);
    access.asi = supervisor ? SUPERVISOR_DATA : USER_DATA;
    if (alternate) access.asi = static_cast<uint8_t>(word >> 5);
    if (access.address & (access.bytes - 1u)) return NOT_ALIGNED;
    plan.may_overlap = access.kind == NSOC_SPARC_READ && access.bytes <= 4;
    if (!alternate) return NO_TRAP;
    const Space *space = find_space(access.asi);
    if (!space) return DATA_ACCESS;
    switch (space->kind) {
        case Space::MEMORY:
            break;
        case Space::PAST_CACHES:
            plan.may_overlap = false;
            break;
        case Space::NOTHING:
            plan.fault = FAULT_ANSWER;
            return DATA_ACCESS;
        case Space::CONTROL: {
            const bool plain = access.kind == NSOC_SPARC_READ || access.kind == NSOC_SPARC_WRITE;
            if (!plain || access.bytes != 4) return DATA_ACCESS;
            plan.control = space;
        }
    }
    return NO_TRAP;
}

}  // namespace sparc
