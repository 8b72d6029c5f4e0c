// SPDX-License-Identifier: Apache-2.0
//
// What was received, out of the receive rings: the bytes that the engine has told of, in packets, and the READs that
// follow. Bytes that somebody else has delivered already are not delivered again.
//
//     told --> received -\
//     fast --> delivered -+--> queue of connections --> lines --turn by bytes--> turned_q, before_q --> m_*
//                 ^       \--> queue of connections --> read: up to which byte both have come
//                 \---------------------------------------------------------- the last beat was taken
//
// One packet at a time, of PACKET bytes at most; a connection that has more comes again behind those that wait. Who can
// be overtaken by the other path tells so:
//
// - `hold`: no packet of that connection begins. It waits behind the others.
// - `busy`: a packet of that connection is under way, from the cycle behind the decision until its last beat was taken
//   and look_delivered has it.
// - So who holds a connection and sees, in that cycle or a later one, that it is not busy has it alone until the hold
//   is over. What look_delivered says then stands. The cycle of `fast_valid` may be the hold's last one.
// - The engine may come to know of these bytes later: READ is said up to the lower of both positions. Not where it tells that
//   all is read: of what it knows to be delivered.
//
//     cycle           0    1    2    3    4    5    6    7     n bytes in lines l0, l1
//     told_valid      1
//     out_valid                 i                              it is the connection's turn; no hold: begins
//     busy                           1    1    1    1    1
//     read                           l0   l1
//     turned_q                                 l0   l1
//     m_tvalid                                 -    -    b0    -    without l1 in cycle 6
//
// Positions change in one way a cycle: fast deliveries first, then what is told, then the end of a packet.
//
// Latency: from told_valid to the first beat 6 cycles, 7 when its bytes are in two lines; to read_valid 2. From
// look_index to look_delivered 1. Throughput: a beat a cycle, and 8 cycles a packet. Borders: m_* out of registers;
// `read` out of a register; look_*, busy_* registers; read_position through an addition and a multiplexer behind the
// memories.
module tcp_stream_receive
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned RING_BYTES  = 4096,
  parameter int unsigned PACKET      = 2048,  // bytes, a power of two
  localparam int unsigned LINE_W     = $clog2(CONNECTIONS * RING_BYTES / (WIDTH / 8))
) (
  input  logic               clk,
  input  logic               rst,

  input  logic               told_valid,    // pulse, at most each second cycle
  input  index_t             told_index,
  /* verilator lint_off UNUSEDSIGNAL */     // what is told of the send ring
  input  direct_t            told,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic               read,          // to tcp_stream_rings
  output logic [LINE_W-1:0]  read_line,
  input  logic [WIDTH-1:0]   read_data,

  output logic [WIDTH-1:0]   m_tdata,
  output logic [WIDTH/8-1:0] m_tkeep,
  output logic               m_tlast,
  output logic               m_tvalid,
  input  logic               m_tready,
  output index_t             m_tdest,       // beside all beats

  /* verilator lint_off UNUSEDSIGNAL */     // bits of connections that are not there
  input  index_t             look_index,
  output logic [31:0]        look_delivered,
  output logic               look_open,     // begun and not closed
  input  logic               hold_valid,
  input  index_t             hold_index,
  output logic               busy_valid,
  output index_t             busy_index,
  input  logic               fast_valid,    // pulse, at most each second cycle
  input  index_t             fast_index,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]        fast_position,

  output logic               read_asks,     // somebody wants to know whether there is a READ: it comes late; ...
  output logic               read_valid,    // ... to the engine: READ up to here
  input  logic               read_ready,
  output index_t             read_index,
  output logic [31:0]        read_position,

  output logic               idle
);

  localparam int unsigned BYTES    = WIDTH / 8;
  localparam int unsigned LANE_W   = $clog2(BYTES);
  localparam int unsigned OFFSET_W = $clog2(RING_BYTES);
  localparam int unsigned PLACE_W  = OFFSET_W - LANE_W;    // of a line in its ring
  localparam int unsigned SHORT_W  = $clog2(CONNECTIONS);
  localparam int unsigned SPAN_W   = OFFSET_W + 3;         // positions are less than four rings apart, either way: the
                                                           // core's window opens before that is told here
  localparam int unsigned LENGTH_W = $clog2(PACKET) + 1;

  typedef logic [SHORT_W-1:0]   short_index_t;
  typedef logic [SPAN_W-1:0]   span_t;
  typedef logic [LENGTH_W-1:0] packet_length_t;
  typedef logic [PLACE_W-1:0]  line_place_t;
  typedef logic [LANE_W-1:0]   lane_t;

  // ---- Positions --------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) logic [31:0] received [CONNECTIONS];
  (* ram_style = "distributed" *) logic [31:0] delivered [CONNECTIONS];
  (* ram_style = "distributed" *) span_t       said [CONNECTIONS];       // by READ
  logic [CONNECTIONS-1:0] open_q;

  logic           told_valid_q, told_open_q, begins_q, closed_q, all_read_q;
  short_index_t   told_word_q;
  logic [31:0]    told_received_q;
  logic           tells, changes, begins, ends, done_q, stale_q;
  logic           moves, change;                  // `delivered` does; anything does
  short_index_t   word;                           // of whom
  logic [31:0]    moved;
  short_index_t   busy_word_q;
  logic [31:0]    start_q;                        // of the packet under way
  packet_length_t length_q;
  logic           busy_q;

  assign tells   = told_valid_q && !fast_valid;
  assign changes = tells && (begins_q || told_open_q);
  assign begins  = changes && begins_q;
  assign ends    = done_q && !fast_valid && !told_valid_q;
  assign word    = fast_valid ? short_index_t'(fast_index) : told_valid_q ? told_word_q : busy_word_q;
  assign moves   = fast_valid || begins || (ends && !stale_q);
  assign change  = fast_valid || changes || ends;

  always_comb begin
    moved = start_q + 32'(length_q);
    if (told_valid_q) moved = '0;
    if (fast_valid) moved = fast_position;
  end

  always_ff @(posedge clk) begin
    if (told_valid) begin
      told_word_q     <= short_index_t'(told_index);
      told_open_q     <= changes && told_word_q == short_index_t'(told_index)
                         ? !closed_q : open_q[short_index_t'(told_index)];
      begins_q        <= told.begins;
      closed_q        <= told.closed;
      all_read_q      <= told.all_read;
      told_received_q <= told.received;
    end
    told_valid_q <= told_valid || (told_valid_q && !tells);
    if (changes) open_q[told_word_q] <= !closed_q;
    if (rst) begin
      told_valid_q <= 1'b0;
      open_q       <= '0;
    end
  end

  always_ff @(posedge clk) if (changes) received[told_word_q] <= told_received_q;
  always_ff @(posedge clk) if (moves) delivered[word] <= moved;

  // ---- Who wants to know ------------------------------------------------------------------------------------------

  short_index_t look;
  logic [31:0]  look_delivered_q;
  logic         look_open_q;

  assign look = short_index_t'(look_index);

  always_ff @(posedge clk) begin
    look_delivered_q <= moves && word == look ? moved : delivered[look];
    look_open_q      <= changes && told_word_q == look ? !closed_q : open_q[look];
  end

  assign look_delivered = look_delivered_q;
  assign look_open      = look_open_q;

  // ---- READs ------------------------------------------------------------------------------------------------------

  index_t      reader;
  logic        reader_valid, says, reads_idle;
  logic        knows;                          // the engine has read by itself
  span_t       ahead, said_of;                 // ahead: bytes that are received and not delivered
  logic [31:0] target, reader_received, reader_delivered;

  tcp_stream_queue #(.CONNECTIONS(CONNECTIONS)) u_reads (
    .clk, .rst, .join_valid(change), .join_index(index_t'(word)), .out_valid(reader_valid), .out_index(reader),
    .out_take(read_asks && read_ready), .out_back(1'b0), .idle(reads_idle)
  );

  assign knows            = changes && (begins_q || all_read_q);
  assign reader_received  = received[short_index_t'(reader)];
  assign reader_delivered = delivered[short_index_t'(reader)];
  assign ahead            = span_t'(reader_received) - span_t'(reader_delivered);
  assign target           = ahead[SPAN_W-1] ? reader_received : reader_delivered;
  assign said_of          = said[short_index_t'(reader)];
  // Neither is behind what was said: the lower one has moved if both have.
  assign says             = open_q[short_index_t'(reader)] && span_t'(reader_received) != said_of
                            && span_t'(reader_delivered) != said_of;
  assign read_asks        = reader_valid && !knows;
  assign read_valid       = read_asks && says;
  assign read_index       = reader;
  assign read_position    = target;

  always_ff @(posedge clk) begin
    if (knows || (read_asks && read_ready)) begin
      said[knows ? told_word_q : short_index_t'(reader)] <= !knows ? span_t'(target)
                                                     : begins_q ? '0 : span_t'(told_received_q);
    end
  end

  // ---- The next packet --------------------------------------------------------------------------------------------

  index_t      next;
  logic        next_valid, next_take, next_idle, held, waits, some, decides, begin_packet;
  logic [31:0] next_delivered;
  span_t       bytes;

  // One that is held goes to the end of the queue, when nobody else joins.
  tcp_stream_queue #(.CONNECTIONS(CONNECTIONS)) u_next (
    .clk, .rst, .join_valid(change), .join_index(index_t'(word)), .out_valid(next_valid), .out_index(next),
    .out_take(next_take), .out_back(held), .idle(next_idle)
  );

  assign next_delivered = delivered[short_index_t'(next)];
  assign bytes          = span_t'(received[short_index_t'(next)]) - span_t'(next_delivered);
  assign some           = !bytes[SPAN_W-1] && bytes != '0;
  assign waits          = hold_valid && hold_index == next;
  assign decides        = next_valid && !busy_q && !change;
  assign held           = decides && waits;
  assign begin_packet   = decides && !waits && some;
  assign next_take      = decides;

  always_ff @(posedge clk) begin
    if (begin_packet) begin
      busy_word_q <= short_index_t'(next);
      start_q     <= next_delivered;
      length_q    <= (bytes >> $clog2(PACKET)) != '0 ? packet_length_t'(PACKET) : packet_length_t'(bytes);
    end
    if (begin_packet) busy_q <= 1'b1;
    else if (ends) busy_q <= 1'b0;
    if (begin_packet) stale_q <= 1'b0;
    else if (begins && told_word_q == busy_word_q) stale_q <= 1'b1;
    if (rst) busy_q <= 1'b0;
  end

  assign busy_valid = busy_q;
  assign busy_index = index_t'(busy_word_q);

  // ---- Lines out of the ring --------------------------------------------------------------------------------------

  logic           step, opens_q, lines_q, line_last;
  packet_length_t left, left_q;                       // bytes from this line's first lane on
  line_place_t place, place_q;
  lane_t          shift, tail;

  assign shift     = start_q[LANE_W-1:0];
  assign left      = opens_q ? packet_length_t'(shift) + length_q : left_q;
  assign line_last = left <= packet_length_t'(BYTES);
  assign place     = opens_q ? start_q[LANE_W +: PLACE_W] : place_q;
  assign read      = step;
  assign read_line = {busy_word_q, place};
  assign tail      = lane_t'(length_q - 1'b1); // bytes of the last beat, less one

  logic fetched_q, fetched_last_q, turned_valid_q, turned_last_q, before_valid_q, before_end_q;

  always_ff @(posedge clk) begin
    if (step) begin
      place_q        <= place + 1'b1;
      left_q         <= left - packet_length_t'(BYTES);
      opens_q        <= 1'b0;
      lines_q        <= lines_q && !line_last;
      fetched_q      <= lines_q;
      fetched_last_q <= line_last;
    end
    if (begin_packet) begin
      opens_q <= 1'b1;
      lines_q <= 1'b1;
    end
    if (rst) begin
      lines_q   <= 1'b0;
      fetched_q <= 1'b0;
    end
  end

  // ---- Beats ------------------------------------------------------------------------------------------------------
  // In before_q is the line before. What is left of the last one goes alone, at once when there is no other.

  logic [WIDTH-1:0] turned_q, before_q, beat_data;
  logic [BYTES-1:0] low, beat_keep;            // low: lanes whose bytes are in the next line
  logic             rests, make, alone, beat_last, step_ready;
  lane_t            shift_q, tail_q;           // as `shift` and `tail`; they stand during a packet
  logic             rests_q;

  assign step      = step_ready;
  assign rests     = (LANE_W + 1)'(shift) + (LANE_W + 1)'(tail) < (LANE_W + 1)'(BYTES);
  assign alone     = before_valid_q ? before_end_q : turned_last_q;
  assign make      = (before_valid_q && (turned_valid_q || before_end_q)) || (turned_valid_q && turned_last_q);
  assign beat_last = before_valid_q ? before_end_q || (turned_last_q && !rests_q) : turned_last_q;
  assign low       = {BYTES{1'b1}} >> (LANE_W + 1)'((LANE_W + 1)'(BYTES) - (LANE_W + 1)'(shift_q));

  always_comb begin
    for (int unsigned i = 0; i < BYTES; i++) begin
      beat_data[8*i +: 8] = before_valid_q && (!low[i] || alone) ? before_q[8*i +: 8] : turned_q[8*i +: 8];
    end
    beat_keep = beat_last ? ~({1'b0, {(BYTES - 1){1'b1}}} >> tail_q) : '1;
  end

  always_ff @(posedge clk) begin
    shift_q <= shift;
    tail_q  <= tail;
    rests_q <= rests;
    if (step) begin
      turned_q       <= WIDTH'({read_data, read_data} >> ((LANE_W + 4)'(WIDTH) - (LANE_W + 4)'({shift_q, 3'b0})));
      turned_valid_q <= fetched_q;
      turned_last_q  <= fetched_last_q;
      before_q       <= turned_q;
      before_valid_q <= turned_valid_q && !(make && beat_last);
      before_end_q   <= turned_last_q && before_valid_q && rests_q;
    end
    if (rst) begin
      turned_valid_q <= 1'b0;
      before_valid_q <= 1'b0;
    end
  end

  short_index_t out_word;

  skid_buffer #(.WIDTH(SHORT_W + 1 + WIDTH + BYTES)) u_out (
    .clk, .rst, .in_data({busy_word_q, beat_last, beat_keep, beat_data}), .in_valid(make), .in_ready(step_ready),
    .out_data({out_word, m_tlast, m_tkeep, m_tdata}), .out_valid(m_tvalid), .out_ready(m_tready)
  );

  assign m_tdest = index_t'(out_word);

  always_ff @(posedge clk) done_q <= ((m_tvalid && m_tready && m_tlast) || (done_q && !ends)) && !rst;

  assign idle = !told_valid_q && !busy_q && !change && next_idle && reads_idle;

  a_told : assert property (@(posedge clk) disable iff (rst) told_valid -> !told_valid_q || tells);
  a_index : assert property (@(posedge clk) disable iff (rst)
    (told_valid -> 32'(told_index) < CONNECTIONS) && (fast_valid -> 32'(fast_index) < CONNECTIONS));
  a_fast : assert property (@(posedge clk) disable iff (rst) fast_valid -> !(busy_q && busy_index == fast_index));
  a_said : assert property (@(posedge clk) disable iff (rst)
    read_asks && open_q[short_index_t'(reader)] -> span_t'(target) - said_of < span_t'(1 << (SPAN_W - 1)));
  a_done : assert property (@(posedge clk) disable iff (rst) done_q -> busy_q);
  a_bytes : assert property (@(posedge clk) disable iff (rst) begin_packet -> 32'(bytes) <= RING_BYTES);
  a_beats : assert property (@(posedge clk) disable iff (rst)
    make -> busy_q && !(before_valid_q && before_end_q && turned_valid_q));

endmodule
