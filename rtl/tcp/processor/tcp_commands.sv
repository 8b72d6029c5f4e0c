// SPDX-License-Identifier: Apache-2.0
//
// The processor's side of the TCP/IP engine: its registers on the AFB (regs/toe.rdl), the commands on their way to
// tcp_events, and what comes back: answers, events, positions, counters, a picture of a record. tcp_settings has the
// registers that only keep something.
//
//     argument_a, argument_b, command --> queue --> request --> tcp_events --> answer --> queue --> answer
//     told, placed --> tcp_notify --> event, received, acknowledged
//     told         --> tcp_counters        told and pulses --> tcp_stats        told --> ends        rows --> picture
//
// One access at a time, and none ever waits for a queue or an engine:
//
//     cycle       0                     1                        2                      3
//               request valid & ready   events and answers       write takes effect     response valid
//               and looked at           are taken, registers     the answer is chosen   (held until taken)
//                                       and memories read
//
// Commands are done one after the other: the next request is offered when the one before has been answered. What only
// this block can judge (a connection or command that does not exist, a ring outside memory, an mtu above Ethernet's)
// is answered in its turn, and tcp_events never sees it. COMMANDS places are shared by commands and by answers that
// nobody has taken, so no answer is ever lost; a command beyond is refused. With an accepted SETUP tcp_rings has the
// rings.
//
// tcp_events tells what came of a command (`told`) before its answer, or a cycle behind it at the latest. tcp_core
// shows the rows of a record before it tells of the event, and those of the next event behind it.
//
// Latency: an access is answered three cycles behind its request; throughput: one every four cycles. From a write of
// `command` to request_valid 4 cycles, from answer_valid to where `answer` can be read (and irq) 3. After reset
// memories are cleared: CONNECTIONS cycles, at least 67, until `ready`. Before that nothing may be told; the registers
// answer, commands wait. Borders: outputs out of registers; request_valid, set_valid, earliest and now through one
// gate.
module tcp_commands
  import afb_pkg::*;
  import tcp_pkg::*;
  import toe_regs_pkg::*;
#(
  parameter int unsigned WIDTH        = 64,   // of segments: with more bits a frame may come each cycle
  parameter int unsigned CONNECTIONS  = 64,
  // Where rings may lie, bytes at an address: packet memory and DRAM. None there: 0 bytes.
  parameter int unsigned PACKET_BASE  = 0,
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0,
  parameter int unsigned DRAM_BYTES   = 0,
  parameter bit          DCA          = 1'b0,  // connections may be direct
  parameter bit          STREAM       = 1'b0   // all are: direct_told tells of each
) (
  input  logic     clk,
  input  logic     rst,
  output logic     ready,

  /* verilator lint_off UNUSEDSIGNAL */  // the lock bit (every access is atomic) and the address outside of the engine
  input  afb_m2s_t afb_m2s,
  /* verilator lint_on UNUSEDSIGNAL */
  output afb_s2m_t afb_s2m,
  output logic     irq,

  // Commands
  output logic     request_valid,
  input  logic     request_ready,
  output request_t request,
  input  logic     answer_valid,           // pulse, one for each request
  input  tcp_pkg::answer_t answer,
  output logic     set_valid,              // pulse: a SETUP was accepted
  output index_t   set_index,
  output rings_t   set,
  output logic [DIRECT-1:0] direct,        // these connections are
  output direct_size_t [DIRECT-1:0] direct_sizes,
  output logic     direct_valid,           // pulse
  output index_t   direct_index,
  output direct_t  direct_told,

  // What came of events
  input  logic     told_valid,             // pulse, at most every 8 cycles
  input  told_t    told,
  input  logic     placed,                 // pulse, one for each told with place_valid, in order: bytes are in memory
  input  logic     placed_error,           // not all of them
  output logic     room,                   // when it is low, no event is to begin; two more may come
  input  logic     row_valid,              // rows of the record before it is told of
  input  logic [1:0] row_number,
  input  logic [BEAT_W-1:0] row_data,

  // Settings
  output settings_t settings,
  output logic [15:0][7:0] key,
  output logic [4:0] time_scale,
  output net_pkg::net_settings_t net_settings,

  // What there is to see
  input  now_t      now,
  input  logic      earliest_valid,
  input  deadline_t earliest,
  input  net_pkg::net_stat_t net_stat,
  input  rx_stat_t  rx_stat,
  input  tx_stat_t  tx_stat
);

  localparam int unsigned   COMMANDS    = 8;
  localparam logic [31:0]   FULL        = 32'd2;     // as the NIC's queues answer
  localparam logic [31:0]   MTU         = 32'd8;     // its place in options_t
  localparam logic [31:0]   LONGEST_MTU = 32'd1500;  // tcp_tx has no room for more
  localparam int unsigned   POOL        = 3;         // the bit of SETUP's second argument
  localparam int unsigned   DIRECT_BIT  = 4;         // ... of both
  localparam int unsigned   SHORT_W     = $clog2(CONNECTIONS);
  localparam int unsigned   COUNT_W     = $clog2(COMMANDS + 1);

  typedef logic [SHORT_W-1:0] short_index_t;
  typedef logic [31-LEAST_RING:0] base_t;

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_commands: CONNECTIONS must be 4 to 1024");
  end
  if (((PACKET_BASE | PACKET_BYTES | DRAM_BASE | DRAM_BYTES) & ((1 << LEAST_RING) - 1)) != 0) begin : g_bad_memory
    $error("tcp_commands: memories must begin and end at a multiple of 2048");
  end

  // ---- Cycle 0: what the request is --------------------------------------------------------------------------------

  logic [7:0]  id, id_q;
  logic        accept, whole;
  logic        idle_q, act_q, answer_q;  // waiting for a request; cycles 1 and 2
  logic        read_q, whole_q;
  logic        pop_ahead, pop_event_q, pop_answer_q, count_read_q, stat_read_q;
  logic [31:0] wdata_q;

  /* verilator lint_off UNUSEDSIGNAL */
  afb_req_t    req;
  /* verilator lint_on UNUSEDSIGNAL */

  assign req    = afb_m2s.req;
  assign id     = req.address[9:2];
  assign accept = idle_q && afb_m2s.req_valid;
  assign whole  = &req.byte_mask;

  // Registers that are read as they are, in the order of `plain`. Which one is decided in cycle 0: cycle 1 chooses
  // among all bits of the even and of the odd ones of this list, cycle 2 between these two and the memories.
  localparam int unsigned PLAIN = 42;
  localparam logic [PLAIN-1:0][7:0] PLAIN_ID = {
    ID_ARGUMENT_A, ID_ARGUMENT_B, ID_ANSWER, ID_STATUS, ID_EVENT, ID_EVENTS, ID_IRQ_STATUS, ID_IRQ_MASK, ID_CONNECTION,
    ID_COUNTED, ID_CONNECTIONS, ID_NOW_LOW, ID_NOW_HIGH, ID_EARLIEST_LOW, ID_EARLIEST_HIGH, ID_TIME_SCALE,
    ID_IP_CONTROL, ID_MAC_LOW, ID_MAC_HIGH, ID_ADDRESS, ID_MASK, ID_GATEWAY, ID_ARP_LIFETIME, ID_REFUSE_GAP,
    ID_LEAST_RTO, ID_LONGEST_RTO, ID_FIRST_RTO, ID_DELAYED_ACK, ID_OVERRIDE_TIME, ID_MSL, ID_PATIENCE, ID_FIN_WAIT_2,
    ID_KEEP_INTERVAL, ID_KEEP_PROBES, ID_CHALLENGES, ID_CHALLENGE_TIME, ID_OFFERS,
    ID_KEY0, ID_KEY1, ID_KEY2, ID_KEY3, ID_ID_KEY
  };
  logic [PLAIN-1:0] plain_read_q;

  function automatic logic [1:0][31:0] even_and_odd(
    input logic [PLAIN-1:0][31:0] plain, input logic [PLAIN-1:0] wanted
  );
    even_and_odd = '0;
    for (int unsigned i = 0; i < PLAIN; i++) even_and_odd[i % 2] |= plain[i] & {32{wanted[i]}};
  endfunction

  function automatic logic is_from(input logic [7:0] number, input logic [7:0] first, input logic [7:0] last);
    return number >= first && number <= last;
  endfunction

  assign pop_ahead = accept && id == ID_EVENT && whole && req.read;

  always_ff @(posedge clk) begin
    pop_event_q  <= pop_ahead && !rst;
    pop_answer_q <= accept && id == ID_ANSWER && whole && req.read;
    count_read_q <= accept && is_from(id, ID_SEGMENTS_IN, ID_BYTES_AGAIN);
    stat_read_q  <= accept && is_from(id, ID_TCP_DROP_NO_CONNECTION, ID_COMMAND_REFUSED);
    if (accept) begin
      for (int unsigned i = 0; i < PLAIN; i++) plain_read_q[i] <= req.read && id == PLAIN_ID[i];
      id_q    <= id;
      read_q  <= req.read;
      whole_q <= whole;
      wdata_q <= req.write_data;
    end
  end

  // ---- Registers ---------------------------------------------------------------------------------------------------

  logic [31:0]     argument_a_q, argument_b_q, earliest_high_q, now_high_q;
  logic [15:0]     connection_q, counted_q;
  ip_control_t     ip_control;
  irq_mask_t       irq_mask_q;
  irq_status_t     irq_status;
  logic            refused_q, irq_q;
  status_t         status;
  /* verilator lint_off UNUSEDSIGNAL */  // reserved bits
  toe_regs_pkg::command_t new_command;
  status_t         cleared;
  /* verilator lint_on UNUSEDSIGNAL */
  toe_regs_pkg::answer_t oldest_answer;
  toe_regs_pkg::event_t event_seen;
  logic            writes;                  // in cycle 2

  // ---- Commands: checked, kept, asked for, answered ----------------------------------------------------------------

  typedef struct packed {
    logic [15:0] index;
    logic [7:0]  op;
    logic        quiet;
    logic        bad;
    logic [31:0] a;
    logic [31:0] b;
  } job_t;

  typedef struct packed {
    logic [15:0]      index;
    logic [7:0]       op;
    tcp_pkg::answer_t result;
  } outcome_t;

  typedef enum logic [1:0] {ASK, WAIT, FINISH} state_t;

  job_t               job;
  outcome_t           done, outcome;
  state_t             state_q;
  tcp_pkg::answer_t   result_q;
  logic [COUNT_W-1:0] held_q;      // commands without an answer, and answers that nobody has taken
  logic [COUNT_W-1:0] commands_q;  // of these the commands
  logic               bad_q, full_q, command, push, sets, finishes, answers, pops_answer;
  logic               job_room, job_valid, outcome_room, outcome_valid;
  logic               begins_q;    // the command that was asked for last begins a connection, if it is done
  logic               pictures_q;  // ... it is STATUS, and has not been told of

  // A direct connection's rings, that have a place of their own: both of one size.
  function automatic logic is_direct(input logic [15:0] index, input logic [31:0] ring, input logic [2:0] size,
                                     input logic pool);
    logic fits;
    unique case (size)
      DIRECT_RING:        fits = 1'b1;
      DIRECT_RING + 3'd1: fits = !index[0];
      DIRECT_RING + 3'd2: fits = index[1:0] == '0;
      default:            fits = 1'b0;
    endcase
    return DCA && 32'(index) < DIRECT && fits && ring[31:DIRECT_BIT] == (32 - DIRECT_BIT)'(1) && ring[2:0] == size
           && (pool || !ring[POOL]);
  endfunction

  // A ring at a multiple of its size, within packet memory or DRAM.
  function automatic logic is_ring(input logic [31:0] ring, input logic pool);
    base_t first, rest;
    first  = ring[31:LEAST_RING];
    rest  = ~('1 << ring[2:0]);
    return (first & rest) == '0 && ring[LEAST_RING-1:POOL+1] == '0 && (pool || !ring[POOL])
           && (lies_in(first, first | rest, PACKET_BASE, PACKET_BYTES)
               || lies_in(first, first | rest, DRAM_BASE, DRAM_BYTES));
  endfunction

  assign new_command = wdata_q;
  assign command     = writes && id_q == ID_COMMAND;
  assign push        = command && !full_q;

  always_ff @(posedge clk) begin
    full_q <= held_q == COUNT_W'(COMMANDS);  // cycle 1: nothing comes, and what goes is the next one's gain
    bad_q  <= 32'(new_command.index) >= CONNECTIONS || new_command.op > 8'(OP_STATUS)
              || (new_command.op == 8'(OP_SETUP) && !(is_ring(argument_a_q, 1'b0) && is_ring(argument_b_q, 1'b1))
                  && !(is_direct(new_command.index, argument_a_q, argument_a_q[2:0], 1'b0)
                       && is_direct(new_command.index, argument_b_q, argument_a_q[2:0], 1'b1)))
              || (new_command.op == 8'(OP_OPTION) && argument_a_q == MTU && argument_b_q > LONGEST_MTU);
  end

  /* verilator lint_off PINCONNECTEMPTY */  // held_q counts
  fifo_lut #(.WIDTH($bits(job_t)), .DEPTH(COMMANDS)) u_jobs (
    .clk,
    .rst,
    .in_data  ({new_command.index, new_command.op, new_command.quiet, bad_q, argument_a_q, argument_b_q}),
    .in_valid (push),
    .in_ready (job_room),
    .out_data (job),
    .out_valid(job_valid),
    .out_ready(finishes),
    .occupancy()
  );

  fifo_lut #(.WIDTH($bits(outcome_t)), .DEPTH(COMMANDS)) u_outcomes (
    .clk,
    .rst,
    .in_data  (done),
    .in_valid (answers),
    .in_ready (outcome_room),
    .out_data (outcome),
    .out_valid(outcome_valid),
    .out_ready(pops_answer),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign request_valid = state_q == ASK && job_valid && !job.bad && ready;
  assign sets          = job.op == 8'(OP_SETUP);
  assign request       = '{
    index:   job.index[INDEX_W-1:0],
    command: '{
      op: op_t'(job.op[3:0]),
      a:  sets ? 32'({job.b[2:0], job.a[2:0]}) : job.a,
      b:  sets ? 32'(job.b[POOL]) : job.b
    },
    ends:    '{address: job.a, peer_port: job.b[31:16], port: job.b[15:0]}
  };

  assign finishes    = state_q == FINISH && !told_valid;  // its ends are written when none come
  assign answers     = finishes && (result_q != DONE || !job.quiet);
  assign done        = '{index: job.index, op: job.op, result: result_q};
  assign pops_answer = pop_answer_q && outcome_valid;

  assign set_valid = finishes && sets && result_q == DONE;
  assign set_index = job.index[INDEX_W-1:0];
  assign set       = '{
    rx_base: job.a[DIRECT_BIT] ? direct_base(job.index[DIRECT_W-1:0], 1'b0) : RING_BASE_W'(job.a[31:LEAST_RING]),
    tx_base: job.b[DIRECT_BIT] ? direct_base(job.index[DIRECT_W-1:0], 1'b1) : RING_BASE_W'(job.b[31:LEAST_RING]),
    rx_ring: job.a[2:0], tx_ring: job.b[2:0]
  };

  logic         [DIRECT-1:0] direct_q;
  direct_size_t [DIRECT-1:0] direct_sizes_q;

  always_ff @(posedge clk) begin
    if (set_valid && 32'(set_index) < DIRECT) begin
      direct_q[job.index[DIRECT_W-1:0]]       <= job.a[DIRECT_BIT];
      direct_sizes_q[job.index[DIRECT_W-1:0]] <= direct_size_t'(job.a[2:0] - DIRECT_RING);
    end
    if (rst) direct_q <= '0;
  end

  assign direct       = direct_q;
  assign direct_sizes = direct_sizes_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      ASK: begin
        result_q <= BAD_VALUE;
        if (job_valid && job.bad) state_q <= FINISH;
        if (request_valid && request_ready) state_q <= WAIT;
      end
      WAIT: if (answer_valid) begin
        result_q <= answer;
        state_q  <= FINISH;
      end
      default: if (finishes) state_q <= ASK;
    endcase
    if (request_valid && request_ready) begin
      begins_q   <= sets || job.op == 8'(OP_OPEN);
      pictures_q <= job.op == 8'(OP_STATUS);
    end else if (told_valid && told.kind == COMMAND) pictures_q <= 1'b0;
    if (finishes) begins_q <= 1'b0;  // others' are told, too (tcp_requests)
    held_q     <= held_q + COUNT_W'(push) - COUNT_W'(pops_answer) - COUNT_W'(finishes && !answers);
    commands_q <= commands_q + COUNT_W'(push) - COUNT_W'(finishes);
    if (rst) begin
      state_q    <= ASK;
      held_q     <= '0;
      commands_q <= '0;
      pictures_q <= 1'b0;
      begins_q   <= 1'b0;
    end
  end

  // ---- Events and positions ----------------------------------------------------------------------------------------

  logic             notify_ready, stats_ready, event_valid, event_error, popped_q;
  index_t           event_index;
  notify_t          event_bits;
  logic [INDEX_W:0] events;
  logic [31:0]      received, acknowledged;

  tcp_notify #(.CONNECTIONS(CONNECTIONS), .STREAM(STREAM)) u_notify (
    .clk, .rst, .ready(notify_ready), .told_valid, .told, .placed, .placed_error, .room,
    .pop_ahead, .pop(pop_event_q), .event_valid, .event_index, .event_bits, .event_error, .events,
    .look(connection_q[INDEX_W-1:0]), .received, .acknowledged, .direct(direct_q), .direct_valid,
    .direct_index, .direct_told
  );

  assign ready = notify_ready && stats_ready;

  // ---- Who it is: the ends of the last segment, or of the command that opened it -----------------------------------

  (* ram_style = "block" *) ends_t ends [CONNECTIONS];
  ends_t ends_q;
  logic  ends_told, ends_asked;

  assign ends_told  = told_valid && told.kind == ARRIVAL && !told.nobody;
  assign ends_asked = finishes && result_q == DONE && (job.op == 8'(OP_OPEN) || job.op == 8'(OP_LISTEN));

  always_ff @(posedge clk) begin
    if (ends_told || ends_asked) begin
      ends[short_index_t'(ends_told ? told.index : job.index[INDEX_W-1:0])] <= ends_told ? told.ends : request.ends;
    end
    ends_q <= ends[short_index_t'(connection_q)];
  end

  // ---- The picture of a record -------------------------------------------------------------------------------------

  localparam int unsigned ROW_WORDS = (BEAT_W + 31) / 32;

  (* ram_style = "block" *) logic [BEAT_W-1:0] picture [BEATS];
  logic [BEAT_W-1:0] row_q;  // read in cycle 0
  logic [15:0][31:0] row;    // its first word is word 0, its first bit the highest
  logic [31:0]       picture_q;

  always_comb begin
    row = '0;
    row[15-:ROW_WORDS] = {row_q, (ROW_WORDS * 32 - BEAT_W)'(0)};
  end

  always_ff @(posedge clk) begin
    if (row_valid && pictures_q) picture[row_number] <= row_data;
    row_q     <= picture[id[5:4]];
    picture_q <= row[~id_q[3:0]];
  end

  // ---- Counters ----------------------------------------------------------------------------------------------------

  localparam int unsigned DROPS = int'(DROP_SMALL_MSS);
  localparam int unsigned STATS = 32'(ID_COMMAND_REFUSED) - 32'(ID_TCP_DROP_NO_CONNECTION) + 1;

  logic [31:0]      sum_seen, stat_seen;
  logic [DROPS-1:0] drops;
  logic [STATS-1:0] pulses, pulse_q;  // the first counter's is the highest bit; the lowest

  always_comb begin
    for (int unsigned i = 0; i < DROPS; i++) drops[DROPS-1-i] = told_valid && told.actions.drop == drop_t'(i + 1);
    pulses = {drops, rx_stat, net_stat, tx_stat, placed, placed && placed_error, command && full_q};
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < STATS; i++) pulse_q[i] <= pulses[STATS-1-i] && !rst;
  end

  tcp_stats #(.N(STATS), .SMALL_W(WIDTH == 64 ? 5 : 7)) u_stats (
    .clk, .rst, .ready(stats_ready), .pulse(pulse_q), .read(stat_read_q),
    .number(6'(id_q - ID_TCP_DROP_NO_CONNECTION)), .count(stat_seen)
  );

  tcp_counters #(.CONNECTIONS(CONNECTIONS)) u_counters (
    .clk, .rst, .told_valid, .told, .begins(begins_q), .read(count_read_q),
    .read_index(counted_q[INDEX_W-1:0]), .read_number(3'(id_q - ID_SEGMENTS_IN)), .count(sum_seen)
  );

  if ($bits({drops, rx_stat, net_stat, tx_stat}) + 3 != STATS) begin : g_bad_counters
    $error("tcp_commands: the counters in regs/toe.rdl are not those of the pulses");
  end

  // ---- Cycle 1: registers are read ---------------------------------------------------------------------------------

  logic [1:0][31:0] seen_q;
  logic             err, err_q, is_memory;
  logic             is_received_q, is_acknowledged_q, is_address_q, is_ports_q, is_sum_q, is_stat_q, is_picture_q;

  always_comb begin
    status        = '0;
    status.commands = 4'(commands_q);
    status.answers  = 4'(held_q - commands_q);
    status.refused  = refused_q;
    status.ready    = ready;
    oldest_answer = '0;
    if (outcome_valid) begin
      oldest_answer.valid  = 1'b1;
      oldest_answer.index  = outcome.index;
      oldest_answer.op     = outcome.op;
      oldest_answer.result = outcome.result;
    end
    event_seen = '0;
    if (event_valid) begin
      event_seen.valid = 1'b1;
      event_seen.index = 16'(event_index);
    end
    irq_status         = '0;
    irq_status.events  = events != '0;
    irq_status.answers = held_q != commands_q;
  end

  assign is_memory = is_from(id_q, ID_RECEIVED, ID_PORTS) || is_from(id_q, ID_SEGMENTS_IN, ID_BYTES_AGAIN)
                     || is_from(id_q, ID_TCP_DROP_NO_CONNECTION, ID_COMMAND_REFUSED)
                     || is_from(id_q, ID_RECORD_WORD, ID_RECORD_WORD + 8'(RECORD_COUNT - 1));

  always_comb begin
    if (read_q) begin
      err = !is_memory && plain_read_q == '0 && id_q != ID_COMMAND && id_q != ID_GROUP;
      if (!whole_q && (id_q == ID_EVENT || id_q == ID_ANSWER)) err = 1'b1;
    end else begin
      unique case (id_q)
        ID_ARGUMENT_A, ID_ARGUMENT_B, ID_COMMAND, ID_STATUS, ID_IRQ_MASK, ID_TIME_SCALE, ID_GROUP, ID_IP_CONTROL,
        ID_MAC_LOW, ID_MAC_HIGH, ID_ADDRESS, ID_MASK, ID_GATEWAY, ID_ARP_LIFETIME, ID_REFUSE_GAP, ID_KEY0, ID_KEY1,
        ID_KEY2, ID_KEY3, ID_LEAST_RTO, ID_LONGEST_RTO, ID_FIRST_RTO, ID_DELAYED_ACK, ID_OVERRIDE_TIME, ID_MSL,
        ID_PATIENCE, ID_FIN_WAIT_2, ID_KEEP_INTERVAL, ID_KEEP_PROBES, ID_CHALLENGES, ID_CHALLENGE_TIME, ID_OFFERS,
        ID_ID_KEY:
                                   err = !whole_q;
        ID_CONNECTION, ID_COUNTED: err = !whole_q || 32'(wdata_q[15:0]) >= CONNECTIONS;
        default:                   err = 1'b1;
      endcase
    end
  end

  // ---- Cycle 2: what cycle 1 saw -----------------------------------------------------------------------------------

  afb_rsp_t rsp, rsp_q;
  logic     rsp_valid_q;
  toe_regs_pkg::event_t bits;

  assign writes  = answer_q && !read_q && !err_q;
  assign cleared = wdata_q;

  always_comb begin
    bits = '0;
    if (popped_q) begin
      {bits.memory_error, bits.closed, bits.trouble, bits.soft_error, bits.urgent, bits.finished, bits.writable,
       bits.readable, bits.connected, bits.accepted} = {event_error, event_bits};
    end
    rsp.data = seen_q[0] | seen_q[1] | bits | (received & {32{is_received_q}})
               | (acknowledged & {32{is_acknowledged_q}}) | (ends_q.address & {32{is_address_q}})
               | ({ends_q.peer_port, ends_q.port} & {32{is_ports_q}}) | (sum_seen & {32{is_sum_q}})
               | (stat_seen & {32{is_stat_q}}) | (picture_q & {32{is_picture_q}});
    if (command && full_q) rsp.data = FULL;
    rsp.err = err_q;
    if (err_q) rsp.data = '0;
  end

  always_ff @(posedge clk) begin
    idle_q   <= (idle_q && !afb_m2s.req_valid) || (rsp_valid_q && afb_m2s.rsp_ready);
    act_q    <= accept;
    answer_q <= act_q;
    popped_q <= pop_event_q && event_valid;
    if (act_q) begin
      // Here and not as a signal: simulation need not put it together in every cycle.
      seen_q <= even_and_odd({  // in the order of PLAIN_ID
        argument_a_q, argument_b_q, oldest_answer, status, event_seen, 32'(events), irq_status, irq_mask_q,
        32'(connection_q), 32'(counted_q), 32'(CONNECTIONS), now[31:0], now_high_q, earliest[31:0], earliest_high_q,
        32'(time_scale), ip_control, net_settings.mac[31:0], 32'(net_settings.mac[47:32]), net_settings.address,
        net_settings.mask, net_settings.gateway, 32'(net_settings.arp_lifetime), 32'(net_settings.refuse_gap),
        32'(settings.least_rto_us), 32'(settings.longest_rto_us), 32'(settings.first_rto_us),
        32'(settings.delayed_ack_us), 32'(settings.override_us), 32'(settings.msl_ms),
        {settings.child_patience_s, settings.syn_patience_s}, 32'(settings.fin_wait_2_ms),
        32'(settings.keep_interval_ms), 32'(settings.keep_probes), 32'(settings.challenges), 32'(settings.challenge_ms),
        32'({settings.reset_full, settings.sack, settings.stamps, settings.scale}), {5{32'b0}}
      }, plain_read_q);
      err_q             <= err;
      is_received_q     <= read_q && id_q == ID_RECEIVED;
      is_acknowledged_q <= read_q && id_q == ID_ACKNOWLEDGED;
      is_address_q      <= read_q && id_q == ID_PEER_ADDRESS;
      is_ports_q        <= read_q && id_q == ID_PORTS;
      is_sum_q          <= read_q && count_read_q;
      is_stat_q         <= read_q && stat_read_q;
      is_picture_q      <= read_q && id_q >= ID_RECORD_WORD;
      if (read_q && id_q == ID_NOW_LOW) now_high_q <= 32'(now[NOW_W-1:32]);
      if (read_q && id_q == ID_EARLIEST_LOW) earliest_high_q <= {earliest_valid, 31'(earliest[DEADLINE_W-1:32])};
    end
    if (answer_q) {rsp_q, rsp_valid_q} <= {rsp, 1'b1};
    else if (afb_m2s.rsp_ready) rsp_valid_q <= 1'b0;
    if (rst) begin
      idle_q          <= 1'b1;
      {act_q, answer_q, popped_q, rsp_valid_q} <= '0;
      now_high_q      <= '0;
      earliest_high_q <= '0;
    end
  end

  assign afb_s2m = '{req_ready: idle_q, rsp: rsp_q, rsp_valid: rsp_valid_q};

  always_ff @(posedge clk) begin
    if (writes) begin
      unique case (id_q)
        ID_ARGUMENT_A:    argument_a_q                <= wdata_q;
        ID_ARGUMENT_B:    argument_b_q                <= wdata_q;
        ID_IRQ_MASK:      irq_mask_q                  <= wdata_q & IRQ_MASK_WRITABLE;
        ID_CONNECTION:    connection_q                <= wdata_q[15:0];
        ID_COUNTED:       counted_q                   <= wdata_q[15:0];
        default: ;  // the others act elsewhere
      endcase
    end
    if (popped_q) connection_q <= rsp.data[15:0];
    if (writes && id_q == ID_STATUS && cleared.refused) refused_q <= 1'b0;
    if (command && full_q) refused_q <= 1'b1;
    irq_q <= (irq_mask_q & irq_status) != '0;
    if (rst) begin
      argument_a_q   <= ARGUMENT_A_RESET;
      argument_b_q   <= ARGUMENT_B_RESET;
      irq_mask_q     <= IRQ_MASK_RESET;
      connection_q   <= CONNECTION_RESET[15:0];
      counted_q      <= COUNTED_RESET[15:0];
      refused_q      <= 1'b0;
      irq_q          <= 1'b0;
    end
  end

  assign irq = irq_q;

  tcp_settings u_settings (
    .clk, .rst, .write(writes), .id(id_q), .data(wdata_q), .settings, .key, .time_scale, .ip_control, .net_settings
  );

  // What must hold: an access is answered three cycles after it was accepted, whatever the engine does; each request
  // has one answer; what is held has its place; who tells keeps to the order.
  a_acts_next : assert property (@(posedge clk) disable iff (rst) $past(!rst && accept) -> act_q);
  a_answers_next : assert property (@(posedge clk) disable iff (rst) $past(!rst && act_q) -> answer_q);
  a_answers : assert property (@(posedge clk) disable iff (rst) $past(!rst && answer_q) -> rsp_valid_q);
  a_one_at_a_time : assert property (@(posedge clk) disable iff (rst)
    $onehot({idle_q, act_q, answer_q, rsp_valid_q}));
  a_places : assert property (@(posedge clk) disable iff (rst) held_q <= COUNT_W'(COMMANDS) && commands_q <= held_q
                              && (push -> job_room) && (answers -> outcome_room));
  a_asked : assert property (@(posedge clk) disable iff (rst) answer_valid -> state_q == WAIT);
  a_ready : assert property (@(posedge clk) disable iff (rst) told_valid -> ready);

endmodule
