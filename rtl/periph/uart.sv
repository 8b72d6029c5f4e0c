// SPDX-License-Identifier: Apache-2.0
//
// UART, 8N1, with 16 bytes of FIFO each way, an AFB slave; the registers are those of regs/periph.rdl.
//
// A byte that finds its FIFO full is lost and says so in the status. A read of the received byte takes it out of the
// FIFO if byte 0 is in the byte mask. A divisor below 4 becomes 4. `irq` is high while a received byte waits.
//
// Latency: response one cycle after the request. Throughput: one access a cycle (afb_endpoint).
module uart
  import afb_pkg::*;
  import uart_regs_pkg::ID_TX_DATA, uart_regs_pkg::ID_RX_DATA, uart_regs_pkg::ID_STATUS, uart_regs_pkg::ID_DIVISOR,
         uart_regs_pkg::rx_data_t, uart_regs_pkg::status_t;
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

  access_t     access;
  logic [31:0] read_data, new_data;
  logic        err;
  status_t     status, cleared;
  rx_data_t    rx_data;
  logic [15:0] divisor_q;
  logic        overrun_q, overflow_q, framing_q;
  logic        tx_push, tx_full, tx_valid, tx_ready, tx_idle, rx_pop, rx_full, rx_waits, rx_byte_valid, framing_err;
  logic [7:0]  tx_byte, rx_head, rx_byte;
  logic [4:0]  tx_count, rx_count;

  afb_endpoint u_endpoint (.*);

  // The FIFOs can hold one byte more (their output register); 16 is what was promised.
  assign tx_full = tx_count >= FIFO_BYTES;
  assign rx_full = rx_count >= FIFO_BYTES;
  assign tx_push = access.write && access.id == ID_TX_DATA && access.byte_mask[0];
  assign rx_pop  = access.read && access.id == ID_RX_DATA && access.byte_mask[0];
  assign irq     = rx_waits;
  assign cleared = access.write_data;

  always_ff @(posedge clk) begin
    if (access.write && access.id == ID_DIVISOR) divisor_q <= new_data[15:0] < 16'd4 ? 16'd4 : new_data[15:0];
    if (access.write && access.id == ID_STATUS && access.byte_mask[0]) begin
      if (cleared.rx_overrun) overrun_q <= 1'b0;
      if (cleared.tx_overflow) overflow_q <= 1'b0;
      if (cleared.framing_error) framing_q <= 1'b0;
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

  assign status  = '{framing_error: framing_q, tx_overflow: overflow_q, rx_overrun: overrun_q, rx_valid: rx_waits,
                     tx_idle: tx_idle, tx_full: tx_full, default: '0};
  assign rx_data = rx_waits ? '{valid: 1'b1, data: rx_head, default: '0} : '0;

  always_comb begin
    read_data = '0;
    err       = 1'b0;
    case (access.id)
      ID_TX_DATA: read_data = '0;
      ID_RX_DATA: read_data = rx_data;
      ID_STATUS:  read_data = status;
      ID_DIVISOR: read_data = 32'(divisor_q);
      default:    err = 1'b1;
    endcase
  end

  // Transmit: FIFO, then the shift register. Idle shows one cycle after the last stop bit at the latest.
  /* verilator lint_off PINCONNECTEMPTY */  // the counts stop both FIFOs before they are full
  fifo_sync #(.WIDTH(8), .DEPTH(16)) u_tx_fifo (
    .clk,
    .rst,
    .in_data  (access.write_data[7:0]),
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

  logic unused;
  assign unused = &{1'b0, access, new_data, cleared};

endmodule
