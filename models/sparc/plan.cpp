// SPDX-License-Identifier: Apache-2.0
//
// What an instruction would change, and which trap it has: all but loads and stores. Of two traps of an instruction the
// one with the higher priority is found first.
#include "cpu.h"

#include <limits>

namespace sparc {

namespace {

constexpr unsigned rd_field(uint32_t word) { return word >> 25 & 31; }
constexpr unsigned rs1_field(uint32_t word) { return word >> 14 & 31; }
constexpr unsigned op3_field(uint32_t word) { return word >> 19 & 63; }
constexpr bool annul_field(uint32_t word) { return word >> 29 & 1; }

// The lowest `bits` bits as a number with a sign.
constexpr uint32_t extended(uint32_t value, unsigned bits) {
    return static_cast<uint32_t>(static_cast<int32_t>(value << (32 - bits)) >> (32 - bits));
}

// clang-format off: op3, a row of the manual's table each
enum Operation : unsigned {
    ADD = 0x00, AND = 0x01, OR = 0x02, XOR = 0x03, SUB = 0x04, ANDN = 0x05, ORN = 0x06, XNOR = 0x07,
    ADDX = 0x08, UMUL = 0x0A, SMUL = 0x0B, SUBX = 0x0C, UDIV = 0x0E, SDIV = 0x0F, CC = 0x10,
    TADDCC = 0x20, TSUBCC = 0x21, TADDCCTV = 0x22, TSUBCCTV = 0x23, MULSCC = 0x24, SLL = 0x25, SRL = 0x26, SRA = 0x27,
    RDASR = 0x28, RDPSR = 0x29, RDWIM = 0x2A, RDTBR = 0x2B, WRASR = 0x30, WRPSR = 0x31, WRWIM = 0x32, WRTBR = 0x33,
    FPOP1 = 0x34, FPOP2 = 0x35, CPOP1 = 0x36, CPOP2 = 0x37, JMPL = 0x38, RETT = 0x39, TICC = 0x3A, FLUSH = 0x3B,
    SAVE = 0x3C, RESTORE = 0x3D,
};
// clang-format on

struct Result {
    uint32_t value, icc;
};

uint32_t sign_and_zero(uint32_t value) { return (value >> 31 ? uint32_t{N} : 0) | (value == 0 ? uint32_t{Z} : 0); }

Result add(uint32_t a, uint32_t b, uint32_t carry) {
    const uint64_t sum = uint64_t{a} + b + carry;
    const uint32_t value = static_cast<uint32_t>(sum);
    const bool overflow = (~(a ^ b) & (a ^ value)) >> 31;
    return {value, sign_and_zero(value) | (overflow ? uint32_t{V} : 0) | (sum >> 32 ? uint32_t{C} : 0)};
}

Result subtract(uint32_t a, uint32_t b, uint32_t borrow) {
    const uint64_t difference = uint64_t{a} - b - borrow;
    const uint32_t value = static_cast<uint32_t>(difference);
    const bool overflow = ((a ^ b) & (a ^ value)) >> 31;
    return {value, sign_and_zero(value) | (overflow ? uint32_t{V} : 0) | (difference >> 63 ? uint32_t{C} : 0)};
}

Result divide_unsigned(uint64_t dividend, uint32_t divisor) {
    const uint64_t quotient = dividend / divisor;
    const bool overflow = quotient >> 32;
    const uint32_t value = overflow ? 0xFFFF'FFFF : static_cast<uint32_t>(quotient);
    return {value, sign_and_zero(value) | (overflow ? uint32_t{V} : 0)};
}

// Overflow is when the quotient, cut towards zero, does not fit: the manual's method A.
Result divide_signed(int64_t dividend, int32_t divisor) {
    constexpr int64_t most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
    const bool too_large = dividend == std::numeric_limits<int64_t>::min() && divisor == -1;  // 2^63
    const int64_t quotient = too_large ? std::numeric_limits<int64_t>::max() : dividend / divisor;
    const bool overflow = quotient > most || quotient < least;
    const uint32_t value = static_cast<uint32_t>(quotient > most ? most : quotient < least ? least : quotient);
    return {value, sign_and_zero(value) | (overflow ? uint32_t{V} : 0)};
}

}  // namespace

unsigned Cpu::physical(uint32_t psr, unsigned number) {
    if (number < 8) return NSOC_SPARC_GLOBALS + number;
    const unsigned in = number >= 24;  // the outs of the window above
    return ((psr + in) & PSR_CWP) << 4 | (number & 15);
}

uint32_t Cpu::operand2(uint32_t word) const { return word >> 13 & 1 ? extended(word, 13) : r(word & 31); }

void Cpu::plan_write(Plan &plan, unsigned number, uint32_t value) const {
    plan.reg[plan.writes] = static_cast<uint8_t>(physical(plan.psr, number));
    plan.value[plan.writes++] = value;
}

// Of Bicc and Ticc.
bool Cpu::condition(uint32_t word) const {
    const uint32_t icc = s_.psr >> ICC_SHIFT;
    const bool n = icc & N, z = icc & Z, v = icc & V, c = icc & C;
    const unsigned cond = word >> 25 & 15;
    bool holds = false;
    switch (cond & 7) {
        case 0:
            holds = false;
            break;
        case 1:
            holds = z;
            break;
        case 2:
            holds = z || n != v;
            break;
        case 3:
            holds = n != v;
            break;
        case 4:
            holds = c || z;
            break;
        case 5:
            holds = c;
            break;
        case 6:
            holds = n;
            break;
        case 7:
            holds = v;
            break;
    }
    return holds != (cond >= 8);
}

Trap Cpu::plan(Plan &plan) const {
    switch (plan.word >> 30) {
        case 0:
            return plan_branch(plan);
        case 1:  // CALL
            plan_write(plan, 15, s_.pc);
            plan.next_npc = s_.pc + (plan.word << 2);
            return NO_TRAP;
        case 2:
            return plan_operation(plan);
        default:
            return plan_memory(plan);
    }
}

Trap Cpu::plan_branch(Plan &plan) const {
    const uint32_t word = plan.word;
    switch (word >> 22 & 7) {
        case 2: {  // Bicc
            const bool taken = condition(word), always = (word >> 25 & 7) == 0;
            if (taken) plan.next_npc = s_.pc + (extended(word, 22) << 2);
            plan.annuls = annul_field(word) && (always || !taken);
            return NO_TRAP;
        }
        case 4:  // SETHI
            plan_write(plan, rd_field(word), word << 10);
            return NO_TRAP;
        case 6:
            return FP_DISABLED;
        case 7:
            return CP_DISABLED;
        default:
            return ILLEGAL_INSTRUCTION;  // UNIMP, too
    }
}

Trap Cpu::plan_operation(Plan &plan) const {
    const uint32_t word = plan.word, a = operand1(word), b = operand2(word);
    const unsigned op3 = op3_field(word);
    const uint32_t carry = s_.psr >> ICC_SHIFT & C;
    const bool tagged = (a | b) & 3;
    const uint64_t dividend = uint64_t{s_.y} << 32 | a;
    Result result{};
    switch (op3 & 0x20 ? op3 : op3 & ~CC) {
        case ADD:
            result = add(a, b, 0);
            break;
        case ADDX:
            result = add(a, b, carry);
            break;
        case SUB:
            result = subtract(a, b, 0);
            break;
        case SUBX:
            result = subtract(a, b, carry);
            break;
        case AND:
            result.value = a & b;
            break;
        case OR:
            result.value = a | b;
            break;
        case XOR:
            result.value = a ^ b;
            break;
        case ANDN:
            result.value = a & ~b;
            break;
        case ORN:
            result.value = a | ~b;
            break;
        case XNOR:
            result.value = ~(a ^ b);
            break;
        case UMUL:
        case SMUL: {
            const uint64_t product =
                op3 & 1 ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b))
                        : uint64_t{a} * b;
            result.value = static_cast<uint32_t>(product);
            plan.y = static_cast<uint32_t>(product >> 32);
            break;
        }
        case UDIV:
        case SDIV:
            if (b == 0) return DIVISION_BY_ZERO;
            result = op3 & 1 ? divide_signed(static_cast<int64_t>(dividend), static_cast<int32_t>(b))
                             : divide_unsigned(dividend, b);
            break;
        case TADDCC:
        case TADDCCTV:
            result = add(a, b, 0);
            break;
        case TSUBCC:
        case TSUBCCTV:
            result = subtract(a, b, 0);
            break;
        case MULSCC: {
            const uint32_t icc = s_.psr >> ICC_SHIFT, sign = ((icc & N) != 0) != ((icc & V) != 0);
            result = add(sign << 31 | a >> 1, s_.y & 1 ? b : 0, 0);
            plan.y = a << 31 | s_.y >> 1;
            break;
        }
        case SLL:
            result.value = a << (b & 31);
            break;
        case SRL:
            result.value = a >> (b & 31);
            break;
        case SRA:
            result.value = static_cast<uint32_t>(static_cast<int32_t>(a) >> (b & 31));
            break;
        case RDASR:
        case RDPSR:
        case RDWIM:
        case RDTBR:
            return plan_read_state(plan, op3);
        case WRASR:
        case WRPSR:
        case WRWIM:
        case WRTBR:
            return plan_write_state(plan, op3);
        case FPOP1:
        case FPOP2:
            return FP_DISABLED;
        case CPOP1:
        case CPOP2:
            return CP_DISABLED;
        case JMPL:
            return plan_jump(plan);
        case RETT:
            return plan_return(plan);
        case TICC:
            return plan_trap_instruction(plan);
        case FLUSH:
            plan.effects = NSOC_SPARC_DROPS_INSTRUCTIONS;
            return NO_TRAP;
        case SAVE:
            return plan_window(plan, true);
        case RESTORE:
            return plan_window(plan, false);
        default:
            return ILLEGAL_INSTRUCTION;
    }
    const bool is_tagged = op3 >= TADDCC && op3 <= TSUBCCTV;
    if (is_tagged && tagged) result.icc |= V;
    if ((op3 == TADDCCTV || op3 == TSUBCCTV) && result.icc & V) return TAG_OVERFLOW;
    // Where no rule gave V and C they are 0.
    if ((op3 & 0x30) == CC || is_tagged || op3 == MULSCC) plan.icc(result.icc | sign_and_zero(result.value));
    plan_write(plan, rd_field(word), result.value);
    return NO_TRAP;
}

Trap Cpu::plan_read_state(Plan &plan, unsigned op3) const {
    const unsigned number = rs1_field(plan.word), rd = rd_field(plan.word);
    const bool supervisor = s_.psr & PSR_S;
    if (op3 != RDASR) {
        if (!supervisor) return PRIVILEGED_INSTRUCTION;
        plan_write(plan, rd, op3 == RDPSR ? s_.psr : op3 == RDWIM ? s_.wim : s_.tbr);
        return NO_TRAP;
    }
    if (number == 0) {  // RDY
        plan_write(plan, rd, s_.y);
        return NO_TRAP;
    }
    if (number == 15 && rd == 0) {  // STBAR
        plan.effects = NSOC_SPARC_ORDERS_STORES;
        return NO_TRAP;
    }
    const Asr *asr = find_asr(number);
    if (asr && asr->privileged && !supervisor) return PRIVILEGED_INSTRUCTION;
    if (!asr || !asr->read) return ILLEGAL_INSTRUCTION;
    plan_write(plan, rd, asr->read(*this));
    return NO_TRAP;
}

// They act at once: the next instruction sees what has been written.
Trap Cpu::plan_write_state(Plan &plan, unsigned op3) const {
    const uint32_t value = operand1(plan.word) ^ operand2(plan.word);
    const bool supervisor = s_.psr & PSR_S;
    if (op3 == WRASR) {
        const unsigned number = rd_field(plan.word);
        if (number == 0) {  // WRY
            plan.y = value;
            return NO_TRAP;
        }
        const Asr *asr = find_asr(number);
        if (asr && asr->privileged && !supervisor) return PRIVILEGED_INSTRUCTION;
        if (!asr || !asr->write) return ILLEGAL_INSTRUCTION;
        plan.asr = asr;
        plan.asr_value = value;
        return NO_TRAP;
    }
    if (!supervisor) return PRIVILEGED_INSTRUCTION;
    constexpr uint32_t cwp_field = 0x1F;
    switch (op3) {
        case WRPSR:
            if ((value & cwp_field) >= WINDOWS) return ILLEGAL_INSTRUCTION;
            plan.psr = (s_.psr & ~PSR_WRITABLE) | (value & PSR_WRITABLE);
            break;
        case WRWIM:
            plan.wim = value & ((1u << WINDOWS) - 1);
            break;
        default:
            plan.tbr = (s_.tbr & TBR_TYPE) | (value & TBR_BASE);
    }
    return NO_TRAP;
}

// SAVE and RESTORE: the operands are of the old window, rd is of the new one.
Trap Cpu::plan_window(Plan &plan, bool saves) const {
    const uint32_t cwp = (s_.psr + (saves ? -1 : 1)) & PSR_CWP;
    if (s_.wim >> cwp & 1) return saves ? WINDOW_OVERFLOW : WINDOW_UNDERFLOW;
    plan.psr = (s_.psr & ~PSR_CWP) | cwp;
    plan_write(plan, rd_field(plan.word), operand1(plan.word) + operand2(plan.word));
    return NO_TRAP;
}

Trap Cpu::plan_jump(Plan &plan) const {
    const uint32_t target = operand1(plan.word) + operand2(plan.word);
    if (target & 3) return NOT_ALIGNED;
    plan_write(plan, rd_field(plan.word), s_.pc);
    plan.next_npc = target;
    return NO_TRAP;
}

Trap Cpu::plan_return(Plan &plan) const {
    const bool supervisor = s_.psr & PSR_S;
    if (s_.psr & PSR_ET) return supervisor ? ILLEGAL_INSTRUCTION : PRIVILEGED_INSTRUCTION;
    plan.keeps_type = true;
    if (!supervisor) return PRIVILEGED_INSTRUCTION;
    const uint32_t cwp = (s_.psr + 1) & PSR_CWP, target = operand1(plan.word) + operand2(plan.word);
    if (s_.wim >> cwp & 1) return WINDOW_UNDERFLOW;
    if (target & 3) return NOT_ALIGNED;
    const uint32_t s = s_.psr & PSR_PS ? PSR_S : 0;
    plan.psr = (s_.psr & ~(PSR_S | PSR_CWP)) | s | PSR_ET | cwp;
    plan.next_npc = target;
    return NO_TRAP;
}

Trap Cpu::plan_trap_instruction(Plan &plan) const {
    if (!condition(plan.word)) return NO_TRAP;
    return static_cast<Trap>(TRAP_INSTRUCTION | ((operand1(plan.word) + operand2(plan.word)) & 0x7F));
}

}  // namespace sparc
