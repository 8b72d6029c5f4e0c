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
// One packet is here at a time: those that come meanwhile are left to the core. Also left to it: what is longer than a
// segment or than the windows leave, less than a full segment while another one is not acknowledged (Nagle), whatever is
// given behind bytes that have not left, a neighbour that is not known.
//
// The sum's word is 6, 3, 1 or 0 with a LINE of 64, 128, 256 or 512. The header's part of the sum is that of the copy
// which is sent, and there as soon as a frame may begin. With 512 the first word has the sum: a promise changes nothing,
// and no frame is cut short.
//
// Latency: 3 cycles from the first beat or the doorbell to the first word, with every LINE; from the last beat to the
// sum's word at the least 3. So b beats have their first word in cycle b + 2, with a promise and a LINE of 64, 128 or 256
// in cycle b - 4, b - 1 or b + 1; never before cycle 3.
// Throughput: a word a cycle. Room: BYTES of one packet. Borders: registers; `at`, `neighbour` through a multiplexer.
module tcp_fast_tx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,    // bits of a beat
  parameter int unsigned LINE  = 64,    // bits of the frame's words
  parameter int unsigned BYTES = 2048,
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
  localparam int unsigned WORDS   = WIDTH / LINE;
  localparam int unsigned DWORD_W = $clog2(BYTES / LANES);
  localparam int unsigned PLACE_W = 8;
  localparam int unsigned TAIL_W  = $clog2(LANES);
  localparam int unsigned MOST    = 1460;
  localparam int unsigned SUM_W   = 17 + $clog2(BYTES / 2);

  typedef enum logic [2:0] {FREE, CHECK, WAIT, SEND, HELD} state_t;

  // ---- The packet ----------------------------------------------------------------------------------------------------

  state_t      state_q;
  logic        inside_q, fills_q, first, begins, fills, whole_q, rings;
  logic        wrong, wrong_q;           // its beats do not have the bytes that it said
  index_t      index_q;
  logic [15:0] length_q;
  logic        promise_q, placed_q;
  logic [31:0] position_q, position;
  logic [15:0] come_q;                   // beats that have come, with that of beat_valid_q
  logic        beat_valid_q, beat_first_q, beat_last_q;  // a beat came a cycle ago
  logic [KEEP-1:0] keep_q, last_keep_q;  // as it came; that of the last one
  logic [ROW_W-1:0] row_q;               // ... and are in memory
  logic [15:0] beats_q;                  // that will
  logic [15:0] since_q;                  // cycles since the first one, stops

  // Of the last beat of so many bytes.
  function automatic logic [KEEP-1:0] keep_of(input logic [15:0] length);
    return ~({KEEP{1'b1}} >> ((length - 16'd1) % 16'(KEEP) + 16'd1));
  endfunction

  assign first  = s_valid && !inside_q;
  assign begins = first && state_q == FREE && s_tlength != '0 && s_tlength <= 16'(MOST);
  assign fills  = s_valid && (first ? begins : fills_q);
  assign rings  = doorbell_valid && state_q == HELD && doorbell_dest == index_q && whole_q && !wrong_q;
  assign at     = state_q == FREE ? s_tdest : index_q;

  assign wrong = beat_valid_q && (beat_last_q != (come_q == beats_q)
                                  || keep_q != (beat_last_q ? last_keep_q : {KEEP{1'b1}}));

  assign position = placed_q ? s_position : position_q;

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
    wrong_q      <= wrong || (wrong_q && !begins);
    placed_q <= begins;
    if (placed_q) position_q <= s_position;
    if (begins) begin
      index_q   <= s_tdest;
      length_q  <= s_tlength;
      last_keep_q <= keep_of(s_tlength);
      promise_q <= s_tpromise;
      beats_q   <= 16'((17'(s_tlength) + 17'(KEEP - 1)) >> $clog2(KEEP));
      whole_q   <= 1'b0;
    end else if (beat_valid_q && beat_last_q) begin
      whole_q <= 1'b1;
    end
    since_q <= begins ? 16'd1 : since_q == '1 ? since_q : since_q + 1'b1;
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
  logic        on_link, may_q, may, starts, head_starts, payload_summed_q;
  logic        room, ends_frame;         // for a word; the last one goes
  /* verilator lint_off UNUSEDSIGNAL */  // their lower bits
  logic [16:0] lacks;
  /* verilator lint_on UNUSEDSIGNAL */

  assign on_link   = ((ends.address ^ settings.address) & settings.mask) == '0;
  assign neighbour = on_link ? ends.address : settings.gateway;

  assign may         = may_q && neighbour_found;
  assign lacks       = 17'(since_q) + 17'(HEAD) - 17'(beats_q);
  assign head_starts = HEADED && promise_q && !lacks[16];
  assign starts      = state_q == WAIT && may && !wrong_q && (payload_summed_q || head_starts);

  always_ff @(posedge clk) begin
    changed_q <= state_q == WAIT && copy != copy_q;
    if (state_q == CHECK) begin
      copy_q <= copy;
      ends_q <= ends;
      may_q <= copy.open && position == copy.nxt - copy.base && length_q <= 16'(copy.most)
               && (copy.at_once || length_q == 16'(copy.full)) && !pending && sent_room && settings.enable;
    end
    unique case (state_q)
      FREE:  if (begins) state_q <= s_thold ? HELD : CHECK;
      CHECK: state_q <= WAIT;
      WAIT:  if (!may || wrong_q) state_q <= FREE;
             else if (starts && room) state_q <= ends_frame ? FREE : SEND;
             else if (changed_q) state_q <= CHECK;
      SEND:  if (ends_frame) state_q <= FREE;
      default: if (rings) state_q <= CHECK;  // HELD
               else if (whole_q && (wrong_q || (first && s_tdest == index_q))) state_q <= FREE;
    endcase
    if (rst) state_q <= FREE;
  end

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
    if (begins) payload_summed_q <= 1'b0;
    else if (beat_valid_q && beat_last_q && !wrong && !wrong_q) payload_summed_q <= 1'b1;
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

  // ---- The payload ---------------------------------------------------------------------------------------------------

  logic [DWORD_W-1:0] dword_q, dword_d;
  logic [WIDTH-1:0]   read_row;
  logic [PLACE_W-1:0] place_q;               // of the word
  logic               loads, payload_loads;  // a word is made; one with payload
  logic [LINE-1:0]    dword_now, dword_out_q;
  logic [LINE-8*(LANES-SPLIT)-1:0] carry_q;

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [ROWS];

  always_ff @(posedge clk) begin
    if (beat_valid_q) mem[row_q] <= beat_q;
    if (begins) row_q <= '0;
    else if (beat_valid_q) row_q <= row_q + 1'b1;
  end

  if (HEADED) begin : g_read
    assign payload_loads = room && state_q == SEND && place_q >= PLACE_W'(FIRST);
    assign read_row      = mem[ROW_W'(dword_d / DWORD_W'(WORDS))];
  end else begin : g_past  // the first row is wanted before it can be read
    assign payload_loads = loads;
    assign read_row      = beat_first_q ? beat_q : mem[ROW_W'(dword_d / DWORD_W'(WORDS))];
  end

  if (WORDS == 1) begin : g_narrow
    assign dword_now = read_row;
  end else begin : g_wide
    localparam int unsigned LOW_W = $clog2(WORDS);
    assign dword_now = read_row[WIDTH-1 - LINE * 32'(dword_d[LOW_W-1:0]) -: LINE];
  end

  // ---- The frame -----------------------------------------------------------------------------------------------------

  logic [PLACE_W-1:0] last_place;
  logic [15:0]        bytes;
  logic               breaks;
  logic [TAIL_W-1:0]  tail;
  logic [8*HEADER-1:0] header;
  logic [FIRST:0][LINE-1:0] head;        // and what follows in its last word
  logic [8*(LANES-SPLIT)-1:0] payload;
  logic [LINE-1:0]    word;
  logic [LINE-1:0]    tdata_q;
  logic [LANES-1:0]   tkeep_q;
  logic               tlast_q, bad_q, valid_q;

  assign room          = frame_ready || !valid_q;
  assign bytes         = length_q + 16'(HEADER);
  assign last_place    = PLACE_W'((bytes - 16'd1) >> TAIL_W);
  assign tail          = bytes[TAIL_W-1:0];
  assign breaks        = place_q == PLACE_W'(FIRST) && !payload_summed_q;
  assign loads         = room && ((starts && state_q == WAIT) || state_q == SEND);
  assign ends_frame    = loads && (place_q == last_place || breaks);
  assign dword_d       = state_q == FREE || state_q == CHECK ? '0 : dword_q + DWORD_W'(payload_loads);

  assign header = {
    neighbour_mac, settings.mac, TYPE_IP,
    8'h45, copy_q.dscp, 2'b00, length_q + 16'(IP_BYTES + 20), 16'h0000, 16'h4000, copy_q.ttl, PROTOCOL_TCP, ip_sum,
    settings.address, ends_q.address,
    ends_q.port, ends_q.peer_port, copy_q.nxt, copy_q.ack, 16'h5018, copy_q.window, sum, 16'h0000
  };

  assign payload = dword_out_q[LINE-1 -: 8*(LANES-SPLIT)];
  assign head    = {header, payload};

  always_comb begin
    word = {carry_q, payload};
    for (int unsigned i = 0; i <= FIRST; i++) if (place_q == PLACE_W'(i)) word = head[FIRST-i];
  end

  always_ff @(posedge clk) begin
    dword_q     <= dword_d;
    dword_out_q <= dword_now;
    if (payload_loads) carry_q <= dword_out_q[LINE-8*(LANES-SPLIT)-1:0];
    if (state_q == CHECK) place_q <= '0;
    else if (loads) place_q <= place_q + 1'b1;
    if (room) begin
      valid_q <= loads;
      bad_q   <= breaks;
      tlast_q <= place_q == last_place || breaks;
      tkeep_q <= place_q == last_place && tail != '0 ? ~({LANES{1'b1}} >> tail) : '1;
      tdata_q <= word;
    end
    if (rst) valid_q <= 1'b0;
  end

  assign frame_tdata = tdata_q;
  assign frame_tkeep = tkeep_q;
  assign frame_tlast = tlast_q;
  assign frame_bad   = bad_q;
  assign frame_valid = valid_q;

  // ---- Told ----------------------------------------------------------------------------------------------------------
  // When all of it is here and it goes for sure: then the core's own segment is not wanted any more.

  logic told_q, tells;

  assign tells = (state_q == SEND || (starts && room)) && payload_summed_q && !told_q;

  always_ff @(posedge clk) begin
    told_q <= (told_q || tells) && state_q != FREE && state_q != CHECK;
    if (rst) told_q <= 1'b0;
  end

  assign sent_valid = tells;
  assign sent       = '{index: index_q, seq: copy_q.nxt, length: length_q, ack: copy_q.ack, window: copy_q.window};
  assign go         = loads && place_q == '0;
  assign good       = ends_frame && !breaks;
  assign broken     = ends_frame && breaks;
  assign left       = (state_q == WAIT && !may) || (first && !begins);

  // ---- What must hold: a frame that has begun never waits for its payload; it is cut short for a promise that was not kept
  // alone; the core's segment is made less by what leaves whole, and by nothing else.

  logic gap_q;  // the packet's beats had one

  always_ff @(posedge clk) gap_q <= !begins && (gap_q || (fills_q && !s_valid));

  a_runs : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && frame_valid && frame_ready && !frame_tlast) -> frame_valid);
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && frame_valid && !frame_ready)
    -> frame_valid && $stable({frame_tdata, frame_tkeep, frame_tlast, frame_bad}));
  a_breaks : assert property (@(posedge clk) disable iff (rst) ends_frame && breaks -> promise_q && (gap_q || wrong_q));
  a_told : assert property (@(posedge clk) disable iff (rst) ends_frame -> (told_q || tells) == !breaks);
  a_whole : assert property (@(posedge clk) disable iff (rst) tells -> whole_q && !wrong_q);

endmodule
