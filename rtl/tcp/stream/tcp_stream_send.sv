// SPDX-License-Identifier: Apache-2.0
//
// What the application sends, into the send rings: packet behind packet, at any byte of a ring, and the SENDs that
// follow.
//
//     s_tdest, s_tlength --> room? --> s_tready
//     s_* --> beat_q --turn by bytes--> turned_q --with what the beat before has left--> write, write_line
//                    \--last one: given, room --> queue of connections --> send
//     told --> room, open
//
// A packet is one write of s_tlength bytes. It is taken when all of it has room, and from its first beat on without a
// pause; what cannot be (no length, or more than the ring), whose beats turn out not to have that length, or whose
// connection is not open, is taken and dropped. Only a whole packet counts: with its last beat `given` moves on. With
// s_thold no SEND follows; the next one is for it, too, or that of its doorbell.
//
//     cycle           0    1    2    3    4    5    6    7
//     s_tvalid        a0   a1   a2        b0
//     s_tready        a    a    a    -    b              no packet begins in the cycle behind a last beat
//     write                     a0   a1   a2   +    b0   +: what a2 has left for the next line
//     given, room                    |<- a
//     send_valid                          a              to the requests of tcp_stream
//
// A line has the end of one beat and the begin of the next. Lanes below `shift` belong to the beat before, which goes
// into the memory one line later; the cycle behind a last beat is for what is left of it.
//
// `room` is what may be given: acknowledged + RING_BYTES - given. What is told waits for a packet's last beat, and is not
// asked for more often than once in two cycles: as often as packets have one.
//
// Latency: none from s_tvalid to s_tready when there is room; 2 cycles from a beat to its write; 2 from the last beat to
// send_valid. Throughput: a beat a cycle, and a cycle a packet. Borders: s_tready through the memory of rooms and a
// comparison; write and write_data through a multiplexer behind registers; the others out of registers or memories.
module tcp_stream_send
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned RING_BYTES  = 4096,
  localparam int unsigned LINE_W     = $clog2(CONNECTIONS * RING_BYTES / (WIDTH / 8))
) (
  input  logic               clk,
  input  logic               rst,

  input  logic               told_valid,   // pulse, at most each second cycle
  input  index_t             told_index,
  /* verilator lint_off UNUSEDSIGNAL */    // what is told of the receive ring
  input  direct_t            told,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic [WIDTH-1:0]   s_tdata,
  input  logic [WIDTH/8-1:0] s_tkeep,
  input  logic               s_tlast,
  input  logic               s_tvalid,
  output logic               s_tready,
  input  index_t             s_tdest,      // beside all beats, as these:
  input  logic [15:0]        s_tlength,
  input  logic               s_thold,
  output logic [31:0]        s_position,   // in the cycle behind a packet's first beat: bytes given before it

  input  logic               doorbell_valid,
  input  index_t             doorbell_dest,
  output logic               doorbell_ready,

  output logic [WIDTH/8-1:0] write,        // to tcp_stream_rings
  output logic [LINE_W-1:0]  write_line,
  output logic [WIDTH-1:0]   write_data,

  output logic               send_asks,    // somebody wants to know whether there is a SEND: it comes late; ...
  output logic               send_valid,   // ... to the engine: send up to here
  input  logic               send_ready,
  output index_t             send_index,
  output logic [31:0]        send_position,

  output logic               drop_length,  // pulses
  output logic               drop_closed,
  output logic               idle
);

  localparam int unsigned BYTES     = WIDTH / 8;
  localparam int unsigned LANE_W    = $clog2(BYTES);
  localparam int unsigned OFFSET_W  = $clog2(RING_BYTES);
  localparam int unsigned PLACE_W   = OFFSET_W - LANE_W;  // of a line in its ring
  localparam int unsigned SHORT_W   = $clog2(CONNECTIONS);

  typedef logic [SHORT_W-1:0]  short_index_t;
  typedef logic [OFFSET_W:0]  room_t;   // 0 to RING_BYTES
  typedef logic [PLACE_W-1:0] line_place_t;

  // ---- Positions --------------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) logic [31:0] given [CONNECTIONS];
  (* ram_style = "distributed" *) logic [31:0] wanted [CONNECTIONS];  // SEND is for all up to here
  (* ram_style = "distributed" *) room_t       rooms [CONNECTIONS];
  logic [CONNECTIONS-1:0] open_q;
  logic [CONNECTIONS-1:0] wants_q;       // `wanted` counts: not since the connection has begun anew

  logic         told_valid_q, told_open_q, tells, changes, begins_q, closed_q, commit, good;
  short_index_t told_word_q, index_q, at;
  room_t        told_room_q;              // `acknowledged` and the ring, as much as differences need
  logic [31:0]  given_at, given_now, given_new;

  // ---- Cycle 0: a packet is taken ---------------------------------------------------------------------------------

  logic        inside_q;                 // a packet's first beat was taken, its last one was not
  logic        takes, first, is_open;
  room_t       room;
  logic        valid_q, commit_q, last_q, held_q, closed_drop_q, length_drop_q, bad_q, killed_q;
  logic [15:0] length_q, left_q;         // left_q: from the beat of cycle 1 on
  logic [WIDTH-1:0] data_q;
  logic [BYTES-1:0] keep_q;

  assign is_open  = 32'(s_tdest) < CONNECTIONS && open_q[short_index_t'(s_tdest)];
  assign room     = rooms[short_index_t'(s_tdest)];
  assign s_tready = inside_q || (!commit && (19'(room) >= 19'(s_tlength) || 32'(s_tlength) > RING_BYTES || !is_open));
  assign takes    = s_tvalid && s_tready;
  assign first    = takes && !inside_q;

  always_ff @(posedge clk) begin
    valid_q  <= takes;
    commit_q <= takes && s_tlast && !rst;
    data_q   <= s_tdata;
    keep_q   <= s_tkeep;
    last_q   <= s_tlast;
    if (takes) inside_q <= !s_tlast;
    if (first) begin
      index_q       <= short_index_t'(s_tdest);
      length_q      <= s_tlength;
      held_q        <= s_thold;
      closed_drop_q <= !is_open;
      length_drop_q <= s_tlength == '0 || 32'(s_tlength) > RING_BYTES;
    end
    if (rst) begin
      valid_q  <= 1'b0;
      inside_q <= 1'b0;
    end
  end

  // ---- Cycle 1: are these the bytes that were announced? At the last beat they are given --------------------------

  logic [BYTES-1:0] announced_q;         // of the last beat
  logic             ends_here_q, goes_on_q; // so it was announced
  logic             fits, drops;

  assign fits      = last_q ? ends_here_q && keep_q == announced_q : goes_on_q && keep_q == '1;
  assign drops     = closed_drop_q || length_drop_q || bad_q || !fits || killed_q;
  assign commit    = commit_q;
  assign good      = commit && !drops;

  always_ff @(posedge clk) begin
    if (!inside_q) begin                // `first` comes late
      left_q      <= s_tlength;
      ends_here_q <= s_tlength <= 16'(BYTES);
      goes_on_q   <= s_tlength > 16'(BYTES);
      announced_q <= s_tlength[LANE_W-1:0] == '0 ? '1 : ~({BYTES{1'b1}} >> s_tlength[LANE_W-1:0]);
    end else if (valid_q) begin
      left_q      <= left_q - 16'(BYTES);
      ends_here_q <= goes_on_q && left_q <= 16'(2 * BYTES);
      goes_on_q   <= goes_on_q && left_q > 16'(2 * BYTES);
    end
    if (first) begin
      bad_q    <= 1'b0;
      killed_q <= 1'b0;
    end else begin
      if (valid_q && !fits) bad_q <= 1'b1;
      if (changes && told_word_q == index_q) killed_q <= killed_q || begins_q || closed_q;
    end
  end

  logic drop_length_q, drop_closed_q;

  always_ff @(posedge clk) begin
    drop_closed_q <= commit && (closed_drop_q || killed_q) && !rst;
    drop_length_q <= commit && !closed_drop_q && !killed_q && drops && !rst;
  end

  assign drop_closed = drop_closed_q;
  assign drop_length = drop_length_q;

  // ---- What the engine tells, and doorbells -----------------------------------------------------------------------

  logic rings, due, doorbell_open;

  assign tells          = told_valid_q && !commit;
  assign changes        = tells && (begins_q || told_open_q);
  assign at             = told_valid_q ? told_word_q : short_index_t'(doorbell_dest);
  assign given_at       = given[at];
  assign doorbell_ready = !told_valid_q && !commit;
  assign doorbell_open  = 32'(doorbell_dest) < CONNECTIONS && open_q[short_index_t'(doorbell_dest)];
  assign rings          = doorbell_valid && doorbell_ready && doorbell_open;
  assign given_now      = given[index_q];
  assign s_position     = given_now;
  assign given_new      = given_now + 32'(length_q);
  assign due            = rings || (good && !held_q);

  always_ff @(posedge clk) begin
    if (told_valid) begin
      told_word_q <= short_index_t'(told_index);
      told_open_q <= changes && told_word_q == short_index_t'(told_index)
                     ? !closed_q : open_q[short_index_t'(told_index)];
      begins_q    <= told.begins;
      closed_q    <= told.closed;
      told_room_q <= room_t'(told.acknowledged) + room_t'(RING_BYTES);
    end
    told_valid_q <= told_valid || (told_valid_q && !tells);
    if (changes) open_q[told_word_q] <= !closed_q;
    if (rst) begin
      told_valid_q <= 1'b0;
      open_q       <= '0;
    end
  end

  short_index_t given_word, due_word;

  // In the cycle of a last beat nothing else changes, whether it is good or not: that comes late.
  assign given_word = commit ? index_q : told_word_q;
  assign due_word   = commit ? index_q : short_index_t'(doorbell_dest);

  always_ff @(posedge clk) begin
    if (good || (changes && begins_q)) given[given_word] <= commit ? given_new : '0;
    if (good || changes) begin
      rooms[given_word] <= commit ? rooms[index_q] - room_t'(length_q)
                                  : told_room_q - (begins_q ? '0 : room_t'(given_at));
    end
    if (due) wanted[due_word] <= commit ? given_new : given_at;
  end

  // ---- SENDs ------------------------------------------------------------------------------------------------------

  index_t next;
  logic   next_valid, next_take, queue_idle;

  assign next_take     = next_valid && send_ready;
  assign send_asks     = next_valid;
  assign send_valid    = next_valid && wants_q[short_index_t'(next)] && open_q[short_index_t'(next)];
  assign send_index    = next;
  assign send_position = wanted[short_index_t'(next)];

  tcp_stream_queue #(.CONNECTIONS(CONNECTIONS)) u_queue (
    .clk, .rst, .join_valid(due), .join_index(index_t'(due_word)), .out_valid(next_valid),
    .out_index(next), .out_take(next_take), .out_back(1'b0), .idle(queue_idle)
  );

  always_ff @(posedge clk) begin
    if (next_take) wants_q[short_index_t'(next)] <= 1'b0;
    if (changes && begins_q) wants_q[told_word_q] <= 1'b0;
    if (due) wants_q[due_word] <= 1'b1;
    if (rst) wants_q <= '0;
  end

  // ---- Cycle 1: the beat is turned; cycle 2: it is written --------------------------------------------------------

  logic [LANE_W-1:0] shift, shift_q;             // lanes to the right
  logic [WIDTH-1:0]  turned_q, before_q;
  logic [BYTES-1:0]  turned_keep_q, before_keep_q, low;  // low: lanes that belong to the beat before
  logic              first_q, starts_q, writes_q, ends_q, rest_q;
  short_index_t      write_word_q;
  line_place_t       place, place_q, behind_q;   // of the line that is written; behind it

  assign shift = given_now[LANE_W-1:0];
  assign place = first_q ? given_now[LANE_W +: PLACE_W] : behind_q;
  assign low   = ~({BYTES{1'b1}} >> shift_q);

  always_ff @(posedge clk) begin
    first_q  <= first;
    writes_q <= valid_q && !closed_drop_q && !length_drop_q && !bad_q && fits && !killed_q && !rst;
    ends_q   <= last_q;
    if (valid_q) begin
      starts_q      <= first_q;
      shift_q       <= shift;
      write_word_q  <= index_q;
      turned_q      <= WIDTH'({data_q, data_q} >> {shift, 3'b0});
      turned_keep_q <= BYTES'({keep_q, keep_q} >> shift);
      place_q       <= place;
      behind_q      <= place + 1'b1;
    end
    if (writes_q) begin
      before_q      <= turned_q;
      before_keep_q <= turned_keep_q;
    end
    rest_q <= writes_q && ends_q && (turned_keep_q & low) != '0 && !rst;
  end

  always_comb begin
    write = '0;
    if (writes_q) write = turned_keep_q & ~low;
    if (rest_q || (writes_q && !starts_q)) write |= before_keep_q & low;
    for (int unsigned i = 0; i < BYTES; i++) write_data[8*i +: 8] = low[i] ? before_q[8*i +: 8] : turned_q[8*i +: 8];
  end

  assign write_line = {write_word_q, rest_q ? behind_q : place_q};
  assign idle       = !inside_q && !valid_q && !writes_q && !rest_q && !told_valid_q && queue_idle;

  a_told : assert property (@(posedge clk) disable iff (rst) told_valid -> !told_valid_q || tells);
  a_told_index : assert property (@(posedge clk) disable iff (rst) told_valid -> 32'(told_index) < CONNECTIONS);
  a_room : assert property (@(posedge clk) disable iff (rst)
    good -> 32'(rooms[index_q]) >= 32'(length_q) && 32'(rooms[index_q]) <= RING_BYTES);
  a_ready : assert property (@(posedge clk) disable iff (rst) inside_q -> s_tready);
  a_rest : assert property (@(posedge clk) disable iff (rst) !(rest_q && writes_q));

endmodule
