// SPDX-License-Identifier: Apache-2.0
//
// Payload between segments and the rings in memory: writes what tcp_rx hands over into receive rings, reads what tcp_tx
// asks for out of send rings. Byte n of a ring is at its base + (n mod its size); any alignment, round the end.
//
//     tcp_rx --payload--> tcp_rings_place --writes--+                     +--> placed
//                             ring of the index     +--> turns --> ACB ---+
//     tcp_tx --fetch----> tcp_rings_fetch --reads---+      \--> notes ----+--> tcp_rings_fetch --fetched--> tcp_tx
//
// Memory has lines of WIDTH bits, as many as a beat. At 64 bits they are dwords, and the port is ACB. Above it is the same with wider
// lines: a request has the address of a line and a bit of byte_mask for each of its bytes, the first one on top. That is for
// rings in memories beside the engine (tcp_stream_rings).
//
// `payload`: the bytes of one placement after the other, as beats; `placed` when all bytes of one are in memory, that
// is when all its writes are answered: a pulse for each placement, in order, `early_placed` if it came with `early`.
// `placed_error`: memory has refused one of them. `fetch`: each is answered by its bytes as beats, in order; `fetched_error` beside the last one: memory has
// refused some of them, which are anything. A refused line does not keep the others from being written or read.
//
//     cycle             0    1    2    3                    of placement or fetch, when the other does not ask
//     payload.valid     b0   b0   b0   b1
//     fetch_valid       1
//     acb_m2s.req_valid                d0   d1   d2
//
// All ask in turns (tcp_rings_way); one that asks alone has each cycle. Each of the two has IN_FLIGHT under way at most,
// and the reader room for the answers, so no answer ever waits. APART: reads have a way of their own, and neither waits
// for the other: for rings in memories of their own each way.
//
// `guests`: two others (UDP's, see toe_udp) that share the way to memory. They ask as tcp_rings_place and tcp_rings_fetch
// do, keep IN_FLIGHT as these do, and take every answer at once. One that asks for nothing costs the others nothing. Above
// 64 bits there are none.
//
// `set` counts from the next cycle on. A connection's rings stand still while something of it is under way. A base is a
// multiple of its ring's size.
//
// Latency: 3 cycles from the first beat of a placement and from a fetch to its first request. From the last answer to
// `placed` one cycle; from an answer to the beat that it completes two, to a last beat that has only bytes of it three.
// Throughput: a line a cycle, of both together, as memory takes them; of each, IN_FLIGHT lines in as many cycles as
// memory takes to answer, and two more for writes, three for reads. With 32 and 60 cycles: half a line each way in a
// cycle, 500 MB/s at 125 MHz and 64 bits. A placement takes two cycles besides its lines, a fetch none, but there is one in two
// cycles at most.
// Borders: registers; payload_ready through the gates of turns.

`include "types.svh"

module tcp_rings
  import acb_pkg::ADDR_W;
  import tcp_pkg::*;
#(
  parameter int unsigned WIDTH       = 64,  // of the streams, and of memory: 64, 128, 256 or 512
  parameter int unsigned CONNECTIONS = 64,
  parameter int unsigned IN_FLIGHT   = 32,  // requests of each kind, a power of two
  parameter bit          APART       = 1'b0, // reads have a way of their own, acb_read_*; guests stay with writes
  localparam type beat_t    = `NSOC_BEAT(WIDTH),
  localparam type payload_t = `NSOC_PAYLOAD(beat_t),
  localparam type req_t     = `NSOC_BUS_REQ(WIDTH),
  localparam type rsp_t     = `NSOC_BUS_RSP(WIDTH),
  localparam type m2s_t     = `NSOC_BUS_M2S(WIDTH),
  localparam type s2m_t     = `NSOC_BUS_S2M(WIDTH),
  localparam type note_t    = `NSOC_RING_NOTE(WIDTH)
) (
  input  logic        clk,
  input  logic        rst,

  input  logic        set_valid,            // pulse, in any cycle
  input  index_t      set_index,
  input  rings_t      set,

  /* verilator lint_off UNUSEDSIGNAL */     // where in the segment the bytes were, and how many
  input  payload_t    payload,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        payload_ready,
  output logic        placed,               // pulse
  output logic        early_placed,         // pulse
  output logic        placed_error,         // with either

  input  logic        fetch_valid,
  output logic        fetch_ready,
  input  fetch_t      fetch,
  output beat_t       fetched,
  output logic        fetched_valid,
  input  logic        fetched_ready,
  output logic        fetched_error,        // with the last beat; 0 with all others

  output m2s_t        acb_m2s,
  input  s2m_t        acb_s2m,
  output m2s_t        acb_read_m2s,         // for reads, with APART
  input  s2m_t        acb_read_s2m,

  input  ring_ask_t [RING_GUESTS-1:0] guests,
  output ring_answer_t guest_answer,

  output logic        idle,                 // nothing but guests' is under way; what is only on offer does not count
  output logic        fetch_idle            // nothing is fetched
);

  `NSOC_CHECK_WIDTH(tcp_rings)
  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_rings: CONNECTIONS must be 4 to 1024");
  end
  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0) begin : g_bad_in_flight
    $error("tcp_rings: IN_FLIGHT must be a power of two of at least 2, the places of a FIFO");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);
  localparam int unsigned PLACE   = 0;
  localparam int unsigned FETCH   = 1;
  localparam int unsigned OWN     = 2;
  localparam int unsigned GUESTS  = WIDTH == 64 ? RING_GUESTS : 0;
  localparam int unsigned CLIENTS = OWN + GUESTS;

  // ---- Where the rings are -----------------------------------------------------------------------------------------

  (* no_rw_check *) ring_t rx_rings [CONNECTIONS];
  (* no_rw_check *) ring_t tx_rings [CONNECTIONS];
  ring_t rx_ring_q, tx_ring_q;

  always_ff @(posedge clk) begin
    if (set_valid) rx_rings[SHORT_W'(set_index)] <= '{base: set.rx_base, size: set.rx_ring};
    rx_ring_q <= rx_rings[SHORT_W'(payload.index)];
  end

  always_ff @(posedge clk) begin
    if (set_valid) tx_rings[SHORT_W'(set_index)] <= '{base: set.tx_base, size: set.tx_ring};
    if (fetch_ready) tx_ring_q <= tx_rings[SHORT_W'(fetch.index)];
  end

  // ---- Who asks, and by which way: all by one, or reads by one of their own ------------------------------------------

  localparam int unsigned ALL = APART ? CLIENTS - 1 : CLIENTS;  // on the first way: the writer, the reader, guests

  logic       ask_write, ask_read, go_write, go_read, answer_write, answer_read, error_write;
  req_t       write, read;
  note_t      write_note, read_note, note, note_read;
  rsp_t       rsp_read;
  logic  [OWN-1:0] idles;
  logic  [ALL-1:0] asks, go, answer;
  req_t  [ALL-1:0] asked;
  note_t [ALL-1:0] noted;
  logic            alone;  // no other one asks now

  tcp_rings_place #(.WIDTH(WIDTH), .IN_FLIGHT(IN_FLIGHT)) u_place (
    .clk,
    .rst,
    .beat        (payload.beat),
    .beat_valid  (payload.valid),
    .beat_ready  (payload_ready),
    .early       (payload.early),
    .offset      (payload.place.offset),
    .ring        (rx_ring_q),
    .ask         (ask_write),
    .write       (write),
    .note        (write_note),
    .go          (go_write),
    .answer      (answer_write),
    .answer_last (note.last),
    .answer_early(note.early),
    .answer_error(error_write),
    .placed,
    .early_placed,
    .placed_error,
    .idle        (idles[PLACE])
  );

  tcp_rings_fetch #(.WIDTH(WIDTH), .IN_FLIGHT(IN_FLIGHT)) u_fetch (
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
    .ask        (ask_read),
    .read       (read),
    .note       (read_note),
    .go         (go_read),
    .answer     (answer_read),
    .answer_note(note_read),
    .answer_rsp (rsp_read),
    .idle       (idles[FETCH])
  );

  assign error_write = acb_s2m.rsp.err;

  tcp_rings_way #(.WIDTH(WIDTH), .CLIENTS(ALL), .IN_FLIGHT(IN_FLIGHT)) u_way (
    .clk, .rst, .asks, .asked, .noted, .go, .answer, .note, .acb_m2s, .acb_s2m
  );

  if (APART) begin : g_apart
    assign alone        = 1'b0;
    assign asks[0]      = ask_write;
    assign asked[0]     = write;
    assign noted[0]     = write_note;
    assign go_write     = go[0];
    assign answer_write = answer[0];
    assign rsp_read     = acb_read_s2m.rsp;

    tcp_rings_way #(.WIDTH(WIDTH), .CLIENTS(1), .IN_FLIGHT(IN_FLIGHT)) u_way_read (
      .clk, .rst, .asks(ask_read), .asked(read), .noted(read_note), .go(go_read), .answer(answer_read),
      .note(note_read), .acb_m2s(acb_read_m2s), .acb_s2m(acb_read_s2m)
    );
  end else begin : g_together
    logic unused;

    // A fetch from a direct connection's ring, whose segment may be leaving already, asks alone.
    assign alone  = ask_read && read.address[ADDR_W-1];
    assign unused = &{1'b0, acb_read_s2m};

    assign asks[OWN-1:0]               = {ask_read, ask_write && !alone};
    assign asked[OWN-1:0]              = {read, write};
    assign noted[OWN-1:0]              = {read_note, write_note};
    assign {go_read, go_write}         = go[OWN-1:0];
    assign {answer_read, answer_write} = answer[OWN-1:0];
    assign note_read                   = note;
    assign rsp_read                    = acb_s2m.rsp;
    assign acb_read_m2s                = '0;
  end

  if (GUESTS != 0) begin : g_guests
    for (genvar i = 0; i < GUESTS; i++) begin : g_guest
      assign asks[ALL-GUESTS+i]  = guests[i].ask && !alone;
      assign asked[ALL-GUESTS+i] = guests[i].request;
      assign noted[ALL-GUESTS+i] = guests[i].note;
    end

    assign guest_answer = '{go: go[ALL-1 -: GUESTS], answer: answer[ALL-1 -: GUESTS], note: note, rsp: acb_s2m.rsp};
  end else begin : g_no_guests
    logic unused_guests;
    assign unused_guests = &{1'b0, guests, note, alone};
    assign guest_answer  = '0;
  end

  assign idle       = idles == '1;
  assign fetch_idle = idles[FETCH];

  // ---- What the others promise ---------------------------------------------------------------------------------------

  a_set : assert property (@(posedge clk) disable iff (rst)
    set_valid -> 32'(set_index) < CONNECTIONS && (set.rx_base & ~('1 << set.rx_ring)) == '0
                 && (set.tx_base & ~('1 << set.tx_ring)) == '0);
  a_index : assert property (@(posedge clk) disable iff (rst)
    (payload.valid -> 32'(payload.index) < CONNECTIONS) && (fetch_valid -> 32'(fetch.index) < CONNECTIONS));
  a_payload_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && payload.valid && !payload_ready) -> payload.valid && $stable(payload));

endmodule
