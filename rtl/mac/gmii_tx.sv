// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of the GMII and MII front: the line stream (mac_pkg) in, bytes or nibbles to the PHY out. Last block on
// a sent frame's way, behind mac_tx.
//
//   gap >= 12 | 55 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | gap >= 12 | ...
//   gap >= 12 | 55 55 55 55 55 55 55 D5 | part of a frame               | cut, 4 bytes | gap >= 12 | ...
//
// GMII: a byte a clock. MII (`line.mii`, to be changed only while nothing is sent): a nibble a clock at gmii_txd[3:0],
// the lower one first, the other pins 0. All of the transmitter moves by bytes: at MII in every second clock.
//
// A frame whose next word is not there when it is due, or is `bad`, is cut short: four bytes with gmii_tx_er end it on
// the line, the complement of the FCS of what was sent, so that nobody takes it for a frame.
//
// Latency: `line.request` to the first preamble byte at the pins, two clock edges (state, output register), at MII up
// to three. Throughput: line rate. With frames waiting the gap is exactly 12 bytes, 20 byte times from frame to frame.
module gmii_tx
  import mac_pkg::*;
  import crc32_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  input  line_tx_t        line,
  output line_tx_status_t status,

  output logic [7:0]      gmii_txd,
  output logic            gmii_tx_en,
  output logic            gmii_tx_er
);

  localparam logic [3:0] PREAMBLE_LAST = 4'd7;   // seven preamble bytes and the SFD
  localparam logic [3:0] FCS_LAST      = 4'd3;
  localparam logic [3:0] GAP_LAST      = 4'd11;
  localparam logic [5:0] PAD_LAST      = 6'd59;  // index of the last byte that a frame must have before its FCS

  typedef enum logic [2:0] {
    GAP,
    PREAMBLE,
    DATA,  // bytes of the frame's words
    PAD,
    FCS,
    CUT
  } state_t;

  state_t      state_q, state_d;
  logic        step_q;       // the bytes move on
  logic [3:0]  count_q;      // bytes in this state so far, stops at GAP_LAST
  logic [5:0]  index_q;      // of this byte in the frame, stops at PAD_LAST
  logic [63:0] data_q;       // shifts left: its top byte is the one to send
  logic [2:0]  bytes_q;      // of the word behind that one
  logic        last_word_q;
  logic [31:0] crc_q;
  logic        word_end;
  logic        want_q;       // the next word is due in this byte's last cycle
  logic        take, cut, begins, ended;
  logic [7:0]  data, out, txd_q;
  logic [1:0]  sfd_q;
  logic        tx_en_q, tx_er_q;

  assign word_end = bytes_q == 3'd0;
  assign take     = want_q && step_q;
  assign cut      = !line.valid || line.bad;
  assign data     = state_q == PAD ? 8'h00 : data_q[63:56];
  assign begins   = state_q == GAP && state_d == PREAMBLE;
  assign ended    = state_q == FCS && state_d == GAP;
  assign status   = '{step: step_q, begins: begins, take: take, sfd: sfd_q[1], ended: ended,
                      idle: state_q == GAP && !begins};

  always_comb begin
    state_d = state_q;
    if (step_q) begin
      unique case (state_q)
        GAP:      if (count_q == GAP_LAST && line.request) state_d = PREAMBLE;
        PREAMBLE: if (count_q == PREAMBLE_LAST) state_d = cut ? CUT : DATA;
        DATA:
          if (word_end && last_word_q) state_d = index_q == PAD_LAST ? FCS : PAD;
          else if (word_end && cut) state_d = CUT;
        PAD:      if (index_q == PAD_LAST) state_d = FCS;
        default:  if (count_q == FCS_LAST) state_d = GAP;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    step_q  <= !line.mii || !step_q;
    state_q <= state_d;

    if (step_q) begin
      if (state_d != state_q) count_q <= '0;
      else if (count_q != GAP_LAST) count_q <= count_q + 1'b1;

      // Known a byte ahead: in the preamble's last byte, and with the last byte of a word that another one follows.
      want_q <= (state_q == PREAMBLE && count_q == PREAMBLE_LAST - 1'b1)
                || (state_q == DATA && bytes_q == 3'd1 && !last_word_q);

      if (want_q) begin
        data_q      <= line.data;
        bytes_q     <= line.last_lane;
        last_word_q <= line.last;
      end else begin
        data_q  <= {data_q[55:0], 8'h00};
        bytes_q <= bytes_q - 1'b1;
      end

      unique case (state_q)
        DATA, PAD: begin
          crc_q   <= crc32_step(crc_q, data);
          index_q <= index_q + 6'(index_q != PAD_LAST);
        end
        FCS, CUT: crc_q <= {8'h00, crc_q[31:8]};
        default: begin
          crc_q   <= CRC32_INIT;
          index_q <= '0;
        end
      endcase
    end

    if (rst) begin
      step_q  <= 1'b1;
      state_q <= GAP;
      count_q <= '0;
      want_q  <= 1'b0;
    end
  end

  // Pins
  always_comb begin
    unique case (state_q)
      GAP:       out = 8'h00;
      PREAMBLE:  out = count_q == PREAMBLE_LAST ? 8'hD5 : 8'h55;
      DATA, PAD: out = data;
      CUT:       out = crc_q[7:0];
      default:   out = ~crc_q[7:0];
    endcase
  end

  always_ff @(posedge clk) begin
    txd_q   <= !line.mii ? out : {4'h0, step_q ? out[7:4] : out[3:0]};
    tx_en_q <= state_q != GAP && !rst;
    tx_er_q <= state_q == CUT && !rst;
    sfd_q   <= {sfd_q[0], !rst && state_q == PREAMBLE && count_q == PREAMBLE_LAST && step_q};
  end

  assign gmii_txd   = txd_q;
  assign gmii_tx_en = tx_en_q;
  assign gmii_tx_er = tx_er_q;

  // What must hold: a word is due where bytes run out, and nowhere else; the gap is kept.
  a_take : assert property (@(posedge clk) disable iff (rst)
    take == (step_q && ((state_q == PREAMBLE && state_d != PREAMBLE)
                        || (state_q == DATA && word_end && !last_word_q))));
  logic [11:0] was_sending_q;  // tx_en of the last twelve cycles
  always_ff @(posedge clk) was_sending_q <= rst ? '1 : {was_sending_q[10:0], gmii_tx_en};
  a_gap : assert property (@(posedge clk) disable iff (rst) $rose(gmii_tx_en) -> was_sending_q == '0);

endmodule
