// SPDX-License-Identifier: Apache-2.0
//
// The unit behind custom-0: it moves datagrams between the data cache and the slots of the network stack, and bytes of
// TCP connections between the cache and their rings. dca_pkg has its instructions, docs/dca.md says how a program uses them.
//
//     unit_req --> operands --> checks --> front, room --> lines                       a load
//                                                    slot, ring --> dca_align --> line port
//                                                                                      a store
//                                                     line port --> slot, dca_align --> ring
//                                                                            \--> dca_add --> send, told
//
// One instruction at a time. A load that finds nothing, a store that finds no room and an event that does not come wait
// until there is something, `interrupted` ends them (-EINTR), or they may not wait (-EAGAIN). A load begins while its
// datagram comes in, and ends when it is known to be good; if it turns out bad, the load waits for the next one. Of TCP's
// bytes those are moved that are there, or have room. Nothing but the buffer changes.
//
//     cycle           0       1       2       3       4       5       6
//     unit_req        taken
//     state           IDLE    CHECK   LOOK    RUN     RUN     RUN     IDLE      64 bytes wait, aligned
//     slot                                    read0   read1
//     line_req                                                w0      w1
//     unit_rsp                                                                  valid in cycle 7
//
//     line_req                                r0      r1                        a store, lines in the cache
//     line_rsp                                        d0      d1
//     slot                                            w0      w1
//     tx_send                                                         .  7      two cycles behind the last line
//     unit_rsp                                                        valid in cycle 6
//
// Latency of n lines: load 5 + n, store 4 + n cycles from the request taken to `unit_rsp.valid`, where nothing is
// waited for; of no line 4, TCP's too. From the last word of a datagram (s2m.words) to the answer of a load that waits for
// it 3 cycles, 4 where its bytes go into two lines. TCP: a load one more where the first bytes lie across two dwords of the
// ring and the buffer has them in its line's first one; a store one more, and another one where its last bytes go into one
// more dword.
// Behind a reset the first instruction is taken in cycle 16.
// Throughput: a line a cycle; a load also where its lines are not those of the datagram. A store needs two cycles more
// before the next instruction is taken.
// The interrupt: a cycle behind s2m.readable, whatever the instruction; a cycle behind SET_IRQ's answer with its mask.
// Borders: irq is a register; unit_rsp is registers but for `ready`, a gate behind them. line_req: valid and address are
// registers and a gate, data as dca_align says. m2s: registers, some behind a gate; rx_read looks at s2m.words and at
// line_rsp.ready.
module dca_unit
  import cpu_slot_pkg::*;
  import dca_pkg::*;
#(
  // Where a buffer may lie, bytes at an address: packet memory and DRAM. A power of two (or none) at a multiple of it.
  parameter int unsigned PACKET_BASE  = 0,
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0,
  parameter int unsigned DRAM_BYTES   = 0
) (
  input  logic            cpu_clk,
  input  logic            cpu_rst,
  input  cpu_unit_req_t   unit_req,
  output cpu_unit_rsp_t   unit_rsp,
  output cpu_line_req_t   line_req,
  input  cpu_line_rsp_t   line_rsp,
  output dca_slots_m2s_t  m2s,
  input  dca_slots_s2m_t  s2m,
  output dca_rings_m2s_t  rings_m2s,
  input  dca_rings_s2m_t  rings_s2m,
  output logic            irq       // level, registered: something of the program's masks is so
);

  if ((PACKET_BYTES & (PACKET_BYTES - 1)) != 0 || (DRAM_BYTES & (DRAM_BYTES - 1)) != 0
      || (PACKET_BYTES != 0 && PACKET_BASE % PACKET_BYTES != 0) || (DRAM_BYTES != 0 && DRAM_BASE % DRAM_BYTES != 0))
  begin : g_bad_memory
    $error("dca_unit: PACKET_BYTES and DRAM_BYTES must be powers of two or 0, and the bases multiples of them");
  end

  localparam int unsigned COUNT_W = LINE_W + 1;

  typedef enum logic [1:0] {IDLE, CHECK, LOOK, RUN} state_t;

  // ---- The instruction ----------------------------------------------------------------------------------------------

  state_t      state_q;
  operation_t  op_q;
  modifier_t   how_q;
  logic [31:0] a_q;        // buffer. Of NEXT_EVENT: cycles that are left
  logic [31:0] b_q;
  logic [2:0]  tail_q;     // a store's sum is made, and the datagram goes
  logic        answers, ready, ready_q;  // out of reset, what a socket has by default is written
  logic [6:0]  error, error_q;  // -errno, its lowest bits; 0: none
  logic [15:0] bytes;
  logic        is_store, is_load, moves, is_tcp;
  socket_t     socket;
  dca_stream_t stream;     // the connection, of TCP's

  assign ready    = state_q == IDLE && tail_q == '0 && ready_q;
  assign bytes    = b_q[15:0];
  assign socket   = b_q[16+:SOCKET_W];
  assign is_store = op_q == UDP_STORE || op_q == TCP_STORE;
  assign is_load  = op_q == UDP_LOAD || op_q == TCP_LOAD;
  assign is_tcp   = op_q == TCP_STORE || op_q == TCP_LOAD;
  assign moves    = is_store || is_load;
  assign stream   = rings_s2m.stream;

  // ---- UDP sockets: to whom, and how --------------------------------------------------------------------------------

  localparam logic [7:0] TTL = 8'd64;

  typedef struct packed {
    logic       df;
    logic [7:0] tos;
    logic [7:0] ttl;
  } udp_options_t;

  (* ram_style = "block", no_rw_check *) logic [31:0] peer_addresses [SOCKETS];
  (* ram_style = "block", no_rw_check *) logic [15:0] peer_ports     [SOCKETS];
  (* ram_style = "block", no_rw_check *) udp_options_t options        [SOCKETS];

  logic [31:0] peer_address_q;  // 0: there is no peer
  logic [15:0] peer_port_q;
  udp_options_t options_q;
  socket_t     asked;
  logic        commands;

  assign asked    = unit_req.operand_b[16+:SOCKET_W];
  assign commands = state_q == LOOK && op_q == COMMAND && error_q == '0;

  // Behind a reset, before the first instruction, each socket gets what it has by default; a_q is 0 then.
  always_ff @(posedge cpu_clk) begin
    if (unit_req.valid && ready) begin
      peer_address_q <= peer_addresses[asked];
      peer_port_q    <= peer_ports[asked];
      options_q      <= options[asked];
    end
    if (!ready_q || (commands && bytes == SET_PEER_ADDRESS)) peer_addresses[socket] <= a_q;
    if (commands && bytes == SET_PEER_PORT) peer_ports[socket] <= a_q[15:0];
    if (!ready_q || (commands && bytes == SET_OPTIONS)) begin
      options[socket] <= '{df: a_q[16], tos: a_q[15:8], ttl: a_q[7:0] | (ready_q ? 8'd0 : TTL)};
    end
    if (socket == '1) ready_q <= 1'b1;
    if (cpu_rst) ready_q <= 1'b0;
  end

  // ---- CHECK: what cannot be ----------------------------------------------------------------------------------------

  logic [16:0] behind_first;  // bytes of the buffer, less one
  logic [31:0] last;          // its last byte
  logic        lies;

  function automatic logic lies_in(input logic [31:0] at, input int unsigned base, input int unsigned size);
    return size != 0 && ((at ^ base) & ~(size - 1)) == '0;
  endfunction

  assign behind_first = 17'(bytes) + {{12{!how_q.header}}, 5'd31};  // 32 more with a header, less one
  assign last         = a_q + 32'(behind_first);
  assign lies         = (lies_in(a_q, PACKET_BASE, PACKET_BYTES) && lies_in(last, PACKET_BASE, PACKET_BYTES))
                        || (lies_in(a_q, DRAM_BASE, DRAM_BYTES) && lies_in(last, DRAM_BASE, DRAM_BYTES));

  always_comb begin
    error = '0;
    if (moves) begin
      if ((bytes != '0 || how_q.header) && !lies) error = -ERR_FAULT;
      if (op_q == UDP_STORE) begin
        if (!how_q.header && peer_address_q == '0) error = -ERR_DESTADDRREQ;
        if (bytes > 16'(MAX_BYTES)) error = -ERR_MSGSIZE;
        if (!s2m.direct[socket]) error = -ERR_BADF;
      end
    end
    if (op_q != NEXT_EVENT && b_q[31:16+SOCKET_W] != '0) error = -ERR_BADF;
    unique case (op_q)
      UDP_LOAD:   ;
      UDP_STORE:  if (how_q.peek) error = -ERR_INVAL;
      TCP_LOAD, TCP_STORE: if (how_q.header) error = -ERR_INVAL;
      NEXT_EVENT: if (how_q != '0) error = -ERR_NOSYS;
      COMMAND:    if (how_q != '0 || bytes > SET_IRQ_ROOM) error = -ERR_NOSYS;
      STATUS:     if (how_q != '0 || bytes > GET_STREAM || bytes == GET_DROPS + 1'b1) error = -ERR_NOSYS;
      default:    error = -ERR_NOSYS;
    endcase
    if (how_q.zero != '0) error = -ERR_NOSYS;
  end

  // ---- LOOK: how much, and which bytes of the first and last line ---------------------------------------------------

  length_t              most, length, length_q;  // that may be, and is moved, of payload
  logic [LENGTH_W:0]    behind_last;               // from the begin of the line in which the payload begins
  logic [COUNT_W-1:0]   lines, asks_q, answers_q;  // lines that are still to be asked for, to come
  logic [4:0]           last_q;            // of the last line the last byte
  logic                 primes;            // the dword before the first one has bytes of the first line's begin
  logic                 fills, empty, found, ended, starts, nothing_q;
  logic [RX_SLOT_W-1:0] slot_q;
  logic [WORDS_W-1:0]   all_words_q;       // of the datagram

  always_comb begin
    unique case (op_q)
      TCP_STORE: most = stream.to_store;
      TCP_LOAD:  most = stream.to_load;
      UDP_LOAD:  most = s2m.front.length;
      default:   most = length_t'(MAX_BYTES);  // CHECK has seen to it
    endcase
  end

  // Beside these lines there is one of a header, or one more that a TCP load reads (`primes`).
  assign fills       = 16'(most) <= bytes;
  assign length      = fills ? most : length_t'(bytes);
  assign behind_last = (LENGTH_W + 1)'(length) + (LENGTH_W + 1)'(a_q[4:0]);
  assign empty       = length == '0 && !how_q.header;
  assign lines       = COUNT_W'(behind_last[LENGTH_W:5]) + COUNT_W'(behind_last[4:0] != '0)
                       + COUNT_W'(is_tcp ? primes : how_q.header);
  assign starts      = state_q == LOOK && moves && error_q == '0 && found;

  // What waits; or comes in, has not just turned out bad, and may be waited for. Of TCP what waits or has room, or
  // nothing if that is wanted; and the engine can be told of it.
  always_comb begin
    unique case (op_q)
      TCP_STORE: found = stream.direct && !stream.closed && (stream.to_store != '0 || bytes == '0) && rings_s2m.room;
      TCP_LOAD:  found = stream.direct && (stream.to_load != '0 || bytes == '0) && rings_s2m.room;
      UDP_LOAD:  found = s2m.front.valid && (s2m.front.whole || !(s2m.bad || how_q.no_wait));
      default:   found = s2m.tx_room;
    endcase
  end

  assign ended = is_store ? stream.closed : stream.to_load == '0 && (stream.finished || stream.closed);

  // How far a byte is from its place: the buffer's place in its line less the ring's, or the other way round. A slot
  // begins with a line.
  offset_t    apart;        // the ring's place less the buffer's
  logic [4:0] skew, skew_q;
  logic       spills;       // of the last line bytes go into a line more
  logic [4:0] last_byte;    // of the last line
  ring_line_t first_line;   // of the slot, or ring

  assign apart      = (op_q == TCP_STORE ? stream.store_at : op_q == TCP_LOAD ? stream.load_at : '0)
                      - OFFSET_W'(a_q[4:0]);
  assign skew       = is_store ? apart[4:0] : -apart[4:0];
  assign last_byte  = behind_last[4:0] - 1'b1;
  assign primes     = is_load && a_q[4:3] == '0 && a_q[2:0] < skew[2:0] && length != '0;
  assign spills     = op_q == TCP_STORE && length != '0 && last_byte[4:3] == '1
                      && 4'(last_byte[2:0]) + 4'(skew[2:0]) > 4'd7;
  // A load's first line is the one in which the buffer's line ends, but what primes comes before; a datagram's payload
  // is behind its header.
  assign first_line = (is_tcp ? apart[OFFSET_W-1:5] : '0)
                      + RING_LINE_W'(is_load && (is_tcp ? apart[4:0] != '0 && !primes : !how_q.header));

  // ---- RUN ----------------------------------------------------------------------------------------------------------

  logic  settled_q, lost_q, settled, lost, followed, first_q, fresh_q, read_valid_q, write_valid_q, moved;
  logic  read_first_q, read_last_q, write_last_q, reads, advance, there, quits, refused_q;
  logic  fills_q, primes_q, read_primes_q, spills_q, spilling, sums, sums_q, align_valid_q;
  ring_line_t at_q;        // in the slot, or ring
  logic [31:5] line_q;     // in the buffer
  logic [LINE_W+1:0] needed;
  data_t taken, aligned;
  logic [31:0] taken_mask, aligned_mask;

  // One that is lost is followed no more: while the line port is not ready, events of the next ones come.
  assign followed = state_q == RUN && is_load && !settled_q && !lost_q;
  assign settled  = settled_q || (followed && s2m.good);
  assign lost     = lost_q || (followed && s2m.bad);
  // The words of payload that this line of the buffer is made of.
  assign needed   = {at_q[LINE_W-1:0], 2'd0} - (LINE_W + 2)'(a_q[4:3]);
  assign there    = settled_q || at_q == '0 || (LINE_W + 2)'(s2m.words) >= needed || s2m.words >= all_words_q;
  assign advance  = !write_valid_q || line_rsp.ready;
  assign reads    = state_q == RUN && is_load && asks_q != '0 && there && advance;
  assign quits    = followed && !settled && !lost && unit_req.interrupted && advance;
  // All that is to be moved is.
  assign moved    = is_load ? (write_valid_q ? write_last_q && line_rsp.ready : nothing_q)
                    : is_tcp ? answers_q == '0 && !spills_q
                    : answers_q == '0 || (answers_q == COUNT_W'(1) && line_rsp.valid);

  always_ff @(posedge cpu_clk) begin
    if (starts) begin
      length_q    <= length;
      asks_q      <= empty ? '0 : lines;
      answers_q   <= empty ? '0 : lines;
      skew_q      <= skew;
      primes_q    <= primes;
      spills_q    <= spills;
      fills_q     <= fills;
      last_q      <= last_byte;
      slot_q      <= s2m.front.slot;
      all_words_q <= WORDS_W'((s2m.front.length + length_t'(7)) >> 3);
      settled_q   <= s2m.front.whole || s2m.good || is_tcp;
      nothing_q   <= empty;
      at_q        <= first_line;
      first_q     <= 1'b1;
      fresh_q     <= 1'b1;
      refused_q   <= 1'b0;
      lost_q      <= 1'b0;
    end
    line_q        <= (state_q == RUN ? line_q : a_q[31:5]) + 27'(line_req.valid && line_rsp.ready);
    align_valid_q <= is_tcp && (sums || spilling) && !cpu_rst;
    sums_q        <= sums && !cpu_rst;
    if (state_q == RUN) begin
      if (followed && s2m.good) settled_q <= 1'b1;
      if (lost) lost_q <= 1'b1;
    end

    // A load: slot, aligned, line port.
    if (advance) begin
      read_valid_q  <= reads;
      read_first_q  <= first_q;
      read_last_q   <= asks_q == COUNT_W'(1);
      read_primes_q <= primes_q;
      write_valid_q <= read_valid_q && !read_primes_q;
      write_last_q  <= read_last_q;
    end
    if (reads) begin
      asks_q   <= asks_q - 1'b1;
      at_q     <= at_q + 1'b1;
      first_q  <= primes_q;
      primes_q <= 1'b0;
    end
    if (write_valid_q && line_rsp.ready && write_last_q) nothing_q <= 1'b1;

    // A store: line port, slot; or aligned, ring: a cycle behind.
    if (align_valid_q) at_q <= at_q + 1'b1;
    if (spilling) spills_q <= 1'b0;
    if (state_q == RUN && is_store) begin
      if (asks_q != '0 && line_rsp.ready) asks_q <= asks_q - 1'b1;
      if (line_rsp.valid) begin
        answers_q <= answers_q - 1'b1;
        if (!is_tcp) at_q <= at_q + 1'b1;
        refused_q <= refused_q || line_rsp.err;
        if (!how_q.header || !first_q) fresh_q <= 1'b0;
        first_q <= 1'b0;
      end
    end

    if (cpu_rst || ((lost || quits) && advance)) begin
      read_valid_q  <= 1'b0;
      write_valid_q <= 1'b0;
    end
  end

  // A store that spills has one line more, of nothing.
  assign spilling = state_q == RUN && spills_q && answers_q == '0;
  assign sums     = state_q == RUN && is_store && line_rsp.valid;

  // Bytes of a line that are the buffer's: of a load's line as they are in the buffer, of a store's where they are
  // turned to. Of a store nothing of a header line; of the first line of payload what is behind the offset.
  logic        begins, ends, none;
  logic [31:0] line_mask;

  assign begins = is_load ? read_first_q : fresh_q;
  assign ends   = is_load ? read_last_q : answers_q == COUNT_W'(1);
  assign none   = is_store && (spilling || (how_q.header && first_q));

  always_comb begin
    for (int unsigned d = 0; d < 4; d++) begin
      logic [1:0] dword;
      logic       after_first, in_first, ahead_of_last, in_last;
      dword         = 2'(d) - (is_load ? 2'd0 : skew_q[4:3]);
      after_first  = !none && (!begins || dword > a_q[4:3]);
      in_first      = !none && begins && dword == a_q[4:3];
      ahead_of_last = !ends || dword < last_q[4:3];
      in_last       = ends && dword == last_q[4:3];
      for (int unsigned b = 0; b < 8; b++) begin
        line_mask[31-8*d-b] = (after_first || (in_first && 3'(b) >= a_q[2:0]))
                              && (ahead_of_last || (in_last && 3'(b) <= last_q[2:0]));
      end
    end
  end

  dca_align u_align (
    .clk(cpu_clk), .clear(starts), .take(is_store ? sums || spilling : advance && read_valid_q),
    .line(is_store ? line_rsp.data : is_tcp ? rings_s2m.data : s2m.rx_data), .masks(is_store), .line_mask,
    .turn(skew_q[4:3]), .first(is_store ? skew_q[4:3] : '0), .shift(skew_q[2:0]), .taken, .taken_mask, .data(aligned),
    .mask(aligned_mask)
  );

  assign line_req = '{
    valid: is_load ? write_valid_q : state_q == RUN && is_store && asks_q != '0, write: is_load, address: line_q,
    mask: taken_mask, data: aligned
  };

  // ---- The sum of a store, and its end ------------------------------------------------------------------------------

  logic [SUM_W-1:0] sum;
  logic             refused, stored;

  assign refused  = refused_q || (line_rsp.valid && line_rsp.err);
  assign stored   = state_q == RUN && is_store && moved && !refused;

  dca_add u_add (.clk(cpu_clk), .clear(starts), .valid(sums_q), .line(taken), .sum);

  always_ff @(posedge cpu_clk) tail_q <= cpu_rst ? '0 : {tail_q[1:0], stored && !is_tcp};

  // ---- Events -------------------------------------------------------------------------------------------------------

  logic [2*SOCKETS-1:0] readable, events;  // TCP's behind UDP's
  logic [SOCKETS-1:0]   first_kind;        // UDP's events, if there are some
  logic                 is_event_udp;
  socket_t              first_event;

  assign readable     = {rings_s2m.readable, s2m.readable};
  assign events       = readable & b_q;
  assign is_event_udp = events[SOCKETS-1:0] != '0;
  assign first_kind   = is_event_udp ? events[SOCKETS-1:0] : events[2*SOCKETS-1:SOCKETS];

  always_comb begin
    first_event = '0;
    for (int i = SOCKETS - 1; i >= 0; i--) if (first_kind[i]) first_event = socket_t'(i);
  end

  // An interrupt of what is so, not of what becomes so: whoever lets it in takes it out of the mask, or reads.
  logic [2*SOCKETS-1:0] irq_mask_q;
  logic [SOCKETS-1:0]   irq_room_mask_q;
  logic                 irq_q;

  always_ff @(posedge cpu_clk) begin
    irq_q <= (readable & irq_mask_q) != '0 || (rings_s2m.writable & irq_room_mask_q) != '0;
    if (commands && bytes == SET_IRQ) irq_mask_q <= a_q;
    if (commands && bytes == SET_IRQ_ROOM) irq_room_mask_q <= a_q[2*SOCKETS-1:SOCKETS];
    if (cpu_rst) begin
      irq_mask_q      <= '0;
      irq_room_mask_q <= '0;
      irq_q           <= 1'b0;
    end
  end

  assign irq = irq_q;

  // ---- Answers ------------------------------------------------------------------------------------------------------

  logic [31:0] answer, answer_q;
  logic [6:0]  fails;         // with this, as error_q
  logic        answer_valid_q, done_q;

  always_comb begin
    answers = 1'b0;
    answer  = 32'(length_q);
    fails   = '0;
    if (state_q == LOOK) begin
      answer = '0;
      if (error_q != '0) begin
        answers = 1'b1;
        fails   = error_q;
      end else begin
        unique case (op_q)
          NEXT_EVENT: begin
            answers = events != '0 || a_q == '0 || unit_req.interrupted;
            if (events != '0) answer = {is_event_udp ? EVENT_UDP : EVENT_TCP, 16'(first_event)};
            else if (a_q != '0) fails = -ERR_INTR;
          end
          COMMAND: answers = 1'b1;
          STATUS: begin
            answers = 1'b1;
            unique case (bytes[2:0])
              3'(GET_WAITING): answer = 32'(s2m.waiting);
              3'(GET_LENGTH):  answer = 32'(s2m.front.length);
              3'(GET_DROPS):   answer = 32'(s2m.drops);
              3'(GET_TO_LOAD): answer = 32'(stream.to_load);
              3'(GET_ROOM):    answer = 32'(stream.to_store);
              3'(GET_STATE):   answer = {30'd0, stream.closed, stream.finished};
              default:         answer = {stream.all_to_load, stream.all_to_store, stream.closed, stream.finished};
            endcase
            if (bytes[2:0] == 3'(GET_LENGTH) && !(s2m.front.valid && s2m.front.whole)) fails = -ERR_AGAIN;
            if (bytes[2] && !stream.direct) fails = -ERR_BADF;
          end
          default: begin
            answers = !found && (how_q.no_wait || unit_req.interrupted);
            fails   = how_q.no_wait ? -ERR_AGAIN : -ERR_INTR;
            if (op_q == UDP_LOAD && !s2m.front.valid && !s2m.direct[socket]) begin
              answers = 1'b1;
              fails   = -ERR_BADF;
            end
            if (is_tcp && !found && (!stream.direct || ended)) begin
              answers = 1'b1;
              fails   = !stream.direct ? -ERR_BADF : is_store ? -ERR_PIPE : stream.finished ? '0 : -ERR_CONNRESET;
            end
          end
        endcase
      end
    end else if (state_q == RUN) begin
      answers = moved && (is_store || settled);
      if (is_store && refused) fails = -ERR_FAULT;
      if (quits) begin
        answers = 1'b1;
        fails   = -ERR_INTR;
      end
    end
    if (fails != '0) answer = {25'h1FF_FFFF, fails};
  end

  always_ff @(posedge cpu_clk) begin
    unique case (state_q)
      IDLE: if (unit_req.valid && ready) begin
        op_q    <= operation_t'(unit_req.funct3);
        how_q   <= modifier_t'(unit_req.funct7);
        b_q     <= unit_req.operand_b;
        state_q <= CHECK;
      end
      CHECK: begin
        error_q <= error;
        state_q <= LOOK;
      end
      LOOK: begin
        if (starts) state_q <= RUN;
      end
      default: if (lost && advance) state_q <= LOOK;
    endcase
    if (answers) state_q <= IDLE;
    answer_q       <= answer;
    answer_valid_q <= answers && !cpu_rst;
    done_q         <= state_q == RUN && answers && fails == '0 && !(is_load && how_q.peek) && !cpu_rst;
    a_q <= {32{state_q == LOOK && op_q == NEXT_EVENT}} + (unit_req.valid && ready ? unit_req.operand_a : a_q);
    if (!ready_q) b_q[16+:SOCKET_W] <= socket + 1'b1;
    if (cpu_rst) begin
      state_q <= IDLE;
      a_q     <= '0;
      b_q     <= '0;
    end
  end

  assign unit_rsp = '{ready: ready, valid: answer_valid_q, data: answer_q};

  assign m2s = '{
    socket: socket, rx_read: reads && !is_tcp, rx_slot: slot_q, rx_line: at_q[LINE_W-1:0], rx_turn: a_q[4:3],
    rx_done: done_q && op_q == UDP_LOAD, tx_write: state_q == RUN && op_q == UDP_STORE && line_rsp.valid,
    tx_line: at_q[LINE_W-1:0], tx_data: line_rsp.data, tx_send: tail_q[1],
    send: '{socket: socket, peer_address: peer_address_q, peer_port: peer_port_q, header: how_q.header,
            offset: a_q[4:0], length: length_q, ttl: options_q.ttl, tos: options_q.tos, df: options_q.df, total: sum}
  };

  // A load of nothing is not told, a store of nothing is: with it goes what was stored before with `more`. So does all
  // with a store that takes what there is room for: nobody else would make more.
  assign rings_m2s = '{
    socket: socket, read: reads && is_tcp, read_line: at_q, write: align_valid_q, write_line: at_q, turn: skew_q[4:3],
    write_data: aligned, write_mask: aligned_mask, loaded: done_q && op_q == TCP_LOAD,
    stored: done_q && op_q == TCP_STORE,
    tells: done_q && (op_q == TCP_LOAD ? length_q != '0 : op_q == TCP_STORE && (!how_q.peek || fills_q)),
    bytes: length_q, odd: a_q[0], total: sum
  };

  a_answer : assert property (@(posedge cpu_clk) disable iff (cpu_rst) line_rsp.valid -> state_q == RUN && is_store
    && answers_q != '0);
  a_line : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    $past(!cpu_rst && line_req.valid && !line_rsp.ready)
      -> line_req.valid && $stable({line_req.write, line_req.address})
      && (!line_req.write || $stable({line_req.mask, line_req.data})));

endmodule
