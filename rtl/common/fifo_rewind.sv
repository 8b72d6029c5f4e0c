// SPDX-License-Identifier: Apache-2.0
//
// FIFO in block RAM whose writer can take words back: what is sent or answered waits here until all of it is known to
// be good.
//
//     in_data    a0  a1  a2  b0  b1  b2           reader sees a0 a1 a2
//     in_show            1
//     in_rewind                      1            b0 b1 b2 are gone
//
// `in_show`: the reader may have all words up to that of the same cycle, if there is one. `in_rewind`: the words behind
// the last shown one are forgotten, that of the same cycle too. Both may come without a word and while there is no
// room; `in_rewind` goes before `in_show`.
//
// Latency: three cycles from a shown word to out_valid. Throughput: a word a cycle. Room: DEPTH words and one behind
// them.
// Borders: registers; from out_ready a few gates to the memory's address. The memory has a registered read, and a
// register behind that.
module fifo_rewind #(
  parameter int unsigned WIDTH = 72,
  parameter int unsigned DEPTH = 512
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [WIDTH-1:0] in_data,
  input  logic             in_valid,
  output logic             in_ready,
  input  logic             in_show,
  input  logic             in_rewind,
  output logic [WIDTH-1:0] out_data,
  output logic             out_valid,
  input  logic             out_ready
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("fifo_rewind: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  typedef logic [PTR_W:0] ptr_t;

  (* no_rw_check *) logic [WIDTH-1:0] mem [DEPTH];
  ptr_t             write_q, write_d, shown_q, seen_q, read_q, read_d, next_q;
  logic [WIDTH-1:0] ahead_q, out_q;  // ahead_q: the word at read_q, once that has been seen
  logic             full_q, push, load, fills, out_valid_q;

  assign in_ready  = !full_q;
  assign push      = in_valid && in_ready && !in_rewind;
  assign load      = read_q != seen_q && (out_ready || !out_valid_q);
  assign read_d    = load ? next_q : read_q;
  assign out_data  = out_q;
  assign out_valid = out_valid_q;

  always_comb begin
    if (in_rewind) write_d = shown_q;
    else write_d = write_q + ptr_t'(push);
  end

  // All places are taken, of each case in advance: which one it is comes late.
  assign fills = (in_rewind && full(shown_q)) || (!in_rewind && in_valid && in_ready && full(write_q + 1'b1))
                 || (!in_rewind && !(in_valid && in_ready) && full(write_q));

  function automatic logic full(input ptr_t writes_at);
    return (load && writes_at == (next_q ^ ptr_t'(DEPTH))) || (!load && writes_at == (read_q ^ ptr_t'(DEPTH)));
  endfunction

  always_ff @(posedge clk) if (push) mem[write_q[PTR_W-1:0]] <= in_data;
  always_ff @(posedge clk) ahead_q <= mem[read_d[PTR_W-1:0]];

  always_ff @(posedge clk) begin
    write_q <= write_d;
    read_q  <= read_d;
    next_q  <= read_d + 1'b1;
    seen_q  <= shown_q;  // a cycle later: the memory has answered
    full_q  <= fills;
    if (in_show && !in_rewind) shown_q <= write_d;
    if (load) out_q <= ahead_q;
    if (load) out_valid_q <= 1'b1;
    else if (out_ready) out_valid_q <= 1'b0;
    if (rst) begin
      write_q     <= '0;
      read_q      <= '0;
      next_q      <= ptr_t'(1);
      seen_q      <= '0;
      shown_q     <= '0;
      full_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end
  end

  a_depth : assert property (@(posedge clk) disable iff (rst) write_q - read_q <= ptr_t'(DEPTH));
  a_shown : assert property (@(posedge clk) disable iff (rst)
    shown_q - read_q <= write_q - read_q && seen_q - read_q <= shown_q - read_q);

endmodule
