// SPDX-License-Identifier: Apache-2.0
//
// Payload between segments and the rings in memory: writes what tcp_rx hands over into receive rings, reads what tcp_tx
// asks for out of send rings. Byte n of a ring is at its base + (n mod its size); any alignment, round the end.
//
//     tcp_rx --payload--> tcp_rings_place --writes--+                     +--> placed
//                             ring of the index     +--> turns --> ACB ---+
//     tcp_tx --fetch----> tcp_rings_fetch --reads---+      \--> notes ----+--> tcp_rings_fetch --fetched--> tcp_tx
//
// `payload`: the bytes of one placement after the other, as beats; `placed` when all bytes of one are in memory, that
// is when all its writes are answered: a pulse for each placement, in order, `early_placed` if it came with `early`.
// `placed_error`: memory has refused one of them. `fetch`: each is answered by its bytes as beats, in order; `fetched_error` beside the last one: memory has
// refused some of them, which are anything. A refused dword does not keep the others from being written or read.
//
//     cycle             0    1    2    3                    of placement or fetch, when the other does not ask
//     payload.valid     b0   b0   b0   b1
//     fetch_valid       1
//     acb_m2s.req_valid                d0   d1   d2
//
// All ask in turns; one that asks alone has each cycle. For every request a note of whose it is waits in `u_notes`
// until its answer comes. Each of the two has IN_FLIGHT under way at most, for which there is room, and the reader room
// for the answers, so no answer ever waits.
//
// `guests`: two others (UDP's, see toe_udp) that share the way to memory. They ask as tcp_rings_place and tcp_rings_fetch
// do, keep IN_FLIGHT as these do, and take every answer at once. One that asks for nothing costs the others nothing.
//
// `set` counts from the next cycle on. A connection's rings stand still while something of it is under way. A base is a
// multiple of its ring's size.
//
// Latency: 3 cycles from the first beat of a placement and from a fetch to its first request. From the last answer to
// `placed` one cycle; from an answer to the beat that it completes two, to a last beat that has only bytes of it three.
// Throughput: a dword a cycle, of both together, as memory takes them; of each, IN_FLIGHT dwords in as many cycles as
// memory takes to answer, and two more for writes, three for reads. With 32 and 60 cycles: half a dword each way in a
// cycle, 500 MB/s at 125 MHz. A placement takes two cycles besides its dwords, a fetch none, but there is one in two
// cycles at most.
// Borders: registers; payload_ready through the gates of turns.
module tcp_rings
  import acb_pkg::*;
  import frame_pkg::frame_beat_t;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,  // of the streams
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned IN_FLIGHT   = 32   // requests of each kind, a power of two
) (
  input  logic        clk,
  input  logic        rst,

  input  logic        set_valid,            // pulse, in any cycle
  input  index_t      set_index,
  input  rings_t      set,

  /* verilator lint_off UNUSEDSIGNAL */     // where in the segment the bytes were, and how many
  input  rx_payload_t payload,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        payload_ready,
  output logic        placed,               // pulse
  output logic        early_placed,         // pulse
  output logic        placed_error,         // with either

  input  logic        fetch_valid,
  output logic        fetch_ready,
  input  fetch_t      fetch,
  output frame_beat_t fetched,
  output logic        fetched_valid,
  input  logic        fetched_ready,
  output logic        fetched_error,        // with the last beat; 0 with all others

  output acb_m2s_t    acb_m2s,
  input  acb_s2m_t    acb_s2m,

  input  ring_ask_t [RING_GUESTS-1:0] guests,
  output ring_answer_t guest_answer,

  output logic        idle,                 // nothing but guests' is under way; what is only on offer does not count
  output rings_stat_t stat,
  output logic        fetch_idle            // nothing is fetched
);

  if (WIDTH != 64) begin : g_bad_width
    $error("tcp_rings: WIDTH must be 64: the alignment of wider beats is not there yet");
  end
  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_rings: CONNECTIONS must be 4 to 1024");
  end
  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0) begin : g_bad_in_flight
    $error("tcp_rings: IN_FLIGHT must be a power of two of at least 2, the places of a FIFO");
  end

  localparam int unsigned WORD_W  = $clog2(CONNECTIONS);
  localparam int unsigned PLACE   = 0;
  localparam int unsigned FETCH   = 1;
  localparam int unsigned OWN     = 2;
  localparam int unsigned CLIENTS = OWN + RING_GUESTS;

  // ---- Where the rings are -----------------------------------------------------------------------------------------

  (* no_rw_check *) ring_t rx_rings [CONNECTIONS];
  (* no_rw_check *) ring_t tx_rings [CONNECTIONS];
  ring_t rx_ring_q, tx_ring_q;

  always_ff @(posedge clk) begin
    if (set_valid) rx_rings[WORD_W'(set_index)] <= '{base: set.rx_base, size: set.rx_ring};
    rx_ring_q <= rx_rings[WORD_W'(payload.index)];
  end

  always_ff @(posedge clk) begin
    if (set_valid) tx_rings[WORD_W'(set_index)] <= '{base: set.tx_base, size: set.tx_ring};
    if (fetch_ready) tx_ring_q <= tx_rings[WORD_W'(fetch.index)];
  end

  // ---- Who asks ----------------------------------------------------------------------------------------------------

  logic       [CLIENTS-1:0] ask, go, answer;
  acb_req_t   [CLIENTS-1:0] asked;
  ring_note_t [CLIENTS-1:0] noted;
  logic       [OWN-1:0]     idles;
  logic       [CLIENTS-1:0] whose;  // the oldest request under way
  ring_note_t               note;   // of it

  tcp_rings_place #(.IN_FLIGHT(IN_FLIGHT)) u_place (
    .clk,
    .rst,
    .beat        (payload.beat),
    .beat_valid  (payload.valid),
    .beat_ready  (payload_ready),
    .early       (payload.early),
    .offset      (payload.place.offset),
    .ring        (rx_ring_q),
    .ask         (ask[PLACE]),
    .write       (asked[PLACE]),
    .note        (noted[PLACE]),
    .go          (go[PLACE]),
    .answer      (answer[PLACE]),
    .answer_last (note.last),
    .answer_early(note.early),
    .answer_error(acb_s2m.rsp.err),
    .placed,
    .early_placed,
    .placed_error,
    .idle        (idles[PLACE])
  );

  tcp_rings_fetch #(.IN_FLIGHT(IN_FLIGHT)) u_fetch (
    .clk,
    .rst,
    .fetch_valid,
    .fetch_ready,
    .offset     (fetch.offset),
    .length     (fetch.length),
    .ring       (tx_ring_q),
    .fetched,
    .fetched_valid,
    .fetched_ready,
    .fetched_error,
    .ask        (ask[FETCH]),
    .read       (asked[FETCH]),
    .note       (noted[FETCH]),
    .go         (go[FETCH]),
    .answer     (answer[FETCH]),
    .answer_note(note),
    .answer_rsp (acb_s2m.rsp),
    .idle       (idles[FETCH])
  );

  for (genvar i = 0; i < RING_GUESTS; i++) begin : g_guest
    assign ask[OWN+i]   = guests[i].ask;
    assign asked[OWN+i] = guests[i].request;
    assign noted[OWN+i] = guests[i].note;
  end

  assign guest_answer = '{go: go[CLIENTS-1:OWN], answer: answer[CLIENTS-1:OWN], note: note, rsp: acb_s2m.rsp};

  // ---- Turns -------------------------------------------------------------------------------------------------------

  logic [CLIENTS-1:0] grant, asks;
  logic               alone;
  acb_req_t           request;
  ring_note_t         request_note;
  logic               room;         // for a request

  // A fetch from a direct connection's ring, whose segment may be leaving already, asks alone.
  assign alone = ask[FETCH] && asked[FETCH].address[ADDR_W-1];
  assign asks  = alone ? CLIENTS'(1) << FETCH : ask;

  arb_rr #(.N(CLIENTS)) u_turns (.clk, .rst, .request(asks), .take(room), .grant);

  assign go = grant & {CLIENTS{room}};

  always_comb begin
    request      = '0;
    request_note = '0;
    for (int unsigned c = 0; c < CLIENTS; c++) begin
      request      |= asked[c] & {$bits(acb_req_t){grant[c]}};
      request_note |= noted[c] & {$bits(ring_note_t){grant[c]}};
    end
  end

  // Memory's readiness comes late: it ends here.
  skid_buffer #(.WIDTH($bits(acb_req_t))) u_request (
    .clk, .rst, .in_data(request), .in_valid(|ask), .in_ready(room),
    .out_data(acb_m2s.req), .out_valid(acb_m2s.req_valid), .out_ready(acb_s2m.req_ready)
  );

  assign acb_m2s.rsp_ready = 1'b1;

  // ---- Answers -----------------------------------------------------------------------------------------------------

  logic note_room, note_valid;

  /* verilator lint_off PINCONNECTEMPTY */  // the clients count
  fifo_sync #(.WIDTH(CLIENTS + $bits(ring_note_t)), .DEPTH(CLIENTS * IN_FLIGHT)) u_notes (
    .clk, .rst, .in_data({grant, request_note}), .in_valid(|go), .in_ready(note_room),
    .out_data({whose, note}), .out_valid(note_valid), .out_ready(acb_s2m.rsp_valid), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign answer = whose & {CLIENTS{acb_s2m.rsp_valid}};
  assign idle   = idles == '1;
  assign fetch_idle = idles[FETCH];

  rings_stat_t stat_q;

  always_ff @(posedge clk) begin
    stat_q <= '{
      write:       answer[PLACE],
      read:        answer[FETCH],
      write_error: answer[PLACE] && acb_s2m.rsp.err,
      read_error:  answer[FETCH] && acb_s2m.rsp.err
    };
    if (rst) stat_q <= '0;
  end

  assign stat = stat_q;

  // ---- What must hold ----------------------------------------------------------------------------------------------

  a_note_room : assert property (@(posedge clk) disable iff (rst) |go -> note_room && $onehot(go));
  a_note : assert property (@(posedge clk) disable iff (rst) acb_s2m.rsp_valid -> note_valid && $onehot(whose));

  a_turns : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && asks == '1 && room) && asks == '1 -> grant != $past(grant));

  // What the others promise.
  a_set : assert property (@(posedge clk) disable iff (rst)
    set_valid -> 32'(set_index) < CONNECTIONS && (set.rx_base & ~('1 << set.rx_ring)) == '0
                 && (set.tx_base & ~('1 << set.tx_ring)) == '0);
  a_index : assert property (@(posedge clk) disable iff (rst)
    (payload.valid -> 32'(payload.index) < CONNECTIONS) && (fetch_valid -> 32'(fetch.index) < CONNECTIONS));
  a_payload_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && payload.valid && !payload_ready) -> payload.valid && $stable(payload));

endmodule
