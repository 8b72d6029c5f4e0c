// SPDX-License-Identifier: Apache-2.0
//
// Receive that does not store: looks at each frame on its way to net, and gives the payload of a segment that is the next in
// order to the application while it comes in. The frame itself goes no further then (`taken`): tcp_core is told of the
// segment as of any other (`arrival`), and all that follows from it (acknowledgement, window) is its own. Acknowledgements
// without payload are taken, too. What is left out here net and the engine have, and it comes later, out of the ring.
//
//     frame --+--> header, by place --> ends --> tcp_fast_ends --> tcp_fast_copy, tcp_stream --> the next in order?
//             +--> dwords of the payload --> beats --> store --+--> m: from the decision on (early), or behind the verdict
//             +--> sums, lengths -------------> verdict -------+--> taken, arrival
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
// counts (early only; behind the verdict it is never seen). On a good one tcp_stream is told (`given`), and counts its
// bytes as delivered. Of a segment without payload all that is asked is that its acknowledgement is of what was sent. A
// connection that ends while its segment is here takes none.
//
// While a segment of a connection is under way here (`hold`), tcp_stream begins no packet of it; while it gives one (`busy`)
// none begins here. A store that is full, no room for its arrival, or a position that moved: the segment is left to the
// ring, `left_out`.
//
// The frame's words have LINE bits; the drawing is of 64. From 256 bits on the next frame asks before the verdict about this
// one is there, which it waits for: only then is the position known, and the other connection's hold over. The payload comes
// so much later that it is written behind that verdict. What comes too soon to wait is left to the ring, and not counted: at
// 512 bits a frame that ends less than 3 cycles behind the one before, at 256 one of 2 words right behind one of 2.
//
//     LINE   cycles from the frame's last word to the payload's last beat
//       64   4
//      128   4; a frame of 4 words 5, it waits for the lookup
//      256   5; a frame of 2 words 6, for the same reason
//      512   5; the lookup begins with the word that comes, and not with its register
//
// Throughput: a word a cycle, frames right behind each other. With early the first beat is there 11, 8, 7 or 5 cycles behind
// the frame's first word with 64, 128, 256 or 512 bits, and 2 more at most if it waits.
// Room: DEPTH beats, FRAMES packets. Borders: m through the store's memory from registers; the others registers.

`include "types.svh"

module tcp_fast_rx
  import net_pkg::*;
  import tcp_pkg::*;
  import tcp_view_pkg::*;
#(
  parameter int unsigned WIDTH = 64,
  parameter int unsigned LINE  = 64,        // of the frame's words
  parameter int unsigned DEPTH = 4096 * 8 / WIDTH,
  localparam int unsigned KEEP  = WIDTH / 8,
  localparam int unsigned LANES = LINE / 8,
  localparam type line_word_t = `NSOC_LINE_WORD(LINE),
  localparam type tcp_read_t  = `NSOC_TCP_READ(WIDTH)
) (
  input  logic             clk,
  input  logic             rst,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  net_settings_t    settings,
  /* verilator lint_on UNUSEDSIGNAL */
  input  line_word_t       frame,         // each word that net takes; bad with last
  input  logic             early,

  output ends_t            find,
  input  logic             found,         // in the next cycle but one
  input  index_t           found_index,
  output index_t           at,            // found_index
  input  fast_rx_t         copy,          // in the next cycle, as this
  input  fast_look_t       look,

  output fast_who_t        hold,
  input  fast_who_t        busy,
  output fast_given_t      given,

  output tcp_read_t        m,             // tabort with tlast
  input  logic             m_ready,
  output fast_seen_t       seen,

  input  fast_who_t        leave,         // pulse: this connection ends
  output logic             taken,         // pulse, fast_verdict(LINE) cycles behind its last word: not for net
  output logic             arrival_valid, // pulse
  output fast_arrival_t    arrival,
  input  logic             arrival_room   // for two
);

  if (WIDTH < 64 || WIDTH > 512 || (WIDTH & (WIDTH - 1)) != 0) begin : g_bad_width
    $error("tcp_fast_rx: WIDTH must be 64, 128, 256 or 512");
  end
  if (LINE < 64 || LINE > WIDTH || (LINE & (LINE - 1)) != 0) begin : g_bad_line
    $error("tcp_fast_rx: LINE must be 64, 128, 256 or 512, and at most WIDTH");
  end

  localparam int unsigned HEADER  = ETHERNET_BYTES + IP_BYTES + 20;
  localparam int unsigned SPLIT   = HEADER % LANES;                     // the payload's first lane
  localparam int unsigned FIRST   = HEADER / LANES;                     // the word with it
  localparam int unsigned TOTAL   = (ETHERNET_BYTES + 2) / LANES;       // ... with the datagram's length, ...
  localparam int unsigned ASK     = 37 / LANES;                         // ... with the end of the ends, ...
  localparam int unsigned HEADED  = LINE == 64 ? FIRST : 47 / LANES;    // ... and with the last that is compared; with
                                                                        // 64 bits the next, so that there is a payload
  localparam int unsigned PLACE_W = 8;
  localparam int unsigned PTR_W   = $clog2(DEPTH);
  localparam int unsigned FRAMES  = 16;

  // Cycles behind the first register, by LINE. A frame's payload is written up to its verdict, that of the next frame
  // behind it at the earliest, wherever that begins.
  localparam bit          WIDE     = LINE >= 256;                       // the next frame may ask before a verdict
  localparam bit          LATE     = LINE == 128 || LINE == 256;        // the shortest frames' decision: a cycle later
  localparam bit          AHEAD    = ASK == 0;                          // the ends are looked up as they come in
  localparam int unsigned FOUND    = LINE == 64 ? 3 : AHEAD ? 1 : 2;    // from asks to found
  localparam int unsigned PAID     = WIDE ? 2 : 0;                      // to the payload
  localparam int unsigned VERDICT  = WIDE ? 3 : 2;                      // from the last word to the sums
  localparam int unsigned TOLD     = PAID == 0 ? 1 : PAID;              // what the header says, beside the payload

  typedef logic [PTR_W:0] ptr_t;

  // Of a word's place, known beside it.
  typedef struct packed {
    logic first;
    logic header;                          // no payload is in it
    logic behind;                          // behind the payload's first lane
  } where_t;

  localparam where_t FIRST_WORD = '{first: 1'b1, header: FIRST != 0, behind: 1'b0};

  // ---- The word, its place, the header -------------------------------------------------------------------------------

  logic [PAID:0][LINE-1:0] words_q;
  where_t [PAID:0]         wheres_q;
  /* verilator lint_off UNUSEDSIGNAL */    // not all of it
  where_t                  where_d, where;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [PAID:0]           valids_q, lasts_q;
  logic [LANES-1:0]        keep_q;
  logic [LINE-1:0]         word;           // the first of them
  logic [PLACE_W-1:0]      place_q, place_d; // its place in its frame, stops
  logic                    valid, last, bad_q, begins, ends;
  logic [HEADER-1:0][7:0]  header_q;       // [HEADER-1] came first

  assign word   = words_q[0];
  assign where  = wheres_q[0];
  assign valid  = valids_q[0];
  assign last   = lasts_q[0];
  assign begins = valid && where.first;
  assign ends   = valid && last;

  always_ff @(posedge clk) begin
    words_q[0]  <= frame.data;
    keep_q      <= frame.keep;
    lasts_q[0]  <= frame.last;
    valids_q[0] <= frame.valid && !rst;
    bad_q       <= frame.bad;
    for (int unsigned i = 1; i <= PAID; i++) begin
      words_q[i]  <= words_q[i-1];
      wheres_q[i] <= wheres_q[i-1];
      lasts_q[i]  <= lasts_q[i-1];
      valids_q[i] <= valids_q[i-1] && !rst;
    end
    if (valid) begin
      place_q     <= place_d;
      wheres_q[0] <= where_d;
      for (int unsigned i = 0; i < HEADER; i++) begin
        if (place_q == PLACE_W'(i / LANES)) header_q[HEADER-1-i] <= word[LINE-1 - 8*(i%LANES) -: 8];
      end
    end
    if (rst) begin
      place_q     <= '0;
      wheres_q[0] <= FIRST_WORD;
    end
  end

  always_comb begin
    place_d = last ? '0 : place_q == '1 ? place_q : place_q + 1'b1;
    where_d = '{
      first:  1'b0,
      header: {1'b0, place_q} + (PLACE_W+1)'(2) <= (PLACE_W+1)'(FIRST),
      behind: {1'b0, place_q} + 1'b1 > (PLACE_W+1)'(FIRST)
    };
    if (last) where_d = FIRST_WORD;
  end

  function automatic logic [15:0] half(input logic [HEADER-1:0][7:0] bytes, input int unsigned i);
    return {bytes[HEADER-1-i], bytes[HEADER-2-i]};
  endfunction

  function automatic logic [31:0] full(input logic [HEADER-1:0][7:0] bytes, input int unsigned i);
    return {half(bytes, i), half(bytes, i + 2)};
  endfunction

  // What is compared with the record.
  typedef struct packed {
    logic        plain;                    // the header is one for here
    logic [16:0] length;                   // of the payload; [16]: negative
    ends_t       ends;
    seq_t        seq;
    seq_t        ack;
    logic        psh;
    logic [15:0] window;
  } head_t;

  function automatic head_t head_of(input logic plain, input logic [16:0] length, input logic [HEADER-1:0][7:0] bytes);
    return '{plain: plain, length: length,
             ends: '{address: full(bytes, 26), peer_port: half(bytes, 34), port: half(bytes, 36)},
             seq: full(bytes, 38), ack: full(bytes, 42), psh: bytes[HEADER-1-47][3], window: half(bytes, 48)};
  endfunction

  head_t              head_now;            // of the frame that is compared
  logic               plain_now, headed, headed_q;
  logic [TOLD:1]      plains_q;            // the header so far is one for here; [1] with this word
  logic [TOLD:1][16:0] lengths_q;
  logic [15:0]        total;               // of IPv4, in its word
  logic [HEADER-1:0][7:0] header_now, wanted, care;

  always_comb begin
    header_now = header_q;
    for (int unsigned i = ASK * LANES; i < HEADER && i < (ASK + 1) * LANES; i++) begin
      header_now[HEADER-1-i] = AHEAD ? frame.data[LINE-1 - 8*(i%LANES) -: 8] : word[LINE-1 - 8*(i%LANES) -: 8];
    end
    if (LINE == 64) header_now = header_q; // a cycle later
  end

  assign find = '{address: full(header_now, 26), peer_port: half(header_now, 34), port: half(header_now, 36)};

  // Byte by byte, what must be there: our address, IPv4 of 20 bytes, no fragment, TCP of 20 bytes with ACK, PSH or not.
  always_comb begin
    wanted = '0;
    care   = '0;
    wanted[HEADER-1    -: 6] = settings.mac;
    care[HEADER-1      -: 6] = '1;
    wanted[HEADER-1-12 -: 3] = {TYPE_IP, 8'h45};
    care[HEADER-1-12   -: 3] = '1;
    care[HEADER-1-20   -: 2] = 16'h3FFF;
    wanted[HEADER-1-23]      = PROTOCOL_TCP;
    care[HEADER-1-23]        = '1;
    wanted[HEADER-1-30 -: 4] = settings.address;
    care[HEADER-1-30   -: 4] = '1;
    wanted[HEADER-1-46 -: 2] = 16'h5010;
    care[HEADER-1-46   -: 2] = 16'hF037;
    plain_now = place_q != '0 || (settings.enable && settings.tcp);
    for (int unsigned i = 0; i < HEADER; i++) begin
      if (place_q == PLACE_W'(i / LANES)
          && ((word[LINE-1 - 8*(i%LANES) -: 8] ^ wanted[HEADER-1-i]) & care[HEADER-1-i]) != '0) plain_now = 1'b0;
    end
  end

  assign total  = word[LINE-1 - 8*((ETHERNET_BYTES+2)%LANES) -: 16];
  assign headed = HEADED == ASK || headed_q;

  always_ff @(posedge clk) begin
    if (valid) begin
      plains_q[1] <= (begins || plains_q[1]) && plain_now;
      headed_q    <= !begins && (headed_q || place_q == PLACE_W'(HEADED));
      if (place_q == PLACE_W'(TOTAL)) lengths_q[1] <= {1'b0, total} - 17'(IP_BYTES + 20);
    end
    for (int unsigned i = 2; i <= TOLD; i++) begin
      plains_q[i]  <= plains_q[i-1];
      lengths_q[i] <= lengths_q[i-1];
    end
    if (rst) headed_q <= 1'b0;
  end

  // ---- Whose, and is it the next? ------------------------------------------------------------------------------------

  // `takes`: the connection is looked at, from the cycle behind the verdict about the frame before on. What has waited for
  // that is compared if its own verdict is far enough.

  logic [FOUND:1]   step_q;              // the word with the ends was here so many cycles ago
  logic [VERDICT:1] ends_q;              // the frame's last word was
  logic        asks, finds, takes, blocked, older_q, wait_q, compares, decides, ours_d, ours_now;
  logic        looked_q, near_q, decided_q, ours_q, clash_q, clash_now;
  logic        sums_ready, over, late_d, late_q;
  index_t      index_q, next_index;
  logic        open_q, next_q, behind_q, fits_q, acked_q;
  logic        bare_q, bare_d, bare_now, bare_ours_q;  // an acknowledgement without payload that is one for here
  logic        gone_q;                   // the connection has ended
  fast_arrival_t arrival_q;              // of the segment that was compared
  logic        frames_ready;             // there is a place for one more packet
  logic        full_q, lost_q;           // the store is; some of this frame found no room there
  logic [31:0] position_q, position;
  near_t       span;
  /* verilator lint_off UNUSEDSIGNAL */  // but the sign
  seq_t        behind_nxt, behind_una, before_max;
  /* verilator lint_on UNUSEDSIGNAL */

  assign asks      = valid && place_q == PLACE_W'(ASK) && !(last && ASK < FIRST);
  assign finds     = step_q[FOUND];
  assign takes     = (finds ? found : wait_q) && !blocked && !over;
  assign at        = takes ? next_index : index_q;
  assign clash_now = busy.valid && busy.index == at;
  assign compares  = looked_q && headed && !near_q;
  assign decides   = near_q && !decided_q;

  // The verdict: when the sums are there, or a cycle later if the decision is.
  assign sums_ready = ends_q[VERDICT];
  assign late_d     = LATE && sums_ready && looked_q && !decided_q && !decides && !late_q;
  assign over       = (sums_ready && !late_d) || late_q;

  assign behind_nxt = head_now.seq - copy.nxt;
  assign behind_una = head_now.ack - copy.una;
  assign before_max = copy.max - head_now.ack;
  assign span       = near_of(behind_nxt) + near_t'(head_now.length);
  assign position   = head_now.seq - copy.base;

  if (WIDE) begin : g_waits
    // The next frame's header comes while this one's is compared.
    head_t  come, early_head, early_q, wait_head_q, head_q;
    index_t wait_index_q;

    assign come       = head_of(plains_q[1], lengths_q[1], header_q);
    assign early_head = FOUND == 1 ? come : early_q;

    always_ff @(posedge clk) begin
      early_q <= come;
      if (finds) begin
        wait_head_q  <= early_head;
        wait_index_q <= found_index;
      end
      if (takes) head_q <= finds ? early_head : wait_head_q;
      wait_q  <= (finds ? found : wait_q) && blocked && !rst;
      older_q <= finds && VERDICT > FOUND + 1 && ends_q[FOUND+1];
    end

    assign blocked    = (finds ? (ends_q >> FOUND) != '0 : older_q) || late_q;
    assign next_index = finds ? found_index : wait_index_q;
    assign head_now   = head_q;
  end else begin : g_comes
    assign wait_q     = 1'b0;
    assign older_q    = 1'b0;
    assign blocked    = older_q;
    assign next_index = found_index;

    logic plain_q;

    always_ff @(posedge clk) begin
      if (valid && place_q == PLACE_W'(HEADED)) plain_q <= (begins || plains_q[1]) && plain_now;
    end

    assign head_now   = head_of(plain_q, lengths_q[1], header_q);
  end

  always_ff @(posedge clk) begin
    step_q <= (step_q << 1) | FOUND'(asks);
    ends_q <= (ends_q << 1) | VERDICT'(ends);
    late_q <= late_d && !rst;
    if (takes) index_q <= next_index;
    looked_q  <= takes || (looked_q && !over);
    near_q    <= (compares || near_q) && !over;
    decided_q <= (decides || decided_q) && !over;
    ours_q    <= (decides ? ours_d : ours_q) && !over;
    if (takes) clash_q <= clash_now;
    else if (clash_now) clash_q <= 1'b1;
    if (compares) begin
      open_q     <= copy.open && look.open && head_now.plain && head_now.length[16:11] == '0 && head_now.length != '0;
      next_q     <= position == look.delivered;
      behind_q   <= behind_nxt[31:NEAR_W-1] == '0;
      fits_q     <= !near_before(copy.room, span);
      acked_q    <= !behind_una[31] && !before_max[31];
      position_q <= position + 32'(head_now.length[15:0]);
      bare_q     <= copy.open && head_now.plain && head_now.length == '0;
      arrival_q  <= '{index: index_q, ends: head_now.ends, seq: head_now.seq, ack: head_now.ack, psh: head_now.psh,
                      window: head_now.window, length: head_now.length[15:0]};
    end
    gone_q      <= (gone_q && !takes) || (leave.valid && leave.index == at);
    bare_ours_q <= (decides ? bare_d : bare_ours_q) && !over;
    if (rst) begin
      step_q    <= '0;
      ends_q    <= '0;
      looked_q  <= 1'b0;
      near_q    <= 1'b0;
      decided_q <= 1'b0;
      ours_q    <= 1'b0;
      bare_ours_q <= 1'b0;
    end
  end

  assign ours_d   = open_q && next_q && behind_q && fits_q && acked_q && !clash_q && frames_ready && !full_q
                    && !lost_q && arrival_room;
  assign ours_now = ours_q || (decides && ours_d);
  assign bare_d   = bare_q && acked_q && arrival_room;
  assign bare_now = bare_ours_q || (decides && bare_d);

  // ---- Sums, lengths -------------------------------------------------------------------------------------------------

  logic sound;                           // the frame's FCS, lengths and sums are right, with `sums_ready`

  tcp_fast_sums #(.LINE(LINE), .FIRST(FIRST), .VERDICT(VERDICT), .WIDE(WIDE)) u_sums (
    .clk, .rst, .comes(frame.data), .word, .keep(keep_q), .valid, .last, .bad(bad_q), .place(place_q),
    .place_next(place_d), .first(where.first), .header(where.header), .header_next(where_d.header), .sound
  );

  // ---- The payload, in beats -----------------------------------------------------------------------------------------

  logic             writes, beat_last, stores, brim_q;
  logic [WIDTH-1:0] beat;
  logic [KEEP-1:0]  beat_keep;

  tcp_fast_beats #(.WIDTH(WIDTH), .LINE(LINE), .SPLIT(SPLIT)) u_beats (
    .clk, .rst, .word(words_q[PAID]), .valid(valids_q[PAID]), .last(lasts_q[PAID]), .first(wheres_q[PAID].first),
    .header(wheres_q[PAID].header), .behind(wheres_q[PAID].behind), .plain(plains_q[TOLD]), .length(lengths_q[TOLD]),
    .beat, .beat_keep, .beat_last, .writes
  );

  // ---- The store -----------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic             last;
    logic [KEEP-1:0]  keep;
    logic [WIDTH-1:0] data;
  } store_t;

  (* ram_style = "distributed" *) store_t mem [DEPTH];
  ptr_t    write_q, start_q, inner_q, shown_q, read_q;  // inner_q: behind the last beat that is none's last
  ptr_t    write_d, inner_d, used;
  logic    loses, judges, right, right_q, commits, gives_up, pops, frame_pushes, verdicts_ready, index_valid;
  logic    takes_frame;
  store_t  head;
  index_t  head_index;
  logic    head_abort, verdict_valid;

  // The last place is for a last beat: one that has begun ends, whatever was lost of it.
  assign stores   = writes && (beat_last ? !brim_q : !full_q && !lost_q);
  assign loses    = writes && !stores;
  assign judges   = over && ours_now;
  assign right    = !gone_q && (late_q ? right_q : sound && !lost_q);
  assign commits  = judges && right;
  assign gives_up = judges && !right;
  assign takes_frame = commits || (over && bare_now && right);
  assign used     = write_q - read_q;
  assign write_d  = write_q + ptr_t'(stores);
  assign inner_d  = stores && !beat_last ? write_d : inner_q;

  always_ff @(posedge clk) begin
    if (stores) mem[write_q[PTR_W-1:0]] <= '{last: beat_last, keep: beat_keep, data: beat};
  end

  always_ff @(posedge clk) begin
    right_q <= right;
    write_q <= write_d;
    inner_q <= inner_d;
    lost_q <= !over && (lost_q || loses);
    if (early && ours_now && !over) shown_q <= WIDE ? inner_d : inner_q;  // wide ones come late enough
    full_q <= used[PTR_W] || (used[PTR_W-1:1] == '1 && (used[0] || stores));
    brim_q <= used[PTR_W] || (used[PTR_W-1:0] == '1 && stores);
    if (over) begin
      if (commits || (gives_up && early)) begin
        shown_q <= write_d;
        start_q <= write_d;
        inner_q <= write_d;
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
      brim_q  <= 1'b0;
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
  assign pops   = m.tvalid && m_ready;
  assign m      = '{
    tvalid: read_q != shown_q, tlast: head.last, tabort: head.last && head_abort, tdest: head_index, tkeep: head.keep,
    tdata: head.data
  };

  // ---- Told ----------------------------------------------------------------------------------------------------------

  logic        hold_q, fast_q, good_q, aborted_q, left_out_q;
  logic        over_q;                   // given.valid is there, if it is at all: the hold's last cycle
  index_t      fast_index_q;
  logic [31:0] fast_position_q;

  always_ff @(posedge clk) begin
    if (takes) hold_q <= 1'b1;
    else if (over_q || (decides && !ours_d)) hold_q <= 1'b0;
    over_q          <= over && !rst;
    fast_q          <= commits && !rst;
    fast_index_q    <= index_q;
    fast_position_q <= position_q;
    good_q          <= commits && !rst;
    aborted_q       <= gives_up && !rst;
    left_out_q      <= decides && open_q && next_q && !ours_d && !rst;
    if (rst) hold_q <= 1'b0;
  end

  assign hold  = '{valid: hold_q, index: index_q};
  assign given = '{valid: fast_q, index: fast_index_q, position: fast_position_q};
  assign seen  = '{
    parsed: writes && beat_last, verdict: judges, good: good_q, aborted: aborted_q, left_out: left_out_q
  };

  // A decision that was late is told in its own cycle: so all are told at the same time behind their frames.
  logic          taken_q, late_taken, arrival_valid_q;
  fast_arrival_t arrival_out_q;

  assign late_taken = LATE && late_q && takes_frame;

  always_ff @(posedge clk) begin
    taken_q         <= takes_frame && !late_taken && !rst;
    arrival_valid_q <= takes_frame && !rst;
    arrival_out_q   <= arrival_q;
    if (!WIDE) arrival_out_q.window <= half(header_q, 48);  // comes behind what is compared
  end

  assign taken         = taken_q || late_taken;
  assign arrival_valid = arrival_valid_q;
  assign arrival       = arrival_out_q;

  a_told : assert property (@(posedge clk) disable iff (rst) m.tvalid -> index_valid && (!head.last || verdict_valid));
  a_room : assert property (@(posedge clk) disable iff (rst)
    (frame_pushes -> frames_ready) && (commits || gives_up -> verdicts_ready));
  a_hold : assert property (@(posedge clk) disable iff (rst) given.valid -> hold.valid && hold.index == given.index);
  a_ends : assert property (@(posedge clk) disable iff (rst)
    ours_now && writes && beat_last -> stores);
  logic whole_q;                         // the store's newest beat is a last one
  always_ff @(posedge clk) whole_q <= !over && (stores ? beat_last : whole_q) && !rst;

  a_whole : assert property (@(posedge clk) disable iff (rst)
    commits || (gives_up && early) -> stores ? beat_last : whole_q);
  a_apart : assert property (@(posedge clk) disable iff (rst) takes -> !looked_q);
  a_each_second : assert property (@(posedge clk) disable iff (rst) commits -> !given.valid);

  // The next segment of a connection comes as tcp_stream gives a packet of it, or the store is full, or there is no room
  // for its arrival; its connection ends while it is here.
  c_clash : cover property (@(posedge clk) disable iff (rst) decides && open_q && next_q && clash_q);
  c_store_full : cover property (@(posedge clk) disable iff (rst) decides && open_q && next_q && (full_q || lost_q));
  c_no_arrival : cover property (@(posedge clk) disable iff (rst) decides && open_q && next_q && !arrival_room);
  c_gone : cover property (@(posedge clk) disable iff (rst) over && gone_q);

endmodule
