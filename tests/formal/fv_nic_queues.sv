// SPDX-License-Identifier: Apache-2.0
//
// nic_queues between a processor port and engines that do what they like whenever they like, as far as the ports allow:
// an access at most every four cycles (nic_regfile), to a queue that exists; an engine names one queue, and takes from
// one that is not empty.
//
// - All that went in and did not come out again is in the queues, in every cycle: none lost, twice or invented.
// - ORDER: of a freely chosen queue, each pointer comes out where it was asked for, in order, and out of no other one.
// - Lock: held from its granting to the owner's release; while it is held nobody else moves the free queue.
// - No engine waits for longer than an access of the processor, but for room, a pointer or the lock.
module fv_nic_queues
  import nic_pkg::*;
#(
  parameter bit           ORDER   = 1'b0,
  localparam int unsigned SERVERS = MAX_SERVERS
) (
  input logic                 clk,
  input logic                 follow,
  input logic [6:0]           depth,
  input logic                 cpu_access,
  input logic                 cpu_is_selftest,
  input logic [3:0]           cpu_index,
  input logic                 cpu_push,
  input logic                 cpu_pop,
  input logic                 cpu_lock,
  input logic                 cpu_unlock,
  input logic                 fetch_valid,
  input logic [2*SERVERS-1:0] deliver_to,
  input logic                 rx_return_valid,
  input logic [SERVERS-1:0]   take_from,
  input logic                 tx_return_valid
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic                   cpu_full, cpu_empty, lock_granted, lock_misused, lock_held;
  logic                   fetch_ready, deliver_ready, rx_return_ready, take_ready, tx_return_ready;
  logic [31:3]            cpu_pushed, cpu_popped, fetched, delivered, rx_returned, tx_returned, taken;
  logic [QUEUES-1:0][6:0] occupancy;
  logic [QUEUES-1:0]      empty, room;

  cpu_queues_req_t cpu_req;
  cpu_queues_rsp_t cpu_rsp;
  rx_queues_req_t  rx_req;
  rx_queues_rsp_t  rx_rsp;
  tx_queues_req_t  tx_req;
  tx_queues_rsp_t  tx_rsp;
  queues_status_t  status;
  queue_settings_t settings;

  assign settings = '{depth: depth, base: '0, setup: '0, forget: 1'b0};
  assign cpu_req  = '{access: cpu_access, is_selftest: cpu_is_selftest, index: cpu_index, push: cpu_push,
                      pushed: cpu_pushed, pop: cpu_pop, lock: cpu_lock, unlock: cpu_unlock};
  assign rx_req   = '{fetch_valid: fetch_valid, deliver_to: deliver_to, delivered: delivered,
                      return_valid: rx_return_valid, returned: rx_returned};
  assign tx_req   = '{take_from: take_from, return_valid: tx_return_valid, returned: tx_returned};

  assign cpu_full        = cpu_rsp.full;
  assign cpu_empty       = cpu_rsp.empty;
  assign cpu_popped      = cpu_rsp.popped;
  assign lock_granted    = cpu_rsp.lock_granted;
  assign lock_misused    = cpu_rsp.lock_misused;
  assign fetch_ready     = rx_rsp.fetch_ready;
  assign fetched         = rx_rsp.fetched;
  assign deliver_ready   = rx_rsp.deliver_ready;
  assign rx_return_ready = rx_rsp.return_ready;
  assign take_ready      = tx_rsp.take_ready;
  assign taken           = tx_rsp.taken;
  assign tx_return_ready = tx_rsp.return_ready;
  assign lock_held       = status.lock_held;
  assign occupancy       = status.occupancy;
  assign empty           = status.empty;
  assign room            = status.room;

  nic_queues dut (.enable(1'b1), .events(), .mem_m2s(), .mem_s2m('0), .*);

  logic [2:0] accesses_q;  // of the last three cycles
  always_ff @(posedge clk) accesses_q <= rst ? '0 : {accesses_q[1:0], cpu_access};

  m_access : assume property (@(posedge clk)
    (cpu_access -> accesses_q == '0 && !rst) && ((cpu_push || cpu_pop || cpu_lock || cpu_unlock) -> cpu_access)
    && $onehot0({cpu_push, cpu_pop, cpu_lock, cpu_unlock}) && 32'(cpu_index) < QUEUES);
  m_engines : assume property (@(posedge clk)
    $onehot0(deliver_to) && $onehot0(take_from) && (take_from & empty[2*SERVERS-1:SERVERS]) == '0);
  m_depth : assume property (@(posedge clk) depth != '0 && depth <= 7'd64);

  logic cpu_pushes, cpu_pops, delivers, takes, fetches, rx_returns, tx_returns;
  assign cpu_pushes = cpu_push && !cpu_full;
  assign cpu_pops   = cpu_pop && !cpu_empty;
  assign delivers   = deliver_to != '0 && deliver_ready;
  assign takes      = take_from != '0 && take_ready;
  assign fetches    = fetch_valid && fetch_ready;
  assign rx_returns = rx_return_valid && rx_return_ready;
  assign tx_returns = tx_return_valid && tx_return_ready;

  // In each queue is what went in and did not come out again. What makes that inductive: the queue's depth registers
  // agree, and room is a place.
  for (genvar i = 0; i < QUEUES; i++) begin : g_queue
    logic [6:0] given_q;
    logic       in, out;
    if (i == FREE) begin : g_free
      assign in  = (cpu_pushes && cpu_index == 4'(i)) || rx_returns || tx_returns;
      assign out = (cpu_pops && cpu_index == 4'(i)) || fetches;
    end else if (i >= SERVERS) begin : g_transmit
      assign in  = (cpu_pushes && cpu_index == 4'(i)) || (delivers && deliver_to[i]);
      assign out = (cpu_pops && cpu_index == 4'(i)) || (takes && take_from[i-SERVERS]);
    end else begin : g_receive
      assign in  = (cpu_pushes && cpu_index == 4'(i)) || (delivers && deliver_to[i]);
      assign out = cpu_pops && cpu_index == 4'(i);
    end
    always_ff @(posedge clk) given_q <= rst ? '0 : given_q + 7'(in) - 7'(out);
    a_conserved : assert property (@(posedge clk) disable iff (rst) occupancy[i] == given_q);
    a_depth : assert property (@(posedge clk) disable iff (rst)
      dut.g_queue[i].g_there.u_queue.depth_q <= 7'd64 && dut.g_queue[i].g_there.u_queue.depth_q != '0
      && dut.g_queue[i].g_there.u_queue.depth_less_q + 8'd1 == 8'(dut.g_queue[i].g_there.u_queue.depth_q)
      && dut.g_queue[i].g_there.u_queue.depth_more_q == 8'(dut.g_queue[i].g_there.u_queue.depth_q) + 8'd1);
    a_room : assert property (@(posedge clk) disable iff (rst)
      occupancy[i] <= 7'd64 && (room[i] -> occupancy[i] < 7'd64));
  end

  // The lock, from the ports alone.
  logic held_q, selftest_holds_q;
  always_ff @(posedge clk) begin
    if (lock_granted) begin
      held_q           <= 1'b1;
      selftest_holds_q <= cpu_is_selftest;
    end else if (cpu_unlock && held_q && selftest_holds_q == cpu_is_selftest) held_q <= 1'b0;
    if (rst) held_q <= 1'b0;
  end
  a_lock : assert property (@(posedge clk) disable iff (rst)
    lock_held == held_q && lock_granted == (cpu_lock && !held_q)
    && lock_misused == (cpu_unlock && !(held_q && selftest_holds_q == cpu_is_selftest)));
  a_owner : assert property (@(posedge clk) disable iff (rst) held_q -> dut.owner_q == selftest_holds_q);
  a_one_at_a_time : assert property (@(posedge clk) disable iff (rst)
    $onehot0({rx_returns, tx_returns, cpu_access}) && (cpu_access -> !delivers && !takes && !fetches));
  a_exclusive : assert property (@(posedge clk) disable iff (rst)
    held_q -> !fetches && !rx_returns && !tx_returns
              && (selftest_holds_q == cpu_is_selftest || cpu_index != 4'(FREE) || (!cpu_pushes && !cpu_pops)));

  a_no_waiting : assert property (@(posedge clk) disable iff (rst)
    !cpu_access -> ((deliver_to & room[2*SERVERS-1:0]) != '0 -> deliver_ready) && (take_from != '0 -> take_ready)
                   && (!held_q && !empty[FREE] -> fetch_ready)
                   && (!held_q && occupancy[FREE] < 7'd64 -> rx_return_ready && (tx_return_ready || rx_return_valid)));

  if (ORDER) begin : g_order
    logic [3:0] which_q;  // queue
    logic       mark, in, out, out_q, by_cpu_q, by_fetch_q;
    logic [6:0] count;
    always_ff @(posedge clk) which_q <= which_q;
    m_which : assume property (@(posedge clk) 32'(which_q) < QUEUES);

    logic here_cpu, here_deliver, here_take, here_free;
    assign here_cpu     = cpu_index == which_q;
    assign here_deliver = |(16'(deliver_to) >> which_q & 16'd1);
    assign here_take    = |({12'(take_from), 4'b0} >> which_q & 16'd1);
    assign here_free    = which_q == 4'(FREE);
    assign in           = (cpu_pushes && here_cpu) || (delivers && here_deliver)
                          || ((rx_returns || tx_returns) && here_free);
    assign out          = (cpu_pops && here_cpu) || (takes && here_take) || (fetches && here_free);

    assign cpu_pushed  = 29'(mark && here_cpu);
    assign delivered   = 29'(mark && here_deliver);
    assign rx_returned = 29'(mark && here_free && rx_returns);
    assign tx_returned = 29'(mark && here_free && tx_returns);

    // Whoever pops has it in the cycle after.
    logic cpu_q, take_q, fetch_q, cpu_here_q, take_here_q;
    always_ff @(posedge clk) begin
      out_q       <= out && !rst;
      cpu_q       <= cpu_pops && !rst;
      take_q      <= takes && !rst;
      fetch_q     <= fetches && !rst;
      cpu_here_q  <= here_cpu;
      take_here_q <= here_take;
    end

    fv_order #(.MAX(65)) order (
      .clk, .rst, .follow, .mark, .in, .out(out_q),
      .out_marked((cpu_q && cpu_here_q && cpu_popped[3]) || (take_q && take_here_q && taken[3])
                  || (fetch_q && here_free && fetched[3])),
      .count, .waits(), .next()
    );
    a_elsewhere : assert property (@(posedge clk) disable iff (rst)
      !(cpu_q && !cpu_here_q && cpu_popped[3]) && !(take_q && !take_here_q && taken[3])
      && !(fetch_q && !here_free && fetched[3]));
  end

endmodule
