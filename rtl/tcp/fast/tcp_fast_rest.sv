// SPDX-License-Identifier: Apache-2.0
//
// The frames that tcp_fast_rx leaves to net: keeps each one until the verdict about it is there, and forgets those that it
// has taken.
//
//     frame --> DELAY cycles --> store --> frames that are whole, and not taken --> out
//     taken --------------------/          (write_q goes back to where the frame began)
//
// `taken` comes DELAY cycles behind the frame's last word, just when that is to be written. A frame that is not taken and
// finds no room for the longest one is dropped whole (`no_room`).
//
// Latency: DELAY + 2 cycles from a frame's last word to its first one at `out`. Throughput: a word a cycle, in and out.
// Room: DEPTH words. Borders: out out of registers.
module tcp_fast_rest #(
  parameter int unsigned WIDTH   = 64,
  parameter int unsigned DEPTH   = 1024,
  parameter int unsigned LONGEST = 200,  // words of the longest frame
  parameter int unsigned DELAY   = 4
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [WIDTH-1:0]   in_tdata,
  input  logic [WIDTH/8-1:0] in_tkeep,
  input  logic               in_tlast,
  input  logic               in_bad,     // with in_tlast
  input  logic               in_valid,
  input  logic               taken,      // DELAY cycles behind in_valid && in_tlast

  output logic [WIDTH-1:0]   out_tdata,
  output logic [WIDTH/8-1:0] out_tkeep,
  output logic               out_tlast,
  output logic               out_bad,
  output logic               out_valid,
  input  logic               out_ready,

  output logic               no_room     // pulse
);

  if (DEPTH < 2 * LONGEST || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("tcp_fast_rest: DEPTH must be a power of two of at least two frames");
  end
  if (DELAY < 1) begin : g_bad_delay
    $error("tcp_fast_rest: DELAY must be 1 or more");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  typedef logic [PTR_W:0] ptr_t;

  typedef struct packed {
    logic               bad;
    logic               last;
    logic [WIDTH/8-1:0] keep;
    logic [WIDTH-1:0]   data;
  } rest_word_t;

  // ---- DELAY cycles later ------------------------------------------------------------------------------------------------

  rest_word_t       words_q [DELAY];  // without reset, so that they can be shift registers in LUTs
  logic [DELAY-1:0] valids_q;
  rest_word_t       word;
  logic             valid;

  assign word  = words_q[DELAY-1];
  assign valid = valids_q[DELAY-1];

  always_ff @(posedge clk) begin
    words_q[0] <= '{bad: in_bad, last: in_tlast, keep: in_tkeep, data: in_tdata};
    for (int unsigned i = 1; i < DELAY; i++) words_q[i] <= words_q[i-1];
    valids_q <= DELAY'({valids_q, in_valid});
    if (rst) valids_q <= '0;
  end

  // ---- The store ---------------------------------------------------------------------------------------------------------

  rest_word_t mem [DEPTH];
  rest_word_t out_q;
  ptr_t       write_q, start_q, read_q;  // start_q: where the frame that comes began; all before it is whole
  logic       inside_q, keeps_q, keeps, roomy_q, loads, out_valid_q, no_room_q;

  assign keeps = inside_q ? keeps_q : roomy_q;
  assign loads = read_q != start_q && (out_ready || !out_valid_q);

  always_ff @(posedge clk) if (valid && keeps) mem[write_q[PTR_W-1:0]] <= word;
  always_ff @(posedge clk) if (loads) out_q <= mem[read_q[PTR_W-1:0]];

  always_ff @(posedge clk) begin
    if (valid) begin
      inside_q <= !word.last;
      keeps_q  <= keeps;
      if (keeps) write_q <= word.last && taken ? start_q : write_q + 1'b1;
      if (keeps && word.last && !taken) start_q <= write_q + 1'b1;
    end
    no_room_q <= valid && word.last && !taken && !keeps && !rst;
    roomy_q   <= write_q - read_q < ptr_t'(DEPTH - LONGEST - 2);  // what is written besides until it is looked at
    if (loads) begin
      read_q      <= read_q + 1'b1;
      out_valid_q <= 1'b1;
    end else if (out_ready) begin
      out_valid_q <= 1'b0;
    end
    if (rst) begin
      write_q     <= '0;
      start_q     <= '0;
      read_q      <= '0;
      inside_q    <= 1'b0;
      roomy_q     <= 1'b0;
      out_valid_q <= 1'b0;
    end
  end

  assign {out_bad, out_tlast, out_tkeep, out_tdata} = out_q;
  assign out_valid = out_valid_q;
  assign no_room   = no_room_q;

  a_room : assert property (@(posedge clk) disable iff (rst) valid && keeps -> write_q - read_q < ptr_t'(DEPTH));
  a_taken : assert property (@(posedge clk) disable iff (rst) taken -> valid && word.last);

endmodule
