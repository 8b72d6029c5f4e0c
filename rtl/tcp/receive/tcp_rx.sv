// SPDX-License-Identifier: Apache-2.0
//
// Receives segments: takes them from net, keeps them whole in a buffer, tells the core of each good one, and gives the
// bytes of its payload that the core wants to the receive ring's writer. First of rtl/tcp on a segment's way.
//
//     segment --+--> buffer --+--> tcp_rx_header --> arrival      in order, once the verdict is good
//               |             +--> shifter ---------> payload     when the core has decided, or early
//               +--> sum, lengths --> verdict: keep it, or write over it
//
// The buffer is a ring of words, and what is in it has four borders:
//
//     free_q         seg_q          start_q        write_q
//       | told, and     | good ones,   | the segment  |
//       | undecided     | wait         | that comes   |
//
// The header is taken apart while the segment still comes in, when no other one waits (`ahead`: ends, sequence number and
// length are there); should the segment turn out bad, its words are written over, and the header is begun anew. Exactly one cause is counted for what is dropped, the first one
// that fits: bad, short, offset, sum, room. net is never made to wait: a segment that finds the buffer full is dropped.
//
//     cycle          0    1    2    3    4    5    6    7    8      a segment without options, nothing else under way
//     segment       last
//     segment_ready  1    0    0    1                               net is never that soon with the next one
//     stat                     1
//     arrival_valid                 1
//     decision_valid                  1                             when the core likes; in order, one for each arrival
//     payload.valid                                       p0   p1   a word a cycle, but for those that tcp_rx_header reads
//     placed                                              1         if they were early, and are in memory
//
// How words come into the buffer, and the verdict with them, differs: tcp_rx_at_once at 64 bits, tcp_rx_behind above.
// tcp_rx_header has words of 64 bits, parts of one that is read once.
//
// `decision`: nothing, or `place`: bytes [begin_byte, begin_byte + length) of the payload leave, the first one in the top
// lane of the first beat. It is always taken at once: no more arrivals are out than decisions can wait. Where no byte is
// wanted, nothing leaves. Then the segment's words are free.
//
// `early`: where the whole payload of the segment that is ahead will go, if nothing is wrong with it. Where nothing else is
// under way it leaves for there as it comes in, with payload.early. If the decision says the same and memory has taken
// the bytes (`early_placed`), that is all, and `placed` says so. If it says something else, or memory refused, they leave
// once more as it says. If the segment turns out bad, its last beats are anything: in any case the placement has an end,
// within its length, and nobody reads what it has written.
//
// Latency: 3 cycles from the last beat to arrival_valid without options, if nobody is ahead; a byte of options costs a cycle,
// beginning with the arrival of their first word. 5 cycles from a decision to the first payload beat. At 128 bits the last
// beat to arrival_valid are 4, at 256 and 512 5; a header that is in the last beats is read behind the verdict: up to 4 more.
// Throughput: a beat a cycle in, at 64 bits 2 cycles between segments. A beat of payload a cycle, and 4 cycles between two. An
// arrival each 5 cycles and the bytes of its options.
// Room: BYTES of segments as they came, SEGMENTS of them told of or not, and the one that comes.
// Borders: registers, but for gates from registers at arrival_valid and segment_ready.

`include "types.svh"

module tcp_rx
  import net_pkg::*;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH = 64,     // of the streams: 64, 128, 256 or 512
  parameter int unsigned BYTES = 16384,  // of the buffer
  localparam type beat_t    = `NSOC_BEAT(WIDTH),
  localparam type tcp_rx_t  = `NSOC_STREAM(tcp_rx_user_t, beat_t),
  localparam type payload_t = `NSOC_PAYLOAD(beat_t)
) (
  input  logic         clk,
  input  logic         rst,
  input  ip_t          address,          // ours

  /* verilator lint_off UNUSEDSIGNAL */  // not all of user
  input  tcp_rx_t      segment,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         segment_ready,

  output rx_arrival_t  arrival,          // without `spare`
  output logic         ahead,            // source, ports, seq and length of it stand; it may be none after all
  output logic         arrival_valid,
  input  logic         arrival_ready,
  input  rx_decision_t decision,
  input  logic         decision_valid,
  output logic         decision_ready,

  input  logic         early_valid,      // pulse
  input  early_t       early,
  output logic         early_busy,       // an early payload is under way
  input  logic         early_placed,     // pulse: it is in memory
  input  logic         early_error,      // ... which has refused some of it
  output logic         placed,           // pulse: it was right, the decision's placement is done

  output payload_t     payload,
  input  logic         payload_ready,
  output rx_stat_t     stat
);

  `NSOC_CHECK_WIDTH(tcp_rx)
  if (BYTES < WIDTH || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("tcp_rx: BYTES must be a power of two of at least 8 words");
  end

  localparam int unsigned LANES     = WIDTH / 8;
  localparam int unsigned LANE_W    = $clog2(LANES);
  localparam int unsigned WORDS     = BYTES / LANES;
  localparam int unsigned PTR_W     = $clog2(WORDS);
  localparam int unsigned SEGMENTS  = 32;  // that wait for their arrival to be taken
  localparam int unsigned UNDECIDED = 8;   // arrivals that wait for their decision

  typedef logic [PTR_W:0]   ptr_t;        // of a word; one bit more than its place: equal means empty
  typedef logic [PTR_W+LANE_W:0] byte_ptr_t;

  typedef struct packed {                 // a good segment that nobody has been told of
    ip_t         source;
    logic [15:0] length;                  // of its payload
  } good_t;

  function automatic logic is_before(input ptr_t a, input ptr_t b);
    /* verilator lint_off UNUSEDSIGNAL */
    ptr_t span;
    /* verilator lint_on UNUSEDSIGNAL */
    span = a - b;
    return span[PTR_W];
  endfunction

  typedef struct packed {                 // a segment whose arrival was taken
    byte_ptr_t   data;                    // its payload
    ptr_t        behind;                  // the word behind it
  } taken_t;

  (* no_rw_check *) logic [WIDTH-1:0] mem [WORDS];
  logic [WIDTH-1:0] word_q;               // read a cycle ago
  ptr_t             free_q, free_d, seg_q, seg_d, start_q, write_q, write_d;

  // ---- In: sum and lengths -----------------------------------------------------------------------------------------

  logic        first;                     // the beat is the first one of its segment
  logic [1:0][21:0] part;
  logic        part_valid, part_first;
  logic [6:0]  extra;                     // for the sum
  logic [18:0] pseudo;                    // of the pseudo header, beside part_first
  logic [31:0] sum_q;
  logic        sum_right;
  logic        judge;                     // the verdict is there
  rx_verdict_t verdict;
  logic        put, full_q;               // a word for the buffer; it has no room
  logic [WIDTH-1:0] put_data;
  ip_t         coming_source;             // of the segment whose words come into the buffer
  logic [15:0] coming_length;             // that it will have had
  logic        room, keep, forget;

  tcp_sum #(.WIDTH(WIDTH)) u_sum (
    .clk, .in_data(segment.beat.tdata), .in_keep(segment.beat.tkeep), .in_extra(extra),
    .in_valid(segment.valid && segment_ready), .in_first(first), .part, .valid(part_valid), .first(part_first)
  );

  always_ff @(posedge clk) begin
    if (part_valid) sum_q <= (part_first ? 32'(pseudo) : sum_q) + 32'(part[0]) + 32'(part[1]);
  end

  if (WIDTH == 64) begin : g_at_once
    tcp_rx_at_once u_in (
      .clk, .rst, .address, .segment, .segment_ready, .first, .extra, .pseudo, .sum(sum_q), .put, .put_data,
      .full(full_q), .judge, .verdict, .sum_right, .coming_source, .coming_length
    );
  end else begin : g_behind
    assign extra = '0;                    // the pseudo header has the length

    tcp_rx_behind #(.WIDTH(WIDTH)) u_in (
      .clk, .rst, .address, .segment, .segment_ready, .first, .pseudo, .sum(sum_q), .put, .put_data, .full(full_q),
      .judge, .verdict, .sum_right, .coming_source, .coming_length
    );
  end

  always_comb begin
    stat = '0;
    if (judge) begin
      if (verdict.bad) stat.drop_bad = 1'b1;
      else if (verdict.short_one) stat.drop_short = 1'b1;
      else if (verdict.offset) stat.drop_offset = 1'b1;
      else if (!sum_right) stat.drop_sum = 1'b1;
      else if (verdict.lost || !room) stat.drop_room = 1'b1;
      else stat.taken = 1'b1;
    end
  end

  assign keep   = stat.taken;
  assign forget = judge && !keep;

  // ---- The buffer --------------------------------------------------------------------------------------------------

  logic push, copies, header_reads, port_reads;  // port_reads: the header has the buffer's read port
  ptr_t read_q, copy_q;                   // the next words of the header, of the payload

  assign push = put && !full_q;

  always_comb begin
    if (forget) write_d = start_q;
    else write_d = write_q + ptr_t'(push);
  end

  always_ff @(posedge clk) if (push) mem[write_q[PTR_W-1:0]] <= put_data;
  always_ff @(posedge clk) word_q <= mem[port_reads ? read_q[PTR_W-1:0] : copy_q[PTR_W-1:0]];

  always_ff @(posedge clk) begin
    write_q <= write_d;
    free_q  <= free_d;
    seg_q   <= seg_d;
    if (keep) start_q <= WIDTH == 64 ? write_q : write_d;
    if (rst) begin
      write_q <= '0;
      free_q  <= '0;
      seg_q   <= '0;
      start_q <= '0;
    end
  end

  good_t good;
  logic  good_valid, tell;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH($bits(good_t)), .DEPTH(SEGMENTS)) u_good (
    .clk, .rst, .in_data({verdict.source, verdict.length}), .in_valid(keep), .in_ready(room),
    .out_data(good), .out_valid(good_valid), .out_ready(tell), .occupancy()
  );

  // ---- The header, and the arrival ---------------------------------------------------------------------------------

  logic        restart, want, header_valid_q, header_begun, header_done;
  logic [15:0] source_port, port;
  logic [3:0]  offset;
  arrival_t    options;
  logic [16:0] ahead_length;              // of the payload; [16]: negative
  byte_ptr_t   data;                      // payload of the segment at seg_q
  ptr_t        behind;                    // the word behind it
  taken_t      told;
  logic        told_room, told_valid, decided_valid, finish;
  logic        slice_last;                // the word's last 64 bits are asked for
  logic [63:0] header_word;
  rx_decision_t decided;

  assign header_reads = want && read_q != write_q;
  assign tell         = arrival_valid && arrival_ready;
  assign restart      = tell || (forget && seg_q == start_q);
  assign data         = {seg_q, LANE_W'(0)} + byte_ptr_t'({offset, 2'b00});
  assign behind       = ptr_t'((data + byte_ptr_t'(good.length) + byte_ptr_t'(LANES - 1)) >> LANE_W);
  assign seg_d        = tell ? behind : seg_q;

  always_ff @(posedge clk) begin
    header_valid_q <= header_reads && !restart && !rst;
    if (rst) read_q <= '0;
    else if (restart) read_q <= seg_d;
    else if (header_reads && slice_last) read_q <= read_q + 1'b1;
  end

  if (WIDTH == 64) begin : g_words
    assign port_reads  = header_reads;
    assign slice_last  = 1'b1;
    assign header_word = word_q;
  end else begin : g_slices                // of a word that is read with its first one
    localparam int unsigned SLICES  = WIDTH / 64;
    localparam int unsigned SLICE_W = $clog2(SLICES);

    logic [SLICE_W-1:0] slice_q, fetched_q;  // the next one, the last one that was asked for
    logic [WIDTH-65:0]  held_q;              // all but the first one

    assign port_reads = header_reads && slice_q == '0;
    assign slice_last = slice_q == '1;

    always_ff @(posedge clk) begin
      fetched_q <= slice_q;
      if (header_valid_q && fetched_q == '0) held_q <= word_q[WIDTH-65:0];
      if (rst || restart) slice_q <= '0;
      else if (header_reads) slice_q <= slice_q + 1'b1;
    end

    always_comb begin
      header_word = word_q[WIDTH-1 -: 64];
      for (int unsigned i = 1; i < SLICES; i++) begin
        if (32'(fetched_q) == i) header_word = held_q[WIDTH-1-64*i -: 64];
      end
    end
  end

  tcp_rx_header u_header (
    .clk,
    .rst,
    .restart,
    .want,
    .fetched    (header_reads),
    .word_valid (header_valid_q),
    .word       (header_word),
    .begun      (header_begun),
    .done       (header_done),
    .source_port,
    .port,
    .offset,
    .arrival    (options)
  );

  assign ahead         = header_begun;
  assign arrival_valid = header_done && good_valid && told_room;
  assign ahead_length  = good_valid ? {1'b0, good.length} : 17'(coming_length) - 17'({offset, 2'b00});

  // Behind the verdict source and length are the same.
  always_comb begin
    arrival = '{source: good_valid ? good.source : coming_source, source_port: source_port, port: port,
                arrival: options};
    arrival.arrival.length = ahead_length[15:0];
  end

  // ---- The payload -------------------------------------------------------------------------------------------------

  fifo_lut #(.WIDTH($bits(taken_t)), .DEPTH(UNDECIDED)) u_told (
    .clk, .rst, .in_data({data, behind}), .in_valid(tell), .in_ready(told_room),
    .out_data(told), .out_valid(told_valid), .out_ready(finish), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  localparam int unsigned AHEAD   = 4;    // beats that may wait for the ring's writer
  localparam int unsigned BEATS_W = 14;

  logic               begin_early, begin_copy, wanted, there, copying_q, copy_valid_q, first_q, copy_last_q;
  logic [15:0]        copy_length;
  logic               early_q;            // what is copied is not decided, or memory has not yet all of it
  logic               early_comes_q;      // its segment is not judged
  logic               early_lost_q;       // ... and was dropped
  logic               early_placed_q, early_error_q, settles, early_right, placed_q;
  logic               decision_right, decided_right;
  early_t             early_at_q;
  place_t             early_place;
  logic [15:0]        early_length_q;
  byte_ptr_t          from;               // the first byte that is wanted
  logic [LANE_W-1:0]  shift_q;
  logic [BEATS_W-1:0] words_q;            // to read: one more than there are beats, so that each beat has two
  logic [15:0]        left_q;             // bytes in beats yet to be made
  logic [WIDTH-1:0]   before_q;           // the word before the one that comes
  beat_t              made;
  logic               made_valid, beats_room;
  logic [$clog2(AHEAD+2)-1:0] beats;

  assign wanted      = decided.place_valid && decided.place.length != '0;
  assign begin_early = early_valid && header_begun && !restart && !ahead_length[16] && !told_valid && !copying_q
                       && !early_q;
  assign begin_copy  = told_valid && decided_valid && wanted && !copying_q && !early_q;
  assign from        = begin_early ? data : told.data + byte_ptr_t'(decided.place.begin_byte);
  assign copy_length = begin_early ? ahead_length[15:0] : decided.place.length;
  assign there       = !early_comes_q || is_before(copy_q, write_q);
  assign copies      = words_q != '0 && beats < $bits(beats)'(AHEAD) && !port_reads && there;
  assign made_valid  = copy_valid_q && !first_q;

  always_comb begin
    made.tlast = copy_last_q;
    made.tdata = WIDTH'({before_q, word_q} >> ((LANE_W + 4)'(WIDTH) - (LANE_W + 4)'({shift_q, 3'b0})));
    made.tkeep = left_q < 16'(LANES) ? ~({LANES{1'b1}} >> left_q[LANE_W-1:0]) : '1;
  end

  always_ff @(posedge clk) begin
    copy_valid_q <= copies && !rst;
    copy_last_q  <= words_q == BEATS_W'(1);
    if (copy_valid_q) begin
      before_q <= word_q;
      first_q  <= 1'b0;
    end
    if (made_valid) left_q <= left_q - 16'(LANES);
    if (copies) begin
      copy_q  <= copy_q + 1'b1;
      words_q <= words_q - 1'b1;
    end
    if (begin_early || begin_copy) begin
      copy_q    <= from[PTR_W+LANE_W:LANE_W];
      shift_q   <= from[LANE_W-1:0];
      words_q   <= BEATS_W'((copy_length + 16'(LANES - 1)) / 16'(LANES)) + 1'b1;
      left_q    <= copy_length;
      first_q   <= 1'b1;
      copying_q <= 1'b1;
    end else if (payload.valid && payload_ready && payload.beat.tlast) begin
      copying_q <= 1'b0;
    end

    if (keep) early_comes_q <= 1'b0;
    if (forget && early_comes_q) begin  // two words more make at least a beat, and the last one
      early_comes_q <= 1'b0;
      early_lost_q  <= 1'b1;
      if (words_q > BEATS_W'(2)) words_q <= BEATS_W'(2);
    end
    if (early_placed) begin
      early_placed_q <= 1'b1;
      early_error_q  <= early_error;
    end
    if (begin_early) begin
      early_q        <= 1'b1;
      early_comes_q  <= !good_valid && !keep;
      early_lost_q   <= 1'b0;
      early_placed_q <= 1'b0;
      early_at_q     <= early;
      early_length_q <= copy_length;
    end else if (settles) begin
      early_q <= 1'b0;
    end
    placed_q <= settles && early_right && !rst;
    if (rst) begin
      words_q       <= '0;
      copying_q     <= 1'b0;
      early_q       <= 1'b0;
      early_comes_q <= 1'b0;
    end
  end

  assign early_place = '{begin_byte: '0, length: early_length_q, offset: early_at_q.offset};

  // Whether a decision is what the early one did is known before it comes out again: that is late enough there.
  assign decision_right = decision.place_valid && decision.index == early_at_q.index && decision.place == early_place;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(1 + $bits(rx_decision_t)), .DEPTH(UNDECIDED)) u_decided (
    .clk, .rst, .in_data({decision_right, decision}), .in_valid(decision_valid), .in_ready(decision_ready),
    .out_data({decided_right, decided}), .out_valid(decided_valid), .out_ready(finish), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // The oldest segment that is told of is the early one: nothing was told and undecided when it began.
  assign settles     = early_q && early_placed_q && (early_lost_q || (!early_comes_q && told_valid && decided_valid));
  assign early_right = !early_lost_q && !early_error_q && decided_right;
  assign early_busy  = early_q;
  assign placed      = placed_q;

  fifo_sync #(.WIDTH($bits(beat_t)), .DEPTH(AHEAD)) u_beats (
    .clk, .rst, .in_data(made), .in_valid(made_valid), .in_ready(beats_room),
    .out_data(payload.beat), .out_valid(payload.valid), .out_ready(payload_ready), .occupancy(beats)
  );

  // A decision stays at the FIFO's end until its last beat is away.
  assign payload.early = early_q;
  assign payload.index = early_q ? early_at_q.index : decided.index;
  assign payload.place = early_q ? early_place : decided.place;
  assign finish        = early_q ? settles && early_right
                       : copying_q ? payload.valid && payload_ready && payload.beat.tlast
                                   : told_valid && decided_valid && !wanted;
  assign free_d        = finish ? told.behind : free_q;

  always_ff @(posedge clk) begin  // as write_d - free_d, but `finish` comes last
    if (rst) full_q <= 1'b0;
    else if (finish) full_q <= write_d - told.behind >= ptr_t'(WORDS);
    else full_q <= write_d - free_q >= ptr_t'(WORDS);
  end

  // ---- What must hold ----------------------------------------------------------------------------------------------

  a_borders : assert property (@(posedge clk) disable iff (rst)
    write_q - free_q <= ptr_t'(WORDS) && start_q - free_q <= write_q - free_q && seg_q - free_q <= start_q - free_q);
  a_reads_what_is_there : assert property (@(posedge clk) disable iff (rst) read_q - free_q <= write_q - free_q);
  a_told_of_good_ones : assert property (@(posedge clk) disable iff (rst) tell -> seg_d - free_q <= start_q - free_q);
  a_beats : assert property (@(posedge clk) disable iff (rst) made_valid -> beats_room);
  a_one_end : assert property (@(posedge clk) disable iff (rst) judge -> $onehot(stat));
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && arrival_valid && !arrival_ready) -> arrival_valid && $stable(arrival));

  // What net and the core promise.
  a_decision : assert property (@(posedge clk) disable iff (rst) decision_valid -> decision_ready);
  a_early : assert property (@(posedge clk) disable iff (rst) early_placed -> early_q && !copying_q && !early_placed_q);
  a_right : assert property (@(posedge clk) disable iff (rst)
    early_q && decided_valid -> decided_right == (decided.place_valid && decided.index == early_at_q.index
                                                  && decided.place == early_place));
  a_some : assert property (@(posedge clk) disable iff (rst) begin_early -> copy_length != '0);
  a_inside : assert property (@(posedge clk) disable iff (rst)
    begin_copy -> from[PTR_W+LANE_W:LANE_W] - free_q < told.behind - free_q);

  // The store is full as a segment ends; a payload that went to the ring before its verdict was bad, or the core decided
  // otherwise about it, or as it was foreseen.
  c_full : cover property (@(posedge clk) disable iff (rst) judge && full_q);
  c_early_bad : cover property (@(posedge clk) disable iff (rst) settles && early_lost_q);
  c_early_other : cover property (@(posedge clk) disable iff (rst) settles && !early_lost_q && !early_right);
  c_early_right : cover property (@(posedge clk) disable iff (rst) settles && early_right);

endmodule
