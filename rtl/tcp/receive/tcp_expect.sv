// SPDX-License-Identifier: Apache-2.0
//
// What each connection wants next: a copy of that part of its record, kept up from the rows that tcp_core writes. Says of a
// segment that still comes in where its payload will go, if it is the next one in order and turns out good: so tcp_rx places
// it while it comes, and not when the core has decided. The core stays the only writer, and its decision alone counts.
//
//     tcp_core --rows--> copy by index --> compare with the arrival --> early --> tcp_rx
//
//     cycle            0    1    2
//     known_valid      1              the table has found `known` for the arrival, which stands
//     early_valid                1    its whole payload, from its first byte on, goes to `early`
//
// Only where no byte that anybody waits for can be written over: the payload begins at rcv_nxt and ends within the window,
// nothing is held beyond a gap, and the state takes text. Between two arrivals nothing changes that but the right edge, which
// goes up, and the end of the connection: a RELEASE waits in tcp_events until what is early has ended.
//
// Latency: 2 cycles; the copy is up to date before the core tells of the event. Borders: registers.
module tcp_expect
  import tcp_pkg::*;
  import tcp_step_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic              clk,
  input  logic              rst,

  input  logic              row_valid,    // of tcp_core: row 0 to 3 one after the other, ...
  input  logic [1:0]        row_number,
  input  logic [BEAT_W-1:0] row_data,
  input  index_t            row_index,    // ... of this record

  input  logic              known_valid,  // pulse
  /* verilator lint_off UNUSEDSIGNAL */   // bits of connections that are not there; not all of the arrival
  input  index_t            known,        // stays for the next cycle
  input  rx_arrival_t       arrival,      // its sequence number and length, the same
  /* verilator lint_on UNUSEDSIGNAL */

  output logic              early_valid,  // pulse
  output early_t            early
);

  localparam int unsigned SHORT_W    = $clog2(CONNECTIONS);
  localparam int unsigned SPARE_BITS = BEATS * BEAT_W - $bits(record_t);

  typedef struct packed {
    logic              open;
    seq_t              nxt;
    near_t             room;
    logic [RING_W-1:0] offset;            // of nxt
  } expected_t;

  // ---- The copy ----------------------------------------------------------------------------------------------------

  (* no_rw_check *) expected_t entries [CONNECTIONS];
  logic [1:0][BEAT_W-1:0]      rows_q;       // rows 0 and 1
  /* verilator lint_off UNUSEDSIGNAL */   // not all of the record
  record_t                  r;
  logic [SPARE_BITS-1:0]    behind;
  /* verilator lint_on UNUSEDSIGNAL */
  expected_t                entry_q, found_q;
  logic                     writes_q;
  logic [SHORT_W-1:0]        at_q;

  assign {r, behind} = {rows_q[0], rows_q[1], row_data, BEAT_W'(0)};

  always_ff @(posedge clk) begin
    if (row_valid && !row_number[1]) rows_q[row_number[0]] <= row_data;
    writes_q <= row_valid && row_number == 2'd2 && (row_index >> SHORT_W) == '0 && !rst;
    at_q     <= SHORT_W'(row_index);
    entry_q  <= '{
      open:   receiving(r.state) && !r.fin_seen && r.held.count == '0,
      nxt:    r.rcv_nxt,
      room:   near_of(r.rcv_edge) - near_of(r.rcv_nxt),
      offset: (RING_W'(r.rcv_nxt) - RING_W'(r.rcv_base)) & RING_W'(ring_bytes(r.rx_ring) - 1'b1)
    };
  end

  always_ff @(posedge clk) begin
    if (writes_q) entries[at_q] <= entry_q;
    found_q <= entries[SHORT_W'(known)];
  end

  // ---- The arrival -------------------------------------------------------------------------------------------------

  logic   looks_q, early_valid_q;
  early_t early_q;

  always_ff @(posedge clk) begin
    looks_q       <= known_valid && !(writes_q && at_q == SHORT_W'(known)) && !rst;
    early_valid_q <= looks_q && found_q.open && found_q.nxt == arrival.arrival.seq && arrival.arrival.length != '0
                     && near_t'(arrival.arrival.length) <= found_q.room && !rst;
    early_q.offset <= found_q.offset;
    early_q.index  <= known;
  end

  assign early_valid = early_valid_q;
  assign early       = early_q;

  a_room : assert property (@(posedge clk) disable iff (rst) writes_q && entry_q.open -> !entry_q.room[NEAR_W-1]);

endmodule
