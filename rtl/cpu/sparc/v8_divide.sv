// SPDX-License-Identifier: Apache-2.0
//
// Division of 64 by 32 bits, one quotient bit a cycle on magnitudes, then the sign. A quotient that does not fit is the
// nearest one that does, with `overflow`. With a divisor of zero, `kill` follows.
//
// `valid` is held until `done`, which holds until `ack` or `kill`. 36 cycles from the first of `valid` to the first of
// `done`.
module v8_divide (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        valid,
  input  logic        is_signed,
  input  logic [31:0] high,       // of the dividend
  input  logic [31:0] low,
  input  logic [31:0] divisor,
  input  logic        ack,
  input  logic        kill,
  output logic        done,
  output logic [31:0] quotient,
  output logic        overflow
);

  typedef enum logic [2:0] {IDLE, MAGNITUDE, STEP, SIGN, DONE} state_t;
  state_t      state_q;
  logic [4:0]  steps_q;
  logic [31:0] quotient_q;   // the dividend's low word shifts out at the top, the quotient in at the bottom
  logic [31:0] remainder_q;  // the dividend's high word
  logic [31:0] divisor_q;
  logic        negative_q, overflow_q;
  logic [32:0] shifted, difference;

  assign shifted    = {remainder_q, quotient_q[31]};
  assign difference = shifted - {1'b0, divisor_q};
  assign done       = state_q == DONE;
  assign quotient   = quotient_q;
  assign overflow   = overflow_q;

  always_ff @(posedge cpu_clk) begin
    case (state_q)
      IDLE: begin  // operands are taken in any case, as `valid` comes late
        {remainder_q, quotient_q} <= {high, low};
        divisor_q  <= (is_signed && divisor[31]) ? -divisor : divisor;
        negative_q <= is_signed && (high[31] ^ divisor[31]);
        if (valid) state_q <= MAGNITUDE;
      end
      MAGNITUDE: begin
        if (is_signed && remainder_q[31]) {remainder_q, quotient_q} <= -{remainder_q, quotient_q};
        steps_q <= 5'd31;
        state_q <= STEP;
      end
      STEP: begin
        // The quotient has more than 32 bits if the high word is not below the divisor.
        if (steps_q == 5'd31) overflow_q <= remainder_q >= divisor_q;
        remainder_q <= difference[32] ? shifted[31:0] : difference[31:0];
        quotient_q  <= {quotient_q[30:0], !difference[32]};
        steps_q     <= steps_q - 5'd1;
        if (steps_q == 5'd0) state_q <= SIGN;
      end
      SIGN: begin
        if (!is_signed) begin
          if (overflow_q) quotient_q <= '1;
        end else if (negative_q) begin
          quotient_q <= -quotient_q;
          if (overflow_q || quotient_q > 32'h8000_0000) begin
            overflow_q <= 1'b1;
            quotient_q <= 32'h8000_0000;
          end
        end else if (overflow_q || quotient_q[31]) begin
          overflow_q <= 1'b1;
          quotient_q <= 32'h7FFF_FFFF;
        end
        state_q <= DONE;
      end
      default: if (ack) state_q <= IDLE;
    endcase
    if (cpu_rst || kill) state_q <= IDLE;
  end

endmodule
