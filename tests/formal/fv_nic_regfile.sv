// SPDX-License-Identifier: Apache-2.0
//
// nic_regfile with everything around it free: an access is answered exactly three cycles after it was taken, whatever
// queues, lock and counters say; the answer stands until it is taken; one access at a time, one answer each. An access
// does at most one thing to queues and lock, and nothing when its answer is err.
module fv_nic_regfile
  import afb_pkg::*;
  import mac_pkg::*;
  import nic_pkg::*;
  import nic_regs_pkg::*;
(
  input logic                   clk,
  input logic                   soft_rst,
  input afb_req_t               afb_req,
  input logic                   afb_req_valid,
  input logic                   afb_rsp_ready,
  input logic                   cpu_full,
  input logic                   cpu_empty,
  input logic [31:3]            cpu_popped,
  input logic                   afb_by_selftest,
  input logic                   testing,
  input logic                   lock_granted,
  input logic                   lock_misused,
  input logic [QUEUES-1:0][6:0] occupancy,
  input irq_status_t            irq_status,
  input queue_errors_t          queue_errors,
  input logic [63:0]            ptp_ns,
  input tx_stamp_t              stamp,
  input logic [63:0]            stamp_ns,
  input debug2_t                debug2,
  input pointers_held_t         pointers_held,
  input status_t                status,
  input logic [63:0]            time_now,
  input logic [31:0]            counter
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  logic        afb_req_ready, afb_rsp_valid, cpu_access, cpu_push, cpu_pop, cpu_lock, cpu_unlock;
  afb_rsp_t    afb_rsp;
  logic [3:0]  cpu_index;
  logic [31:3] cpu_pushed;
  logic [4:0]  counter_index;

  cpu_queues_req_t queues_req;
  afb_s2m_t        afb_s2m;

  assign {afb_req_ready, afb_rsp, afb_rsp_valid} = afb_s2m;
  assign cpu_access = queues_req.access;
  assign cpu_index  = queues_req.index;
  assign cpu_push   = queues_req.push;
  assign cpu_pushed = queues_req.pushed;
  assign cpu_pop    = queues_req.pop;
  assign cpu_lock   = queues_req.lock;
  assign cpu_unlock = queues_req.unlock;

  nic_regfile dut (
    .clk, .rst, .soft_rst, .reset_start(),
    .afb_m2s('{req: afb_req, req_valid: afb_req_valid, rsp_ready: afb_rsp_ready}), .afb_s2m,
    .by_selftest(afb_by_selftest), .testing, .engines(), .queues(), .irq(), .clock(), .mac(), .mac_enable(),
    .mac_loopback(), .queues_req,
    .queues_rsp('{full: cpu_full, empty: cpu_empty, popped: cpu_popped, lock_granted: lock_granted,
                  lock_misused: lock_misused}),
    .queue_errors, .refused_event(), .occupancy, .irq_status,
    .now('{now: time_now, ptp: ptp_ns, oldest: stamp, taken_ns: stamp_ns}), .debug2, .pointers_held, .status,
    .counter_index, .counter
  );

  // Cycles since the access under way was taken; 0: none is, 3: the answer is there.
  logic [1:0] age_q;
  logic       acted_q, shut_q;  // shut_q: the access was taken during a soft reset, and was a write
  always_ff @(posedge clk) begin
    if (afb_req_valid && afb_req_ready) begin
      age_q   <= 2'd1;
      acted_q <= 1'b0;
      shut_q  <= soft_rst && !afb_req.read;
    end else if (afb_rsp_valid && afb_rsp_ready) age_q <= 2'd0;
    else if (age_q == 2'd1 || age_q == 2'd2) age_q <= age_q + 1'b1;
    if (cpu_push || cpu_pop || cpu_lock || cpu_unlock) acted_q <= 1'b1;
    if (rst) age_q <= 2'd0;
  end

  a_three_cycles : assert property (@(posedge clk) disable iff (rst) afb_rsp_valid == (age_q == 2'd3));
  a_one_at_a_time : assert property (@(posedge clk) disable iff (rst) afb_req_ready == (age_q == 2'd0));
  a_stands : assert property (@(posedge clk) disable iff (rst)
    $past(!rst && afb_rsp_valid && !afb_rsp_ready) -> afb_rsp_valid && $stable(afb_rsp));
  a_acts_once : assert property (@(posedge clk) disable iff (rst)
    $onehot0({cpu_push, cpu_pop, cpu_lock, cpu_unlock})
    && (cpu_push || cpu_pop || cpu_lock || cpu_unlock -> age_q == 2'd1 && cpu_access));
  a_queue_exists : assert property (@(posedge clk) disable iff (rst) cpu_push || cpu_pop -> 32'(cpu_index) < QUEUES);
  a_refused_does_nothing : assert property (@(posedge clk) disable iff (rst) afb_rsp_valid && afb_rsp.err -> !acted_q);

  // During a soft reset, too, all of the above holds; writes are refused then.
  a_shut : assert property (@(posedge clk) disable iff (rst) afb_rsp_valid && shut_q -> afb_rsp.err);

endmodule
