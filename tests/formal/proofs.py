# SPDX-License-Identifier: Apache-2.0
"""The table of proofs. Depths and places are reduced where they are parameters (4 places where the NIC has 64): no
property depends on them, and the unbounded proofs then cover every wrap-around of every pointer.

The bounded ones (bmc) say nothing beyond their depth, reset included: the first few requests, words or frames, too few
for pointers to wrap around. The invariants that would make them unbounded are still to be found."""

from __future__ import annotations

from run import Break, Proof

# ---- The RISC-V core over its RVFI port (fv_rv_slot): bounded, from reset on, with a data cache of two lines. Checks
# and groups of instructions by their numbers there and in rv_spec_pkg; what an instruction does is in rv_spec.
#
# Free, beside the inputs: what the branch predictor says; what registers hold when they are read, but in REGISTERS,
# which proves that they hold what was written; what the ALU says in REGISTERS; products where they are not looked at;
# when a division ends. Whatever holds then holds with the real ones, too.
#
# What they leave open, beside what comes later than their depth:
#   all           custom-0 and the line port (not there), the stall counters; the instruction cache (a stand-in)
#   INSTRUCTION   products, quotients and remainders; atomics; that fences order anything; stores on the bus
#   STATE         what counters, mip and the core's own CSRs read; interrupts come later than its depth
#   LOAD          what a cached load finds
#   LIVE          more than the first two instructions; divisions, wfi, halts, a bus that waits, snoops
#   COMPRESSED    what the instructions of 16 bits do: test_cpu.py compares the expansion of every one of them
PREDICTION = "w:slot.u_core.u_fetch.pred"
DIVIDER = "w:slot.u_core.div_done"
OPERANDS = ("w:slot.u_core.u_issue.rs1_early", "w:slot.u_core.u_issue.rs2_early")
ALU = "w:slot.u_core.x_alu_result"
CHECKS = ("INSTRUCTION", "PC", "REGISTERS", "ORDER", "LIVE", "FETCH", "DATA", "STATE")
GROUPS = ("ILLEGAL", "UPPER", "ARITHMETIC", "LOGIC", "SHIFT", "BITS", "MULTIPLY", "DIVIDE", "BRANCH", "JUMP", "LOAD",
          "STORE", "ATOMIC", "CONDITIONAL", "CSR", "CALL", "RETURN", "FENCE")  # fmt: skip


def core(
    check: str, what: str, depth: int, *breaks: Break, tag: str = "", long: bool = True, **parameters: int
) -> Proof:
    """A proof of the core; `check` is one of CHECKS, or of GROUPS for what its instructions do."""
    values = {"CHECK": CHECKS.index(check)} if check in CHECKS else {"CHECK": 0, "GROUP": GROUPS.index(check)}
    name = "_".join(["core", check.lower(), *([tag] if tag else [])])
    free = [PREDICTION, *([ALU] if check == "REGISTERS" else OPERANDS), *(["t:$mul"] if check != "MULTIPLY" else [])]
    free += [DIVIDER] if check != "LIVE" else []
    # One proof is enough for the assertions in the blocks. Those of the queue that holds reports until overlapped loads
    # are answered are left out: but for OVERLAP reports are looked at in front of it, and its 4096 places are much.
    aside = ("c:slot.u_core.g_rvfi.u_rvfi.a_*",) if check == "ORDER" else ("c:slot.* t:$check %i",)
    mode = "last" if "OVERLAP" in parameters else "bmc"
    constants = (*values.items(), *parameters.items())
    return Proof(name, what, "fv_rv_slot", mode, depth, 1, constants, breaks, free=tuple(free), aside=aside, long=long)


# ---- The SPARC V8 core over its report of steps (fv_v8_core): bounded, from reset on.
#
# Free, beside the inputs: what the branch predictor says, what registers hold when they are read, products, and when a
# division ends.
V8_CHECKS = ("STATE", "FLOW", "INTERRUPT", "ERROR")
V8_FREE = (
    "w:core.u_fetch.pred",
    "w:core.u_issue.u_operands.rs1_value",
    "w:core.u_issue.u_operands.port_value",
    "t:$mul",
    "w:core.u_execute.div_done",
)


def v8_core(check: str, what: str, depth: int, *breaks: Break, long: bool = False) -> Proof:
    """A proof of the core; `check` is one of V8_CHECKS."""
    parameters = (("CHECK", V8_CHECKS.index(check)),)
    return Proof(
        f"v8_{check.lower()}", what, "fv_v8_core", "bmc", depth, 1, parameters, breaks, free=V8_FREE, long=long
    )


# ---- The scratchpad's bank (fv_pnic_bank): from the reset on, a few requests of a kind.
def pnic_bank(kind: str, number: int, depth: int, *breaks: Break, long: bool = False) -> Proof:
    what = f"{kind}: each request is one step, and answered in its cycle with what a model says"
    name = f"pnic_bank_{kind}" + ("_long" if long else "")
    return Proof(name, what, "fv_pnic_bank", "bmc", depth, 1, (("KIND", number),), breaks, long=long)


# What is in the words that tcp_fast_tx makes is left open.
FAST_WORD = ("w:dut.word",)

# ---- A record of the TCP engine and one event of a kind: what it becomes is such a record again (fv_tcp_core). A depth
# of 16 is one event, from the reset to the cycle behind what is told.
EVENTS = ("ARRIVAL", "SPAWN", "LEAVE", "TIMER", "TURN", "COMMAND", "ICMP")


def tcp_core(kind: str, *breaks: Break) -> Proof:
    what = f"{kind}: una <= nxt <= max, right edge never left, bytes placed once, who has the record"
    constants = (("KIND", EVENTS.index(kind)),)
    name = f"tcp_core_{kind.lower()}"
    times = tuple(f"w:core.{wire}" for wire in ("srtt", "rttvar", "timeout"))  # of which nothing is said
    return Proof(name, what, "fv_tcp_core", "bmc", 16, 1, constants, breaks, free=times, long=True)


PROOFS = (
    tcp_core(
        "ARRIVAL",
        Break("tcp/core/tcp_core_text.sv", "begin_q      <= left_q != '0 ? left_end : begin_q;", ""),
        Break("tcp/core/tcp_core_text.sv", "if (at[7] && !fits_q) high_q <= begin_q;", ""),
        Break("tcp/core/tcp_core_look.sv", "<= lt(r.max, seg.ack);", "<= 1'b0;"),
        Break("tcp/core/tcp_core_board.sv", "seg.sack.count && !sent[31] && sooner", "seg.sack.count && sooner"),
    ),
    tcp_core("TIMER", Break("tcp/core/tcp_core_timer.sv", "r_d.nxt     = r.una;", "r_d.nxt = r.tail;")),
    tcp_core(
        "TURN",
        Break("tcp/core/tcp_core_turn.sv", "near_before(edge_q, tail_q) ? edge_q : tail_q;", "edge_q;"),
        Break("tcp/core/tcp_core_window.sv", "worth_q ? edge_q : r.rcv_edge;", "edge_q;"),
    ),
    tcp_core(
        "COMMAND",
        Break("tcp/core/tcp_core_window.sv", "below_q || given_q[31:RING_W+1] != '0 || !fits;", "below_q || !fits;"),
        Break("tcp/core/tcp_core_window.sv", "below_q || lt(taken_q, to_q);", "below_q;"),
        Break("tcp/core/tcp_core_command.sv", "actions.pool = r.pooled;", "actions.pool = 1'b1;"),
    ),
    tcp_core("ICMP", Break("tcp/core/tcp_core_icmp.sv", "mss_q < 16'(r.snd_mss);", "1'b1;")),
    pnic_bank(
        "bits",
        0,
        8,
        Break("pnic/pnic_bank.sv", "reserved_q[m] && reserved_address_q[m] == address;", "reserved_q[m];"),
        Break(
            "pnic/pnic_bank.sv",
            "if (writes && write_address == reserved_address_q[m]) reserved_q[m] <= 1'b0;",
            "if (valid && op == PAD_STORE && address == reserved_address_q[m]) reserved_q[m] <= 1'b0;",
        ),
        Break("pnic/pnic_bank.sv", "if (32'(id) == m) sc_holds", "if (m == 0) sc_holds"),
        Break("pnic/pnic_bank.sv", "(op == PAD_SC && sc_holds)", "op == PAD_SC"),
        Break("pnic/pnic_bank.sv", "PAD_XOR: in_bits = found_q ^ data_q;", "PAD_XOR: in_bits = found_q | data_q;"),
        Break("pnic/pnic_bank.sv", "op == PAD_STORE ? mask : 4'hF", "mask"),
        Break("pnic/pnic_bank.sv", "state_q == BITS ? in_bits : new_q", "new_q"),
    ),
    pnic_bank(
        "carry",
        1,
        9,
        Break(
            "pnic/pnic_bank.sv",
            "found_q[31] ^ (op_q == PAD_MINU || op_q == PAD_MAXU)",
            "found_q[31] ^ (op_q == PAD_MINU)",
        ),
        Break("pnic/pnic_bank.sv", "PAD_MIN, PAD_MINU: by_carry = less ?", "PAD_MIN, PAD_MINU: by_carry = !less ?"),
        Break("pnic/pnic_bank.sv", "default:           by_carry = found_q + data_q;", "default: by_carry = found_q;"),
        Break(
            "pnic/pnic_bank.sv", "if (valid && is_carry) state_q <= CARRY;", "if (valid && is_carry) state_q <= BITS;"
        ),
    ),
    pnic_bank(
        "order",
        2,
        10,
        Break("pnic/pnic_bank.sv", "PAD_SET: in_bits = found_q |", "PAD_SET: in_bits = found_q ^"),
        Break("pnic/pnic_bank.sv", "((found_q | below) + 32'd1)", "(found_q + 32'd1)"),
        Break("pnic/pnic_bank.sv", "{data_q[31:BIT_W] + 27'd1, BIT_W'(0)}", "{data_q[31:BIT_W], BIT_W'(0)}"),
        Break("pnic/pnic_bank.sv", "valid && op != PAD_UPDATE && !rst", "valid && !rst"),
        Break("pnic/pnic_bank.sv", "op == PAD_SET ? new_flags :\n                        op", "op"),
    ),
    pnic_bank(
        "reserved",
        3,
        8,
        Break("pnic/pnic_bank.sv", "if (writes && write_address", "if (writes && state_q != WRITE && write_address"),
    ),
    pnic_bank(
        "reserved_order",
        4,
        10,
        Break("pnic/pnic_bank.sv", "if (writes && write_address", "if (writes && state_q != BITS && write_address"),
        Break("pnic/pnic_bank.sv", "if (writes && write_address", "if (writes && state_q != WRITE && write_address"),
    ),
    pnic_bank(
        "reserved_order",
        4,
        11,
        Break("pnic/pnic_bank.sv", "if (writes && write_address", "if (writes && state_q != ENCODE && write_address"),
        long=True,
    ),
    pnic_bank(
        "order",
        2,
        11,
        Break("pnic/pnic_bank.sv", "found_q & (~(run_end_q - 32'd1) | below)", "found_q & ~(run_end_q - 32'd1)"),
        long=True,
    ),
    Proof(
        "pnic_crossbar",
        "one grant and one answer a request, to who has asked, in its cycle; a bounded wait",
        "fv_pnic_crossbar",
        parameters=(("BANKS", 3),),
        free=("w:dut.g_bank*.u_bank.found_q",),
        breaks=(
            Break("pnic/pnic_crossbar.sv", ".take(free)", ".take(1'b1)"),
            Break("pnic/pnic_crossbar.sv", "assign grants[b] = pick & {MASTERS{free}};", "assign grants[b] = pick;"),
            Break("pnic/pnic_crossbar.sv", "% BANKS == b;", "% BANKS != b;"),
            Break("pnic/pnic_crossbar.sv", "id      |= ID_W'(m);", "id      |= ID_W'(m / 2);"),
            Break("pnic/pnic_crossbar.sv", "answer_valid[b] && 32'(answer_id[b]) == m", "answer_valid[b]"),
            Break("pnic/pnic_crossbar.sv", "granted |= grants[b][m];", "granted = grants[b][m];"),
            Break("pnic/pnic_crossbar.sv", "assign valid     = free && |wanted;", "assign valid     = free;"),
            Break("pnic/pnic_crossbar.sv", "req[m].valid && !granted;", "!granted;"),
            Break("common/arb_rr.sv", "else if (take && |request)", "else if (!take && |request)"),
        ),
    ),
    Proof(
        "fifo_lut",
        "words in order, none lost, twice or invented; occupancy exact; room never denied",
        "fv_fifo_lut",
        breaks=(
            Break("common/fifo_lut.sv", "empty_q <= !push && (", "empty_q <= ("),
            Break("common/fifo_lut.sv", "push ? wr_ptr_q + 1'b1 ==", "push ? wr_ptr_q =="),
        ),
    ),
    Proof(
        "fifo_sync",
        "words in order, none lost, twice or invented; occupancy exact; room never denied",
        "fv_fifo_sync",
        breaks=(
            Break(
                "common/fifo_sync.sv",
                "assign pass     = out_free && empty_q && in_valid;",
                "assign pass     = out_free && in_valid;",
            ),
            Break("common/fifo_sync.sv", "full_q  <= push && wr_ptr_q + 1'b1 ==", "full_q  <= push && wr_ptr_q =="),
        ),
    ),
    Proof(
        "skid_buffer",
        "words in order, none lost, twice or invented; two places, both usable",
        "fv_skid_buffer",
        breaks=(
            Break("common/skid_buffer.sv", "skid_valid_q ? skid_q : in_data", "in_valid ? in_data : skid_q"),
            Break("common/skid_buffer.sv", "assign in_ready  = !skid_valid_q;", "assign in_ready  = 1'b1;"),
        ),
    ),
    Proof(
        "fifo_async",
        "words in order, none lost, twice, invented or seen early; Gray pointers; no side stuck",
        "fv_fifo_async",
        clocks=2,
        breaks=(
            Break("common/fifo_async.sv", "return binary ^ (binary >> 1);", "return binary;"),
            Break("common/fifo_async.sv", "wr_gray_q <= gray(wr_ptr_d);", "wr_gray_q <= gray(wr_ptr_d + 1'b1);"),
            Break(
                "common/fifo_async.sv",
                "(push ? gray(wr_ptr_q + 1'b1) : wr_gray_q) == full_gray;",
                "wr_gray_q == full_gray;",
            ),
        ),
    ),
    Proof(
        "sync_handshake",
        "each word shown once, unchanged, in order; never stuck",
        "fv_sync_handshake",
        clocks=2,
        breaks=(
            Break("common/sync_handshake.sv", "if (wr_valid && wr_ready && !wr_rst) word_q", "if (wr_valid) word_q"),
            Break("common/sync_handshake.sv", "seen_q <= !rd_rst && sent_in_rd;", "seen_q <= !rd_rst && sent_q;"),
        ),
    ),
    Proof(
        "mac_restart",
        "no side of the MAC runs beside the other's state of before; the front is between frames; never stuck",
        "fv_mac_restart",
        clocks=3,
        breaks=(
            Break("mac/mac_restart.sv", "(ask_q ? !(rx_answered && tx_answered)", "(ask_q ? !rx_answered"),
            Break("mac/mac_restart.sv", "wanted_q && !(ask_q && rx_answered && tx_answered)", "wanted_q && !ask_q"),
            Break("mac/mac_restart.sv", ": !rx_answered && !tx_answered);", ": 1'b1);"),
            Break("mac/mac_restart.sv", "(line_tx_idle || tx_answer_q)", "1'b1"),
        ),
    ),
    Proof(
        "dma",
        "a command is taken while there is room, else refused; one result each, in order; no register access waits",
        "fv_dma",
        free=("w:dut.u_copy.reading_q", "w:dut.u_copy.writing_q", "w:dut.u_copy.makes_q"),
        aside=("c:dut.u_copy.a_*",),
        breaks=(
            Break("mem/dma.sv", "command && held_q != COUNT_W'(DEPTH)", "command && commands_q != COUNT_W'(DEPTH)"),
            Break("mem/dma.sv", "if (command && !push) refused_q <= 1'b1;", ""),
            Break("mem/dma.sv", ".out_ready(pop),", ".out_ready(access.read && access.id == ID_RESULT_CRC),"),
            Break("mem/dma.sv", "wanted_q + COUNT_W'(done_valid && done.irq)", "wanted_q + COUNT_W'(done_valid)"),
            Break("mem/dma_copy.sv", "if (ended) running_q <= 1'b0;", ""),
        ),
    ),
    Proof(
        "dma_copy",
        "bytes of the source to their places, once, nothing else read or written; ends when all is answered",
        "fv_dma_copy",
        mode="bmc",
        depth=12,
        breaks=(
            Break("mem/dma_copy.sv", "8'hFF >> destination[2:0]", "8'hFF"),
            Break("mem/dma_copy.sv", "8'hFF << trim_q", "8'hFF"),
            Break("mem/dma_copy.sv", "source[2:0] > destination[2:0];", "source[2:0] >= destination[2:0];"),
            Break("mem/dma_copy.sv", "!prime_q && !(takes_q != '0 && data.err);", "!prime_q;"),
            Break("mem/dma_copy.sv", "&& reading_q == '0 && writing_q == '0;", "&& writing_q == '0;"),
            Break("mem/dma_copy.sv", "&& reading_q == '0 && writing_q == '0;", "&& reading_q == '0;"),
            Break("mem/dma_copy.sv", "(!write_valid_q || write_s2m.req_ready)", "1'b1"),
        ),
    ),
    Proof(
        "frame_fifo",
        "committed words in order, none lost, twice or invented; none seen before its commit",
        "fv_frame_fifo",
        mode="bmc",
        depth=18,
        clocks=2,
        breaks=(
            Break("mac/frame_fifo.sv", "wr_next_q   <= commit_next_q;", "wr_next_q   <= commit_second_q;"),
            Break("mac/frame_fifo.sv", "push && !wr_rst;", "push && !wr_rst && !wr_word.last;"),
            Break("mac/frame_fifo.sv", ".wr_data (commit_ptr_q)", ".wr_data (wr_ptr_q)"),
        ),
    ),
    Proof(
        "arb_rr",
        "one grant, to one that asks; work-conserving; passed over at most N - 1 times",
        "fv_arb_rr",
        breaks=(
            Break("common/arb_rr.sv", "|behind ? lowest(behind) : lowest(request)", "lowest(request)"),
            Break("common/arb_rr.sv", "|behind ? lowest(behind) : lowest(request)", "lowest(behind)"),
            Break("common/arb_rr.sv", "return asking & ~above(asking);", "return asking;"),
        ),
    ),
    Proof(
        "v8_windows",
        "SPARC V8: two registers of windows are one exactly where ins and outs overlap; all have a name",
        "fv_v8_windows",
        breaks=(
            Break(
                "cpu/sparc/v8_pkg.sv",
                "numbers.rd.fixed ? 3'd0 : cwp_after + 3'(numbers.rd.above)",
                "numbers.rd.fixed ? 3'd0 : cwp + 3'(numbers.rd.above)",
            ),
            Break(
                "cpu/sparc/v8_pkg.sv",
                "numbers.rs1.fixed ? 3'd0 : cwp + 3'(numbers.rs1.above)",
                "numbers.rs1.fixed ? 3'd0 : cwp - 3'(numbers.rs1.above)",
            ),
            Break("cpu/sparc/v8_pkg.sv", "port: numbers.port.fixed ? 3'd0 :", "port:"),
            Break("cpu/sparc/v8_pkg.sv", "down ? cwp - 3'd1 : cwp + 3'd1;", "down ? cwp + 3'd1 : cwp - 3'd1;"),
            Break("cpu/sparc/v8_pkg.sv", "number[3], number[2:0]};", "!number[3], number[2:0]};"),
            Break("cpu/sparc/v8_numbers.sv", "above: number[4:3] == 2'b11", "above: number[4]"),
        ),
    ),
    v8_core(
        "STATE",
        "SPARC V8: window, condition codes, Y and state registers behind each step; a trap takes back what was early",
        12,
        Break("cpu/sparc/v8_issue.sv", "if (flush) cwp_q <= m_cwp;", ""),
        Break("cpu/sparc/v8_core.sv", "if (flush) x_icc_q <= icc;", ""),
        Break("cpu/sparc/v8_commit.sv", "m_taken ? m_q.cwp - 3'd1 :", "m_taken ? m_q.cwp_after - 3'd1 :"),
    ),
    v8_core(
        "FLOW",
        "SPARC V8: each step is where the one before went; branches go by the condition codes that are left",
        12,
        Break("cpu/sparc/v8_issue.sv", "{{8{d_instr_q[21]}}, d_instr_q[21:0]}", "{8'd0, d_instr_q[21:0]}"),
        long=True,
    ),
    v8_core(
        "INTERRUPT",
        "SPARC V8: an interrupt is taken once, and where it may be",
        12,
        Break("cpu/sparc/v8_state.sv", "et_q && wanted != '0", "wanted != '0"),
        Break("cpu/sparc/v8_state.sv", "irq_level > pil_q ||", "irq_level >= pil_q ||"),
        long=True,
    ),
    v8_core(
        "ERROR",
        "SPARC V8: error mode begins by a trap with ET = 0 and ends by reset alone",
        12,
        Break("cpu/sparc/v8_issue.sv", "(run || !d_first) && !stopped;", "(run || !d_first);"),
        Break("cpu/sparc/v8_commit.sv", "m_taken   = m_trap && traps_enabled;", "m_taken   = m_trap;"),
    ),
    Proof(
        "frame_arbiter",
        "beats of each stream in order, no frame torn; no cycle wasted; nobody starves",
        "fv_frame_arbiter",
        breaks=(
            Break("common/frame_arbiter.sv", "inside_q <= !picked.beat.tlast;", "inside_q <= 1'b0;"),
            Break("common/frame_arbiter.sv", "inside_q ? owner_q : turn", "turn"),
            Break("common/frame_arbiter.sv", ".take(pass && !inside_q)", ".take(1'b0)"),
        ),
    ),
    Proof(
        "net_rx_hold",
        "frames of the NIC in order, whole, as they came; of the stack's none; what is kept comes",
        "fv_net_rx_hold",
        breaks=(
            Break("net/net_rx_hold.sv", "forget ? kept_q : write_q + 1'b1", "write_q + 1'b1"),
            Break("net/net_rx_hold.sv", "if (keep || keeps_q) kept_q <= write_d;", "kept_q <= write_d;"),
            Break("net/net_rx_hold.sv", "(keep || keeps_q) && !in_frame.beat.tlast", "keep || keeps_q"),
            Break("net/net_rx_hold.sv", "!forget && full(write_q + 1'b1)", "!forget && full(write_q)"),
        ),
    ),
    Proof(
        "fifo_rewind",
        "shown words in order, none lost, twice, invented or taken back; what is shown comes",
        "fv_fifo_rewind",
        breaks=(
            Break("common/fifo_rewind.sv", "if (in_rewind) write_d = shown_q;", "if (in_rewind) write_d = write_q;"),
            Break("common/fifo_rewind.sv", "seen_q  <= shown_q;", "seen_q  <= write_q;"),
            Break("common/fifo_rewind.sv", "mem[read_d[PTR_W-1:0]]", "mem[read_q[PTR_W-1:0]]"),
            Break("common/fifo_rewind.sv", "in_ready && full(write_q + 1'b1)", "in_ready && full(write_q)"),
        ),
    ),
    Proof(
        "net_tx",
        "a source's beats go for its own request only, a frame is of one source; one end each",
        "fv_net_tx",
        mode="bmc",
        depth=16,
        breaks=(
            Break("net/net_tx.sv", "if (data.valid && data.beat.tlast) drops_q <= 1'b0;", "drops_q <= 1'b0;"),
            Break("net/net_tx.sv", "from_q   <= source_q;", "from_q   <= turn_of;"),
            Break("net/net_tx.sv", "source_q == LAST) && idle_q;", "source_q == LAST);"),
            Break("net/net_tx.sv", "<= drops && !back;", "<= drops;"),
            Break("net/net_tx.sv", "unknown && source_q != LAST;", "unknown;"),
            Break("net/net_tx.sv", "coming_valid   = route_q == HOP;", "coming_valid = route_q == PICK;"),
        ),
    ),
    Proof(
        "tcp_fast_tx",
        "a frame runs to its end, and is cut short for a broken promise alone; only what left whole is told",
        "fv_tcp_fast_tx",
        mode="bmc",
        depth=20,
        free=FAST_WORD,
        breaks=(
            Break("tcp/fast/tcp_fast_tx.sv", "HEADED ? FIRST - 1 : 0;", "FIRST;"),
            Break("tcp/fast/tcp_fast_tx.sv", "!next_valid_q && !payload_summed_q;", "1'b0;"),
            Break("tcp/fast/tcp_fast_tx.sv", "assign sure       = payload_summed_q && (", "assign sure = ("),
            Break("tcp/fast/tcp_fast_tx.sv", "may && !wrong_q && !told_q", "may && !told_q"),
            Break("tcp/fast/tcp_fast_tx.sv", "beat_last_q && !wrong && !wrong_q) payload", "beat_last_q) payload"),
            Break("tcp/fast/tcp_fast_tx.sv", "assign leaves     = sure && !next_valid_q;", "assign leaves = sure;"),
            Break("tcp/fast/tcp_fast_tx.sv", "+ MOST_ROWS + SPARE <= ROWS;", "<= ROWS;"),
            Break("tcp/fast/tcp_fast_tx.sv", "last_place = begun_q ? last_place_q :", "last_place ="),
            Break("tcp/fast/tcp_fast_tx.sv", "tells      = sure && !told_q;", "tells = sure;"),
        ),
    ),
    *(
        Proof(
            f"tcp_fast_tx_{line}",
            f"the same with words of {line} bits",
            "fv_tcp_fast_tx",
            mode="bmc",
            depth=16,
            free=FAST_WORD,
            parameters=(("WIDTH", line), ("LINE", line), ("BYTES", 2 * line), ("MOST", line // 5)),
            long=line == 512,
        )
        for line in (128, 256, 512)
    ),
    Proof(
        "tcp_timers",
        "each deadline offered once, not before it has passed, none lost; the earliest not later than any",
        "fv_tcp_timers",
        mode="bmc",
        depth=18,
        breaks=(
            Break("tcp/events/tcp_timers.sv", "told_valid && told_word == read_q;", "1'b0;"),
            Break("tcp/events/tcp_timers.sv", "if (told_valid && told_word == out_index_q) out = told;", ""),
            Break("tcp/events/tcp_timers.sv", "(told_here ? told_passed : judge_passed_q);", "judge_passed_q;"),
            Break("tcp/events/tcp_timers.sv", "assign renews = renewed_q || told_here;", "assign renews = renewed_q;"),
            Break(
                "tcp/events/tcp_timers.sv", "(state_q == FORGET && (!told_valid || told_here));", "state_q == FORGET;"
            ),
            Break("tcp/events/tcp_timers.sv", "news_q <= told_valid ? told : '0;", "news_q <= '0;"),
        ),
    ),
    Proof(
        "tcp_rings",
        "each request answered once, to who asked; placed and fetched once each, whole, in order; nothing overflows",
        "fv_tcp_rings",
        mode="bmc",
        depth=13,
        breaks=(
            Break("tcp/rings/tcp_rings_way.sv", "assign answer = whose &", "assign answer = ~whose &"),
            Break("tcp/rings/tcp_rings_way.sv", ".in_data(request), .in_valid", ".in_data(asked[0]), .in_valid"),
            Break("tcp/rings/tcp_rings_place.sv", "&& writing_q != COUNT_W'(IN_FLIGHT);", ";"),
            Break("tcp/rings/tcp_rings_place.sv", "(beat.tlast && !spills), early", "beat.tlast, early"),
            Break("tcp/rings/tcp_rings_place.sv", "early: early_q, default", "early: early, default"),
            Break("tcp/rings/tcp_rings_place.sv", "answer_last && !answer_early", "answer_last"),
            Break("tcp/rings/tcp_rings_place.sv", "answer_last && answer_early", "answer_last"),
            Break("tcp/rings/tcp_rings_place.sv", "&& !placed_q && !early_placed_q;", "&& !placed_q;"),
            Break(
                "tcp/rings/tcp_rings_place.sv", "(answer_error || error_q) && !answer_last;", "answer_error || error_q;"
            ),
            Break("tcp/rings/tcp_rings_place.sv", "carry_keep_q <= '0;", "carry_keep_q <= '1;"),
            Break("tcp/rings/tcp_rings_fetch.sv", "asking_q && reading_q != COUNT_W'(IN_FLIGHT);", "asking_q;"),
            Break("tcp/rings/tcp_rings_fetch.sv", "<= (LANE_W + 1)'(LANES - 1);", "< (LANE_W + 1)'(LANES - 1);"),
            Break("tcp/rings/tcp_rings_fetch.sv", "(!asking_q || (go && last));", "(!asking_q || last);"),
            Break("tcp/rings/tcp_rings_fetch.sv", "line.err || (error_q && !first);", "line.err || error_q;"),
        ),
    ),
    Proof(
        "tcp_events",
        "each arrival, request, timer and turn given to the core once, told and answered once; one owner; chains first",
        "fv_tcp_events",
        mode="bmc",
        depth=30,
        breaks=(
            Break("tcp/events/tcp_events.sv", "&& room && (!nobody || apart_q == '0);", "&& room;"),
            Break("tcp/events/tcp_events.sv", "&& quiet && !stale_q && room && (", "&& quiet && room && ("),
            Break("tcp/events/tcp_events.sv", "assign quiet   = core_idle && !ev_valid", "assign quiet   = core_idle"),
            Break("tcp/events/tcp_events.sv", "may_begin && !ripe && q", "may_begin && q"),
            Break("tcp/events/tcp_events.sv", "plain && !(ev_valid_q && kind_q == COMMAND)", "plain"),
            Break("tcp/events/tcp_events.sv", "(releasing_q && ahead_q == '0 &&", "(releasing_q &&"),
            Break("tcp/events/tcp_events.sv", "ahead_q == '0 && !early_q)", "ahead_q == '0)"),
            Break("tcp/events/tcp_events.sv", "early_busy && (!releasing_q || early_q);", "early_busy && early_q;"),
            Break(
                "tcp/events/tcp_events.sv", "&& (of_q != OF_ARRIVAL || (arrival_valid && fast_before_q == '0));", ";"
            ),
            Break("tcp/events/tcp_events.sv", "gone_q <= gone;", "gone_q <= 1'b0;"),
            Break("tcp/events/tcp_events.sv", "if (gone) question_q <= NOTHING;\n        else if (quiet", "if (quiet"),
            Break("tcp/events/tcp_events.sv", "== OF_ARRIVAL && !gone && found.found", "== OF_ARRIVAL && found.found"),
            Break(
                "tcp/events/tcp_events.sv", "question_q == ANSWER && of_q == OF_ARRIVAL &&", "question_q == ANSWER &&"
            ),
            Break("tcp/events/tcp_events.sv", "&& !found.listener;", ";"),
            Break("tcp/events/tcp_events.sv", "timer_ready = 1'b1;", "timer_ready = ev_ready;"),
            Break(
                "tcp/events/tcp_events.sv",
                "turn_valid && acts_used == '0 && !told_valid_q",
                "turn_valid && !told_valid_q",
            ),
            Break(
                "tcp/events/tcp_events.sv", "== OP_SEND && turn_free && !turn_passed_q", "== OP_SEND && !turn_passed_q"
            ),
            Break("tcp/events/tcp_events.sv", "turn_free && !turn_passed_q\n", "turn_free\n"),
            Break("tcp/events/tcp_events.sv", "\n                   && acts_used == '0;", ";"),
            Break("tcp/events/tcp_events.sv", "!turn_ready && (turns_d || turn_passed_q);", "turns_d;"),
            Break("tcp/events/tcp_events.sv", "== OP_SEND && !turns_q && !rst;", "== OP_SEND && !rst;"),
            Break("tcp/events/tcp_events.sv", "== ASK && !gone && !acts_valid", "== ASK && !gone"),
            Break(
                "tcp/events/tcp_events.sv", "!= CHAIN_AGAIN && told_q.actions.chain != CHAIN_SPAWN;", "!= CHAIN_AGAIN;"
            ),
            Break("tcp/events/tcp_events.sv", "&& question_q != ASK) stale_q", "&& question_q == ANSWER) stale_q"),
            Break(
                "tcp/events/tcp_events.sv",
                "(order_in.spawn || order_in.act != INDEX_KEEP)",
                "order_in.act != INDEX_KEEP",
            ),
            Break(
                "tcp/events/tcp_events.sv",
                "(quiet && stale_q) question_q <= ASK;",
                "(quiet && stale_q) question_q <= ASKED;",
            ),
            Break("tcp/events/tcp_events.sv", "if (icmp_known && !icmp_valid_q) begin", "if (icmp_known) begin"),
            Break("tcp/events/tcp_events.sv", "(!found.found || found.listener);", "!found.found;"),
            Break("tcp/events/tcp_events.sv", "= room && (!ev_valid_q || ev_ready)", "= (!ev_valid_q || ev_ready)"),
            Break("tcp/events/tcp_events.sv", "&& !(fast_run_q == 3'd7 && (", "&& !(1'b0 && ("),
            Break(
                "tcp/events/tcp_events.sv", "= FAST && may_others && fast_valid", "= FAST && may_begin && fast_valid"
            ),
            Break("tcp/events/tcp_events.sv", "kind != SPAWN && core_told_kind != LEAVE;", "kind != SPAWN;"),
            Break("tcp/events/tcp_events.sv", "&& !(passed_q && (", "&& !(1'b0 && ("),
            Break("tcp/events/tcp_events.sv", "(arrival_valid && fast_before_q == '0)", "arrival_valid"),
            Break("tcp/events/tcp_events.sv", "ends: told_fast ? fast_ends : sender,", "ends: sender,"),
        ),
    ),
    Proof(
        "tcp_turns",
        "a turn where the bit is set, one at a time, no second one for another that passes one who waits; soon",
        "fv_tcp_turns",
        breaks=(
            Break("tcp/send/tcp_turns.sv", "if (told_valid) state_q <= LOOK;", "if (1'b0) state_q <= LOOK;"),
            Break(
                "tcp/send/tcp_turns.sv", "LOOK: if (!told_valid && !told_q) state_q", "LOOK: if (!told_valid) state_q"
            ),
            Break("tcp/send/tcp_turns.sv", "some_q & ~((WORDS'(2) << high_q) - 1'b1);", "some_q;"),
            Break("tcp/send/tcp_turns.sv", "assign behind = word_q & in_turn_q;", "assign behind = word_q;"),
            Break("tcp/send/tcp_turns.sv", "words[told_high_q] & {BITS{some_q[told_high_q]}};", "words[told_high_q];"),
            Break("tcp/send/tcp_turns.sv", "some_q[told_high_q] <= |new_word;", "some_q[told_high_q] <= schedule_q;"),
        ),
    ),
    Proof(
        "tcp_tx_queue",
        "no segment finds the queue full; in order, none lost or twice, each with its own ends",
        "fv_tcp_tx_queue",
        breaks=(
            Break("tcp/send/tcp_tx_queue.sv", "<= ptr_t'(DEPTH - SPARE);", "<= ptr_t'(DEPTH - SPARE + 1);"),
            Break("tcp/send/tcp_tx_queue.sv", "ends_valid || (push && told.kind == ARRIVAL);", "ends_valid || push;"),
            Break("tcp/send/tcp_tx_queue.sv", "all_ends[known_q[PTR_W-1:0]]", "all_ends[write_q[PTR_W-1:0]]"),
            Break("tcp/send/tcp_tx_queue.sv", "else if (read_ready) asks_q <= 1'b0;", "else asks_q <= 1'b0;"),
        ),
    ),
    Proof(
        "tcp_notify",
        "each bit that is told read once, not before its bytes are in memory, none lost; a place a connection",
        "fv_tcp_notify",
        mode="bmc",
        depth=26,
        breaks=(
            Break("tcp/processor/tcp_notify.sv", "(!oldest.placing || placed_valid || placed) && ", ""),
            Break("tcp/processor/tcp_notify.sv", "&& !pop_ahead && !pop && !pop_q;", "&& !pop && !pop_q;"),
            Break("tcp/processor/tcp_notify.sv", "update_q && bits_q == '0 && news != '0;", "update_q && news != '0;"),
            Break("tcp/processor/tcp_notify.sv", "update_q ? bits_q | news : '0;", "update_q ? news : '0;"),
            Break(
                "tcp/processor/tcp_notify.sv", "clearing_q || popped_valid_q || update_q;", "clearing_q || update_q;"
            ),
            Break("tcp/processor/tcp_notify.sv", "fetches || (next_valid_q && !pops);", "fetches || next_valid_q;"),
            Break("tcp/processor/tcp_notify.sv", "told_valid && !told.nobody;", "told_valid;"),
        ),
    ),
    Proof(
        "dca_rings",
        "each request answered once, in order, by whom it is for: rings here, or memory behind",
        "fv_dca_rings",
        aside=("t:$mem_v2", "c:dut.u_told.a_*", "c:dut.u_moved.a_*"),  # what is in memories is anything
        breaks=(
            Break("cpu/dca/dca_rings.sv", "&& here && behind_q == '0 &&", "&& here &&"),
            Break("cpu/dca/dca_rings.sv", "!here && !sends_q && !answer_q &&", "!here && !sends_q &&"),
            Break("cpu/dca/dca_rings.sv", "!here && !sends_q && !answer_q &&", "!here && !answer_q &&"),
            Break("cpu/dca/dca_rings.sv", "rsp_valid: answer_q || ", "rsp_valid: sends_q || "),
        ),
    ),
    Proof(
        "acb_arbiter",
        "each request answered once, in order, to its master; a lock excludes the others",
        "fv_acb_arbiter",
        mode="bmc",
        depth=10,
        breaks=(
            Break("bus/acb_arbiter.sv", "&& (!locked_q || owner_q[i]);", ";"),
            Break("bus/acb_arbiter.sv", "hold_valid_q[i] ? hold_q[i] : in_m2s[i].req", "in_m2s[i].req"),
            Break("bus/acb_arbiter.sv", "(in_s2m[i].rsp_valid && in_m2s[i].rsp_ready);", "(in_s2m[i].rsp_valid);"),
            Break("bus/acb_arbiter.sv", "assign out_master = shown_q;", "assign out_master = grant;"),
        ),
    ),
    Proof(
        "bus_router",
        "acb_router, afb_router: each request answered once, in order, err = 1 for nobody's address",
        "fv_bus_router",
        breaks=(
            Break("bus/bus_router.sv", "next_from[i] && next_valid && response_room", "next_valid && response_room"),
            Break("bus/bus_router.sv", ".out_ready(next_done && response_room)", ".out_ready(next_done)"),
        ),
    ),
    Proof(
        "bus_router_time",
        "every request answered within 20 cycles, slaves and master stalling one cycle each",
        "fv_bus_router",
        parameters=(("BOUND", 20),),
        breaks=(Break("bus/bus_router.sv", ".in_valid (accept && |claim)", ".in_valid (accept)"),),
    ),
    Proof(
        "acb_side_port",
        "each access answered once, in order, by its side; err = 1 for both halves of the device's",
        "fv_acb_side_port",
        breaks=(
            Break("bus/acb_side_port.sv", "rsp_ready: next_valid && !next.side && acb", "rsp_ready: next_valid && acb"),
            Break("bus/acb_side_port.sv", ".out_ready(answered && acb_m2s.rsp_ready)", ".out_ready(answered)"),
            Break("bus/acb_side_port.sv", "offered && request.side && !request.half.both", "offered && request.side"),
        ),
    ),
    Proof(
        "acb_to_afb",
        "each access answered once, in order, in its half; err = 1 for both halves",
        "fv_acb_to_afb",
        breaks=(
            Break("bus/acb_to_afb.sv", ".in_valid (accept && !half.both)", ".in_valid (accept)"),
            Break("bus/acb_to_afb.sv", "widen(afb_s2m.rsp, next)", "widen(afb_s2m.rsp, half)"),
            Break("bus/acb_to_afb_pkg.sv", "= response.err;", "= response.err && !half.low;"),
        ),
    ),
    Proof(
        "afb_endpoint",
        "each access made once and answered once, in order, one cycle later",
        "fv_afb_endpoint",
        breaks=(
            Break(
                "bus/afb_endpoint.sv",
                "afb_m2s.req_valid && room && !afb_m2s.req.read",
                "afb_m2s.req_valid && !afb_m2s.req.read",
            ),
            Break("bus/afb_endpoint.sv", "read_data & {32{afb_m2s.req.read}}", "read_data"),
        ),
    ),
    Proof(
        "nic_regfile",
        "every access answered after exactly three cycles, whatever queues and lock do",
        "fv_nic_regfile",
        breaks=(
            Break("nic/nic_regfile.sv", "answer_q <= act_q;", "answer_q <= act_q && !queues_rsp.full;"),
            Break(
                "nic/nic_regfile.sv",
                "push_q   <= accept && is_queue(id) && !id[0] && whole &&",
                "push_q   <= accept && is_queue(id) && !id[0] &&",
            ),
        ),
    ),
    Proof(
        "nic_queue",
        "pointers in order, none lost, twice or invented; occupancy, empty, room, place exact",
        "fv_nic_queue",
        breaks=(
            Break(
                "nic/nic_queue.sv", "popped_q <= writes_q && write_index_q == pop_index_q ? write_q :", "popped_q <="
            ),
            Break(
                "nic/nic_queue.sv",
                "depth_less_q <= (INDEX_W + 2)'(depth) - 1'b1;",
                "depth_less_q <= (INDEX_W + 2)'(depth);",
            ),
        ),
    ),
    Proof(
        "nic_rx_engine",
        "each fetched pointer is delivered or returned exactly once; held exact; no write elsewhere against a claim",
        "fv_nic_rx_engine",
        mode="bmc",
        depth=17,
        breaks=(
            Break(
                "nic/nic_rx_engine.sv",
                "give_back_next = !enable && next_valid_q && !head_return_q && queues_rsp.return_ready;",
                "give_back_next = !enable && next_valid_q && queues_rsp.return_ready;",
            ),
            Break("nic/nic_rx_engine.sv", "head_queue_q & {(2 * SERVERS){head_deliver_q}};", "head_queue_q;"),
            Break("nic/nic_rx_engine.sv", "&& (next_steady_q || !tx_claims);", ";"),
            Break("nic/nic_rx_engine.sv", "else if (!storing && completing == '0)", "else if (!storing)"),
        ),
    ),
    Proof(
        "nic_tx_engine",
        "each taken pointer is returned exactly once, in order; held exact; one end a frame; what a promise stands on",
        "fv_nic_tx_engine",
        mode="bmc",
        depth=20,
        breaks=(
            Break(
                "nic/nic_tx_engine.sv",
                "sent_q    <= sent_q + (SLOT_W + 1)'(sent || drop);",
                "sent_q    <= sent_q + (SLOT_W + 1)'(sent);",
            ),
            Break("nic/nic_tx_engine.sv", "claim_q && !rx_elsewhere &&", "claim_q &&"),
            Break("nic/nic_tx_engine.sv", "rsp_valid_q && expected_q == 8'd1) flows_q", "rsp_valid_q) flows_q"),
        ),
    ),
    Proof(
        "nic_tx_engine_offloads",
        "the same with offloads: frames wait for their sums, pointers are kept where that was asked for",
        "fv_nic_tx_engine",
        mode="bmc",
        depth=20,
        parameters=(("OFFLOADS", 1),),
        breaks=(
            Break(
                "nic/nic_tx_engine.sv",
                "return_valid && queues_rsp.return_ready) || kept);",
                "return_valid && queues_rsp.return_ready));",
            ),
            Break("nic/nic_tx_engine.sv", "&& verdict_q != MEMORY_ERROR;", ";"),
        ),
    ),
    Proof(
        "nic_tx_sums",
        "beats in order, none lost, as they came; a stored frame comes out, and nothing in meanwhile",
        "fv_nic_tx_sums",
        mode="bmc",
        depth=15,
        breaks=(
            Break("nic/nic_tx_sums.sv", "assign in_ready = state_q == PASS &&", "assign in_ready = "),
            Break("nic/nic_tx_sums.sv", "assign take_data = out_ready || !data_valid_q;", "assign take_data = 1'b1;"),
            Break("nic/nic_tx_sums.sv", "unfit_q && !bad_q;", "unfit_q;"),
        ),
    ),
    Proof(
        "nic_tx_promise",
        "a frame that began early: the first of its rest in 27 cycles, then a beat in two; none that asks for sums",
        "fv_nic_tx_promise",
        mode="bmc",
        depth=56,
        breaks=(
            Break("nic/nic_tx_engine.sv", "FIRST_STEADY = 10;", "FIRST_STEADY = 3;"),
            Break("nic/nic_tx_engine.sv", "steady && !(OFFLOADS && sums_wanted != '0);", "steady;"),
        ),
    ),
    Proof(
        "nic_queues",
        "none lost, twice or invented; the lock excludes; no engine waits but for room, pointer, lock",
        "fv_nic_queues",
        mode="induction",
        depth=9,
        breaks=(
            Break("nic/nic_queues.sv", "free_push_open && !rx_req.return_valid;", "free_push_open;"),
            Break(
                "nic/nic_queues.sv", "!empty[FREE] && !lock_q && !cpu_req.access;", "!empty[FREE] && !cpu_req.access;"
            ),
            Break("nic/nic_queues.sv", "cpu_req.unlock && !lock_misused", "cpu_req.unlock"),
        ),
    ),
    Proof(
        "nic_queues_order",
        "pointers come out in order, where they were asked for, of the queue they were put into",
        "fv_nic_queues",
        mode="bmc",
        depth=10,
        parameters=(("ORDER", 1),),
        breaks=(
            Break(
                "nic/nic_queues.sv",
                "if (tx_req.take_from[s]) take_index = 2'(s);",
                "if (tx_req.take_from[s]) take_index = 2'(s & 1);",
            ),
            Break("nic/nic_queues.sv", "rx_req.return_valid ? rx_req.returned : tx_req.returned", "tx_req.returned"),
        ),
    ),
    Proof(
        "tx_admit",
        "each frame handed over is committed whole or counted by exactly one drop",
        "fv_tx_admit",
        breaks=(
            Break("mac/tx_admit.sv", "(full_length_q && in_word.last_lane > MAX_LANE);", "(full_length_q && 1'b0);"),
            Break(
                "mac/tx_admit.sv",
                "assign rewind        = in_valid && discard && !shown;",
                "assign rewind        = in_valid && discard;",
            ),
        ),
    ),
    Proof(
        "mac_rx",
        "each carrier event has one disposition, in time; only good frames are committed",
        "fv_mac_rx",
        breaks=(
            Break("mac/mac_rx.sv", "disposition_valid = line.last;", "disposition_valid = line.last && word_ready;"),
        ),
    ),
    Proof(
        "xgmii_tx",
        "words in order and in place; one start, terminate and end a frame; gaps; no underrun of words in time",
        "fv_xgmii_tx",
        free=("w:dut.fcs",),
        breaks=(
            Break("mac/xgmii/xgmii_tx.sv", "bytes_q[3:2] + 2'(longer) + 2'(lane4_q);", "bytes_q[3:2] + 2'(lane4_q);"),
            Break("mac/xgmii/xgmii_tx.sv", "if (!begins) deficit_q <= '0;", "deficit_q <= '0;"),
            Break("mac/xgmii/xgmii_tx.sv", "lane4_q <= next_lane4_q;", "lane4_q <= 1'b0;"),
            Break("mac/mac_tx.sv", "word_ready = take || drain_q;", "word_ready = status.take || drain_q || sent;"),
            Break("mac/mac_tx.sv", "(word_valid && !paused && !drain_q)", "(word_valid && !paused)"),
        ),
    ),
    core(
        "PC",
        "each instruction is where the one before it went, or the first of a handler",
        11,
        Break(
            "cpu/rv/rv_execute.sv",
            "condition ? wrong_taken : wrong_not_taken;",
            "condition && wrong_taken;",
        ),
        long=False,
    ),
    core(
        "REGISTERS",
        "what an instruction reads is what was written last",
        11,
        Break("cpu/rv/rv_issue.sv", "if (m_write.we && m_write.rd == rs) return m_write.value;", ""),
        Break("cpu/rv/rv_issue.sv", "((rs1_late || rs2_late) && !defer)", "(rs1_late && !defer)"),
        long=False,
    ),
    core(
        "ORDER",
        "reports without gap, none twice; what reads a register comes behind what wrote it",
        11,
        Break("cpu/rv/rv_rvfi.sv", "order_q     <= order_q + 64'd1;", "order_q     <= order_q + 64'd2;"),
        long=False,
    ),
    core(
        "FETCH",
        "each instruction is what memory holds at its address",
        11,
        Break("cpu/core/cpu_fetch.sv", "if (!waiting_valid_q) waiting_q <= fetched;", "waiting_q <= fetched;"),
        long=False,
    ),
    core(
        "STATE",
        "CSR instructions, traps, mret find in the CSRs of traps what they have left there",
        13,
        Break("cpu/rv/rv_csr.sv", "mpie_q    <= mie_bit_q;", "mpie_q    <= 1'b1;"),
        Break("cpu/rv/rv_csr.sv", "write_data = read_data & ~operand;", "write_data = read_data ^ operand;"),
        Break("cpu/rv/rv_decode.sv", "ebreak = instr[1:0] == 2'b11;", "ebreak = 1'b1;"),
        long=False,
    ),
    core(
        "INSTRUCTION",
        "each instruction but loads, atomics, products does what the specification says",
        8,
        Break(
            "cpu/rv/rv_commit.sv",
            "is_less(w_result, result, is_signed);",
            "is_less(w_result, result, 1'b1);",
        ),
        Break("cpu/rv/rv_decode.sv", "op_a_sel   = A_ZERO;", "op_a_sel   = A_PC;"),
        Break("cpu/rv/rv_alu.sv", "default: shifted = {a[28:0], 3'b0};", "default: shifted = {a[29:0], 2'b0};"),
        Break("cpu/rv/rv_alu.sv", "3'b110:  early = a | b;", "3'b110:  early = a ^ b;"),
        Break("cpu/rv/rv_alu.sv", "{32{op[3] && a[31]}}", "{32{a[31]}}"),
        Break("cpu/rv/rv_alu.sv", "{{16{a[15]}}, a[15:0]}", "{{16{a[7]}}, a[15:0]}"),
        Break("cpu/rv/rv_decode.sv", "ctrl.div  = funct3[2] && DIVIDER;", "ctrl.div = funct3[2]; illegal = &funct3;"),
        Break("cpu/core/cpu_core_pkg.sv", "wrong[31:2] == '0 &&", "wrong[30:2] == '0 &&"),
        Break("cpu/rv/rv_decode.sv", "offset        = {instr[31:25], instr[11:7]};", "offset = instr[31:20];"),
        Break("cpu/rv/rv_decode.sv", "rs1_used       = !funct3[2];", "rs1_used = 1'b1;"),
        Break("cpu/rv/rv_pkg.sv", "number[11:5] == 7'h5C ||", ""),
        Break("cpu/rv/rv_decode.sv", "25'h0002000: ebreak =", "25'h0002000: ecall ="),
        Break("cpu/rv/rv_decode.sv", "25'h0604000: ctrl.mret = 1'b1;", "25'h0604000: illegal = instr[1:0] == 2'b11;"),
        Break("cpu/rv/rv_decode.sv", "instr[31:20] > 12'd2", "instr[31:20] > 12'd1"),
        Break("cpu/rv/rv_decode.sv", "if (funct3[2] || funct3[1:0] == 2'b11) illegal", "if (funct3[2]) illegal"),
        long=False,
    ),
    core(
        "LOAD",
        "loads, and what the bus has answered where nothing is cached",
        11,
        Break("cpu/core/cpu_load_value.sv", "!funct3[2] && (funct3[0] ? value[15]", "(funct3[0] ? value[15]"),
        Break(
            "cpu/core/cpu_lsu.sv",
            "loads_pending ? loads_first : {address_q[2], address_q[1:0] ^ {2{device_q && !BIG_ENDIAN}}};",
            "loads_pending ? loads_first : address_q[2:0];",
        ),
        long=False,
    ),
    core(
        "LIVE",
        "another report within 20 cycles, if the bus answers at once",
        31,
        Break("cpu/core/cpu_lsu.sv", "if (state_q == LSU_MODIFY && bus_ready) state_q <= LSU_CONFIRM;", ""),
        long=False,
    ),
    core(
        "PC",
        "as core_pc, with instructions of 16 bits",
        11,
        Break("cpu/rv/rv_execute.sv", "pc + {29'b0, !is_short, is_short};", "pc + 31'd2;"),
        tag="compressed",
        COMPRESSED=1,
    ),
    core(
        "FETCH",
        "as core_fetch, with instructions of 16 bits",
        11,
        Break("cpu/core/cpu_align.sv", "left_q       <= word_data[31:16];", "left_q       <= word_data[15:0];"),
        tag="compressed",
        COMPRESSED=1,
    ),
)
