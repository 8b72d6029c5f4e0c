// SPDX-License-Identifier: Apache-2.0
//
// Overlapped loads: those that have left MEM, and whose data is still to come. A place each, in program order, which is
// also the order of the answers. DECODE asks here which registers wait for one.
//
//   add        the load moves from EX to MEM: its register waits from the next cycle on
//   rsp_valid  its answer. If the register file's write port is free the value goes to WB in the same cycle, else it
//              waits here until it is.
//   write      the value goes to WB: from the next cycle on the register waits no more, as DECODE gets it from there. With
//              FORWARD it waits no more in this very cycle: DECODE gets write_value (`rs1_comes`)
//
// Nothing here is ever given up: a load that has been added is past the point at which a trap could drop it.
module cpu_load_queue #(
  parameter int unsigned DEPTH   = 4,
  parameter bit          FORWARD = 1'b0,
  parameter int unsigned REG_W   = 5      // of a register's number
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        add,
  input  logic        add_rd_we,
  input  logic [REG_W-1:0] add_rd,
  input  logic [2:0]  add_first,    // where its first byte is and how it is extended, see cpu_lsu
  input  logic [2:0]  add_funct3,
  output logic        full,
  output logic        almost_full,  // room for one more
  // Registers that an instruction in DECODE reads and writes
  input  logic [REG_W-1:0] rs1,
  input  logic [REG_W-1:0] rs2,
  input  logic [REG_W-1:0] rd,
  output logic        rs1_waits,
  output logic        rs2_waits,
  output logic        rd_waits,
  output logic        rs1_comes,    // is write_value; without FORWARD never
  output logic        rs2_comes,
  // Answers; of the oldest load without one, what was added with it
  output logic        unanswered,
  output logic [2:0]  first,
  output logic [2:0]  funct3,
  input  logic        rsp_valid,
  input  logic [31:0] rsp_value,
  // Something else writes this register, and comes behind the loads in program order: theirs is not written any more
  input  logic             overtake,
  input  logic [REG_W-1:0] overtake_rd,
  // To WB
  input  logic        port_free,
  output logic        write,
  output logic        write_we,     // its register wanted it (add_rd_we)
  output logic [REG_W-1:0] write_rd,
  output logic [31:0] write_value
);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("cpu_load_queue: DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned PTR_W = $clog2(DEPTH);

  // Places: written or never used, then [head, answer) answered, then [answer, tail) not.
  logic [PTR_W:0]   head_q, answer_q, tail_q, count;
  logic [DEPTH-1:0] waits_q;  // the place's register waits
  logic [REG_W-1:0] rds [DEPTH];
  logic [5:0]       hows [DEPTH];
  logic [31:0]      values [DEPTH];
  logic             answered;

  assign count       = tail_q - head_q;
  assign full        = count == (PTR_W + 1)'(DEPTH);
  assign almost_full = count == (PTR_W + 1)'(DEPTH - 1);
  assign unanswered  = answer_q != tail_q;
  assign answered    = head_q != answer_q;
  assign {first, funct3} = hows[answer_q[PTR_W-1:0]];

  assign write       = port_free && (answered || rsp_valid);
  assign write_we    = waits_q[head_q[PTR_W-1:0]];
  assign write_rd    = rds[head_q[PTR_W-1:0]];
  assign write_value = answered ? values[head_q[PTR_W-1:0]] : rsp_value;

  always_comb begin
    rs1_waits = 1'b0;
    rs2_waits = 1'b0;
    rd_waits  = 1'b0;
    for (int i = 0; i < DEPTH; i++) begin
      rs1_waits |= waits_q[i] && rds[i] == rs1;
      rs2_waits |= waits_q[i] && rds[i] == rs2;
      rd_waits  |= waits_q[i] && rds[i] == rd;
    end
    // A register waits for one load at most.
    rs1_comes = FORWARD && write && write_we && write_rd == rs1;
    rs2_comes = FORWARD && write && write_we && write_rd == rs2;
    if (rs1_comes) rs1_waits = 1'b0;
    if (rs2_comes) rs2_waits = 1'b0;
  end

  always_ff @(posedge cpu_clk) begin
    if (add) begin
      rds[tail_q[PTR_W-1:0]]     <= add_rd;
      hows[tail_q[PTR_W-1:0]]    <= {add_first, add_funct3};
      waits_q[tail_q[PTR_W-1:0]] <= add_rd_we;
      tail_q <= tail_q + 1'b1;
    end
    if (rsp_valid) begin
      values[answer_q[PTR_W-1:0]] <= rsp_value;
      answer_q <= answer_q + 1'b1;
    end
    for (int i = 0; i < DEPTH; i++) if (overtake && rds[i] == overtake_rd) waits_q[i] <= 1'b0;
    if (write) begin
      waits_q[head_q[PTR_W-1:0]] <= 1'b0;
      head_q <= head_q + 1'b1;
    end
    if (cpu_rst) begin
      head_q   <= '0;
      answer_q <= '0;
      tail_q   <= '0;
      waits_q  <= '0;
    end
  end

  a_room : assert property (@(posedge cpu_clk) disable iff (cpu_rst) add -> !full);
  a_expected : assert property (@(posedge cpu_clk) disable iff (cpu_rst) rsp_valid -> unanswered);

endmodule
