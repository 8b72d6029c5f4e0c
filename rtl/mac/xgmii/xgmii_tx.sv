// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of the XGMII front: the line stream (mac_pkg) in, two columns a clock to the PHY out. Last block on a
// sent frame's way, behind mac_tx.
//
//   idle | S 55 55 55 55 55 55 D5 | frame ... | 00 up to 60 bytes | FCS, 4 bytes | T, idle ...    start in lane 0 or 4
//   idle | S 55 55 55 55 55 55 D5 | part of a frame | error, 8 lanes             | T, idle ...    cut short
//
// A frame whose next word is not there when it is due, or is `bad`, is cut short: errors in its place.
//
// Gap: the terminate and what is behind it up to the next start. Deficit idle count (clause 46.3.1.4): with frames
// waiting it is 9 to 15 bytes and 12 on average, to the byte: what gaps are short of 12 in all is deficit_q, never more
// than 3. A frame that could have begun earlier begins in lane 0, and the count begins anew.
//
// Link faults (46.3.4): no frame begins while there is one. A local fault is answered by remote fault sequences, a
// remote one by idle. A frame that is on its way ends as it would have.
//
//   begins | 1 |    |    |      |
//   take   |   | 1  | 1  |      |
//   word_q |        | w0 | w1   |                with the CRC behind it
//   pins   |        | S  | w0   | w1 FCS | FCS T
//
// Latency: `line.request` to the start at the pins, two clock edges (word and CRC, output register); a word taken, the
// same to its first byte. In frames that start in lane 4 all is half a word later. Throughput: line rate at every
// length.
//
// `sfd` is as mac_pkg says, two cycles behind the pins. A frame that is cut short at its second or third word may be
// over before that: then its stamp is that of the frame before.
module xgmii_tx
  import mac_pkg::*;
  import xgmii_pkg::*;
(
  input  logic            clk,
  input  logic            rst,

  /* verilator lint_off UNUSEDSIGNAL */  // XGMII is never MII
  input  line_tx_t        line,
  /* verilator lint_on UNUSEDSIGNAL */
  output line_tx_status_t status,
  input  link_fault_t     fault,

  output xgmii_t          xgmii
);

  import crc32_pkg::CRC32_INIT;
  import crc32_words_pkg::crc32_step_back;

  localparam logic [2:0] PAD_WORD  = 3'd7;  // index of the word that a frame must have before its FCS, ...
  localparam logic [3:0] PAD_BYTES = 4'd4;  // ... and the bytes in it

  typedef logic [7:0][31:0][31:0] crc_back_t;

  // What the CRC register was behind n of eight bytes, the others 0, and its bytes turned to the lanes that they are
  // for. Row 8 * m + b of BACK[n % 8]: which bits of the register make bit b of the byte for lanes m and m + 4.
  function automatic crc_back_t crc_back();
    logic [31:0] crc;
    for (int bit_index = 0; bit_index < 32; bit_index++) begin
      crc = 32'd1 << bit_index;
      for (int n = 8; n > 0; n--) begin
        for (int i = 0; i < 32; i++) crc_back[n%8][(i+8*n)%32][bit_index] = crc[i];
        crc = crc32_step_back(crc);
      end
    end
  endfunction

  localparam crc_back_t BACK = crc_back();

  typedef enum logic [2:0] {
    GAP,   // a frame may begin
    DATA,  // a word is taken
    PAD,   // a word of zeros
    TAIL,  // the cycle behind the last word
    WAIT   // one more
  } state_t;

  // ---- Which word is next
  state_t     state_q, state_d;
  logic [2:0] index_q;      // of the word in the frame, stops at PAD_WORD
  logic       long_q;       // it is not among the first eight
  logic       cut, begins, ends;
  logic [3:0] bytes;        // of this word that are sent

  assign cut    = !line.valid || line.bad;
  assign begins = state_q == GAP && line.request && !fault.any;

  always_comb begin
    bytes = 4'd8;
    if (state_q == PAD) begin
      if (index_q == PAD_WORD) bytes = PAD_BYTES;
    end else if (cut) bytes = 4'd4;  // and four errors more in place of the FCS
    else if (line.last) begin
      bytes = 4'(line.last_lane) + 4'd1;
      if (index_q < PAD_WORD) bytes = 4'd8;
      else if (!long_q && bytes < PAD_BYTES) bytes = PAD_BYTES;
    end
  end

  // ---- The word and its CRC. Behind the frame's last byte is 0.
  logic [63:0] word_d, word_q;   // lanes of XGMII
  logic [31:0] crc_q;
  logic [3:0]  bytes_q;          // of the last word
  logic        start_q, data_q, last_q, tail_q, cut_q, lane4_q;

  always_comb begin
    for (int unsigned n = 0; n < 8; n++) begin
      word_d[8*n+:8] = line.data[8*(7-n)+:8] & {8{state_q == DATA && (!line.last || n <= 32'(line.last_lane))}};
    end
  end

  assign ends = (state_q == DATA && (cut || (line.last && index_q == PAD_WORD)))
             || (state_q == PAD && index_q == PAD_WORD);

  // ---- The next start: three columns behind the one with the terminate, or four where the deficit would grow above
  // three bytes. In columns behind the first one that the second cycle behind the last word puts out, modulo 4.
  logic [1:0] deficit_q, deficit_d, next;
  logic       longer, next_lane4_q;

  assign {longer, deficit_d} = {1'b0, deficit_q} + {1'b0, bytes_q[1:0]};
  assign next                = bytes_q[3:2] + 2'(longer) + 2'(lane4_q);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      GAP:     if (begins) state_d = DATA;
      DATA:    if (ends) state_d = TAIL;
               else if (line.last) state_d = PAD;
      PAD:     if (ends) state_d = TAIL;
      TAIL:    state_d = next[1] ? WAIT : GAP;
      default: state_d = GAP;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    start_q <= begins;
    data_q  <= state_q inside {DATA, PAD};
    last_q  <= ends;
    tail_q  <= last_q;
    word_q  <= word_d;

    if (begins) begin
      index_q <= '0;
      long_q  <= 1'b0;
      crc_q   <= CRC32_INIT;
      lane4_q <= next_lane4_q;
    end else if (state_q inside {DATA, PAD}) begin
      index_q <= index_q + 3'(index_q != PAD_WORD);
      long_q  <= index_q == PAD_WORD;
      crc_q   <= crc32_lanes(crc_q, word_d);
      bytes_q <= bytes;
      cut_q   <= state_q == DATA && cut;
    end

    if (state_q == TAIL) begin
      deficit_q    <= deficit_d;
      next_lane4_q <= next[0];
    end else if (state_q == GAP) begin
      if (!begins) deficit_q <= '0;
      next_lane4_q <= 1'b0;
    end

    if (rst) begin
      state_q      <= GAP;
      {start_q, data_q, last_q, tail_q, lane4_q} <= '0;
      deficit_q    <= '0;
      next_lane4_q <= 1'b0;
    end
  end

  // ---- What goes out, as if the start were in lane 0: for each lane the one thing that is in it, and the FCS last of
  // all
  xgmii_t      now;
  logic [31:0] fcs;
  logic        answers;

  // The last word's bytes are this many. (No carry chain: it is slower.)
  function automatic logic ends_behind(input logic [3:0] bytes_of_last, input int n);
    return n >= 1 && n <= 8 && int'(bytes_of_last) == n;
  endfunction

  assign answers = fault.any && fault.local_fault && !start_q && !data_q && !tail_q;

  always_comb begin
    logic       kept, check, terminate, idle, error;
    logic [7:0] fixed;
    for (int i = 0; i < 32; i++) fcs[i] = !(^(crc_q & BACK[bytes_q[2:0]][i]));
    for (int n = 0; n < 8; n++) begin
      kept      = data_q && !last_q;
      idle      = !start_q && !data_q && !tail_q && !answers;
      terminate = (last_q && ends_behind(bytes_q, n - 4)) || (tail_q && ends_behind(bytes_q, n + 4));
      for (int b = 1; b <= 8; b++) begin
        if (b > n) kept = kept || (last_q && ends_behind(bytes_q, b));
        if (b < n - 4) idle = idle || (last_q && ends_behind(bytes_q, b));
        if (b < n + 4) idle = idle || (tail_q && ends_behind(bytes_q, b));
      end
      check = 1'b0;  // a byte of the FCS
      for (int i = 0; i < 4; i++) begin
        check = check || (last_q && ends_behind(bytes_q, n - i)) || (tail_q && ends_behind(bytes_q, n + 8 - i));
      end
      error = cut_q && (last_q || tail_q) && (kept || check);

      now.control[n] = idle || terminate || error || (start_q && n == 0) || (answers && n % 4 == 0);

      // Of all that may be in a lane one thing is.
      fixed = '0;
      if (start_q) fixed = n == 0 ? START_CHAR : n == 7 ? SFD_BYTE : PREAMBLE_BYTE;
      fixed = fixed | (idle ? IDLE_CHAR : 8'h00) | (terminate ? TERMINATE_CHAR : 8'h00) | (error ? ERROR_CHAR : 8'h00)
              | (answers ? REMOTE_FAULT[8*(n%4)+:8] : 8'h00) | (kept && !error ? word_q[8*n+:8] : 8'h00);
      now.data[8*n+:8] = fixed | (check && !error ? fcs[8*(n%4)+:8] : 8'h00);
    end
  end

  // ---- Pins
  xgmii_t      xgmii_q;
  logic [35:0] half_q;  // the upper lanes of the word before
  logic [2:0]  sfd_q;

  always_ff @(posedge clk) begin
    half_q  <= {now.control[7:4], now.data[63:32]};
    xgmii_q <= lane4_q ? '{control: {now.control[3:0], half_q[35:32]}, data: {now.data[31:0], half_q[31:0]}} : now;
    sfd_q   <= {sfd_q[1:0], start_q};
    if (rst) begin
      half_q  <= {4'hF, {4{IDLE_CHAR}}};
      xgmii_q <= '{control: '1, data: {8{IDLE_CHAR}}};
      sfd_q   <= '0;
    end
  end

  assign xgmii  = xgmii_q;
  assign status = '{
    step:   1'b1,
    begins: begins,
    take:   state_q == DATA,
    sfd:    lane4_q ? sfd_q[2] : sfd_q[1],
    ended:  state_q == TAIL && !cut_q,
    idle:   state_q == GAP && !begins
  };

  // What must hold: the line is idle where a frame begins, and no lane is lost when the start's lane changes.
  a_idle : assert property (@(posedge clk) disable iff (rst)
    start_q && !lane4_q -> half_q[35:32] == '1 || $past(!lane4_q));
  a_gap : assert property (@(posedge clk) disable iff (rst) start_q -> !last_q && !tail_q && !data_q);

endmodule
