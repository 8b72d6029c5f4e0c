// SPDX-License-Identifier: Apache-2.0
//
// Which of its registers the SPARC V8 core takes for a register of a window: v8_numbers and v8_pkg, as v8_issue puts
// them together. `a` and `b` are two instructions anywhere, in any windows. Registers are by the manual's numbers: 0 to
// 7 globals, 8 to 15 outs, 16 to 23 locals, 24 to 31 ins, which are the outs of the window above.
module fv_v8_windows
  import v8_pkg::*;
(
  input logic        clk,
  input logic [31:0] a,
  input logic [31:0] b,
  input logic [2:0]  a_cwp,
  input logic [2:0]  b_cwp,
  input reg_t        any
);

  // Of one instruction with two registers, and a third one that it writes
  numbers_t a_numbers, b_numbers;
  windows_t a_windows, b_windows;
  v8_numbers u_a (.instr(a), .step(2'd0), .numbers(a_numbers));
  v8_numbers u_b (.instr(b), .step(2'd0), .numbers(b_numbers));
  assign a_windows = windows_of(a_numbers, a_cwp);
  assign b_windows = windows_of(b_numbers, b_cwp);

  logic [4:0] a_rs1, a_rs2, a_rd, b_rs1;
  assign a_rs1 = a[18:14];
  assign a_rs2 = a[4:0];
  assign a_rd  = a[29:25];
  assign b_rs1 = b[18:14];

  reg_t of_rs1, of_rs2, of_rd, of_b;
  assign of_rs1 = {a_numbers.rs1.fixed, a_windows.rs1, a_numbers.rs1.low};
  assign of_rs2 = {a_numbers.port.fixed, a_windows.port, a_numbers.port.low};
  assign of_rd  = {a_numbers.rd.fixed, a_windows.rd, a_numbers.rd.low};
  assign of_b   = {b_numbers.rs1.fixed, b_windows.rs1, b_numbers.rs1.low};

  // Arithmetic with two registers; a SAVE or RESTORE writes in the window behind it.
  logic a_plain, b_plain, saves, restores;
  assign a_plain  = a[31:30] == 2'b10 && !a[24] && !a[13];
  assign b_plain  = b[31:30] == 2'b10 && !b[24] && !b[13];
  assign saves    = a[31:30] == 2'b10 && a[24:19] == 6'h3C && !a[13];
  assign restores = a[31:30] == 2'b10 && a[24:19] == 6'h3D && !a[13];

  function automatic logic same(input logic [2:0] w, input logic [4:0] r, input logic [2:0] v, input logic [4:0] q);
    if (r < 5'd8 || q < 5'd8) return r == q;
    if (w == v && r == q) return 1'b1;
    if (r >= 5'd24 && q[4:3] == 2'd1) return v == w + 3'd1 && r[2:0] == q[2:0];
    if (q >= 5'd24 && r[4:3] == 2'd1) return w == v + 3'd1 && r[2:0] == q[2:0];
    return 1'b0;
  endfunction

  // Two names are one register exactly where the manual says so: none too few, none too many.
  a_one_register : assert property (@(posedge clk)
    a_plain && b_plain -> (of_rs1 == of_b) == same(a_cwp, a_rs1, b_cwp, b_rs1));
  a_second : assert property (@(posedge clk)
    a_plain && b_plain -> (of_rs2 == of_b) == same(a_cwp, a_rs2, b_cwp, b_rs1));
  a_written : assert property (@(posedge clk)
    a_plain && b_plain -> (of_rd == of_b) == same(a_cwp, a_rd, b_cwp, b_rs1));
  a_saved : assert property (@(posedge clk)
    saves && b_plain -> (of_rd == of_b) == same(a_cwp - 3'd1, a_rd, b_cwp, b_rs1));
  a_restored : assert property (@(posedge clk)
    restores && b_plain -> (of_rd == of_b) == same(a_cwp + 3'd1, a_rd, b_cwp, b_rs1));

  // Each of the 136 has a name, and no name is beyond them.
  a_all : assert property (@(posedge clk) b_plain && any < SCRATCH &&
    (any >= G0 ? b_rs1 == {2'b00, any[2:0]} : b_cwp == any[6:4] && b_rs1 == {!any[3], any[3], any[2:0]}) ->
      of_b == any);
  a_there : assert property (@(posedge clk) a_plain -> of_rs1 < SCRATCH && of_rs2 < SCRATCH && of_rd < SCRATCH);

  // Where a trap leaves PC and nPC: l1 and l2 of the window below (v8_commit).
  reg_t link;
  assign link = physical(5'd17, a_cwp - 3'd1, a_cwp);
  a_links : assert property (@(posedge clk) b_plain && b_cwp == a_cwp - 3'd1 ->
    (link == of_b) == (b_rs1 == 5'd17) && (link + 8'd1 == of_b) == (b_rs1 == 5'd18));

endmodule
