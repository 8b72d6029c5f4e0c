// SPDX-License-Identifier: Apache-2.0
//
// UART, 8N1, with 16 bytes of FIFO each way, an AFB slave. Address bits [7:2] choose the register:
//
//   0x00 TX data   write [7:0]: send a byte; with the FIFO full it is lost and status [4] set. Reads 0.
//   0x04 RX data   read: [8] there was a byte, [7:0] the byte, taken out of the FIFO (if byte 0 is in the byte mask)
//   0x08 status    [0] TX FIFO full, [1] TX idle: FIFO empty and stop bit sent, [2] a received byte waits,
//                  [3] receive overrun, [4] TX overflow, [5] framing error; [5:3] stay until 1 is written to them
//   0x0C divisor   [15:0] clocks a bit, at least 4 (a smaller value becomes 4)
//
// Any other offset is answered err = 1. `irq` is high while a received byte waits.
// Latency: response one cycle after the request. Throughput one access a cycle.
module uart
  import afb_pkg::*;
#(
  parameter int unsigned DIVISOR_RESET = 8
) (
  input  logic     clk,
  input  logic     rst,
  input  afb_m2s_t afb_m2s,
  output afb_s2m_t afb_s2m,
  input  logic     uart_rxd,
  output logic     uart_txd,
  output logic     irq
);

  if (DIVISOR_RESET < 4 || DIVISOR_RESET > 65535) begin : g_bad_divisor
    $error("uart: DIVISOR_RESET must be 4 to 65535");
  end

  localparam logic [4:0] FIFO_BYTES = 5'd16;

  typedef enum logic [5:0] {TX_DATA = 0, RX_DATA = 1, STATUS = 2, DIVISOR = 3} register_t;

  logic [5:0]  offset;
  logic        access, writes, reads;
  logic [31:0] new_divisor;
  logic [15:0] divisor_q;
  logic        overrun_q, overflow_q, framing_q;
  logic        tx_push, tx_full, tx_valid, tx_ready, tx_idle, rx_pop, rx_full, rx_waits, rx_byte_valid, framing_err;
  logic [7:0]  tx_byte, rx_head, rx_byte;
  logic [4:0]  tx_count, rx_count;
  afb_rsp_t    response;

  assign offset = afb_m2s.req.address[7:2];
  assign access = afb_m2s.req_valid && afb_s2m.req_ready;
  assign writes = access && !afb_m2s.req.read;
  assign reads  = access && afb_m2s.req.read;

  // The FIFOs can hold one byte more (their output register); 16 is what was promised.
  assign tx_full = tx_count >= FIFO_BYTES;
  assign rx_full = rx_count >= FIFO_BYTES;
  assign tx_push = writes && offset == TX_DATA && afb_m2s.req.byte_mask[0];
  assign rx_pop  = reads && offset == RX_DATA && afb_m2s.req.byte_mask[0];
  assign irq     = rx_waits;

  assign new_divisor = merged(32'(divisor_q), afb_m2s.req.write_data, afb_m2s.req.byte_mask);

  always_ff @(posedge clk) begin
    if (writes && offset == DIVISOR) divisor_q <= new_divisor[15:0] < 16'd4 ? 16'd4 : new_divisor[15:0];
    if (writes && offset == STATUS && afb_m2s.req.byte_mask[0]) begin
      if (afb_m2s.req.write_data[3]) overrun_q <= 1'b0;
      if (afb_m2s.req.write_data[4]) overflow_q <= 1'b0;
      if (afb_m2s.req.write_data[5]) framing_q <= 1'b0;
    end
    if (rx_byte_valid && rx_full) overrun_q <= 1'b1;  // an event in the cycle of its clearing is kept
    if (tx_push && tx_full) overflow_q <= 1'b1;
    if (framing_err) framing_q <= 1'b1;
    if (rst) begin
      divisor_q  <= 16'(DIVISOR_RESET);
      overrun_q  <= 1'b0;
      overflow_q <= 1'b0;
      framing_q  <= 1'b0;
    end
  end

  always_comb begin
    response = '0;
    case (offset)
      TX_DATA: response.data = '0;
      RX_DATA: if (afb_m2s.req.read && rx_waits) response.data[8:0] = {1'b1, rx_head};
      STATUS:  if (afb_m2s.req.read) response.data[5:0] = {framing_q, overflow_q, overrun_q, rx_waits, tx_idle, tx_full};
      DIVISOR: if (afb_m2s.req.read) response.data[15:0] = divisor_q;
      default: response.err = 1'b1;
    endcase
  end

  skid_buffer #(.WIDTH($bits(afb_rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (afb_m2s.req_valid),
    .in_ready (afb_s2m.req_ready),
    .out_data (afb_s2m.rsp),
    .out_valid(afb_s2m.rsp_valid),
    .out_ready(afb_m2s.rsp_ready)
  );

  // Transmit: FIFO, then the shift register. Idle shows one cycle after the last stop bit at the latest.
  /* verilator lint_off PINCONNECTEMPTY */  // the counts stop both FIFOs before they are full
  fifo_sync #(.WIDTH(8), .DEPTH(16)) u_tx_fifo (
    .clk,
    .rst,
    .in_data  (afb_m2s.req.write_data[7:0]),
    .in_valid (tx_push && !tx_full),
    .in_ready (),
    .out_data (tx_byte),
    .out_valid(tx_valid),
    .out_ready(tx_ready),
    .occupancy(tx_count)
  );

  uart_tx u_tx (
    .clk,
    .rst,
    .divisor   (divisor_q),
    .data      (tx_byte),
    .data_valid(tx_valid),
    .data_ready(tx_ready),
    .txd       (uart_txd)
  );

  assign tx_idle = tx_ready && !tx_valid;

  // Receive.
  uart_rx u_rx (
    .clk,
    .rst,
    .divisor    (divisor_q),
    .rxd        (uart_rxd),
    .data       (rx_byte),
    .data_valid (rx_byte_valid),
    .framing_err(framing_err)
  );

  fifo_sync #(.WIDTH(8), .DEPTH(16)) u_rx_fifo (
    .clk,
    .rst,
    .in_data  (rx_byte),
    .in_valid (rx_byte_valid && !rx_full),
    .in_ready (),
    .out_data (rx_head),
    .out_valid(rx_waits),
    .out_ready(rx_pop),
    .occupancy(rx_count)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // The router has looked at the upper address bits, and nothing here is locked.
  logic unused;
  assign unused = &{afb_m2s.req.lock, afb_m2s.req.address, new_divisor};

endmodule
