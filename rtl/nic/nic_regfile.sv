// SPDX-License-Identifier: Apache-2.0
//
// The NIC's registers on the AFB; what each of them does is described in regs/nic.rdl.
//
// One access at a time, and none ever waits for a queue, a lock or an engine:
//
//     cycle       0                     1                        2                      3
//               request valid & ready   queues and lock act      write takes effect     response valid
//               and looked at           registers are read       the answer is chosen   (held until taken)
//
// Latency: three cycles from a request to its response. Throughput: an access every four cycles.
//
// err = 1, and nothing happens: an ID without register; a write to a read-only register, of less than the whole word,
// or of a value that the register cannot take; a read of a queue, the lock or tx_stamp of less than the whole word (it
// would pop a pointer and show a part of it); during a soft reset every access that would change something.
//
// Registers of what a NIC was built without do not exist: queues of servers that are not there, PTP time and stamps,
// the counters. Bits of those servers are 0 and stay so. QUEUES_IN_MEMORY (NIC_1.1): the queues' registers and the lock
// do not exist; those that say where the queues in memory are do, and server 0 is the only one.
module nic_regfile
  import afb_pkg::*;
  import mac_pkg::*;
  import nic_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter bit          QUEUES_IN_MEMORY = 1'b0,
  parameter int unsigned SERVERS          = MAX_SERVERS,
  parameter int unsigned DEPTH            = MAX_DEPTH,    // the most that a queue can be set to; the reset value
  parameter bit          SELFTEST         = 1'b1,         // only to say so: nic_selftest has its registers
  parameter bit          PTP              = 1'b1,
  parameter bit          STATISTICS       = 1'b1,
  parameter bit          OFFLOADS         = 1'b0,
  parameter int unsigned MAX_FRAME_BYTES  = 1522          // the reset value of max_frame
) (
  input  logic             clk,
  input  logic             rst,
  input  logic             soft_rst,       // registers go to their reset values, accesses are answered
  output logic             reset_start,    // pulse: a soft reset is asked for

  /* verilator lint_off UNUSEDSIGNAL */  // the lock bit (every access is atomic) and the address outside of the NIC
  input  afb_m2s_t         afb_m2s,
  /* verilator lint_on UNUSEDSIGNAL */
  output afb_s2m_t         afb_s2m,
  input  logic             by_selftest,    // with the request: the self-test makes it, not the processor
  input  logic             testing,        // a test runs: the processor does not get the lock

  // What the registers say
  output engine_settings_t engines,
  output queue_settings_t  queues,
  output irq_settings_t    irq,
  output time_settings_t   clock,
  output mac_settings_t    mac,
  output logic             mac_enable,
  output logic             mac_loopback,

  output cpu_queues_req_t  queues_req,
  input  cpu_queues_rsp_t  queues_rsp,
  input  queue_errors_t    queue_errors,   // pulses: an operation on a queue in memory failed
  output logic             refused_event,  // such a one, a push or a release

  // What there is to see
  input  logic [QUEUES-1:0][6:0] occupancy,
  input  irq_status_t      irq_status,
  input  time_status_t     now,
  input  debug2_t          debug2,
  input  pointers_held_t   pointers_held,
  input  status_t          status,
  input  logic [31:0]      tx_kept,
  output logic [4:0]       counter_index,
  input  logic [31:0]      counter
);

  localparam int unsigned SHORTEST_FRAME = 64;

  if (SERVERS < 1 || SERVERS > MAX_SERVERS || DEPTH < 2 || DEPTH > MAX_DEPTH || (DEPTH & (DEPTH - 1)) != 0)
  begin : g_bad_size
    $error("nic_regfile: SERVERS is 1 to 4, DEPTH a power of two up to 64");
  end
  if (MAX_FRAME_BYTES < SHORTEST_FRAME || MAX_FRAME_BYTES > LONGEST_FRAME) begin : g_bad_max_frame
    $error("nic_regfile: MAX_FRAME_BYTES is 64 to 2034, what a packet buffer holds and an FCS");
  end

  localparam capability_t CAPABILITY = '{
    queues_in_memory: QUEUES_IN_MEMORY, selftest: SELFTEST, ptp: PTP, statistics: STATISTICS,
    servers: QUEUES_IN_MEMORY ? 3'd1 : 3'(SERVERS), log2_depth: 4'($clog2(DEPTH)), offloads: OFFLOADS,
    default: '0
  };
  localparam servers_t THERE  = servers_t'((1 << SERVERS) - 1);
  localparam logic [31:0] IRQ_MASK_BITS = IRQ_MASK_WRITABLE & ~32'(servers_t'(~THERE));
  localparam servers_t USABLE = QUEUES_IN_MEMORY ? servers_t'(1) : THERE;

  // ---- Cycle 0: what the request is --------------------------------------------------------------------------------

  logic [7:0]  id, id_q;
  logic        accept, whole, open;
  logic        idle_q, act_q, answer_q;  // waiting for a request; cycles 1 and 2
  logic        read_q, whole_q, full_q, empty_q, is_pointer_q;
  logic        push_q, pop_q, lock_q, unlock_q, take_q;  // in cycle 1
  logic        by_selftest_q;
  logic        shut_q;                   // a soft reset is under way, nothing may be changed
  logic        acts;                     // a read of this register does something
  logic        depth_ok_q, size_ok_q, frame_ok_q, entries_ok_q, servers_ok_q;  // the data would do for these registers
  logic [3:0]  queue_q;
  logic [31:0] wdata_q;

  /* verilator lint_off UNUSEDSIGNAL */
  afb_req_t    req;
  /* verilator lint_on UNUSEDSIGNAL */

  assign req    = afb_m2s.req;
  assign id     = req.address[9:2];
  assign accept = idle_q && afb_m2s.req_valid;
  assign whole  = &req.byte_mask;

  // Registers that are read as they are. Which one is decided in cycle 0: cycle 1 chooses among all bits of the even
  // and of the odd ones of this list, cycle 2 between these two.
  // The first is the offloads'.
  localparam int unsigned PLAIN = OFFLOADS ? 38 : 37;
  localparam logic [PLAIN-1:0][7:0] PLAIN_ID = (8 * PLAIN)'({
    ID_TX_KEPT,
    ID_CONTROL, ID_SERVERS_ENABLED, ID_DEBUG1, ID_DEBUG2, ID_QUEUE_DEPTH, ID_FREEQ_LOCK, ID_PUSH_FAILED, ID_BUFFER_SIZE,
    ID_IRQ_STATUS, ID_IRQ_MASK, ID_FREE_COUNTER_HIGH, ID_POINTERS_HELD, ID_IRQ_MODERATION, ID_RX_PATIENCE,
    ID_MAC_CONTROL, ID_STEERING, ID_MULTICAST_HASH_LOW, ID_MULTICAST_HASH_HIGH, ID_PTP_LOW, ID_PTP_HIGH,
    ID_PTP_INCREMENT, ID_PTP_COMMAND, ID_TX_STAMP, ID_TX_STAMP_LOW, ID_TX_STAMP_HIGH, ID_MAC_ADDRESS_LOW,
    ID_MAC_ADDRESS_HIGH, ID_STATUS, ID_FREE_COUNTER, ID_QUEUE_FREE_BASE, ID_QUEUE_RECEIVE_BASE,
    ID_QUEUE_TRANSMIT_BASE, ID_QUEUE_SETUP, ID_QUEUE_ERRORS, ID_CAPABILITY, ID_MAX_FRAME,
    ID_RESET});
  logic [PLAIN-1:0] plain_read_q;

  function automatic logic [1:0][31:0] even_and_odd(
    input logic [PLAIN-1:0][31:0] plain, input logic [PLAIN-1:0] wanted
  );
    even_and_odd = '0;
    for (int unsigned i = 0; i < PLAIN; i++) even_and_odd[i % 2] |= plain[i] & {32{wanted[i]}};
  endfunction

  // Queue and occupancy registers alternate from the first receive queue to the free queue.
  function automatic logic is_queue(input logic [7:0] i);
    return !QUEUES_IN_MEMORY && i >= ID_RXQ_POINTER && i <= ID_FREEQ_OCCUPANCY
           && (i >= ID_FREEQ_POINTER || THERE[i[2:1]]);
  endfunction

  // Registers of what is not there.
  function automatic logic is_absent(input logic [7:0] i);
    if (i >= ID_PTP_LOW && i <= ID_TX_STAMP_HIGH) return !PTP;
    if (i == ID_TX_KEPT) return !OFFLOADS;
    return QUEUES_IN_MEMORY ? i >= ID_RXQ_POINTER && i <= ID_FREEQ_LOCK
                            : i >= ID_QUEUE_FREE_BASE && i <= ID_QUEUE_ERRORS;
  endfunction

  function automatic logic [3:0] queue_of(input logic [7:0] i);
    return 4'((i - ID_RXQ_POINTER) >> 1);
  endfunction

  assign open = !rst && !soft_rst;
  assign acts = (is_queue(id) && !id[0]) || id == ID_FREEQ_LOCK || id == ID_TX_STAMP;

  always_ff @(posedge clk) begin
    push_q   <= accept && is_queue(id) && !id[0] && whole && !req.read && req.write_data[2:0] == '0 && open;
    pop_q    <= accept && is_queue(id) && !id[0] && whole && req.read && open;
    lock_q   <= accept && !QUEUES_IN_MEMORY && id == ID_FREEQ_LOCK && whole && req.read && open;
    unlock_q <= accept && !QUEUES_IN_MEMORY && id == ID_FREEQ_LOCK && whole && !req.read && req.write_data[0]
                && open;
    take_q   <= accept && PTP && id == ID_TX_STAMP && whole && req.read && open;
    if (accept) begin
      by_selftest_q <= by_selftest;
      for (int unsigned i = 0; i < PLAIN; i++) begin
        plain_read_q[i] <= req.read && id == PLAIN_ID[i] && !is_absent(PLAIN_ID[i]);
      end
      id_q       <= id;
      queue_q    <= queue_of(id);
      read_q     <= req.read;
      whole_q    <= whole;
      wdata_q    <= req.write_data;
      shut_q     <= soft_rst && (!req.read || acts);
      depth_ok_q <= req.write_data != '0 && req.write_data <= 32'(DEPTH);
      size_ok_q  <= req.write_data[31:16] == '0 && req.write_data[2:0] == '0
                    && req.write_data[15:7] != '0;
      frame_ok_q <= req.write_data >= 32'(SHORTEST_FRAME) && req.write_data <= LONGEST_FRAME;
      entries_ok_q <= (req.write_data[6:0] & (req.write_data[6:0] - 1'b1)) == '0;
      servers_ok_q <= (req.write_data[MAX_SERVERS-1:0] & ~USABLE) == '0;
    end
  end

  // ---- Cycle 1: queues and lock act, registers are read ------------------------------------------------------------

  assign queues_req = '{
    access:      act_q,
    is_selftest: by_selftest_q,
    index:       queue_q,
    push:        push_q,
    pushed:      wdata_q[31:3],
    pop:         pop_q,
    lock:        lock_q && (by_selftest_q || !testing),  // not under a test's feet
    unlock:      unlock_q
  };

  control_t           control_q;
  servers_t           servers_enabled_q;
  logic [31:0]        debug1_q, mac_address_low_q, free_counter_high_q, ptp_increment_q, ptp_high_q;
  logic [15:0]        mac_address_high_q, buffer_size_q;
  logic [10:0]        max_frame_q;
  logic [23:0]        rx_patience_q;
  mac_control_t       mac_control_q;
  logic [63:0]        multicast_hash_q, ptp_value_q;
  logic               steering_flow_q, ptp_set_q, ptp_step_q, reset_start_q;
  logic [6:0]         queue_depth_q;
  push_failed_t       push_failed_q, push_fails, push_failed_cleared;
  logic               refused_q;
  irq_status_t        irq_clear_q;
  irq_mask_t          irq_mask_q;
  irq_moderation_t    irq_moderation_q;
  pointer_t [RINGS-1:0] queue_base_q;
  queue_setup_t       queue_setup_q;
  queue_errors_t      queue_errors_q, queue_errors_cleared;
  logic               queue_forget_q;

  logic        err, err_q;                // what cycle 1 can say
  logic [1:0][31:0] seen_q;
  afb_rsp_t    rsp, rsp_q;                // the answer
  logic [31:0] counter_q;                 // these two apart, being wide choices of their own
  logic [6:0]  occupancy_q;
  logic        is_counter, is_counter_q, is_occupancy_q, misused_q;
  logic        rsp_valid_q;

  // In the order of the IDs: the drop counters' block, then the two of the thesis, then the offloads', behind `status`.
  logic [4:0] counter_index_q;
  always_ff @(posedge clk) begin
    counter_index_q <= id < ID_PACKETS_TRANSMITTED         ? 5'(id - ID_RX_GOOD)
                       : OFFLOADS && id == ID_TX_SUM_UNFIT ? 5'(COUNTERS - 1)
                                                           : 5'(id - ID_PACKETS_TRANSMITTED) + 5'(COUNTERS - 3);
  end
  assign counter_index = counter_index_q;

  assign is_counter = STATISTICS && ((id_q >= ID_RX_GOOD && id_q <= ID_TX_STAMP_LOST)
                                     || (id_q >= ID_PACKETS_TRANSMITTED && id_q <= ID_PACKETS_RECEIVED)
                                     || (OFFLOADS && id_q == ID_TX_SUM_UNFIT));

  always_comb begin
    if (is_queue(id_q)) begin
      if (id_q[0]) err = !read_q;
      else err = !whole_q || (!read_q && wdata_q[2:0] != '0);
    end else if (read_q) begin
      err = !is_counter && (plain_read_q == '0 || (!whole_q && (id_q == ID_FREEQ_LOCK || id_q == ID_TX_STAMP)));
    end else begin
      unique case (id_q)
        ID_CONTROL, ID_DEBUG1, ID_PUSH_FAILED, ID_IRQ_STATUS, ID_IRQ_MASK,
        ID_IRQ_MODERATION, ID_RX_PATIENCE, ID_MAC_CONTROL, ID_STEERING, ID_MULTICAST_HASH_LOW, ID_MULTICAST_HASH_HIGH,
        ID_MAC_ADDRESS_LOW, ID_MAC_ADDRESS_HIGH, ID_RESET:
                        err = !whole_q;
        ID_PTP_LOW, ID_PTP_HIGH, ID_PTP_INCREMENT, ID_PTP_COMMAND:
                        err = !whole_q || !PTP;
        ID_SERVERS_ENABLED: err = !whole_q || !servers_ok_q;
        ID_FREEQ_LOCK:  err = !whole_q || QUEUES_IN_MEMORY;
        ID_QUEUE_FREE_BASE, ID_QUEUE_RECEIVE_BASE, ID_QUEUE_TRANSMIT_BASE, ID_QUEUE_ERRORS:
                        err = !whole_q || !QUEUES_IN_MEMORY;
        ID_QUEUE_SETUP: err = !whole_q || !QUEUES_IN_MEMORY || !entries_ok_q;
        ID_QUEUE_DEPTH: err = !whole_q || !depth_ok_q;
        ID_BUFFER_SIZE: err = !whole_q || !size_ok_q;
        ID_MAX_FRAME:   err = !whole_q || !frame_ok_q;
        default:        err = 1'b1;
      endcase
    end
    if (shut_q) err = 1'b1;
  end

  // ---- Cycle 2: a queue's answer, or what cycle 1 saw --------------------------------------------------------------

  always_comb begin
    rsp = '{err: err_q, data: seen_q[0] | seen_q[1]};
    if (misused_q) rsp.data = LOCK_NOT_OWNED;
    if (is_counter_q) rsp.data = counter_q;
    if (is_occupancy_q) rsp.data = 32'(occupancy_q);
    if (is_pointer_q) begin
      if (read_q) rsp.data = empty_q ? QUEUE_EMPTY : {queues_rsp.popped, 3'b0};
      else rsp.data = full_q ? QUEUE_FULL : '0;
    end
    if (err_q) rsp.data = '0;
  end

  always_comb begin
    push_fails = '0;
    if (answer_q && is_pointer_q && !err_q && !read_q && full_q) begin
      {push_fails.freeq, push_fails.txq, push_fails.rxq} = QUEUES'(1) << queue_q;
    end
    push_fails.lock     = answer_q && misused_q;
    push_failed_cleared = '0;
    if (answer_q && id_q == ID_PUSH_FAILED && !read_q && whole_q) begin
      push_failed_cleared = wdata_q & PUSH_FAILED_WRITABLE;
    end
    queue_errors_cleared = '0;
    if (answer_q && id_q == ID_QUEUE_ERRORS && !read_q && !err_q) begin
      queue_errors_cleared = wdata_q & QUEUE_ERRORS_WRITABLE;
    end
  end

  always_ff @(posedge clk) begin
    idle_q   <= (idle_q && !afb_m2s.req_valid) || (rsp_valid_q && afb_m2s.rsp_ready);
    act_q    <= accept;
    answer_q <= act_q;
    if (act_q) begin
      // Here and not as a signal: simulation need not put it together in every cycle.
      seen_q         <= even_and_odd((32 * PLAIN)'({  // in the order of PLAIN_ID
        tx_kept, control_q, 32'(servers_enabled_q), debug1_q, debug2, 32'(queue_depth_q), 32'(queues_rsp.lock_granted),
        push_failed_q, 32'(buffer_size_q), irq_status, irq_mask_q, free_counter_high_q, pointers_held, irq_moderation_q,
        32'(rx_patience_q), mac_control_q, 32'(steering_flow_q), multicast_hash_q[31:0], multicast_hash_q[63:32],
        now.ptp[31:0], ptp_high_q, ptp_increment_q, 32'b0, now.oldest, now.taken_ns[31:0], now.taken_ns[63:32],
        mac_address_low_q, 32'(mac_address_high_q), status, now.now[31:0], queue_base_q[0], 3'b0, queue_base_q[1], 3'b0,
        queue_base_q[2], 3'b0, queue_setup_q, queue_errors_q, CAPABILITY, 32'(max_frame_q),
        32'(soft_rst)
      }), plain_read_q);
      err_q          <= err;
      misused_q      <= unlock_q && queues_rsp.lock_misused;
      counter_q      <= counter;
      is_counter_q   <= is_counter && read_q;
      occupancy_q    <= occupancy[queue_q];
      is_occupancy_q <= is_queue(id_q) && id_q[0];
      is_pointer_q   <= is_queue(id_q) && !id_q[0];
      full_q         <= queues_rsp.full;
      empty_q        <= queues_rsp.empty;
    end
    if (answer_q) rsp_q <= rsp;
    if (answer_q) rsp_valid_q <= 1'b1;
    else if (afb_m2s.rsp_ready) rsp_valid_q <= 1'b0;
    if (rst) begin
      idle_q      <= 1'b1;
      act_q       <= 1'b0;
      answer_q    <= 1'b0;
      rsp_valid_q <= 1'b0;
    end
  end

  // A new failure wins over the write that clears its bit: it is not lost.
  always_ff @(posedge clk) begin
    if (answer_q && !read_q && !err_q) begin
      unique case (id_q)
        ID_CONTROL:          control_q          <= wdata_q & CONTROL_WRITABLE;
        ID_SERVERS_ENABLED:  servers_enabled_q  <= wdata_q[MAX_SERVERS-1:0] & USABLE;
        ID_DEBUG1:           debug1_q           <= wdata_q;
        ID_QUEUE_DEPTH:      queue_depth_q      <= wdata_q[6:0];
        ID_BUFFER_SIZE:      buffer_size_q      <= wdata_q[15:0];
        ID_MAX_FRAME:        max_frame_q        <= wdata_q[10:0];
        ID_IRQ_MASK:         irq_mask_q         <= wdata_q & IRQ_MASK_BITS;
        ID_IRQ_MODERATION:   irq_moderation_q   <= wdata_q;
        ID_RX_PATIENCE:      rx_patience_q      <= wdata_q[23:0];
        ID_MAC_CONTROL:      mac_control_q      <= wdata_q & MAC_CONTROL_WRITABLE;
        ID_STEERING:         steering_flow_q    <= wdata_q[0];
        ID_MULTICAST_HASH_LOW:  multicast_hash_q[31:0]  <= wdata_q;
        ID_MULTICAST_HASH_HIGH: multicast_hash_q[63:32] <= wdata_q;
        ID_PTP_LOW:          ptp_value_q[31:0]  <= wdata_q;
        ID_PTP_HIGH:         ptp_value_q[63:32] <= wdata_q;
        ID_PTP_INCREMENT:    ptp_increment_q    <= wdata_q;
        ID_MAC_ADDRESS_LOW:  mac_address_low_q  <= wdata_q;
        ID_MAC_ADDRESS_HIGH: mac_address_high_q <= wdata_q[15:0];
        ID_QUEUE_FREE_BASE:     queue_base_q[0] <= wdata_q[31:3];
        ID_QUEUE_RECEIVE_BASE:  queue_base_q[1] <= wdata_q[31:3];
        ID_QUEUE_TRANSMIT_BASE: queue_base_q[2] <= wdata_q[31:3];
        ID_QUEUE_SETUP:         queue_setup_q   <= wdata_q & QUEUE_SETUP_WRITABLE;
        default: ;  // the others act elsewhere
      endcase
    end
    reset_start_q <= answer_q && id_q == ID_RESET && !read_q && !err_q && wdata_q[0];
    ptp_set_q     <= answer_q && id_q == ID_PTP_COMMAND && !read_q && !err_q && wdata_q[0];
    ptp_step_q    <= answer_q && id_q == ID_PTP_COMMAND && !read_q && !err_q && wdata_q[1];
    irq_clear_q   <= wdata_q & {32{answer_q && id_q == ID_IRQ_STATUS && !read_q && !err_q}};
    push_failed_q <= (push_failed_q & ~push_failed_cleared) | push_fails;
    queue_errors_q <= (queue_errors_q & ~queue_errors_cleared) | queue_errors;
    queue_forget_q <= answer_q && !read_q && !err_q && id_q >= ID_QUEUE_FREE_BASE && id_q <= ID_QUEUE_SETUP;
    if (act_q && read_q && id_q == ID_FREE_COUNTER) free_counter_high_q <= now.now[63:32];
    if (act_q && read_q && id_q == ID_PTP_LOW) ptp_high_q <= now.ptp[63:32];
    if (rst || soft_rst) begin
      control_q           <= CONTROL_RESET;
      servers_enabled_q   <= SERVERS_ENABLED_RESET[MAX_SERVERS-1:0];
      debug1_q            <= DEBUG1_RESET;
      queue_depth_q       <= 7'(DEPTH);
      buffer_size_q       <= BUFFER_SIZE_RESET[15:0];
      max_frame_q         <= 11'(MAX_FRAME_BYTES);
      irq_mask_q          <= IRQ_MASK_RESET;
      mac_address_low_q   <= MAC_ADDRESS_LOW_RESET;
      mac_address_high_q  <= MAC_ADDRESS_HIGH_RESET[15:0];
      irq_moderation_q    <= IRQ_MODERATION_RESET;
      rx_patience_q       <= RX_PATIENCE_RESET[23:0];
      mac_control_q       <= MAC_CONTROL_RESET;
      steering_flow_q     <= STEERING_RESET[0];
      multicast_hash_q    <= {MULTICAST_HASH_HIGH_RESET, MULTICAST_HASH_LOW_RESET};
      ptp_value_q         <= {PTP_HIGH_RESET, PTP_LOW_RESET};
      ptp_increment_q     <= PTP_INCREMENT_RESET;
      push_failed_q       <= PUSH_FAILED_RESET;
      reset_start_q       <= 1'b0;
      ptp_set_q           <= 1'b0;
      ptp_step_q          <= 1'b0;
      irq_clear_q         <= '0;
      free_counter_high_q <= '0;
      ptp_high_q          <= '0;
      queue_base_q        <= '0;
      queue_setup_q       <= QUEUE_SETUP_RESET;
      queue_errors_q      <= QUEUE_ERRORS_RESET;
      queue_forget_q      <= 1'b0;
    end
  end

  assign afb_s2m = '{req_ready: idle_q, rsp: rsp_q, rsp_valid: rsp_valid_q};

  assign engines = '{
    nic_enable:      control_q.nic_enable,
    nic_loopback:    control_q.nic_loopback,
    steering_flow:   steering_flow_q,
    servers_enabled: servers_enabled_q,
    buffer_size:     buffer_size_q,
    rx_patience:     rx_patience_q
  };
  assign queues       = '{depth: queue_depth_q, base: queue_base_q, setup: queue_setup_q, forget: queue_forget_q};
  assign irq          = '{
    enable: control_q.irq_enable, mask: irq_mask_q, moderation: irq_moderation_q, clear: irq_clear_q
  };
  assign clock        = '{
    increment: ptp_increment_q, value: ptp_value_q, set: ptp_set_q, step: ptp_step_q, take: take_q
  };
  assign reset_start  = reset_start_q;
  assign mac_enable   = control_q.mac_enable;
  assign mac_loopback = control_q.mac_loopback;
  assign mac          = '{
    max_frame:      max_frame_q,
    mac_address:    {mac_address_high_q, mac_address_low_q},
    multicast_hash: multicast_hash_q,
    rx_store:       mac_control_q.rx_store,
    broadcast:      mac_control_q.broadcast,
    promiscuous:    mac_control_q.promiscuous,
    tx_pause:       mac_control_q.tx_pause,
    rx_pause:       mac_control_q.rx_pause,
    mii:            mac_control_q.mii
  };

  always_ff @(posedge clk) refused_q <= push_fails != '0 || queue_errors != '0;
  assign refused_event   = refused_q;

  if (ID_TX_STAMP_LOST - ID_RX_GOOD + 8'd4 != 8'(COUNTERS) || COUNTERS > 32) begin : g_bad_counters
    $error("nic_regfile: the counters in regs/nic.rdl are no longer a block, two of the thesis and the offloads' one");
  end

  // An access is answered three cycles after it was accepted, whatever the queues hold.
  a_acts_next : assert property (@(posedge clk) disable iff (rst) $past(!rst && accept) -> act_q);
  a_answers_next : assert property (@(posedge clk) disable iff (rst) $past(!rst && act_q) -> answer_q);
  a_answers : assert property (@(posedge clk) disable iff (rst) $past(!rst && answer_q) -> rsp_valid_q);
  a_one_at_a_time : assert property (@(posedge clk) disable iff (rst)
    $onehot({idle_q, act_q, answer_q, rsp_valid_q}));

endmodule
