// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the NIC say to each other, and its taps. A struct is what goes one way between two of them; what
// changes from one to another on the way through a gate is never in one struct with what it depends on.
//
// The structs have room for MAX_SERVERS. A NIC with fewer uses the low bits: its other queues are empty for ever.
package nic_pkg;

  localparam int unsigned MAX_SERVERS = nic_regs_pkg::RXQ_COUNT;
  localparam int unsigned MAX_DEPTH   = 64;
  localparam int unsigned QUEUES      = 2 * MAX_SERVERS + 1;  // receive, transmit, free: the order of the register IDs
  localparam int unsigned FREE        = 2 * MAX_SERVERS;
  localparam int unsigned RINGS       = 3;                    // in the memory of a NIC_1.1: free, receive, transmit

  typedef logic [MAX_SERVERS-1:0]   servers_t;
  typedef logic [2*MAX_SERVERS-1:0] server_queues_t;  // receive queues, then transmit queues
  typedef logic [QUEUES-1:0]        queues_t;
  typedef logic [31:3]              pointer_t;        // of a buffer

  // ---- What the registers say (nic_regfile) ----------------------------------------------------------------------

  // Bytes with FCS of the longest frame that can be: a buffer of the reset's size holds it.
  localparam int unsigned LONGEST_FRAME = nic_regs_pkg::BUFFER_SIZE_RESET - nic_regs_pkg::BUFFER_FRAME_OFFSET + 4;

  typedef struct packed {      // to the engines
    logic        nic_enable;
    logic        nic_loopback;
    logic        steering_flow;
    servers_t    servers_enabled;
    logic [15:0] buffer_size;
    logic [23:0] rx_patience;  // cycles; all ones: for ever
  } engine_settings_t;

  typedef struct packed {      // to the queues
    logic [6:0]                 depth;   // in use
    pointer_t [RINGS-1:0]       base;    // of the queues in memory
    nic_regs_pkg::queue_setup_t setup;
    logic                       forget;  // pulse: base or setup was written
  } queue_settings_t;

  typedef struct packed {      // to the interrupt
    logic                          enable;
    nic_regs_pkg::irq_mask_t       mask;
    nic_regs_pkg::irq_moderation_t moderation;
    nic_regs_pkg::irq_status_t     clear;  // bits to clear, for a cycle
  } irq_settings_t;

  typedef struct packed {      // to the clock
    logic [31:0] increment;    // nanoseconds a cycle, 28 bits of fraction
    logic [63:0] value;        // nanoseconds
    logic        set;          // pulse
    logic        step;         // pulse
    logic        take;         // pulse: the oldest transmit stamp is read
  } time_settings_t;

  typedef struct packed {      // from the clock
    logic [63:0]             now;       // free-running counter
    logic [63:0]             ptp;       // nanoseconds
    nic_regs_pkg::tx_stamp_t oldest;    // transmit stamp; .valid: there is one
    logic [63:0]             taken_ns;  // of the last one taken
  } time_status_t;

  // ---- Queues (nic_queues, nic_memory_queues) ----------------------------------------------------------------------

  typedef struct packed {         // processor or self-test, through the registers
    logic       access;           // an access begins; without it there is no push and no pop
    logic       is_selftest;      // whose access it is; 0: the processor's
    logic [3:0] index;
    logic       push;             // does nothing when full
    pointer_t   pushed;
    logic       pop;              // does nothing when empty
    logic       lock;
    logic       unlock;
  } cpu_queues_req_t;

  typedef struct packed {
    logic       full;
    logic       empty;
    pointer_t   popped;           // in the cycle after pop
    logic       lock_granted;     // to this access
    logic       lock_misused;     // by this access: a release by who does not hold the lock
  } cpu_queues_rsp_t;

  typedef struct packed {         // receive engine
    logic           fetch_valid;
    server_queues_t deliver_to;   // at most one; a delivery is valid when any is set
    pointer_t       delivered;
    logic           return_valid;
    pointer_t       returned;
  } rx_queues_req_t;

  typedef struct packed {
    logic           fetch_ready;
    pointer_t       fetched;      // in the cycle after
    logic           none_free;    // no pointer is on its way: the free queue is empty or locked, or does not work
    logic           deliver_ready;
    logic           deliver_refused;  // not only busy: the queue is full, or does not work
    logic           return_ready;
  } rx_queues_rsp_t;

  typedef struct packed {         // transmit engine
    servers_t take_from;          // at most one, of a queue that is not empty
    logic     return_valid;
    pointer_t returned;
  } tx_queues_req_t;

  typedef struct packed {
    logic     take_ready;
    pointer_t taken;              // in the cycle after
    logic     return_ready;
  } tx_queues_rsp_t;

  typedef struct packed {         // to all who want to know
    logic [QUEUES-1:0][6:0] occupancy;  // with the pointers that are on their way into a queue in memory
    queues_t                empty;
    queues_t                room;
    logic [6:0]             room_in_each;  // pointers that a queue holds at most
    logic [7:0]             held;       // pointers on their way between NIC and memory
    logic                   lock_held;
  } queues_status_t;

  typedef struct packed {         // pulses
    servers_t                    rx;      // a frame comes into a receive queue: `empty` knows in the next cycle
    logic                        tx;      // a sent frame's buffer is back in the free queue
    nic_regs_pkg::queue_errors_t errors;  // of queues in memory
  } queues_events_t;

  // ---- Engines -----------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic       idle;
    logic [2:0] state;            // as in debug2
    logic [2:0] frames;           // under way
    logic [7:0] held;             // pointers inside the engine
  } engine_status_t;

  // What a frame to send asks of the offloads: buffer.control.request.
  typedef struct packed {
    logic l4_sum;
    logic ip_sum;
  } sums_wanted_t;

  // ---- Sums (nic_sums) ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic        ip;              // the frame has an IPv4 header ...
    logic        l4;              // ... and a TCP or UDP datagram
    logic        udp;             // it is UDP
    logic [20:0] ip_sum;          // carries not folded
    logic [31:0] l4_sum;
    logic [3:0]  ip_lanes;        // where the header's sum is in dword 3
    logic [3:0]  l4_index;        // the dword of the other sum ...
    logic [3:0]  l4_lanes;        // ... and where it is there
  } nic_sums_t;

  // ---- Stamps (nic_time) -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic        valid;           // pulse: a frame begins, this is the MAC's stamp
    logic [31:0] stamp;
  } rx_stamp_t;

  typedef struct packed {
    logic        valid;           // level: low from the cycle after rx_stamp_t's until then
    logic [63:0] ns;
  } rx_time_t;

  typedef struct packed {         // pulses
    logic        ask;             // a frame begins that wants a stamp; granted where there is room
    logic        whole;           // a frame with a granted request has gone to the MAC whole
    logic [15:0] tag;             // its tag
    logic        aborted;         // it has not
  } tx_stamp_req_t;

  // ---- Taps (trace_pkg) --------------------------------------------------------------------------------------------
  // A frame meets them in the order rx_begin, rx_deliver, cpu_pop, cpu_push, tx_take, tx_return.
  // Those of a pop (fetch, tx_take, cpu_pop) come a cycle later than others, with the pointer.
  // Queues in `detail`: 0-3 receive, 4-7 transmit, 8 free. In a NIC_1.1 the processor's rings are in memory: its pushes
  // and pops are not seen, the engines' sides are the same.
  typedef struct packed {
    trace_pkg::tap_t fetch;       // the receive engine fetches a free buffer ...
    trace_pkg::tap_t rx_begin;    // ... and begins a frame with it
    trace_pkg::tap_t rx_discard;  // or a frame begins to go nowhere: no buffer
    trace_pkg::tap_t rx_deliver;  // the frame's pointer is in a queue; detail: which
    trace_pkg::tap_t rx_return;   // or the buffer is free again; detail 1 too long, 2 memory error, 3 no server
    trace_pkg::tap_t cpu_pop;     // processor; detail: which queue
    trace_pkg::tap_t cpu_push;
    trace_pkg::tap_t tx_take;     // the transmit engine takes a pointer; detail: from which queue
    trace_pkg::tap_t tx_drop;     // its oldest frame is not sent; detail 1 bad length, 2 memory error
    trace_pkg::tap_t tx_return;   // its oldest buffer is free again; detail 1: or the processor's
    logic [8:0][6:0] queued;      // pointers in each queue
    trace_pkg::use_t acb;         // to memory
  } nic_taps_t;

  // Whether a buffer is in the memory at `base` of `bytes` bytes (a power of two) and a frame in it surely ends there;
  // never where bytes is 0.
  function automatic logic steady_memory(input pointer_t pointer, input logic [31:0] base, input int unsigned bytes);
    steady_memory = bytes != 0 && ({pointer, 3'b0} & ~32'(bytes - 1)) == base
                    && (~{pointer, 3'b0} & 32'(bytes - 2048)) != '0;
  endfunction

endpackage
