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
//     MAC --tx_stamp--> nic_tx_stamps -----+     nic_irq --> irq,  nic_ptp: time
//
// A frame's way: beats into the buffer that nic_rx_engine fetched from the free queue; the pointer into a receive
// queue; the processor pops it and pushes it into a transmit queue (NIC loopback: it goes there directly);
// nic_tx_engine streams the buffer to the MAC and puts the pointer back into the free queue.
//
// Latency: register access three cycles (nic_regfile). Through the NIC: nic_rx_engine, nic_tx_engine and acb_arbiter; in
// NIC loopback, at a memory latency of 3 cycles, 34 cycles from a 60-byte frame's last beat in to its last beat out.
// Throughput: line rate for every frame length with a memory latency of up to 40 cycles (60 bytes: a frame every 50
// cycles, of 84 at line rate).
//
// QUEUES_IN_MEMORY makes a NIC_1.1 of it: nic_memory_queues, three more masters of the memory, takes the place of
// nic_queues towards the engines, and the processor's registers for the queues are gone.
//
// Where pointers are: each one that the processor pushed is in exactly one queue or inside one engine until the
// processor pops it; a_no_pointer_lost below says so in every cycle (of a NIC_1.2; in a NIC_1.1 the processor gives them
// to the memory).
module nic
  import acb_pkg::*;
  import afb_pkg::*;
  import frame_pkg::*;
  import mac_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter bit QUEUES_IN_MEMORY = 1'b0,  // NIC_1.1: three rings in memory instead of the queues in here
  parameter bit TRACE            = 1'b0   // taps, see trace_pkg
) (
  input  logic        nic_clk,
  input  logic        nic_rst,

  input  afb_req_t    afb_req,
  input  logic        afb_req_valid,
  output logic        afb_req_ready,
  output afb_rsp_t    afb_rsp,
  output logic        afb_rsp_valid,
  input  logic        afb_rsp_ready,

  output acb_req_t    acb_req,
  output logic        acb_req_valid,
  input  logic        acb_req_ready,
  input  acb_rsp_t    acb_rsp,
  input  logic        acb_rsp_valid,
  output logic        acb_rsp_ready,

  input  frame_beat_t rx_frame,
  input  logic        rx_frame_valid,
  output logic        rx_frame_ready,
  input  logic        rx_frame_bad,    // with the last beat: discard the frame
  input  logic [31:0] rx_time,         // free-running counter at the SFD, stable for the whole frame

  output frame_beat_t tx_frame,
  output logic        tx_frame_valid,
  input  logic        tx_frame_ready,
  output logic        tx_frame_abort,  // with the last beat: discard the frame
  output logic        tx_frame_stamp,  // stable for the whole frame: a stamp is wanted
  input  logic [31:0] tx_stamp,        // free-running counter at the SFD, in the order of the frames that want it
  input  logic        tx_stamp_valid,  // pulse: for each of them that had no `tx_frame_abort`, after its end

  input  mac_stat_t   stat,
  output logic        mac_enable,
  output logic        mac_loopback,
  output mac_settings_t mac_settings,
  output logic [31:0] time_now,
  output logic        irq,
  output nic_pkg::nic_taps_t taps
);

  localparam int unsigned SERVERS = RXQ_COUNT;
  localparam int unsigned QUEUES  = 2 * SERVERS + 1;
  localparam int unsigned FREE    = 2 * SERVERS;

  logic clk, rst;
  assign clk = nic_clk;
  assign rst = nic_rst;

  // Masters of the memory.
  localparam int unsigned RX      = 0;
  localparam int unsigned TX      = 1;
  localparam int unsigned TEST    = 2;
  localparam int unsigned QUEUE   = 3;  // the first of the queues in memory
  localparam int unsigned MEMORY_QUEUES = 3;
  localparam int unsigned MASTERS = QUEUES_IN_MEMORY ? QUEUE + MEMORY_QUEUES : QUEUE;

  acb_req_t [MASTERS-1:0] mem_req;
  acb_rsp_t [MASTERS-1:0] mem_rsp;
  logic [MASTERS-1:0]     mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;

  // ---- Time --------------------------------------------------------------------------------------------------------

  logic [63:0] time_q;

  always_ff @(posedge clk) begin
    if (rst) time_q <= '0;
    else time_q <= time_q + 1'b1;
  end

  assign time_now = time_q[31:0];

  // What a stamp stands for: the PTP time at the clock edge with which the SFD is taken from the GMII pins, by the MAC
  // on receive, by the PHY on transmit. The MAC's stamps are so many cycles earlier at 1 Gb/s, all clocks 125 MHz (mac.sv);
  // at 10 and 100 Mb/s converted stamps are early by one clock of the pins less 8 ns.
  localparam int unsigned RX_STAMP_LAG = 2;
  localparam int unsigned TX_STAMP_LAG = 2;

  logic [91:0] ptp_now;
  logic [63:0] ptp_value;
  logic [31:0] ptp_increment;
  logic        ptp_set, ptp_step;

  nic_ptp u_ptp (
    .clk,
    .rst,
    .increment(ptp_increment),
    .value    (ptp_value),
    .set      (ptp_set),
    .step     (ptp_step),
    .now      (ptp_now)
  );

  logic        rx_convert_valid, rx_converted_valid;
  logic [31:0] rx_convert_stamp;
  logic [63:0] rx_converted;

  nic_stamp_converter #(.LAG(RX_STAMP_LAG)) u_rx_converter (
    .clk,
    .rst,
    .time_now       (time_q[31:0]),
    .ptp_now,
    .increment      (ptp_increment),
    .convert_valid  (rx_convert_valid),
    .convert_stamp  (rx_convert_stamp),
    .converted_valid(rx_converted_valid),
    .converted      (rx_converted)
  );

  // ---- Registers ---------------------------------------------------------------------------------------------------

  logic                   nic_enable, nic_loopback;
  logic [SERVERS-1:0]     servers_enabled;
  logic [6:0]             queue_depth;
  logic [15:0]            buffer_size, max_length_q;
  logic [3:0]             cpu_index;
  logic                   cpu_access, cpu_push, cpu_pop, cpu_full, cpu_empty, cpu_lock, cpu_unlock, lock_held;
  logic [31:3]            cpu_pushed, cpu_popped;
  logic [QUEUES-1:0][6:0] occupancy;
  logic [QUEUES-1:0]      empty, room;
  logic [4:0]             counter_index;
  logic [31:0]            counter;
  debug2_t                debug2;
  pointers_held_t         pointers_held;
  status_t                status;
  counter_events_t        events, events_q, errors;
  irq_mask_t              irq_mask;
  irq_moderation_t        irq_moderation;
  irq_status_t            irq_clear, irq_status;
  logic                   irq_enable, refused_event, error_q;
  tx_stamp_t              stamp;
  logic                   stamp_take, stamp_ask, stamp_room, stamp_whole, stamp_aborted, stamp_lost;
  logic [15:0]            stamp_tag;
  logic [63:0]            stamp_ns;
  logic                   steering_flow, cpu_is_selftest, lock_granted, lock_misused;
  logic [23:0]            rx_patience;
  logic                   tx_return_valid, tx_return_ready;
  logic [7:0]             rx_held, tx_held, queues_held;
  logic [MEMORY_QUEUES-1:0][31:3] queue_base;
  queue_setup_t           queue_setup;
  queue_errors_t          queue_errors;
  logic                   queue_forget, none_free, tx_come;
  logic [SERVERS-1:0]     rx_come;
  logic                   rx_idle, tx_idle;

  // The self-test is one more master of the register file and of the memory.
  afb_req_t reg_req;
  afb_rsp_t reg_rsp;
  logic     reg_req_valid, reg_req_ready, reg_rsp_valid, reg_rsp_ready, afb_by_selftest;
  logic     testing, enable_q;

  nic_selftest #(.QUEUES_IN_MEMORY(QUEUES_IN_MEMORY)) u_selftest (
    .clk,
    .rst,
    .afb_req,
    .afb_req_valid,
    .afb_req_ready,
    .afb_rsp,
    .afb_rsp_valid,
    .afb_rsp_ready,
    .reg_req,
    .reg_req_valid,
    .reg_req_ready,
    .reg_rsp,
    .reg_rsp_valid,
    .reg_rsp_ready,
    .afb_by_selftest,
    .mem_req      (mem_req[TEST]),
    .mem_req_valid(mem_req_valid[TEST]),
    .mem_req_ready(mem_req_ready[TEST]),
    .mem_rsp      (mem_rsp[TEST]),
    .mem_rsp_valid(mem_rsp_valid[TEST]),
    .mem_rsp_ready(mem_rsp_ready[TEST]),
    .queue_depth,
    .nic_unused   (!nic_enable && (QUEUES_IN_MEMORY || &empty) && rx_held == '0 && tx_held == '0 && queues_held == '0
                    && rx_idle && tx_idle && !lock_held),
    .busy         (testing)
  );

  always_ff @(posedge clk) enable_q <= nic_enable && !testing;

  nic_regfile #(.QUEUES_IN_MEMORY(QUEUES_IN_MEMORY)) u_regfile (
    .clk,
    .rst,
    .afb_req      (reg_req),
    .afb_req_valid(reg_req_valid),
    .afb_req_ready(reg_req_ready),
    .afb_rsp      (reg_rsp),
    .afb_rsp_valid(reg_rsp_valid),
    .afb_rsp_ready(reg_rsp_ready),
    .afb_by_selftest,
    .nic_enable,
    .mac_enable,
    .nic_loopback,
    .mac_loopback,
    .servers_enabled,
    .queue_depth,
    .buffer_size,
    .rx_patience,
    .steering_flow,
    .mac_settings,
    .cpu_index,
    .cpu_access,
    .cpu_push,
    .cpu_pushed,
    .cpu_pop,
    .cpu_full,
    .cpu_empty,
    .cpu_popped,
    .cpu_lock,
    .cpu_unlock,
    .cpu_is_selftest,
    .lock_granted,
    .lock_misused,
    .occupancy,
    .queue_base,
    .queue_setup,
    .queue_forget,
    .queue_errors,
    .irq_enable,
    .irq_mask,
    .irq_moderation,
    .irq_clear,
    .irq_status,
    .refused_event,
    .ptp_increment,
    .ptp_value,
    .ptp_set,
    .ptp_step,
    .ptp_ns         (ptp_now[91:28]),
    .stamp,
    .stamp_take,
    .stamp_ns,
    .debug2,
    .pointers_held,
    .status,
    .time_now       (time_q),
    .counter_index,
    .counter
  );

  always_ff @(posedge clk) max_length_q <= buffer_size - 16'(BUFFER_FRAME_OFFSET);

  // ---- Queues ------------------------------------------------------------------------------------------------------

  logic                 fetch_valid, fetch_ready, deliver_ready, deliver_refused;
  logic                 rx_return_valid, rx_return_ready, take_ready;
  logic [31:3]          fetched, delivered, rx_returned, taken, tx_returned;
  logic [2*SERVERS-1:0] deliver_to;
  logic [SERVERS-1:0]   take_from;

  // What either kind of queues says.
  logic                   own_fetch_ready, own_deliver_ready, own_rx_return_ready, own_take_ready, own_tx_return_ready;
  logic [31:3]            own_fetched, own_taken;
  logic [QUEUES-1:0][6:0] own_occupancy;
  logic [QUEUES-1:0]      own_empty, own_room;
  logic [6:0]             room_in_each;  // pointers that a queue holds at most

  nic_queues u_queues (
    .clk,
    .rst  (rst || QUEUES_IN_MEMORY),  // never used then, and gone in synthesis
    .depth(queue_depth),
    .cpu_index,
    .cpu_access,
    .cpu_is_selftest,
    .cpu_push,
    .cpu_pushed,
    .cpu_pop,
    .cpu_full,
    .cpu_empty,
    .cpu_popped,
    .cpu_lock      (cpu_lock && (cpu_is_selftest || !testing)),  // not under a test's feet
    .cpu_unlock,
    .lock_granted,
    .lock_misused,
    .lock_held,
    .fetch_valid,
    .fetch_ready    (own_fetch_ready),
    .fetched        (own_fetched),
    .deliver_to     (QUEUES_IN_MEMORY ? '0 : deliver_to),
    .delivered,
    .deliver_ready  (own_deliver_ready),
    .rx_return_valid,
    .rx_returned,
    .rx_return_ready(own_rx_return_ready),
    .take_from      (QUEUES_IN_MEMORY ? '0 : take_from),
    .take_ready     (own_take_ready),
    .taken          (own_taken),
    .tx_return_valid,
    .tx_returned,
    .tx_return_ready(own_tx_return_ready),
    .occupancy      (own_occupancy),
    .empty          (own_empty),
    .room           (own_room)
  );

  if (QUEUES_IN_MEMORY) begin : g_memory_queues
    logic [MEMORY_QUEUES-1:0] bus_error, content_error;

    nic_memory_queues u_memory_queues (
      .clk,
      .rst,
      .enable       (enable_q),
      .base         (queue_base),
      .entries      (queue_setup.entries),
      .pause        (queue_setup.pause),
      .forget       (queue_forget),
      .bus_error,
      .content_error,
      .fetch_valid,
      .fetch_ready,
      .fetched,
      .none_free,
      .deliver_to,
      .delivered,
      .deliver_ready,
      .deliver_refused,
      .rx_return_valid,
      .rx_returned,
      .rx_return_ready,
      .take_from,
      .take_ready,
      .taken,
      .tx_return_valid,
      .tx_returned,
      .tx_return_ready,
      .occupancy,
      .empty,
      .room,
      .held         (queues_held),
      .rx_event     (rx_come[0]),
      .tx_event     (tx_come),
      .mem_req      (mem_req[QUEUE +: MEMORY_QUEUES]),
      .mem_req_valid(mem_req_valid[QUEUE +: MEMORY_QUEUES]),
      .mem_req_ready(mem_req_ready[QUEUE +: MEMORY_QUEUES]),
      .mem_rsp      (mem_rsp[QUEUE +: MEMORY_QUEUES]),
      .mem_rsp_valid(mem_rsp_valid[QUEUE +: MEMORY_QUEUES]),
      .mem_rsp_ready(mem_rsp_ready[QUEUE +: MEMORY_QUEUES])
    );

    always_comb begin
      queue_errors         = '0;
      queue_errors.bus     = bus_error;
      queue_errors.content = content_error;
      queue_errors.unset   = enable_q && queue_setup.entries == '0;
    end

    assign room_in_each         = queue_setup.entries;
    assign rx_come[SERVERS-1:1] = '0;

    // The other kind's answers, and what is reserved.
    logic unused;
    assign unused = &{1'b0, own_fetch_ready, own_fetched, own_deliver_ready, own_rx_return_ready, own_take_ready,
                      own_taken, own_tx_return_ready, own_occupancy, own_empty, own_room, queue_setup};
  end else begin : g_own_queues
    assign fetch_ready     = own_fetch_ready;
    assign fetched         = own_fetched;
    assign none_free       = empty[FREE] || lock_held;
    assign deliver_ready   = own_deliver_ready;
    assign deliver_refused = !own_deliver_ready;
    assign rx_return_ready = own_rx_return_ready;
    assign take_ready      = own_take_ready;
    assign taken           = own_taken;
    assign tx_return_ready = own_tx_return_ready;
    assign occupancy       = own_occupancy;
    assign empty           = own_empty;
    assign room            = own_room;
    assign room_in_each    = queue_depth;
    assign rx_come         = deliver_to[SERVERS-1:0] & {SERVERS{deliver_ready}};
    assign tx_come         = tx_return_valid && tx_return_ready;
    assign queues_held     = '0;
    assign queue_errors    = '0;

    logic unused;
    assign unused = &{1'b0, queue_base, queue_setup, queue_forget};
  end

  // ---- Engines and their way to memory -----------------------------------------------------------------------------

  logic           rx_delivered, rx_too_long, rx_memory_error, rx_no_buffer, rx_no_server;
  logic           tx_taken, tx_bad_length, tx_memory_error;
  logic [2:0]     rx_state, rx_completing, tx_state, tx_frames;
  nic_fates_pkg::nic_rx_fates_t rx_fates;
  nic_fates_pkg::nic_tx_fates_t tx_fates;

  nic_rx_engine u_rx_engine (
    .clk,
    .rst,
    .enable            (enable_q),
    .loopback          (nic_loopback),
    .servers_enabled,
    .queue_depth       (room_in_each),
    .max_length        (max_length_q),
    .steering_flow,
    .rx_patience,
    .rx_frame,
    .rx_frame_valid,
    .rx_frame_ready,
    .rx_frame_bad,
    .rx_time,
    .convert_valid     (rx_convert_valid),
    .convert_stamp     (rx_convert_stamp),
    .converted_valid   (rx_converted_valid),
    .converted         (rx_converted),
    .mem_req           (mem_req[RX]),
    .mem_req_valid     (mem_req_valid[RX]),
    .mem_req_ready     (mem_req_ready[RX]),
    .mem_rsp           (mem_rsp[RX]),
    .mem_rsp_valid     (mem_rsp_valid[RX]),
    .mem_rsp_ready     (mem_rsp_ready[RX]),
    .fetch_valid,
    .fetch_ready,
    .fetched,
    .none_free,
    .deliver_to,
    .delivered,
    .deliver_ready,
    .deliver_refused,
    .return_valid      (rx_return_valid),
    .returned          (rx_returned),
    .return_ready      (rx_return_ready),
    .occupancy         (occupancy[2*SERVERS-1:0]),
    .delivered_event   (rx_delivered),
    .too_long_event    (rx_too_long),
    .memory_error_event(rx_memory_error),
    .no_buffer_event   (rx_no_buffer),
    .no_server_event   (rx_no_server),
    .idle              (rx_idle),
    .state             (rx_state),
    .completing        (rx_completing),
    .held              (rx_held)
  );

  nic_tx_engine u_tx_engine (
    .clk,
    .rst,
    .enable            (enable_q),
    .max_length        (max_length_q),
    .tx_frame,
    .tx_frame_valid,
    .tx_frame_ready,
    .tx_frame_abort,
    .tx_frame_stamp,
    .mem_req           (mem_req[TX]),
    .mem_req_valid     (mem_req_valid[TX]),
    .mem_req_ready     (mem_req_ready[TX]),
    .mem_rsp           (mem_rsp[TX]),
    .mem_rsp_valid     (mem_rsp_valid[TX]),
    .mem_rsp_ready     (mem_rsp_ready[TX]),
    .nonempty          (~empty[2*SERVERS-1:SERVERS]),
    .take_from,
    .take_ready,
    .taken,
    .return_valid      (tx_return_valid),
    .returned          (tx_returned),
    .return_ready      (tx_return_ready),
    .stamp_ask,
    .stamp_room,
    .stamp_whole,
    .stamp_tag,
    .stamp_aborted,
    .stamp_lost,
    .taken_event       (tx_taken),
    .bad_length_event  (tx_bad_length),
    .memory_error_event(tx_memory_error),
    .idle              (tx_idle),
    .state             (tx_state),
    .frames            (tx_frames),
    .held              (tx_held)
  );

  acb_m2s_t [MASTERS-1:0] mem_m2s;
  acb_s2m_t [MASTERS-1:0] mem_s2m;
  acb_m2s_t               acb_m2s;
  acb_s2m_t               acb_s2m;

  for (genvar i = 0; i < int'(MASTERS); i++) begin : g_master
    assign mem_m2s[i] = '{req: mem_req[i], req_valid: mem_req_valid[i], rsp_ready: mem_rsp_ready[i]};
    assign {mem_req_ready[i], mem_rsp[i], mem_rsp_valid[i]} = mem_s2m[i];
  end

  assign {acb_req, acb_req_valid, acb_rsp_ready} = acb_m2s;
  assign acb_s2m = '{req_ready: acb_req_ready, rsp: acb_rsp, rsp_valid: acb_rsp_valid};

  acb_arbiter #(.N(MASTERS), .IN_FLIGHT(32)) u_arbiter (
    .clk,
    .rst,
    .in_m2s    (mem_m2s),
    .in_s2m    (mem_s2m),
    .out_m2s   (acb_m2s),
    .out_s2m   (acb_s2m),
    /* verilator lint_off PINCONNECTEMPTY */  // memory does not ask which engine it is
    .out_master()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  nic_tx_stamps #(.LAG(TX_STAMP_LAG)) u_tx_stamps (
    .clk,
    .rst,
    .time_now     (time_q[31:0]),
    .ptp_now,
    .ptp_increment,
    .ask          (stamp_ask),
    .room         (stamp_room),
    .whole        (stamp_whole),
    .tag          (stamp_tag),
    .aborted      (stamp_aborted),
    .tx_stamp,
    .tx_stamp_valid,
    .oldest       (stamp),
    .take         (stamp_take),
    .taken_ns     (stamp_ns)
  );

  // ---- Interrupts ----------------------------------------------------------------------------------------------------

  always_ff @(posedge clk) error_q <= errors != '0 && !rst;

  nic_irq u_irq (
    .clk,
    .rst,
    .enable     (irq_enable),
    .mask       (irq_mask),
    .clear      (irq_clear),
    .moderation (irq_moderation),
    .rx_empty   (empty[SERVERS-1:0]),
    .rx_event   (rx_come),
    .tx_event   (tx_come),
    .error_event(error_q || refused_event),
    .status     (irq_status),
    .irq
  );

  // ---- Counters and status -----------------------------------------------------------------------------------------

  assign rx_fates = {rx_no_buffer, rx_no_server, rx_memory_error, rx_too_long, rx_delivered};
  assign tx_fates = {stamp_lost, tx_memory_error, tx_bad_length, tx_taken};
  assign events   = counter_events(stat, rx_fates, tx_fates);
  assign errors   = events_q & COUNTER_LOSSES;

  always_ff @(posedge clk) events_q <= rst ? '0 : events;

  nic_counters #(.N(COUNTERS)) u_counters (
    .clk,
    .rst,
    .event_pulse(events_q),
    .index      (counter_index),
    .count      (counter)
  );

  always_comb begin
    debug2               = '0;
    debug2.rx_state      = rx_state;
    debug2.rx_completing = rx_completing;
    debug2.tx_state      = tx_state;
    debug2.tx_frames     = tx_frames;

    pointers_held    = '0;
    pointers_held.rx = rx_held;
    pointers_held.tx = tx_held;
    pointers_held.queues = queues_held;

    status                = '0;
    status.rxq_nonempty   = ~empty[SERVERS-1:0];
    status.txq_nonempty   = ~empty[2*SERVERS-1:SERVERS];
    status.freeq_nonempty = !empty[FREE];
    status.lock_held      = lock_held;
    status.rx_idle        = rx_idle;
    status.tx_idle        = tx_idle;
    status.rxq_full       = ~room[SERVERS-1:0];
    status.txq_full       = ~room[2*SERVERS-1:SERVERS];
    status.freeq_full     = !room[FREE];
  end

  // ---- Taps ----------------------------------------------------------------------------------------------------------

  if (TRACE) begin : g_trace
    localparam logic [2:0] DISCARD = 3'd6;  // of nic_rx_engine's states

    nic_pkg::nic_taps_t taps_q;
    logic                 fetched_q, took_q, popped_q;  // in the last cycle: the pointer is here now
    logic [3:0]           took_from_q, popped_from_q;
    logic [2:0]           rx_state_q;

    function automatic logic [3:0] first_queue(input logic [2*SERVERS-1:0] one_hot);
      first_queue = '0;
      for (int unsigned i = 0; i < 2 * SERVERS; i++) if (one_hot[i]) first_queue = 4'(i);
    endfunction

    always_ff @(posedge clk) begin
      fetched_q     <= fetch_valid && fetch_ready;
      took_q        <= |take_from && take_ready;
      took_from_q   <= first_queue({take_from, SERVERS'(0)});
      popped_q      <= cpu_pop && !cpu_empty;
      popped_from_q <= cpu_index;
      rx_state_q    <= rx_state;

      taps_q.fetch      <= trace_pkg::tap(fetched_q, '0, fetched);
      taps_q.rx_begin   <= trace_pkg::tap(rx_convert_valid, '0, '0);
      taps_q.rx_discard <= trace_pkg::tap(rx_state == DISCARD && rx_state_q != DISCARD, '0, '0);
      taps_q.rx_deliver <= trace_pkg::tap(|deliver_to && deliver_ready, {4'b0, first_queue(deliver_to)}, delivered);
      taps_q.rx_return  <= trace_pkg::tap(rx_return_valid && rx_return_ready,
                                          {6'b0, rx_memory_error || rx_no_server, rx_too_long || rx_no_server},
                                          rx_returned);
      taps_q.cpu_pop    <= trace_pkg::tap(popped_q, {4'b0, popped_from_q}, cpu_popped);
      taps_q.cpu_push   <= trace_pkg::tap(cpu_push && !cpu_full, {4'b0, cpu_index}, cpu_pushed);
      taps_q.tx_take    <= trace_pkg::tap(took_q, {4'b0, took_from_q}, taken);
      taps_q.tx_drop    <= trace_pkg::tap(tx_bad_length || tx_memory_error, {6'b0, tx_memory_error, tx_bad_length}, '0);
      taps_q.tx_return  <= trace_pkg::tap(tx_return_valid && tx_return_ready, '0, tx_returned);
      taps_q.queued     <= occupancy;
      taps_q.acb        <= trace_pkg::bus_use(acb_req_valid, acb_req_ready);
      if (rst) {taps_q, fetched_q, took_q, popped_q} <= '0;
    end

    assign taps = taps_q;
  end else begin : g_no_trace
    assign taps = '0;
  end

  // ---- No pointer is lost, duplicated or invented ------------------------------------------------------------------
  // `given_q` is there for the assertion only: what the processor pushed and did not pop again.

  logic [15:0] given_q, accounted;

  always_comb begin
    accounted = 16'(rx_held) + 16'(tx_held);
    for (int unsigned i = 0; i < QUEUES; i++) accounted += 16'(occupancy[i]);
  end

  always_ff @(posedge clk) begin
    if (rst) given_q <= '0;
    else given_q <= given_q + 16'(cpu_push && !cpu_full) - 16'(cpu_pop && !cpu_empty);
  end

  a_no_pointer_lost : assert property (@(posedge clk) disable iff (rst) QUEUES_IN_MEMORY || accounted == given_q);

endmodule
