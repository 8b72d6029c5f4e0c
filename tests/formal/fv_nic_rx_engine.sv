// SPDX-License-Identifier: Apache-2.0
//
// nic_rx_engine between a free source of frames, a memory that answers when it likes (an error whenever it likes) and
// queues that give and take when they like: a fetched pointer is delivered or returned exactly once, and no other one
// is (one freely chosen pointer is followed); `held` is exact in every cycle.
module fv_nic_rx_engine
  import acb_pkg::*;
  import frame_pkg::*;
  import nic_pkg::*;
#(
  localparam int unsigned SERVERS = MAX_SERVERS
) (
  input logic                      clk,
  input logic                      follow,
  input logic                      enable,
  input logic                      loopback,
  input logic [SERVERS-1:0]        servers_enabled,
  input logic [6:0]                queue_depth,
  input logic [15:0]               max_length,
  input frame_beat_t               rx_frame,
  input logic                      rx_frame_valid,
  input logic                      rx_frame_bad,
  input logic                      tx_claims,
  input logic                      steering_flow,
  input logic [23:0]               rx_patience,
  input logic                      converted_valid,
  input logic                      none_free,
  input logic                      likes_request,
  input logic                      likes_answer,
  input logic                      err,
  input logic                      fetch_likes,
  input logic                      deliver_ready,
  input logic                      deliver_refused,
  input logic                      return_ready,
  input logic [2*SERVERS-1:0][6:0] occupancy
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // Beats as on the frame stream.
  logic [7:0] lost;
  assign lost = ~rx_frame.tkeep;
  m_refused : assume property (@(posedge clk) !(deliver_refused && deliver_ready));
  m_keep : assume property (@(posedge clk)
    rx_frame.tkeep[7] && (lost & (lost + 8'd1)) == '0 && (rx_frame.tlast || lost == '0));

  logic                 rx_frame_ready, mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;
  acb_rsp_t             mem_rsp;
  logic                 fetch_valid, fetch_ready, return_valid;
  logic [31:3]          fetched, delivered, returned;
  logic [2*SERVERS-1:0] deliver_to;
  logic [7:0]           held;
  logic                 elsewhere, outside;
  logic [6:0]           in_flight;

  rx_queues_req_t queues_req;
  acb_m2s_t       mem_m2s;
  engine_status_t status;

  assign fetch_valid   = queues_req.fetch_valid;
  assign deliver_to    = queues_req.deliver_to;
  assign delivered     = queues_req.delivered;
  assign return_valid  = queues_req.return_valid;
  assign returned      = queues_req.returned;
  assign mem_req_valid = mem_m2s.req_valid;
  assign mem_rsp_ready = mem_m2s.rsp_ready;
  assign held          = status.held;
  assign outside       = mem_m2s.req.address[31];

  // The followed pointer is outside the steady memory, all others are in it.
  nic_rx_engine #(.STEADY_BASE(32'h0), .STEADY_BYTES(32'h8000_0000)) dut (
    .clk, .rst, .enable, .max_length,
    .settings('{nic_enable: 1'b1, nic_loopback: loopback, steering_flow: steering_flow,
                servers_enabled: servers_enabled, buffer_size: '0, rx_patience: rx_patience}),
    .queues  ('{occupancy: {7'b0, occupancy}, empty: '0, room: '0, room_in_each: queue_depth, held: '0, lock_held: '0}),
    .tx_claims, .elsewhere,
    .rx_frame('{user: '{bad: rx_frame_bad, stamp: '0}, beat: rx_frame, valid: rx_frame_valid}), .rx_frame_ready,
    .stamp(), .stamp_time('{valid: converted_valid, ns: '0}),
    .mem_m2s, .mem_s2m('{req_ready: mem_req_ready, rsp: mem_rsp, rsp_valid: mem_rsp_valid}),
    .queues_req,
    .queues_rsp('{fetch_ready: fetch_ready, fetched: fetched, none_free: none_free, deliver_ready: deliver_ready,
                  deliver_refused: deliver_refused, return_ready: return_ready}),
    .fates(), .discards(), .status
  );

  fv_slave #(.DEPTH(64)) memory (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(mem_req_valid), .req_ready(mem_req_ready), .req_marked(1'b0),
    .rsp_valid(mem_rsp_valid), .rsp_ready(mem_rsp_ready), .rsp_marked(), .count(in_flight)
  );
  assign mem_rsp = '{err: err, data: '0};

  // The followed pointer is the one with its top bit set. It is inside from the cycle of its fetch on, and shown to the
  // engine in the cycle after.
  logic       fetch, leave, leaves_marked, mark, mark_q, inside_q, gone_q;
  logic [7:0] count_q;

  assign fetch_ready   = fetch_likes && !none_free;
  assign fetch         = fetch_valid && fetch_ready;
  assign fetched       = {mark_q, 28'b0};
  assign mark          = follow && fetch && !inside_q && !gone_q;
  assign leave         = (deliver_to != '0 && deliver_ready) || (return_valid && return_ready);
  assign leaves_marked = (deliver_to != '0 && deliver_ready && delivered[31])
                         || (return_valid && return_ready && returned[31]);

  always_ff @(posedge clk) begin
    mark_q  <= mark;
    count_q <= count_q + 8'(fetch) - 8'(deliver_to != '0 && deliver_ready) - 8'(return_valid && return_ready);
    if (mark) inside_q <= 1'b1;
    else if (leaves_marked) inside_q <= 1'b0;
    if (leaves_marked) gone_q <= 1'b1;
    if (rst) begin
      count_q  <= '0;
      inside_q <= 1'b0;
      gone_q   <= 1'b0;
    end
  end

  a_held : assert property (@(posedge clk) disable iff (rst) held == count_q);
  a_few : assert property (@(posedge clk) disable iff (rst) count_q <= 8'd6);
  a_once : assert property (@(posedge clk) disable iff (rst)
    leaves_marked -> inside_q && !gone_q
      && !(deliver_to != '0 && deliver_ready && delivered[31] && return_valid && return_ready && returned[31]));
  a_none_lost : assert property (@(posedge clk) disable iff (rst) held == '0 -> !inside_q);
  a_leaves : assert property (@(posedge clk) disable iff (rst) leave -> count_q != '0);

  // A claim of three cycles that finds nothing elsewhere keeps it so: from then on to its end no access there is asked
  // for or unanswered.
  logic [1:0] claimed_q;
  logic [6:0] outside_q;  // answers up to the one to the last request elsewhere
  logic       sure_q, sure;
  assign sure = tx_claims && claimed_q == 2'd2 && (sure_q || !elsewhere);
  always_ff @(posedge clk) begin
    claimed_q <= rst || !tx_claims ? '0 : claimed_q + 2'(claimed_q != 2'd2);
    sure_q    <= sure && !rst;
    if (mem_req_valid && mem_req_ready && outside) outside_q <= in_flight + 7'd1 - 7'(mem_rsp_valid);
    else if (mem_rsp_valid && outside_q != '0) outside_q <= outside_q - 1'b1;
    if (rst) outside_q <= '0;
  end
  a_none_elsewhere : assert property (@(posedge clk) disable iff (rst)
    sure -> outside_q == '0 && !(mem_req_valid && outside));

endmodule
