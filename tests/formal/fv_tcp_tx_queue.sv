// SPDX-License-Identifier: Apache-2.0
//
// tcp_tx_queue between a core that begins no event without `room`, has two under way at most and tells each eighth
// cycle, a table that is slow for two cycles at most, and a free taker: no segment finds the queue full; segments leave
// in order, none lost or twice, each with its own ends; one that nobody takes stands.
module fv_tcp_tx_queue
  import tcp_pkg::*;
(
  input logic clk,
  input logic begins,
  input logic tells,
  input logic sends,
  input logic answers,  // it answers an arrival
  input logic read_ready,
  input logic takes
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic   told_valid, room, read_valid, ends_valid, send_valid, send_known, take;
  index_t read_index;
  ends_t  ends, send_ends;
  send_t  send;
  told_t  told;

  tcp_tx_queue #(.DEPTH(4)) dut (.*);

  // The core.
  logic [1:0] under_way_q;
  logic [2:0] pause_q;
  logic [2:0] given_q, taken_q;  // segments
  m_begins : assume property (@(posedge clk) begins -> room && !rst && (under_way_q < 2'd2 || tells));
  m_tells : assume property (@(posedge clk) tells -> !rst && under_way_q != '0 && pause_q == '0);
  assign told_valid = tells;
  always_comb begin
    told                          = '0;
    told.kind                     = answers ? ARRIVAL : TIMER;
    told.index                    = index_t'(given_q);
    told.ends.address             = 32'(given_q);
    told.actions.send_valid       = sends;
    told.actions.send.seq         = 32'(given_q);
  end

  // The table: the ends of each are its number.
  logic       asked_q, ends_q;
  logic [2:0] index_q, answer_q;
  logic [1:0] low_q;
  m_table : assume property (@(posedge clk) low_q == 2'd2 -> read_ready);
  assign ends_valid = ends_q;
  always_comb begin
    ends         = '0;
    ends.address = 32'(answer_q);
  end
  assign take = takes && send_valid && send_known;

  always_ff @(posedge clk) begin
    under_way_q <= under_way_q + 2'(begins) - 2'(tells);
    pause_q     <= tells ? 3'd7 : pause_q - 3'(pause_q != '0);
    given_q     <= given_q + 3'(tells && sends);
    taken_q     <= taken_q + 3'(take);
    asked_q     <= read_valid && read_ready;
    index_q     <= read_index[2:0];
    ends_q      <= asked_q;
    answer_q    <= index_q;
    low_q       <= read_ready ? '0 : low_q + 1'b1;
    if (rst) begin
      under_way_q <= '0;
      pause_q     <= '0;
      given_q     <= '0;
      taken_q     <= '0;
      asked_q     <= 1'b0;
      ends_q      <= 1'b0;
      low_q       <= '0;
    end
  end

  a_order : assert property (@(posedge clk) disable iff (rst)
    send_valid -> send.seq == 32'(taken_q) && given_q != taken_q);
  a_ends : assert property (@(posedge clk) disable iff (rst)
    send_valid && send_known -> send_ends.address == 32'(taken_q));
  a_none_lost : assert property (@(posedge clk) disable iff (rst) send_valid == (given_q != taken_q));
  a_known : assert property (@(posedge clk) disable iff (rst) pause_q == 3'd1 && send_valid -> send_known);
  a_room : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && given_q == taken_q) && given_q == taken_q -> room);

endmodule
