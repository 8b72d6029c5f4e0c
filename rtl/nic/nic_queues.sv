// SPDX-License-Identifier: Apache-2.0
//
// The nine queues between processor and engines, and the free queue's lock. Index: 0-3 receive queues, 4-7 transmit
// queues, 8 the free queue: the order of their register IDs.
//
//     free queue --fetch--> receive engine --deliver--> receive queue --> processor --> transmit queue
//         ^                       |                                                          |
//         +-------- rx_return ----+              transmit engine <----------take-------------+
//         +-------- tx_return ----------------------- +
//
// The processor may push into and pop from every one of them. It goes first: in a cycle in which it begins an access to
// any register the engines wait (which queue it means, if any, is known too late to tell them). The processor cannot
// keep an engine out for long, since its accesses are at least four cycles apart (nic_regfile), and an engine cannot
// keep out the processor at all.
//
// Lock: while it is held, the engines leave the free queue alone; every single push and pop is atomic anyway. Two share
// the processor's port, the processor and the self-test (`cpu_is_selftest`), and each may be the owner. A request is
// refused until the release, whoever holds the lock; to who is not the owner the free queue seems full and empty, and
// its release does nothing but raise `lock_misused`, as does a release of a free lock.
//
// An engine's return always finds a place unless more than DEPTH buffers are in use in all; then it waits for one.
//
// nic_memory_queues has the same ports; here `enable` and the memory are of no use.
// Latency: processor and engine ops act at the clock edge; a popped pointer is there in the next cycle. A fetch, a
// take, a delivery or a return is done on a cycle with valid and ready.
module nic_queues
  import acb_pkg::*;
  import nic_pkg::*;
#(
  parameter int unsigned SERVERS = MAX_SERVERS,
  parameter int unsigned DEPTH   = MAX_DEPTH      // places of a queue: a power of two
) (
  input  logic                 clk,
  input  logic                 rst,
  /* verilator lint_off UNUSEDSIGNAL */  // what concerns queues in memory
  input  logic                 enable,
  input  queue_settings_t      settings,  // .depth: engines may return buffers to all DEPTH places of the free queue
  /* verilator lint_on UNUSEDSIGNAL */

  input  cpu_queues_req_t      cpu_req,   // processor and self-test, from the register file
  output cpu_queues_rsp_t      cpu_rsp,
  input  rx_queues_req_t       rx_req,    // receive engine
  output rx_queues_rsp_t       rx_rsp,
  input  tx_queues_req_t       tx_req,    // transmit engine
  output tx_queues_rsp_t       tx_rsp,
  output queues_status_t       status,
  output queues_events_t       events,

  output acb_m2s_t [RINGS-1:0] mem_m2s,
  /* verilator lint_off UNUSEDSIGNAL */
  input  acb_s2m_t [RINGS-1:0] mem_s2m
  /* verilator lint_on UNUSEDSIGNAL */
);

  if (SERVERS < 1 || SERVERS > MAX_SERVERS || DEPTH > MAX_DEPTH) begin : g_bad_size
    $error("nic_queues: there are 1 to 4 servers, and queues of up to 64 places");
  end

  localparam int unsigned DEPTH_W = $clog2(DEPTH) + 1;
  localparam queues_t     THERE   = {1'b1, {2{servers_t'((1 << SERVERS) - 1)}}};
  queues_t                 push, pop, place, cpu_here, cpu_pushes, cpu_pops, empty, room;
  pointer_t [QUEUES-1:0]   pushed, popped;
  logic [QUEUES-1:0][6:0]  occupancy;
  logic [3:0]              cpu_index_q;
  logic [1:0]              take_index, take_index_q;
  logic                    lock_q, owner_q, lock_granted, lock_misused;
  logic                    fetch_ready, deliver_ready, free_push_open, tx_return_ready;
  queues_t                 shut;  // the free queue, to who is not the owner of its lock

  always_comb begin
    cpu_here                = '0;
    cpu_here[cpu_req.index] = 1'b1;
    shut                    = '0;
    shut[FREE]              = lock_q && owner_q != cpu_req.is_selftest;
  end

  assign cpu_pushes = cpu_here & room & ~shut & {QUEUES{cpu_req.push}};
  assign cpu_pops   = cpu_here & ~empty & ~shut & {QUEUES{cpu_req.pop}};

  assign lock_granted = cpu_req.lock && !lock_q;
  assign lock_misused = cpu_req.unlock && (!lock_q || owner_q != cpu_req.is_selftest);

  // Engines, behind the processor. A dropped frame's buffer goes before a sent one's, being rare.
  assign deliver_ready   = |(rx_req.deliver_to & room[FREE-1:0]) && !cpu_req.access;
  assign fetch_ready     = !empty[FREE] && !lock_q && !cpu_req.access;
  assign free_push_open  = place[FREE] && !lock_q && !cpu_req.access;
  assign tx_return_ready = free_push_open && !rx_req.return_valid;

  always_comb begin
    push = cpu_pushes;
    pop  = cpu_pops;
    for (int unsigned i = 0; i < QUEUES; i++) pushed[i] = cpu_req.access ? cpu_req.pushed : rx_req.delivered;
    if (!cpu_req.access) push[FREE-1:0] |= rx_req.deliver_to & room[FREE-1:0];
    if (!cpu_req.access) pop[FREE-1:MAX_SERVERS] |= tx_req.take_from;
    if (rx_req.fetch_valid && fetch_ready) pop[FREE] = 1'b1;
    if (!cpu_req.access) pushed[FREE] = rx_req.return_valid ? rx_req.returned : tx_req.returned;
    if (free_push_open && (rx_req.return_valid || tx_req.return_valid)) push[FREE] = 1'b1;
  end

  for (genvar i = 0; i < int'(QUEUES); i++) begin : g_queue
    if (THERE[i]) begin : g_there
      logic [DEPTH_W-1:0] count;

      nic_queue #(.WIDTH($bits(pointer_t)), .PLACES(DEPTH)) u_queue (
        .clk,
        .rst,
        .depth    (settings.depth[DEPTH_W-1:0]),
        .push     (push[i]),
        .pushed   (pushed[i]),
        .pop      (pop[i]),
        .popped   (popped[i]),
        .occupancy(count),
        .empty    (empty[i]),
        .room     (room[i]),
        .place    (place[i])
      );

      assign occupancy[i] = 7'(count);
    end else begin : g_absent
      assign {popped[i], occupancy[i], place[i], empty[i], room[i]} = {$bits(pointer_t)'(0), 7'd0, 1'b0, 2'b11};
      logic unused;
      assign unused = &{1'b0, pushed[i]};
    end
  end

  always_comb begin
    take_index = '0;
    for (int unsigned s = 0; s < SERVERS; s++) if (tx_req.take_from[s]) take_index = 2'(s);
  end

  always_ff @(posedge clk) begin
    cpu_index_q  <= cpu_req.index;
    take_index_q <= take_index;
    if (rst || (cpu_req.unlock && !lock_misused)) lock_q <= 1'b0;
    else if (cpu_req.lock) lock_q <= 1'b1;
    if (lock_granted) owner_q <= cpu_req.is_selftest;
  end

  assign cpu_rsp = '{
    full: |(cpu_here & (~room | shut)), empty: |(cpu_here & (empty | shut)), popped: popped[cpu_index_q],
    lock_granted: lock_granted, lock_misused: lock_misused
  };
  assign rx_rsp  = '{fetch_ready: fetch_ready, fetched: popped[FREE], none_free: empty[FREE] || lock_q,
                     deliver_ready: deliver_ready, deliver_refused: !deliver_ready, return_ready: free_push_open};
  assign tx_rsp  = '{take_ready: |tx_req.take_from && !cpu_req.access,
                     taken: popped[4'(MAX_SERVERS) + 4'(take_index_q)], return_ready: tx_return_ready};
  assign status  = '{occupancy: occupancy, empty: empty, room: room, room_in_each: settings.depth, held: '0,
                     lock_held: lock_q};
  assign events  = '{rx: rx_req.deliver_to[MAX_SERVERS-1:0] & {MAX_SERVERS{deliver_ready}},
                     tx: tx_req.return_valid && tx_return_ready, errors: '0};
  assign mem_m2s = '0;

  a_delivers_to_one : assert property (@(posedge clk) disable iff (rst) $onehot0(rx_req.deliver_to));
  a_takes_from_one : assert property (@(posedge clk) disable iff (rst)
    $onehot0(tx_req.take_from) && (tx_req.take_from & empty[FREE-1:MAX_SERVERS]) == '0);
  a_access : assert property (@(posedge clk) disable iff (rst)
    !(cpu_req.push || cpu_req.pop || cpu_req.lock || cpu_req.unlock) || cpu_req.access);
  // Only queues that exist: the others have room for nothing.
  a_exists : assert property (@(posedge clk) disable iff (rst)
    (push & ~THERE) == '0 && (pop & ~THERE) == '0 && 32'(settings.depth) <= DEPTH);
  // Mutual exclusion: what happens to the free queue under the lock is its owner's doing.
  a_lock_excludes : assert property (@(posedge clk) disable iff (rst)
    !(lock_q && (push[FREE] || pop[FREE])) || (cpu_req.access && cpu_req.is_selftest == owner_q));

endmodule
