// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the TCP engine say to each other: the record of a connection, what happens to it (an event) and what
// follows (the actions). docs/tcp.md says who owns which; tests/support/tcp is the same in Python, and a test compares
// the two records field by field.
//
// Sequence numbers are modulo 2^32 and compared by the sign of their difference. Times are slices of one counter of
// microseconds: us its lowest 32 bits, ms (1.024 ms) those from bit 10 on, s (1.049 s) those from bit 20 on.
package tcp_pkg;

  localparam int unsigned GAPS       = 4;   // blocks that are held ahead of a gap; blocks that the peer has told of
  localparam int unsigned INDEX_W    = 10;  // of a connection: 1024 at most
  localparam int unsigned RING_W     = 18;  // offset in a ring: 256 KB at most
  localparam int unsigned LEAST_RING = 11;  // rings have 2 KB << 0 to 7
  localparam int unsigned NEAR_W     = 20;  // of numbers that are no more than two rings apart
  localparam int unsigned NOW_W      = 56;  // the counter of microseconds
  localparam int unsigned DEADLINE_W = 40;  // a deadline is within 6 days

  typedef logic [INDEX_W-1:0]    index_t;
  typedef logic [31:0]           seq_t;
  typedef logic [NEAR_W-1:0]     near_t;   // the lower bits of a sequence number
  typedef logic [NOW_W-1:0]      now_t;
  typedef logic [DEADLINE_W-1:0] deadline_t;

  typedef struct packed {
    seq_t begin_seq;
    seq_t end_seq;
  } block_t;

  typedef struct packed {
    logic [2:0]        count;
    block_t [GAPS-1:0] block;                // the first `count` of them, from 0 on
  } blocks_t;

  // The same in the record: all of them are within a window, so the lower bits tell which is in front of which.
  typedef struct packed {
    near_t begin_seq;
    near_t end_seq;
  } near_block_t;

  typedef struct packed {
    logic [2:0]             count;
    near_block_t [GAPS-1:0] block;           // zeros behind the first `count`
  } near_blocks_t;

  typedef enum logic [3:0] {
    CLOSED, LISTEN, SYN_SENT, SYN_RCVD, ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, CLOSING, LAST_ACK, TIME_WAIT
  } tcp_state_t;

  typedef enum logic [2:0] {
    WHY_NOT, WHY_FINISHED, WHY_RESET, WHY_REFUSED, WHY_TIMEOUT, WHY_UNREACHABLE, WHY_ABORTED
  } end_why_t;

  // Comparisons of numbers that are near to each other: the sign of a - b.
  function automatic logic near_lt(near_t a, near_t b);
    return a[NEAR_W-1] ^ b[NEAR_W-1] ^ (a[NEAR_W-2:0] < b[NEAR_W-2:0]);
  endfunction

  // The same as a difference: a carry chain instead of five levels of gates, where it is late.
  function automatic logic near_before(near_t a, near_t b);
    /* verilator lint_off UNUSEDSIGNAL */
    near_t span;
    /* verilator lint_on UNUSEDSIGNAL */
    span = a - b;
    return span[NEAR_W-1];
  endfunction

  function automatic near_t near_later(near_t a, near_t b);
    return near_before(a, b) ? b : a;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic near_t near_of(seq_t number);
    return number[NEAR_W-1:0];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // The whole number again: the first one from `base` on with these lower bits.
  function automatic seq_t whole_of(near_t number, seq_t base);
    return {base[31:NEAR_W] + (32 - NEAR_W)'(number < near_of(base)), number};
  endfunction

  // ---- The record ------------------------------------------------------------------------------------------------

  typedef struct packed {        // what a connection has from its listener
    logic        nagle_off;      // small segments go at once
    logic        ack_at_once;    // acknowledgements do not wait
    logic        quiet;          // soft errors are not told
    logic        keep_on;        // keep-alive
    logic [15:0] keep_idle;      // s without a segment before keep-alive asks
    logic [15:0] patience;       // s without progress before it gives up (R2); 0: never
    logic [7:0]  ttl;            // of IP
    logic [5:0]  dscp;           // of IP
    logic [13:0] mtu;            // bytes of an IP packet at most
  } options_t;

  // By the row in which a field lies. Rows come one a cycle, and are written so eight cycles later: a field lies in the row
  // that has it there when it is needed, and lets it be changed until it is known.
  typedef struct packed {
    // Row 0: what is not changed behind cycle 7. Whose it is, the sender's ends, options
    logic        pooled;         // a SYN may take it, and it goes back to the pool when it is released
    logic        owned;          // the processor knows of it: it is told the end, and releases
    logic        passive;        // opened by the peer
    logic        closing;        // a listener that takes no more
    logic        deaf;           // the processor has closed: nobody reads
    index_t      parent;         // its listener
    logic [7:0]  children;       // of a listener: connections that nobody has accepted yet
    logic [7:0]  backlog;        // of a listener: the most of these
    logic [2:0]  rx_ring;        // receive ring: 2 KB << this
    logic [2:0]  tx_ring;        // send ring: 2 KB << this
    options_t    options;        // its own; of a listener: what those that come to it begin with
    seq_t        iss;            // our first sequence number; the send ring begins behind it
    seq_t        una;            // the oldest that is not acknowledged
    seq_t        tail;           // behind what the processor has given
    logic        fin_queued;     // a FIN stands at tail
    logic        urgent_out;     // snd_up counts
    seq_t        rcv_read;       // the next that the processor reads
    seq_t        wl1;            // sequence number of the segment that the window is from
    seq_t        wl2;            // its acknowledgement
    logic [29:0] max_wnd;        // the largest that was
    logic [13:0] snd_mss;        // bytes of TCP options and payload together
    logic [3:0]  snd_scale;      // of the window that the peer tells
    logic [1:0]  rcv_scale;      // of ours
    logic        scale_ok;       // both scale
    logic        ts_ok;          // both have timestamps
    logic        sack_ok;        // both acknowledge selectively
    logic [31:0] ts_recent;      // the peer's timestamp
    logic [3:0]  challenges;     // acknowledgements of what may be forged, since
    logic [7:0]  soft_error;     // the last soft error: ICMP type and code, 4 bits each
    logic        syn_lost;       // the SYN timed out
    logic [3:0]  keep_count;     // keep-alive probes without an answer
    logic        urgent_in;      // rcv_up counts
    logic [1:0]  dup_acks;       // in a row, stays at 3
    logic [4:0]  backoff;        // doublings
    logic        fragments;      // routers may fragment what is sent: the path takes less than a segment may have
    // Row 1: positions, the peer's blocks, what is due
    tcp_state_t  state;          // RFC 9293, 3.3.2
    seq_t        nxt;            // the next to send; goes back after a timeout
    seq_t        max;            // behind all that was sent
    logic [31:0] ts_offset;      // of our timestamps: what they are more than ms
    logic [29:0] snd_wnd;        // bytes from una
    near_blocks_t sacked;        // blocks that the peer has beyond una, ascending
    near_t       high_rxt;       // in recovery: holes below it are resent
    logic        recovering;     // from a loss, without a timeout
    logic        partial;        // an acknowledgement has come in recovery
    logic        syn_due;        // the SYN, or the answer to one
    logic        resend_due;     // the segment at una
    logic        probing;        // the peer's window is closed: the timer is that of probes
    logic        probe_due;      // a window probe
    logic        keep_due;       // a keep-alive probe
    logic        push_due;       // a small segment, now
    seq_t        rcv_nxt;        // the next that is wanted
    seq_t        rcv_edge;       // right edge of the window, never left of what the peer was told
    near_t       rcv_fin;        // where the FIN stands
    logic        fin_seen;       // rcv_fin counts
    // Row 2: what is held, congestion
    logic        ack_now;        // an acknowledgement, with data or without
    logic [2:0]  ack_each;       // acknowledgements without data, one for each segment out of order, stays at 7
    logic [3:0]  quick;          // how many more segments do not wait for it
    near_blocks_t held;          // blocks beyond rcv_nxt, the newest first
    seq_t        rcv_base;       // the sequence number at offset 0 of the receive ring
    seq_t        last_ack;       // the acknowledgement sent last
    logic [27:0] ts_at;          // s when it was taken
    seq_t        recover;        // max when the last loss was seen
    logic [19:0] cwnd;           // bytes
    logic [19:0] ssthresh;       // bytes
    logic [19:0] counted_bytes;  // acknowledged since cwnd grew last (congestion avoidance)
    logic [31:0] last_sent;      // ms when data was sent last
    seq_t        snd_up;         // behind our urgent data
    // Row 3: round trip, and times
    end_why_t    why;            // why it is closed
    logic        counted;        // is one of its listener's children
    logic        unacked;        // a data segment waits for its acknowledgement
    logic        rexmt_on;
    logic        delack_on;
    logic        push_on;
    logic        idle_on;
    near_t       rxt_mark;       // max when the last of them was
    logic [28:0] srtt;           // us << 3; 0: none yet
    logic [27:0] rttvar;         // us << 2
    logic [26:0] rto;            // us, before doubling
    logic        timed;          // a segment is timed
    seq_t        timed_seq;      // its end
    logic [31:0] timed_at;       // us when it was sent
    logic [31:0] since;          // ms of the last progress of what waits for the peer
    seq_t        rcv_up;         // behind the peer's urgent data
    logic [21:0] challenged;     // this ms
    logic [31:0] rexmt;          // us: retransmission, or window probe
    logic [31:0] delack;         // us: delayed acknowledgement
    logic [31:0] push;           // us: a small segment after all (3.8.6.2.1)
    logic [31:0] idle;           // ms: keep-alive, the end of TIME-WAIT, of FIN-WAIT-2 without an owner, of a handshake
  } record_t;

  // As it lies in memory: BEATS rows of one width, the last one filled up with zeros.
  localparam int unsigned BEATS  = 4;
  localparam int unsigned BEAT_W = ($bits(record_t) + BEATS - 1) / BEATS;

  // ---- Events ----------------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {ARRIVAL, SPAWN, LEAVE, TIMER, TURN, COMMAND, ICMP} event_kind_t;

  typedef struct packed {
    logic urg;
    logic ack;
    logic psh;
    logic rst;
    logic syn;
    logic fin;
  } flags_t;

  typedef struct packed {                    // from tcp_rx: FCS and checksum held, the payload waits
    seq_t        seq;
    seq_t        ack;
    flags_t      flags;
    logic [15:0] window;
    logic [15:0] length;                     // of the payload
    logic [15:0] urgent;
    logic        mss_valid;
    logic [15:0] mss;
    logic        scale_valid;
    logic [7:0]  scale;
    logic        sack_permitted;
    logic        stamp_valid;
    logic [31:0] stamp;
    logic [31:0] echo;
    blocks_t     sack;
    logic        spare;                      // from tcp_table: there is a record for a new connection
    logic        delivered;                  // the application has the payload: what is taken in order is read, too
    logic        tried;                      // from tcp_events: a place for this SYN has been sought
  } arrival_t;

  typedef struct packed {                    // tcp_rx to tcp_table: whose segment it is
    logic [31:0] source;                     // the peer's address; the other one is ours
    logic [15:0] source_port;
    logic [15:0] port;                       // ours
    arrival_t    arrival;
  } rx_arrival_t;

  typedef enum logic [3:0] {
    OP_SETUP, OP_OPTION, OP_OPEN, OP_LISTEN, OP_ACCEPT, OP_SEND, OP_READ, OP_SHUTDOWN, OP_CLOSE, OP_ABORT, OP_RELEASE,
    OP_STATUS
  } op_t;

  typedef struct packed {
    op_t         op;
    logic [31:0] a;
    logic [31:0] b;
  } command_t;

  typedef enum logic [1:0] {ICMP_SOFT, ICMP_HARD, ICMP_TOO_BIG} icmp_kind_t;

  typedef struct packed {
    icmp_kind_t  kind;
    seq_t        seq;                        // that was quoted
    logic [7:0]  code;                       // type and code, 4 bits each
    logic [15:0] mtu;
  } icmp_t;

  typedef struct packed {                    // of the fields behind `index` those that its kind has count
    event_kind_t kind;
    index_t      index;
    arrival_t    arrival;
    index_t      child;                      // from tcp_table, if `spare`: the record that a SYN takes
    seq_t        isn;                        // and its first sequence number, ...
    logic [31:0] ts_offset;                  // ... and the offset of its timestamps
    command_t    command;
    logic        turns;                      // a SEND: the connection has its turn with it
    logic        gives_up;                   // a TIMER: the record is wanted for a SYN
    icmp_t       icmp;
  } event_t;

  // ---- Settings: registers of the engine, for all connections --------------------------------------------------------

  typedef struct packed {
    logic [26:0] least_rto_us;
    logic [26:0] longest_rto_us;
    logic [26:0] first_rto_us;
    logic [21:0] delayed_ack_us;
    logic [21:0] override_us;                // a small segment after all
    logic [21:0] msl_ms;
    logic [15:0] syn_patience_s;
    logic [15:0] child_patience_s;           // for the end of a handshake that the peer has begun
    logic [21:0] fin_wait_2_ms;
    logic [21:0] keep_interval_ms;           // between keep-alive probes
    logic [3:0]  keep_probes;
    logic [3:0]  challenges;                 // at most so many ...
    logic [21:0] challenge_ms;               // ... in this time
    logic        scale;                      // these three are offered and taken
    logic        stamps;
    logic        sack;
    logic        reset_full;                 // a SYN that finds no place is reset
  } settings_t;

  // ---- Actions ---------------------------------------------------------------------------------------------------

  typedef struct packed {                    // to tcp_tx, which adds ports, addresses (in ARRIVAL: the sender) and sums
    seq_t              seq;
    seq_t              ack;
    flags_t            flags;
    logic [15:0]       window;
    logic [RING_W-1:0] offset;               // of the payload, in the send ring
    logic [15:0]       length;
    logic [15:0]       urgent;
    logic              mss_valid;
    logic [15:0]       mss;
    logic              scale_valid;
    logic [1:0]        scale;
    logic              sack_permitted;
    logic              stamp_valid;
    logic [31:0]       stamp;
    logic [31:0]       echo;
    near_blocks_t      sack;                 // from ack on
    logic              again;                // some of it was sent before
    logic [7:0]        ttl;                  // of IP; 64 where there is no record
    logic [5:0]        dscp;
    logic              df;                   // do not fragment
  } send_t;

  typedef struct packed {                    // to tcp_rings: payload bytes from begin_byte on go to the receive ring
    logic [15:0]       begin_byte;
    logic [15:0]       length;
    logic [RING_W-1:0] offset;
  } place_t;

  typedef struct packed {                    // to tcp_rx, one for each arrival: what becomes of its payload
    logic        place_valid;
    place_t      place;
    index_t      index;                      // whose ring
  } rx_decision_t;

  typedef struct packed {                    // tcp_expect to tcp_rx: where the payload of a segment that comes will go
    index_t            index;
    logic [RING_W-1:0] offset;
  } early_t;

  typedef struct packed {                    // from tcp_rx to tcp_rings: the placed bytes, as beats of a frame stream;
    logic                   early;           // it is not decided yet; this and where they go is the same beside all of
    index_t                 index;           // them
    place_t                 place;
    frame_pkg::frame_beat_t beat;
    logic                   valid;
  } rx_payload_t;

  typedef struct packed {                    // what is known of a received segment when its sum is
    logic        bad;
    logic        short_one;
    logic        offset;                     // its payload begins nowhere
    logic        lost;                       // no room for a word of it
    logic [31:0] source;
    logic [15:0] length;                     // of its payload
  } rx_verdict_t;

  typedef struct packed {                    // what became of a segment: exactly one of these, a pulse
    logic taken;                             // its arrival comes
    logic drop_bad;                          // net says so
    logic drop_short;                        // less than a header
    logic drop_offset;                       // of its payload: below 5, or beyond the segment
    logic drop_sum;
    logic drop_room;                         // it was good, but the buffer was full
  } rx_stat_t;

  typedef struct packed {                    // what became of a segment to send: sent or drop_memory, a pulse
    logic sent;
    logic again;                             // ... and some of it was sent before
    logic drop_memory;                       // its payload was refused
  } tx_stat_t;

  typedef struct packed {
    logic closed;
    logic trouble;                           // R1: three retransmissions
    logic soft_error;
    logic urgent;
    logic finished;                          // the peer has sent all
    logic writable;
    logic readable;
    logic connected;
    logic accepted;
  } notify_t;

  typedef enum logic [1:0] {INDEX_KEEP, INDEX_INSERT, INDEX_LISTEN, INDEX_REMOVE} index_action_t;
  typedef enum logic [1:0] {CHAIN_NONE, CHAIN_SPAWN, CHAIN_LEAVE, CHAIN_AGAIN} chain_t;
  typedef enum logic [1:0] {DONE, BAD_STATE, BAD_VALUE} answer_t;

  typedef enum logic [3:0] {
    DROP_NOT, DROP_NO_CONNECTION, DROP_LISTEN_REFUSED, DROP_LISTEN_FULL, DROP_OUT_OF_WINDOW, DROP_OLD_STAMP,
    DROP_NO_STAMP, DROP_BAD_ACK, DROP_BAD_RESET, DROP_SYN_IN_CONNECTION, DROP_NO_ACK, DROP_NO_GAP, DROP_DUPLICATE,
    DROP_DEAF, DROP_SMALL_MSS
  } drop_t;

  typedef struct packed {
    logic          send_valid;
    send_t         send;
    logic          place_valid;
    place_t        place;
    notify_t       notify;                   // bits to set
    logic          schedule;                 // always told: it wants a turn
    index_action_t index;
    chain_t        chain;
    logic          pool;                     // the record may be taken by a SYN
    answer_t       answer;
    drop_t         drop;
    logic [31:0]   received;                 // always told: position behind what the processor may read,
    logic [31:0]   acknowledged;             // ... and behind what it may write over in the send ring
    logic          all_read;                 // always told: nothing that is received is unread
  } actions_t;

  // ---- Direct connections: their rings are in dca_rings, not in memory -------------------------------------------------

  localparam int unsigned DIRECT_W    = 4;
  localparam int unsigned DIRECT      = 1 << DIRECT_W;        // the first connections may be
  localparam logic [2:0]  DIRECT_RING = 3'd1;                 // the least size of such rings: 4 KB

  typedef logic [1:0] direct_size_t;         // 4 KB << 0 to 2: of a connection whose index is a multiple of 1, 2, 4;
                                             // the places of the next ones' rings belong to it

  typedef struct packed {                    // tcp_notify to dca_rings
    logic [DIRECT_W-1:0] index;
    logic                begins;             // it is a new one
    logic                finished;           // has become so
    logic                closed;
    logic [31:0]         received;
    logic [31:0]         acknowledged;
    logic                all_read;           // up to `received`
  } direct_t;

  // ---- The table -------------------------------------------------------------------------------------------------

  typedef struct packed {                    // of a connection; ours is the engine's one address
    logic [31:0] address;                    // the peer's
    logic [15:0] peer_port;
    logic [15:0] port;
  } ends_t;

  typedef enum logic [1:0] {ASK_FIND, ASK_OPEN, ASK_LISTEN} ask_t;

  typedef struct packed {
    logic   found;                           // a connection with these ends, or a listener at the port
    logic   listener;                        // it is one
    index_t index;                           // that was found
    logic   refused;                         // to open or listen: there is one already, or no such peer can be
    seq_t   isn;                             // for a connection with these ends, now
    logic [31:0] ts_offset;                  // of its timestamps: always the same for these ends
  } table_answer_t;

  // ---- Around the core: tcp_events takes these, and tells what came of them ------------------------------------------

  typedef struct packed {                    // tcp_commands to tcp_events
    index_t   index;
    command_t command;                       // OP_OPEN without `a`: the table has it
    ends_t    ends;                          // of OP_OPEN; the port alone of OP_LISTEN
  } request_t;

  // A segment that tcp_fast_rx has taken, on its way to tcp_events: a header of 20 bytes, sums that hold, and no payload
  // or one that the application has.
  typedef struct packed {
    index_t      index;
    ends_t       ends;
    seq_t        seq;
    seq_t        ack;
    logic        psh;
    logic [15:0] window;
    logic [15:0] length;
  } fast_arrival_t;

  typedef struct packed {                    // tcp_events to tcp_tx, tcp_rings and tcp_commands: an event is over
    event_kind_t kind;
    index_t      index;
    logic        nobody;                     // there is no record: a reset at most
    ends_t       ends;                       // in ARRIVAL: the sender's
    logic        delivered;                  // in ARRIVAL: its payload is no ring's, `place` has been done
    actions_t    actions;
  } told_t;

  // ---- Rings ---------------------------------------------------------------------------------------------------------

  localparam int unsigned RING_BASE_W = acb_pkg::ADDR_W - LEAST_RING;

  typedef struct packed {                    // tcp_commands to tcp_rings. A ring lies at a multiple of its size
    logic [RING_BASE_W-1:0] rx_base;         // ACB address >> LEAST_RING
    logic [RING_BASE_W-1:0] tx_base;
    logic [2:0]             rx_ring;         // sizes as in the record
    logic [2:0]             tx_ring;
  } rings_t;

  typedef struct packed {                    // tcp_tx to tcp_rings: payload to send
    index_t            index;
    logic [RING_W-1:0] offset;
    logic [15:0]       length;               // at least 1
  } fetch_t;

  typedef struct packed {                    // one of a connection's two
    logic [RING_BASE_W-1:0] base;
    logic [2:0]             size;
  } ring_t;

  typedef logic [RING_W-1:3]          ring_place_t;  // of a dword, from the ring's first one on, beyond its end too
  typedef logic [acb_pkg::ADDR_W-1:3] ring_dword_t;  // ACB address of a dword

  // ACB addresses of a direct connection's rings, which no memory has: bit 35, and from bit 16 on which ring of whom.
  function automatic logic [RING_BASE_W-1:0] direct_base(input logic [DIRECT_W-1:0] index, input logic sends);
    return {1'b1, (RING_BASE_W - DIRECT_W - 3)'(0), sends, index, 1'b0};
  endfunction

  // Round the ring's end: above its size the base counts, below it the place.
  function automatic ring_dword_t ring_dword(input ring_t ring, input ring_place_t place);
    ring_dword_t dword;
    dword = {ring.base, place[LEAST_RING-1:3]};
    for (int unsigned i = LEAST_RING; i < RING_W; i++) if (32'(ring.size) > i - LEAST_RING) dword[i] = place[i];
    return dword;
  endfunction

  typedef struct packed {                    // in tcp_rings: what is kept of a request until it is answered
    logic       last;                        // of its placement, or of its fetch
    logic       early;                       // the placement is not decided yet; of a fetch:
    logic [2:0] shift;                       // the first byte's lane in its dword
    logic [2:0] tail;                        // bytes of the last beat, less one
  } ring_note_t;

  typedef struct packed {                    // a guest on tcp_rings' way to memory asks ...
    logic                ask;
    acb_pkg::acb_req_t   request;
    ring_note_t          note;               // that comes back with the answer
  } ring_ask_t;

  localparam int unsigned RING_GUESTS = 2;   // UDP's placements and fetches

  typedef struct packed {                    // ... and is told, bit i for guest i:
    logic [RING_GUESTS-1:0] go;              // the request is on its way
    logic [RING_GUESTS-1:0] answer;          // the oldest one is answered, by what follows
    ring_note_t             note;
    acb_pkg::acb_rsp_t      rsp;
  } ring_answer_t;

  // Whether `first` to `last` lie inside a memory, in units of the least ring.
  function automatic logic lies_in(input logic [31-LEAST_RING:0] first, input logic [31-LEAST_RING:0] last,
                                   input int unsigned base, input int unsigned bytes);
    return 32'(first) >= base >> LEAST_RING && 32'(last) < (base >> LEAST_RING) + (bytes >> LEAST_RING);
  endfunction

  // ---- Taps (trace_pkg), in the order in which a segment that comes, and one that goes, meets them --------------------

  typedef struct packed {
    trace_pkg::tap_t fate;     // what becomes of the oldest segment that net has given; detail: member of rx_stat_t,
                               // 0 (taken) to 5 (no room)
    trace_pkg::tap_t arrival;  // tcp_rx offers a good one
    trace_pkg::tap_t began;    // the core takes an event; detail: event_kind_t; pointer [31:3]: the connection, as in
                               // those below
    trace_pkg::tap_t decided;  // what becomes of an arrival; detail [0]: its payload goes to the ring, [7:4]: drop_t
    trace_pkg::tap_t placed;   // the oldest payload that did is in memory; detail [0]: memory has refused some of it
    trace_pkg::tap_t turn;     // a connection is offered its turn
    trace_pkg::tap_t told;     // a segment is to be sent; detail: kind of the event
    trace_pkg::tap_t sent;     // the first beat of the oldest of these goes to net
    trace_pkg::tap_t unsent;   // or its payload was refused by memory
  } tcp_taps_t;

endpackage
