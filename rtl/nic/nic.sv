// SPDX-License-Identifier: Apache-2.0
//
// The NIC, between the MAC's frame streams and memory; the processor sees its registers (regs/nic.rdl).
//
//     MAC --rx_frame--> nic_rx_engine --+
//                          |  ^         +--> acb_arbiter --> ACB (memory)
//     MAC <-tx_frame--- nic_tx_engine --+       ^
//                          |  ^                 |
//                       nic_queues <--- nic_regfile <--- nic_selftest <--- AFB (processor)
//                   or nic_memory_queues   ^     ^
//     MAC --tx_stamp--> nic_time ----------+     nic_irq --> irq
//
// A frame's way: beats into the buffer that nic_rx_engine fetched from the free queue; the pointer into a receive
// queue; the processor pops it and pushes it into a transmit queue (NIC loopback: it goes there directly);
// nic_tx_engine streams the buffer to the MAC and puts the pointer back into the free queue.
//
// Latency: register access three cycles (nic_regfile). Through the NIC: nic_rx_engine, nic_tx_engine and acb_arbiter;
// in NIC loopback, at a memory latency of 3 cycles, 34 cycles from a 60-byte frame's last beat in to its last beat out.
// Throughput: line rate for every frame length with a memory latency of up to 40 cycles (60 bytes: a frame every 50
// cycles, of 84 at line rate).
//
// QUEUES_IN_MEMORY makes a NIC_1.1 of it: nic_memory_queues, three more masters of the memory, takes the place of
// nic_queues, and the processor's registers for the queues are gone.
//
// The other parameters leave hardware out. What is gone: `capability` says it, and a register of it answers with err =
// 1. Without PTP received frames have the stamp 0, and a frame that wants a transmit stamp counts as tx_stamp_lost.
// Without STATISTICS frames are dropped for the same causes and raise the same interrupts, only nobody counts. Without
// OFFLOADS what a control word asks of them is not looked at.
//
// A soft reset (nic_reset) resets all of this but acb_arbiter and the answers to the processor, and tells the MAC.
//
// Where pointers are: each one that the processor pushed is in exactly one queue or inside one engine until the
// processor pops it, or the transmit engine leaves it to the processor, which asked for that; a_no_pointer_lost below
// says so in every cycle (of a NIC_1.2; in a NIC_1.1 the processor gives them to the memory).
module nic
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
  import mac_pkg::*;
  import nic_fates_pkg::*;
  import nic_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter bit          QUEUES_IN_MEMORY = 1'b0,         // NIC_1.1: three rings in memory, no queues in here
  parameter int unsigned SERVERS          = MAX_SERVERS,  // 1 to 4
  parameter int unsigned DEPTH            = MAX_DEPTH,    // of each queue: a power of two up to 64
  parameter bit          SELFTEST         = 1'b1,
  parameter bit          PTP              = 1'b1,         // PTP time and stamps
  parameter bit          STATISTICS       = 1'b1,         // counters
  parameter bit          OFFLOADS         = 1'b0,         // IPv4, TCP and UDP sums, and buffers that are kept
  parameter int unsigned MAX_FRAME_BYTES  = 1522,         // max_frame behind a reset
  parameter logic [31:0] STEADY_BASE      = '0,           // a memory that answers a request a cycle, whatever happens:
  parameter int unsigned STEADY_BYTES     = 0,            // frames there may begin early (nic_tx_engine); 0: none
  parameter bit          TRACE            = 1'b0          // taps, see nic_pkg
) (
  input  logic          nic_clk,
  input  logic          nic_rst,

  input  afb_m2s_t      afb_m2s,
  output afb_s2m_t      afb_s2m,
  output acb_m2s_t      acb_m2s,
  input  acb_s2m_t      acb_s2m,

  input  rx_frame_t     rx_frame,
  output logic          rx_frame_ready,
  output tx_frame_t     tx_frame,
  input  logic          tx_frame_ready,
  input  logic          line_tick,       // of the MAC: turns every 64 byte times
  input  logic          memory_tick,     // turns every eight cycles of the steady memory's clock; in any clock
  input  logic [31:0]   tx_stamp,        // free-running counter at the SFD, in the order of the frames that want it
  input  logic          tx_stamp_valid,  // pulse: for each of them that was not `bad`, after its end

  input  mac_stat_t     stat,
  output logic          mac_enable,
  output logic          mac_loopback,
  output mac_settings_t mac_settings,
  output logic [31:0]   time_now,
  output logic          mac_restart,     // the NIC is reset by software, and the MAC is to be, too: a level
  output logic          irq,
  output nic_taps_t     taps
);

  // `rst` is all that a soft reset resets; the way of an access and acb_arbiter go on (see nic_reset).
  logic clk, rst, reset_start, soft_rst, queues_rst;
  assign clk         = nic_clk;
  assign rst         = nic_rst || soft_rst;
  assign mac_restart = soft_rst;

  // Masters of the memory.
  localparam int unsigned RX      = 0;
  localparam int unsigned TX      = 1;
  localparam int unsigned TEST    = 2;
  localparam int unsigned RING    = SELFTEST ? 3 : 2;  // the first of the queues in memory
  localparam int unsigned MASTERS = QUEUES_IN_MEMORY ? RING + RINGS : RING;

  localparam int unsigned IN_FLIGHT = 32;  // requests of each

  acb_m2s_t [MASTERS-1:0] mem_m2s;
  acb_s2m_t [MASTERS-1:0] mem_s2m;

  // ---- Registers, and the self-test as one more master of them and of the memory ------------------------------------

  engine_settings_t settings;
  queue_settings_t  queue_settings;
  irq_settings_t    irq_settings;
  time_settings_t   time_settings;
  time_status_t     now;
  cpu_queues_req_t  cpu_req;
  cpu_queues_rsp_t  cpu_rsp;
  queues_status_t   queues;
  queues_events_t   queues_events;
  engine_status_t   rx_status, tx_status;
  nic_rx_fates_t    rx_fates;
  nic_tx_fates_t    tx_fates;
  logic             rx_discards;
  debug2_t          debug2;
  pointers_held_t   pointers_held;
  status_t          status;
  irq_status_t      irq_status;
  logic             kept;                    // a buffer is left to the processor
  logic [31:0]      tx_kept_q;
  logic [4:0]       counter_index;
  logic [31:0]      counter;
  logic             refused_event;

  afb_m2s_t         reg_m2s;
  afb_s2m_t         reg_s2m;
  logic             by_selftest, testing, enable_q;
  logic [15:0]      max_length_q;
  logic [10:0]      max_sent_q;

  if (SELFTEST) begin : g_selftest
    nic_selftest #(.QUEUES_IN_MEMORY(QUEUES_IN_MEMORY), .SERVERS(SERVERS)) u_selftest (
      .clk,
      .rst            (rst || reset_start),  // a cycle earlier than the others: then none of its accesses is under way
      .afb_m2s,
      .afb_s2m,
      .reg_m2s,
      .reg_s2m,
      .afb_by_selftest(by_selftest),
      .mem_m2s        (mem_m2s[TEST]),
      .mem_s2m        (mem_s2m[TEST]),
      .queue_depth    (queue_settings.depth),
      .nic_unused     (!settings.nic_enable && (QUEUES_IN_MEMORY || &queues.empty) && pointers_held == '0
                       && rx_status.idle && tx_status.idle && !queues.lock_held),
      .busy           (testing)
    );
  end else begin : g_no_selftest
    assign reg_m2s     = afb_m2s;
    assign afb_s2m     = reg_s2m;
    assign by_selftest = 1'b0;
    assign testing     = 1'b0;
  end

  nic_regfile #(
    .QUEUES_IN_MEMORY(QUEUES_IN_MEMORY), .SERVERS(SERVERS), .DEPTH(DEPTH), .SELFTEST(SELFTEST), .PTP(PTP),
    .STATISTICS(STATISTICS), .OFFLOADS(OFFLOADS), .MAX_FRAME_BYTES(MAX_FRAME_BYTES)
  ) u_regfile (
    .clk,
    .rst          (nic_rst),
    .soft_rst,
    .reset_start,
    .afb_m2s      (reg_m2s),
    .afb_s2m      (reg_s2m),
    .by_selftest,
    .testing,
    .engines      (settings),
    .queues       (queue_settings),
    .irq          (irq_settings),
    .clock        (time_settings),
    .mac          (mac_settings),
    .mac_enable,
    .mac_loopback,
    .queues_req   (cpu_req),
    .queues_rsp   (cpu_rsp),
    .queue_errors (queues_events.errors),
    .refused_event,
    .occupancy    (queues.occupancy),
    .irq_status,
    .now,
    .debug2,
    .pointers_held,
    .status,
    .tx_kept      (tx_kept_q),
    .counter_index,
    .counter
  );

  always_ff @(posedge clk) begin
    enable_q     <= settings.nic_enable && !testing;
    max_length_q <= settings.buffer_size - 16'(BUFFER_FRAME_OFFSET);
    max_sent_q   <= mac_settings.max_frame - 11'd4;
  end

  // ---- Queues -------------------------------------------------------------------------------------------------------

  rx_queues_req_t       rx_req;
  rx_queues_rsp_t       rx_rsp;
  tx_queues_req_t       tx_req;
  tx_queues_rsp_t       tx_rsp;
  acb_m2s_t [RINGS-1:0] ring_m2s;
  acb_s2m_t [RINGS-1:0] ring_s2m;

  if (QUEUES_IN_MEMORY) begin : g_queues
    nic_memory_queues #(.SERVERS(SERVERS), .DEPTH(DEPTH)) u_queues (
      .clk, .rst(nic_rst || queues_rst), .enable(enable_q), .settings(queue_settings),
      .cpu_req, .cpu_rsp, .rx_req, .rx_rsp, .tx_req, .tx_rsp,
      .status(queues), .events(queues_events), .mem_m2s(ring_m2s), .mem_s2m(ring_s2m)
    );
    assign mem_m2s[RING +: RINGS] = ring_m2s;
    assign ring_s2m               = mem_s2m[RING +: RINGS];
  end else begin : g_queues
    nic_queues #(.SERVERS(SERVERS), .DEPTH(DEPTH)) u_queues (
      .clk, .rst(nic_rst || queues_rst), .enable(enable_q), .settings(queue_settings),
      .cpu_req, .cpu_rsp, .rx_req, .rx_rsp, .tx_req, .tx_rsp,
      .status(queues), .events(queues_events), .mem_m2s(ring_m2s), .mem_s2m(ring_s2m)
    );
    logic unused;
    assign unused   = &{1'b0, ring_m2s};
    assign ring_s2m = '0;
  end

  // ---- Time and stamps ----------------------------------------------------------------------------------------------

  rx_stamp_t     rx_stamp;
  rx_time_t      rx_time;
  tx_stamp_req_t stamp_req;
  logic          stamp_room;

  nic_time #(.PTP(PTP)) u_time (
    .clk,
    .rst,
    .settings(time_settings),
    .now,
    .rx_stamp,
    .rx_time,
    .tx_req  (stamp_req),
    .tx_room (stamp_room),
    .tx_stamp,
    .tx_stamp_valid
  );

  assign time_now = now.now[31:0];

  // ---- Engines and their way to memory ------------------------------------------------------------------------------

  logic paced, tx_claims, rx_elsewhere;

  if (STEADY_BYTES != 0) begin : g_pace
    if (QUEUES_IN_MEMORY) begin : g_bad_steady
      $error("nic: with QUEUES_IN_MEMORY the rings' accesses go where they like: STEADY_BYTES must be 0");
    end
    nic_tx_pace u_pace (.clk, .rst(rst || !mac_enable), .line_tick, .memory_tick, .paced);
  end else begin : g_no_pace
    logic unused;
    assign unused = &{1'b0, line_tick, memory_tick};
    assign paced  = 1'b0;
  end

  nic_rx_engine #(
    .SERVERS(SERVERS), .OFFLOADS(OFFLOADS), .STEADY_BASE(STEADY_BASE), .STEADY_BYTES(STEADY_BYTES)
  ) u_rx_engine (
    .clk,
    .rst,
    .enable    (enable_q),
    .max_length(max_length_q),
    .settings,
    .queues,
    .rx_frame,
    .rx_frame_ready,
    .tx_claims,
    .elsewhere (rx_elsewhere),
    .stamp     (rx_stamp),
    .stamp_time(rx_time),
    .mem_m2s   (mem_m2s[RX]),
    .mem_s2m   (mem_s2m[RX]),
    .queues_req(rx_req),
    .queues_rsp(rx_rsp),
    .fates     (rx_fates),
    .discards  (rx_discards),
    .status    (rx_status)
  );

  nic_tx_engine #(
    .SERVERS(SERVERS), .OFFLOADS(OFFLOADS), .STEADY_BASE(STEADY_BASE), .STEADY_BYTES(STEADY_BYTES)
  ) u_tx_engine (
    .clk,
    .rst,
    .enable    (enable_q),
    .max_length(max_length_q),
    .max_sent  (max_sent_q),
    .paced,
    .rx_elsewhere,
    .claims    (tx_claims),
    .tx_frame,
    .tx_frame_ready,
    .mem_m2s   (mem_m2s[TX]),
    .mem_s2m   (mem_s2m[TX]),
    .queues,
    .queues_req(tx_req),
    .queues_rsp(tx_rsp),
    .stamp_req,
    .stamp_room,
    .kept,
    .fates     (tx_fates),
    .status    (tx_status)
  );

  acb_arbiter #(.N(MASTERS), .IN_FLIGHT(IN_FLIGHT)) u_arbiter (
    .clk,
    .rst       (nic_rst),
    .in_m2s    (mem_m2s),
    .in_s2m    (mem_s2m),
    .out_m2s   (acb_m2s),
    .out_s2m   (acb_s2m),
    /* verilator lint_off PINCONNECTEMPTY */  // memory does not ask which engine it is
    .out_master()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  nic_reset #(.IN_FLIGHT(MASTERS * IN_FLIGHT)) u_reset (
    .clk, .rst(nic_rst), .start(reset_start), .acb_m2s, .acb_s2m, .soft_rst, .queues_rst
  );

  // ---- Interrupts ---------------------------------------------------------------------------------------------------

  counter_events_t events, events_q, errors;
  logic            error_q;

  always_ff @(posedge clk) error_q <= errors != '0 && !rst;

  nic_irq u_irq (
    .clk,
    .rst,
    .enable     (irq_settings.enable),
    .mask       (irq_settings.mask),
    .clear      (irq_settings.clear),
    .moderation (irq_settings.moderation),
    .rx_empty   (queues.empty[MAX_SERVERS-1:0]),
    .rx_event   (queues_events.rx),
    .tx_event   (queues_events.tx || kept),
    .error_event(error_q || refused_event),
    .status     (irq_status),
    .irq
  );

  // ---- Counters and status ------------------------------------------------------------------------------------------

  assign events = counter_events(stat, rx_fates, tx_fates);
  assign errors = events_q & COUNTER_LOSSES;

  always_ff @(posedge clk) events_q <= rst ? '0 : events;

  if (STATISTICS) begin : g_statistics
    // The last one is of the offloads.
    localparam int unsigned COUNTED = OFFLOADS ? COUNTERS : COUNTERS - 1;

    nic_counters #(.N(COUNTED)) u_counters (
      .clk,
      .rst,
      .event_pulse(events_q[COUNTED-1:0]),
      .index      (counter_index),
      .count      (counter)
    );
  end else begin : g_no_statistics
    logic unused;
    assign unused  = &{1'b0, counter_index};
    assign counter = '0;
  end

  // Mod 2^32, as the counters.
  always_ff @(posedge clk) tx_kept_q <= rst ? '0 : tx_kept_q + 32'(kept);

  always_comb begin
    debug2               = '0;
    debug2.rx_state      = rx_status.state;
    debug2.rx_completing = rx_status.frames;
    debug2.tx_state      = tx_status.state;
    debug2.tx_frames     = tx_status.frames;

    pointers_held        = '0;
    pointers_held.rx     = rx_status.held;
    pointers_held.tx     = tx_status.held;
    pointers_held.queues = queues.held;

    status                = '0;
    status.lock_held      = queues.lock_held;
    status.rx_idle        = rx_status.idle;
    status.tx_idle        = tx_status.idle;
    {status.freeq_nonempty, status.txq_nonempty, status.rxq_nonempty} = ~queues.empty;
    {status.freeq_full, status.txq_full, status.rxq_full}             = ~queues.room;
  end

  // ---- Taps ---------------------------------------------------------------------------------------------------------

  if (TRACE) begin : g_trace
    nic_taps u_taps (
      .clk, .rst, .cpu_req, .cpu_rsp, .rx_req, .rx_rsp, .tx_req, .tx_rsp, .queues, .rx_stamp, .rx_discards,
      .rx_fates, .tx_fates, .kept, .acb_m2s, .acb_s2m, .taps
    );
  end else begin : g_no_trace
    logic unused;
    assign unused = &{1'b0, rx_discards};
    assign taps   = '0;
  end

  // ---- No pointer is lost, duplicated or invented ------------------------------------------------------------------
  // `given_q` is there for the assertion only: what the processor pushed and did not get back, popped or kept.

  logic [15:0] given_q, accounted;

  always_comb begin
    accounted = 16'(rx_status.held) + 16'(tx_status.held);
    for (int unsigned i = 0; i < QUEUES; i++) accounted += 16'(queues.occupancy[i]);
  end

  always_ff @(posedge clk) begin
    if (rst) given_q <= '0;
    else given_q <= given_q + 16'(cpu_req.push && !cpu_rsp.full) - 16'(cpu_req.pop && !cpu_rsp.empty) - 16'(kept);
  end

  a_no_pointer_lost : assert property (@(posedge clk) disable iff (rst) QUEUES_IN_MEMORY || accounted == given_q);

endmodule
