// SPDX-License-Identifier: Apache-2.0
//
// Holds the beats of a received frame until net_rx knows whose it is, then lets them go to the NIC or forgets them.
//
//     in      a0  a1  a2  b0  b1  b2  b3  b4          reader sees a0 a1 a2 (from a1 on as they come)
//     keep        a                                   b0 to b4 are forgotten
//     forget                              b
//
// `keep` and `forget` are with a beat: of the frame's beats so far, this one too, and of `keep` all that follow up to
// the last. A frame's beats behind `forget` are not offered here.
//
// Latency: two cycles from `keep` to the frame's first beat. Throughput: a beat a cycle. Room: DEPTH beats, a frame
// that is not decided yet among them, and one in the output register.
// Borders: registers.
module net_rx_hold #(
  parameter type         frame_t = frame_pkg::rx_frame_t,
  parameter int unsigned DEPTH   = 16
) (
  input  logic   clk,
  input  logic   rst,
  input  frame_t in_frame,         // with valid it is taken: only while in_ready
  output logic   in_ready,
  input  logic   keep,
  input  logic   forget,
  output frame_t out_frame,
  input  logic   out_frame_ready
);

  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("net_rx_hold: DEPTH must be a power of two of at least 4");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  typedef logic [PTR_W:0] ptr_t;

  (* ram_style = "distributed" *) logic [$bits(frame_t)-2:0] mem [DEPTH];
  ptr_t                write_q, write_d, kept_q, read_q;
  logic                full_q, keeps_q, load, fills;
  logic [$bits(frame_t)-2:0] out_q;
  logic                out_valid_q;

  assign in_ready  = !full_q;
  assign load      = (out_frame_ready || !out_valid_q) && read_q != kept_q;
  assign out_frame = {out_q, out_valid_q};

  always_comb begin
    write_d = write_q;
    if (in_frame.valid) write_d = forget ? kept_q : write_q + 1'b1;
  end

  // All places are taken, of each case in advance: which one it is comes late.
  assign fills = (!in_frame.valid && full(write_q)) || (in_frame.valid && forget && full(kept_q))
                 || (in_frame.valid && !forget && full(write_q + 1'b1));

  function automatic logic full(input ptr_t writes_at);
    return writes_at == ((read_q + ptr_t'(load)) ^ ptr_t'(DEPTH));
  endfunction

  always_ff @(posedge clk) begin
    if (in_frame.valid) mem[write_q[PTR_W-1:0]] <= in_frame[$bits(frame_t)-1:1];
    if (load) out_q <= mem[read_q[PTR_W-1:0]];
  end

  always_ff @(posedge clk) begin
    write_q <= write_d;
    full_q  <= fills;
    if (in_frame.valid) begin
      keeps_q <= (keep || keeps_q) && !in_frame.beat.tlast;
      if (keep || keeps_q) kept_q <= write_d;
    end
    if (load) begin
      read_q      <= read_q + 1'b1;
      out_valid_q <= 1'b1;
    end else if (out_frame_ready) begin
      out_valid_q <= 1'b0;
    end
    if (rst) begin
      write_q     <= '0;
      kept_q      <= '0;
      read_q      <= '0;
      full_q      <= 1'b0;
      keeps_q     <= 1'b0;
      out_valid_q <= 1'b0;
    end
  end

  a_room : assert property (@(posedge clk) disable iff (rst) in_frame.valid -> in_ready);
  a_depth : assert property (@(posedge clk) disable iff (rst) write_q - read_q <= ptr_t'(DEPTH));
  a_kept : assert property (@(posedge clk) disable iff (rst) kept_q - read_q <= write_q - read_q);
  a_one_way : assert property (@(posedge clk) disable iff (rst)
    in_frame.valid -> !(forget && (keep || keeps_q)));
  a_decided : assert property (@(posedge clk) disable iff (rst)
    in_frame.valid && in_frame.beat.tlast -> forget || keep || keeps_q);

endmodule
