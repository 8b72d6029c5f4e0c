// SPDX-License-Identifier: Apache-2.0
//
// Receive that does not store: looks at each frame on its way to net, and gives the payload of a segment that is the next in
// order to the application while it comes in. net and tcp get the same frame, and all that follows from it (acknowledgement,
// window, ring, what is out of order) is theirs: what is left out here comes later, out of the ring.
//
//     frame --+--> header, by place --> ends --> tcp_fast_ends --> tcp_fast_copy, tcp_stream --> the next in order?
//             +--> dwords of the payload --> beats --> store --+--> m: from the decision on (early), or behind the verdict
//             +--> sums, lengths -------------> verdict -------+
//
//     cycle     0   1   2   3   4   5   6   7   8   9   10  11      60 bytes, a word a cycle
//     frame     b0  b1  b2  b3  b4  b5  b6  b7
//     word_q        b0  b1  b2  b3  b4  b5  b6  b7
//     find                              e
//     found                                     i                    the copy and the stream's position are read
//     near_q                                            .            compared
//     verdict                                           .            FCS, sums of the last word, and whether it is ours
//     m                                                     p0
//
// What passes here: to our MAC address and ours alone, IPv4 without options and fragments, TCP with a header of 20 bytes, ACK
// with or without PSH, a payload that lies in the frame and begins where the last byte given to the application ended, within
// the window, while the connection takes text and nothing is held behind a gap; its acknowledgement is of what was sent. The
// payload's last beat waits for the verdict. `abort` beside it: FCS, a sum or a length was wrong, nothing of this packet
// counts (early only; behind the verdict it is never seen). On a good one tcp_stream is told (`fast_valid`), and counts its
// bytes as delivered.
//
// While a segment of a connection is under way here (`hold`), tcp_stream begins no packet of it; while it gives one (`busy`)
// none begins here. A store that is full, or a position that moved: the segment is left to the ring, `left_out`.
//
// Latency: 4 cycles from the frame's last word to the payload's last beat. Throughput: a word a cycle.
// Room: DEPTH beats, FRAMES packets. Borders: m through the store's memory from registers; the others registers.
module tcp_fast_rx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned LINE  = 64,        // of the frame's words
  parameter int unsigned DEPTH = 4096 * 8 / WIDTH,
  localparam int unsigned KEEP  = WIDTH / 8,
  localparam int unsigned LANES = LINE / 8
) (
  input  logic             clk,
  input  logic             rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t    settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [LINE-1:0]  frame_tdata,   // each word that net takes
  input  logic [LANES-1:0] frame_tkeep,
  input  logic             frame_tlast,
  input  logic             frame_bad,     // with frame_tlast
  input  logic             frame_valid,
  input  logic             early,

  output ends_t            find,
  input  logic             found,         // in the next cycle but one
  input  index_t           found_index,
  output index_t           at,            // found_index
  input  fast_rx_t         copy,          // in the next cycle, as these two
  input  logic [31:0]      look_delivered,
  input  logic             look_open,

  output logic             hold_valid,
  output index_t           hold_index,
  input  logic             busy_valid,
  input  index_t           busy_index,
  output logic             fast_valid,    // pulse: delivered ...
  output index_t           fast_index,
  output logic [31:0]      fast_position, // ... up to here

  output logic [WIDTH-1:0] m_tdata,
  output logic [KEEP-1:0]  m_tkeep,
  output logic             m_tlast,
  output logic             m_tabort,      // with m_tlast
  output index_t           m_tdest,
  output logic             m_tvalid,
  input  logic             m_tready,

  output logic             parsed,        // taps, pulses: the last beat is made; ...
  output logic             verdict,       // ... the verdict about a segment that passes here is known
  output logic             good,          // it was delivered
  output logic             aborted,       // it was not: given up
  output logic             left_out       // a segment in order had no room here
);

  if (WIDTH < 64 || WIDTH > 512 || (WIDTH & (WIDTH - 1)) != 0) begin : g_bad_width
    $error("tcp_fast_rx: WIDTH must be 64, 128, 256 or 512");
  end
  if (LINE != 64) begin : g_bad_line
    $error("tcp_fast_rx: LINE must be 64");
  end

  localparam int unsigned HEADER  = ETHERNET_BYTES + IP_BYTES + 20;
  localparam int unsigned SPLIT   = HEADER % LANES;                     // the payload's first lane
  localparam int unsigned FIRST   = HEADER / LANES;                     // the word with it
  localparam int unsigned PLACE_W = 8;
  localparam int unsigned WORDS   = WIDTH / LINE;                       // dwords of a beat
  localparam int unsigned WORD_W  = WORDS == 1 ? 1 : $clog2(WORDS);
  localparam int unsigned PTR_W   = $clog2(DEPTH);
  localparam int unsigned FRAMES  = 16;

  typedef logic [PTR_W:0] ptr_t;

  // ---- The word, its place, the header -------------------------------------------------------------------------------

  logic [LINE-1:0]    word_q;
  logic [LINE-8*SPLIT-1:0] before_q;     // of the word before, what is in the next dword
  logic [LANES-1:0]   keep_q;
  logic               valid_q, last_q, bad_q, begins, ends;
  logic [PLACE_W-1:0] place_q;           // of word_q in its frame, stops
  logic [HEADER-1:0][7:0] header_q;      // [HEADER-1] came first

  assign begins = valid_q && place_q == '0;
  assign ends   = valid_q && last_q;

  always_ff @(posedge clk) begin
    word_q  <= frame_tdata;
    keep_q  <= frame_tkeep;
    last_q  <= frame_tlast;
    bad_q   <= frame_bad;
    valid_q <= frame_valid && !rst;
    if (valid_q) begin
      before_q <= word_q[LINE-8*SPLIT-1:0];
      place_q  <= last_q ? '0 : place_q == '1 ? place_q : place_q + 1'b1;
      for (int unsigned i = 0; i < HEADER; i++) begin
        if (place_q == PLACE_W'(i / LANES)) header_q[HEADER-1-i] <= word_q[LINE-1 - 8*(i%LANES) -: 8];
      end
    end
    if (rst) place_q <= '0;
  end

  function automatic logic [15:0] half(input logic [HEADER-1:0][7:0] bytes, input int unsigned i);
    return {bytes[HEADER-1-i], bytes[HEADER-2-i]};
  endfunction

  function automatic logic [31:0] full(input logic [HEADER-1:0][7:0] bytes, input int unsigned i);
    return {half(bytes, i), half(bytes, i + 2)};
  endfunction

  seq_t        seq, ack;
  logic        plain_q, plain_now;       // the header so far is one for here
  logic        headed_q;                 // all that is compared of it is there
  logic [15:0] total_q;                  // of IPv4
  logic [16:0] length_q;                 // of the payload; [16]: negative

  assign find = '{address: full(header_q, 26), peer_port: half(header_q, 34), port: half(header_q, 36)};
  assign seq  = full(header_q, 38);
  assign ack  = full(header_q, 42);

  always_comb begin
    plain_now = 1'b1;
    unique case (place_q)
      PLACE_W'(0): plain_now = word_q[63:16] == settings.mac && settings.enable && settings.tcp;
      PLACE_W'(1): plain_now = word_q[31:16] == TYPE_IP && word_q[15:8] == 8'h45;
      PLACE_W'(2): plain_now = word_q[29:16] != '0 ? 1'b0 : word_q[7:0] == PROTOCOL_TCP;
      PLACE_W'(3): plain_now = word_q[15:0] == settings.address[31:16];
      PLACE_W'(4): plain_now = word_q[63:48] == settings.address[15:0];
      PLACE_W'(5): plain_now = word_q[15:12] == 4'd5 && (word_q[5:0] & 6'b110111) == 6'b010000;  // ACK, PSH or not
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    if (valid_q) begin
      plain_q  <= (begins || plain_q) && plain_now;
      headed_q <= !begins && (headed_q || place_q == PLACE_W'(FIRST - 1));
      if (place_q == PLACE_W'(2)) total_q <= word_q[LINE-1 -: 16];
    end
    length_q <= {1'b0, total_q} - 17'(IP_BYTES + 20);
    if (rst) headed_q <= 1'b0;
  end

  // ---- Whose, and is it the next? ------------------------------------------------------------------------------------

  logic [2:0]  step_q;                   // the word with the ends was here so many cycles ago, less one
  logic        asks, compares, decides, ours_d, ours_now;
  logic        looked_q, near_q, decided_q, ours_q, clash_q, clash_now;
  logic        open_frame_q;             // there is no verdict yet
  index_t      index_q;
  logic        open_q, next_q, behind_q, fits_q, acked_q;
  logic        frames_ready;             // there is a place for one more packet
  logic [31:0] position_q, position;
  logic        end2_q;                   // the frame's last word was here two cycles ago
  near_t       span;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  seq_t        behind_nxt, behind_una, before_max;
  /* verilator lint_on UNUSEDSIGNAL */

  assign asks      = valid_q && place_q == PLACE_W'(4);
  assign at        = step_q[2] ? found_index : index_q;
  assign clash_now = busy_valid && busy_index == at;
  assign compares  = looked_q && headed_q && !near_q;
  assign decides   = near_q && !decided_q && open_frame_q;

  assign behind_nxt = seq - copy.nxt;
  assign behind_una = ack - copy.una;
  assign before_max = copy.max - ack;
  assign span       = near_of(behind_nxt) + near_t'(length_q);
  assign position   = seq - copy.base;

  always_ff @(posedge clk) begin
    step_q <= {step_q[1:0], asks};
    if (step_q[2]) index_q <= found_index;
    if (asks) looked_q <= 1'b0;
    else if (step_q[2]) looked_q <= found;
    if (asks) near_q <= 1'b0;
    else if (compares) near_q <= 1'b1;
    if (asks) decided_q <= 1'b0;
    else if (decides) decided_q <= 1'b1;
    if (step_q[2]) clash_q <= clash_now;
    else if (clash_now) clash_q <= 1'b1;
    if (compares) begin
      open_q     <= copy.open && look_open && plain_q && length_q[16:11] == '0 && length_q != '0;
      next_q     <= position == look_delivered;
      behind_q   <= behind_nxt[31:NEAR_W-1] == '0;
      fits_q     <= !near_before(copy.room, span);
      acked_q    <= !behind_una[31] && !before_max[31];
      position_q <= position + 32'(length_q[15:0]);
    end
    if (asks) open_frame_q <= 1'b1;
    else if (end2_q) open_frame_q <= 1'b0;
    if (decides) ours_q <= ours_d;
    if (asks) ours_q <= 1'b0;
    if (rst) begin
      step_q    <= '0;
      looked_q  <= 1'b0;
      near_q    <= 1'b0;
      decided_q <= 1'b0;
      ours_q    <= 1'b0;
      open_frame_q <= 1'b0;
    end
  end

  assign ours_d   = open_q && next_q && behind_q && fits_q && acked_q && !clash_q && frames_ready;
  assign ours_now = decided_q ? ours_q : decides && ours_d;

  // ---- Sums ----------------------------------------------------------------------------------------------------------
  // Of the IPv4 header, and of what is behind it with the addresses; what lies behind the datagram counts 0.

  logic [16:0]            rest_q;        // bytes of the datagram from this word on, at the words with payload
  logic                   rest_more_q;   // these are a word or more
  logic [LANES-1:0]       counts;
  logic [LINE-1:0]        counted;
  logic [LANES/2-1:0]     ip_counts, tcp_counts;
  logic [17:0]            ip_lanes_q, tcp_lanes_q;
  logic [31:0]            ip_sum_q, tcp_sum_q;
  logic                   sums_q, sum_begins_q;
  logic [16:0]            pseudo_q;
  logic                   end1_q, bad1_q, bad2_q, cut1_q, cut2_q, cut;

  always_comb begin
    for (int unsigned i = 0; i < LANES; i++) begin
      counts[LANES-1-i] = place_q < PLACE_W'(FIRST) || rest_more_q || rest_q[3:0] > 4'(i);
      counted[LINE-1 - 8*i -: 8] = word_q[LINE-1 - 8*i -: 8] & {8{counts[LANES-1-i]}};
    end
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      ip_counts[i]  = 32'(place_q) * LANES + 2 * i >= ETHERNET_BYTES
                      && 32'(place_q) * LANES + 2 * i < ETHERNET_BYTES + IP_BYTES;
      tcp_counts[i] = 32'(place_q) * LANES + 2 * i >= ETHERNET_BYTES + 12;
    end
  end

  function automatic logic [17:0] lanes_sum(input logic [LINE-1:0] word, input logic [LANES/2-1:0] mask);
    lanes_sum = '0;
    for (int unsigned i = 0; i < LANES / 2; i++) begin
      lanes_sum += 18'(word[LINE-1 - 16*i -: 16] & {16{mask[i]}});
    end
  endfunction

  // The frame ends before its datagram does.
  assign cut = rest_more_q ? rest_q != 17'(LANES) || keep_q != '1 : (counts & ~keep_q) != '0;

  always_ff @(posedge clk) begin
    if (valid_q) begin
      if (place_q < PLACE_W'(FIRST)) begin
        rest_q      <= length_q + 17'(SPLIT);
        rest_more_q <= !length_q[16] && length_q + 17'(SPLIT) >= 17'(LANES);
      end else begin
        rest_q      <= rest_more_q ? rest_q - 17'(LANES) : '0;
        rest_more_q <= rest_more_q && rest_q >= 17'(2 * LANES);
      end
    end
    sums_q       <= valid_q;
    sum_begins_q <= begins;
    ip_lanes_q   <= lanes_sum(word_q, ip_counts);
    tcp_lanes_q  <= lanes_sum(counted, tcp_counts);
    pseudo_q     <= 17'(length_q[15:0]) + 17'(20 + 32'(PROTOCOL_TCP));
    if (sums_q) begin
      ip_sum_q  <= (sum_begins_q ? '0 : ip_sum_q) + 32'(ip_lanes_q);
      tcp_sum_q <= (sum_begins_q ? '0 : tcp_sum_q) + 32'(tcp_lanes_q) + (end1_q ? 32'(pseudo_q) : '0);
    end
    end1_q <= ends && !rst;
    bad1_q <= bad_q;
    cut1_q <= cut || place_q < PLACE_W'(FIRST);
    end2_q <= end1_q && !rst;
    bad2_q <= bad1_q;
    cut2_q <= cut1_q;
  end

  // ---- The payload: dwords, beats ------------------------------------------------------------------------------------

  logic             makes, flush_q, done_q, last_dword, writes, beat_last, full_q, lost_q;
  logic [16:0]      left_q;              // bytes of the payload from the next dword on
  logic [LINE-1:0]  dword;
  logic [LANES-1:0] dword_keep;
  logic [WORD_W-1:0] slot_q;
  logic [WIDTH-1:0] beat;
  logic [KEEP-1:0]  beat_keep;

  assign makes      = (valid_q && place_q > PLACE_W'(FIRST) && plain_q && !done_q) || flush_q;
  assign last_dword = left_q <= 17'(LANES) || flush_q;
  assign dword      = flush_q ? {before_q, (8*SPLIT)'(0)}
                              : {before_q, word_q[LINE-1 -: 8*SPLIT]};
  assign dword_keep = left_q[16:3] != '0 ? '1 : ~({LANES{1'b1}} >> left_q[2:0]);
  assign beat_last  = last_dword;
  assign writes     = makes && (last_dword || slot_q == WORD_W'(WORDS - 1));

  always_ff @(posedge clk) begin
    // What the last word has left, or would have had.
    flush_q <= ends && plain_q && place_q >= PLACE_W'(FIRST)
               && !(place_q > PLACE_W'(FIRST) && (done_q || last_dword)) && !rst;
    if (begins) done_q <= 1'b0;
    else if (makes && last_dword) done_q <= 1'b1;
    if (valid_q && place_q <= PLACE_W'(FIRST)) begin
      left_q <= length_q;
      slot_q <= '0;
    end else if (makes) begin
      left_q <= left_q - 17'(LANES);
      slot_q <= writes ? '0 : slot_q + 1'b1;
    end
  end

  if (WORDS == 1) begin : g_narrow
    assign beat      = dword;
    assign beat_keep = dword_keep;
  end else begin : g_wide
    logic [WIDTH-1:0] pack_q;

    always_comb begin
      beat      = pack_q;
      beat_keep = '0;
      for (int unsigned i = 0; i < WORDS; i++) begin
        if (slot_q == WORD_W'(i)) beat[WIDTH-1 - LINE*i -: LINE] = dword;
        if (slot_q == WORD_W'(i)) beat_keep[KEEP-1 - LANES*i -: LANES] = dword_keep;
        if (slot_q > WORD_W'(i)) beat_keep[KEEP-1 - LANES*i -: LANES] = '1;
      end
    end

    always_ff @(posedge clk) if (makes) pack_q <= beat;
  end

  // ---- The store -----------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic             last;
    logic [KEEP-1:0]  keep;
    logic [WIDTH-1:0] data;
  } store_t;

  (* ram_style = "distributed" *) store_t mem [DEPTH];
  ptr_t    write_q, start_q, inner_q, shown_q, read_q;  // inner_q: behind the last beat that is none's last
  logic    judges, right, commits, gives_up, pops, frame_pushes, verdicts_ready, index_valid;
  store_t  head;
  index_t  head_index;
  logic    head_abort, verdict_valid;

  assign judges   = end2_q && ours_now;
  assign right    = !bad2_q && !cut2_q && !lost_q && (ip_sum_q[31:16] ^ ip_sum_q[15:0]) == '1
                    && (tcp_sum_q[31:16] ^ tcp_sum_q[15:0]) == '1;
  assign commits  = judges && right;
  assign gives_up = judges && !right;

  always_ff @(posedge clk) begin
    if (writes && !full_q) mem[write_q[PTR_W-1:0]] <= '{last: beat_last, keep: beat_keep, data: beat};
  end

  always_ff @(posedge clk) begin
    if (writes && !full_q) write_q <= write_q + 1'b1;
    if (writes && !full_q && !beat_last) inner_q <= write_q + 1'b1;
    if (begins) lost_q <= 1'b0;
    else if (writes && full_q) lost_q <= 1'b1;
    if (early && ours_now && !end2_q) shown_q <= inner_q;
    full_q <= write_q + ptr_t'(writes && !full_q) - read_q >= ptr_t'(DEPTH - 1);
    if (end2_q) begin
      if (commits || (gives_up && early)) begin
        shown_q <= write_q;
        start_q <= write_q;
        inner_q <= write_q;
      end else begin
        write_q <= start_q;
        inner_q <= start_q;
      end
    end
    if (pops) read_q <= read_q + 1'b1;
    if (rst) begin
      write_q <= '0;
      start_q <= '0;
      inner_q <= '0;
      shown_q <= '0;
      read_q  <= '0;
      full_q  <= 1'b0;
      lost_q  <= 1'b0;
    end
  end

  assign frame_pushes = early ? decides && ours_d : commits;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(INDEX_W), .DEPTH(FRAMES)) u_frames (
    .clk, .rst, .in_data(index_q), .in_valid(frame_pushes), .in_ready(frames_ready),
    .out_data(head_index), .out_valid(index_valid), .out_ready(pops && head.last), .occupancy()
  );

  fifo_lut #(.WIDTH(1), .DEPTH(FRAMES)) u_verdicts (
    .clk, .rst, .in_data(gives_up), .in_valid(commits || (gives_up && early)), .in_ready(verdicts_ready),
    .out_data(head_abort), .out_valid(verdict_valid), .out_ready(pops && head.last), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign head     = mem[read_q[PTR_W-1:0]];
  assign pops     = m_tvalid && m_tready;
  assign m_tvalid = read_q != shown_q;
  assign m_tdata  = head.data;
  assign m_tkeep  = head.keep;
  assign m_tlast  = head.last;
  assign m_tabort = head.last && head_abort;
  assign m_tdest  = head_index;

  // ---- Told ----------------------------------------------------------------------------------------------------------

  logic        hold_q, fast_q, good_q, aborted_q, left_out_q;
  logic        end3_q;                   // fast_valid is there, if it is at all: the hold's last cycle
  index_t      fast_index_q;
  logic [31:0] fast_position_q;

  always_ff @(posedge clk) begin
    if (step_q[2]) hold_q <= found;
    else if (end3_q || (decides && !ours_d)) hold_q <= 1'b0;
    end3_q          <= end2_q && !rst;
    fast_q          <= commits && !rst;
    fast_index_q    <= index_q;
    fast_position_q <= position_q;
    good_q          <= commits && !rst;
    aborted_q       <= gives_up && !rst;
    left_out_q      <= decides && open_q && next_q && !ours_d && !rst;
    if (rst) hold_q <= 1'b0;
  end

  assign hold_valid    = hold_q;
  assign hold_index    = index_q;
  assign fast_valid    = fast_q;
  assign fast_index    = fast_index_q;
  assign fast_position = fast_position_q;
  assign parsed        = writes && beat_last;
  assign verdict       = judges;
  assign good          = good_q;
  assign aborted       = aborted_q;
  assign left_out      = left_out_q;

  a_told : assert property (@(posedge clk) disable iff (rst) m_tvalid -> index_valid && (!head.last || verdict_valid));
  a_room : assert property (@(posedge clk) disable iff (rst)
    (frame_pushes -> frames_ready) && (commits || gives_up -> verdicts_ready));
  a_hold : assert property (@(posedge clk) disable iff (rst) fast_valid -> hold_valid && hold_index == fast_index);
  a_apart : assert property (@(posedge clk) disable iff (rst) flush_q -> !valid_q);

endmodule
