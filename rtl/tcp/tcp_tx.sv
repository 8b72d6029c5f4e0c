// SPDX-License-Identifier: Apache-2.0
//
// Sends segments: says whose turn it is, makes the segments that the core tells, with the payload that tcp_rings fetches, and
// gives them to net. Last of rtl/tcp on a segment's way.
//
//     told --+--> tcp_turns ---------------------------------------------------> turn
//            +--> tcp_tx_queue --> tcp_tx_header --> headers, sums --+
//            +--> fetch ... fetched --> payload buffer --------------+--> segment
//                                  \--> sum -------------------------+
//
// A segment's payload is stored whole while its sum is made, so the ring is read once; its header meanwhile. When both are
// there it leaves without gaps. Headers and payloads are in order of what was told. What memory refused
// (`fetched_error`) is not sent. A payload whose sum is known before it comes (`ahead_valid`: from a direct connection's ring,
// a beat a cycle) is stored, too, but its segment leaves as soon as its first beat is there.
//
//     cycle          0    1    2    3    4    5    6    7    8      without payload and options
//     told_valid     1                                              an answer to an arrival; else a cycle more, and
//     fetch_valid         1                                         read_valid like this one
//     header              w1   w2   w0   -
//     sum                                     1
//     segment                                      b0   b1   b2     b2 has the sum
//
// Latency from told to the first beat: 6 cycles when it answers an arrival, 7 else; with timestamps 8. For SACK one more for each
// 4 bytes. With payload: from the last fetched beat 4 cycles; from the first one 3 if the sum is known.
// Throughput: a beat a cycle, segments back to back; one each 4 cycles at most, and one more for each 4 bytes of options
// behind the first 4.
//
// A turn is offered while less than SEGMENT_BYTES of payload wait behind the segment that leaves, and 4 segments at most are
// here: as late as the line allows, so that what a connection has to acknowledge gathers.
//
// Room: 8 segments, 4 more whose headers are made, and twice SEGMENT_BYTES of payload.
// Borders: registers, but for gates from registers at fetched_ready and idle.
module tcp_tx
  import frame_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH         = 64,    // of the streams
  parameter int unsigned CONNECTIONS   = 64,
  parameter int unsigned SEGMENT_BYTES = 2048   // of the longest segment
) (
  input  logic         clk,
  input  logic         rst,
  input  ip_t          address,        // ours

  input  logic         told_valid,     // pulse, each 8 cycles at most
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  input  told_t        told,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         room,           // else no event begins; 2 may be under way

  input  logic         wants_valid,    // pulse, as far apart: a connection is to have a turn, before the core tells it
  input  index_t       wants_index,
  output logic         turn_free,      // the line is free for one, offered or with a SEND
  output logic         turn_waits,     // somebody wants one, or has it
  output logic         turn_valid,
  output index_t       turn_index,
  input  logic         turn_ready,

  output logic         read_valid,
  input  logic         read_ready,
  output index_t       read_index,
  input  logic         ends_valid,     // pulse
  input  ends_t        ends,

  output fetch_t       fetch,
  output logic         fetch_valid,
  input  logic         fetch_ready,
  input  frame_beat_t  fetched,
  input  logic         fetched_valid,
  input  logic         fetched_error,  // with the last beat
  output logic         fetched_ready,
  input  logic         ahead_valid,    // the sum of what is fetched, before its first beat; it comes without gaps
  input  logic [15:0]  ahead_sum,
  output logic         payload_read,   // pulse: all of the oldest payload told of has come, or was refused

  output tcp_tx_t      segment,
  input  logic         segment_ready,
  output tx_stat_t     stat,
  output logic         idle            // nothing is under way, and nobody wants a turn
);

  if (WIDTH != 64) begin : g_bad_width
    $error("tcp_tx: WIDTH must be 64: the alignment of wider beats is not there yet");
  end
  if (SEGMENT_BYTES < 64 || SEGMENT_BYTES > 2048 || (SEGMENT_BYTES & (SEGMENT_BYTES - 1)) != 0) begin : g_bad_bytes
    $error("tcp_tx: SEGMENT_BYTES must be a power of two, 64 to 2048");
  end

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned HALF    = WIDTH / 2;
  localparam int unsigned QUEUE   = 8;                          // segments whose headers are not made,
  localparam int unsigned HEADERS = 4;                          // ... and those whose headers are, or are being made
  localparam int unsigned INSIDE  = 16;                         // all of them, and a power of two
  localparam int unsigned AHEAD   = 4;                          // with so many inside there may be a turn
  localparam int unsigned TOTAL_W = $clog2(SEGMENT_BYTES + 1);
  localparam int unsigned BEATS_W  = TOTAL_W - 3;
  localparam int unsigned SLOT_W  = $clog2(HEADERS);
  localparam int unsigned SLOTS_W = $clog2(HEADERS + 1);
  localparam int unsigned COUNT_W = $clog2(INSIDE + 1);

  typedef struct packed {                     // a segment whose header is made
    logic [TOTAL_W-1:0] total;                // bytes of it
    logic [3:0]         offset;               // of its payload, in 4 bytes
    logic               payload;              // it has some
    logic               again;
    ip_t                destination;
    logic [7:0]         ttl;
    logic [5:0]         dscp;
  } made_t;

  typedef struct packed {                     // a payload that is stored, or was refused
    logic        error;
    logic [15:0] sum;
  } stored_t;

  logic sends;                                // the core tells a segment

  assign sends = told_valid && told.actions.send_valid;

  // ---- Turns -------------------------------------------------------------------------------------------------------

  logic [15:0]        waiting_q;              // bytes of payload behind the segment that leaves
  logic [COUNT_W-1:0] inside_q;               // segments, with that one
  logic               go_q, turns_idle, begins, ends_one, drop;
  logic [TOTAL_W-1:0] payload_bytes;          // of the segment that begins, or is dropped

  // Who wants a turn waits while the core tells another one.
  logic   wants_q, tells_turns;
  index_t wants_index_q;

  assign tells_turns = told_valid && !told.nobody;

  always_ff @(posedge clk) begin
    if (wants_valid) wants_index_q <= wants_index;
    wants_q <= !rst && (wants_valid || (wants_q && tells_turns));
  end

  tcp_turns #(.CONNECTIONS(CONNECTIONS)) u_turns (
    .clk,
    .rst,
    .told_valid   (tells_turns || wants_q),
    .told_index   (tells_turns ? told.index : wants_index_q),
    .told_schedule(!tells_turns || told.actions.schedule),
    .told_turn    (tells_turns && told.kind == TURN),
    .go           (go_q),
    .turn_valid,
    .turn_index,
    .turn_ready,
    .idle         (turns_idle)
  );

  assign turn_free  = go_q;
  assign turn_waits = !turns_idle;

  always_ff @(posedge clk) begin
    waiting_q <= waiting_q + (sends ? told.actions.send.length : '0) - (begins || drop ? 16'(payload_bytes) : '0);
    inside_q  <= inside_q + COUNT_W'(sends) - COUNT_W'(ends_one);
    go_q      <= waiting_q < 16'(SEGMENT_BYTES) && inside_q <= COUNT_W'(AHEAD);
    if (rst) begin
      waiting_q <= '0;
      inside_q  <= '0;
    end
  end

  // ---- Headers -----------------------------------------------------------------------------------------------------

  send_t       send;
  ends_t       send_ends;
  logic        send_valid, send_known, made_room, header_done, sum_valid;
  logic [15:0] total, sum;
  logic [3:0]  offset;
  logic [1:0]  write;
  logic [2:0]  write_index, index;
  logic [SLOTS_W-1:0] made_count;
  logic [63:0] write_data;
  made_t       made;
  logic        made_valid;

  (* ram_style = "distributed" *) logic [HALF-1:0] uppers [8*HEADERS];
  (* ram_style = "distributed" *) logic [HALF-1:0] lowers [8*HEADERS];
  (* ram_style = "distributed" *) logic [15:0]     sums [HEADERS];
  logic [SLOT_W-1:0] make_slot_q, sum_slot_q, out_slot_q;  // of the header that is made, summed, sent

  tcp_tx_queue #(.DEPTH(QUEUE)) u_queue (
    .clk,
    .rst,
    .told_valid,
    .told,
    .room,
    .read_valid,
    .read_ready,
    .read_index,
    .ends_valid,
    .ends,
    .send_valid,
    .send,
    .send_known,
    .send_ends,
    .take      (header_done)
  );

  tcp_tx_header u_header (
    .clk,
    .rst,
    .address,
    .send_valid,
    .send,
    .send_known,
    .send_ends,
    .room       (made_room),
    .total,
    .offset,
    .done       (header_done),
    .write,
    .write_index,
    .write_data,
    .sum_valid,
    .sum
  );

  always_ff @(posedge clk) if (write[1]) uppers[{make_slot_q, write_index}] <= write_data[WIDTH-1 -: HALF];
  always_ff @(posedge clk) if (write[0]) lowers[{make_slot_q, write_index}] <= write_data[HALF-1:0];
  always_ff @(posedge clk) if (sum_valid) sums[sum_slot_q] <= sum;

  always_ff @(posedge clk) begin
    make_slot_q <= make_slot_q + SLOT_W'(header_done);
    sum_slot_q  <= sum_slot_q + SLOT_W'(sum_valid);
    out_slot_q  <= out_slot_q + SLOT_W'(ends_one);
    if (rst) begin
      make_slot_q <= '0;
      sum_slot_q  <= '0;
      out_slot_q  <= '0;
    end
  end

  // With the one that is made then, each has a slot of its own.
  assign made_room = made_count < SLOTS_W'(HEADERS - 1);

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(made_t)), .DEPTH(HEADERS)) u_made (
    .clk, .rst,
    .in_data({total[TOTAL_W-1:0], offset, send.length != '0, send.again, send_ends.address, send.ttl, send.dscp}),
    .in_valid(header_done), .in_ready(), .out_data(made), .out_valid(made_valid), .out_ready(ends_one),
    .occupancy(made_count)
  );

  // ---- Payload -----------------------------------------------------------------------------------------------------

  logic        fetch_room, take, last_q, error_q, push_q, store_valid, store_take, stored_room, stored_valid;
  logic        pairs_q, first_q, begins_q;
  logic [LANES/2-1:0][15:0] lane;             // what is not kept is 0
  logic [16:0] pair_q [2];
  logic [31:0] payload_sum_q;
  logic        pushed_error_q, pushed_ahead_q, read_q, ahead_q;
  logic [15:0] pushed_sum_q;
  stored_t     stored;
  logic [WIDTH-1:0] word;                     // the next of the payload

  fifo_lut #(.WIDTH($bits(fetch_t)), .DEPTH(INSIDE)) u_fetch (
    .clk, .rst, .in_data({told.index, told.actions.send.offset, told.actions.send.length}),
    .in_valid(sends && told.actions.send.length != '0), .in_ready(fetch_room),
    .out_data(fetch), .out_valid(fetch_valid), .out_ready(fetch_ready), .occupancy()
  );

  assign take = fetched_valid && fetched_ready;

  net_store #(.WIDTH(WIDTH), .DEPTH(2 * SEGMENT_BYTES / LANES)) u_payload (
    .clk,
    .rst,
    .in_data  (fetched.tdata),
    .in_valid (fetched_valid),
    .in_ready (fetched_ready),
    .in_show  (take && (fetched.tlast || ahead_valid)),
    .in_rewind(take && fetched.tlast && fetched_error),
    .out_data (word),
    .out_valid(store_valid),
    .out_ready(store_take)
  );

  always_comb begin
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      lane[i] = fetched.tdata[16*i +: 16] & {{8{fetched.tkeep[2*i+1]}}, {8{fetched.tkeep[2*i]}}};
    end
  end

  always_ff @(posedge clk) begin
    pair_q[0] <= 17'(lane[3]) + 17'(lane[2]);
    pair_q[1] <= 17'(lane[1]) + 17'(lane[0]);
    pairs_q   <= take;
    begins_q  <= first_q;
    last_q    <= take && fetched.tlast;
    error_q   <= fetched_error;
    if (take) first_q <= fetched.tlast;
    if (pairs_q) payload_sum_q <= (begins_q ? '0 : payload_sum_q) + 32'(pair_q[0]) + 32'(pair_q[1]);
    read_q         <= last_q;
    ahead_q        <= ahead_valid;
    push_q         <= !ahead_q && (ahead_valid || last_q);
    pushed_error_q <= error_q && !ahead_valid;
    pushed_ahead_q <= ahead_valid;
    pushed_sum_q   <= ahead_sum;
    if (rst) begin
      first_q <= 1'b1;
      last_q  <= 1'b0;
      push_q  <= 1'b0;
      read_q  <= 1'b0;
    end
  end

  fifo_lut #(.WIDTH($bits(stored_t)), .DEPTH(INSIDE)) u_stored (
    .clk, .rst, .in_data({pushed_error_q, pushed_ahead_q ? pushed_sum_q : fold(payload_sum_q)}),
    .in_valid(push_q), .in_ready(stored_room),
    .out_data(stored), .out_valid(stored_valid), .out_ready(ends_one && made.payload), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Out ---------------------------------------------------------------------------------------------------------

  logic [BEATS_W-1:0] index_q;                // of the beat
  logic [HALF-1:0]    upper, lower, carry_q;  // halves of the header; of the payload, before its next word
  logic [16:0]        whole_sum_q;            // of header and payload; the carry is not added yet
  logic [2:0]         rest;                   // bytes in the last beat, 0: all
  logic               there, body, ends_header, odd, last, out_room;
  logic               reads;                  // a word of the payload
  logic               goes;                   // the beat; else its word has not come yet
  tcp_tx_t            out_q;

  assign there         = made_valid && (!made.payload || stored_valid);
  assign drop          = there && made.payload && stored.error;
  assign payload_bytes = made.total - TOTAL_W'({made.offset, 2'b00});
  assign begins        = there && !drop && index_q == '0 && out_room;
  assign odd           = made.offset[0];
  assign ends_header   = index_q == BEATS_W'(made.offset[3:1]);
  assign body          = index_q >= BEATS_W'(made.offset[3:1]);
  assign last          = index_q == BEATS_W'((made.total - 1'b1) >> 3);
  assign rest          = made.total[2:0];
  // Behind a header that ends in the middle of a word, the last beat may be what is left of the word before.
  assign reads         = there && !drop && body && made.payload && !(last && odd && rest != '0 && rest <= 3'd4);
  assign goes          = there && !drop && (!reads || store_valid);
  assign store_take    = reads && out_room;
  assign ends_one      = drop || (goes && last && out_room);

  assign index = index_q[2:0];
  assign upper = uppers[{out_slot_q, index}];
  assign lower = lowers[{out_slot_q, index}];

  assign out_room = segment_ready || !out_q.valid;

  // The sum of both is made while the first two beats leave.
  always_ff @(posedge clk) begin
    whole_sum_q <= 17'(sums[out_slot_q]) + (made.payload ? 17'(stored.sum) : '0);
  end

  always_ff @(posedge clk) begin
    if (out_room) begin
      out_q.valid      <= goes;
      out_q.user       <= '{bad: 1'b0, steady: 1'b1, destination: made.destination, length: 16'(made.total),
                            ttl: made.ttl, tos: {made.dscp, 2'b00}, df: 1'b1};
      out_q.beat.tlast <= last;
      out_q.beat.tkeep <= last && rest != '0 ? ~({LANES{1'b1}} >> rest) : '1;
      out_q.beat.tdata <= {upper, lower};
      if (index_q == BEATS_W'(2)) begin
        out_q.beat.tdata[WIDTH-1 -: 16] <= ~(whole_sum_q[15:0] + 16'(whole_sum_q[16]));
      end
      if (body) begin
        if (!odd) out_q.beat.tdata <= word;
        else if (ends_header) out_q.beat.tdata[HALF-1:0] <= word[WIDTH-1 -: HALF];
        else out_q.beat.tdata <= {carry_q, word[WIDTH-1 -: HALF]};
      end
      if (reads && store_valid) carry_q <= word[HALF-1:0];
      if (goes) index_q <= last ? '0 : index_q + 1'b1;
    end
    if (rst) begin
      out_q.valid <= 1'b0;
      index_q     <= '0;
    end
  end

  assign payload_read = read_q;

  assign segment = out_q;
  assign stat    = '{sent: ends_one && !drop, again: ends_one && !drop && made.again, drop_memory: drop};
  assign idle    = turns_idle && !wants_valid && !wants_q && inside_q == '0 && !out_q.valid;

  // ---- What must hold ----------------------------------------------------------------------------------------------

  a_whole : assert property (@(posedge clk) disable iff (rst) index_q != '0 -> there && !drop);
  a_room : assert property (@(posedge clk) disable iff (rst)
    (header_done -> made_room) && (push_q -> stored_room) && (sends -> fetch_room && 32'(inside_q) < INSIDE));
  a_slots : assert property (@(posedge clk) disable iff (rst)
    sum_valid -> !(there && out_slot_q == sum_slot_q && index_q > BEATS_W'(0)));
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && segment.valid && !segment_ready) -> segment.valid && $stable(segment));

  // Who knows the sum says so before the first beat.
  a_ahead : assert property (@(posedge clk) disable iff (rst) $past(!rst && !ahead_valid) && ahead_valid -> first_q);

  // What the core promises.
  a_length : assert property (@(posedge clk) disable iff (rst) header_done -> 32'(total) <= SEGMENT_BYTES);

endmodule
