// SPDX-License-Identifier: Apache-2.0
//
// The NIC's registers (IDs, which are byte offsets / 4, reset values, layouts), and what it shares with the
// processor in memory: packet buffers and queues.
// Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit.
package nic_regs_pkg;

  // Not every block uses every constant.
  /* verilator lint_off UNUSEDPARAM */

  // Register IDs; of an array the first element's, with the number of elements and their distance.
  localparam logic [7:0] ID_CONTROL = 8'd0;
  localparam logic [7:0] ID_SERVERS_ENABLED = 8'd1;
  localparam logic [7:0] ID_DEBUG1 = 8'd2;
  localparam logic [7:0] ID_DEBUG2 = 8'd3;
  localparam logic [7:0] ID_QUEUE_DEPTH = 8'd4;
  localparam logic [7:0] ID_RXQ_POINTER = 8'd8;
  localparam logic [7:0] ID_RXQ_OCCUPANCY = 8'd9;
  localparam int unsigned RXQ_COUNT = 4;
  localparam int unsigned RXQ_STRIDE = 2;
  localparam logic [7:0] ID_TXQ_POINTER = 8'd16;
  localparam logic [7:0] ID_TXQ_OCCUPANCY = 8'd17;
  localparam int unsigned TXQ_COUNT = 4;
  localparam int unsigned TXQ_STRIDE = 2;
  localparam logic [7:0] ID_FREEQ_POINTER = 8'd24;
  localparam logic [7:0] ID_FREEQ_OCCUPANCY = 8'd25;
  localparam logic [7:0] ID_FREEQ_LOCK = 8'd26;
  localparam logic [7:0] ID_PUSH_FAILED = 8'd32;
  localparam logic [7:0] ID_BUFFER_SIZE = 8'd33;
  localparam logic [7:0] ID_IRQ_STATUS = 8'd34;
  localparam logic [7:0] ID_IRQ_MASK = 8'd35;
  localparam logic [7:0] ID_FREE_COUNTER_HIGH = 8'd36;
  localparam logic [7:0] ID_POINTERS_HELD = 8'd37;
  localparam logic [7:0] ID_IRQ_MODERATION = 8'd38;
  localparam logic [7:0] ID_RX_PATIENCE = 8'd39;
  localparam logic [7:0] ID_RX_GOOD = 8'd40;
  localparam logic [7:0] ID_RX_DROP_FCS = 8'd41;
  localparam logic [7:0] ID_RX_DROP_RUNT = 8'd42;
  localparam logic [7:0] ID_RX_DROP_OVERSIZE = 8'd43;
  localparam logic [7:0] ID_RX_DROP_ERROR = 8'd44;
  localparam logic [7:0] ID_RX_DROP_OVERFLOW = 8'd45;
  localparam logic [7:0] ID_RX_DROP_DISABLED = 8'd46;
  localparam logic [7:0] ID_RX_DROP_TOO_LONG = 8'd47;
  localparam logic [7:0] ID_RX_DROP_MEMORY_ERROR = 8'd48;
  localparam logic [7:0] ID_TX_TAKEN = 8'd49;
  localparam logic [7:0] ID_TX_DROP_BAD_LENGTH = 8'd50;
  localparam logic [7:0] ID_TX_DROP_MEMORY_ERROR = 8'd51;
  localparam logic [7:0] ID_TX_DROP_ABORT = 8'd52;
  localparam logic [7:0] ID_TX_DROP_OVERSIZE = 8'd53;
  localparam logic [7:0] ID_RX_DROP_FILTERED = 8'd54;
  localparam logic [7:0] ID_RX_PAUSE = 8'd55;
  localparam logic [7:0] ID_RX_DROP_NO_BUFFER = 8'd56;
  localparam logic [7:0] ID_RX_DROP_NO_SERVER = 8'd57;
  localparam logic [7:0] ID_TX_PAUSE = 8'd58;
  localparam logic [7:0] ID_TX_DROP_UNDERRUN = 8'd59;
  localparam logic [7:0] ID_TX_STAMP_LOST = 8'd60;
  localparam logic [7:0] ID_MAC_CONTROL = 8'd64;
  localparam logic [7:0] ID_STEERING = 8'd65;
  localparam logic [7:0] ID_MULTICAST_HASH_LOW = 8'd66;
  localparam logic [7:0] ID_MULTICAST_HASH_HIGH = 8'd67;
  localparam logic [7:0] ID_PTP_LOW = 8'd68;
  localparam logic [7:0] ID_PTP_HIGH = 8'd69;
  localparam logic [7:0] ID_PTP_INCREMENT = 8'd70;
  localparam logic [7:0] ID_PTP_COMMAND = 8'd71;
  localparam logic [7:0] ID_TX_STAMP = 8'd72;
  localparam logic [7:0] ID_TX_STAMP_LOW = 8'd73;
  localparam logic [7:0] ID_TX_STAMP_HIGH = 8'd74;
  localparam logic [7:0] ID_SELFTEST_CONTROL = 8'd80;
  localparam logic [7:0] ID_SELFTEST_STATUS = 8'd81;
  localparam logic [7:0] ID_SELFTEST_BASE = 8'd82;
  localparam logic [7:0] ID_SELFTEST_BYTES = 8'd83;
  localparam logic [7:0] ID_SELFTEST_EXPECTED = 8'd84;
  localparam logic [7:0] ID_SELFTEST_GOT = 8'd85;
  localparam logic [7:0] ID_SELFTEST_CYCLES = 8'd86;
  localparam logic [7:0] ID_SELFTEST_ADDRESS = 8'd87;
  localparam logic [7:0] ID_QUEUE_FREE_BASE = 8'd88;
  localparam logic [7:0] ID_QUEUE_RECEIVE_BASE = 8'd89;
  localparam logic [7:0] ID_QUEUE_TRANSMIT_BASE = 8'd90;
  localparam logic [7:0] ID_QUEUE_SETUP = 8'd91;
  localparam logic [7:0] ID_QUEUE_ERRORS = 8'd92;
  localparam logic [7:0] ID_CAPABILITY = 8'd93;
  localparam logic [7:0] ID_RESET = 8'd94;
  localparam logic [7:0] ID_TX_KEPT = 8'd95;
  localparam logic [7:0] ID_MAX_FRAME = 8'd96;
  localparam logic [7:0] ID_MAC_ADDRESS_LOW = 8'd208;
  localparam logic [7:0] ID_MAC_ADDRESS_HIGH = 8'd209;
  localparam logic [7:0] ID_PACKETS_TRANSMITTED = 8'd210;
  localparam logic [7:0] ID_PACKETS_RECEIVED = 8'd211;
  localparam logic [7:0] ID_STATUS = 8'd212;
  localparam logic [7:0] ID_TX_SUM_UNFIT = 8'd213;
  localparam logic [7:0] ID_FREE_COUNTER = 8'd255;

  // Reset values, and the bits that a write changes.
  localparam logic [31:0] CONTROL_RESET = 32'h00000000;
  localparam logic [31:0] CONTROL_WRITABLE = 32'h00000187;
  localparam logic [31:0] SERVERS_ENABLED_RESET = 32'h00000000;
  localparam logic [31:0] SERVERS_ENABLED_WRITABLE = 32'h0000000f;
  localparam logic [31:0] DEBUG1_RESET = 32'h00000000;
  localparam logic [31:0] DEBUG1_WRITABLE = 32'hffffffff;
  localparam logic [31:0] QUEUE_DEPTH_RESET = 32'h00000040;
  localparam logic [31:0] QUEUE_DEPTH_WRITABLE = 32'h0000007f;
  localparam logic [31:0] PUSH_FAILED_RESET = 32'h00000000;
  localparam logic [31:0] PUSH_FAILED_WRITABLE = 32'h000003ff;
  localparam logic [31:0] BUFFER_SIZE_RESET = 32'h00000800;
  localparam logic [31:0] BUFFER_SIZE_WRITABLE = 32'h0000ffff;
  localparam logic [31:0] IRQ_STATUS_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_STATUS_WRITABLE = 32'h00000300;
  localparam logic [31:0] IRQ_MASK_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_MASK_WRITABLE = 32'h0000030f;
  localparam logic [31:0] IRQ_MODERATION_RESET = 32'h00000000;
  localparam logic [31:0] IRQ_MODERATION_WRITABLE = 32'hffffffff;
  localparam logic [31:0] RX_PATIENCE_RESET = 32'h00004000;
  localparam logic [31:0] RX_PATIENCE_WRITABLE = 32'h00ffffff;
  localparam logic [31:0] MAC_CONTROL_RESET = 32'h00000018;
  localparam logic [31:0] MAC_CONTROL_WRITABLE = 32'h0000003f;
  localparam logic [31:0] STEERING_RESET = 32'h00000000;
  localparam logic [31:0] STEERING_WRITABLE = 32'h00000001;
  localparam logic [31:0] MULTICAST_HASH_LOW_RESET = 32'h00000000;
  localparam logic [31:0] MULTICAST_HASH_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MULTICAST_HASH_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] MULTICAST_HASH_HIGH_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PTP_LOW_RESET = 32'h00000000;
  localparam logic [31:0] PTP_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PTP_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] PTP_HIGH_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PTP_INCREMENT_RESET = 32'h80000000;
  localparam logic [31:0] PTP_INCREMENT_WRITABLE = 32'hffffffff;
  localparam logic [31:0] PTP_COMMAND_RESET = 32'h00000000;
  localparam logic [31:0] PTP_COMMAND_WRITABLE = 32'h00000003;
  localparam logic [31:0] SELFTEST_CONTROL_RESET = 32'h00000000;
  localparam logic [31:0] SELFTEST_CONTROL_WRITABLE = 32'h00000007;
  localparam logic [31:0] SELFTEST_BASE_RESET = 32'h00000000;
  localparam logic [31:0] SELFTEST_BASE_WRITABLE = 32'hfffffff8;
  localparam logic [31:0] SELFTEST_BYTES_RESET = 32'h00000000;
  localparam logic [31:0] SELFTEST_BYTES_WRITABLE = 32'hfffffff8;
  localparam logic [31:0] QUEUE_FREE_BASE_RESET = 32'h00000000;
  localparam logic [31:0] QUEUE_FREE_BASE_WRITABLE = 32'hfffffff8;
  localparam logic [31:0] QUEUE_RECEIVE_BASE_RESET = 32'h00000000;
  localparam logic [31:0] QUEUE_RECEIVE_BASE_WRITABLE = 32'hfffffff8;
  localparam logic [31:0] QUEUE_TRANSMIT_BASE_RESET = 32'h00000000;
  localparam logic [31:0] QUEUE_TRANSMIT_BASE_WRITABLE = 32'hfffffff8;
  localparam logic [31:0] QUEUE_SETUP_RESET = 32'h00002000;
  localparam logic [31:0] QUEUE_SETUP_WRITABLE = 32'h00ffff7f;
  localparam logic [31:0] QUEUE_ERRORS_RESET = 32'h00000000;
  localparam logic [31:0] QUEUE_ERRORS_WRITABLE = 32'h00000177;
  localparam logic [31:0] RESET_RESET = 32'h00000000;
  localparam logic [31:0] RESET_WRITABLE = 32'h00000001;
  localparam logic [31:0] MAX_FRAME_RESET = 32'h000005f2;
  localparam logic [31:0] MAX_FRAME_WRITABLE = 32'h000007ff;
  localparam logic [31:0] MAC_ADDRESS_LOW_RESET = 32'h00000000;
  localparam logic [31:0] MAC_ADDRESS_LOW_WRITABLE = 32'hffffffff;
  localparam logic [31:0] MAC_ADDRESS_HIGH_RESET = 32'h00000000;
  localparam logic [31:0] MAC_ADDRESS_HIGH_WRITABLE = 32'h0000ffff;

  // Answers of the queue registers and of the lock.
  localparam logic [31:0] QUEUE_EMPTY = 32'h00000001;
  localparam logic [31:0] QUEUE_FULL = 32'h00000002;
  localparam logic [31:0] LOCK_GRANTED = 32'h00000001;
  localparam logic [31:0] LOCK_NOT_OWNED = 32'h00000002;

  // Registers of several fields.
  typedef struct packed {
    logic [22:0] reserved0;
    logic mac_loopback;  // [8]
    logic nic_loopback;  // [7]
    logic [3:0] reserved1;
    logic irq_enable;  // [2]
    logic mac_enable;  // [1]
    logic nic_enable;  // [0]
  } control_t;

  typedef struct packed {
    logic [4:0] reserved0;
    logic [2:0] tx_frames;  // [26:24]
    logic [4:0] reserved1;
    logic [2:0] tx_state;  // [18:16]
    logic [4:0] reserved2;
    logic [2:0] rx_completing;  // [10:8]
    logic [4:0] reserved3;
    logic [2:0] rx_state;  // [2:0]
  } debug2_t;

  typedef struct packed {
    logic [21:0] reserved0;
    logic lock;  // [9]
    logic freeq;  // [8]
    logic [3:0] txq;  // [7:4]
    logic [3:0] rxq;  // [3:0]
  } push_failed_t;

  typedef struct packed {
    logic [21:0] reserved0;
    logic error;  // [9]
    logic tx_done;  // [8]
    logic [3:0] reserved1;
    logic [3:0] rx_ready;  // [3:0]
  } irq_status_t;

  typedef struct packed {
    logic [21:0] reserved0;
    logic error;  // [9]
    logic tx_done;  // [8]
    logic [3:0] reserved1;
    logic [3:0] rx_ready;  // [3:0]
  } irq_mask_t;

  typedef struct packed {
    logic [7:0] reserved0;
    logic [7:0] queues;  // [23:16]
    logic [7:0] tx;  // [15:8]
    logic [7:0] rx;  // [7:0]
  } pointers_held_t;

  typedef struct packed {
    logic [23:0] cycles;  // [31:8]
    logic [7:0] frames;  // [7:0]
  } irq_moderation_t;

  typedef struct packed {
    logic [25:0] reserved0;
    logic rx_store;  // [5]
    logic broadcast;  // [4]
    logic promiscuous;  // [3]
    logic tx_pause;  // [2]
    logic rx_pause;  // [1]
    logic mii;  // [0]
  } mac_control_t;

  typedef struct packed {
    logic [29:0] reserved0;
    logic step;  // [1]
    logic set;  // [0]
  } ptp_command_t;

  typedef struct packed {
    logic valid;  // [31]
    logic [14:0] reserved0;
    logic [15:0] tag;  // [15:0]
  } tx_stamp_t;

  typedef struct packed {
    logic [1:0] reserved0;
    logic [5:0] index;  // [29:24]
    logic [3:0] reserved1;
    logic [3:0] queue_number;  // [19:16]
    logic [1:0] reserved2;
    logic [5:0] step;  // [13:8]
    logic [2:0] reserved3;
    logic got_err;  // [4]
    logic refused;  // [3]
    logic failed;  // [2]
    logic done;  // [1]
    logic busy;  // [0]
  } selftest_status_t;

  typedef struct packed {
    logic [7:0] reserved0;
    logic [7:0] traversal;  // [23:16]
    logic [7:0] queue_op;  // [15:8]
    logic [7:0] register_access;  // [7:0]
  } selftest_cycles_t;

  typedef struct packed {
    logic [7:0] reserved0;
    logic [15:0] pause;  // [23:8]
    logic [0:0] reserved1;
    logic [6:0] entries;  // [6:0]
  } queue_setup_t;

  typedef struct packed {
    logic [22:0] reserved0;
    logic unset;  // [8]
    logic [0:0] reserved1;
    logic [2:0] content;  // [6:4]
    logic [0:0] reserved2;
    logic [2:0] bus;  // [2:0]
  } queue_errors_t;

  typedef struct packed {
    logic [18:0] reserved0;
    logic offloads;  // [12]
    logic [3:0] log2_depth;  // [11:8]
    logic [0:0] reserved1;
    logic [2:0] servers;  // [6:4]
    logic statistics;  // [3]
    logic ptp;  // [2]
    logic selftest;  // [1]
    logic queues_in_memory;  // [0]
  } capability_t;

  typedef struct packed {
    logic [10:0] reserved0;
    logic freeq_full;  // [20]
    logic [3:0] txq_full;  // [19:16]
    logic [3:0] rxq_full;  // [15:12]
    logic tx_idle;  // [11]
    logic rx_idle;  // [10]
    logic lock_held;  // [9]
    logic freeq_nonempty;  // [8]
    logic [3:0] txq_nonempty;  // [7:4]
    logic [3:0] rxq_nonempty;  // [3:0]
  } status_t;

  // One event for each counter, bit i for the i-th one in the order of the IDs.
  localparam int unsigned COUNTERS = 24;

  typedef struct packed {
    logic tx_sum_unfit;
    logic packets_received;
    logic packets_transmitted;
    logic tx_stamp_lost;
    logic tx_drop_underrun;
    logic tx_pause;
    logic rx_drop_no_server;
    logic rx_drop_no_buffer;
    logic rx_pause;
    logic rx_drop_filtered;
    logic tx_drop_oversize;
    logic tx_drop_abort;
    logic tx_drop_memory_error;
    logic tx_drop_bad_length;
    logic tx_taken;
    logic rx_drop_memory_error;
    logic rx_drop_too_long;
    logic rx_drop_disabled;
    logic rx_drop_overflow;
    logic rx_drop_error;
    logic rx_drop_oversize;
    logic rx_drop_runt;
    logic rx_drop_fcs;
    logic rx_good;
  } counter_events_t;

  // What counts: MAC and engines say what became of frames.
  function automatic counter_events_t counter_events(
    input mac_fates_pkg::mac_stat_t     mac,
    input nic_fates_pkg::nic_rx_fates_t rx,
    input nic_fates_pkg::nic_tx_fates_t tx
  );
    counter_events.rx_good = mac.rx_good;
    counter_events.rx_drop_fcs = mac.rx_drop_fcs;
    counter_events.rx_drop_runt = mac.rx_drop_runt;
    counter_events.rx_drop_oversize = mac.rx_drop_oversize;
    counter_events.rx_drop_error = mac.rx_drop_error;
    counter_events.rx_drop_overflow = mac.rx_drop_overflow;
    counter_events.rx_drop_disabled = mac.rx_drop_disabled;
    counter_events.rx_drop_too_long = rx.rx_drop_too_long;
    counter_events.rx_drop_memory_error = rx.rx_drop_memory_error;
    counter_events.tx_taken = tx.tx_taken;
    counter_events.tx_drop_bad_length = tx.tx_drop_bad_length;
    counter_events.tx_drop_memory_error = tx.tx_drop_memory_error;
    counter_events.tx_drop_abort = mac.tx_drop_abort;
    counter_events.tx_drop_oversize = mac.tx_drop_oversize;
    counter_events.rx_drop_filtered = mac.rx_drop_filtered;
    counter_events.rx_pause = mac.rx_pause;
    counter_events.rx_drop_no_buffer = rx.rx_drop_no_buffer;
    counter_events.rx_drop_no_server = rx.rx_drop_no_server;
    counter_events.tx_pause = mac.tx_pause;
    counter_events.tx_drop_underrun = mac.tx_drop_underrun;
    counter_events.tx_stamp_lost = tx.tx_stamp_lost;
    counter_events.packets_transmitted = mac.tx_sent;
    counter_events.packets_received = rx.rx_delivered;
    counter_events.tx_sum_unfit = tx.tx_sum_unfit;
  endfunction

  // Those that mean that something was lost or refused (irq_status.error).
  localparam counter_events_t COUNTER_LOSSES = 24'b100110110111110111111110;

  // Packet buffer: byte offsets, and dwords of several fields as the bus carries them.
  localparam int unsigned BUFFER_FRAME_OFFSET = 18;
  localparam int unsigned BUFFER_CONTROL_OFFSET = 0;
  localparam int unsigned BUFFER_STAMP_OFFSET = 8;
  localparam logic [7:0] BUFFER_REQUEST_STAMP = 8'h01;
  localparam logic [7:0] BUFFER_REQUEST_IP_SUM = 8'h02;
  localparam logic [7:0] BUFFER_REQUEST_L4_SUM = 8'h04;
  localparam logic [7:0] BUFFER_REQUEST_KEEP = 8'h08;
  localparam logic [7:0] BUFFER_STATUS_DROPPED = 8'h01;
  localparam logic [7:0] BUFFER_STATUS_IP_GOOD = 8'h02;
  localparam logic [7:0] BUFFER_STATUS_IP_BAD = 8'h04;
  localparam logic [7:0] BUFFER_STATUS_L4_GOOD = 8'h08;
  localparam logic [7:0] BUFFER_STATUS_L4_BAD = 8'h10;

  typedef struct packed {
    logic [15:0] tag;  // [63:48]
    logic [7:0] status;  // [47:40]
    logic [7:0] server;  // [39:32]
    logic [7:0] request;  // [31:24]
    logic [7:0] reserved0;
    logic [15:0] length;  // [15:0]
  } buffer_control_t;

  // Queue in memory (NIC_1.1): byte offsets, and dwords of several fields as the bus carries them.
  localparam int unsigned MEMORY_QUEUE_ENTRIES_OFFSET = 16;
  localparam int unsigned MEMORY_QUEUE_LOCK_OFFSET = 0;
  localparam int unsigned MEMORY_QUEUE_INDICES_OFFSET = 8;

  typedef struct packed {
    logic [31:0] head;  // [63:32]
    logic [31:0] tail;  // [31:0]
  } memory_queue_indices_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
