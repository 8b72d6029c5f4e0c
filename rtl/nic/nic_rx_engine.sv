// SPDX-License-Identifier: Apache-2.0
//
// Receive engine: MAC -> packet buffer in memory -> receive queue.
//
// For each frame it writes, one dword a cycle as fast as beats come and memory takes them, at its buffer's address:
//
//     dword 2 ...  the frame, two bytes later than it came (it begins at byte 18)
//     dword 1      receive stamp, which nic.sv has turned into PTP time meanwhile
//     dword 0      control word: length, server; always the last write
//
// The pointer goes to the queue when the responses to all these writes are back; by then up to SLOTS - 1 further
// frames are on their way, so the memory's latency does not set the throughput. A free pointer is fetched in advance.
//
//     MAC --> skid --> writer --> memory               responses: the one of each frame's last write completes it
//              |         |                                                          |
//      nic_steering      +--> slots: pointer, queue, verdict (in frame order) ------+--> receive queue, or back to
//                                                                                        the free queue
//
// Latency: a beat is on the bus two cycles after it was accepted (a frame's first one three), stamp and control word
// one and two cycles behind the last dword; the pointer is in its queue two cycles after the last response. A frame of
// n bytes takes 3 + ceil((n + 2) / 8) cycles, no cycle between two frames; a very short one is held until its stamp is
// converted and its flow known.
//
// OFFLOADS: the control word says what nic_sums has found in the frame, a cycle before it is written at the earliest.
//
// A frame that does not fit into the buffer is skipped whole and counted, one that the memory refused is counted; one
// that comes with `rx_frame.user.bad` is discarded without a count, for the MAC has counted it. In all three cases the
// buffer goes back to the free queue: such a frame ends with its control word too, so that every frame completes the
// same way.
//
// The server is chosen when the control word is written: round robin over the enabled ones whose queue has room (or the
// one of the frame's flow, nic_steering), and frames still on their way to a queue count as being in it.
//
// Shortages. The engine waits when there is no free buffer (the queue is empty or locked), when there is no room for
// the frame in a queue that it may go to, and with a completed frame, if its queue has filled up in spite of the count,
// which only the processor can do. A frame that has waited for longer than `rx_patience` is dropped and counted. From
// then on until the shortage ends, further frames are dropped at once: until there is a free buffer; for each server by
// itself, until it is enabled and has room.
module nic_rx_engine
  import acb_pkg::*;
  import frame_pkg::*;
  import nic_fates_pkg::*;
  import nic_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter int unsigned SERVERS      = MAX_SERVERS,
  parameter bit          OFFLOADS     = 1'b0,
  parameter logic [31:0] STEADY_BASE  = '0,
  parameter int unsigned STEADY_BYTES = 0
) (
  input  logic             clk,
  input  logic             rst,

  input  logic             enable,        // when low: no new frame, the fetched pointer goes back
  input  logic [15:0]      max_length,    // of a frame in a buffer
  /* verilator lint_off UNUSEDSIGNAL */   // what does not concern receiving, or this many servers
  input  engine_settings_t settings,      // in loopback frames go into the transmit queues
  input  queues_status_t   queues,
  /* verilator lint_on UNUSEDSIGNAL */

  input  rx_frame_t        rx_frame,
  output logic             rx_frame_ready,

  input  logic             tx_claims,     // begin no frame in a buffer outside the steady memory (see nic_tx_engine)
  output logic             elsewhere,     // there is one, or one waits for that

  output rx_stamp_t        stamp,         // the MAC's, of a frame that begins ...
  input  rx_time_t         stamp_time,    // ... and what it becomes

  output acb_m2s_t         mem_m2s,
  /* verilator lint_off UNUSEDSIGNAL */   // the response to a write has no data
  input  acb_s2m_t         mem_s2m,
  /* verilator lint_on UNUSEDSIGNAL */

  output rx_queues_req_t   queues_req,
  input  rx_queues_rsp_t   queues_rsp,

  output nic_rx_fates_t    fates,
  output logic             discards,      // a frame begins for which there is no buffer
  output engine_status_t   status         // .frames: those behind the writer
);

  localparam int unsigned SLOTS     = 4;
  localparam int unsigned IN_FLIGHT = 64;  // writes without response

  if (BUFFER_FRAME_OFFSET % 8 != 2) begin : g_bad_offset
    $error("nic_rx_engine: shifts frames by two bytes, BUFFER_FRAME_OFFSET must be two beyond a multiple of 8");
  end

  typedef enum logic [2:0] {BETWEEN, BYTES, REST, SKIP, CONTROL, STAMP, DISCARD} state_t;

  // ---- Input -------------------------------------------------------------------------------------------------------

  frame_beat_t beat;
  logic [31:0] beat_time;
  logic        beat_bad, beat_valid, beat_ready;
  logic [3:0]  rx_bytes, beat_bytes;  // of a beat: counted before the register, for time behind it
  logic [7:0]  keep;

  // The count of ones in a row that begins at keep[7].
  assign keep     = rx_frame.beat.tkeep;
  assign rx_bytes = {keep[0], keep[4] ^ keep[0], keep[6] ^ keep[4] ^ keep[2] ^ keep[0], ^keep};

  skid_buffer #(.WIDTH($bits(frame_beat_t) + 37)) u_input (
    .clk,
    .rst,
    .in_data  ({rx_bytes, rx_frame.user.stamp, rx_frame.user.bad, rx_frame.beat}),
    .in_valid (rx_frame.valid),
    .in_ready (rx_frame_ready),
    .out_data ({beat_bytes, beat_time, beat_bad, beat}),
    .out_valid(beat_valid),
    .out_ready(beat_ready)
  );

  // ---- The pointer for the next frame ------------------------------------------------------------------------------

  logic        fetching_q, next_valid_q, use_next, give_back_next, fetch_valid;
  logic        next_steady_q, next_known_q;  // where it is; in its first cycle as `next_q` that is not known yet
  pointer_t    next_q, fetched;

  assign fetched = queues_rsp.fetched;

  assign fetch_valid = enable && !next_valid_q && !fetching_q;

  always_ff @(posedge clk) begin
    if (fetching_q) next_q <= fetched;
    fetching_q <= fetch_valid && queues_rsp.fetch_ready;
    if (fetching_q) next_valid_q <= 1'b1;
    else if (use_next || give_back_next) next_valid_q <= 1'b0;
    if (rst) begin
      fetching_q   <= 1'b0;
      next_valid_q <= 1'b0;
    end
  end

  // ---- Writer ------------------------------------------------------------------------------------------------------

  state_t             state_q, state_d;
  pointer_t           pointer_q, address_q, address_d, stamp_address_q;
  logic               storing;            // a frame, into the buffer at pointer_q
  logic               first_q;            // the next dword is the frame's first: it has six bytes
  logic [15:0]        carry_q;            // the two bytes of the last beat that belong into the next dword
  logic [1:0]         carry_keep_q;
  logic [15:0]        length_q;
  logic [15:0]        left_q;             // bytes that the buffer still has room for
  logic               roomy_q;            // that is 8 or more
  logic               fits;               // this beat does
  logic [15:0]        limit_q;            // what left_q began with, for the assertion
  logic               drop_q, too_long_q, no_server_q;
  logic               may_write, write, last_write, slot_free_q, server_found_q;
  logic               convert_q, stamp_ready_q, settled;
  logic [31:0]        stamp_q;
  logic               buffer_given_up, server_given_up;  // the frame has waited long enough
  logic [SERVERS-1:0] server_ok, server_ok_q, server, wanted;
  logic [7:0]         write_mask;
  logic [63:0]        write_data;
  pointer_t           write_address;
  buffer_control_t    control;
  logic [7:0]         sums_seen;          // the status but for the drop
  pointer_t           mem_address;
  logic [7:0]         mem_mask;
  logic [63:0]        mem_data;
  logic               mem_valid, output_ready;

  assign fits     = roomy_q || beat_bytes <= {1'b0, left_q[2:0]};
  assign storing  = state_q != BETWEEN && state_q != DISCARD;
  assign use_next = state_q == BETWEEN && beat_valid && enable && next_valid_q && slot_free_q
                    && (next_steady_q || !tx_claims);

  always_comb begin
    control        = '0;
    control.status = sums_seen | (drop_q ? BUFFER_STATUS_DROPPED : '0);
    control.length = length_q;
    for (int unsigned s = 0; s < SERVERS; s++) if (server[s]) control.server = 8'(s);
  end

  always_comb begin
    state_d       = state_q;
    beat_ready    = 1'b0;
    write         = 1'b0;
    last_write    = 1'b0;
    write_mask    = 8'hFF;
    write_data    = {carry_q, beat.tdata[63:16]};
    write_address = address_q;
    unique case (state_q)
      BETWEEN: begin
        if (use_next) state_d = BYTES;
        else if (buffer_given_up) state_d = DISCARD;
      end
      BYTES: begin
        write_mask = {first_q ? 2'b00 : 2'b11, beat.tkeep[7:2]};
        beat_ready = may_write;
        if (beat_valid && may_write) begin
          write = fits;
          if (!fits) state_d = beat.tlast ? CONTROL : SKIP;
          else if (beat.tlast) state_d = beat_bad ? CONTROL : beat.tkeep[1] ? REST : STAMP;
        end
      end
      REST: begin
        write_mask = {carry_keep_q, 6'b0};
        write      = may_write;
        if (may_write) state_d = STAMP;
      end
      STAMP: begin
        write_address = stamp_address_q;
        write_data    = stamp_time.ns;
        write         = may_write && stamp_ready_q;
        if (write) state_d = CONTROL;
      end
      SKIP: begin
        beat_ready = 1'b1;
        if (beat_valid && beat.tlast) state_d = CONTROL;
      end
      CONTROL: begin
        write_address = pointer_q + 29'(BUFFER_CONTROL_OFFSET / 8);
        write_data    = control;
        write         = may_write && (drop_q || server_found_q);
        last_write    = write;
        if (write) state_d = BETWEEN;
      end
      DISCARD: begin
        beat_ready = 1'b1;
        if (beat_valid && beat.tlast) state_d = BETWEEN;
      end
      default: state_d = BETWEEN;
    endcase
    // Also behind a beat that does not fit: nothing is written there any more.
    address_d = state_q == BYTES && beat_valid && may_write ? address_q + 1'b1 : address_q;
    if (state_q == BETWEEN) address_d = next_q + 29'((BUFFER_FRAME_OFFSET / 8));
  end

  always_ff @(posedge clk) begin
    state_q   <= state_d;
    address_q <= address_d;
    if (use_next) begin
      pointer_q   <= next_q;
      first_q     <= 1'b1;
      length_q    <= '0;
      left_q      <= max_length;
      roomy_q     <= max_length[15:3] != '0;
      limit_q     <= max_length;
      drop_q      <= 1'b0;
      too_long_q  <= 1'b0;
      no_server_q <= 1'b0;
    end
    if (state_q == BYTES && beat_valid && beat_ready) begin
      first_q      <= 1'b0;
      carry_q      <= beat.tdata[15:0];
      carry_keep_q <= beat.tkeep[1:0];
      length_q     <= length_q + 16'(beat_bytes);
      left_q       <= left_q - 16'd8;  // not so many for a last beat, but nothing follows that
      roomy_q      <= left_q[15:4] != '0;
      drop_q       <= !fits || (beat.tlast && beat_bad);
      too_long_q   <= !fits && !(beat.tlast && beat_bad);
    end
    if (state_q == SKIP && beat_valid && beat.tlast && beat_bad) too_long_q <= 1'b0;  // the MAC has counted it
    if (server_given_up) begin
      drop_q      <= 1'b1;
      no_server_q <= 1'b1;
    end
    stamp_address_q <= pointer_q + 29'(BUFFER_STAMP_OFFSET / 8);
    if (rst) state_q <= BETWEEN;
  end

  // The frame's stamp is converted and its server known: not by what was true for the frame before.
  always_ff @(posedge clk) begin
    convert_q     <= use_next && !rst;
    stamp_q       <= beat_time;
    stamp_ready_q <= stamp_time.valid && settled && !use_next && !convert_q;
  end

  assign stamp = '{valid: convert_q, stamp: stamp_q};

  if (OFFLOADS) begin : g_sums
    /* verilator lint_off UNUSEDSIGNAL */  // where the sums are
    nic_sums_t sums;
    /* verilator lint_on UNUSEDSIGNAL */
    logic      ip_right, l4_right;

    nic_sums u_sums (
      .clk, .start(use_next), .valid(state_q == BYTES && beat_valid && beat_ready), .last(beat.tlast),
      .data(beat.tdata), .keep(beat.tkeep), .sums
    );

    // With its own field a sum is all ones: its halves are complements.
    assign ip_right  = sums.ip_sum[15:0] == ~16'(sums.ip_sum[20:16]);
    assign l4_right  = sums.l4_sum[15:0] == ~sums.l4_sum[31:16];

    always_comb begin
      sums_seen = '0;
      if (sums.ip) sums_seen |= ip_right ? BUFFER_STATUS_IP_GOOD : BUFFER_STATUS_IP_BAD;
      if (sums.l4) sums_seen |= l4_right ? BUFFER_STATUS_L4_GOOD : BUFFER_STATUS_L4_BAD;
    end
  end else begin : g_no_sums
    assign sums_seen = '0;
  end

  logic [$clog2(IN_FLIGHT):0] in_flight_q;

  assign may_write = output_ready && !in_flight_q[$clog2(IN_FLIGHT)];

  // The memory's readiness comes late: it ends here.
  skid_buffer #(.WIDTH(29 + 8 + 64)) u_output (
    .clk,
    .rst,
    .in_data  ({write_address, write_mask, write_data}),
    .in_valid (write),
    .in_ready (output_ready),
    .out_data ({mem_address, mem_mask, mem_data}),
    .out_valid(mem_valid),
    .out_ready(mem_s2m.req_ready)
  );

  assign mem_m2s = '{
    req:       '{lock: 1'b0, read: 1'b0, byte_mask: mem_mask, address: {4'b0, mem_address, 3'b0}, write_data: mem_data},
    req_valid: mem_valid,
    rsp_ready: 1'b1
  };

  // ---- Responses: which one is a frame's last ----------------------------------------------------------------------

  logic rsp_expected, rsp_is_last, tags_ready;
  logic error_q, error, completes;

  fifo_sync #(.WIDTH(1), .DEPTH(IN_FLIGHT)) u_last_tags (
    .clk,
    .rst,
    .in_data  (last_write),
    .in_valid (write),
    .in_ready (tags_ready),
    .out_data (rsp_is_last),
    .out_valid(rsp_expected),
    .out_ready(mem_s2m.rsp_valid),
    /* verilator lint_off PINCONNECTEMPTY */  // in_flight_q knows
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign completes = mem_s2m.rsp_valid && rsp_is_last;
  assign error     = error_q || mem_s2m.rsp.err;

  always_ff @(posedge clk) begin
    if (write != mem_s2m.rsp_valid) in_flight_q <= write ? in_flight_q + 1'b1 : in_flight_q - 1'b1;
    if (mem_s2m.rsp_valid) error_q <= error && !completes;
    if (rst) begin
      in_flight_q <= '0;
      error_q     <= 1'b0;
    end
  end

  // ---- Slots: frames from their control word to their queue --------------------------------------------------------
  // Written up to `in`, memory done up to `done`, delivered up to `out`.

  localparam int unsigned SLOT_W = $clog2(SLOTS);

  pointer_t                 slot_pointer [SLOTS];
  logic [2*SERVERS-1:0]     slot_queue [SLOTS];    // none: dropped by the writer
  logic [1:0]               slot_verdict [SLOTS];  // too long, no server
  logic [SLOTS-1:0]         slot_error_q;
  logic [SLOT_W:0]          in_q, done_q, out_q;
  logic [SERVERS-1:0][2:0]  bound_q;  // frames in slots bound for each server
  logic [SERVERS-1:0]       slot_server, chosen;
  logic                     head_leaves;
  logic [SLOT_W:0]          completing;

  assign completing = in_q - out_q;

  always_ff @(posedge clk) slot_free_q <= !rst && completing + 3'(last_write) < 3'(SLOTS);

  // Frames outside the steady memory.
  logic writes_elsewhere_q, waits_q;

  assign elsewhere = writes_elsewhere_q || waits_q;

  always_ff @(posedge clk) begin
    next_steady_q <= !fetching_q && steady_memory(next_q, STEADY_BASE, STEADY_BYTES);
    next_known_q  <= next_valid_q && !use_next;
    waits_q       <= state_q == BETWEEN && beat_valid && next_valid_q && next_known_q && !next_steady_q && tx_claims
                     && !rst;
    if (storing && !steady_memory(pointer_q, STEADY_BASE, STEADY_BYTES)) writes_elsewhere_q <= STEADY_BYTES != 0;
    else if (!storing && completing == '0) writes_elsewhere_q <= 1'b0;
    if (rst) writes_elsewhere_q <= 1'b0;
  end

  assign slot_server = server & {SERVERS{!drop_q}};
  assign chosen      = slot_server & {SERVERS{last_write}};

  logic [SERVERS-1:0][6:0] ahead_q;  // in a server's queue or bound for it

  always_ff @(posedge clk) begin
    for (int unsigned s = 0; s < SERVERS; s++) begin
      ahead_q[s] <= queues.occupancy[settings.nic_loopback ? MAX_SERVERS + s : s] + 7'(bound_q[s]);
    end
  end

  always_comb begin
    for (int unsigned s = 0; s < SERVERS; s++) begin
      server_ok[s] = settings.servers_enabled[s] && ahead_q[s] < queues.room_in_each;
    end
  end

  if (SERVERS > 1) begin : g_steering
    nic_steering #(.SERVERS(SERVERS)) u_steering (
      .clk,
      .rst,
      .flow           (settings.steering_flow),
      .servers_enabled(settings.servers_enabled[SERVERS-1:0]),
      .start          (use_next),
      .valid          (state_q == BYTES && beat_valid && beat_ready),
      .last           (beat.tlast),
      .data           (beat.tdata),
      .settled,
      .wanted
    );
  end else begin : g_one_server
    assign settled = 1'b1;
    assign wanted  = 1'b1;
  end

  // Registers behind sums and comparisons: a frame's own choice is in them when the next frame can choose, four cycles
  // later. If the processor fills the chosen queue just then, the delivery waits for it.
  always_ff @(posedge clk) begin
    server_ok_q    <= rst ? '0 : server_ok & wanted;
    server_found_q <= !rst && (server_ok & wanted) != '0;
  end

  arb_rr #(.N(SERVERS)) u_server (.clk, .rst, .request(server_ok_q), .take(|chosen), .grant(server));

  // The oldest frame whose responses are all back, in registers: between a slot and the queues' answer is no time for a
  // memory. A frame gets here with its last response.
  pointer_t             head_pointer_q;
  logic [2*SERVERS-1:0] head_queue_q, head_queue;
  logic [SERVERS-1:0]   head_server_q;
  logic                 head_deliver_q, head_return_q, head_next, head_error, head_given_up;
  logic                 head_too_long_q, head_no_server_q, head_error_q;

  logic [SLOT_W:0]      behind_q;  // the slot behind the head's

  assign head_next  = (head_leaves || !(head_deliver_q || head_return_q)) && (behind_q != done_q || completes);
  assign head_queue = slot_queue[behind_q[SLOT_W-1:0]];
  assign head_error = behind_q != done_q ? slot_error_q[behind_q[SLOT_W-1:0]] : error;

  always_ff @(posedge clk) begin
    if (head_next) begin
      behind_q       <= behind_q + 1'b1;
      head_pointer_q <= slot_pointer[behind_q[SLOT_W-1:0]];
      head_queue_q   <= head_queue;
      head_server_q  <= head_queue[2*SERVERS-1:SERVERS] | head_queue[SERVERS-1:0];
      head_deliver_q <= |head_queue && !head_error;
      head_return_q  <= !(|head_queue && !head_error);
      head_error_q   <= |head_queue && head_error;
      {head_too_long_q, head_no_server_q} <= slot_verdict[behind_q[SLOT_W-1:0]];
    end else if (head_leaves) begin
      head_deliver_q <= 1'b0;
      head_return_q  <= 1'b0;
    end else if (head_given_up) begin
      head_deliver_q   <= 1'b0;
      head_return_q    <= 1'b1;
      head_no_server_q <= 1'b1;
    end
    if (rst) begin
      behind_q       <= '0;
      head_deliver_q <= 1'b0;
      head_return_q  <= 1'b0;
    end
  end

  logic [2*SERVERS-1:0] deliver_to;
  assign deliver_to     = head_queue_q & {(2 * SERVERS){head_deliver_q}};
  assign head_leaves    = (head_deliver_q && queues_rsp.deliver_ready) || (head_return_q && queues_rsp.return_ready);
  assign give_back_next = !enable && next_valid_q && !head_return_q && queues_rsp.return_ready;

  assign queues_req = '{
    fetch_valid:  fetch_valid,
    deliver_to:   {servers_t'(deliver_to[2*SERVERS-1:SERVERS]), servers_t'(deliver_to[SERVERS-1:0])},
    delivered:    head_pointer_q,
    return_valid: head_return_q || (!enable && next_valid_q),
    returned:     head_return_q ? head_pointer_q : next_q
  };

  always_ff @(posedge clk) begin
    if (last_write) begin
      slot_pointer[in_q[SLOT_W-1:0]] <= pointer_q;
      slot_queue[in_q[SLOT_W-1:0]]   <= settings.nic_loopback ? {slot_server, SERVERS'(0)}
                                                               : {SERVERS'(0), slot_server};
      slot_verdict[in_q[SLOT_W-1:0]] <= {too_long_q, no_server_q};
    end
    if (completes) slot_error_q[done_q[SLOT_W-1:0]] <= error;
  end

  always_ff @(posedge clk) begin
    in_q   <= in_q + (SLOT_W + 1)'(last_write);
    done_q <= done_q + (SLOT_W + 1)'(completes);
    out_q  <= out_q + (SLOT_W + 1)'(head_leaves);
    for (int unsigned s = 0; s < SERVERS; s++) begin
      bound_q[s] <= bound_q[s] + 3'(chosen[s]) - 3'(head_leaves && head_server_q[s]);
    end
    if (rst) begin
      in_q    <= '0;
      done_q  <= '0;
      out_q   <= '0;
      bound_q <= '0;
    end
  end

  // ---- Patience ----------------------------------------------------------------------------------------------------
  // One clock for all who wait: for the completed frame if it does, else for the writer, which can wait for one thing
  // only.

  logic               buffer_waits, server_waits, head_waits_q, timed_head_q, over_q, forever_q;
  logic [23:0]        waited_q;
  logic               buffers_spent_q;            // patience with the free queue ran out, and it has not recovered yet
  logic [SERVERS-1:0] servers_spent_q;            // the same of each server
  logic               all_spent_q;                // of those that the frame may go to

  assign buffer_waits = state_q == BETWEEN && beat_valid && enable && !next_valid_q && !fetching_q
                        && queues_rsp.none_free;
  assign server_waits = state_q == CONTROL && !drop_q && !server_found_q;

  always_ff @(posedge clk) begin
    head_waits_q <= head_deliver_q && queues_rsp.deliver_refused && !head_given_up;
    timed_head_q <= head_waits_q;
    forever_q    <= &settings.rx_patience;
    over_q       <= 1'b0;
    waited_q     <= '0;
    if ((head_waits_q || buffer_waits || server_waits) && head_waits_q == timed_head_q) begin
      waited_q <= waited_q + 24'(!(&waited_q));
      over_q   <= waited_q >= settings.rx_patience && !forever_q;
    end
    if (rst) begin
      head_waits_q <= 1'b0;
      timed_head_q <= 1'b0;
      over_q       <= 1'b0;
    end
  end

  assign buffer_given_up = buffer_waits && ((over_q && !timed_head_q) || buffers_spent_q);
  assign server_given_up = server_waits && ((over_q && !timed_head_q) || all_spent_q);
  assign head_given_up   = head_waits_q && head_deliver_q && queues_rsp.deliver_refused
                           && ((over_q && timed_head_q) || (head_server_q & servers_spent_q) != '0);

  always_ff @(posedge clk) begin
    buffers_spent_q <= (buffers_spent_q || buffer_given_up) && queues_rsp.none_free && !next_valid_q && !rst;
    servers_spent_q <= (servers_spent_q | (wanted & {SERVERS{server_given_up}})
                        | (head_server_q & {SERVERS{head_given_up}})) & ~server_ok & {SERVERS{!rst}};
    all_spent_q     <= (wanted & ~servers_spent_q) == '0;
  end

  // ---- What became of each frame -----------------------------------------------------------------------------------

  state_t state_before_q;
  always_ff @(posedge clk) state_before_q <= state_q;

  assign fates = '{
    rx_delivered:         head_leaves && head_deliver_q,
    rx_drop_too_long:     head_leaves && head_too_long_q,
    rx_drop_memory_error: head_leaves && head_error_q,
    rx_drop_no_server:    head_leaves && head_no_server_q,
    rx_drop_no_buffer:    state_q == DISCARD && beat_valid && beat.tlast && !beat_bad
  };
  assign discards = state_q == DISCARD && state_before_q != DISCARD;

  assign status = '{idle: state_q == BETWEEN && completing == '0, state: state_q, frames: 3'(completing),
                    held: 8'(completing) + 8'(storing) + 8'(fetching_q || next_valid_q)};

  a_response_expected : assert property (@(posedge clk) disable iff (rst)
    mem_s2m.rsp_valid -> rsp_expected && in_flight_q != '0);
  a_tag_has_room : assert property (@(posedge clk) disable iff (rst) write -> tags_ready);
  a_slots_in_order : assert property (@(posedge clk) disable iff (rst)
    (in_q - done_q) <= completing && completing <= 3'(SLOTS));
  a_completion_expected : assert property (@(posedge clk) disable iff (rst) completes -> done_q != in_q);
  a_inside_buffer : assert property (@(posedge clk) disable iff (rst)
    write && state_q == BYTES -> length_q + 16'(beat_bytes) <= limit_q);
  a_one_verdict : assert property (@(posedge clk) disable iff (rst)
    head_leaves -> $onehot0({head_deliver_q, head_too_long_q, head_error_q, head_no_server_q}));
  a_keep_from_the_top : assert property (@(posedge clk) disable iff (rst)
    beat_valid -> beat.tkeep[7] && (~beat.tkeep & (~beat.tkeep + 8'd1)) == '0 && (beat.tlast || &beat.tkeep));

endmodule
