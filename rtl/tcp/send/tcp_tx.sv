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
// Above 64 bits the first beats have more of the header, and at 256 and 512 the sum: so the oldest segment whose header, sum
// and payload are there is looked at once more (head_q) before it leaves, while the one before it does.
//
// Latency from told to the first beat: 6 cycles when it answers an arrival, 7 else; with timestamps 8. For SACK one more for each
// 4 bytes. With payload: from the last fetched beat 4 cycles; from the first one 3 if the sum is known. Above 64 bits 2 more from
// told, 1 more from the last fetched beat, at 256 and 512 2 more.
// Throughput: a beat a cycle, segments back to back; one each 4 cycles at most, and one more for each 4 bytes of options
// behind the first 4.
//
// A turn is offered while less than SEGMENT_BYTES of payload wait behind the segment that leaves, and 4 segments at most are
// here: as late as the line allows, so that what a connection has to acknowledge gathers.
//
// Room: 8 segments, 4 more whose headers are made, and twice SEGMENT_BYTES of payload. A sum that is known before is for 64 bits.
// Borders: registers, but for gates from registers at fetched_ready and idle.

`include "types.svh"

module tcp_tx
  import net_pkg::*;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH         = 64,    // of the streams: 64, 128, 256 or 512
  parameter int unsigned CONNECTIONS   = 64,
  parameter int unsigned SEGMENT_BYTES = 2048,  // of the longest segment
  localparam type beat_t   = `NSOC_BEAT(WIDTH),
  localparam type tcp_tx_t = `NSOC_STREAM(tcp_tx_user_t, beat_t)
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
  /* verilator lint_off UNUSEDSIGNAL */
  input  beat_t        fetched,
  /* verilator lint_on UNUSEDSIGNAL */
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

  `NSOC_CHECK_WIDTH(tcp_tx)
  if (SEGMENT_BYTES < 64 || SEGMENT_BYTES < WIDTH / 4 || SEGMENT_BYTES > 2048
      || (SEGMENT_BYTES & (SEGMENT_BYTES - 1)) != 0) begin : g_bad_bytes
    $error("tcp_tx: SEGMENT_BYTES must be a power of two, 64 or two beats to 2048");
  end

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LANE_W  = $clog2(LANES);
  localparam int unsigned WORDS   = WIDTH / 64;                 // of a header, in a beat
  localparam int unsigned WORD_W  = $clog2(WORDS);
  localparam int unsigned SHIFT_W = LANE_W - 2;                 // where a header may end, in 4 bytes
  localparam int unsigned QUEUE   = 8;                          // segments whose headers are not made,
  localparam int unsigned HEADERS = 4;                          // ... and those whose headers are, or are being made
  localparam int unsigned INSIDE  = 16;                         // all of them, and a power of two
  localparam int unsigned AHEAD   = 4;                          // with so many inside there may be a turn
  localparam int unsigned TOTAL_W = $clog2(SEGMENT_BYTES + 1);
  localparam int unsigned BEATS_W = TOTAL_W - LANE_W;
  localparam int unsigned SLOT_W  = $clog2(HEADERS);
  localparam int unsigned SLOTS_W = $clog2(HEADERS + 1);
  localparam int unsigned COUNT_W = $clog2(INSIDE + 1);
  localparam int unsigned ROWS    = 8 * HEADERS / WORDS;        // of headers
  localparam int unsigned ROW_W   = $clog2(ROWS);
  localparam int unsigned SUM_AT  = WIDTH - 1 - 8 * (16 % LANES);

  typedef logic [BEATS_W-1:0] index_of_beat_t;

  typedef struct packed {                     // a segment whose header is made
    logic [TOTAL_W-1:0] total;                // bytes of it
    logic [3:0]         offset;               // of its payload, in 4 bytes
    logic               payload;              // it has some
    logic               again;
    ip_t                destination;
    logic [7:0]         ttl;
    logic [5:0]         dscp;
    logic               df;
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
  logic [2:0]  write_index;
  logic [SLOTS_W-1:0] made_count;
  logic [63:0] write_data;
  made_t       made;
  logic        made_valid;

  (* ram_style = "distributed" *) logic [15:0] sums [HEADERS];
  logic [SLOT_W-1:0] make_slot_q, sum_slot_q, out_slot_q;  // of the header that is made, summed, sent
  logic [ROW_W-1:0]  write_row, row;                       // row: of the beat that leaves
  logic [WIDTH-1:0]  header;

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

  assign write_row = ROW_W'({make_slot_q, write_index} >> WORD_W);

  for (genvar i = 0; i < WORDS; i++) begin : g_word
    (* ram_style = "distributed" *) logic [31:0] uppers [ROWS];
    (* ram_style = "distributed" *) logic [31:0] lowers [ROWS];
    logic here;

    assign here = (4'(write_index) & 4'(WORDS - 1)) == 4'(i);

    always_ff @(posedge clk) if (write[1] && here) uppers[write_row] <= write_data[63:32];
    always_ff @(posedge clk) if (write[0] && here) lowers[write_row] <= write_data[31:0];

    assign header[WIDTH-1-64*i -: 64] = {uppers[row], lowers[row]};
  end

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

  logic load, head_valid;                     // it is taken to be looked at, or sent

  // With the one that is made then, and the one that is sent, each has a slot of its own.
  assign made_room = made_count + SLOTS_W'(head_valid) < SLOTS_W'(HEADERS - 1);

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(made_t)), .DEPTH(HEADERS)) u_made (
    .clk, .rst,
    .in_data({total[TOTAL_W-1:0], offset, send.length != '0, send.again, send_ends.address, send.ttl, send.dscp,
              send.df}),
    .in_valid(header_done), .in_ready(), .out_data(made), .out_valid(made_valid), .out_ready(load),
    .occupancy(made_count)
  );

  // ---- Payload -----------------------------------------------------------------------------------------------------

  logic        fetch_room, take, last_q, error_q, push_q, store_valid, store_take, stored_room, stored_valid;
  logic        first_q, part_valid, part_first;
  logic [1:0][21:0] part;
  logic [31:0] payload_sum_q;
  logic        last_part, refused, known;     // known: its sum is, before it comes
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

  fifo_rewind #(.WIDTH(WIDTH), .DEPTH(2 * SEGMENT_BYTES / LANES)) u_payload (
    .clk,
    .rst,
    .in_data  (fetched.tdata),
    .in_valid (fetched_valid),
    .in_ready (fetched_ready),
    .in_show  (take && (fetched.tlast || known)),
    .in_rewind(take && fetched.tlast && fetched_error),
    .out_data (word),
    .out_valid(store_valid),
    .out_ready(store_take)
  );

  tcp_sum #(.WIDTH(WIDTH)) u_sum (
    .clk, .in_data(fetched.tdata), .in_keep(fetched.tkeep), .in_extra('0), .in_valid(take), .in_first(first_q), .part,
    .valid(part_valid), .first(part_first)
  );

  assign known = WIDTH == 64 && ahead_valid;

  // With the last part of the sum.
  if (WIDTH < 256) begin : g_soon
    assign {last_part, refused} = {last_q, error_q};
  end else begin : g_later
    logic later_last_q, later_error_q;

    always_ff @(posedge clk) begin
      later_last_q  <= last_q && !rst;
      later_error_q <= error_q;
    end

    assign {last_part, refused} = {later_last_q, later_error_q};
  end

  always_ff @(posedge clk) begin
    last_q  <= take && fetched.tlast;
    error_q <= fetched_error;
    if (take) first_q <= fetched.tlast;
    if (part_valid) payload_sum_q <= (part_first ? '0 : payload_sum_q) + 32'(part[0]) + 32'(part[1]);
    read_q         <= last_q;
    ahead_q        <= known;
    push_q         <= !ahead_q && (known || last_part);
    pushed_error_q <= refused && !known;
    pushed_ahead_q <= known;
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
    .out_data(stored), .out_valid(stored_valid), .out_ready(load && made.payload), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Out ---------------------------------------------------------------------------------------------------------

  made_t              head;                   // the segment that leaves
  logic [BEATS_W-1:0] index_q, last_index;    // of the beat, of the last one
  logic [WIDTH-33:0]  carry_q;                // of the payload, before its next word
  logic [WIDTH-1:0]   body_data;
  logic [16:0]        whole_sum_q;            // of header and payload; the carry is not added yet
  logic [LANE_W-1:0]  rest;                   // bytes in the last beat, 0: all
  logic [3:0]         ends_at;                // the beat in which the header ends
  logic [SHIFT_W-1:0] shift;                  // what of it is header, in 4 bytes
  logic               there, error, body, ends_header, last, out_room;
  logic               alone;                  // the last beat has only bytes of the payload's word before
  logic               reads;                  // a word of the payload
  logic               goes;                   // the beat; else its word has not come yet
  tcp_tx_t            out_q;

  if (WIDTH == 64) begin : g_as_made
    assign head       = made;
    assign there      = made_valid && (!made.payload || stored_valid);
    assign error      = made.payload && stored.error;
    assign last_index = index_of_beat_t'((made.total - 1'b1) >> LANE_W);
    assign alone      = rest != '0 && rest <= {shift, 2'b00};
    assign load       = ends_one;
    assign head_valid = 1'b0;

    // The sum of both is made while the first two beats leave.
    always_ff @(posedge clk) begin
      whole_sum_q <= 17'(sums[out_slot_q]) + (made.payload ? 17'(stored.sum) : '0);
    end
  end else begin : g_head
    made_t             head_q;
    logic              head_valid_q, refused_q, alone_q;
    index_of_beat_t    last_index_q;
    logic [SLOT_W-1:0] slot_q;                // of the next one

    assign load = made_valid && slot_q != sum_slot_q && (!made.payload || stored_valid) && (!head_valid_q || ends_one);

    always_ff @(posedge clk) begin
      if (load) begin
        head_q       <= made;
        refused_q    <= made.payload && stored.error;
        last_index_q <= index_of_beat_t'((made.total - 1'b1) >> LANE_W);
        alone_q      <= made.total[LANE_W-1:0] != '0 && made.total[LANE_W-1:0] <= {made.offset[SHIFT_W-1:0], 2'b00};
        whole_sum_q  <= 17'(sums[slot_q]) + (made.payload ? 17'(stored.sum) : '0);
      end
      head_valid_q <= load || (head_valid_q && !ends_one);
      slot_q       <= slot_q + SLOT_W'(load);
      if (rst) begin
        head_valid_q <= 1'b0;
        slot_q       <= '0;
      end
    end

    assign head       = head_q;
    assign there      = head_valid_q;
    assign error      = refused_q;
    assign last_index = last_index_q;
    assign alone      = alone_q;
    assign head_valid = head_valid_q;
  end

  assign drop          = there && error;
  assign payload_bytes = head.total - TOTAL_W'({head.offset, 2'b00});
  assign begins        = (WIDTH == 64 ? there && !drop : goes) && index_q == '0 && out_room;
  assign shift         = head.offset[SHIFT_W-1:0];
  assign ends_at       = head.offset >> SHIFT_W;
  assign ends_header   = index_q == index_of_beat_t'(ends_at);
  /* verilator lint_off UNSIGNED */            // of 512 bits it is always the first beat
  assign body          = index_q >= index_of_beat_t'(ends_at);
  /* verilator lint_on UNSIGNED */
  assign last          = index_q == last_index;
  assign rest          = head.total[LANE_W-1:0];
  // Behind a header that ends in the middle of a word, the last beat may be what is left of the word before.
  assign reads         = there && !drop && body && head.payload && !(last && alone);
  assign goes          = there && !drop && (!reads || store_valid);
  assign store_take    = reads && out_room;
  assign ends_one      = drop || (goes && last && out_room);

  assign row       = ROW_W'({out_slot_q, 3'(index_q << WORD_W)} >> WORD_W);
  assign body_data = WIDTH'({carry_q, word} >> {shift, 5'd0});

  assign out_room = segment_ready || !out_q.valid;

  always_ff @(posedge clk) begin
    if (out_room) begin
      out_q.valid      <= goes;
      out_q.user       <= '{bad: 1'b0, steady: 1'b1, destination: head.destination, length: 16'(head.total),
                            ttl: head.ttl, tos: {head.dscp, 2'b00}, df: head.df};
      out_q.beat.tlast <= last;
      out_q.beat.tkeep <= last && rest != '0 ? ~({LANES{1'b1}} >> rest) : '1;
      out_q.beat.tdata <= header;
      if (index_q == index_of_beat_t'(16 / LANES)) begin
        out_q.beat.tdata[SUM_AT -: 16] <= ~(whole_sum_q[15:0] + 16'(whole_sum_q[16]));
      end
      for (int unsigned i = 0; i < LANES / 4; i++) begin
        if (body && !(ends_header && i < 32'(shift))) begin
          out_q.beat.tdata[WIDTH-1-32*i -: 32] <= body_data[WIDTH-1-32*i -: 32];
        end
      end
      if (reads && store_valid) carry_q <= word[WIDTH-33:0];
      if (goes) index_q <= last ? '0 : index_q + 1'b1;
    end
    if (rst) begin
      out_q.valid <= 1'b0;
      index_q     <= '0;
    end
  end

  assign payload_read = read_q;

  assign segment = out_q;
  assign stat    = '{sent: ends_one && !drop, again: ends_one && !drop && head.again, drop_memory: drop};
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
  a_known : assert property (@(posedge clk) disable iff (rst) ahead_valid -> WIDTH == 64);

  // What the core promises.
  a_length : assert property (@(posedge clk) disable iff (rst) header_done -> 32'(total) <= SEGMENT_BYTES);

endmodule
