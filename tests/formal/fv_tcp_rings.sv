// SPDX-License-Identifier: Apache-2.0
//
// tcp_rings with rings anywhere, any placements and fetches of up to 24 bytes, and a memory that takes and answers
// requests when it likes. One placement and one fetch, freely chosen, are followed: the bytes of the one are ones,
// where those of all others are zeros, the dwords of the other are apart from those of all others, and memory refuses
// exactly what belongs to the two. So what is told as refused is them: each is told once, in order, when all its
// requests are answered, and its requests and beats have as many bytes as it has. No answer finds anything full, or
// nobody who asked.
module fv_tcp_rings
  import acb_pkg::*;
  import frame_pkg::frame_beat_t;
  import tcp_pkg::*;
(
  input logic              clk,
  input logic              set_valid,
  input index_t            set_index,
  input rings_t            set,
  input logic              payload_likes,
  input index_t            any_index,
  input logic [RING_W-1:0] any_offset,
  input logic              any_last,
  input logic [2:0]        any_tail,       // bytes of a last beat, less one
  input logic              any_followed,
  input logic              any_early,
  input logic              fetch_valid,
  input index_t            fetch_index,
  input logic [4:0]        fetch_offset,
  input logic [4:0]        fetch_length,
  input logic              fetch_followed,
  input logic              fetched_ready,
  input logic              likes_request,
  input logic              likes_answer
);

  localparam int unsigned IN_FLIGHT = 2;
  localparam int unsigned UNDER_WAY = 2 * IN_FLIGHT;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  rx_payload_t payload;
  fetch_t      fetch;
  frame_beat_t fetched;
  acb_m2s_t    acb_m2s, acb_read_m2s;
  acb_s2m_t    acb_s2m, acb_read_s2m;
  ring_ask_t [RING_GUESTS-1:0] guests;
  ring_answer_t guest_answer;
  logic        payload_ready, placed, early_placed, placed_error, fetch_ready, fetched_valid, fetched_error, idle;
  logic        fetch_idle;

  tcp_rings #(.CONNECTIONS(4), .IN_FLIGHT(IN_FLIGHT)) dut (.*);

  assign guests       = '0;
  assign acb_read_s2m = '0;

  m_set : assume property (@(posedge clk)
    32'(set_index) < 4 && (set.rx_base & ~('1 << set.rx_ring)) == '0 && (set.tx_base & ~('1 << set.tx_ring)) == '0);

  // ---- Placements: a beat stays until it is taken, and what belongs to one is the same beside all its beats

  logic              valid_q, going_q, last_q, followed_q, marked_q, mark, beat_marked, taken;
  logic              early_q, marked_early_q;  // of this placement, of the followed one
  logic [1:0]        beats_q;
  logic [2:0]        tail_q;
  index_t            index_q;
  logic [RING_W-1:0] offset_q;
  logic [4:0]        placed_bytes_q, written_bytes_q;  // of the followed one: taken; in requests that memory has taken

  assign taken       = valid_q && payload_ready;
  assign beat_marked = going_q ? marked_q : mark;

  always_comb begin
    payload              = '0;
    payload.valid        = valid_q;
    payload.early        = early_q;
    payload.index        = index_q;
    payload.place.offset = offset_q;
    payload.beat.tlast   = last_q;
    payload.beat.tdata   = {64{beat_marked}};
    payload.beat.tkeep   = last_q ? ~(8'h7F >> tail_q) : '1;
  end

  function automatic logic [3:0] ones(input logic [7:0] bits);
    ones = '0;
    for (int i = 0; i < 8; i++) ones += 4'(bits[i]);
  endfunction

  always_ff @(posedge clk) begin
    if (taken || !valid_q) begin
      valid_q <= payload_likes;
      tail_q  <= any_tail;
      last_q  <= any_last || (taken && !last_q && beats_q == 2'd1);
    end
    if (taken) begin
      going_q  <= !last_q;
      beats_q  <= last_q ? '0 : beats_q + 1'b1;
      marked_q <= beat_marked;
      if (!going_q && mark) marked_early_q <= early_q;
      if (beat_marked) placed_bytes_q <= placed_bytes_q + 5'(ones(payload.beat.tkeep));
    end
    if (rst || (taken && last_q) || (!valid_q && !going_q)) begin
      index_q    <= any_index;
      offset_q   <= any_offset;
      followed_q <= any_followed;
      early_q    <= any_early;
    end
    if (rst) begin
      valid_q        <= 1'b0;
      going_q        <= 1'b0;
      beats_q        <= '0;
      marked_q       <= 1'b0;
      placed_bytes_q <= '0;
    end
  end

  m_index : assume property (@(posedge clk) 32'(any_index) < 4 && 32'(fetch_index) < 4);

  logic [2:0] placements, fetches;
  logic       placement_next, placement_waits, fetch_next, fetch_waits, fetch_mark;

  fv_order #(.MAX(5)) order_placed (
    .clk, .rst, .follow(followed_q), .mark, .in(taken && !going_q), .out(placed || early_placed),
    .out_marked(placed_error), .count(placements), .waits(placement_waits), .next(placement_next)
  );

  // ---- Fetches

  logic       fetch_taken, beat_taken;
  logic [4:0] length_q, fetched_bytes_q;  // of the followed one

  assign fetch_taken = fetch_valid && fetch_ready;
  assign beat_taken  = fetched_valid && fetched_ready;
  assign fetch       = '{index: fetch_index, offset: {7'b0, fetch_mark, 5'b0, fetch_offset}, length: 16'(fetch_length)};

  m_length : assume property (@(posedge clk) fetch_length != '0 && fetch_length <= 5'd24);

  always_ff @(posedge clk) begin
    if (fetch_taken && fetch_mark) length_q <= fetch_length;
    if (beat_taken && fetch_next) fetched_bytes_q <= fetched_bytes_q + 5'(ones(fetched.tkeep));
    if (rst) fetched_bytes_q <= '0;
  end

  fv_order #(.MAX(6)) order_fetched (
    .clk, .rst, .follow(fetch_followed), .mark(fetch_mark), .in(fetch_taken), .out(beat_taken && fetched.tlast),
    .out_marked(fetched_error), .count(fetches), .waits(fetch_waits), .next(fetch_next)
  );

  // ---- Memory: what it refuses waits with the requests

  logic                 request_taken, answered, marked, whole;
  logic [63:0]          kept;
  logic [2:0]           count;
  logic [UNDER_WAY-1:0] refuse_q, is_read_q;
  logic                 unused_marked;

  fv_slave #(.DEPTH(UNDER_WAY)) memory (
    .clk, .rst, .likes_request, .likes_answer, .req_valid(acb_m2s.req_valid), .req_ready(acb_s2m.req_ready),
    .req_marked(1'b0), .rsp_valid(acb_s2m.rsp_valid), .rsp_ready(acb_m2s.rsp_ready), .rsp_marked(unused_marked), .count
  );

  always_comb begin
    for (int i = 0; i < 8; i++) kept[8*i +: 8] = {8{acb_m2s.req.byte_mask[i]}};
  end

  assign acb_s2m.rsp   = '{err: refuse_q[0], data: '0};
  assign request_taken = acb_m2s.req_valid && acb_s2m.req_ready;
  assign answered      = acb_s2m.rsp_valid && acb_m2s.rsp_ready;
  assign marked        = acb_m2s.req.read ? acb_m2s.req.address[10] : (acb_m2s.req.write_data & kept) != '0;
  assign whole          = acb_m2s.req.read || !marked || (acb_m2s.req.write_data & kept) == kept;

  logic [UNDER_WAY-1:0] place;

  assign place = UNDER_WAY'(1) << (count - 3'(answered));

  always_ff @(posedge clk) begin
    for (int i = 0; i < int'(UNDER_WAY); i++) begin
      if (request_taken && place[i]) begin
        refuse_q[i]  <= marked;
        is_read_q[i] <= acb_m2s.req.read;
      end else if (answered) begin
        refuse_q[i]  <= i == int'(UNDER_WAY) - 1 ? 1'b0 : refuse_q[(i + 1) % int'(UNDER_WAY)];
        is_read_q[i] <= is_read_q[(i + 1) % int'(UNDER_WAY)];
      end
    end
    if (request_taken && marked && !acb_m2s.req.read) begin
      written_bytes_q <= written_bytes_q + 5'(ones(acb_m2s.req.byte_mask));
    end
    if (rst) begin
      refuse_q        <= '0;
      written_bytes_q <= '0;
    end
  end

  // ---- What must hold

  acb_req_t before_q;
  logic     stays_q;

  always_ff @(posedge clk) begin
    before_q <= acb_m2s.req;
    stays_q  <= acb_m2s.req_valid && !acb_s2m.req_ready && !rst;
  end

  a_stays : assert property (@(posedge clk) disable iff (rst)
    stays_q -> acb_m2s.req_valid && acb_m2s.req == before_q);
  a_answers_taken : assert property (@(posedge clk) disable iff (rst) acb_m2s.rsp_ready);
  a_whole : assert property (@(posedge clk) disable iff (rst) acb_m2s.req_valid -> whole);
  a_placed : assert property (@(posedge clk) disable iff (rst)
    (placed || early_placed) && placement_next -> written_bytes_q == placed_bytes_q && (refuse_q & ~is_read_q) == '0
                                && !(going_q && marked_q));
  a_early : assert property (@(posedge clk) disable iff (rst)
    !(placed && early_placed) && ((placed || early_placed) && placement_next -> early_placed == marked_early_q));
  a_fetched : assert property (@(posedge clk) disable iff (rst)
    beat_taken && fetched.tlast && fetch_next -> fetched_bytes_q + 5'(ones(fetched.tkeep)) == length_q);
  a_idle : assert property (@(posedge clk) disable iff (rst)
    idle -> placements == '0 && fetches == '0 && count == '0 && !acb_m2s.req_valid);

  logic unused;
  assign unused = &{1'b0, placement_waits, fetch_waits, unused_marked, guest_answer};

endmodule
