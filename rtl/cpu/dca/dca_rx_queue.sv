// SPDX-License-Identifier: Apache-2.0
//
// Which slots hold received datagrams, by socket, in order; and the one that comes in. The half of dca_slots that is in
// cpu_clk and receives.
//
//     event (HEAD) --> live_q --GOOD--> queue of its socket: first --> next --> ... last
//                         \---BAD---> nothing              `rx_done`: freed, its slot goes back
//
// What comes in is the front of its socket if nothing else waits there, so it can be read while it comes in.
//
//     cycle       0     1     2          0     1
//     event       HEAD                   GOOD
//     front             live                   whole        (registered: as of the cycle before)
//     good                               1
//
// Latency: a cycle from an event, and from `socket`, to `front` and what else is told of it; three from `rx_done`.
// Throughput: an event a cycle, but for the one behind `rx_done`.
// Borders: registers, but for the verdicts `good` and `bad`: behind fifo_async.
module dca_rx_queue
  import dca_pkg::*;
(
  input  logic                 clk,
  input  logic                 rst,

  input  rx_event_t            event_data,
  input  logic                 event_valid,
  output logic                 event_ready,

  input  socket_t              socket,
  input  logic                 rx_done,     // pulse: the first of `socket` is read; that stands for a cycle more

  output logic                 freed_valid,
  output logic [RX_SLOT_W-1:0] freed_slot,
  output socket_t              freed_socket,

  output dca_front_t           front,
  output logic                 good,
  output logic                 bad,
  output logic [WORDS_W-1:0]   start,       // of the one that comes in
  output logic [SOCKETS-1:0]   readable,
  output logic [RX_SLOT_W:0]   waiting,
  output logic [15:0]          drops
);

  typedef logic [RX_SLOT_W-1:0] slot_t;

  (* ram_style = "distributed" *) slot_t              first   [SOCKETS];
  (* ram_style = "distributed" *) slot_t              last    [SOCKETS];
  (* ram_style = "distributed" *) slot_t              next    [RX_SLOTS];
  (* ram_style = "distributed" *) length_t            lengths [RX_SLOTS];
  (* ram_style = "distributed" *) logic [RX_SLOT_W:0] waits   [SOCKETS];
  (* ram_style = "distributed" *) logic [15:0]        dropped [SOCKETS];

  logic               done_q, live_valid_q, live_valid_d, ready_q, take, head, drop;
  rx_event_t          live_q, live_d;  // since its HEAD
  logic [SOCKETS-1:0] readable_q, readable_d;
  socket_t            init_q, at, drop_at;
  logic [RX_SLOT_W:0] waits_now;
  slot_t              first_now;
  dca_front_t         front_q;

  assign event_ready = ready_q && !done_q;
  assign take        = event_valid && event_ready;
  assign head        = take && event_data.kind == HEAD;
  assign good        = take && event_data.kind == GOOD;
  assign bad         = take && live_valid_q && (event_data.kind == BAD || event_data.kind == DROP);
  assign drop        = take && event_data.kind == DROP;

  assign live_valid_d = head || (live_valid_q && !good && !bad);
  assign live_d       = head ? event_data : live_q;

  // ---- The queues: one writer each ----------------------------------------------------------------------------------

  assign at        = good ? live_q.socket : socket;
  assign waits_now = waits[at];
  assign first_now = first[socket];
  assign drop_at   = ready_q ? event_data.socket : init_q;

  always_comb begin
    readable_d = readable_q;
    if (good) readable_d[live_q.socket] = 1'b1;
    if (done_q && waits_now == (RX_SLOT_W + 1)'(1)) readable_d[socket] = 1'b0;
  end

  always_ff @(posedge clk) begin
    if (head) lengths[event_data.slot] <= event_data.length;
    if (good) last[at] <= live_q.slot;
    if (good && readable_q[at]) next[last[at]] <= live_q.slot;
    if (done_q || (good && !readable_q[at])) first[at] <= done_q ? next[first_now] : live_q.slot;
    if (done_q || good) waits[at] <= done_q ? waits_now - 1'b1 : (readable_q[at] ? waits_now : '0) + 1'b1;
    if (!ready_q || drop) dropped[drop_at] <= ready_q ? dropped[drop_at] + 1'b1 : '0;
  end

  always_ff @(posedge clk) begin
    done_q       <= rx_done && !rst;
    live_q       <= live_d;
    live_valid_q <= live_valid_d;
    readable_q   <= readable_d;
    if (!ready_q) init_q <= init_q + 1'b1;
    if (init_q == '1) ready_q <= 1'b1;
    if (rst) begin
      live_valid_q <= 1'b0;
      readable_q   <= '0;
      init_q       <= '0;
      ready_q      <= 1'b0;
    end
  end

  assign freed_valid  = done_q;
  assign freed_slot   = first_now;
  assign freed_socket = socket;

  // ---- The front ----------------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (readable_q[socket]) front_q <= '{valid: 1'b1, whole: 1'b1, slot: first_now, length: lengths[first_now]};
    else front_q <= '{valid: live_valid_d && live_d.socket == socket, whole: 1'b0, slot: live_d.slot,
                      length: live_d.length};
    // What becomes of it in this cycle is seen in the next.
    if (good && !readable_q[socket] && live_q.socket == socket) begin
      front_q <= '{valid: 1'b1, whole: 1'b1, slot: live_q.slot, length: live_q.length};
    end
    if (rst) front_q.valid <= 1'b0;
  end

  always_ff @(posedge clk) begin
    waiting <= readable_q[socket] ? waits[socket] : '0;
    drops   <= dropped[socket];
  end

  assign front    = front_q;
  assign start    = live_q.start;
  assign readable = readable_q;

  a_live : assert property (@(posedge clk) disable iff (rst)
    take && (event_data.kind == GOOD || event_data.kind == BAD) -> live_valid_q);
  a_head : assert property (@(posedge clk) disable iff (rst) head -> !live_valid_q);
  a_done : assert property (@(posedge clk) disable iff (rst) done_q -> readable_q[socket]);

endmodule
