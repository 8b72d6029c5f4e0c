// SPDX-License-Identifier: Apache-2.0
//
// The M extension.
// Multiply: two cycles, pipelined, one a cycle (cpu_multiply).
// Divide: one quotient bit a cycle on magnitudes, then the signs: 34 cycles in EX. Without DIVIDER nobody may ask.
module rv_muldiv #(
  parameter bit DIVIDER = 1'b1
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic [1:0]  funct3,      // the low bits: mul mulh mulhsu mulhu, div divu rem remu
  input  logic [31:0] a,
  input  logic [31:0] b,
  // Multiply: `mul_load` moves EX to MEM.
  input  logic        mul_load,
  output logic [31:0] mul_result,  // of the multiplication in MEM
  // Divide: `div_valid` is held until `div_done`, which holds until div_ack or div_kill.
  input  logic        div_valid,
  input  logic        div_ack,
  input  logic        div_kill,
  output logic        div_done,
  output logic [31:0] div_result
);

  // ---- Multiply
  logic        high_q;
  logic [63:0] product;

  cpu_multiply u_multiply (
    .cpu_clk,
    .load    (mul_load),
    .a,
    .b,
    .a_signed(funct3 != 2'b11),  // mul, mulh, mulhsu
    .b_signed(!funct3[1]),       // mul, mulh
    .product
  );

  always_ff @(posedge cpu_clk) if (mul_load) high_q <= funct3 != 2'b00;

  assign mul_result = high_q ? product[63:32] : product[31:0];

  // ---- Divide
  if (!DIVIDER) begin : g_no_divider
    logic unused;
    assign unused     = &{1'b0, cpu_rst, div_valid, div_ack, div_kill};
    assign div_done   = 1'b1;
    assign div_result = '0;
  end else begin : g_divider
    typedef enum logic [1:0] {DIV_IDLE, DIV_STEP, DIV_SIGN, DIV_DONE} div_state_t;
    div_state_t  state_q;
    logic [5:0]  steps_q;
    logic [31:0] quotient_q;   // the dividend shifts out at the top, the quotient in at the bottom
    logic [31:0] remainder_q;
    logic [31:0] divisor_q;
    logic        negate_quotient_q, negate_remainder_q;
    logic        is_signed;
    logic [32:0] shifted, difference;

    assign is_signed  = !funct3[0];
    assign shifted    = {remainder_q, quotient_q[31]};
    assign difference = shifted - {1'b0, divisor_q};
    assign div_done   = state_q == DIV_DONE;
    assign div_result = funct3[1] ? remainder_q : quotient_q;

    always_ff @(posedge cpu_clk) begin
      case (state_q)
        DIV_IDLE:
          if (div_valid) begin
            quotient_q         <= (is_signed && a[31]) ? -a : a;
            divisor_q          <= (is_signed && b[31]) ? -b : b;
            remainder_q        <= '0;
            // Division by zero falls out of the algorithm as quotient -1, remainder a, if the quotient keeps its sign.
            negate_quotient_q  <= is_signed && (a[31] ^ b[31]) && b != '0;
            negate_remainder_q <= is_signed && a[31];
            steps_q            <= 6'd31;
            state_q            <= DIV_STEP;
          end
        DIV_STEP: begin
          remainder_q <= difference[32] ? shifted[31:0] : difference[31:0];
          quotient_q  <= {quotient_q[30:0], !difference[32]};
          steps_q     <= steps_q - 6'd1;
          if (steps_q == 6'd0) state_q <= DIV_SIGN;
        end
        DIV_SIGN: begin
          if (negate_quotient_q) quotient_q <= -quotient_q;
          if (negate_remainder_q) remainder_q <= -remainder_q;
          state_q <= DIV_DONE;
        end
        default: if (div_ack) state_q <= DIV_IDLE;
      endcase
      if (cpu_rst || div_kill) state_q <= DIV_IDLE;
    end
  end

endmodule
