// SPDX-License-Identifier: Apache-2.0
//
// Self-test: tests the NIC's registers, queues and lock as a master of its own in front of nic_regfile, and memory by
// nic_selftest_memory. What is tested and what the registers say: regs/nic.rdl, selftest_*.
//
//     processor --AFB--> turn --AFB--> nic_regfile          nic_selftest_memory --ACB--> acb_arbiter
//                         ^
//     table of steps -----+
//
// While no test runs the processor has the turn, and its accesses go through by one gate. While one runs the turn
// alternates when both want it, so that neither waits for more than one access of the other. The registers selftest_*
// are here: nic_regfile, which does not know them, only times the access, and its answer is replaced.
//
// A test is a row of the table after the other. While an access is under way (four cycles) its row is replaced by the
// next one, and its answer is compared in the first cycle of the next access:
//
//     cycle     0          1                      2             3              4            5
//               accepted   what is expected is    next row is   its request    answer is    mismatch: on to
//                          kept, next row chosen  read          is made        compared     FLUSH_POP
//
// Throughput: an access every four cycles. `busy` is low in time for nic_regfile's answer to the write that starts it.
module nic_selftest
  import acb_pkg::*;
  import afb_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter bit          QUEUES_IN_MEMORY = 1'b0,  // there are no queues to test
  parameter int unsigned SERVERS          = RXQ_COUNT
) (
  input  logic       clk,
  input  logic       rst,

  input  afb_m2s_t   afb_m2s,          // processor
  output afb_s2m_t   afb_s2m,
  output afb_m2s_t   reg_m2s,          // register file
  input  afb_s2m_t   reg_s2m,
  output logic       afb_by_selftest,  // from a request until its response is taken: whose they are
  output acb_m2s_t   mem_m2s,
  input  acb_s2m_t   mem_s2m,

  input  logic [6:0] queue_depth,
  input  logic       nic_unused,       // disabled, and no pointer anywhere: a test may start
  output logic       busy              // the engines must stand still
);

  localparam logic [2:0] REGISTERS = 3'd1;
  localparam logic [2:0] QUEUES    = 3'd2;
  localparam logic [2:0] SEQUENCE  = 3'd3;
  localparam logic [2:0] MEMORY    = 3'd4;

  // ---- Table of steps ----------------------------------------------------------------------------------------------

  typedef enum logic [5:0] {
    REG_WRITE, REG_READ, REG_MISSING, REG_READ_ONLY,
    QUEUE_IS_EMPTY, QUEUE_FILL, QUEUE_IS_FULL, QUEUE_ALONE_FULL, QUEUE_FAILED, QUEUE_FAILED_CLEAR, QUEUE_OCCUPIED,
    QUEUE_DRAIN, QUEUE_EMPTY_AGAIN, QUEUE_OCCUPIED_NO_MORE,
    LOCK_TAKE, LOCK_HELD, LOCK_RELEASE, LOCK_FREE, LOCK_AGAIN, LOCK_POP, LOCK_END, FAILED_END, CAUSES_END,
    FLUSH_POP, FLUSH_NEXT, FLUSH_END,
    SEQ_FILL, SEQ_POP_FREE, SEQ_PUSH_RX, SEQ_POP_RX, SEQ_PUSH_TX, SEQ_POP_TX, SEQ_PUSH_FREE, SEQ_OCCUPIED, SEQ_DRAIN,
    SEQ_EMPTY, SEQ_END
  } test_step_t;

  typedef enum logic [2:0] {ID, EACH, EACH_COUNT, RX, TX, FREE, FREE_COUNT} target_t;  // EACH: of the queue at hand
  typedef enum logic {READ, WRITE} direction_t;
  typedef enum logic [1:0] {NONE, PATTERN, POPPED, ONES} test_data_t;
  typedef enum logic [3:0] {ANY, A_PATTERN, A_0, A_1, A_2, A_DEPTH, A_QUEUE_BIT, A_STATUS, A_ERROR} test_answer_t;
  typedef enum logic [2:0] {NEXT, BY_INDEX, BY_ROUND, BY_QUEUE, JUMP, END} flow_t;  // BY_x: to loop_to until through

  typedef struct packed {
    direction_t   access;
    target_t      target;
    logic [7:0]   id;
    test_data_t   data;
    test_answer_t answer;
    flow_t        flow;
    test_step_t   loop_to;
  } test_row_t;

  function automatic test_row_t row_of(input test_step_t step);
    unique case (step)
      // Every pattern, then its complement.
      REG_WRITE:          return '{WRITE, ID, ID_DEBUG1, PATTERN, A_0, NEXT, REG_WRITE};
      REG_READ:           return '{READ, ID, ID_DEBUG1, NONE, A_PATTERN, BY_INDEX, REG_WRITE};
      REG_MISSING:        return '{READ, ID, ID_QUEUE_DEPTH + 8'd1, NONE, A_ERROR, BY_ROUND, REG_WRITE};
      REG_READ_ONLY:      return '{WRITE, ID, ID_FREE_COUNTER, ONES, A_ERROR, END, REG_WRITE};

      // For each queue, with patterns and then with their complements.
      QUEUE_IS_EMPTY:     return '{READ, EACH, '0, NONE, A_1, NEXT, REG_WRITE};
      QUEUE_FILL:         return '{WRITE, EACH, '0, PATTERN, A_0, BY_INDEX, QUEUE_FILL};
      QUEUE_IS_FULL:      return '{WRITE, EACH, '0, PATTERN, A_2, NEXT, REG_WRITE};
      QUEUE_ALONE_FULL:   return '{READ, ID, ID_STATUS, NONE, A_STATUS, NEXT, REG_WRITE};
      QUEUE_FAILED:       return '{READ, ID, ID_PUSH_FAILED, NONE, A_QUEUE_BIT, NEXT, REG_WRITE};
      QUEUE_FAILED_CLEAR: return '{WRITE, ID, ID_PUSH_FAILED, ONES, A_0, NEXT, REG_WRITE};
      QUEUE_OCCUPIED:     return '{READ, EACH_COUNT, '0, NONE, A_DEPTH, NEXT, REG_WRITE};
      QUEUE_DRAIN:        return '{READ, EACH, '0, NONE, A_PATTERN, BY_INDEX, QUEUE_DRAIN};
      QUEUE_EMPTY_AGAIN:  return '{READ, EACH, '0, NONE, A_1, BY_ROUND, QUEUE_FILL};
      QUEUE_OCCUPIED_NO_MORE: return '{READ, EACH_COUNT, '0, NONE, A_0, BY_QUEUE, QUEUE_IS_EMPTY};

      LOCK_TAKE:          return '{READ, ID, ID_FREEQ_LOCK, NONE, A_1, NEXT, REG_WRITE};
      LOCK_HELD:          return '{READ, ID, ID_FREEQ_LOCK, NONE, A_0, NEXT, REG_WRITE};
      LOCK_RELEASE:       return '{WRITE, ID, ID_FREEQ_LOCK, ONES, A_0, NEXT, REG_WRITE};
      LOCK_FREE:          return '{WRITE, ID, ID_FREEQ_LOCK, ONES, A_2, NEXT, REG_WRITE};  // not the caller's any more
      LOCK_AGAIN:         return '{READ, ID, ID_FREEQ_LOCK, NONE, A_1, NEXT, REG_WRITE};
      LOCK_POP:           return '{READ, FREE, '0, NONE, A_1, NEXT, REG_WRITE};
      LOCK_END:           return '{WRITE, ID, ID_FREEQ_LOCK, ONES, A_0, NEXT, REG_WRITE};
      FAILED_END:         return '{WRITE, ID, ID_PUSH_FAILED, ONES, A_0, NEXT, REG_WRITE};
      CAUSES_END:         return '{WRITE, ID, ID_IRQ_STATUS, ONES, A_0, END, REG_WRITE};

      // Behind a failure, its answers do not matter: no pattern may stay in a queue, where an engine would take it.
      FLUSH_POP:          return '{READ, EACH, '0, NONE, ANY, BY_INDEX, FLUSH_POP};
      FLUSH_NEXT:         return '{READ, EACH, '0, NONE, ANY, BY_QUEUE, FLUSH_POP};
      FLUSH_END:          return '{READ, ID, ID_STATUS, NONE, ANY, JUMP, LOCK_END};

      // For each server every pointer once around; the free queue is in order again after that. Twice, as above.
      SEQ_FILL:           return '{WRITE, FREE, '0, PATTERN, A_0, BY_INDEX, SEQ_FILL};
      SEQ_POP_FREE:       return '{READ, FREE, '0, NONE, A_PATTERN, NEXT, REG_WRITE};
      SEQ_PUSH_RX:        return '{WRITE, RX, '0, POPPED, A_0, NEXT, REG_WRITE};
      SEQ_POP_RX:         return '{READ, RX, '0, NONE, A_PATTERN, NEXT, REG_WRITE};
      SEQ_PUSH_TX:        return '{WRITE, TX, '0, POPPED, A_0, NEXT, REG_WRITE};
      SEQ_POP_TX:         return '{READ, TX, '0, NONE, A_PATTERN, NEXT, REG_WRITE};
      SEQ_PUSH_FREE:      return '{WRITE, FREE, '0, POPPED, A_0, BY_INDEX, SEQ_POP_FREE};
      SEQ_OCCUPIED:       return '{READ, FREE_COUNT, '0, NONE, A_DEPTH, BY_QUEUE, SEQ_POP_FREE};
      SEQ_DRAIN:          return '{READ, FREE, '0, NONE, A_PATTERN, BY_INDEX, SEQ_DRAIN};
      SEQ_EMPTY:          return '{READ, FREE, '0, NONE, A_1, BY_ROUND, SEQ_FILL};
      default:            return '{READ, FREE_COUNT, '0, NONE, A_0, END, REG_WRITE};  // SEQ_END
    endcase
  endfunction

  // ---- Whose turn it is --------------------------------------------------------------------------------------------

  logic     turn_q;  // the self-test's
  logic     request_q, running_q, starting_q, begin_q, at_rest, over, accept, answered;
  afb_req_t request;
  logic        own_q, own_err_q;  // the access under way is to our registers
  logic [31:0] own_data_q;

  assign reg_m2s = '{
    req:       turn_q ? request : afb_m2s.req,
    req_valid: turn_q ? request_q : afb_m2s.req_valid,
    rsp_ready: turn_q || afb_m2s.rsp_ready
  };
  assign afb_s2m = '{
    req_ready: reg_s2m.req_ready && !turn_q,
    rsp:       own_q ? '{err: own_err_q, data: own_data_q} : reg_s2m.rsp,
    rsp_valid: reg_s2m.rsp_valid && !turn_q
  };
  assign afb_by_selftest = turn_q;
  assign at_rest         = reg_s2m.req_ready && !reg_m2s.req_valid;
  assign over            = reg_s2m.rsp_valid && reg_m2s.rsp_ready;
  assign accept          = turn_q && request_q && reg_s2m.req_ready;
  assign answered        = turn_q && reg_s2m.rsp_valid;

  always_ff @(posedge clk) begin
    if (at_rest) turn_q <= (request_q || begin_q) && !afb_m2s.req_valid;
    else if (over) turn_q <= turn_q ? running_q && !afb_m2s.req_valid : request_q || begin_q;
    if (rst) turn_q <= 1'b0;
  end

  // ---- Our registers -----------------------------------------------------------------------------------------------

  logic              own, own_read_q, start_q;
  logic [2:0]        own_id_q, test_q;
  logic [31:0]       own_data;
  logic [31:3]       base_q, dwords_q;
  logic              done_q, refused_q;
  logic              busy_q, unused_q;
  selftest_status_t  status;
  selftest_cycles_t  cycles;

  localparam logic [2:0] OWN_CONTROL = ID_SELFTEST_CONTROL[2:0];
  localparam logic [2:0] OWN_BASE    = ID_SELFTEST_BASE[2:0];
  localparam logic [2:0] OWN_BYTES   = ID_SELFTEST_BYTES[2:0];

  if (ID_SELFTEST_CONTROL[2:0] != 3'd0 || ID_SELFTEST_ADDRESS != ID_SELFTEST_CONTROL + 8'd7) begin : g_bad_ids
    $error("nic_selftest: its registers are no longer eight in a row that begins at a multiple of eight");
  end

  assign own = afb_m2s.req.address[9:5] == ID_SELFTEST_CONTROL[7:3];

  always_ff @(posedge clk) begin
    start_q <= 1'b0;
    if (afb_m2s.req_valid && reg_s2m.req_ready && !turn_q) begin
      own_q      <= own;
      own_read_q <= afb_m2s.req.read;
      own_id_q   <= afb_m2s.req.address[4:2];
      own_err_q  <= !afb_m2s.req.read && (busy_q || !(&afb_m2s.req.byte_mask)
                    || !(afb_m2s.req.address[4:2] inside {OWN_CONTROL, OWN_BASE, OWN_BYTES}));
      if (own && !afb_m2s.req.read && !busy_q && &afb_m2s.req.byte_mask) begin
        if (afb_m2s.req.address[4:2] == OWN_CONTROL) begin
          test_q  <= afb_m2s.req.write_data[2:0];
          start_q <= 1'b1;
        end
        if (afb_m2s.req.address[4:2] == OWN_BASE) base_q <= afb_m2s.req.write_data[31:3];
        if (afb_m2s.req.address[4:2] == OWN_BYTES) dwords_q <= afb_m2s.req.write_data[31:3];
      end
    end
    if (!afb_s2m.rsp_valid) own_data_q <= own_read_q ? own_data : '0;
    if (rst) begin
      own_q    <= 1'b0;
      start_q  <= 1'b0;
      test_q   <= '0;
      base_q   <= '0;
      dwords_q <= '0;
    end
  end

  // ---- Steps -------------------------------------------------------------------------------------------------------

  test_step_t  step_q;
  test_row_t   row;  // of step_q, a cycle later
  logic [5:0]  index_q, depth_less_q;
  logic [3:0]  queue_q, row_queue;
  logic        round_q, index_last_q, queue_last_q, flushing_q, last_q;
  logic        load, accepted_q, answered_q, finish_q, finished_q, mismatch, mismatch_q, failed_q;
  logic        start_steps, to_flush, judged_q, may_start_q, dwords_some_q, memory_busy, memory_busy_q, memory_failed;
  logic [31:0] pattern, expected, expected_q, got_q, request_data_q;
  logic        expect_err_q, check_q, got_err_q, request_read_q;
  logic [7:0]  row_id, request_id_q;
  logic [5:0]  failed_step_q, failed_index_q;
  logic [3:0]  failed_queue_q;

  always_ff @(posedge clk) row <= row_of(step_q);

  // A pointer has its index in it four times, so every place holds another, and a complement in the second round.
  assign pattern = {{index_q, ~index_q, index_q, ~index_q, index_q[4:0]} ^ {29{round_q}},
                    index_q[2:0] & {3{test_q == REGISTERS}}};

  always_comb begin
    unique case (row.target)
      RX:               row_queue = {2'b00, queue_q[1:0]};
      TX:               row_queue = {2'b01, queue_q[1:0]};
      FREE, FREE_COUNT: row_queue = 4'(2 * RXQ_COUNT);
      default:          row_queue = queue_q;
    endcase
    row_id = ID_RXQ_POINTER + {3'b0, row_queue, row.target == EACH_COUNT || row.target == FREE_COUNT};
    if (row.target == ID) row_id = row.id;
  end

  logic [8:0] queue_bit;
  assign queue_bit = 9'd1 << queue_q;

  always_comb begin
    unique case (row.answer)
      A_PATTERN:   expected = pattern;
      A_1:         expected = 32'd1;
      A_2:         expected = 32'd2;
      A_DEPTH:     expected = 32'(queue_depth);
      A_QUEUE_BIT: expected = 32'(queue_bit);
      A_STATUS:    expected = {11'b0, queue_bit, 2'b11, 1'b0, queue_bit};  // it is full, no other holds any, idle
      default:     expected = '0;
    endcase
  end

  // The request. The word that was popped goes straight into the push behind it.
  assign load    = (begin_q && (at_rest || over)) || (answered && !last_q);
  assign request = '{
    lock: 1'b0, read: request_read_q, byte_mask: 4'hF, address: 36'({request_id_q, 2'b0}), write_data: request_data_q
  };

  always_ff @(posedge clk) begin
    if (load) begin
      request_read_q <= row.access == READ;
      request_id_q   <= row_id;
      unique case (row.data)
        POPPED:  request_data_q <= reg_s2m.rsp.data;
        ONES:    request_data_q <= '1;
        default: request_data_q <= pattern;
      endcase
    end
    if (load) request_q <= 1'b1;
    else if (accept) request_q <= 1'b0;
    if (rst) request_q <= 1'b0;
  end

  // Queues of servers that are not there are passed over.
  function automatic logic [3:0] after(input logic [3:0] queue);
    return queue[1:0] == 2'(SERVERS - 1) ? {queue[3:2] + 1'b1, 2'b00} : queue + 1'b1;
  endfunction

  // Which row is next.
  always_ff @(posedge clk) begin
    depth_less_q <= 6'(queue_depth - 1'b1);
    index_last_q <= index_q == (test_q == REGISTERS || flushing_q ? '1 : depth_less_q);
    queue_last_q <= queue_q == (test_q == SEQUENCE && !flushing_q ? 4'(SERVERS - 1) : 4'(2 * RXQ_COUNT));
    starting_q   <= start_steps || (to_flush && finished_q);
    begin_q      <= starting_q || (begin_q && !load);
    accepted_q   <= accept;
    if (accepted_q) begin
      last_q <= row.flow == END;
      step_q <= test_step_t'(step_q + 1'b1);
      unique case (row.flow)
        BY_INDEX: begin
          index_q <= index_last_q ? '0 : index_q + 1'b1;
          if (!index_last_q) step_q <= row.loop_to;
        end
        BY_ROUND: begin
          round_q <= !round_q;
          if (!round_q) step_q <= row.loop_to;
        end
        BY_QUEUE: begin
          queue_q <= queue_last_q ? '0 : after(queue_q);
          if (!queue_last_q) step_q <= row.loop_to;
        end
        JUMP: step_q <= row.loop_to;
        default: ;
      endcase
    end
    if (start_steps || to_flush) begin
      index_q    <= '0;
      queue_q    <= '0;
      round_q    <= 1'b0;
      last_q     <= 1'b0;
      flushing_q <= to_flush;
    end
    if (to_flush) step_q <= FLUSH_POP;
    if (start_steps) begin
      unique case (test_q)
        QUEUES:   step_q <= QUEUE_IS_EMPTY;
        SEQUENCE: step_q <= SEQ_FILL;
        default:  step_q <= REG_WRITE;
      endcase
    end
    if (rst) begin
      starting_q <= 1'b0;
      begin_q    <= 1'b0;
      accepted_q <= 1'b0;
      flushing_q <= 1'b0;
      step_q     <= REG_WRITE;
      index_q    <= '0;
      queue_q    <= '0;
      round_q    <= 1'b0;
      last_q     <= 1'b0;
    end
  end

  // ---- Verdict -----------------------------------------------------------------------------------------------------

  assign mismatch = answered_q && check_q && !failed_q && {got_err_q, got_q} != {expect_err_q, expected_q};
  assign to_flush = (mismatch_q || failed_q) && !flushing_q && (accepted_q || finished_q);

  always_ff @(posedge clk) begin
    answered_q <= answered;
    finish_q   <= answered && last_q;
    finished_q <= finish_q;
    mismatch_q <= mismatch;
    if (answered && !failed_q) {got_err_q, got_q} <= reg_s2m.rsp;
    if (accepted_q && !mismatch_q && !failed_q) begin
      expected_q     <= expected;
      expect_err_q   <= row.answer == A_ERROR;
      check_q        <= row.answer != ANY;
      failed_step_q  <= step_q;
      failed_index_q <= index_q;
      failed_queue_q <= queue_q;
    end
    if (mismatch_q) failed_q <= 1'b1;
    if (running_q && finished_q && !to_flush) begin
      running_q <= 1'b0;
      busy_q    <= 1'b0;
      done_q    <= 1'b1;
    end
    memory_busy_q <= memory_busy;
    if (memory_busy_q && !memory_busy) begin
      busy_q   <= 1'b0;
      done_q   <= 1'b1;
      failed_q <= memory_failed;
    end
    unused_q <= nic_unused;
    // A cycle for the verdict whether it may start, one to start.
    judged_q      <= start_q && !rst;
    dwords_some_q <= dwords_q != '0;
    may_start_q   <= unused_q && test_q >= REGISTERS && test_q <= MEMORY && (test_q != MEMORY || dwords_some_q)
                     && !(QUEUES_IN_MEMORY && test_q inside {QUEUES, SEQUENCE});
    if (judged_q) begin
      done_q         <= 1'b0;
      failed_q       <= 1'b0;
      refused_q      <= test_q != '0 && !may_start_q;
      busy_q         <= may_start_q;
      running_q      <= start_steps;
    end
    if (rst) begin
      answered_q     <= 1'b0;
      finish_q       <= 1'b0;
      finished_q     <= 1'b0;
      mismatch_q     <= 1'b0;
      failed_q       <= 1'b0;
      running_q      <= 1'b0;
      busy_q         <= 1'b0;
      done_q         <= 1'b0;
      refused_q      <= 1'b0;
      memory_busy_q  <= 1'b0;
      unused_q       <= 1'b0;
    end
  end

  assign busy        = busy_q;
  assign start_steps = judged_q && may_start_q && test_q != MEMORY;

  // ---- Times -------------------------------------------------------------------------------------------------------

  logic [7:0] wait_q, span_q;            // since this request was made; since the pointer's first one was
  logic [7:0] waited_q, spanned_q;       // when the answer came
  logic [7:0] register_access_q, queue_op_q, traversal_q;
  logic       is_queue_op_q, is_around_q;

  always_ff @(posedge clk) begin
    if (load) wait_q <= '0;
    else if (!(&wait_q)) wait_q <= wait_q + 1'b1;
    if (load && step_q == SEQ_POP_FREE) span_q <= '0;
    else if (!(&span_q)) span_q <= span_q + 1'b1;
    if (accepted_q) begin
      is_queue_op_q <= row.target inside {EACH, RX, TX, FREE};
      is_around_q   <= step_q == SEQ_PUSH_FREE;
    end
    if (answered) begin
      waited_q  <= wait_q;
      spanned_q <= span_q;
    end
    if (answered_q) begin
      if (waited_q > register_access_q) register_access_q <= waited_q;
      if (is_queue_op_q && waited_q > queue_op_q) queue_op_q <= waited_q;
      if (is_around_q && spanned_q > traversal_q) traversal_q <= spanned_q;
    end
    if (rst || (start_q && test_q == '0)) begin
      register_access_q <= '0;
      queue_op_q        <= '0;
      traversal_q       <= '0;
    end
  end

  // ---- Memory ------------------------------------------------------------------------------------------------------

  logic        memory_got_err;
  logic [3:0]  memory_pass;
  logic [31:2] memory_address;
  logic [31:0] memory_expected, memory_got;

  nic_selftest_memory u_memory (
    .clk,
    .rst,
    .start   (judged_q && may_start_q && test_q == MEMORY),
    .base    (base_q),
    .dwords  (dwords_q),
    .busy    (memory_busy),
    .mem_m2s,
    .mem_s2m,
    .failed  (memory_failed),
    .pass    (memory_pass),
    .address (memory_address),
    .expected(memory_expected),
    .got     (memory_got),
    .got_err (memory_got_err)
  );

  // ---- What our registers hold -------------------------------------------------------------------------------------

  logic is_memory, found;  // found: what the memory test has to show is a failure
  assign is_memory = test_q == MEMORY;
  assign found     = is_memory && failed_q;

  always_comb begin
    status          = '0;
    status.busy     = busy_q;
    status.done     = done_q;
    status.failed   = failed_q;
    status.refused  = refused_q;
    if (failed_q) begin
      status.got_err = is_memory ? memory_got_err : got_err_q;
      status.step    = is_memory ? 6'(memory_pass) : failed_step_q;
      status.queue_number = is_memory ? '0 : failed_queue_q;
      status.index   = is_memory ? '0 : failed_index_q;
    end
    cycles                 = '0;
    cycles.register_access = register_access_q;
    cycles.queue_op        = queue_op_q;
    cycles.traversal       = traversal_q;
    unique case (own_id_q)
      3'd0:    own_data = 32'(test_q);
      3'd1:    own_data = status;
      3'd2:    own_data = {base_q, 3'b0};
      3'd3:    own_data = {dwords_q, 3'b0};
      3'd4:    own_data = found ? memory_expected : failed_q ? expected_q : '0;
      3'd5:    own_data = found ? memory_got : failed_q ? got_q : '0;
      3'd6:    own_data = cycles;
      default: own_data = found ? {memory_address, 2'b0} : '0;
    endcase
  end

  // The turn does not change during an access, and who waits gets the next one.
  logic in_access_q;
  always_ff @(posedge clk) begin
    if (rst) in_access_q <= 1'b0;
    else in_access_q <= reg_m2s.req_valid && reg_s2m.req_ready || (in_access_q && !(over));
  end
  a_turn_is_stable : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && in_access_q) -> turn_q == $past(turn_q) || !in_access_q);
  a_processor_is_next : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && turn_q && reg_s2m.rsp_valid && afb_m2s.req_valid) -> !turn_q);
  a_idle_is_the_processors : assert property (@(posedge clk) disable iff (rst) !busy_q -> !request_q);

endmodule
