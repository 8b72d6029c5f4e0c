// SPDX-License-Identifier: Apache-2.0
//
// Transmit that does not store: makes the frame of what the application gives before tcp_core has told the segment, where the
// copy of the record says that the core would send just that (tcp_fast_copy), and tells tcp_fast_told. The same bytes are in
// the send ring, and the core's command is under way: a frame that is not made here, or breaks, comes from there.
//
//     s_*, doorbell --> copy, ends --> may it? --> neighbour --> words 0 to 5: Ethernet, IPv4, TCP --+   (LINE = 64)
//     s_* --+--> payload -------------------------------------------> words 6 on, moved by 2 bytes --+--> frame
//           +--> sum of the payload and the header --> word 6 --------------------------------------/
//
// The sum stands in word 6, so a frame may begin before its sum is known. An application that promises its beats without
// gaps gets that head start: the frame begins so that word 6 goes when the sum is there. If it does not keep the promise the
// frame ends with `bad` in place of word 6 (`broken`), and its bytes go from the ring. Without a promise, and behind a
// doorbell, the frame begins when the sum is known: it has all that it needs.
//
//     cycle     0    1    2    3    4         8    9         (one beat; b beats with a promise: word 0 in cycle 3,
//     s         p0                                            or b - 4 if that is later)
//     copy           .
//     neighbour           .
//     frame                    w0   w1  ...   w5   w6
//
// Three packets may be here: one whose frame leaves, one that is whole and waits behind it with its header (next), and one that
// comes in. A packet is told as soon as it is whole and sure to leave, be the line busy or not, so that the core has not told
// it before. s_room is low while what comes would find no place because of what is sure to leave: it waits then, for the line
// alone. Whatever comes while a packet waits here for its doorbell is left to the core.
//
// A packet waits, too, while the core has not told the connection's one before, or as many as tcp_fast_told has places: it
// will soon. After 2**TRIES_W looks it does not.
//
// Also left to it: what is longer than a segment or than the windows leave, less than a full segment while another one is not
// acknowledged (Nagle), whatever is given behind bytes that have not left, a neighbour that is not known.
//
// The sum's word is 6, 3, 1 or 0 with a LINE of 64, 128, 256 or 512. The header's part of the sum is that of the copy
// which is sent, and there as soon as a frame may begin. With 512 the first word has the sum: a promise changes nothing,
// and no frame is cut short.
//
// Latency: 3 cycles from the first beat or the doorbell to the first word, with every LINE; from the last beat to the
// sum's word at the least 3. So b beats have their first word in cycle b + 2, with a promise and a LINE of 64, 128 or 256
// in cycle b - 4, b - 1 or b + 1; never before cycle 3.
// Throughput: a word a cycle, frame behind frame, where a packet has come in while the one before leaves. Room: BYTES.
// Borders: registers; s_room, `at`, `neighbour` through gates or a multiplexer.
module tcp_fast_tx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,    // bits of a beat
  parameter int unsigned LINE  = 64,    // bits of the frame's words
  parameter int unsigned BYTES = 4096,  // a power of two, more than twice MOST
  parameter int unsigned MOST  = 1460,  // bytes of the longest packet
  parameter int unsigned TRIES_W = 9,   // looks, one in two cycles
  localparam int unsigned KEEP  = WIDTH / 8,
  localparam int unsigned LANES = LINE / 8
) (
  input  logic             clk,
  input  logic             rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t    settings,

  // What tcp_stream takes from the application
  input  logic [WIDTH-1:0] s_tdata,
  input  logic [KEEP-1:0]  s_tkeep,
  input  logic             s_tlast,
  input  index_t           s_tdest,
  input  logic [15:0]      s_tlength,
  input  logic             s_tpromise,
  input  logic             s_thold,
  input  logic             s_valid,      // the beat is taken, and counts
  output logic             s_room,       // one that begins is not left to the core for want of a place
  input  logic [31:0]      s_position,   // in the cycle behind the first one: bytes that were given before
  input  logic             doorbell_valid,
  input  index_t           doorbell_dest,

  output index_t           at,
  input  fast_tx_t         copy,         // in the next cycle, as these
  input  ends_t            ends,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic             pending,      // at once
  output ip_t              neighbour,
  input  logic             neighbour_found,  // in the next cycle
  input  mac_t             neighbour_mac,

  output logic             sent_valid,   // pulse: it is on its way
  output fast_sent_t       sent,
  input  logic             sent_room,

  output logic [LINE-1:0]  frame_tdata,
  output logic [LANES-1:0] frame_tkeep,
  output logic             frame_tlast,
  output logic             frame_bad,    // with the last word
  output logic             frame_valid,
  input  logic             frame_ready,

  output logic             go,           // taps, pulses: the first word is made
  output logic             good,         // stat, pulses: a frame has left from here, ...
  output logic             broken,       // ... was cut short, ...
  output logic             left          // ... a packet is left to the core
);

  if (WIDTH < 64 || WIDTH > 512 || (WIDTH & (WIDTH - 1)) != 0) begin : g_bad_width
    $error("tcp_fast_tx: WIDTH must be 64, 128, 256 or 512");
  end
  if (LINE < 64 || LINE > WIDTH || (LINE & (LINE - 1)) != 0) begin : g_bad_line
    $error("tcp_fast_tx: LINE must be 64, 128, 256 or 512, and not more than WIDTH");
  end

  localparam int unsigned HEADER  = ETHERNET_BYTES + IP_BYTES + 20;
  localparam int unsigned SPLIT   = HEADER % LANES;
  localparam int unsigned FIRST   = HEADER / LANES;      // the word with sum and payload
  localparam bit          HEADED  = FIRST != 0;          // there are words before it
  localparam int unsigned HEAD    = HEADED ? FIRST - 1 : 0;  // cycles, see above: from word 0 to the sum less its own
  localparam int unsigned ROWS    = BYTES / KEEP;
  localparam int unsigned ROW_W   = $clog2(ROWS);
  localparam int unsigned MOST_ROWS = (MOST + KEEP - 1) / KEEP;
  localparam int unsigned SPARE   = 3;                   // one not to be full, one that comes, one that has just come
  localparam int unsigned WORDS   = WIDTH / LINE;
  localparam int unsigned DWORD_W = $clog2(BYTES / LANES);
  localparam int unsigned PLACE_W = 8;
  localparam int unsigned TAIL_W  = $clog2(LANES);
  localparam int unsigned SUM_W   = 17 + $clog2(MOST + 1);

  if (ROWS < 2 * MOST_ROWS + SPARE || (ROWS & (ROWS - 1)) != 0) begin : g_bad_room
    $error("tcp_fast_tx: BYTES must be a power of two with room for two packets");
  end

  typedef enum logic [2:0] {FREE, CHECK, WAIT, SEND, HELD} state_t;
  typedef logic [PLACE_W-1:0] frame_place_t;
  typedef logic [ROW_W-1:0]   row_t;
  typedef logic [DWORD_W-1:0] dword_at_t;

  typedef struct packed {    // of a frame, by its length
    frame_place_t      last; // place of its last word
    logic [TAIL_W-1:0] tail; // bytes in it, 0: all
  } extent_t;

  // ---- The packet that comes in --------------------------------------------------------------------------------------

  state_t      state_q;
  logic        inside_q, fills_q, first, takes, begins, fills, whole_q, rings;
  logic        wrong, wrong_q;           // its beats do not have the bytes that it said
  logic        payload_summed_q;
  index_t      index_q;
  logic [15:0] length_q, frame_end;
  extent_t     extent_q;
  logic        promise_q, placed_q, space_q;
  logic [31:0] position_q, position;
  logic [15:0] come_q;                   // beats that have come, with that of beat_valid_q
  logic        beat_valid_q, beat_first_q, beat_last_q;  // a beat came a cycle ago
  logic [KEEP-1:0] keep_q, last_keep_q;  // as it came; that of the last one
  row_t        row_q, start_q;           // where the next beat goes; where the first one is
  logic [15:0] beats_q;                  // that will come
  logic [15:0] since_q;                  // cycles since the first one, stops
  logic        head_q;                   // a frame that begins now has its sum in time
  logic        next_valid_q;             // see below: a packet waits for the line

  // Of the last beat of so many bytes.
  function automatic logic [KEEP-1:0] keep_of(input logic [15:0] length);
    return ~({KEEP{1'b1}} >> ((length - 16'd1) % 16'(KEEP) + 16'd1));
  endfunction

  // It is sure to go on, or to be left, in this cycle: another one may come in.
  logic        blocked_q;                // it waits: the core has not told what has left before

  assign takes  = state_q == FREE
                  || (!next_valid_q && (payload_summed_q ? (state_q == WAIT && !blocked_q) || state_q == SEND
                                                         : state_q == WAIT && wrong_q));
  assign first  = s_valid && !inside_q;
  assign begins = first && takes && space_q && s_tlength != '0 && s_tlength <= 16'(MOST);
  assign fills  = s_valid && (first ? begins : fills_q);
  assign rings  = doorbell_valid && state_q == HELD && doorbell_dest == index_q && whole_q && !wrong_q;
  assign at     = takes ? s_tdest : index_q;
  assign s_room = state_q == HELD
                  || (space_q && (state_q == FREE || (!next_valid_q && state_q != CHECK && !blocked_q)));

  assign wrong = beat_valid_q && (beat_last_q != (come_q == beats_q)
                                  || keep_q != (beat_last_q ? last_keep_q : {KEEP{1'b1}}));

  assign position  = placed_q ? s_position : position_q;
  assign frame_end = s_tlength + 16'(HEADER);

  always_ff @(posedge clk) begin
    if (s_valid) begin
      inside_q <= !s_tlast;
      fills_q  <= fills && !s_tlast;
      come_q   <= begins ? 16'd1 : come_q + 16'd1;
    end
    beat_valid_q <= fills && !rst;
    beat_first_q <= begins;
    beat_last_q  <= s_tlast;
    keep_q       <= s_tkeep;
    wrong_q      <= (wrong || wrong_q) && !begins;
    placed_q <= begins;
    if (placed_q) position_q <= s_position;
    if (begins) begin
      index_q   <= s_tdest;
      length_q  <= s_tlength;
      extent_q  <= '{last: frame_place_t'((frame_end - 16'd1) >> TAIL_W), tail: frame_end[TAIL_W-1:0]};
      last_keep_q <= keep_of(s_tlength);
      promise_q <= s_tpromise;
      beats_q   <= 16'((17'(s_tlength) + 17'(KEEP - 1)) >> $clog2(KEEP));
      whole_q   <= 1'b0;
    end else if (beat_valid_q && beat_last_q) begin
      whole_q <= 1'b1;
    end
    if (begins) payload_summed_q <= 1'b0;
    else if (beat_valid_q && beat_last_q && !wrong && !wrong_q) payload_summed_q <= 1'b1;
    since_q <= begins ? 16'd1 : since_q == '1 ? since_q : since_q + 1'b1;
    head_q  <= 17'(since_q) + 17'(HEAD + 1) >= 17'(beats_q);
    if (rst) begin
      inside_q <= 1'b0;
      fills_q  <= 1'b0;
      placed_q <= 1'b0;
    end
  end

  // ---- May it? -------------------------------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */  // not all of it
  fast_tx_t    copy_q;
  /* verilator lint_on UNUSEDSIGNAL */
  ends_t       ends_q;
  logic        changed_q;                // the record is not as it was
  logic [TRIES_W:0] tries_q;             // so often blocked_q was
  logic        told_q;                   // it is sure, and waits
  logic        on_link, may_q, stays, may, sure, tells, leaves, starts_now;
  logic        room, loads, begun_q;     // for a word; one is made; the first one was
  logic        breaks;                   // at the sum's word: it is not there
  mac_t        mac_q, mac;

  assign on_link   = ((ends.address ^ settings.address) & settings.mask) == '0;
  assign neighbour = on_link ? ends.address : settings.gateway;

  assign stays      = may_q && neighbour_found;  // it will leave, or waits
  assign may        = stays && !blocked_q;
  assign sure       = payload_summed_q && ((state_q == WAIT && (may || told_q)) || state_q == SEND);
  assign tells      = sure && !told_q;
  assign leaves     = sure && !next_valid_q;
  assign starts_now = state_q == WAIT && may && !wrong_q && !told_q && !next_valid_q
                      && (payload_summed_q || (HEADED && promise_q && head_q));
  assign mac        = told_q ? mac_q : neighbour_mac;

  always_ff @(posedge clk) begin
    changed_q <= state_q == WAIT && copy != copy_q;
    told_q    <= sure && !leaves && !rst;
    mac_q     <= mac;
    if (state_q == CHECK) begin
      copy_q <= copy;
      ends_q <= ends;
      may_q <= copy.open && position == copy.nxt - copy.base && length_q <= 16'(copy.most)
               && (copy.at_once || length_q == 16'(copy.full)) && settings.enable && !tries_q[TRIES_W];
      blocked_q <= pending || !sent_room;
      tries_q   <= tries_q + 1'b1;
    end
    if (state_q == FREE || state_q == HELD || takes) tries_q <= '0;
    if (state_q == FREE || takes || rst) blocked_q <= 1'b0;
    unique case (state_q)
      FREE:  ;
      CHECK: state_q <= WAIT;
      WAIT:  if (!sure) begin
               if (!stays || wrong_q) state_q <= FREE;
               else if (starts_now && !begun_q && room) state_q <= SEND;
               else if (changed_q || blocked_q) state_q <= CHECK;
             end
      SEND:  if (loads && breaks) state_q <= FREE;
      default: if (rings) state_q <= CHECK;  // HELD
               else if (whole_q && (wrong_q || (first && s_tdest == index_q))) state_q <= FREE;
    endcase
    if (takes) state_q <= !begins ? FREE : s_thold ? HELD : CHECK;
    if (rst) state_q <= FREE;
  end

  assign sent_valid = tells;
  assign sent       = '{index: index_q, seq: copy_q.nxt, length: length_q, ack: copy_q.ack, window: copy_q.window};

  // ---- Sums ----------------------------------------------------------------------------------------------------------

  logic [WIDTH-1:0] beat_q, counted;     // behind the last byte 0
  logic [1:0][SUM_W-1:0] lanes, lanes_q;  // of every other 16 bits
  logic [SUM_W-1:0] acc_q;
  logic [18:0]      header1_q, header2_q;  // the header's part, as the copy has it
  logic [18:0]      ip1_q, ip2_q;
  logic [15:0]      sum, ip_sum;

  // Ones' complement: what goes over is added below; both ways at once.
  function automatic logic [15:0] folded(input logic [SUM_W-1:0] total);
    logic [16:0] once;
    logic [15:0] more;
    once = 17'(total[15:0]) + 17'(total[SUM_W-1:16]);
    more = total[15:0] + 16'(total[SUM_W-1:16]) + 16'd1;
    return once[16] ? more : once[15:0];
  endfunction

  always_comb begin
    lanes = '0;
    for (int unsigned i = 0; i < KEEP; i++) counted[8*i +: 8] = s_tdata[8*i +: 8] & {8{s_tkeep[i]}};
    for (int unsigned i = 0; i < WIDTH / 16; i++) lanes[i%2] += SUM_W'(counted[16*i +: 16]);
  end

  always_ff @(posedge clk) begin
    beat_q        <= s_tdata;
    lanes_q       <= lanes;
    acc_q         <= (beat_first_q ? '0 : acc_q) + (beat_valid_q ? lanes_q[1] + lanes_q[0] : '0);
    if (state_q == CHECK) begin
      header1_q <= 19'(copy.nxt[31:16]) + 19'(copy.nxt[15:0]) + 19'(copy.ack[31:16]) + 19'(copy.ack[15:0])
                   + 19'(ends.address[31:16]) + 19'(ends.address[15:0]) + 19'(ends.port) + 19'(ends.peer_port);
      header2_q <= 19'(settings.address[31:16]) + 19'(settings.address[15:0]) + 19'(copy.window)
                   + 19'(length_q) + 19'(20 + 32'(PROTOCOL_TCP)) + 19'h5018;
      ip1_q     <= 19'(settings.address[31:16]) + 19'(settings.address[15:0]) + 19'(ends.address[31:16])
                   + 19'(ends.address[15:0]);
      ip2_q     <= 19'({copy.ttl, PROTOCOL_TCP}) + 19'h08500 + 19'({copy.dscp, 2'b00}) + 19'(length_q)
                   + 19'(IP_BYTES + 20);
    end
  end

  assign sum    = ~folded(acc_q + SUM_W'(header1_q) + SUM_W'(header2_q));
  assign ip_sum = ~folded(SUM_W'(ip1_q) + SUM_W'(ip2_q));

  // ---- The next one: whole, sure, told. Here until all of its header is out. Without it the header is that of what comes in.

  logic [8*HEADER-1:0] header, next_header_q, out_header;
  extent_t             next_extent_q, out_extent;
  row_t                next_start_q;
  logic                at_sum, next_goes;

  assign header = {
    mac, settings.mac, TYPE_IP,
    8'h45, copy_q.dscp, 2'b00, length_q + 16'(IP_BYTES + 20), 16'h0000, 16'h4000, copy_q.ttl, PROTOCOL_TCP, ip_sum,
    settings.address, ends_q.address,
    ends_q.port, ends_q.peer_port, copy_q.nxt, copy_q.ack, 16'h5018, copy_q.window, sum, 16'h0000
  };

  assign next_goes  = next_valid_q && loads && at_sum;
  assign out_header = next_valid_q ? next_header_q : header;
  assign out_extent = next_valid_q ? next_extent_q : extent_q;

  always_ff @(posedge clk) begin
    if (leaves) begin
      next_header_q <= header;
      next_extent_q <= extent_q;
      next_start_q  <= start_q;
    end
    next_valid_q <= next_valid_q ? !next_goes : leaves && !(loads && at_sum);
    if (rst) next_valid_q <= 1'b0;
  end

  // ---- The frame that leaves -----------------------------------------------------------------------------------------

  logic    starts, ends_frame;
  logic    last, last_q;           // the word that is made is the last one
  frame_place_t place_q, last_place, last_place_q;
  logic [TAIL_W-1:0] tail, tail_q;

  assign room       = frame_ready || !frame_valid;
  assign starts     = !begun_q && (next_valid_q || starts_now);
  assign loads      = room && (starts || begun_q);
  assign at_sum     = place_q == frame_place_t'(FIRST);
  assign breaks     = at_sum && !next_valid_q && !payload_summed_q;
  assign last_place = begun_q ? last_place_q : out_extent.last;
  assign last       = begun_q ? last_q : !HEADED && out_extent.last == '0;
  assign tail       = begun_q ? tail_q : out_extent.tail;
  assign ends_frame = loads && (last || breaks);

  always_ff @(posedge clk) begin
    if (loads) begin
      begun_q      <= !ends_frame;
      place_q      <= ends_frame ? '0 : place_q + 1'b1;
      last_q       <= place_q + 1'b1 == last_place;
      last_place_q <= last_place;
      tail_q       <= tail;
    end
    if (rst) begin
      begun_q <= 1'b0;
      place_q <= '0;
    end
  end

  // ---- The payload: rows in a ring, a packet begins with one ----------------------------------------------------------

  dword_at_t          dword_q, dword_d;      // that is in dword_out; that will be
  dword_at_t          dword_more_q;          // the one behind dword_q
  dword_at_t          dword_stays, dword_goes;  // dword_d, if no word is made, if one is: `loads` comes late
  row_t               start_stays, start_goes;  // so for the first row of the frame to begin next
  row_t               used;
  logic               writes, with_payload, payload_loads;  // payload_loads: a word with payload is made
  row_t               read_row;
  logic [WIDTH-1:0]   row_out;
  logic [LINE-1:0]    dword_out;             // of dword_q
  logic [LINE-8*(LANES-SPLIT)-1:0] carry_q;

  assign writes        = beat_valid_q && !wrong_q;
  assign with_payload  = !HEADED || place_q >= frame_place_t'(FIRST);
  assign payload_loads = loads && with_payload;
  assign start_stays   = next_valid_q ? next_start_q : start_q;
  assign start_goes    = next_valid_q && !at_sum ? next_start_q : start_q;
  assign dword_stays   = begun_q ? dword_q : dword_at_t'(start_stays) * dword_at_t'(WORDS);
  assign dword_d       = loads ? dword_goes : dword_stays;
  assign used          = row_q - row_t'(dword_q / dword_at_t'(WORDS));
  assign read_row      = row_t'(dword_d / dword_at_t'(WORDS));

  always_comb begin
    dword_goes = with_payload ? dword_more_q : dword_q;
    if (last || breaks) dword_goes = dword_at_t'(start_goes) * dword_at_t'(WORDS);
  end

  always_ff @(posedge clk) begin
    if (writes) row_q <= row_q + 1'b1;
    if (takes) start_q <= row_q;
    space_q <= 32'(used) + MOST_ROWS + SPARE <= ROWS;
    if (rst) begin
      row_q   <= '0;
      start_q <= '0;
    end
  end

  if (HEADED) begin : g_read               // a row that is used was written before the cycle that reads it
    (* ram_style = "block", no_rw_check *) logic [WIDTH-1:0] mem [ROWS];
    logic [WIDTH-1:0] row_out_q;
    logic             crossed_q;

    always_ff @(posedge clk) begin
      if (writes) mem[row_q] <= beat_q;
      row_out_q <= mem[read_row];
      crossed_q <= writes && row_q == read_row;
    end

    assign row_out = row_out_q;

    a_crossed : assert property (@(posedge clk) disable iff (rst)
      payload_loads && !breaks && !(last && tail != '0 && 32'(tail) <= SPLIT) -> !crossed_q);
  end else begin : g_past                  // the first row is wanted before it can be read
    (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [ROWS];
    logic [WIDTH-1:0] row_out_q;
    logic             past;                // it is the row that comes in now

    assign past = beat_first_q && (loads ? (last || breaks) && (!next_valid_q || at_sum) : !begun_q && !next_valid_q);

    always_ff @(posedge clk) begin
      if (writes) mem[row_q] <= beat_q;
      row_out_q <= past ? beat_q : mem[read_row];
    end

    assign row_out = row_out_q;
  end

  if (WORDS == 1) begin : g_narrow
    assign dword_out = row_out;
  end else begin : g_wide
    localparam int unsigned LOW_W = $clog2(WORDS);
    assign dword_out = row_out[WIDTH-1 - LINE * 32'(dword_q[LOW_W-1:0]) -: LINE];
  end

  // ---- Words ---------------------------------------------------------------------------------------------------------

  logic [FIRST:0][LINE-1:0] head;        // and what follows in its last word
  logic [8*(LANES-SPLIT)-1:0] payload;
  logic [LINE-1:0]    word;
  logic [LINE-1:0]    tdata_q;
  logic [LANES-1:0]   tkeep_q;
  logic               tlast_q, bad_q, valid_q;

  assign payload = dword_out[LINE-1 -: 8*(LANES-SPLIT)];
  assign head    = {out_header, payload};

  always_comb begin
    word = {carry_q, payload};
    for (int unsigned i = 0; i <= FIRST; i++) if (place_q == frame_place_t'(i)) word = head[FIRST-i];
  end

  always_ff @(posedge clk) begin
    dword_q      <= dword_d;
    dword_more_q <= dword_d + 1'b1;
    if (payload_loads) carry_q <= dword_out[LINE-8*(LANES-SPLIT)-1:0];
    if (room) begin
      valid_q <= loads;
      bad_q   <= breaks;
      tlast_q <= last || breaks;
      tkeep_q <= last && tail != '0 ? ~({LANES{1'b1}} >> tail) : '1;
      tdata_q <= word;
    end
    if (rst) begin
      valid_q <= 1'b0;
      dword_q <= '0;
    end
  end

  assign frame_tdata = tdata_q;
  assign frame_tkeep = tkeep_q;
  assign frame_tlast = tlast_q;
  assign frame_bad   = bad_q;
  assign frame_valid = valid_q;

  assign go     = loads && !begun_q;
  assign good   = ends_frame && !breaks;
  assign broken = ends_frame && breaks;
  assign left   = (state_q == WAIT && !stays && !told_q) || (first && !begins);

  // ---- What must hold: a frame that has begun never waits for its payload; it is cut short for a promise that was not kept
  // alone; the core's segment is made less by what leaves whole, and by nothing else; no row is written before it was read.

  logic gap_q;  // the packet's beats had one

  always_ff @(posedge clk) gap_q <= !begins && (gap_q || (fills_q && !s_valid));

  a_runs : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && frame_valid && frame_ready && !frame_tlast) -> frame_valid);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && frame_valid && !frame_ready)
    -> frame_valid && $stable({frame_tdata, frame_tkeep, frame_tlast, frame_bad}));
  a_breaks : assert property (@(posedge clk) disable iff (rst) loads && breaks -> promise_q && (gap_q || wrong_q));
  a_told : assert property (@(posedge clk) disable iff (rst)
    loads && at_sum -> (next_valid_q || tells) == !breaks);
  a_not_told : assert property (@(posedge clk) disable iff (rst) loads && breaks -> !told_q && !tells);
  a_whole : assert property (@(posedge clk) disable iff (rst) tells -> whole_q && !wrong_q);
  a_goes : assert property (@(posedge clk) disable iff (rst)
    takes -> state_q == FREE || leaves || (state_q == WAIT && (!may || wrong_q)));
  a_space : assert property (@(posedge clk) disable iff (rst) writes -> used != '1);

endmodule
