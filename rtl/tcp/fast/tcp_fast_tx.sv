// SPDX-License-Identifier: Apache-2.0
//
// Transmit that does not store: makes the frame of what the application gives before tcp_core has told the segment, where the
// copy of the record says that the core would send just that (tcp_fast_copy), and tells tcp_fast_told. The same bytes are in
// the send ring, and the core's command is under way: a frame that is not made here, or breaks, comes from there.
//
//     s_*, doorbell --> copy, ends --> may it? --> neighbour --> words 0 to 5: Ethernet, IPv4, TCP --+
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
// Latency: 3 cycles from the first beat or the doorbell to the first word; from the last beat to word 6 at the least 3.
// Throughput: a word a cycle. Room: BYTES of one packet. Borders: registers; `at`, `neighbour` through a multiplexer.
module tcp_fast_tx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned BYTES = 2048,
  localparam int unsigned KEEP  = WIDTH / 8,
  localparam int unsigned LINE  = 64,
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

  localparam int unsigned HEADER  = ETHERNET_BYTES + IP_BYTES + 20;
  localparam int unsigned SPLIT   = HEADER % LANES;
  localparam int unsigned FIRST   = HEADER / LANES;      // the word with sum and payload
  localparam int unsigned HEAD    = FIRST - 1;           // cycles, see above: from word 0 to the sum less its pipeline
  localparam int unsigned ROWS    = BYTES / KEEP;
  localparam int unsigned ROW_W   = $clog2(ROWS);
  localparam int unsigned WORDS   = WIDTH / LINE;
  localparam int unsigned DWORD_W = $clog2(BYTES / LANES);
  localparam int unsigned PLACE_W = 8;
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
  logic [KEEP-1:0] keep_q;
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
                                  || keep_q != (beat_last_q ? keep_of(length_q) : {KEEP{1'b1}}));

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
  assign head_starts = promise_q && !lacks[16];
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
             else if (starts && room) state_q <= SEND;
             else if (changed_q) state_q <= CHECK;
      SEND:  if (ends_frame) state_q <= FREE;
      default: if (rings) state_q <= CHECK;  // HELD
               else if (whole_q && (wrong_q || (first && s_tdest == index_q))) state_q <= FREE;
    endcase
    if (rst) state_q <= FREE;
  end

  // ---- Sums ----------------------------------------------------------------------------------------------------------

  logic [WIDTH-1:0] beat_q, counted;     // behind the last byte 0
  logic [SUM_W-1:0] lanes, lanes_q, acc_q;
  logic             header_adds, header_added_q;  // its part of the sum
  logic [18:0]      header1_q, header2_q, header3_q;
  logic [20:0]      header_sum_q;
  logic [18:0]      ip1_q;
  logic [19:0]      ip2_q;
  logic [15:0]      sum, ip_sum;
  logic [16:0]      once, ip_once;

  always_comb begin
    lanes = '0;
    for (int unsigned i = 0; i < KEEP; i++) counted[8*i +: 8] = s_tdata[8*i +: 8] & {8{s_tkeep[i]}};
    for (int unsigned i = 0; i < WIDTH / 16; i++) lanes += SUM_W'(counted[16*i +: 16]);
  end

  assign header_adds = state_q == SEND && !header_added_q;

  always_ff @(posedge clk) begin
    beat_q        <= s_tdata;
    lanes_q       <= lanes;
    acc_q         <= (beat_first_q ? '0 : acc_q) + (beat_valid_q ? lanes_q : '0)
                     + (header_adds ? SUM_W'(header_sum_q) : '0);
    // The header's part: when the frame begins, and the copy is not looked at again.
    header_added_q  <= state_q == SEND;
    if (begins) payload_summed_q <= 1'b0;
    else if (beat_valid_q && beat_last_q && !wrong && !wrong_q) payload_summed_q <= 1'b1;
    if (state_q == CHECK) begin
      header1_q <= 19'(copy.nxt[31:16]) + 19'(copy.nxt[15:0]) + 19'(copy.ack[31:16]) + 19'(copy.ack[15:0]);
      header2_q <= 19'(ends.address[31:16]) + 19'(ends.address[15:0]) + 19'(ends.port) + 19'(ends.peer_port);
      header3_q <= 19'(settings.address[31:16]) + 19'(settings.address[15:0]) + 19'(copy.window)
                   + 19'(length_q) + 19'(20 + 32'(PROTOCOL_TCP)) + 19'h5018;
      ip1_q     <= 19'(settings.address[31:16]) + 19'(settings.address[15:0]) + 19'(ends.address[31:16])
                   + 19'(ends.address[15:0]);
    end
    header_sum_q <= 21'(header1_q) + 21'(header2_q) + 21'(header3_q);
    ip2_q        <= 20'(ip1_q) + 20'({copy_q.ttl, PROTOCOL_TCP}) + 20'h08500 + 20'({copy_q.dscp, 2'b00})
                    + 20'(length_q) + 20'(IP_BYTES + 20);
    if (rst) header_added_q <= 1'b0;
  end

  assign once    = 17'(acc_q[15:0]) + 17'(acc_q[SUM_W-1:16]);
  assign sum     = ~(once[15:0] + 16'(once[16]));
  assign ip_once = 17'(ip2_q[15:0]) + 17'(ip2_q[19:16]);
  assign ip_sum  = ~(ip_once[15:0] + 16'(ip_once[16]));

  // ---- The payload ---------------------------------------------------------------------------------------------------

  logic [DWORD_W-1:0] dword_q, dword_d;
  logic [WIDTH-1:0]   read_row;
  logic [LINE-1:0]    dword_now, dword_out_q;
  logic [LINE-8*(LANES-SPLIT)-1:0] carry_q;

  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem [ROWS];

  always_ff @(posedge clk) begin
    if (beat_valid_q) mem[row_q] <= beat_q;
    if (begins) row_q <= '0;
    else if (beat_valid_q) row_q <= row_q + 1'b1;
  end

  assign read_row = mem[ROW_W'(dword_d / DWORD_W'(WORDS))];

  if (WORDS == 1) begin : g_narrow
    assign dword_now = read_row;
  end else begin : g_wide
    localparam int unsigned LOW_W = $clog2(WORDS);
    assign dword_now = read_row[WIDTH-1 - LINE * 32'(dword_d[LOW_W-1:0]) -: LINE];
  end

  // ---- The frame -----------------------------------------------------------------------------------------------------

  logic [PLACE_W-1:0] place_q, last_place;
  logic [15:0]        bytes;
  logic               loads, breaks, payload_loads;
  logic [2:0]         tail;
  logic [LINE-1:0]    tdata_q;
  logic [LANES-1:0]   tkeep_q;
  logic               tlast_q, bad_q, valid_q;

  assign room          = frame_ready || !valid_q;
  assign bytes         = length_q + 16'(HEADER);
  assign last_place    = PLACE_W'((bytes - 16'd1) >> 3);
  assign tail          = bytes[2:0];
  assign breaks        = place_q == PLACE_W'(FIRST) && !(payload_summed_q && header_added_q);
  assign loads         = room && ((starts && state_q == WAIT) || state_q == SEND);
  assign ends_frame    = loads && (place_q == last_place || breaks);
  assign payload_loads = loads && place_q >= PLACE_W'(FIRST);
  assign dword_d       = state_q == FREE || state_q == CHECK ? '0 : dword_q + DWORD_W'(payload_loads);

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
      unique case (place_q)
        PLACE_W'(0): tdata_q <= {neighbour_mac, settings.mac[47:32]};
        PLACE_W'(1): tdata_q <= {settings.mac[31:0], TYPE_IP, 8'h45, copy_q.dscp, 2'b00};
        PLACE_W'(2): tdata_q <= {length_q + 16'(IP_BYTES + 20), 16'h0000, 16'h4000, copy_q.ttl, PROTOCOL_TCP};
        PLACE_W'(3): tdata_q <= {ip_sum, settings.address, ends_q.address[31:16]};
        PLACE_W'(4): tdata_q <= {ends_q.address[15:0], ends_q.port, ends_q.peer_port, copy_q.nxt[31:16]};
        PLACE_W'(5): tdata_q <= {copy_q.nxt[15:0], copy_q.ack, 16'h5018};
        PLACE_W'(6): tdata_q <= {copy_q.window, sum, 16'h0000, dword_out_q[LINE-1 -: 8*(LANES-SPLIT)]};
        default:     tdata_q <= {carry_q, dword_out_q[LINE-1 -: 8*(LANES-SPLIT)]};
      endcase
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
