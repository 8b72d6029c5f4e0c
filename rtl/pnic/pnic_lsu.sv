// SPDX-License-Identifier: Apache-2.0
//
// Load/store unit of a small core: in cpu_lsu's place, with its contract towards rv_core, but no cache. Loads, stores
// and all that is one step (AMO, LR, SC, set, update) go to the scratchpad's banks, which do them; loads and stores
// elsewhere than in the 256 KB from SCRATCHPAD on (frame memory, registers) go to the far port. An atomic there faults
// without an access.
//
// Cycles in MEM
//   load, AMO, LR, SC       2, and one for each cycle in which the bank is not granted (AMO does not wait for its write)
//   update                  4, likewise
//   store, set, and AMO     1 while one of two places is free: they wait there for their bank
//   without a register
//   overlapped load         1, likewise; its data can be used as rv_core says
//   far load, store         until the answer, behind all that is in the scratchpad's queue
//   SC without reservation  1
//
// Order: everything is performed in program order, in the order of the grants. A fence waits until nothing is under way.
// LR and SC: the bank knows whether anyone has written the word since; here is whether LR and SC belong together. An SC,
// an AMO, a trap in between, and they do not.
//
// An overlapped far load that is answered with an error gives zero, and `bus_error` tells. All other errors are precise.
module pnic_lsu
  import cpu_core_pkg::*;
  import pnic_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  // From EX: offered, and handed over at the end of this cycle if the unit is not busy
  input  logic        issue,
  /* verilator lint_off UNUSEDSIGNAL */  // without a cache there is none to bypass
  input  mem_op_t     issue_op,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0] issue_address,
  input  logic [31:0] issue_data,
  input  logic        issue_overlap,
  // To MEM
  output logic        busy,
  output why_t        why_busy,      // WHY_STORE: a bank is not granted
  output logic        drained,
  output logic [31:0] result,
  output logic        fault,
  output logic        fault_store,
  output logic [31:0] fault_address,
  // Overlapped loads, see cpu_load_queue
  input  logic        loads_pending,
  input  logic [1:0]  loads_first,
  input  logic [2:0]  loads_funct3,
  output logic        load_rsp_valid,
  output logic [31:0] load_value,
  output logic        bus_error,
  output logic [31:0] bus_error_address,
  input  logic        drop_reservation,
  // Memory
  output pad_req_t    pad_req,
  input  pad_rsp_t    pad_rsp,
  output far_req_t    far_req,
  input  far_rsp_t    far_rsp
);

  // ---- What is handed over
  // Who waits for the answer of the scratchpad
  typedef enum logic [1:0] {NOBODY, MEM, QUEUE} who_t;

  logic    is_near, is_access, is_write, is_atomic, posted, sc_refused, is_bad, is_pad;
  pad_op_t pad_op;

  logic        reserved_q;
  logic [31:2] reserved_address_q;

  assign is_near = issue_address[31:18] == SCRATCHPAD[31:18];

  always_comb begin
    is_access = 1'b1;
    is_write  = 1'b0;
    is_atomic = 1'b0;
    pad_op    = PAD_LOAD;
    case (issue_op.kind)
      MEM_LOAD: ;
      MEM_STORE: begin
        is_write = 1'b1;
        pad_op   = PAD_STORE;
      end
      MEM_LR: begin
        is_atomic = 1'b1;
        pad_op    = PAD_LR;
      end
      MEM_SC: begin
        is_write  = 1'b1;
        is_atomic = 1'b1;
        pad_op    = PAD_SC;
      end
      MEM_AMO: begin
        is_write  = 1'b1;
        is_atomic = 1'b1;
        case (amo_t'(issue_op.amo))
          AMO_ADD:    pad_op = PAD_ADD;
          AMO_XOR:    pad_op = PAD_XOR;
          AMO_OR:     pad_op = PAD_OR;
          AMO_AND:    pad_op = PAD_AND;
          AMO_MIN:    pad_op = PAD_MIN;
          AMO_MAX:    pad_op = PAD_MAX;
          AMO_MINU:   pad_op = PAD_MINU;
          AMO_MAXU:   pad_op = PAD_MAXU;
          AMO_SET:    pad_op = PAD_SET;
          AMO_UPDATE: pad_op = PAD_UPDATE;
          default:    pad_op = PAD_SWAP;
        endcase
      end
      default: is_access = 1'b0;  // fences; there is no cache to drop lines of
    endcase
  end

  assign posted     = issue_op.kind == MEM_STORE || (issue_op.kind == MEM_AMO && issue_op.quiet) || issue_overlap;
  assign sc_refused = issue_op.kind == MEM_SC && !(reserved_q && reserved_address_q == issue_address[31:2]);
  assign is_bad     = is_atomic && !is_near;
  assign is_pad     = is_access && is_near && !sc_refused;

  // Lanes: words are little-endian.
  logic [31:0] store_word;
  logic [3:0]  store_mask;
  always_comb begin
    case (issue_op.funct3[1:0])
      2'b00: begin
        store_word = {4{issue_data[7:0]}};
        store_mask = 4'b0001 << issue_address[1:0];
      end
      2'b01: begin
        store_word = {2{issue_data[15:0]}};
        store_mask = issue_address[1] ? 4'b1100 : 4'b0011;
      end
      default: begin
        store_word = issue_data;
        store_mask = 4'b1111;
      end
    endcase
  end

  // ---- The operation in MEM
  typedef struct packed {
    who_t             who;
    pad_op_t          op;
    logic [PAD_W-1:0] address;
    logic [3:0]       mask;
    logic [31:0]      data;
  } queued_t;

  logic        valid_q, waits_q, late_q, far_q, fence_q, bad_q, write_q, overlap_q, refused_q;
  logic [2:0]  funct3_q;
  logic [31:0] address_q;
  queued_t     queued, queued_q, in, out;
  logic        in_valid, in_ready, out_valid, done, far_sent_q, far_go, answered_mem, answered_far;
  who_t        answer_q;

  assign queued = '{who: issue_overlap ? QUEUE : posted ? NOBODY : MEM, op: pad_op,
                    address: issue_address[PAD_W+1:2], mask: store_mask, data: store_word};

  // Two places in front of the crossbar. What found none when it was handed over, or came behind one, goes in from MEM.
  assign in       = late_q ? queued_q : queued;
  assign in_valid = late_q || (issue && is_pad);

  skid_buffer #(.WIDTH($bits(queued_t))) u_queue (
    .clk,
    .rst,
    .in_data  (in),
    .in_valid,
    .in_ready,
    .out_data ({out}),
    .out_valid,
    .out_ready(pad_rsp.ready)
  );

  assign pad_req = '{valid: out_valid, op: out.op, address: out.address, mask: out.mask, data: out.data};

  // The answer to come is for them.
  always_ff @(posedge clk) begin
    if (pad_rsp.ready && out_valid) answer_q <= out.who;
    else if (pad_rsp.valid) answer_q <= NOBODY;
    if (rst) answer_q <= NOBODY;
  end

  logic quiet;  // nothing is under way but, maybe, the operation in MEM
  assign quiet        = !out_valid && in_ready && answer_q == NOBODY && !loads_pending;
  assign drained      = quiet && !far_sent_q;
  assign answered_mem = pad_rsp.valid && answer_q == MEM;
  assign answered_far = far_rsp.valid && far_sent_q;
  assign far_go       = valid_q && far_q && !bad_q && !far_sent_q && !out_valid && in_ready && answer_q == NOBODY;

  always_comb begin
    if (late_q) done = in_ready && !waits_q;
    else if (far_q) done = answered_far && !(far_rsp.error && !overlap_q);
    else if (fence_q) done = drained;
    else done = !waits_q || answered_mem;
  end

  assign busy          = valid_q && !bad_q && !done;
  assign why_busy      = fence_q ? WHY_SERIAL : out_valid && !pad_rsp.ready ? WHY_STORE : WHY_UNCACHED;
  assign fault         = valid_q && bad_q;
  assign fault_store   = write_q;
  assign fault_address = address_q;

  always_ff @(posedge clk) begin
    if (!busy) begin
      valid_q   <= issue;
      waits_q   <= is_pad && !posted;
      late_q    <= issue && is_pad && (!in_ready || late_q);
      far_q     <= is_access && !is_near && !is_atomic;
      fence_q   <= issue_op.kind == MEM_FENCE;
      bad_q     <= is_bad;
      write_q   <= is_write;
      overlap_q <= issue_overlap;
      refused_q <= sc_refused;
      funct3_q  <= issue_op.funct3;
      address_q <= issue_address;
      queued_q  <= queued;
    end else if (in_ready) begin
      late_q <= 1'b0;
    end
    if (answered_far && far_rsp.error && !overlap_q) bad_q <= 1'b1;
    if (rst) begin
      valid_q <= 1'b0;
      late_q  <= 1'b0;
      bad_q   <= 1'b0;
      fence_q <= 1'b0;
      waits_q <= 1'b0;
      far_q   <= 1'b0;
    end
  end

  // ---- Far port: one access at a time
  far_req_t far_req_q;

  always_ff @(posedge clk) begin
    if (far_go) begin
      far_req_q  <= '{valid: 1'b1, write: write_q, address: address_q, mask: queued_q.mask, data: queued_q.data};
      far_sent_q <= 1'b1;
    end
    if (far_req_q.valid && far_rsp.ready) far_req_q.valid <= 1'b0;
    if (answered_far) far_sent_q <= 1'b0;
    if (rst) begin
      far_req_q.valid <= 1'b0;
      far_sent_q      <= 1'b0;
    end
  end

  assign far_req = far_req_q;

  // ---- Reservation: of the last LR
  always_ff @(posedge clk) begin
    if (issue && issue_op.kind == MEM_LR && is_near) begin
      reserved_q         <= 1'b1;
      reserved_address_q <= issue_address[31:2];
    end
    if (drop_reservation || (issue && (issue_op.kind == MEM_SC || issue_op.kind == MEM_AMO))) reserved_q <= 1'b0;
    if (rst) reserved_q <= 1'b0;
  end

  // ---- Results
  function automatic logic [31:0] align(input logic [31:0] word, input logic [1:0] first, input logic [2:0] funct3);
    logic [31:0] value;
    logic        fill;
    value = word >> {first, 3'b000};
    fill  = !funct3[2] && (funct3[0] ? value[15] : value[7]);
    if (funct3[1:0] == 2'b00) value[15:8] = {8{fill}};
    if (!funct3[1]) value[31:16] = {16{fill}};
    return value;
  endfunction

  // Who is in the load queue knows how to cut the word; a register's first byte it sees at the other end.
  logic [31:0] word;
  logic        device;
  assign device = address_q[31:24] == REGISTERS[31:24];
  assign word   = answered_far ? far_rsp.data : pad_rsp.data;
  assign result = refused_q ? 32'd1 : align(word, address_q[1:0], funct3_q);

  assign load_rsp_valid = (pad_rsp.valid && answer_q == QUEUE) || (answered_far && overlap_q);
  assign load_value     = answered_far && far_rsp.error ? '0 :
                          align(word, loads_first ^ {2{answered_far && device}}, loads_funct3);

  assign bus_error         = answered_far && far_rsp.error && overlap_q;
  assign bus_error_address = address_q;

  a_expected : assert property (@(posedge clk) disable iff (rst) far_rsp.valid -> far_sent_q);
  a_issue_when_free : assert property (@(posedge clk) disable iff (rst) issue -> !busy);

endmodule
