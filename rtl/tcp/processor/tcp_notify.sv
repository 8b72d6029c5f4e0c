// SPDX-License-Identifier: Apache-2.0
//
// What the processor is told of each connection: bits that wait to be read, the queue of connections that have some,
// and the positions up to which bytes may be read and written over. Between tcp_core's actions and the registers of
// tcp_commands.
//
//     told --> queue, until its bytes are in memory --> bits, by index --> the first: queue of connections --> event
//                                                 \--> positions, by index
//
// - What is told waits for its placement (tcp_rings' `placed`), and all behind it waits, too: neither bits nor
//   positions of any connection overtake one another.
// - A bit is set once until it is read. A connection is in the queue exactly while it has bits: CONNECTIONS places are
//   enough.
// - Reading gives a connection and its bits, and takes both away in one step; a bit that comes meanwhile makes a new
//   entry.
//
//     cycle          0            1             2              3            4            5
//     processor      pop_ahead    pop                                       pop_ahead    pop
//                                 event_valid   event_bits
//                                 event_index                               (the next one: event_valid from cycle 3 on)
//
// Each update takes two cycles, and begins neither with pop_ahead nor in the two cycles behind it: so with a pop every
// four cycles there is still one each four cycles, and tcp_core tells one every eight at most.
//
// - Of a direct connection (dca_rings) bytes and room are told by `direct_told`, all else by bits and by it. With STREAM
//   all connections are direct, whatever `direct` says (tcp_stream).
//
// Latency: from `told` to the bit 4 cycles (2 behind `placed`), to direct_told 2 (1); to event_valid 3 more than to the bit. Positions
// follow `look` by a cycle. `room` falls when fewer than 4 more can be kept: no event is to begin then, and what is
// under way has room. After reset the bits are cleared: CONNECTIONS cycles until `ready`. Borders: all outputs out of
// registers or memories.
module tcp_notify
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned DEPTH       = 32,  // what is told and waits
  parameter bit          STREAM      = 1'b0 // every connection is direct
) (
  input  logic        clk,
  input  logic        rst,
  output logic        ready,

  input  logic        told_valid,     // pulse
  /* verilator lint_off UNUSEDSIGNAL */  // only what the processor is told
  input  told_t       told,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        placed,         // pulse: the oldest placement is in memory, ...
  input  logic        placed_error,   // ... or memory refused some of it
  output logic        room,

  input  logic        pop_ahead,      // a cycle before `pop`
  input  logic        pop,            // takes an event, if there is one
  output logic        event_valid,
  output index_t      event_index,
  output notify_t     event_bits,     // in the cycle behind `pop`
  output logic        event_error,    // the same: memory refused bytes
  output logic [INDEX_W:0] events,    // connections that have some

  /* verilator lint_off UNUSEDSIGNAL */  // with STREAM
  input  logic [DIRECT-1:0] direct,   // the first connections: of these it is told here when bytes come and go
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        direct_valid,   // pulse, an update of one of them
  output index_t      direct_index,   // whose, ...
  output direct_t     direct_told,    // ... for direct_told.index has the first connections only

  /* verilator lint_off UNUSEDSIGNAL */  // bits of connections that are not there
  input  index_t      look,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [31:0] received,
  output logic [31:0] acknowledged
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_notify: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);

  typedef logic [SHORT_W-1:0]  short_index_t;
  typedef logic [INDEX_W:0]   events_count_t;

  typedef struct packed {
    logic    error;
    notify_t notify;
  } bits_t;

  typedef struct packed {
    logic [31:0] received;
    logic [31:0] acknowledged;
  } positions_t;

  typedef struct packed {
    logic         placing;
    logic         begins;       // a connection
    short_index_t index;
    notify_t      notify;
    logic         all_read;
    positions_t   positions;
  } summary_t;

  localparam short_index_t LAST = short_index_t'(CONNECTIONS - 1);

  // ---- What was told waits in order --------------------------------------------------------------------------------

  summary_t told_summary, oldest;
  logic     keeps, oldest_valid, placed_valid, failed, update_q, room_q;
  logic     told_ready, placed_ready;
  logic [$clog2(DEPTH + 1)-1:0] kept;

  assign keeps        = told_valid && !told.nobody;
  assign told_summary = '{
    placing:   told.actions.place_valid && !told.delivered,
    begins:    told.actions.index == INDEX_INSERT,
    index:     short_index_t'(told.index),
    notify:    told.actions.notify,
    all_read:  told.actions.all_read,
    positions: '{received: told.actions.received, acknowledged: told.actions.acknowledged}
  };

  fifo_lut #(.WIDTH($bits(summary_t)), .DEPTH(DEPTH)) u_told (
    .clk,
    .rst,
    .in_data  (told_summary),
    .in_valid (keeps),
    .in_ready (told_ready),
    .out_data (oldest),
    .out_valid(oldest_valid),
    .out_ready(update_q),
    .occupancy(kept)
  );

  /* verilator lint_off PINCONNECTEMPTY */  // not more than there are in u_told
  fifo_lut #(.WIDTH(1), .DEPTH(DEPTH)) u_placed (
    .clk,
    .rst,
    .in_data  (placed_error),
    .in_valid (placed),
    .in_ready (placed_ready),
    .out_data (failed),
    .out_valid(placed_valid),
    .out_ready(update_q && oldest.placing),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Bits and positions, by index --------------------------------------------------------------------------------

  bits_t      bits [CONNECTIONS];
  (* ram_style = "block" *) positions_t positions [CONNECTIONS];
  bits_t        bits_q, news, bits_new;
  positions_t   positions_q;
  short_index_t clear_q, next_q, popped_q, bits_at;  // next_q: the next connection to be read
  logic         is_direct, direct_valid_q;
  short_index_t direct_index_q;
  direct_t      direct_q;
  logic         clearing_q, pops, popped_valid_q, pop_q, begins, bits_write;

  // A pop reads in its cycle and clears in the next one; an update reads, and writes in the next one.
  assign pops     = pop && event_valid;
  assign begins   = oldest_valid && (!oldest.placing || placed_valid || placed) && !update_q && !clearing_q
                    && !pop_ahead && !pop && !pop_q;

  // Who reads and writes a direct connection knows by direct_told.
  always_comb begin
    is_direct = STREAM || (32'(oldest.index) < DIRECT && direct[DIRECT_W'(oldest.index)]);
    news      = '{error: oldest.placing && failed, notify: oldest.notify};
    if (is_direct) begin
      news.notify.readable = 1'b0;
      news.notify.writable = 1'b0;
    end
  end

  always_comb begin
    bits_write = clearing_q || popped_valid_q || update_q;
    bits_at    = clearing_q ? clear_q : popped_valid_q ? popped_q : oldest.index;
    bits_new   = update_q ? bits_q | news : '0;
  end

  always_ff @(posedge clk) begin
    if (bits_write) bits[bits_at] <= bits_new;
    bits_q <= bits[pop ? next_q : oldest.index];
  end

  always_ff @(posedge clk) begin
    if (update_q) positions[oldest.index] <= oldest.positions;
    positions_q <= positions[short_index_t'(look)];
  end

  always_ff @(posedge clk) begin
    direct_valid_q <= begins && is_direct && !rst;
    direct_index_q <= oldest.index;
    direct_q       <= '{index: DIRECT_W'(oldest.index), begins: oldest.begins, finished: oldest.notify.finished,
                        closed: oldest.notify.closed, received: oldest.positions.received,
                        acknowledged: oldest.positions.acknowledged, all_read: oldest.all_read};
  end

  assign direct_valid = direct_valid_q;
  assign direct_index = index_t'(direct_index_q);
  assign direct_told  = direct_q;

  // ---- The connections that have bits ------------------------------------------------------------------------------

  short_index_t  queue [CONNECTIONS];
  short_index_t  write_q, read_q;
  events_count_t queued_q;                 // in the memory
  events_count_t events_q;                 // with the next one, ...
  logic          next_valid_q;             // ... which is next_q
  logic          joins, fetches;

  assign joins   = update_q && bits_q == '0 && news != '0;
  assign fetches = !next_valid_q && queued_q != '0;

  always_ff @(posedge clk) begin
    if (joins) queue[write_q] <= oldest.index;
    if (fetches) next_q <= queue[read_q];
  end

  always_ff @(posedge clk) begin
    update_q       <= begins;
    popped_q       <= next_q;
    popped_valid_q <= pops;
    pop_q          <= pop;
    room_q         <= kept < $bits(kept)'(DEPTH - 4);
    if (joins) write_q <= write_q == LAST ? '0 : write_q + 1'b1;
    if (fetches) read_q <= read_q == LAST ? '0 : read_q + 1'b1;
    queued_q     <= queued_q + events_count_t'(joins) - events_count_t'(fetches);
    events_q     <= events_q + events_count_t'(joins) - events_count_t'(pops);
    next_valid_q <= fetches || (next_valid_q && !pops);
    if (clearing_q) begin
      clear_q <= clear_q + 1'b1;
      if (clear_q == LAST) clearing_q <= 1'b0;
    end
    if (rst) begin
      clearing_q     <= 1'b1;
      clear_q        <= '0;
      update_q       <= 1'b0;
      popped_valid_q <= 1'b0;
      pop_q          <= 1'b0;
      room_q         <= 1'b0;
      write_q        <= '0;
      read_q         <= '0;
      queued_q       <= '0;
      events_q       <= '0;
      next_valid_q   <= 1'b0;
    end
  end

  assign ready        = !clearing_q;
  assign room         = room_q;
  assign event_valid  = next_valid_q;
  assign event_index  = index_t'(next_q);
  assign event_bits   = bits_q.notify;
  assign event_error  = bits_q.error;
  assign events       = events_q;
  assign received     = positions_q.received;
  assign acknowledged = positions_q.acknowledged;

  // What must hold: nothing that is told is lost; a connection has at most one place; who is in the queue has bits.
  a_told : assert property (@(posedge clk) disable iff (rst) keeps -> told_ready && 32'(told.index) < CONNECTIONS);
  a_placed : assert property (@(posedge clk) disable iff (rst) placed -> placed_ready);
  a_places : assert property (@(posedge clk) disable iff (rst)
    32'(queued_q) <= CONNECTIONS && (joins -> 32'(queued_q) < CONNECTIONS));
  a_has_bits : assert property (@(posedge clk) disable iff (rst) popped_valid_q -> bits_q != '0);
  a_pop : assert property (@(posedge clk) disable iff (rst) $past(!rst && pop_ahead) == pop);
  a_one : assert property (@(posedge clk) disable iff (rst) !(pop && update_q) && !(pop_q && update_q));

endmodule
