// SPDX-License-Identifier: Apache-2.0
//
// Makes a segment's header: words of 64 bits for tcp_tx's memory, and the one's complement sum of header and pseudo header.
//
//     step     word    what
//     FIRST    1       acknowledgement, offset, flags, window
//     SECOND   2       place for the sum, urgent pointer; the first option
//     MORE     3 ...   an option of 4 bytes each, the upper half of a word, then the lower one
//     LAST     0       ports, sequence number; waits for the ends
//     MADE     -       `done`: the segment may go, and the next one comes
//
// Options stand as wire.py has them: MSS; NOP, window scale; NOP, NOP, SACK permitted; NOP, NOP, timestamps; NOP, NOP, SACK with
// 1 to 4 blocks; each a multiple of 4 bytes.
//
// Latency in cycles from send_valid to `done`: 3, and one for each 4 bytes of options behind the first 4. `sum_valid` comes a cycle
// behind `done`. Throughput: a header each 4 cycles, and as many more.
// Borders: words through gates out of distributed memory, the others registers; `sum` through the fold.
module tcp_tx_header
  import net_pkg::*;
  import tcp_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  ip_t         address,      // ours

  input  logic        send_valid,   // until done
  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  input  send_t       send,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        send_known,
  input  ends_t       send_ends,
  input  logic        room,         // for a header, when it begins

  output logic [15:0] total,        // bytes of the segment
  output logic [3:0]  offset,       // of its payload, in 4 bytes
  output logic        done,         // pulse

  output logic [1:0]  write,        // the upper, the lower half of a word
  output logic [2:0]  write_index,
  output logic [63:0] write_data,
  output logic        sum_valid,    // pulse
  output logic [15:0] sum
);

  localparam int unsigned OPTIONS = 15;  // of 4 bytes
  localparam logic [7:0]  NOP = 8'd1, MSS = 8'd2, SCALE = 8'd3, SACK_PERMITTED = 8'd4, SACK = 8'd5, STAMP = 8'd8;

  typedef enum logic [2:0] {FIRST, SECOND, MORE, LAST, MADE} header_step_t;

  header_step_t             step_q;
  logic [OPTIONS-1:0]       present, todo, todo_q, pick;  // todo_q: behind the one in option_q
  logic [OPTIONS-1:0][31:0] options;
  logic [31:0]              option, option_q;
  near_t                    edge_d, edge_q;  // the next word of a block, which follows the one that is picked
  logic [3:0]               place_q;  // of the next option, in 4 bytes
  logic [3:0]               options_end, offset_q;
  logic [15:0]              total_q;
  logic                     writes;

  // ---- The options -------------------------------------------------------------------------------------------------

  always_comb begin
    options[0] = {MSS, 8'd4, send.mss};
    options[1] = {NOP, SCALE, 8'd3, 8'(send.scale)};
    options[2] = {NOP, NOP, SACK_PERMITTED, 8'd2};
    options[3] = {NOP, NOP, STAMP, 8'd10};
    options[4] = send.stamp;
    options[5] = send.echo;
    options[6] = {NOP, NOP, SACK, 2'b00, send.sack.count, 3'd2};
    for (int unsigned i = 7; i < OPTIONS; i++) options[i] = whole_of(edge_q, send.ack);
    present = {8'd0, send.sack.count != '0, {3{send.stamp_valid}}, send.sack_permitted, send.scale_valid,
               send.mss_valid};
    for (int unsigned i = 0; i < GAPS; i++) present[7+2*i +: 2] = {2{i < 32'(send.sack.count)}};
  end

  assign options_end = 4'd5 + 4'(send.mss_valid) + 4'(send.scale_valid) + 4'(send.sack_permitted)
                       + {2'b00, {2{send.stamp_valid}}} + {send.sack.count, send.sack.count != '0};
  assign offset = offset_q;
  assign total  = total_q;

  // The next one, a cycle before it is written; nothing when there is none.
  assign todo = step_q == FIRST ? present : todo_q;
  assign pick = todo & (~todo + 1'b1);

  always_comb begin
    option = '0;
    for (int unsigned i = 0; i < 7; i++) option |= options[i] & {32{pick[i]}};
    option |= options[7] & {32{|pick[OPTIONS-1:7]}};
    edge_d = '0;
    for (int unsigned i = 0; i < GAPS; i++) begin
      edge_d |= send.sack.block[i].begin_seq & {NEAR_W{pick[6+2*i]}};
      edge_d |= send.sack.block[i].end_seq & {NEAR_W{pick[7+2*i]}};
    end
  end

  // ---- Step by step ------------------------------------------------------------------------------------------------

  always_comb begin
    write       = 2'b11;
    write_index = 3'd1;
    write_data  = {send.ack, options_end, 6'd0, send.flags, send.window};
    writes      = step_q == FIRST && send_valid && room;
    unique case (step_q)
      FIRST: ;
      SECOND: begin
        write_index = 3'd2;
        write_data  = {16'd0, send.urgent, option_q};
        writes      = 1'b1;
      end
      MORE: begin
        write       = {!place_q[0], place_q[0]};
        write_index = place_q[3:1];
        write_data  = {option_q & {32{write[1]}}, option_q & {32{write[0]}}};
        writes      = 1'b1;
      end
      default: begin
        write_index = 3'd0;
        write_data  = {send_ends.port, send_ends.peer_port, send.seq};
        writes      = step_q == LAST && send_known;
      end
    endcase
    if (!writes) write = 2'b00;
  end

  always_ff @(posedge clk) begin
    edge_q   <= edge_d;
    option_q <= option;
    todo_q   <= todo & ~pick;
    if (step_q == FIRST) place_q <= 4'd6;
    else if (step_q == MORE) place_q <= place_q + 1'b1;
    if (step_q == FIRST) begin
      offset_q <= options_end;
      total_q  <= send.length + 16'({options_end, 2'b00});
    end
    unique case (step_q)
      FIRST:        if (writes) step_q <= SECOND;
      SECOND, MORE: step_q <= todo_q == '0 ? LAST : MORE;
      LAST:         if (writes) step_q <= MADE;
      default:      step_q <= FIRST;
    endcase
    if (rst) step_q <= FIRST;
  end

  assign done = step_q == MADE;

  // ---- The sum: address and protocol begin it, length and offset come with the second word, the peer's with the last

  logic [63:0] summed;
  logic [17:0] pair_q [2];
  logic        pairs_q, begins_q, sum_valid_q;
  logic [17:0] own_q;
  logic [21:0] sum_q;

  always_comb begin
    summed = write_data;
    if (step_q == FIRST) summed[31:28] = '0;  // the offset, which is known late
  end

  always_ff @(posedge clk) begin
    pair_q[0] <= 18'(summed[63:48]) + 18'(summed[47:32])
                 + (step_q == LAST ? 18'(send_ends.address[31:16]) : step_q == SECOND ? 18'(total_q) : '0);
    pair_q[1] <= 18'(summed[31:16]) + 18'(summed[15:0])
                 + (step_q == LAST ? 18'(send_ends.address[15:0])
                    : step_q == SECOND ? 18'({offset_q, 12'd0}) : '0);
    pairs_q   <= writes;
    begins_q  <= step_q == FIRST;
    own_q     <= 18'(address[31:16]) + 18'(address[15:0]) + 18'(PROTOCOL_TCP);
    if (pairs_q) sum_q <= (begins_q ? 22'(own_q) : sum_q) + 22'(pair_q[0]) + 22'(pair_q[1]);
    sum_valid_q <= done;
    if (rst) sum_valid_q <= 1'b0;
  end

  assign sum_valid = sum_valid_q;
  assign sum       = fold(32'(sum_q));

  a_options : assert property (@(posedge clk) disable iff (rst)
    step_q == SECOND -> $countones(present) <= 10 && 32'(send.sack.count) <= GAPS);

endmodule
