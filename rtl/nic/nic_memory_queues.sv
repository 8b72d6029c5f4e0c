// SPDX-License-Identifier: Apache-2.0
//
// The queues of a NIC_1.1, which are in memory: free, receive and transmit queue of one server, in the place of nic_queues
// towards the engines. The processor does not come by here; it works on the same memory.
//
//     free queue --fetch--> receive engine --deliver--> receive queue --> processor --> transmit queue
//         ^                       |                                                          |
//         +-------- rx_return ----+              transmit engine <----------take-------------+
//         +-------- tx_return ----------------------- +
//
// Each queue is a nic_memory_queue with a port to memory of its own, so that a slow operation on one does not hold up the
// others. What an engine delivers or returns is taken over at once if the queue had room when last seen, and is in memory
// an operation later. A fetch or a take waits for the operation. A dropped frame's buffer goes before a sent one's.
//
// Polling: the free queue is looked at while a buffer is wanted and there was none; the transmit queue while it was empty
// and the NIC is enabled; the receive queue while it holds frames, for the interrupt and for room.
//
// A pointer that was popped for a fetch which the engine has withdrawn (the NIC was disabled) goes back to the free
// queue. Nothing is popped from the transmit queue but for a frame that the engine is about to send.
//
// Occupancies, `empty` and `room` are what the NIC knows: what it did, and what it saw at its last look. Servers 1 to 3
// do not exist: their queues are empty for ever, and nic_regfile does not enable them.
module nic_memory_queues
  import acb_pkg::*;
  import nic_regs_pkg::*;
#(
  localparam int unsigned SERVERS = RXQ_COUNT,
  localparam int unsigned QUEUES  = 2 * SERVERS + 1,
  localparam int unsigned FREE    = 2 * SERVERS,
  localparam int unsigned PORTS   = 3
) (
  input  logic                    clk,
  input  logic                    rst,

  // Registers; the queues in the order free, receive, transmit
  input  logic                    enable,
  input  logic [PORTS-1:0][31:3]  base,
  input  logic [6:0]              entries,
  input  logic [15:0]             pause,
  input  logic                    forget,      // pulse: one of these was written
  output logic [PORTS-1:0]        bus_error,   // pulses
  output logic [PORTS-1:0]        content_error,

  // Receive engine
  input  logic                    fetch_valid,
  output logic                    fetch_ready,
  output logic [31:3]             fetched,     // in the cycle after
  output logic                    none_free,   // no pointer is on its way: the queue is empty, or does not work
  input  logic [2*SERVERS-1:0]    deliver_to,  // at most one, of server 0; a delivery is valid when any is set
  input  logic [31:3]             delivered,
  output logic                    deliver_ready,
  output logic                    deliver_refused,  // not only busy: the queue is full, or does not work
  input  logic                    rx_return_valid,
  input  logic [31:3]             rx_returned,
  output logic                    rx_return_ready,

  // Transmit engine
  input  logic [SERVERS-1:0]      take_from,   // at most server 0, of a queue that is not empty
  output logic                    take_ready,
  output logic [31:3]             taken,       // in the cycle after
  input  logic                    tx_return_valid,
  input  logic [31:3]             tx_returned,
  output logic                    tx_return_ready,

  output logic [QUEUES-1:0][6:0]  occupancy,   // with the pointers that are on their way into the queue
  output logic [QUEUES-1:0]       empty,       // of transmit queue 0: there is nothing to take
  output logic [QUEUES-1:0]       room,
  output logic [7:0]              held,        // pointers in here; an operation under way counts as one
  output logic                    rx_event,    // pulse: a frame has come into the receive queue, `empty` knows
  output logic                    tx_event,    // pulse: a sent frame's buffer has come into the free queue

  output acb_req_t [PORTS-1:0]    mem_req,
  output logic [PORTS-1:0]        mem_req_valid,
  input  logic [PORTS-1:0]        mem_req_ready,
  input  acb_rsp_t [PORTS-1:0]    mem_rsp,
  input  logic [PORTS-1:0]        mem_rsp_valid,
  output logic [PORTS-1:0]        mem_rsp_ready
);

  localparam int unsigned F  = 0;
  localparam int unsigned RX = 1;
  localparam int unsigned TX = 2;

  logic [PORTS-1:0]       look, push_valid, push_ready, pop, popped_valid, take, none, full, popping, pushing;
  logic [PORTS-1:0]       failing, push_held, pushed_event;
  logic [PORTS-1:0][31:3] pushed, popped;
  logic [PORTS-1:0][6:0]  count;
  logic                   give_back, tx_returns, returned_by_tx_q;

  for (genvar i = 0; i < int'(PORTS); i++) begin : g_queue
    nic_memory_queue u_queue (
      .clk,
      .rst,
      .base         (base[i]),
      .entries,
      .pause,
      .forget,
      .look         (look[i]),
      .push_valid   (push_valid[i]),
      .push_ready   (push_ready[i]),
      .pushed       (pushed[i]),
      .pop          (pop[i]),
      .popped_valid (popped_valid[i]),
      .popped       (popped[i]),
      .take         (take[i]),
      .count        (count[i]),
      .empty        (none[i]),
      .full         (full[i]),
      .popping      (popping[i]),
      .pushing      (pushing[i]),
      .failing      (failing[i]),
      .push_held    (push_held[i]),
      .pushed_event (pushed_event[i]),
      .bus_error    (bus_error[i]),
      .content_error(content_error[i]),
      .mem_req      (mem_req[i]),
      .mem_req_valid(mem_req_valid[i]),
      .mem_req_ready(mem_req_ready[i]),
      .mem_rsp      (mem_rsp[i]),
      .mem_rsp_valid(mem_rsp_valid[i]),
      .mem_rsp_ready(mem_rsp_ready[i])
    );
  end

  // ---- Free queue --------------------------------------------------------------------------------------------------

  assign give_back       = popped_valid[F] && !enable && push_ready[F];
  assign pop[F]          = fetch_valid;
  assign fetch_ready     = popped_valid[F] && enable;
  assign take[F]         = (fetch_valid && fetch_ready) || give_back;
  assign fetched         = popped[F];
  assign none_free       = !popped_valid[F] && (none[F] || failing[F]);
  // The engines take turns: an operation takes as long as a short frame, and dropped ones may come one after the other.
  assign tx_returns      = tx_return_valid && !(rx_return_valid && returned_by_tx_q);
  assign push_valid[F]   = give_back || rx_return_valid || tx_return_valid;
  assign rx_return_ready = push_ready[F] && !give_back && !tx_returns;
  assign tx_return_ready = push_ready[F] && !give_back && tx_returns;
  assign look[F]         = (fetch_valid && none[F])
                           || ((push_valid[F] || (popped_valid[F] && !enable)) && full[F]);

  assign pushed[F] = give_back ? popped[F] : tx_returns ? tx_returned : rx_returned;

  always_ff @(posedge clk) begin
    if (push_valid[F] && push_ready[F]) returned_by_tx_q <= !give_back && tx_returns;
  end

  // ---- Receive and transmit queue ----------------------------------------------------------------------------------

  assign push_valid[RX] = deliver_to[0];
  assign push_valid[TX] = deliver_to[SERVERS];
  assign pushed[RX]     = delivered;
  assign pushed[TX]     = delivered;
  assign deliver_ready  = (push_valid[RX] && push_ready[RX]) || (push_valid[TX] && push_ready[TX]);

  assign deliver_refused = !deliver_ready && ((push_valid[RX] && (full[RX] || failing[RX]))
                                              || (push_valid[TX] && (full[TX] || failing[TX])) || entries == '0);

  assign pop[RX]    = 1'b0;
  assign take[RX]   = 1'b0;
  assign look[RX]   = !none[RX];
  assign pop[TX]    = take_from[0];
  assign take[TX]   = take_from[0] && take_ready;
  assign take_ready = popped_valid[TX];
  assign taken      = popped[TX];
  assign look[TX]   = (enable && none[TX]) || (push_valid[TX] && full[TX]);

  // ---- What the NIC knows ------------------------------------------------------------------------------------------

  always_comb begin
    occupancy          = '0;
    empty              = '1;
    room               = '1;
    occupancy[0]       = count[RX] + 7'(push_held[RX]);
    occupancy[SERVERS] = count[TX] + 7'(push_held[TX]);
    occupancy[FREE]    = count[F] + 7'(push_held[F]);
    empty[0]           = none[RX];
    empty[FREE]        = none[F];
    room[0]            = !full[RX];
    room[SERVERS]      = !full[TX];
    room[FREE]         = !full[F];
    // What the transmit engine has begun to take stays to be taken until it is.
    empty[SERVERS]     = !popped_valid[TX] && !popping[TX] && (none[TX] || !enable);
    held               = '0;
    for (int unsigned i = 0; i < PORTS; i++) begin
      held += 8'(push_held[i] || pushing[i]) + 8'(popped_valid[i]) + 8'(popping[i]);
    end
  end

  assign rx_event = pushed_event[RX];
  assign tx_event = pushed_event[F] && returned_by_tx_q;

  // The receive queue's engine side only pushes; servers 1 to 3 do not exist.
  logic unused;
  assign unused = &{1'b0, popped[RX], popped_valid[RX], popping[RX], pushed_event[TX]};

  a_server_0_only : assert property (@(posedge clk) disable iff (rst)
    (deliver_to & ~(2*SERVERS)'({1'b1, {(SERVERS - 1){1'b0}}, 1'b1})) == '0 && (take_from & ~SERVERS'(1)) == '0);
  a_delivers_to_one : assert property (@(posedge clk) disable iff (rst) $onehot0(deliver_to));

endmodule
