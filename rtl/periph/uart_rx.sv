// SPDX-License-Identifier: Apache-2.0
//
// UART receiver, 8N1: each bit is sampled once, in its middle, counted from the falling edge of the start bit. The
// sender's clock may differ by 2 % with a divisor of 4 and by almost 5 % with a large one.
// A start bit that is high again in its middle was a glitch. A stop bit that is low is a framing error: the byte is
// not passed on, and the line must be high once before the next start bit counts (a break is one error, not many).
// Latency: `data_valid` for one cycle, in the middle of the stop bit and two to three cycles for the synchronizer.
module uart_rx (
  input  logic        clk,
  input  logic        rst,
  input  logic [15:0] divisor,
  input  logic        rxd,         // asynchronous
  output logic [7:0]  data,
  output logic        data_valid,  // pulse
  output logic        framing_err  // pulse
);

  typedef enum logic [2:0] {IDLE, START, DATA, STOP, BREAK} state_t;

  state_t      state_q;
  logic [7:0]  shift_q;
  logic [2:0]  bits_q;    // data bits still to come, less one
  logic [15:0] clocks_q;  // to the next sample, less one
  logic        line, sample;

  sync_bits #(.WIDTH(1), .RESET(1'b1)) u_line (.clk, .rst, .d(rxd), .q(line));

  assign sample      = clocks_q == '0;
  assign data        = shift_q;
  assign data_valid  = state_q == STOP && sample && line;
  assign framing_err = state_q == STOP && sample && !line;

  always_ff @(posedge clk) begin
    clocks_q <= sample ? divisor - 1'b1 : clocks_q - 1'b1;
    case (state_q)
      IDLE: begin
        clocks_q <= (divisor >> 1) - 1'b1;
        bits_q   <= 3'd7;
        if (!line) state_q <= START;
      end
      START: if (sample) state_q <= line ? IDLE : DATA;
      DATA: if (sample) begin
        shift_q <= {line, shift_q[7:1]};
        bits_q  <= bits_q - 1'b1;
        if (bits_q == '0) state_q <= STOP;
      end
      STOP: if (sample) state_q <= line ? IDLE : BREAK;
      default: if (line) state_q <= IDLE;
    endcase
    if (rst) state_q <= IDLE;
  end

endmodule
