// SPDX-License-Identifier: Apache-2.0
//
// The NIC's taps (nic_pkg). It looks at what engines, processor and queues say to each other, and shows it a cycle
// later.
module nic_taps
  import acb_pkg::*;
  import nic_fates_pkg::*;
  import nic_pkg::*;
  import trace_pkg::tap;
(
  input  logic            clk,
  input  logic            rst,
  /* verilator lint_off UNUSEDSIGNAL */  // of each a part
  input  cpu_queues_req_t cpu_req,
  input  cpu_queues_rsp_t cpu_rsp,
  input  rx_queues_req_t  rx_req,
  input  rx_queues_rsp_t  rx_rsp,
  input  tx_queues_req_t  tx_req,
  input  tx_queues_rsp_t  tx_rsp,
  input  queues_status_t  queues,
  input  rx_stamp_t       rx_stamp,      // .valid: the receive engine begins a frame
  input  logic            rx_discards,   // a frame begins to go nowhere
  input  nic_rx_fates_t   rx_fates,
  input  nic_tx_fates_t   tx_fates,
  input  logic            kept,
  input  acb_m2s_t        acb_m2s,
  input  acb_s2m_t        acb_s2m,
  /* verilator lint_on UNUSEDSIGNAL */
  output nic_taps_t       taps
);

  nic_taps_t  taps_q;
  logic       fetched_q, took_q, popped_q;  // in the last cycle: the pointer is here now
  logic [3:0] took_from_q, popped_from_q;

  function automatic logic [3:0] first_queue(input server_queues_t one_hot);
    first_queue = '0;
    for (int unsigned i = 0; i < FREE; i++) if (one_hot[i]) first_queue = 4'(i);
  endfunction

  assign taps = taps_q;

  always_ff @(posedge clk) begin
    fetched_q     <= rx_req.fetch_valid && rx_rsp.fetch_ready;
    took_q        <= |tx_req.take_from && tx_rsp.take_ready;
    took_from_q   <= first_queue({tx_req.take_from, servers_t'(0)});
    popped_q      <= cpu_req.pop && !cpu_rsp.empty;
    popped_from_q <= cpu_req.index;

    taps_q.fetch      <= tap(fetched_q, '0, rx_rsp.fetched);
    taps_q.rx_begin   <= tap(rx_stamp.valid, '0, '0);
    taps_q.rx_discard <= tap(rx_discards, '0, '0);
    taps_q.rx_deliver <= tap(|rx_req.deliver_to && rx_rsp.deliver_ready, {4'b0, first_queue(rx_req.deliver_to)},
                             rx_req.delivered);
    taps_q.rx_return  <= tap(rx_req.return_valid && rx_rsp.return_ready,
                             {6'b0, rx_fates.rx_drop_memory_error || rx_fates.rx_drop_no_server,
                              rx_fates.rx_drop_too_long || rx_fates.rx_drop_no_server}, rx_req.returned);
    taps_q.cpu_pop    <= tap(popped_q, {4'b0, popped_from_q}, cpu_rsp.popped);
    taps_q.cpu_push   <= tap(cpu_req.push && !cpu_rsp.full, {4'b0, cpu_req.index}, cpu_req.pushed);
    taps_q.tx_take    <= tap(took_q, {4'b0, took_from_q}, tx_rsp.taken);
    taps_q.tx_drop    <= tap(tx_fates.tx_drop_bad_length || tx_fates.tx_drop_memory_error,
                             {6'b0, tx_fates.tx_drop_memory_error, tx_fates.tx_drop_bad_length}, '0);
    taps_q.tx_return  <= tap((tx_req.return_valid && tx_rsp.return_ready) || kept, {7'b0, kept}, tx_req.returned);
    taps_q.queued     <= queues.occupancy;
    taps_q.acb        <= trace_pkg::bus_use(acb_m2s.req_valid, acb_s2m.req_ready);
    if (rst) {taps_q, fetched_q, took_q, popped_q} <= '0;
  end

endmodule
