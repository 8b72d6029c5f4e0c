// SPDX-License-Identifier: Apache-2.0
//
// The RISC-V core with load/store unit and bus unit (rv_slot; the stand-in icache beside this file in place of the
// instruction cache): instructions, the bus's answers, interrupts, run and halt, and what another master writes are free.
// What its RVFI port reports is checked, one thing in each proof (CHECK):
//
//   INSTRUCTION  each instruction of GROUP (31: of all that have no proof of their own) does what rv_spec says: operands,
//                result, access, next address, trap
//   PC           each instruction is where the one before it went, or the first of a trap handler, in whichever order the
//                two are reported
//   REGISTERS    each register holds what was written last
//   ORDER        reports are numbered without gap, none twice; what reads a register is not reported before what wrote it
//   LIVE         with a bus that answers at once, another report comes within BOUND cycles
//   FETCH        each instruction is what memory holds at its address
//   DATA         a load finds what was stored last in a byte WHERE: in local memory (0, never cached), in DRAM (1, cached),
//                in a device's register (2); no other master writes there
//   STATE        CSR instructions, traps, interrupts and mret find in mstatus, mie, mtvec, mscratch, mepc, mcause, mtval what
//                CSR instructions, traps, interrupts and mret have left there; an interrupt is enabled and was asked for
module fv_rv_slot
  import rv_spec_pkg::*;
#(
  parameter int unsigned CHECK      = 0,
  parameter int unsigned GROUP      = 31,
  parameter bit          COMPRESSED = 1'b0,
  parameter bit          OVERLAP    = 1'b0,
  parameter int unsigned WHERE      = 0,
  parameter bit          SYSTEM     = 1'b0,  // STATE: no instructions but CSR instructions, ecall, ebreak, mret, wfi
  parameter int unsigned BOUND      = 20
) (
  input logic        clk,
  input logic        run,
  input logic        fetch_answers,
  input logic [31:0] fetch_word,
  input logic        fetch_fault,
  input logic        req_ready,
  input logic        rsp_valid,
  input logic        rsp_err,
  input logic [63:0] rsp_data,
  input logic        snoop_valid,
  input logic [31:5] snoop_address,
  input logic [2:0]  interrupts
);

  localparam int unsigned INSTRUCTION = 0, PC = 1, REGISTERS = 2, ORDER = 3, LIVE = 4, FETCH = 5, DATA = 6, STATE = 7;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // ---- The slot and its bus
  acb_pkg::acb_m2s_t           acb_m2s;
  acb_pkg::acb_s2m_t           acb_s2m;
  cpu_slot_pkg::cpu_unit_req_t unit_req;
  cpu_slot_pkg::cpu_line_rsp_t  line_rsp;
  cpu_slot_pkg::cpu_retire_t   retire;
  logic                        halted;

  assign acb_s2m = '{req_ready: req_ready, rsp: '{err: rsp_err, data: rsp_data}, rsp_valid: rsp_valid};

  rv_slot #(.ICACHE_BYTES(64), .DCACHE_BYTES(64), .COMPRESSED(COMPRESSED), .PERF_COUNTERS(1'b0), .RETIRE(1'b1),
            .RVFI(1'b1)) slot (
    .cpu_clk(clk), .cpu_rst(rst), .run, .halted, .acb_m2s, .acb_s2m,
    .snoop('{valid: snoop_valid, address: snoop_address}), .reserved(), .reserved_lost(1'b0),
    .irq('{external: {4{interrupts[2]}}, timer: interrupts[1], software: interrupts[0]}),
    .unit_req, .unit_rsp('0), .line_req('0), .line_rsp, .retire
  );

  // A response belongs to a request.
  logic [4:0] asked_q;
  logic       taken;
  assign taken = acb_m2s.req_valid && req_ready;
  always_ff @(posedge clk) asked_q <= rst ? '0 : asked_q + 5'(taken) - 5'(rsp_valid);
  m_response : assume property (@(posedge clk) rsp_valid -> !rst && asked_q != '0);

  // Reports are looked at as they leave MEM, two cycles before they are at the port, unless OVERLAP: then loads may overlap,
  // and what follows one waits for its data.
  rv_pkg::rvfi_t r;
  if (OVERLAP) begin : g_overlap
    assign r = slot.rvfi;
  end else begin : g_no_overlap
    assign r = slot.u_core.g_rvfi.u_rvfi.m_rvfi;
    m_no_overlap : assume property (@(posedge clk) !slot.u_core.overlap_loads);
  end

  group_t      group;
  logic [4:0]  rs1, rs2, rd;
  logic [31:0] result, next_pc, address;
  logic        traps, accesses, stores;
  logic [3:0]  bytes;
  logic [4:0]  cause;
  logic [31:0] value;

  rv_spec #(.COMPRESSED(COMPRESSED), .PRODUCTS(GROUP == 32'(MULTIPLY))) spec (
    .insn(r.insn), .pc(r.pc_rdata), .rs1_value(r.rs1_rdata), .rs2_value(r.rs2_rdata), .loaded(r.mem_rdata),
    .group, .rs1, .rs2, .rd, .result, .next_pc, .traps, .cause, .value, .accesses, .stores, .address, .bytes
  );

  if (CHECK == INSTRUCTION) begin : g_instruction
    logic now, fails_q;  // the bus has answered with an error
    logic device, cached;
    assign device = address[31:24] == 8'hFF;
    assign cached = address < 32'h5000_0000;
    assign now = !rst && r.valid && (GROUP == 31 ? !(group inside {MULTIPLY, LOAD, ATOMIC, CONDITIONAL}) :
                                                   32'(group) == GROUP);
    always_ff @(posedge clk) fails_q <= !rst && (fails_q || (rsp_valid && rsp_err));

    // What traps as no instruction may have read registers.
    a_registers : assert property (@(posedge clk) now && group != ILLEGAL -> r.rs1_addr == rs1 && r.rs2_addr == rs2);
    a_trap : assert property (@(posedge clk) now && traps -> r.trap);
    a_no_trap : assert property (@(posedge clk) now && r.trap && !traps ->
      (fails_q && (accesses || group == CONDITIONAL)) || (device && (group == ATOMIC || group == CONDITIONAL)));
    a_nothing : assert property (@(posedge clk)
      now && r.trap -> r.rd_addr == '0 && r.rd_wdata == '0 && r.mem_rmask == '0 && r.mem_wmask == '0);
    a_rd : assert property (@(posedge clk) now && !r.trap -> r.rd_addr == rd && (rd != '0 || r.rd_wdata == '0));
    a_result : assert property (@(posedge clk)
      now && !r.trap && rd != '0 && !(group inside {CSR, DIVIDE, CONDITIONAL}) -> r.rd_wdata == result);
    a_bit : assert property (@(posedge clk)
      now && !r.trap && rd != '0 && group == CONDITIONAL -> r.rd_wdata <= 32'd1);
    a_next : assert property (@(posedge clk) now && !r.trap && group != RETURN -> r.pc_wdata == next_pc);
    a_access : assert property (@(posedge clk) now && !r.trap ->
      r.mem_rmask == (accesses && !stores ? bytes : '0) && r.mem_wmask == (stores ? bytes : '0) &&
      (!accesses || r.mem_addr == address));
    a_stored : assert property (@(posedge clk) now && !r.trap && stores ->
      r.mem_wdata == (r.rs2_rdata & {{8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}}));
    if (GROUP == 32'(MULTIPLY)) begin : g_small
      // Solvers cannot multiply: one operand has few bits set, somewhere.
      logic [4:0] place_q;
      always_ff @(posedge clk) place_q <= place_q;
      m_small : assume property (@(posedge clk) now -> (r.rs2_rdata & ~(32'd3 << place_q)) == '0);
    end

    // What was asked of the bus last, and what it answers and has answered before. Memory's lowest byte is in the highest
    // lane; devices (0xFF......) keep a word's value. Nothing else uses the bus: instructions come from the stand-in.
    acb_pkg::acb_req_t asked_last_q;
    logic              after_lock_q;
    logic [63:0]       answered_q;
    function automatic logic [31:0] swapped(input logic [31:0] word);
      return device ? word : {word[7:0], word[15:8], word[23:16], word[31:24]};
    endfunction
    function automatic logic [31:0] word_of(input logic [63:0] lanes);
      return swapped(address[2] ? lanes[31:0] : lanes[63:32]);
    endfunction
    always_ff @(posedge clk) begin
      if (taken) begin
        asked_last_q <= acb_m2s.req;
        after_lock_q <= asked_last_q.lock;
      end
      if (rsp_valid) answered_q <= rsp_data;
    end
    if (GROUP == 32'(LOAD)) begin : g_load
      a_loaded : assert property (@(posedge clk) now && !r.trap && !cached -> rsp_valid && !rsp_err &&
        r.mem_rdata == ((word_of(rsp_data) >> {address[1:0], 3'b000}) &
                        {{8{bytes[3]}}, {8{bytes[2]}}, {8{bytes[1]}}, {8{bytes[0]}}}));
      a_asked : assert property (@(posedge clk) now && !r.trap && !cached -> asked_last_q.read && !asked_last_q.lock &&
        asked_last_q.address[35:3] == {4'b0, address[31:3]});
    end
    if (GROUP == 32'(ATOMIC)) begin : g_atomic
      logic [31:0] loaded, operand, left;
      logic        writes;
      assign loaded  = r.mem_rdata;
      assign operand = r.rs2_rdata;
      assign writes  = now && !r.trap && r.insn[31:27] != 5'b00010;
      always_comb begin
        case (r.insn[31:27])
          5'b00000: left = loaded + operand;
          5'b00100: left = loaded ^ operand;
          5'b01100: left = loaded & operand;
          5'b01000: left = loaded | operand;
          5'b10000: left = signed'(loaded) < signed'(operand) ? loaded : operand;
          5'b10100: left = signed'(loaded) < signed'(operand) ? operand : loaded;
          5'b11000: left = loaded < operand ? loaded : operand;
          5'b11100: left = loaded < operand ? operand : loaded;
          default:  left = operand;  // amoswap
        endcase
      end
      // A device's amoswap is one write, whose answer is the result; others of a device trap.
      a_found : assert property (@(posedge clk)
        now && !r.trap -> rsp_valid && !rsp_err && r.mem_rdata == word_of(writes && !device ? answered_q : rsp_data));
      a_device : assert property (@(posedge clk) now && device -> r.trap || r.insn[31:27] == 5'b00001);
      a_written : assert property (@(posedge clk) writes -> !asked_last_q.read && !asked_last_q.lock &&
        asked_last_q.address[35:3] == {4'b0, address[31:3]} && asked_last_q.byte_mask == (address[2] ? 8'h0F : 8'hF0) &&
        swapped(address[2] ? asked_last_q.write_data[31:0] : asked_last_q.write_data[63:32]) == left);
    end
    if (GROUP == 32'(CONDITIONAL)) begin : g_conditional
      // One that succeeds (0) finds what the last LR found there, and has written; one that fails has at most released
      // its lock.
      logic        reserved_q, succeeds;
      logic [31:0] reserved_address_q, reserved_value_q;
      assign succeeds = now && !r.trap && rd != '0 && r.rd_wdata == '0;
      always_ff @(posedge clk) begin
        if (r.valid) begin
          if (group inside {ATOMIC, CONDITIONAL, RETURN} || r.trap || r.intr) reserved_q <= 1'b0;
          if (group == FENCE && r.insn[14:12] == 3'b001) reserved_q <= 1'b0;  // fence.i
          if (group == ATOMIC && r.insn[31:27] == 5'b00010 && !r.trap) begin
            reserved_q         <= 1'b1;
            reserved_address_q <= address;
            reserved_value_q   <= r.mem_rdata;
          end
        end
        if (rst) reserved_q <= 1'b0;
      end
      a_reserved : assert property (@(posedge clk) succeeds -> reserved_q && !r.intr && reserved_address_q == address &&
        reserved_value_q == word_of(answered_q));
      a_written : assert property (@(posedge clk) succeeds -> rsp_valid && !rsp_err && after_lock_q &&
        !asked_last_q.read && !asked_last_q.lock && asked_last_q.address[35:3] == {4'b0, address[31:3]} &&
        asked_last_q.byte_mask == (address[2] ? 8'h0F : 8'hF0) &&
        swapped(address[2] ? asked_last_q.write_data[31:0] : asked_last_q.write_data[63:32]) == r.rs2_rdata);
      a_not_written : assert property (@(posedge clk)
        now && !r.trap && rd != '0 && r.rd_wdata == 32'd1 && rsp_valid && after_lock_q -> asked_last_q.byte_mask == '0);
    end
  end

  if (CHECK == PC) begin : g_pc
    // Any report and the one numbered one higher.
    logic [7:0]  which_q;
    logic        first_q, second_q, second_intr_q;
    logic [31:0] went_q, is_q;
    logic        is_first, is_second;
    assign is_first  = !rst && r.valid && r.order[7:0] == which_q;
    assign is_second = !rst && r.valid && r.order[7:0] == which_q + 8'd1;
    always_ff @(posedge clk) begin
      which_q <= which_q;
      if (is_first) went_q <= r.pc_wdata;
      if (is_second) begin
        is_q          <= r.pc_rdata;
        second_intr_q <= r.intr;
      end
      first_q  <= !rst && (first_q || is_first);
      second_q <= !rst && (second_q || is_second);
    end
    a_forward : assert property (@(posedge clk) is_second && first_q && !r.intr -> r.pc_rdata == went_q);
    a_backward : assert property (@(posedge clk) is_first && second_q && !second_intr_q -> r.pc_wdata == is_q);
    a_start : assert property (@(posedge clk) !rst && r.valid && r.order == '0 && !r.intr -> r.pc_rdata == '0);
    if (COMPRESSED) begin : g_short
      // One of 16 bits goes on behind itself, but for jumps and branches, and a call comes back there.
      logic       short, goes, calls;
      logic [2:0] funct3;
      assign funct3 = r.insn[15:13];
      assign short  = !rst && r.valid && !r.trap && r.insn[1:0] != 2'b11;
      assign calls  = r.insn[6:2] == '0 && r.insn[1:0] == 2'b10 && funct3 == 3'b100 && r.insn[12];  // c.jalr
      assign goes   = (r.insn[1:0] == 2'b01 && funct3 inside {3'b001, 3'b101, 3'b110, 3'b111}) ||
                      (r.insn[6:2] == '0 && r.insn[1:0] == 2'b10 && funct3 == 3'b100);
      a_short : assert property (@(posedge clk) short && !goes -> r.pc_wdata == r.pc_rdata + 32'd2);
      a_call : assert property (@(posedge clk) short && (calls || (r.insn[1:0] == 2'b01 && funct3 == 3'b001)) ->
        r.rd_addr == 5'd1 && r.rd_wdata == r.pc_rdata + 32'd2);
    end
    a_even : assert property (@(posedge clk) !rst && r.valid -> !r.pc_rdata[0] && (COMPRESSED || !r.pc_rdata[1]));
  end

  if (CHECK == REGISTERS) begin : g_registers
    logic [4:0]  which_q;
    logic        known_q, writes;
    logic [31:0] value_q;
    assign writes = r.valid && r.rd_addr == which_q && which_q != '0;
    always_ff @(posedge clk) begin
      which_q <= which_q;
      if (writes) value_q <= r.rd_wdata;
      known_q <= !rst && (known_q || writes);
    end
    a_rs1 : assert property (@(posedge clk)
      !rst && r.valid && known_q && r.rs1_addr == which_q -> r.rs1_rdata == value_q);
    a_rs2 : assert property (@(posedge clk)
      !rst && r.valid && known_q && r.rs2_addr == which_q -> r.rs2_rdata == value_q);
    a_x0 : assert property (@(posedge clk)
      !rst && r.valid -> (r.rs1_addr != '0 || r.rs1_rdata == '0) && (r.rs2_addr != '0 || r.rs2_rdata == '0));
  end

  if (CHECK == ORDER) begin : g_order
    logic [63:0] next_q, which_q;
    logic [4:0]  register_q;
    logic        seen_q, read_q;
    always_ff @(posedge clk) begin
      which_q    <= which_q;
      register_q <= register_q;
      next_q     <= rst ? '0 : next_q + 64'(r.valid);
      seen_q     <= !rst && (seen_q || (r.valid && r.order == which_q));
      read_q     <= !rst && (read_q || (r.valid && r.order > which_q &&
                                        (r.rs1_addr == register_q || r.rs2_addr == register_q)));
    end
    a_no_gap : assert property (@(posedge clk) !rst && r.valid -> r.order == next_q);
    a_once : assert property (@(posedge clk) !rst && r.valid && seen_q -> r.order != which_q);
    a_causal : assert property (@(posedge clk)
      !rst && r.valid && r.order == which_q && register_q != '0 && r.rd_addr == register_q -> !read_q);
    a_handler : assert property (@(posedge clk) !rst && r.valid && $past(!rst && r.valid && r.trap) -> r.intr);
  end

  if (CHECK == LIVE) begin : g_live
    logic [7:0] quiet_q;
    logic       begun_q;
    always_ff @(posedge clk) begin
      quiet_q <= (rst || r.valid) ? '0 : quiet_q + 8'd1;
      begun_q <= !rst && (begun_q || r.valid);
    end
    m_run : assume property (@(posedge clk) run);
    m_fetch : assume property (@(posedge clk) fetch_answers);
    m_bus : assume property (@(posedge clk) !rst -> req_ready && rsp_valid == (asked_q != '0));
    m_snoop : assume property (@(posedge clk) !snoop_valid);
    // No divide, which takes long, and no wfi, which waits for ever.
    m_divide : assume property (@(posedge clk)
      fetch_word[6:0] != 7'b0110011 || fetch_word[31:25] != 7'd1 || !fetch_word[14]);
    m_wfi : assume property (@(posedge clk) fetch_word != 32'h1050_0073);
    a_live : assert property (@(posedge clk) !rst -> 32'(quiet_q) <= BOUND + (begun_q ? 0 : 8));
  end

  if (CHECK == FETCH) begin : g_fetch
    // One word of memory is what it is, whenever it is fetched.
    logic [31:2] where_q;
    logic [31:0] word_q;
    logic        mine, upper;
    always_ff @(posedge clk) begin
      where_q <= where_q;
      word_q  <= word_q;
    end
    m_word : assume property (@(posedge clk) slot.u_icache.address_q == where_q && fetch_answers ->
      fetch_word == word_q && !fetch_fault);
    assign mine = !rst && r.valid && r.pc_rdata[31:2] == where_q && !r.pc_rdata[1];
    a_whole : assert property (@(posedge clk) mine -> r.insn == word_q || (COMPRESSED && word_q[1:0] != 2'b11));
    if (COMPRESSED) begin : g_halves
      a_lower : assert property (@(posedge clk) mine && word_q[1:0] != 2'b11 -> r.insn == {16'b0, word_q[15:0]});
      assign upper = !rst && r.valid && r.pc_rdata[31:2] == where_q && r.pc_rdata[1];
      a_upper : assert property (@(posedge clk) upper && word_q[17:16] != 2'b11 -> r.insn == {16'b0, word_q[31:16]});
      a_first : assert property (@(posedge clk)
        upper && word_q[17:16] == 2'b11 && r.insn != '0 -> r.insn[15:0] == word_q[31:16]);
    end else begin : g_no_halves
      assign upper = 1'b0;
    end
  end

  if (CHECK == DATA) begin : g_data
    // One byte, as the bus has it: what reads see, when they are answered, what writes leave.
    localparam logic [31:3] DWORD = {WHERE == 0 ? 8'h50 : WHERE == 1 ? 8'h40 : 8'hFF, 21'h00_0123};
    logic [2:0]  lane_q, offset;  // lane 0 has the lowest address; a device's words keep their value
    logic [7:0]  byte_q, seen_q;
    logic        known_q;
    logic [3:0]  head_q, tail_q;
    logic [15:0] watched_q, reads_q;  // requests under way: of it; reads of it, and what they find
    logic [15:0][7:0] values_q;
    logic        hits, is_load, is_store, covers;
    logic [31:0] at;
    logic [7:0]  stored, found, lane_data, write_lane;
    assign hits      = acb_m2s.req.address[35:3] == {4'b0, DWORD} && acb_m2s.req.byte_mask[3'd7 - lane_q];
    assign write_lane = acb_m2s.req.write_data[8*(3'd7-lane_q)+:8];
    assign lane_data = rsp_data[8*(3'd7-lane_q)+:8];
    always_ff @(posedge clk) begin
      lane_q <= lane_q;
      if (taken) begin
        watched_q[tail_q] <= hits;
        reads_q[tail_q]   <= acb_m2s.req.read && hits;
        values_q[tail_q]  <= byte_q;
        tail_q          <= tail_q + 4'd1;
        if (!acb_m2s.req.read && hits) byte_q <= write_lane;
      end
      if (rsp_valid) head_q <= head_q + 4'd1;
      if (rst) begin
        head_q <= '0;
        tail_q <= '0;
      end
    end
    m_read : assume property (@(posedge clk) !rst && rsp_valid && reads_q[head_q] -> lane_data == values_q[head_q]);
    m_good : assume property (@(posedge clk) !rst && rsp_valid && watched_q[head_q] -> !rsp_err);
    assign offset   = lane_q ^ (WHERE == 2 ? 3'd3 : 3'd0);
    assign at       = {DWORD, offset} - r.mem_addr;
    assign covers   = at[31:2] == '0;
    assign is_store = !rst && r.valid && covers && r.mem_wmask[at[1:0]];
    assign is_load  = !rst && r.valid && covers && r.mem_rmask[at[1:0]];
    assign stored   = r.mem_wdata[8*at[1:0]+:8];
    assign found    = r.mem_rdata[8*at[1:0]+:8];
    // Nothing but loads and stores: what atomics write is not reported.
    m_plain : assume property (@(posedge clk) fetch_word[6:0] != 7'b0101111);
    always_ff @(posedge clk) begin
      if (is_store) seen_q <= stored;
      else if (is_load) seen_q <= found;
      known_q <= !rst && (known_q || is_store || is_load);
    end
    a_load : assert property (@(posedge clk) is_load && known_q -> found == seen_q);
  end

  if (CHECK == STATE) begin : g_state
    // mstatus.MIE and MPIE, mie (software, timer, external, bus error), the other registers; an instruction's report finds
    // them as they are in front of it: an interrupt that was taken there has changed them already.
    typedef struct packed {
      logic        enabled;
      logic        previous;
      logic [31:0] mie;
      logic [31:0] mtvec;
      logic [31:0] mscratch;
      logic [31:0] mepc;
      logic [31:0] mcause;
      logic [31:0] mtval;
    } state_t;
    state_t      state_q, state, next;
    logic        trapped_q, entered, reads_only, why_known_q, why_known, writes;  // why_known: mcause and mtval
    logic [31:0] went_q, operand, old, written, irq_vector;
    logic [31:0] wanted_q;  // interrupts that there have been a request for
    assign operand = r.insn[14] ? {27'b0, r.insn[19:15]} : r.rs1_rdata;
    assign writes  = group == CSR && !r.trap && (r.insn[13:12] == 2'b01 || r.insn[19:15] != '0);
    assign written = r.insn[13:12] == 2'b01 ? operand : r.insn[13:12] == 2'b10 ? old | operand : old & ~operand;
    assign entered = r.intr && !trapped_q;
    assign reads_only = group == ATOMIC && r.insn[31:27] == 5'b00010;  // LR
    always_comb begin
      // An interrupt
      state     = state_q;
      why_known = why_known_q && !entered;
      if (entered) begin
        state.enabled  = 1'b0;
        state.previous = state_q.enabled;
        state.mepc     = went_q;
      end
      // What the instruction reads
      case (r.insn[31:20])
        12'h300: old = {19'b0, 2'b11, 3'b0, state.previous, 3'b0, state.enabled, 3'b0};
        12'h304: old = state.mie;
        12'h305: old = state.mtvec;
        12'h340: old = state.mscratch;
        12'h341: old = state.mepc;
        12'h342: old = state.mcause;
        default: old = state.mtval;
      endcase
      // What it leaves
      next = state;
      if (r.trap) begin
        next.enabled  = 1'b0;
        next.previous = state.enabled;
        next.mepc     = r.pc_rdata;
        next.mcause   = traps ? 32'(cause) : (group == LOAD || reads_only) ? 32'd5 : 32'd7;
        next.mtval    = traps ? value : address;
      end else if (group == RETURN) begin
        next.enabled  = state.previous;
        next.previous = 1'b1;
      end else if (writes) begin
        case (r.insn[31:20])
          12'h300: {next.previous, next.enabled} = {written[7], written[3]};
          12'h304: next.mie = written & 32'h0001_0888;
          12'h305: next.mtvec = {written[31:7], written[0] ? 5'b0 : written[6:2], 1'b0, written[0]};
          12'h340: next.mscratch = written;
          12'h341: next.mepc = {written[31:2], 2'b00};
          12'h342: next.mcause = {written[31], 26'b0, written[4:0]};
          12'h343: next.mtval = written;
          default: ;
        endcase
      end
    end
    always_ff @(posedge clk) begin
      if (rsp_valid && rsp_err) wanted_q[16] <= 1'b1;
      if (interrupts[2]) wanted_q[11] <= 1'b1;
      if (interrupts[1]) wanted_q[7] <= 1'b1;
      if (interrupts[0]) wanted_q[3] <= 1'b1;
      if (r.valid) begin
        state_q     <= next;
        trapped_q   <= r.trap;
        went_q      <= r.pc_wdata;
        why_known_q <= r.trap ? r.insn != '0 : why_known;  // not if nothing could be fetched
      end
      if (rst) begin
        state_q     <= '0;
        trapped_q   <= 1'b0;
        went_q      <= '0;
        why_known_q <= 1'b1;
        wanted_q    <= '0;
      end
    end
    if (SYSTEM) begin : g_system
      m_system : assume property (@(posedge clk) fetch_word[6:0] == 7'b1110011);
    end

    // A handler's first instruction; by number of the interrupt, if mtvec says so.
    logic [4:0]  number;
    logic [31:0] base;
    assign base       = {state.mtvec[31:2], 2'b00};
    assign irq_vector = r.pc_rdata - base;
    assign number     = irq_vector[6:2];
    a_handler : assert property (@(posedge clk) !rst && r.valid && r.intr && trapped_q -> r.pc_rdata == base);
    a_enabled : assert property (@(posedge clk) !rst && r.valid && entered ->
      state_q.enabled && (state_q.mie & wanted_q) != '0);
    a_vector : assert property (@(posedge clk) !rst && r.valid && entered ->
      irq_vector == (state.mtvec[0] ? {25'b0, number, 2'b00} : '0));
    a_right_vector : assert property (@(posedge clk) !rst && r.valid && entered && state.mtvec[0] ->
      state_q.mie[number] && wanted_q[number]);
    a_trap : assert property (@(posedge clk) !rst && r.valid && r.trap -> r.pc_wdata == base);
    a_return : assert property (@(posedge clk)
      !rst && r.valid && !r.trap && group == RETURN -> r.pc_wdata == state.mepc);
    a_read : assert property (@(posedge clk) !rst && r.valid && !r.trap && group == CSR && rd != '0 &&
      (r.insn[31:20] inside {12'h300, 12'h304, 12'h305, 12'h340, 12'h341} ||
       (why_known && r.insn[31:20] inside {12'h342, 12'h343})) -> r.rd_wdata == old);
  end

  logic unused;
  assign unused = &{1'b0, halted, unit_req, line_rsp, retire};

endmodule
