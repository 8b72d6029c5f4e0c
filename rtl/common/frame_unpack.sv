// SPDX-License-Identifier: Apache-2.0
//
// Packed beats (frame_pkg) to the frame stream, of which each beat has one frame: it stands between a MAC with packed
// beats and a block like net. A frame of n bytes needs ceil(n / lanes) beats then, more than the MAC's for some n: what
// comes faster than that waits in a store of DEPTH packed beats.
//
//   in --> admitted? --> fifo_rewind --> frame_split --> frame_in_turn --> out
//             \--> dropped
//
// Nobody waits for the reader: a frame that begins while there is no room for the longest one is dropped, all of it,
// and counted with its end unless that is bad. No frame is cut short. So a burst may be ahead of the reader by DEPTH less
// the longest frame's beats.
//
// Latency: five cycles from the beat with a word's last byte to the word (frame_split) with the store empty.
// Throughput: a packed beat a cycle in, a beat a cycle out.
// Borders: `dropped` a register, out through a multiplexer of registers.
module frame_unpack #(
  parameter int unsigned WIDTH     = 512,
  parameter int unsigned DEPTH     = 512,   // packed beats
  parameter int unsigned MAX_BYTES = 1648,  // of a frame that comes, good or bad: of mac_xgmii_wide the longest that it
                                            // takes, and two words
  localparam int unsigned UNITS    = WIDTH / 64
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,   // the first byte on top
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic [UNITS-1:0]   in_starts,  // the first unit on top
  input  logic [UNITS-1:0]   in_ends,
  input  logic               in_bad,     // with in_ends
  input  logic               in_valid,

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic               out_tlast,
  output logic               out_bad,    // with out_tlast
  output logic               out_valid,
  input  logic               out_ready,

  output logic               dropped     // pulse: a frame was, which was not bad
);

  localparam int unsigned LANES   = WIDTH / 8;
  localparam int unsigned LONGEST = (MAX_BYTES + LANES - 1) / LANES + 1;  // beats, with one more for where it begins
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);

  if (DEPTH < 2 * LONGEST) begin : g_bad_depth
    $error("frame_unpack: DEPTH must be twice the longest frame's beats at least");
  end

  typedef struct packed {
    logic [UNITS-1:0] starts;
    logic [UNITS-1:0] ends;
    logic             bad;
    logic [WIDTH-1:0] tdata;
    logic [LANES-1:0] tkeep;
  } unit_beat_t;
  typedef logic [COUNT_W-1:0] count_t;

  // ---- Which frames come in -------------------------------------------------------------------------------------------

  count_t           count_q;   // beats in the store
  logic             room_q;    // for the longest frame behind this beat
  logic             refused_q; // the frame under way is
  logic             push, pop, fits;
  logic [UNITS-1:0] behind;    // units from the start on
  logic [UNITS-1:0] admitted;
  unit_beat_t       kept, stored;

  always_comb begin
    behind[UNITS-1] = in_starts[UNITS-1];
    for (int n = int'(UNITS) - 2; n >= 0; n--) behind[n] = behind[n+1] || in_starts[n];
    for (int unsigned n = 0; n < UNITS; n++) admitted[n] = behind[n] ? room_q : !refused_q;
    kept = '{starts: in_starts & admitted, ends: in_ends & admitted, bad: in_bad, tdata: in_tdata, tkeep: '0};
    for (int unsigned n = 0; n < UNITS; n++) kept.tkeep[8*n+:8] = in_tkeep[8*n+:8] & {8{admitted[n]}};
  end

  assign push = in_valid && kept.tkeep != '0;

  always_ff @(posedge clk) begin
    count_q <= count_q + count_t'(push) - count_t'(pop);
    room_q  <= count_q <= count_t'(DEPTH - LONGEST - 2);
    dropped <= in_valid && !in_bad && (in_ends & ~admitted) != '0;
    if (in_valid && in_starts != '0) refused_q <= !room_q;
    if (rst) begin
      count_q   <= '0;
      room_q    <= 1'b0;
      refused_q <= 1'b0;
      dropped   <= 1'b0;
    end
  end

  // ---- The store, and words out of it ---------------------------------------------------------------------------------

  logic             stored_valid, stored_ready;
  logic [WIDTH-1:0] word, rest;
  logic [LANES-1:0] word_keep, rest_keep;
  logic             word_last, word_bad, word_two, word_valid, word_ready;

  fifo_rewind #(.WIDTH($bits(unit_beat_t)), .DEPTH(DEPTH)) u_store (
    .clk, .rst, .in_data(kept), .in_valid(push), .in_ready(fits), .in_show(push), .in_rewind(1'b0),
    .out_data({stored}), .out_valid(stored_valid), .out_ready(stored_ready)
  );

  assign pop = stored_valid && stored_ready;

  frame_split #(.WIDTH(WIDTH)) u_split (
    .clk, .rst, .in_tdata(stored.tdata), .in_tkeep(stored.tkeep), .in_starts(stored.starts), .in_ends(stored.ends),
    .in_bad(stored.bad), .in_valid(stored_valid), .in_ready(stored_ready), .out_tdata(word), .out_tkeep(word_keep),
    .out_tlast(word_last), .out_bad(word_bad), .out_two(word_two), .out_rest_tdata(rest), .out_rest_tkeep(rest_keep),
    .out_valid(word_valid), .out_ready(word_ready)
  );

  /* verilator lint_off PINCONNECTEMPTY */
  frame_in_turn #(.WIDTH(WIDTH)) u_in_turn (
    .clk, .rst, .in_tdata(word), .in_tkeep(word_keep), .in_tlast(word_last), .in_bad(word_bad), .in_two(word_two),
    .in_rest_tdata(rest), .in_rest_tkeep(rest_keep), .in_valid(word_valid), .in_ready(word_ready), .out_tdata,
    .out_tkeep, .out_tlast, .out_bad, .out_tail(), .out_valid, .out_ready
  );
  /* verilator lint_on PINCONNECTEMPTY */

  a_room : assert property (@(posedge clk) disable iff (rst) push -> fits);

endmodule
