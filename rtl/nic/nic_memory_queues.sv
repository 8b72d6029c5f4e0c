// SPDX-License-Identifier: Apache-2.0
//
// The queues of a NIC_1.1, which are in memory: free, receive and transmit queue of one server, in the place of
// nic_queues towards the engines. The processor does not come by here; it works on the same memory.
//
//     free queue --fetch--> receive engine --deliver--> receive queue --> processor --> transmit queue
//         ^                       |                                                          |
//         +-------- rx_return ----+              transmit engine <----------take-------------+
//         +-------- tx_return ----------------------- +
//
// Each queue is a nic_memory_queue with a port to memory of its own, so that a slow operation on one does not hold up
// the others. What an engine delivers or returns is taken over at once if the queue had room when last seen, and is in
// memory an operation later. A fetch or a take waits for the operation. A dropped frame's buffer goes before a sent
// one's.
//
// Polling: the free queue is looked at while a buffer is wanted and there was none; the transmit queue while it was
// empty and the NIC is enabled; the receive queue while it holds frames, for the interrupt and for room.
//
// A pointer that was popped for a fetch which the engine has withdrawn (the NIC was disabled) goes back to the free
// queue. Nothing is popped from the transmit queue but for a frame that the engine is about to send.
//
// Occupancies, `empty` and `room` are what the NIC knows: what it did, and what it saw at its last look. Servers 1 to 3
// do not exist: their queues are empty for ever, and nic_regfile does not enable them.
//
// nic_queues has the same ports; here the register file finds no queue and no lock. The rings are as deep as
// `settings.setup.entries` says, whatever DEPTH is.
module nic_memory_queues
  import acb_pkg::*;
  import nic_pkg::*;
#(
  /* verilator lint_off UNUSEDPARAM */
  parameter int unsigned SERVERS = MAX_SERVERS,
  parameter int unsigned DEPTH   = MAX_DEPTH
  /* verilator lint_on UNUSEDPARAM */
) (
  input  logic                 clk,
  input  logic                 rst,
  input  logic                 enable,
  /* verilator lint_off UNUSEDSIGNAL */  // the depth, reserved bits
  input  queue_settings_t      settings,
  input  cpu_queues_req_t      cpu_req,
  /* verilator lint_on UNUSEDSIGNAL */
  output cpu_queues_rsp_t      cpu_rsp,
  input  rx_queues_req_t       rx_req,    // receive engine; delivers to server 0 only
  output rx_queues_rsp_t       rx_rsp,
  input  tx_queues_req_t       tx_req,    // transmit engine; takes from server 0 only
  output tx_queues_rsp_t       tx_rsp,
  output queues_status_t       status,    // .empty of transmit queue 0: there is nothing to take; .held: an operation
                                         // under way counts as a pointer
  output queues_events_t       events,

  output acb_m2s_t [RINGS-1:0] mem_m2s,   // the queues in the order free, receive, transmit
  input  acb_s2m_t [RINGS-1:0] mem_s2m
);

  localparam int unsigned F  = 0;
  localparam int unsigned RX = 1;
  localparam int unsigned TX = 2;

  logic [RINGS-1:0]       look, push_valid, push_ready, pop, popped_valid, take, none, full, popping, pushing;
  logic [RINGS-1:0]       failing, push_held, pushed_event;
  logic [RINGS-1:0]       bus_error, content_error;
  pointer_t [RINGS-1:0]   pushed, popped;
  logic [RINGS-1:0][6:0]  count;
  logic [6:0]             entries;
  logic                   fetch_ready, deliver_ready, take_ready;
  logic                   give_back, tx_returns, returned_by_tx_q;

  assign entries = settings.setup.entries;

  for (genvar i = 0; i < int'(RINGS); i++) begin : g_queue
    nic_memory_queue u_queue (
      .clk,
      .rst,
      .base         (settings.base[i]),
      .entries,
      .pause        (settings.setup.pause),
      .forget       (settings.forget),
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
      .mem_m2s      (mem_m2s[i]),
      .mem_s2m      (mem_s2m[i])
    );
  end

  // ---- Free queue --------------------------------------------------------------------------------------------------

  assign give_back     = popped_valid[F] && !enable && push_ready[F];
  assign pop[F]        = rx_req.fetch_valid;
  assign fetch_ready   = popped_valid[F] && enable;
  assign take[F]       = (rx_req.fetch_valid && fetch_ready) || give_back;
  // The engines take turns: an operation takes as long as a short frame, and dropped ones may come one after the other.
  assign tx_returns    = tx_req.return_valid && !(rx_req.return_valid && returned_by_tx_q);
  assign push_valid[F] = give_back || rx_req.return_valid || tx_req.return_valid;
  assign look[F]       = (rx_req.fetch_valid && none[F])
                         || ((push_valid[F] || (popped_valid[F] && !enable)) && full[F]);

  assign pushed[F] = give_back ? popped[F] : tx_returns ? tx_req.returned : rx_req.returned;

  always_ff @(posedge clk) begin
    if (push_valid[F] && push_ready[F]) returned_by_tx_q <= !give_back && tx_returns;
  end

  // ---- Receive and transmit queue ----------------------------------------------------------------------------------

  assign push_valid[RX] = rx_req.deliver_to[0];
  assign push_valid[TX] = rx_req.deliver_to[MAX_SERVERS];
  assign pushed[RX]     = rx_req.delivered;
  assign pushed[TX]     = rx_req.delivered;
  assign deliver_ready  = (push_valid[RX] && push_ready[RX]) || (push_valid[TX] && push_ready[TX]);

  assign pop[RX]    = 1'b0;
  assign take[RX]   = 1'b0;
  assign look[RX]   = !none[RX];
  assign pop[TX]    = tx_req.take_from[0];
  assign take[TX]   = tx_req.take_from[0] && take_ready;
  assign take_ready = popped_valid[TX];
  assign look[TX]   = (enable && none[TX]) || (push_valid[TX] && full[TX]);

  // ---- Answers -----------------------------------------------------------------------------------------------------

  assign cpu_rsp = '0;

  // Nothing is free where no pointer is on its way and the queue is empty or does not work. A delivery is refused, and
  // not only late, where the queue is full or does not work.
  assign rx_rsp = '{
    fetch_ready:     fetch_ready,
    fetched:         popped[F],
    none_free:       !popped_valid[F] && (none[F] || failing[F]),
    deliver_ready:   deliver_ready,
    deliver_refused: !deliver_ready && ((push_valid[RX] && (full[RX] || failing[RX]))
                                        || (push_valid[TX] && (full[TX] || failing[TX])) || entries == '0),
    return_ready:    push_ready[F] && !give_back && !tx_returns
  };

  assign tx_rsp = '{
    take_ready:   take_ready,
    taken:        popped[TX],
    return_ready: push_ready[F] && !give_back && tx_returns
  };

  // ---- What the NIC knows ------------------------------------------------------------------------------------------

  always_comb begin
    status                        = '0;
    status.empty                  = '1;
    status.room                   = '1;
    status.room_in_each           = entries;
    status.occupancy[0]           = count[RX] + 7'(push_held[RX]);
    status.occupancy[MAX_SERVERS] = count[TX] + 7'(push_held[TX]);
    status.occupancy[FREE]        = count[F] + 7'(push_held[F]);
    status.empty[0]               = none[RX];
    status.empty[FREE]            = none[F];
    status.room[0]                = !full[RX];
    status.room[MAX_SERVERS]      = !full[TX];
    status.room[FREE]             = !full[F];
    // What the transmit engine has begun to take stays to be taken until it is.
    status.empty[MAX_SERVERS]     = !popped_valid[TX] && !popping[TX] && (none[TX] || !enable);
    for (int unsigned i = 0; i < RINGS; i++) begin
      status.held += 8'(push_held[i] || pushing[i]) + 8'(popped_valid[i]) + 8'(popping[i]);
    end

    events                = '0;
    events.rx[0]          = pushed_event[RX];
    events.tx             = pushed_event[F] && returned_by_tx_q;
    events.errors.bus     = bus_error;
    events.errors.content = content_error;
    events.errors.unset   = enable && entries == '0;
  end

  // The receive queue's engine side only pushes; servers 1 to 3 do not exist.
  logic unused;
  assign unused = &{1'b0, popped[RX], popped_valid[RX], popping[RX], pushed_event[TX]};

  a_server_0_only : assert property (@(posedge clk) disable iff (rst)
    (rx_req.deliver_to & ~server_queues_t'({1'b1, {(MAX_SERVERS - 1){1'b0}}, 1'b1})) == '0
    && (tx_req.take_from & ~servers_t'(1)) == '0);
  a_delivers_to_one : assert property (@(posedge clk) disable iff (rst) $onehot0(rx_req.deliver_to));

endmodule
