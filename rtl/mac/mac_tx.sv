// SPDX-License-Identifier: Apache-2.0
//
// GMII or MII transmitter: FIFO words in, bytes or nibbles to the PHY out. Last block on a sent frame's way, behind the
// TX frame_fifo.
//
//   gap >= 12 | 55 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | gap >= 12 | ...
//   gap >= 12 | 55 55 55 55 55 55 55 D5 | part of a frame               | cut, 4 bytes | gap >= 12 | ...
//
// GMII: a byte a clock. MII (`mii`, to be changed only while nothing is sent): a nibble a clock at gmii_txd[3:0], the
// lower one first, the other pins 0. All of the transmitter moves by bytes: at MII in every second clock.
//
// A frame begins when its first word is there, which store-and-forward means all of it. Where frames are shown earlier
// one may have to be cut short, at any word: the next word is not there when it is due (an underrun), or it is `bad`,
// which ends a frame that its sender gave up. Four bytes with gmii_tx_er end it on the line, the complement of the FCS
// of what was sent, so that nobody takes it for a frame. The words that an underrun leaves behind are drained; no frame
// of the FIFO begins before the last of them.
//
// Every frame of the FIFO ends in exactly one of `sent`, `underrun` and a word with `bad`, which tx_admit has counted: a
// frame that ran dry and then was given up is not an underrun.
//
// `enable` is looked at where a frame would begin, and so is `paused` (see mac_pause): while there is a reason to wait
// frames stay in the FIFO. A pause frame of our own (60 bytes, made here) goes before them and takes no notice of
// `paused`.
//
// Stamps: `time_gray` as it was at the clock edge that puts the SFD on the pins (at MII its second nibble; what comes
// out of sync_bits two edges later). It is given with `sent` or `underrun`, one for each frame that asked for one.
//
// Latency: word_valid to the first preamble byte at the pins, two clock edges (state, output register), at MII up to
// three. Throughput: line rate. With frames waiting the gap is exactly 12 bytes, 20 byte times from frame to frame.
module mac_tx
  import mac_pkg::*;
  import crc32_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  fifo_word_t  word,
  input  logic        word_valid,
  output logic        word_ready,

  input  logic        enable,
  input  logic        mii,
  output logic        sent,           // pulse: the last FCS byte (nibble) goes to the pins with the next clock edge
  output logic        underrun,       // pulse: the last word of a frame that had to be cut short was drained
  output logic        byte_step,      // a byte's last (at GMII only) cycle

  input  logic        paused,         // begin no frame of the FIFO
  input  logic        pause_request,  // begin a pause frame
  input  logic        pause_xoff,     // from the cycle behind pause_begun on: all quanta, else none
  input  logic [47:0] mac_address,    // its source
  output logic        pause_begun,    // pulse
  output logic        pause_sent,     // pulse, as `sent`

  input  logic [31:0] time_gray,      // from sync_bits
  output logic [31:0] stamp_gray,
  output logic        stamp_valid,    // pulse, with `sent` or `underrun`

  output logic [7:0]  gmii_txd,
  output logic        gmii_tx_en,
  output logic        gmii_tx_er
);

  localparam logic [3:0] PREAMBLE_LAST = 4'd7;   // seven preamble bytes and the SFD
  localparam logic [3:0] FCS_LAST      = 4'd3;
  localparam logic [3:0] GAP_LAST      = 4'd11;
  localparam logic [5:0] PAD_LAST      = 6'd59;  // index of the last byte that a frame must have before its FCS

  localparam logic [47:0] PAUSE_ADDRESS = 48'h01_80_C2_00_00_01;
  localparam logic [31:0] PAUSE_TYPE    = 32'h8808_0001;  // MAC control, PAUSE

  typedef enum logic [2:0] {
    GAP,
    PREAMBLE,
    DATA,  // bytes of the FIFO
    MADE,  // bytes made here: padding, a pause frame
    FCS,
    CUT
  } state_t;

  state_t      state_q, state_d;
  logic        step_q;   // the bytes move on
  logic        own_q;    // a pause frame
  logic        drain_q;  // words of a frame that was cut short are still to come
  logic [3:0]  count_q;  // bytes in this state so far, stops at GAP_LAST
  logic [5:0]  index_q;  // of this byte in the frame, stops at PAD_LAST
  logic [5:0]  next_index;
  /* verilator lint_off UNUSEDSIGNAL */  // bad: looked at before the word is here
  fifo_word_t  word_q;   // shifts left: its top byte is the one to send, last_lane counts the bytes behind it
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0]  made_q;   // the byte to send in MADE
  logic [31:0] crc_q;
  logic        word_end;
  logic        want_q;   // the next word is due in this byte's last cycle
  logic        take, cut, begins, ends;
  logic [7:0]  data, out, txd_q;
  logic        tx_en_q, tx_er_q;

  // The pause frame, up to where it is all zeros.
  logic [31:0][7:0] pause_frame;
  assign pause_frame = {PAUSE_ADDRESS, mac_address, PAUSE_TYPE, {16{pause_xoff}}, 112'd0};
  assign next_index  = state_q == PREAMBLE ? '0 : index_q + 6'(index_q != PAD_LAST);

  assign byte_step  = step_q;
  assign word_end   = word_q.last_lane == 3'd0;
  assign take       = want_q && step_q;
  assign cut        = !word_valid || word.bad;
  assign word_ready = take || drain_q;
  assign data       = state_q == MADE ? made_q : word_q.data[63:56];

  assign begins      = state_q == GAP && state_d == PREAMBLE;
  assign ends        = state_q == FCS && state_d == GAP;
  assign pause_begun = begins && pause_request;
  assign pause_sent  = ends && own_q;
  assign sent        = ends && !own_q;
  assign underrun    = drain_q && word_valid && word.last && !word.bad;

  always_comb begin
    state_d = state_q;
    if (step_q) begin
      unique case (state_q)
        GAP:
          if (count_q == GAP_LAST && enable && (pause_request || (word_valid && !paused && !drain_q)))
            state_d = PREAMBLE;
        PREAMBLE: if (count_q == PREAMBLE_LAST) state_d = own_q ? MADE : cut ? CUT : DATA;
        DATA:
          if (word_end && word_q.last) state_d = index_q == PAD_LAST ? FCS : MADE;
          else if (word_end && cut) state_d = CUT;
        MADE:     if (index_q == PAD_LAST) state_d = FCS;
        default:  if (count_q == FCS_LAST) state_d = GAP;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    step_q  <= !mii || !step_q;
    state_q <= state_d;
    if (begins) own_q <= pause_request;
    drain_q <= take ? !word_valid : drain_q && !(word_valid && word.last);

    if (step_q) begin
      if (state_d != state_q) count_q <= '0;
      else if (count_q != GAP_LAST) count_q <= count_q + 1'b1;

      // Known a byte ahead: in the preamble's last byte, and with the last byte of a word that another one follows.
      want_q <= (state_q == PREAMBLE && count_q == PREAMBLE_LAST - 1'b1 && !own_q)
                || (state_q == DATA && word_q.last_lane == 3'd1 && !word_q.last);

      if (want_q) begin
        word_q <= word;
      end else begin
        word_q.data      <= {word_q.data[55:0], 8'h00};
        word_q.last_lane <= word_q.last_lane - 1'b1;
      end

      unique case (state_q)
        DATA, MADE: begin
          crc_q   <= crc32_step(crc_q, data);
          index_q <= next_index;
        end
        FCS, CUT: crc_q <= {8'h00, crc_q[31:8]};
        default: begin
          crc_q   <= CRC32_INIT;
          index_q <= '0;
        end
      endcase
      made_q <= own_q && !next_index[5] ? pause_frame[~next_index[4:0]] : 8'h00;
    end

    if (rst) begin
      step_q  <= 1'b1;
      state_q <= GAP;
      count_q <= '0;
      want_q  <= 1'b0;
      drain_q <= 1'b0;
    end
  end

  // Pins
  always_comb begin
    unique case (state_q)
      GAP:        out = 8'h00;
      PREAMBLE:   out = count_q == PREAMBLE_LAST ? 8'hD5 : 8'h55;
      DATA, MADE: out = data;
      CUT:        out = crc_q[7:0];
      default:    out = ~crc_q[7:0];
    endcase
  end

  always_ff @(posedge clk) begin
    txd_q   <= !mii ? out : {4'h0, step_q ? out[7:4] : out[3:0]};
    tx_en_q <= state_q != GAP && !rst;
    tx_er_q <= state_q == CUT && !rst;
  end

  assign gmii_txd   = txd_q;
  assign gmii_tx_en = tx_en_q;
  assign gmii_tx_er = tx_er_q;

  // Stamp: the first word of the frame came with the SFD, so by then it is known whether it wants one.
  logic [1:0]  sfd_q;
  logic [31:0] stamp_q;
  logic        stamped_q;

  assign stamp_gray  = stamp_q;
  assign stamp_valid = stamped_q && (sent || underrun);

  always_ff @(posedge clk) begin
    sfd_q <= {sfd_q[0], !rst && state_q == PREAMBLE && count_q == PREAMBLE_LAST && step_q && !own_q};
    if (sfd_q[1]) begin
      stamp_q   <= time_gray;
      stamped_q <= word_q.stamp;
    end
  end

  // What must hold: conservation. `open_q` is high from a frame's first word to its one end; a word is due where bytes
  // of the FIFO run out, and nowhere else; the gap is kept.
  logic open_q, given_up;
  assign given_up = word_ready && word_valid && word.bad;
  always_ff @(posedge clk) open_q <= !rst && (open_q || take) && !(sent || underrun || given_up);
  a_one_end : assert property (@(posedge clk) disable iff (rst)
    $onehot0({sent, underrun, given_up}) && (sent || underrun -> open_q) && (given_up -> open_q || take));
  a_end_first : assert property (@(posedge clk) disable iff (rst) begins && !pause_begun -> !open_q);
  a_take : assert property (@(posedge clk) disable iff (rst)
    take == (step_q && ((state_q == PREAMBLE && state_d != PREAMBLE && !own_q)
                        || (state_q == DATA && word_end && !word_q.last))));
  a_bad_ends : assert property (@(posedge clk) disable iff (rst) word_valid && word.bad -> word.last);
  logic [11:0] was_sending_q;  // tx_en of the last twelve cycles
  always_ff @(posedge clk) was_sending_q <= rst ? '1 : {was_sending_q[10:0], gmii_tx_en};
  a_gap : assert property (@(posedge clk) disable iff (rst) $rose(gmii_tx_en) -> was_sending_q == '0);

endmodule
