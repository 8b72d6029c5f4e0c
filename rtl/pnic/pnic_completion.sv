// SPDX-License-Identifier: Apache-2.0
//
// Reads pieces from the host, many at once, and gives their bytes in the order in which they were asked for.
//
//   wanted --> host_read, with a tag ..> host_answer --> buffer, by tag --> the oldest one's beats --> beat
//
// Tags are given out in turn, so the oldest is the next to be read out; then it is free again. The buffer has
// HOST_BURST bytes for each of 2^TAG_W tags: 16 KB. A piece is shown as long as its beats come (none, if it was
// refused).
//
// What was asked for before a reset must not be answered behind it.
//
// Latency: one cycle from `wanted` to host_read, 5 from the answer's last beat to the first of `beat`. Throughput: a
// request a cycle, a beat a cycle.
// Borders: registers, or small memories.
module pnic_completion
  import pnic_pkg::*;
(
  input  logic         clk,
  input  logic         rst,
  input  logic         wanted_valid,
  output logic         wanted_ready,
  input  dma_piece_t   wanted,
  output host_read_t   host_read,
  input  logic         host_read_ready,
  input  host_answer_t host_answer,
  output logic         piece_valid,
  input  logic         piece_ready,      // with its last beat
  output dma_piece_t   piece,            // without its address at the host
  output logic         piece_refused,
  output logic         beat_valid,
  input  logic         beat_ready,
  output logic [127:0] beat
);

  localparam int unsigned TAGS      = 1 << TAG_W;
  localparam int unsigned TAG_BEATS = HOST_BURST / 16;
  localparam int unsigned BEAT_W    = $clog2(TAG_BEATS);

  typedef logic [TAG_W-1:0] request_tag_t;

  // What a piece needs when it is read out.
  typedef struct packed {
    logic [8:0]         bytes;
    logic               pad;
    logic [LOCAL_W-1:0] local_address;
    logic               last;
  } asked_piece_t;

  (* ram_style = "distributed" *) asked_piece_t pieces [TAGS];

  // ---- Requests
  logic [TAG_W:0] asked_q, freed_q;  // tags given out, and free again, without end
  logic           tag_free, gives;
  host_read_t     read_q;

  assign tag_free     = asked_q != (freed_q ^ (TAG_W + 1)'(TAGS));
  assign gives        = wanted_valid && wanted_ready;
  assign wanted_ready = tag_free && (!read_q.valid || host_read_ready);
  assign host_read    = read_q;

  always_ff @(posedge clk) begin
    if (gives) begin
      pieces[request_tag_t'(asked_q)] <= '{bytes: wanted.bytes, pad: wanted.pad, local_address: wanted.local_address,
                                   last: wanted.last};
    end
  end

  always_ff @(posedge clk) begin
    if (gives) asked_q <= asked_q + 1'b1;
    if (gives) read_q <= '{valid: 1'b1, tag: request_tag_t'(asked_q), address: wanted.address, bytes: wanted.bytes};
    else if (host_read_ready) read_q.valid <= 1'b0;
    if (rst) begin
      asked_q      <= '0;
      read_q.valid <= 1'b0;
    end
  end

  // ---- Answers into the buffer
  (* ram_style = "block", no_rw_check *) logic [127:0] answers [TAGS * TAG_BEATS];

  logic [BEAT_W-1:0]       coming_q;  // beat of the answer
  logic [TAG_W+BEAT_W-1:0] answer_at_q;
  logic [127:0]            answer_q;
  logic                    answer_write_q, ended_q, ended_refused_q;
  request_tag_t            ended_tag_q;

  always_ff @(posedge clk) begin
    answer_write_q  <= host_answer.valid && !rst;
    answer_at_q     <= {host_answer.tag, coming_q};
    answer_q        <= host_answer.data;
    ended_q         <= host_answer.valid && host_answer.last && !rst;
    ended_tag_q     <= host_answer.tag;
    ended_refused_q <= host_answer.error;
    if (host_answer.valid) coming_q <= host_answer.last ? '0 : coming_q + 1'b1;
    if (rst) coming_q <= '0;
    if (answer_write_q) answers[answer_at_q] <= answer_q;
  end

  // ---- Reading out: a piece with its first beat, each beat into a place that is kept for it
  localparam int unsigned PLACES   = 4;
  localparam int unsigned PLACES_W = $clog2(PLACES + 1);

  logic [TAGS-1:0]     there_q, refused_q;
  request_tag_t        tag;
  asked_piece_t        oldest, shown;
  logic [BEAT_W-1:0]   beat_q;
  logic [PLACES_W-1:0] places_q;
  logic                first, refused, goes, reads, reads_q, ends, shown_ready;
  logic [127:0]        found_q;

  assign tag     = request_tag_t'(freed_q);
  assign oldest  = pieces[tag];
  assign refused = refused_q[tag];
  assign first   = beat_q == '0;
  assign goes    = there_q[tag] && (!first || shown_ready) && (refused || places_q != '0);
  assign reads   = goes && !refused;
  assign ends    = refused || 9'(beat_q) == (oldest.bytes - 9'd1) >> 4;

  always_ff @(posedge clk) begin
    if (ended_q) begin
      there_q[ended_tag_q]   <= 1'b1;
      refused_q[ended_tag_q] <= ended_refused_q;
    end
    if (goes) begin
      beat_q <= ends ? '0 : beat_q + 1'b1;
      if (ends) begin
        freed_q      <= freed_q + 1'b1;
        there_q[tag] <= 1'b0;
      end
    end
    if (reads) found_q <= answers[{tag, beat_q}];
    reads_q  <= reads && !rst;
    places_q <= places_q - PLACES_W'(reads) + PLACES_W'(beat_ready && beat_valid);
    if (rst) begin
      there_q  <= '0;
      freed_q  <= '0;
      beat_q   <= '0;
      places_q <= PLACES_W'(PLACES);
    end
  end

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(1 + $bits(asked_piece_t)), .DEPTH(4)) u_pieces (
    .clk, .rst, .in_data({refused, oldest}), .in_valid(goes && first), .in_ready(shown_ready),
    .out_data({piece_refused, shown}), .out_valid(piece_valid), .out_ready(piece_ready), .occupancy()
  );
  fifo_lut #(.WIDTH(128), .DEPTH(PLACES)) u_beats (
    .clk, .rst, .in_data(found_q), .in_valid(reads_q), .in_ready(),
    .out_data(beat), .out_valid(beat_valid), .out_ready(beat_ready), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign piece = '{address: '0, bytes: shown.bytes, pad: shown.pad, local_address: shown.local_address,
                   last: shown.last};

  request_tag_t age;
  assign age = host_answer.tag - tag;
  a_asked : assert property (@(posedge clk) disable iff (rst)
    host_answer.valid -> (TAG_W + 1)'(age) < asked_q - freed_q && !there_q[host_answer.tag]);

endmodule
