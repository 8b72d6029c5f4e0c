// SPDX-License-Identifier: Apache-2.0
//
// GMII transmitter: FIFO words in, bytes to the PHY out. Last block on a sent frame's way, behind the TX frame_fifo.
//
//   gap >= 12 | 55 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | gap >= 12 | ...
//
// The FIFO holds whole frames, so a frame once begun never waits for data: there is no underrun and gmii_tx_er is
// never needed. `enable` is looked at where a frame would begin; while it is low frames stay in the FIFO.
//
// Latency: word_valid to the first preamble byte at the pins, two clock edges (state, output register).
// Throughput: line rate. With frames waiting the gap is exactly 12 bytes, 20 byte times from frame to frame.
module mac_tx
  import mac_pkg::*;
  import crc32_pkg::*;
(
  input  logic       clk,
  input  logic       rst,

  input  fifo_word_t word,
  input  logic       word_valid,
  output logic       word_ready,

  input  logic       enable,
  output logic       sent,  // pulse: the last FCS byte goes to the pins with the next clock edge

  output logic [7:0] gmii_txd,
  output logic       gmii_tx_en,
  output logic       gmii_tx_er
);

  localparam logic [3:0] PREAMBLE_LAST = 4'd7;   // seven preamble bytes and the SFD
  localparam logic [3:0] FCS_LAST      = 4'd3;
  localparam logic [3:0] GAP_LAST      = 4'd11;
  localparam logic [5:0] PAD_LAST      = 6'd59;  // index of the last byte that a frame must have before its FCS

  typedef enum logic [2:0] {GAP, PREAMBLE, DATA, PAD, FCS} state_t;

  state_t      state_q, state_d;
  logic [3:0]  count_q;  // cycles in this state so far, stops at GAP_LAST
  logic [5:0]  index_q;  // of this byte in the frame, stops at PAD_LAST
  /* verilator lint_off UNUSEDSIGNAL */  // not yet: bad, stamp
  fifo_word_t  word_q;   // shifts left: its top byte is the one to send, last_lane counts the bytes behind it
  logic [31:0] crc_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic        word_end;
  logic        take_q;   // the next word is wanted in this cycle
  logic [7:0]  data, txd_q;
  logic        tx_en_q;

  assign word_end   = word_q.last_lane == 3'd0;
  assign word_ready = take_q;
  assign sent       = state_q == FCS && state_d == GAP;
  assign data       = state_q == PAD ? 8'h00 : word_q.data[63:56];

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      GAP:      if (count_q == GAP_LAST && word_valid && enable) state_d = PREAMBLE;
      PREAMBLE: if (count_q == PREAMBLE_LAST) state_d = DATA;
      DATA:     if (word_end && word_q.last) state_d = index_q == PAD_LAST ? FCS : PAD;
      PAD:      if (index_q == PAD_LAST) state_d = FCS;
      default:  if (count_q == FCS_LAST) state_d = GAP;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_d != state_q) count_q <= '0;
    else if (count_q != GAP_LAST) count_q <= count_q + 1'b1;

    // Known a cycle ahead: in the preamble's last cycle, and with the last byte of a word that another one follows.
    // A register, because the way from here to the FIFO's memory is long.
    take_q <= (state_q == PREAMBLE && count_q == PREAMBLE_LAST - 1'b1)
              || (state_q == DATA && !word_ready && word_q.last_lane == 3'd1 && !word_q.last);

    if (word_ready) begin
      word_q <= word;
    end else begin
      word_q.data      <= {word_q.data[55:0], 8'h00};
      word_q.last_lane <= word_q.last_lane - 1'b1;
    end

    unique case (state_q)
      DATA, PAD: begin
        crc_q <= crc32_step(crc_q, data);
        if (index_q != PAD_LAST) index_q <= index_q + 1'b1;
      end
      FCS: crc_q <= {8'h00, crc_q[31:8]};
      default: begin
        crc_q   <= CRC32_INIT;
        index_q <= '0;
      end
    endcase

    unique case (state_q)
      GAP:       txd_q <= 8'h00;
      PREAMBLE:  txd_q <= count_q == PREAMBLE_LAST ? 8'hD5 : 8'h55;
      DATA, PAD: txd_q <= data;
      default:   txd_q <= ~crc_q[7:0];
    endcase
    tx_en_q <= state_q != GAP;

    if (rst) begin
      state_q <= GAP;
      count_q <= '0;
      take_q  <= 1'b0;
      tx_en_q <= 1'b0;
    end
  end

  assign gmii_txd   = txd_q;
  assign gmii_tx_en = tx_en_q;
  assign gmii_tx_er = 1'b0;

  // What must hold: the FIFO never runs dry inside a frame, and the gap is kept.
  a_take : assert property (@(posedge clk) disable iff (rst)
    take_q == ((state_q == PREAMBLE && state_d == DATA) || (state_q == DATA && word_end && !word_q.last)));
  a_no_underrun : assert property (@(posedge clk) disable iff (rst) word_ready -> word_valid);
  logic [11:0] was_sending_q;  // tx_en of the last twelve cycles
  always_ff @(posedge clk) was_sending_q <= rst ? '1 : {was_sending_q[10:0], gmii_tx_en};
  a_gap : assert property (@(posedge clk) disable iff (rst) $rose(gmii_tx_en) -> was_sending_q == '0);

endmodule
