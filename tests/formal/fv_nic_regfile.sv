// SPDX-License-Identifier: Apache-2.0
//
// nic_regfile with everything around it free: an access is answered exactly three cycles after it was taken, whatever
// queues, lock and counters say; the answer stands until it is taken; one access at a time, one answer each. An access
// does at most one thing to queues and lock, and nothing when its answer is err.
module fv_nic_regfile
  import afb_pkg::*;
  import mac_pkg::*;
  import nic_regs_pkg::*;
#(
  localparam int unsigned SERVERS = RXQ_COUNT,
  localparam int unsigned QUEUES  = 2 * SERVERS + 1
) (
  input logic                   clk,
  input afb_req_t               afb_req,
  input logic                   afb_req_valid,
  input logic                   afb_rsp_ready,
  input logic                   cpu_full,
  input logic                   cpu_empty,
  input logic [31:3]            cpu_popped,
  input logic                   afb_by_selftest,
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

  nic_regfile dut (
    .nic_enable(), .mac_enable(), .nic_loopback(), .mac_loopback(), .servers_enabled(), .queue_depth(), .buffer_size(),
    .rx_patience(), .steering_flow(), .mac_settings(), .cpu_is_selftest(), .irq_enable(), .irq_mask(),
    .irq_moderation(), .irq_clear(), .refused_event(), .ptp_increment(), .ptp_value(), .ptp_set(), .ptp_step(),
    .stamp_take(), .queue_base(), .queue_setup(), .queue_forget(), .*
  );

  // Cycles since the access under way was taken; 0: none is, 3: the answer is there.
  logic [1:0] age_q;
  logic       acted_q;
  always_ff @(posedge clk) begin
    if (afb_req_valid && afb_req_ready) begin
      age_q   <= 2'd1;
      acted_q <= 1'b0;
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

endmodule
