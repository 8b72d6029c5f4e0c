// SPDX-License-Identifier: Apache-2.0
//
// Whose segment is it, in two cycles: a copy of tcp_table's connections in sets of WAYS, and their ends by index. What finds
// no place in its set is found by tcp_table alone, later.
//
//     view --> ends by index --> hash --> its set: a free way, or its own --> written
//     find --> hash --> set --> compare --> found, index
//     at   -------------------> ends
//
//     cycle   0         1         2
//     find    ends, set compared  found, index
//
// Changes come some cycles apart (each is an action of tcp_table) and take 3.
// Latency: 2 cycles from `find` to found, any cycle; 1 from `at` to `ends`. Borders: registers.
module tcp_fast_ends
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic       clk,
  input  logic       rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not the rows; bits of connections that are not there
  input  fast_view_t view,
  input  index_t     at,
  /* verilator lint_on UNUSEDSIGNAL */
  input  ends_t      find,
  output logic       found,
  output index_t     index,
  output ends_t      ends
);

  localparam int unsigned WAYS   = 4;
  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);
  localparam int unsigned SETS   = CONNECTIONS / WAYS * 2;  // half of the places stay free
  localparam int unsigned SET_W  = $clog2(SETS);

  typedef logic [SHORT_W-1:0] short_index_t;
  typedef logic [SET_W-1:0]  set_t;

  typedef struct packed {
    ends_t        ends;
    short_index_t index;
  } known_ends_t;

  // ---- Changes -------------------------------------------------------------------------------------------------------

  ends_t        all [CONNECTIONS];
  logic         change_q, change2_q, enters_q, enters2_q;
  short_index_t index_q, index2_q;
  ends_t        ends_q, ends2_q, ends_out_q;
  logic [WAYS-1:0]        taken_q [SETS];
  logic [WAYS-1:0]        own, free, write;
  known_ends_t [WAYS-1:0] looked, changed;
  set_t         find_set, change_set;

  always_ff @(posedge clk) begin
    if (view.change_valid && view.change_enters) all[short_index_t'(view.change_index)] <= view.change_ends;
    ends_out_q <= all[short_index_t'(at)];
  end

  assign ends = ends_out_q;

  // What ends is found by what it began with.
  always_ff @(posedge clk) begin
    change_q  <= view.change_valid && !rst;
    enters_q  <= view.change_enters;
    index_q   <= short_index_t'(view.change_index);
    ends_q    <= view.change_ends;
    change2_q <= change_q && !rst;
    enters2_q <= enters_q;
    index2_q  <= index_q;
    ends2_q   <= enters_q ? ends_q : all[index_q];
  end

  assign change_set = set_t'(ends_hash(ends2_q));

  always_comb begin
    for (int unsigned i = 0; i < WAYS; i++) begin
      own[i]  = taken_q[change_set][i] && changed[i].index == index2_q;
      free[i] = !taken_q[change_set][i];
    end
    write = free & (~free + 1'b1);  // the lowest
  end

  always_ff @(posedge clk) begin
    if (change2_q) taken_q[change_set] <= enters2_q ? taken_q[change_set] | write : taken_q[change_set] & ~own;
    if (rst) for (int unsigned i = 0; i < SETS; i++) taken_q[i] <= '0;
  end

  // ---- Sets ----------------------------------------------------------------------------------------------------------

  assign find_set = set_t'(ends_hash(find));

  for (genvar i = 0; i < WAYS; i++) begin : g_way
    (* ram_style = "distributed" *) known_ends_t ways [SETS];

    assign looked[i]  = ways[find_set];
    assign changed[i] = ways[change_set];

    always_ff @(posedge clk) begin
      if (change2_q && enters2_q && write[i]) ways[change_set] <= '{ends: ends2_q, index: index2_q};
    end
  end

  ends_t                  find_q;
  known_ends_t [WAYS-1:0] looked_q;
  logic [WAYS-1:0]        there_q, hits;
  logic                   found_q;
  index_t                 found_index_q;

  always_comb begin
    for (int unsigned i = 0; i < WAYS; i++) hits[i] = there_q[i] && looked_q[i].ends == find_q;
  end

  always_ff @(posedge clk) begin
    find_q        <= find;
    looked_q      <= looked;
    there_q       <= taken_q[find_set];
    found_q       <= |hits;
    found_index_q <= '0;
    for (int unsigned i = 0; i < WAYS; i++) if (hits[i]) found_index_q <= index_t'(looked_q[i].index);
  end

  assign found = found_q;
  assign index = found_index_q;

  a_one : assert property (@(posedge clk) disable iff (rst) $onehot0(hits));

endmodule
