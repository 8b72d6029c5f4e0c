// SPDX-License-Identifier: Apache-2.0
//
// Takes the TCP header and its options apart, for tcp_rx, who fetches the words of the segment that it asks for.
//
//     want     1   1   1   0                    1            a word may be fetched, in order
//     fetched  1   1   1                        1            it is: the word comes in the next cycle
//     word         w0  w1  w2                       w3       ports, seq; ack, offset, flags, window; sum, urgent, 4 bytes
//     walk                     b20 b21 b22  b23     b24 ..   one option byte a cycle
//     begun                  1                               ports, seq and offset stand
//     done                                              ..   behind the last one: all outputs stand until `restart`
//
// Options are walked a byte a cycle, as a line of 1 Gb/s brings them at 125 MHz: no byte has a place, so any alignment
// is as good as another. At the length it is known whether the option is a legal one that we know and whether the header
// has all of it; only then its bytes are taken. What is behind an end or an impossible length is not looked at. Of an
// option that comes twice the last one counts. MSS, scale and SACK permitted count in a SYN only, blocks in others only.
//
// An offset below 5 or beyond the segment does no harm: tcp_rx drops such a segment, and restarts this block.
//
// Latency: `done` in the cycle behind the third word without options, else a cycle later for each byte of them.
// Borders: registers; `want`, `done` through a comparison.
module tcp_rx_header
  import tcp_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  logic        restart,       // the next word is a segment's first one
  output logic        want,
  input  logic        fetched,
  input  logic        word_valid,    // `fetched` a cycle ago
  input  logic [63:0] word,

  output logic        begun,
  output logic        done,
  output logic [15:0] source_port,
  output logic [15:0] port,
  output logic [3:0]  offset,        // of the payload, in 4 bytes
  output arrival_t    arrival        // but for `length` and `spare`, which are 0
);

  localparam logic [7:0] KIND_END       = 8'd0;
  localparam logic [7:0] KIND_NOP       = 8'd1;
  localparam logic [7:0] KIND_MSS       = 8'd2;
  localparam logic [7:0] KIND_SCALE     = 8'd3;
  localparam logic [7:0] KIND_PERMITTED = 8'd4;
  localparam logic [7:0] KIND_SACK      = 8'd5;
  localparam logic [7:0] KIND_STAMP     = 8'd8;

  typedef enum logic [1:0] {AT_KIND, AT_LENGTH, AT_VALUE} option_part_t;
  typedef enum logic [2:0] {TAKE_NOTHING, TAKE_MSS, TAKE_SCALE, TAKE_SACK, TAKE_STAMP} take_t;

  logic [1:0]   asked_q, here_q;  // of the first three words
  logic [63:0]  bytes_q;          // option bytes, the next one on top
  logic [3:0]   left_q;           // so many
  logic [5:0]   more_q;           // option bytes yet to walk, these too
  option_part_t at_q;
  take_t        take_q;
  logic [7:0]   kind_q;
  logic [5:0]   value_q;          // bytes of the value yet to come
  logic [4:0]   place_q;          // of the next byte in it, for SACK blocks
  logic [3:0]   offset_q;
  logic [15:0]  source_port_q, port_q, window_q, urgent_q, mss_q;
  seq_t         seq_q, ack_q;
  flags_t       flags_q;
  logic         mss_valid_q, scale_valid_q, permitted_q, stamp_valid_q;
  logic [7:0]   scale_q;
  logic [63:0]  stamp_q;          // and echo
  logic [2:0]   blocks_q;
  logic [GAPS-1:0][7:0][7:0] block_q;

  logic [7:0]  head;             // the byte of this cycle
  logic        walk, fits;

  assign head = bytes_q[63:56];
  assign walk = left_q != '0 && more_q != '0;
  assign fits = head >= 8'd2 && head <= 8'(more_q) + 8'd1;  // the kind is behind us

  // A word that comes when one byte is left follows it without a gap.
  assign want = asked_q != 2'd3 || (here_q == 2'd3 && left_q <= 4'd2 && more_q > 6'(left_q) && !word_valid);
  assign done  = here_q == 2'd3 && more_q == '0;
  assign begun = here_q[1];

  always_ff @(posedge clk) begin
    if (walk) begin
      bytes_q <= bytes_q << 8;
      left_q  <= left_q - 1'b1;
      more_q  <= more_q - 1'b1;
      unique case (at_q)
        AT_KIND: begin
          kind_q <= head;
          if (head == KIND_END) more_q <= '0;
          else if (head != KIND_NOP) at_q <= AT_LENGTH;
        end
        AT_LENGTH: begin
          at_q    <= head == 8'd2 ? AT_KIND : AT_VALUE;
          value_q <= 6'(head - 8'd2);
          place_q <= '0;
          take_q  <= TAKE_NOTHING;
          if (!fits) begin
            more_q <= '0;
          end else if (kind_q == KIND_STAMP && head == 8'd10) begin
            take_q        <= TAKE_STAMP;
            stamp_valid_q <= 1'b1;
          end else if (flags_q.syn) begin
            if (kind_q == KIND_MSS && head == 8'd4) begin
              take_q      <= TAKE_MSS;
              mss_valid_q <= 1'b1;
            end
            if (kind_q == KIND_SCALE && head == 8'd3) begin
              take_q        <= TAKE_SCALE;
              scale_valid_q <= 1'b1;
            end
            if (kind_q == KIND_PERMITTED && head == 8'd2) permitted_q <= 1'b1;
          end else if (kind_q == KIND_SACK && head[2:0] == 3'd2 && head != 8'd2) begin
            take_q   <= TAKE_SACK;
            blocks_q <= head[5:3];  // 10, 18, 26 or 34: no more fit
          end
        end
        default: begin
          if (take_q == TAKE_MSS) mss_q <= {mss_q[7:0], head};
          if (take_q == TAKE_SCALE) scale_q <= head;
          if (take_q == TAKE_STAMP) stamp_q <= {stamp_q[55:0], head};
          if (take_q == TAKE_SACK) block_q[place_q[4:3]][~place_q[2:0]] <= head;
          place_q <= place_q + 1'b1;
          value_q <= value_q - 1'b1;
          if (value_q == 6'd1) at_q <= AT_KIND;
        end
      endcase
    end
    if (fetched && asked_q != 2'd3) asked_q <= asked_q + 1'b1;
    if (word_valid) begin
      unique case (here_q)
        2'd0: {source_port_q, port_q, seq_q} <= word;
        2'd1: begin
          {ack_q, offset_q} <= word[63:28];
          flags_q           <= word[21:16];
          window_q          <= word[15:0];
        end
        2'd2: begin
          urgent_q <= word[47:32];
          bytes_q  <= {word[31:0], 32'b0};
          left_q   <= 4'd4;
          more_q   <= offset_q > 4'd5 ? {offset_q - 4'd5, 2'b00} : '0;
        end
        default: begin
          bytes_q <= word;
          left_q  <= 4'd8;
        end
      endcase
      if (here_q != 2'd3) here_q <= here_q + 1'b1;
    end
    if (rst || restart) begin
      asked_q       <= '0;
      here_q        <= '0;
      left_q        <= '0;
      more_q        <= '0;
      at_q          <= AT_KIND;
      mss_valid_q   <= 1'b0;
      scale_valid_q <= 1'b0;
      permitted_q   <= 1'b0;
      stamp_valid_q <= 1'b0;
      blocks_q      <= '0;
    end
  end

  assign source_port = source_port_q;
  assign port        = port_q;
  assign offset      = offset_q;

  always_comb begin
    arrival = '{
      seq:            seq_q,
      ack:            ack_q,
      flags:          flags_q,
      window:         window_q,
      length:         '0,
      urgent:         urgent_q,
      mss_valid:      mss_valid_q,
      mss:            mss_q,
      scale_valid:    scale_valid_q,
      scale:          scale_q,
      sack_permitted: permitted_q,
      stamp_valid:    stamp_valid_q,
      stamp:          stamp_q[63:32],
      echo:           stamp_q[31:0],
      sack:           '{count: blocks_q, block: block_q},
      spare:          1'b0,
      delivered:      1'b0,
      tried:          1'b0
    };
  end

  // A word that comes never covers bytes that are not walked yet.
  a_in_time : assert property (@(posedge clk) disable iff (rst) word_valid && here_q == 2'd3 -> left_q <= 4'd1);
  a_blocks : assert property (@(posedge clk) disable iff (rst) blocks_q <= 3'(GAPS));

endmodule
