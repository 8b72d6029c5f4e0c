// SPDX-License-Identifier: Apache-2.0
//
// UART transmitter, 8N1: start bit, eight data bits from bit 0 up, one stop bit, each `divisor` clocks long.
// Latency: the start bit begins one cycle after a byte was taken. Throughput: a byte every 10 * divisor cycles, the
// next start bit right behind the stop bit.
module uart_tx (
  input  logic        clk,
  input  logic        rst,
  input  logic [15:0] divisor,
  input  logic [7:0]  data,
  input  logic        data_valid,
  output logic        data_ready,
  output logic        txd
);

  logic [9:0]  shift_q;  // stop, data, start; what is on the line is bit 0
  logic [3:0]  bits_q;   // left to send, 0: idle
  logic [15:0] clocks_q; // left of this bit, less one
  logic        bit_end;

  assign bit_end    = clocks_q == '0;
  assign data_ready = bits_q == '0 || (bits_q == 4'd1 && bit_end);
  assign txd        = shift_q[0];

  always_ff @(posedge clk) begin
    if (data_valid && data_ready) begin
      shift_q  <= {1'b1, data, 1'b0};
      bits_q   <= 4'd10;
      clocks_q <= divisor - 1'b1;
    end else if (bits_q != '0) begin
      if (bit_end) begin
        shift_q  <= {1'b1, shift_q[9:1]};
        bits_q   <= bits_q - 1'b1;
        clocks_q <= divisor - 1'b1;
      end else begin
        clocks_q <= clocks_q - 1'b1;
      end
    end
    if (rst) begin
      shift_q <= '1;
      bits_q  <= '0;
    end
  end

endmodule
