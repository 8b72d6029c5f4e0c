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
// An engine's return always finds a place unless more than 64 buffers are in use in all; then it waits for one.
//
// Latency: processor and engine ops act at the clock edge; a popped pointer is there in the next cycle. A fetch, a
// take, a delivery or a return is done on a cycle with valid and ready.
module nic_queues
  import nic_regs_pkg::*;
#(
  localparam int unsigned SERVERS = RXQ_COUNT,
  localparam int unsigned QUEUES  = 2 * SERVERS + 1,
  localparam int unsigned FREE    = 2 * SERVERS
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic [6:0]             depth,       // in use; engines may return buffers to all 64 places of the free queue

  // Processor, from the register file
  input  logic                   cpu_access,  // an access begins; without it there is no push and no pop
  input  logic                   cpu_is_selftest,  // whose access it is; 0: the processor's
  input  logic [3:0]             cpu_index,
  input  logic                   cpu_push,    // does nothing when cpu_full
  input  logic [31:3]            cpu_pushed,
  input  logic                   cpu_pop,     // does nothing when cpu_empty
  output logic                   cpu_full,
  output logic                   cpu_empty,
  output logic [31:3]            cpu_popped,  // in the cycle after cpu_pop
  input  logic                   cpu_lock,
  input  logic                   cpu_unlock,
  output logic                   lock_granted,  // to this access
  output logic                   lock_misused,  // by this access: a release by who does not hold the lock
  output logic                   lock_held,

  // Receive engine
  input  logic                   fetch_valid,
  output logic                   fetch_ready,
  output logic [31:3]            fetched,     // in the cycle after
  input  logic [2*SERVERS-1:0]   deliver_to,  // at most one; a delivery is valid when any is set
  input  logic [31:3]            delivered,
  output logic                   deliver_ready,
  input  logic                   rx_return_valid,
  input  logic [31:3]            rx_returned,
  output logic                   rx_return_ready,

  // Transmit engine
  input  logic [SERVERS-1:0]     take_from,   // at most one, of a queue that is not empty
  output logic                   take_ready,
  output logic [31:3]            taken,       // in the cycle after
  input  logic                   tx_return_valid,
  input  logic [31:3]            tx_returned,
  output logic                   tx_return_ready,

  output logic [QUEUES-1:0][6:0] occupancy,
  output logic [QUEUES-1:0]      empty,
  output logic [QUEUES-1:0]      room
);

  logic [QUEUES-1:0]       push, pop, place, cpu_here, cpu_pushes, cpu_pops;
  logic [QUEUES-1:0][28:0] pushed, popped;
  logic [3:0]              cpu_index_q;
  logic [1:0]              take_index, take_index_q;
  logic                    lock_q, owner_q, free_push_open;
  logic [QUEUES-1:0]       shut;  // the free queue, to who is not the owner of its lock

  always_comb begin
    cpu_here            = '0;
    cpu_here[cpu_index] = 1'b1;
  end

  always_comb begin
    shut       = '0;
    shut[FREE] = lock_q && owner_q != cpu_is_selftest;
  end

  assign cpu_full   = |(cpu_here & (~room | shut));
  assign cpu_empty  = |(cpu_here & (empty | shut));
  assign cpu_pushes = cpu_here & room & ~shut & {QUEUES{cpu_push}};
  assign cpu_pops   = cpu_here & ~empty & ~shut & {QUEUES{cpu_pop}};

  assign lock_granted = cpu_lock && !lock_q;
  assign lock_misused = cpu_unlock && (!lock_q || owner_q != cpu_is_selftest);

  // Engines, behind the processor. A dropped frame's buffer goes before a sent one's, being rare.
  assign deliver_ready   = |(deliver_to & room[2*SERVERS-1:0]) && !cpu_access;
  assign take_ready      = |take_from && !cpu_access;
  assign fetch_ready     = !empty[FREE] && !lock_q && !cpu_access;
  assign free_push_open  = place[FREE] && !lock_q && !cpu_access;
  assign rx_return_ready = free_push_open;
  assign tx_return_ready = free_push_open && !rx_return_valid;

  always_comb begin
    push = cpu_pushes;
    pop  = cpu_pops;
    for (int unsigned i = 0; i < QUEUES; i++) pushed[i] = cpu_access ? cpu_pushed : delivered;
    if (!cpu_access) push[2*SERVERS-1:0] |= deliver_to & room[2*SERVERS-1:0];
    if (!cpu_access) pop[2*SERVERS-1:SERVERS] |= take_from;
    if (fetch_valid && fetch_ready) pop[FREE] = 1'b1;
    if (!cpu_access) pushed[FREE] = rx_return_valid ? rx_returned : tx_returned;
    if (free_push_open && (rx_return_valid || tx_return_valid)) push[FREE] = 1'b1;
  end

  for (genvar i = 0; i < int'(QUEUES); i++) begin : g_queue
    nic_queue u_queue (
      .clk,
      .rst,
      .depth,
      .push     (push[i]),
      .pushed   (pushed[i]),
      .pop      (pop[i]),
      .popped   (popped[i]),
      .occupancy(occupancy[i]),
      .empty    (empty[i]),
      .room     (room[i]),
      .place    (place[i])
    );
  end

  always_comb begin
    take_index = '0;
    for (int unsigned s = 0; s < SERVERS; s++) if (take_from[s]) take_index = 2'(s);
  end

  always_ff @(posedge clk) begin
    cpu_index_q  <= cpu_index;
    take_index_q <= take_index;
    if (rst || (cpu_unlock && !lock_misused)) lock_q <= 1'b0;
    else if (cpu_lock) lock_q <= 1'b1;
    if (lock_granted) owner_q <= cpu_is_selftest;
  end

  assign lock_held  = lock_q;
  assign cpu_popped = popped[cpu_index_q];
  assign fetched    = popped[FREE];
  assign taken      = popped[4'(SERVERS) + 4'(take_index_q)];

  a_delivers_to_one : assert property (@(posedge clk) disable iff (rst) $onehot0(deliver_to));
  a_takes_from_one : assert property (@(posedge clk) disable iff (rst)
    $onehot0(take_from) && (take_from & empty[2*SERVERS-1:SERVERS]) == '0);
  a_access : assert property (@(posedge clk) disable iff (rst)
    !(cpu_push || cpu_pop || cpu_lock || cpu_unlock) || cpu_access);
  // Mutual exclusion: what happens to the free queue under the lock is its owner's doing.
  a_lock_excludes : assert property (@(posedge clk) disable iff (rst)
    !(lock_q && (push[FREE] || pop[FREE])) || (cpu_access && cpu_is_selftest == owner_q));

endmodule
