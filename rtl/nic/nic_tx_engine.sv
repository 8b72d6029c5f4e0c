// SPDX-License-Identifier: Apache-2.0
//
// Transmit engine: transmit queue -> packet buffer in memory -> MAC -> free queue.
//
//     transmit queues --> reader --> memory --> sorter --> FIFO of dwords --> shifter --> (nic_tx_sums) --> MAC
//       (round robin)       |                     |                             |
//                           +--> slots: pointer --+--> length, verdict ---------+--> pointer to the free queue
//
// The reader asks for the control word and at once for the first dwords behind the stamp, a whole minimum frame (FIRST)
// or more (FIRST_STEADY); when the control word is back, for the rest. It then goes on to the next frame, while this
// one's data are still in the FIFO. It asks only for what the FIFO has room for (credits), so responses are always
// taken at once. The shifter makes beats of eight bytes out of dwords whose frame begins at their third byte.
//
// Latency: pointer in a queue to control word read on the bus: four cycles; the frame's first dword back to the first
// beat at the MAC: five cycles. A frame of n bytes takes ceil(n / 8) + 2 cycles at the MAC, and with a memory latency
// of L cycles at least L + 7 + max(0, (n + 2) / 8 - FIRST) cycles at the reader: line rate for L up to 59.
//
// Frames that may begin on the line before they are whole (`user.steady`, from the first beat): those of which it is
// certain that the rest comes as fast as the promise in mac.sv wants it.
//  - Their buffer is in the steady memory (STEADY_BASE, STEADY_BYTES; in the last 2 KB of it a frame might not end),
//  which
//    answers a request a cycle without error, whoever else is at it (see local_mem).
//  - No access goes elsewhere from the control word's request to the frame's last dword: the receive engine has no
//  frame
//    in another memory when the length is known, and begins none while `claims` says so. A claim is not made while one
//    waits.
//  - `paced`: nic_tx_pace has found the clocks fast enough.
// The bound, with u and m for cycles of this clock and the memory's, and the longer of the two for a request of any
// kind: the first beat goes out at least two requests and 5 u behind the control word's arrival. The next FIRST_STEADY
// - 2 dwords were asked for one after the other, at most one write of the receive engine between two of them: two
// requests each. The REST is asked for within 3 u of that arrival and takes 6 u to the crossing, at most 21 requests
// through it, with arbiter and router full of writes, 7 m to the memory and back, and 8 u from there to a beat: that is
// 12 u and 26 m behind the first beat. At the limits of `paced`, 73 MHz each, these are 523 ns; the promise gives the
// beat with the first dword of the rest, FIRST_STEADY - 1 beats behind the first one, 567 ns. Beats behind that follow
// each other by two requests, 28 ns of 64. (What is left pays for a processor that touches the very dword that the
// engine is at: see local_mem.)
//
// Queues of disabled servers are served too: what was queued is sent. A frame whose length is below 14, above max_sent
// or beyond the buffer, or whose control word cannot be read, is not sent but counted. When a later read fails the
// frame goes to the MAC as bad with its last beat, and the MAC drops and counts it. The pointer goes back to the free
// queue in every case, after the MAC has taken the last beat.
//
// A control word that requests a stamp asks the MAC for one, if nic_tx_stamps has room for one more.
//
// OFFLOADS: one that requests sums sends the frame through the store of nic_tx_sums. Such a frame never begins before
// it is whole. It stands only before frames that have not begun, for which it is a MAC that is not ready: their promise
// holds. One that requests to keep the buffer has its pointer not returned, in every case but that of an unreadable
// control word; `kept` says when it would have been.
module nic_tx_engine
  import acb_pkg::*;
  import frame_pkg::*;
  import nic_fates_pkg::*;
  import nic_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter int unsigned SERVERS      = MAX_SERVERS,
  parameter bit          OFFLOADS     = 1'b0,
  parameter logic [31:0] STEADY_BASE  = '0,
  parameter int unsigned STEADY_BYTES = 0    // a power of two above 2048; 0: no memory is
) (
  input  logic           clk,
  input  logic           rst,

  input  logic           enable,      // when low: no new frame
  input  logic [15:0]    max_length,  // of a frame in a buffer
  input  logic [10:0]    max_sent,    // of a frame to send, without FCS

  input  logic           paced,         // the clocks are fast enough to begin a frame that is not whole
  input  logic           rx_elsewhere,  // the receive engine has, or waits for, a buffer in another memory
  output logic           claims,        // it begins none

  output tx_frame_t      tx_frame,
  input  logic           tx_frame_ready,

  output acb_m2s_t       mem_m2s,
  input  acb_s2m_t       mem_s2m,

  /* verilator lint_off UNUSEDSIGNAL */  // of it: which transmit queues are empty
  input  queues_status_t queues,
  /* verilator lint_on UNUSEDSIGNAL */
  output tx_queues_req_t queues_req,
  input  tx_queues_rsp_t queues_rsp,

  output tx_stamp_req_t  stamp_req,
  input  logic           stamp_room,

  output logic           kept,        // pulse: a buffer is the processor's
  output nic_tx_fates_t  fates,
  output engine_status_t status
);

  localparam int unsigned SLOTS        = 4;
  localparam int unsigned SLOT_W       = $clog2(SLOTS);
  localparam int unsigned FIRST        = 8;   // dwords read before the length is known: 60 bytes are 8
  localparam int unsigned FIRST_STEADY = 10;  // of a frame that may begin early: and what the line sends while the
                                              // rest is asked for
  localparam int unsigned DWORDS       = 64;  // of the FIFO
  localparam int unsigned MIN_LENGTH   = 14;  // an Ethernet header

  if (BUFFER_FRAME_OFFSET % 8 != 2) begin : g_bad_offset
    $error("nic_tx_engine: shifts frames by two bytes, BUFFER_FRAME_OFFSET must be two beyond a multiple of 8");
  end

  typedef enum logic [2:0] {WAIT, TAKE, CONTROL, SPECULATE, LENGTH, REST, POP} state_t;
  typedef enum logic [1:0] {SEND, BAD_LENGTH, MEMORY_ERROR} frame_verdict_t;

  // ---- Slots: frames from their pointer's taking to its return, in order -------------------------------------------
  // Taken up to `in`, length known up to `known`, last beat shifted out up to `shifted`, at the MAC up to `sent`,
  // pointer returned up to `out`.

  pointer_t        slot_pointer [SLOTS];
  logic [15:0]     slot_length [SLOTS];
  logic            slot_request [SLOTS];  // a stamp is wanted
  logic [15:0]     slot_tag [SLOTS];
  frame_verdict_t  slot_verdict [SLOTS];
  logic            slot_steady [SLOTS];
  sums_wanted_t    slot_wanted [SLOTS];
  logic            slot_keep [SLOTS];     // its pointer is not returned
  logic [SLOT_W:0] in_q, known_q, shifted_q, sent_q, out_q;
  logic            take, known, shifted, sent, drop, return_valid;
  logic [SLOT_W:0] frames;

  always_ff @(posedge clk) begin
    in_q      <= in_q + (SLOT_W + 1)'(take);
    known_q   <= known_q + (SLOT_W + 1)'(known);
    shifted_q <= shifted_q + (SLOT_W + 1)'(shifted || drop);
    sent_q    <= sent_q + (SLOT_W + 1)'(sent || drop);
    out_q     <= out_q + (SLOT_W + 1)'((return_valid && queues_rsp.return_ready) || kept);
    if (rst) begin
      in_q      <= '0;
      known_q   <= '0;
      shifted_q <= '0;
      sent_q    <= '0;
      out_q     <= '0;
    end
  end

  assign kept         = OFFLOADS && out_q != sent_q && slot_keep[out_q[SLOT_W-1:0]];
  assign return_valid = out_q != sent_q && !kept;
  assign frames       = in_q - out_q;

  // ---- Reader ------------------------------------------------------------------------------------------------------

  state_t          state_q;
  pointer_t        address_q;
  logic [7:0]      left_q;            // dwords to ask for
  logic            length_known_q;    // of the reader's frame
  logic [7:0]      first, first_q;    // dwords asked for before the length is known
  logic            may_claim, claim_q, flows_q, steady;
  logic [7:0]      asked_q, asked;    // in all, first_q at least
  logic [6:0]      credits_q;         // places in the FIFO that no read has claimed
  logic            open_q;            // for a new frame
  logic            read, may_read, credit_back, credit_unused;
  pointer_t        mem_address, taken;
  logic            mem_valid;
  logic            choose, has_credit_q;
  logic [SERVERS-1:0] nonempty, queue, queue_q, take_from;

  assign nonempty = ~queues.empty[MAX_SERVERS +: SERVERS];

  // A queue is chosen in WAIT and popped in POP, should the processor not have emptied it just then.
  arb_rr #(.N(SERVERS)) u_queue (.clk, .rst, .request(nonempty), .take(choose), .grant(queue));

  assign choose = state_q == WAIT && open_q && |nonempty;

  // A register: a take ends WAIT, so that its own slot is counted by the time of the next one.
  always_ff @(posedge clk) open_q <= enable && frames != 3'(SLOTS) && !rst;

  assign taken     = queues_rsp.taken;
  assign take_from = queue_q & nonempty & {SERVERS{state_q == POP}};
  assign take      = |take_from && queues_rsp.take_ready;

  assign queues_req = '{take_from: servers_t'(take_from), return_valid: return_valid,
                        returned: slot_pointer[out_q[SLOT_W-1:0]]};

  always_comb begin
    unique case (state_q)
      CONTROL:         read = may_read;
      SPECULATE, REST: read = may_read && has_credit_q;
      default:         read = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    if (choose) queue_q <= queue;
    if (take) length_known_q <= 1'b0;
    else if (known) length_known_q <= 1'b1;
    if (known) asked_q <= asked;
    if (read) begin
      address_q <= address_q + 1'b1;
      left_q    <= left_q - 1'b1;
    end
    unique case (state_q)
      WAIT: if (choose) state_q <= POP;
      POP: begin
        if (take) state_q <= TAKE;
        else if ((queue_q & nonempty) == '0) state_q <= WAIT;
      end
      TAKE: begin
        slot_pointer[SLOT_W'(in_q - 1'b1)] <= taken;
        address_q <= taken + 29'(BUFFER_CONTROL_OFFSET / 8);
        state_q   <= CONTROL;
      end
      CONTROL: if (read) begin
        address_q <= address_q + 29'(BUFFER_FRAME_OFFSET / 8 - BUFFER_CONTROL_OFFSET / 8);
        left_q    <= first;
        state_q   <= SPECULATE;
      end
      SPECULATE: if (read && left_q == 8'd1) state_q <= LENGTH;
      LENGTH: if (length_known_q) begin
        left_q  <= asked_q - first_q;
        state_q <= asked_q == first_q ? WAIT : REST;
      end
      REST: if (read && left_q == 8'd1) state_q <= WAIT;
      default: state_q <= WAIT;
    endcase
    if (rst) state_q <= WAIT;
  end

  // For whoever looks in from outside (sim/soc_view.cpp): the newest slot's pointer is at `taken`, and in its slot with
  // the next edge. No hardware reads it.
  /* verilator lint_off UNUSEDSIGNAL */
  logic taking;
  /* verilator lint_on UNUSEDSIGNAL */
  assign taking = state_q == TAKE;

  // The memory's readiness comes late: it ends here.
  skid_buffer #(.WIDTH(29)) u_reads (
    .clk,
    .rst,
    .in_data  (address_q),
    .in_valid (read),
    .in_ready (may_read),
    .out_data (mem_address),
    .out_valid(mem_valid),
    .out_ready(mem_s2m.req_ready)
  );

  assign mem_m2s = '{
    req:       '{lock: 1'b0, read: 1'b1, byte_mask: 8'hFF, address: {4'b0, mem_address, 3'b0}, write_data: '0},
    req_valid: mem_valid,
    rsp_ready: 1'b1
  };

  always_ff @(posedge clk) begin
    has_credit_q <= credits_q > 7'd1;  // whatever happens in this cycle, one will be left
    credits_q <= credits_q - 7'(read && state_q != CONTROL) + 7'(credit_back) + 7'(credit_unused);
    if (rst) credits_q <= 7'(DWORDS);
  end

  // ---- Sorter: control words to the slots, the frames' dwords to the FIFO, the rest nowhere ------------------------

  logic        awaits_control_q;
  logic [7:0]  expected_q, wanted_q;  // responses of this frame to come, and those of them that are frame
  logic        wants_q;               // wanted_q is not 0
  logic [7:0]  dwords_q;
  frame_verdict_t verdict, verdict_q;
  logic [15:0] length;
  acb_rsp_t    rsp_q;
  /* verilator lint_off UNUSEDSIGNAL */  // what the receive engine says in it
  buffer_control_t control_word;
  /* verilator lint_on UNUSEDSIGNAL */
  sums_wanted_t sums_wanted;
  logic        rsp_valid_q;
  logic [10:0] limit_q;  // the longest that may be sent
  logic        store, fifo_ready;

  assign sums_wanted   = '{l4_sum: (control_word.request & BUFFER_REQUEST_L4_SUM) != '0,
                           ip_sum: (control_word.request & BUFFER_REQUEST_IP_SUM) != '0};
  assign length        = mem_s2m.rsp.data[15:0];
  assign control_word  = rsp_q.data;
  assign known         = rsp_valid_q && awaits_control_q;
  assign asked         = verdict_q == SEND && dwords_q > first_q ? dwords_q : first_q;
  assign store         = rsp_valid_q && !awaits_control_q && wants_q;
  assign credit_unused = rsp_valid_q && !awaits_control_q && !wants_q;

  always_ff @(posedge clk) limit_q <= max_length < 16'(max_sent) ? max_length[10:0] : max_sent;

  always_comb begin
    if (mem_s2m.rsp.err) verdict = MEMORY_ERROR;
    else if (length < 16'(MIN_LENGTH) || length[15:11] != '0 || length[10:0] > limit_q) verdict = BAD_LENGTH;
    else verdict = SEND;
  end

  // What a control word would say is worked out for every response, before the register.
  always_ff @(posedge clk) begin
    rsp_q       <= mem_s2m.rsp;
    rsp_valid_q <= mem_s2m.rsp_valid && !rst;
    verdict_q   <= verdict;
    dwords_q    <= 8'((12'(length) + 12'd9) >> 3);  // (2 + length) / 8, rounded up
  end

  always_ff @(posedge clk) begin
    if (known) begin
      slot_length[known_q[SLOT_W-1:0]]  <= control_word.length;
      slot_request[known_q[SLOT_W-1:0]] <= (control_word.request & BUFFER_REQUEST_STAMP) != '0;
      slot_tag[known_q[SLOT_W-1:0]]     <= control_word.tag;
      slot_verdict[known_q[SLOT_W-1:0]] <= verdict_q;
      slot_steady[known_q[SLOT_W-1:0]]  <= steady && !(OFFLOADS && sums_wanted != '0);
      slot_wanted[known_q[SLOT_W-1:0]]  <= sums_wanted;
      slot_keep[known_q[SLOT_W-1:0]]    <= (control_word.request & BUFFER_REQUEST_KEEP) != '0
                                           && verdict_q != MEMORY_ERROR;
      awaits_control_q <= 1'b0;
      expected_q       <= asked;
      wanted_q         <= dwords_q;
      wants_q          <= verdict_q == SEND;  // a frame that is sent has two dwords at least
    end else if (rsp_valid_q) begin
      awaits_control_q <= expected_q == 8'd1;
      expected_q       <= expected_q - 1'b1;
      if (store) wanted_q <= wanted_q - 1'b1;
      if (store) wants_q <= wanted_q != 8'd1;
    end
    if (rst) awaits_control_q <= 1'b1;
  end

  // A claim of the memory, from before the control word is asked for to the frame's last dword.
  assign may_claim = steady_memory(address_q, STEADY_BASE, STEADY_BYTES) && paced && !rx_elsewhere;
  assign first     = may_claim ? 8'(FIRST_STEADY) : 8'(FIRST);
  assign steady    = claim_q && !rx_elsewhere && verdict_q == SEND;
  assign claims    = claim_q || flows_q;

  always_ff @(posedge clk) begin
    if (state_q == CONTROL) claim_q <= may_claim;
    else if (known) claim_q <= 1'b0;
    if (state_q == CONTROL) first_q <= first;
    if (known) flows_q <= steady;
    else if (rsp_valid_q && expected_q == 8'd1) flows_q <= 1'b0;
    if (rst) begin
      claim_q <= 1'b0;
      flows_q <= 1'b0;
    end
  end

  acb_rsp_t dword;
  logic     dword_valid, dword_ready;

  fifo_sync #(.WIDTH($bits(acb_rsp_t)), .DEPTH(DWORDS)) u_dwords (
    .clk,
    .rst,
    .in_data  (rsp_q),
    .in_valid (store),
    .in_ready (fifo_ready),
    .out_data (dword),
    .out_valid(dword_valid),
    .out_ready(dword_ready),
    /* verilator lint_off PINCONNECTEMPTY */  // the credits know
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign credit_back = dword_valid && dword_ready;

  // ---- Shifter -----------------------------------------------------------------------------------------------------

  logic        streaming_q;   // the frame's first dword is in carry_q
  logic        begin_q;       // the next frame is one to send (a register: between slots and FIFO is no time for more)
  logic [47:0] carry_q;
  logic [15:0] left_bytes_q;
  logic        needs_dword_q, last_q;  // left_bytes_q is more than 6, at most 8
  logic        error_q, error;
  logic        begins;                 // the frame's first dword is taken
  logic        stamp_q;                // the MAC is asked to stamp this frame
  logic        denied_q;               // it wanted that, and there was no room
  logic        steady_q;               // the rest of this frame comes in time
  sums_wanted_t asks_q;                // of this frame, which sums are wanted
  logic        head_known, tx_free, emit;
  frame_verdict_t head_verdict;
  frame_beat_t beat;
  tx_frame_t   shaped, summed;
  logic        summed_ready, out_valid, before_gone, unfit;

  assign head_known   = shifted_q != known_q;
  assign head_verdict = slot_verdict[shifted_q[SLOT_W-1:0]];
  assign emit         = streaming_q && tx_free && (dword_valid || !needs_dword_q);
  assign dword_ready  = streaming_q ? tx_free && needs_dword_q : begin_q;
  assign shifted      = emit && beat.tlast;
  // Behind the beats of the frames before it, so that pointers are returned in order.
  assign drop         = !streaming_q && head_known && head_verdict != SEND && before_gone;
  assign error        = error_q || (needs_dword_q && dword.err);

  always_comb begin
    beat.tdata = {carry_q, needs_dword_q ? dword.data[63:48] : 16'b0};
    beat.tlast = last_q;
    beat.tkeep = beat.tlast ? ~(8'hFF >> left_bytes_q[3:0]) : 8'hFF;
  end

  always_ff @(posedge clk) begin
    if (dword_valid && dword_ready) carry_q <= dword.data[47:0];
    if (begins) stamp_q <= slot_request[shifted_q[SLOT_W-1:0]] && stamp_room;
    if (begins) steady_q <= slot_steady[shifted_q[SLOT_W-1:0]];
    if (begins) asks_q <= slot_wanted[shifted_q[SLOT_W-1:0]];
    if (begins) denied_q <= slot_request[shifted_q[SLOT_W-1:0]] && !stamp_room;
    if (!streaming_q) begin
      streaming_q   <= dword_valid && dword_ready;
      left_bytes_q  <= slot_length[shifted_q[SLOT_W-1:0]];
      needs_dword_q <= 1'b1;  // every frame that is sent is longer
      last_q        <= 1'b0;
      error_q       <= dword.err;
    end else if (emit) begin
      streaming_q   <= !beat.tlast;
      left_bytes_q  <= left_bytes_q - 16'd8;
      needs_dword_q <= left_bytes_q > 16'd14;
      last_q        <= left_bytes_q <= 16'd16;
      error_q       <= error;
    end
    begin_q <= !streaming_q && head_known && head_verdict == SEND;
    if (rst) begin
      streaming_q <= 1'b0;
      begin_q     <= 1'b0;
    end
  end

  assign begins    = !streaming_q && dword_valid && dword_ready;

  // The MAC stamps a frame when it has left, so the tag is in time when the last beat goes to the output.
  logic        stamp_whole_q, stamp_aborted_q, stamp_lost_q;
  logic [15:0] stamp_tag_q;

  always_ff @(posedge clk) begin
    stamp_whole_q   <= shifted && stamp_q && !error && !rst;
    stamp_aborted_q <= shifted && stamp_q && error && !rst;
    stamp_lost_q    <= shifted && denied_q && !error && !rst;
    stamp_tag_q     <= slot_tag[shifted_q[SLOT_W-1:0]];
  end

  assign stamp_req = '{ask: begins && slot_request[shifted_q[SLOT_W-1:0]], whole: stamp_whole_q, tag: stamp_tag_q,
                       aborted: stamp_aborted_q};

  assign shaped = '{user: '{bad: beat.tlast && error, stamp_wanted: stamp_q, steady: steady_q}, beat: beat,
                    valid: streaming_q && (dword_valid || !needs_dword_q)};

  if (OFFLOADS) begin : g_sums
    nic_tx_sums #(.MAX_BYTES(LONGEST_FRAME - 4)) u_sums (
      .clk, .rst, .in_frame(shaped), .in_ready(tx_free), .wanted(asks_q), .out_frame(summed),
      .out_ready(summed_ready), .unfit
    );
    assign before_gone = shifted_q == sent_q;
  end else begin : g_no_sums
    logic unused;
    assign unused      = &{1'b0, asks_q, shaped.valid};
    assign tx_free     = summed_ready;
    assign summed      = '{user: shaped.user, beat: shaped.beat, valid: emit};
    assign unfit       = 1'b0;
    assign before_gone = !out_valid;
  end

  skid_buffer #(.WIDTH($bits(frame_beat_t) + $bits(tx_user_t))) u_output (
    .clk,
    .rst,
    .in_data  ({summed.user, summed.beat}),
    .in_valid (summed.valid),
    .in_ready (summed_ready),
    .out_data ({tx_frame.user, tx_frame.beat}),
    .out_valid,
    .out_ready(tx_frame_ready)
  );

  assign tx_frame.valid = out_valid;
  assign sent           = out_valid && tx_frame_ready && tx_frame.beat.tlast;

  assign fates = '{
    tx_taken:             sent,
    tx_drop_bad_length:   drop && head_verdict == BAD_LENGTH,
    tx_drop_memory_error: drop && head_verdict == MEMORY_ERROR,
    tx_stamp_lost:        stamp_lost_q,
    tx_sum_unfit:         unfit
  };

  assign status = '{idle: frames == '0, state: state_q, frames: frames, held: 8'(frames)};

  a_wants : assert property (@(posedge clk) disable iff (rst) awaits_control_q || !wants_q || wanted_q != 0);
  a_credits : assert property (@(posedge clk) disable iff (rst) credits_q <= 7'(DWORDS));
  a_fifo_has_room : assert property (@(posedge clk) disable iff (rst) store -> fifo_ready);
  a_slots_in_order : assert property (@(posedge clk) disable iff (rst)
    (sent_q - out_q) <= (shifted_q - out_q) && (shifted_q - out_q) <= (known_q - out_q)
    && (known_q - out_q) <= frames && frames <= 3'(SLOTS));
  a_control_expected : assert property (@(posedge clk) disable iff (rst) known -> known_q != in_q);

endmodule
