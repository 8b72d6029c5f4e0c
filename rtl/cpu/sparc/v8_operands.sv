// SPDX-License-Identifier: Apache-2.0
//
// Operands of the instruction in DECODE: register file and forwarding. Combinational, but for the registers.
//
// The youngest older writer of a register wins: EX (its ALU's result), MEM, WB, the file. What a load in MEM or an
// overlapped load brings comes latest of all, and joins last. Whether an operand is there at all, the core asks
// elsewhere.
module v8_operands
  import v8_pkg::*;
(
  input  logic        cpu_clk,
  // The instruction
  input  reg_t        rs1,
  input  reg_t        port,          // of the second port
  input  op_a_sel_t   a_sel,
  input  op_b_sel_t   b_sel,
  input  logic        invert,
  input  logic        immediate,
  input  logic [31:0] value,
  input  logic [21:0] high,
  output logic [31:0] a,
  output logic [31:0] b,
  output logic [31:0] offset,        // the second operand of an address
  // Older instructions
  input  logic        x_we,
  input  reg_t        x_rd,
  input  logic [31:0] x_result,
  input  logic        m_we,
  input  reg_t        m_rd,
  input  logic [31:0] m_result,
  input  logic        m_load,        // its result is load_result
  input  logic [31:0] load_result,
  input  logic        rs1_comes,     // by an overlapped load
  input  logic        port_comes,
  input  logic [31:0] late_value,
  input  logic        w_we,
  input  reg_t        w_rd,
  input  logic [31:0] w_result
);

  logic [31:0] rs1_file, port_file, rs1_value, port_value;
  logic        rs1_load, port_load, b_is_port;

  v8_regfile u_regfile (
    .cpu_clk,
    .rs1,
    .rs1_data(rs1_file),
    .rs2     (port),
    .rs2_data(port_file),
    .write   (w_we),
    .rd      (w_rd),
    .rd_data (w_result)
  );

  always_comb begin
    if (x_we && x_rd == rs1) rs1_value = x_result;
    else if (m_we && m_rd == rs1) rs1_value = m_result;
    else if (w_we && w_rd == rs1) rs1_value = w_result;
    else rs1_value = rs1_file;

    if (x_we && x_rd == port) port_value = x_result;
    else if (m_we && m_rd == port) port_value = m_result;
    else if (w_we && w_rd == port) port_value = w_result;
    else port_value = port_file;
  end

  assign rs1_load  = m_load && m_we && m_rd == rs1 && !(x_we && x_rd == rs1) && a_sel == A_RS1;
  assign port_load = m_load && m_we && m_rd == port && !(x_we && x_rd == port);
  assign b_is_port = b_sel == B_PORT || (b_sel == B_OP2 && !immediate);

  always_comb begin
    a = (a_sel == A_RS1) ? rs1_value : '0;
    case (b_sel)
      B_OP2:   b = immediate ? value : port_value;
      B_PORT:  b = port_value;
      B_HIGH:  b = {high, 10'b0};
      default: b = '0;
    endcase
    if (invert) b = ~b;
    offset = immediate ? value : port_value;

    if (rs1_load) a = load_result;
    if (port_load && b_is_port) b = load_result ^ {32{invert}};
    if (port_load && !immediate) offset = load_result;
    if (rs1_comes && a_sel == A_RS1) a = late_value;
    if (port_comes && b_is_port) b = late_value ^ {32{invert}};
    if (port_comes && !immediate) offset = late_value;
  end

endmodule
