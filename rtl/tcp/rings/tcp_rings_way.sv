// SPDX-License-Identifier: Apache-2.0
//
// A way to memory for several who ask, in turns: requests as of ACB, WIDTH bits of data, and a note of whose each is until its
// answer comes. Part of tcp_rings.
//
//     asks, asked --> turns --> ACB requests
//     noted -----------\--> u_notes --> answer, note     with the ACB answer, in order
//
// Each has IN_FLIGHT under way at most, for which there is room, and takes every answer at once.
//
// Latency: a request is offered in the next cycle. Throughput: one a cycle.
// Borders: requests out of registers; `go` through the gates of turns; answers through a gate.

`include "types.svh"

module tcp_rings_way #(
  parameter int unsigned WIDTH     = 64,
  parameter int unsigned CLIENTS   = 2,
  parameter int unsigned IN_FLIGHT = 32,
  localparam type req_t  = `NSOC_BUS_REQ(WIDTH),
  localparam type m2s_t  = `NSOC_BUS_M2S(WIDTH),
  localparam type s2m_t  = `NSOC_BUS_S2M(WIDTH),
  localparam type note_t = `NSOC_RING_NOTE(WIDTH)
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic       [CLIENTS-1:0] asks,
  input  req_t       [CLIENTS-1:0] asked,
  input  note_t      [CLIENTS-1:0] noted,
  output logic       [CLIENTS-1:0] go,      // the request is on its way
  output logic       [CLIENTS-1:0] answer,  // the oldest one is answered, by what memory says; with ...
  output note_t                    note,    // ... its note

  output m2s_t                     acb_m2s,
  /* verilator lint_off UNUSEDSIGNAL */  // what it answers is for those who ask
  input  s2m_t                     acb_s2m
  /* verilator lint_on UNUSEDSIGNAL */
);

  logic       [CLIENTS-1:0] grant;
  logic       [CLIENTS-1:0] whose;  // the oldest request under way
  req_t                     request;
  note_t                    request_note;
  logic                     room;   // for a request
  logic                     note_room, note_valid;

  arb_rr #(.N(CLIENTS)) u_turns (.clk, .rst, .request(asks), .take(room), .grant);

  assign go = grant & {CLIENTS{room}};

  always_comb begin
    request      = '0;
    request_note = '0;
    for (int unsigned c = 0; c < CLIENTS; c++) begin
      request      |= asked[c] & {$bits(req_t){grant[c]}};
      request_note |= noted[c] & {$bits(note_t){grant[c]}};
    end
  end

  // Memory's readiness comes late: it ends here.
  skid_buffer #(.WIDTH($bits(req_t))) u_request (
    .clk, .rst, .in_data(request), .in_valid(|asks), .in_ready(room),
    .out_data(acb_m2s.req), .out_valid(acb_m2s.req_valid), .out_ready(acb_s2m.req_ready)
  );

  assign acb_m2s.rsp_ready = 1'b1;

  localparam int unsigned NOTES = 1 << $clog2(CLIENTS * IN_FLIGHT);

  /* verilator lint_off PINCONNECTEMPTY */  // the clients count
  fifo_sync #(.WIDTH(CLIENTS + $bits(note_t)), .DEPTH(NOTES)) u_notes (
    .clk, .rst, .in_data({grant, request_note}), .in_valid(|go), .in_ready(note_room),
    .out_data({whose, note}), .out_valid(note_valid), .out_ready(acb_s2m.rsp_valid), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign answer = whose & {CLIENTS{acb_s2m.rsp_valid}};

  a_note_room : assert property (@(posedge clk) disable iff (rst) |go -> note_room && $onehot(go));
  a_note : assert property (@(posedge clk) disable iff (rst) acb_s2m.rsp_valid -> note_valid && $onehot(whose));
  a_turns : assert property (@(posedge clk) disable iff (rst)
    CLIENTS > 1 && $past(!rst && asks == '1 && room) && asks == '1 -> grant != $past(grant));

endmodule
