// SPDX-License-Identifier: Apache-2.0
//
// The unit behind custom-0: it moves datagrams between the data cache and the slots of the network stack. dca_pkg has
// its instructions, docs/dca.md says how a program uses them.
//
//     unit_req --> operands --> checks --> front, room --> lines                       a load
//                                                           slot --> dca_align --> line port
//                                                                                      a store
//                                                           line port --> slot, dca_sum --> send
//
// One instruction at a time. A load that finds nothing, a store that finds no slot and an event that does not come wait
// until there is something, `interrupted` ends them (-EINTR), or they may not wait (-EAGAIN). A load begins while its
// datagram comes in, and ends when it is known to be good; if it turns out bad, the load waits for the next one.
// Nothing but the buffer changes.
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
// waited for; of no line 5 and 4. From the last word of a datagram (s2m.words) to the answer of a load that waits for
// it 3 cycles, 4 where its bytes go into two lines.
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
  // Where a buffer may lie, bytes at an address: packet memory and DRAM.
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
  output logic            irq       // level, registered: an event that SET_IRQ's mask has
);

  localparam int unsigned COUNT_W = LINE_W + 1;

  typedef enum logic [1:0] {IDLE, CHECK, LOOK, RUN} state_t;

  // ---- The instruction ----------------------------------------------------------------------------------------------

  state_t      state_q;
  operation_t  op_q;
  modifier_t   how_q;
  logic [31:0] a_q;        // buffer. Of NEXT_EVENT: cycles that are left
  logic [31:0] b_q;
  logic [2:0]  tail_q;     // a store's sum is made, and the datagram goes
  logic        answers, ready;
  logic [6:0]  error, error_q;
  logic [15:0] bytes;
  logic [16:0] room;       // bytes of the buffer
  logic        is_store, is_load, moves;
  socket_t     socket;

  assign ready    = state_q == IDLE && tail_q == '0;
  assign bytes    = b_q[15:0];
  assign socket   = b_q[16+:SOCKET_W];
  assign is_store = op_q == UDP_STORE;
  assign is_load  = op_q == UDP_LOAD;
  assign moves    = is_store || is_load;
  assign room     = 17'(bytes) + {11'd0, how_q.header, 5'd0};

  // ---- UDP sockets: to whom, and how --------------------------------------------------------------------------------

  typedef struct packed {
    logic       df;
    logic [7:0] tos;
    logic [7:0] ttl;
  } options_t;

  (* ram_style = "block", no_rw_check *) logic [31:0] peer_addresses [SOCKETS];
  (* ram_style = "block", no_rw_check *) logic [15:0] peer_ports     [SOCKETS];
  (* ram_style = "block", no_rw_check *) options_t    options        [SOCKETS];

  logic [31:0]        peer_address_q;
  logic [15:0]        peer_port_q;
  options_t           options_q;
  logic [SOCKETS-1:0] connected_q, has_options_q;
  socket_t            asked;
  logic               commands;

  assign asked    = unit_req.operand_b[16+:SOCKET_W];
  assign commands = state_q == LOOK && op_q == COMMAND && error_q == '0;

  always_ff @(posedge cpu_clk) begin
    if (unit_req.valid && ready) begin
      peer_address_q <= peer_addresses[asked];
      peer_port_q    <= peer_ports[asked];
      options_q      <= options[asked];
    end
    if (commands && bytes == SET_PEER_ADDRESS) begin
      peer_addresses[socket] <= a_q;
      connected_q[socket]    <= |a_q;
    end
    if (commands && bytes == SET_PEER_PORT) peer_ports[socket] <= a_q[15:0];
    if (commands && bytes == SET_OPTIONS) begin
      options[socket]       <= options_t'(a_q[16:0]);
      has_options_q[socket] <= 1'b1;
    end
    if (cpu_rst) begin
      connected_q   <= '0;
      has_options_q <= '0;
    end
  end

  // ---- CHECK: what cannot be ----------------------------------------------------------------------------------------

  logic [31:0] in_packet, in_dram;  // from a region's first byte on; before it that is a large number
  logic        lies;

  assign in_packet = a_q - PACKET_BASE;
  assign in_dram   = a_q - DRAM_BASE;
  assign lies      = {1'b0, in_packet} + 33'(room) <= 33'(PACKET_BYTES)
                     || {1'b0, in_dram} + 33'(room) <= 33'(DRAM_BYTES);

  always_comb begin
    error = '0;
    if (moves) begin
      if (room != '0 && !lies) error = ERR_FAULT;
      if (is_store && !how_q.header && !connected_q[socket]) error = ERR_DESTADDRREQ;
      if (is_store && bytes > 16'(MAX_BYTES)) error = ERR_MSGSIZE;
      if (is_store && !s2m.direct[socket]) error = ERR_BADF;
    end
    if (op_q != NEXT_EVENT && b_q[31:16+SOCKET_W] != '0) error = ERR_BADF;
    unique case (op_q)
      UDP_LOAD:   ;
      UDP_STORE:  if (how_q.peek) error = ERR_INVAL;
      NEXT_EVENT: if (how_q != '0) error = ERR_NOSYS;
      COMMAND:    if (how_q != '0 || bytes > SET_IRQ) error = ERR_NOSYS;
      STATUS:     if (how_q != '0 || bytes > GET_DROPS) error = ERR_NOSYS;
      default:    error = ERR_NOSYS;
    endcase
    if (how_q.zero != '0) error = ERR_NOSYS;
  end

  // ---- LOOK: how much, and which bytes of the first and last line ---------------------------------------------------

  length_t              length, length_q;  // that is moved, of payload
  logic [LENGTH_W:0]    total, behind_last;
  logic [COUNT_W-1:0]   lines, asks_q, answers_q;  // lines that are still to be asked for, to come
  logic [31:0]          from, from_q, until_q, until_d;
  logic                 found, starts, nothing_q;
  logic [RX_SLOT_W-1:0] slot_q;
  logic [WORDS_W-1:0]   all_words_q;       // of the datagram

  assign length      = is_load && 16'(s2m.front.length) <= bytes ? s2m.front.length : length_t'(bytes);
  assign total       = (LENGTH_W + 1)'(length) + (LENGTH_W + 1)'({how_q.header, 5'd0});
  assign behind_last = total + (LENGTH_W + 1)'(a_q[4:0]);
  assign lines       = total == '0 ? '0 : COUNT_W'((behind_last + (LENGTH_W + 1)'(31)) >> 5);
  assign from        = '1 >> a_q[4:0];
  assign until_d     = behind_last[4:0] == '0 ? '1 : ~('1 >> behind_last[4:0]);
  // What waits; or comes in, has not just turned out bad, and may be waited for.
  assign found       = is_load ? s2m.front.valid && (s2m.front.whole || !(s2m.bad || how_q.no_wait)) : s2m.tx_room;
  assign starts      = state_q == LOOK && moves && error_q == '0 && found;

  // ---- RUN ----------------------------------------------------------------------------------------------------------

  logic  settled_q, lost_q, settled, lost, followed, first_q, fresh_q, read_valid_q, write_valid_q, moved;
  logic  read_first_q, read_last_q, write_first_q, write_last_q, reads, advance, there, quits, refused_q;
  line_t at_q;             // in the slot
  logic [31:5] line_q;     // in the buffer
  logic [LINE_W+1:0] needed;
  data_t aligned;

  // One that is lost is followed no more: while the line port is not ready, events of the next ones come.
  assign followed = state_q == RUN && is_load && !settled_q && !lost_q;
  assign settled  = settled_q || (followed && s2m.good);
  assign lost     = lost_q || (followed && s2m.bad);
  // The words of payload that this line of the buffer is made of.
  assign needed   = {at_q, 2'd0} - (LINE_W + 2)'(a_q[4:3]);
  assign there    = settled_q || at_q == '0 || (LINE_W + 2)'(s2m.words) >= needed || s2m.words >= all_words_q;
  assign advance  = !write_valid_q || line_rsp.ready;
  assign reads    = state_q == RUN && is_load && asks_q != '0 && there && advance;
  assign quits    = followed && !settled && !lost && unit_req.interrupted && advance;
  // All that is to be moved is.
  assign moved    = is_load ? (write_valid_q ? write_last_q && line_rsp.ready : nothing_q)
                    : answers_q == '0 || (answers_q == COUNT_W'(1) && line_rsp.valid);

  always_ff @(posedge cpu_clk) begin
    if (starts) begin
      length_q    <= length;
      asks_q      <= lines;
      answers_q   <= lines;
      from_q      <= from;
      until_q     <= until_d;
      slot_q      <= s2m.front.slot;
      line_q      <= a_q[31:5];
      all_words_q <= WORDS_W'((s2m.front.length + length_t'(7)) >> 3);
      settled_q   <= s2m.front.whole || s2m.good;
      nothing_q   <= lines == '0;
      at_q        <= is_load && !how_q.header ? line_t'(1) : '0;
      first_q     <= 1'b1;
      fresh_q     <= 1'b1;
      refused_q   <= 1'b0;
      lost_q      <= 1'b0;
    end
    if (state_q == RUN) begin
      if (followed && s2m.good) settled_q <= 1'b1;
      if (lost) lost_q <= 1'b1;
      if (line_req.valid && line_rsp.ready) line_q <= line_q + 1'b1;
    end

    // A load: slot, aligned, line port.
    if (advance) begin
      read_valid_q  <= reads;
      read_first_q  <= first_q;
      read_last_q   <= asks_q == COUNT_W'(1);
      write_valid_q <= read_valid_q;
      write_first_q <= read_first_q;
      write_last_q  <= read_last_q;
    end
    if (reads) begin
      asks_q  <= asks_q - 1'b1;
      at_q    <= at_q + 1'b1;
      first_q <= 1'b0;
    end
    if (write_valid_q && line_rsp.ready && write_last_q) nothing_q <= 1'b1;

    // A store: line port, slot.
    if (state_q == RUN && is_store) begin
      if (asks_q != '0 && line_rsp.ready) asks_q <= asks_q - 1'b1;
      if (line_rsp.valid) begin
        answers_q <= answers_q - 1'b1;
        at_q      <= at_q + 1'b1;
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

  dca_align u_align (
    .clk(cpu_clk), .take(advance && read_valid_q), .line(s2m.rx_data), .turn(a_q[4:3]), .shift(a_q[2:0]), .data(aligned)
  );

  assign line_req = '{
    valid: is_load ? write_valid_q : state_q == RUN && is_store && asks_q != '0, write: is_load, address: line_q,
    mask: (write_first_q ? from_q : '1) & (write_last_q ? until_q : '1), data: aligned
  };

  // ---- The sum of a store, and its end ------------------------------------------------------------------------------

  logic [31:0]      sum_mask;
  logic [SUM_W-1:0] sum;
  logic             stored;

  // Nothing of a header line; of the first line of payload what is behind the offset.
  assign sum_mask = (how_q.header && first_q ? '0 : fresh_q ? from_q : '1)
                    & (answers_q == COUNT_W'(1) ? until_q : '1);
  assign stored   = state_q == RUN && is_store && moved && !(refused_q || (line_rsp.valid && line_rsp.err));

  dca_sum u_sum (
    .clk(cpu_clk), .clear(starts), .valid(state_q == RUN && is_store && line_rsp.valid), .line(line_rsp.data),
    .mask(sum_mask), .sum
  );

  always_ff @(posedge cpu_clk) tail_q <= cpu_rst ? '0 : {tail_q[1:0], stored};

  // ---- Events -------------------------------------------------------------------------------------------------------

  logic [SOCKETS-1:0] events;
  socket_t            event_socket;
  logic [SOCKETS-1:0] irq_mask_q;  // of SET_IRQ's argument; [31:16] are kept for TCP

  assign events = s2m.readable & b_q[SOCKETS-1:0];

  always_ff @(posedge cpu_clk) begin
    if (commands && bytes == SET_IRQ) irq_mask_q <= a_q[SOCKETS-1:0];
    irq <= |(s2m.readable & irq_mask_q) && !cpu_rst;
    if (cpu_rst) irq_mask_q <= '0;
  end

  always_comb begin
    event_socket = '0;
    for (int i = SOCKETS - 1; i >= 0; i--) if (events[i]) event_socket = socket_t'(i);
  end

  // ---- Answers ------------------------------------------------------------------------------------------------------

  logic [31:0] answer, answer_q;
  logic [6:0]  fails;         // with this
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
            if (events != '0) answer = {EVENT_UDP, 16'(event_socket)};
            else if (a_q != '0) fails = ERR_INTR;
          end
          COMMAND: answers = 1'b1;
          STATUS: begin
            answers = 1'b1;
            unique case (bytes[1:0])
              2'(GET_WAITING): answer = 32'(s2m.waiting);
              2'(GET_LENGTH):  answer = 32'(s2m.front.length);
              default:         answer = 32'(s2m.drops);
            endcase
            if (bytes[1:0] == 2'(GET_LENGTH) && !(s2m.front.valid && s2m.front.whole)) fails = ERR_AGAIN;
          end
          default: begin
            answers = !found && (how_q.no_wait || unit_req.interrupted);
            fails   = how_q.no_wait ? ERR_AGAIN : ERR_INTR;
            if (is_load && !s2m.front.valid && !s2m.direct[socket]) begin
              answers = 1'b1;
              fails   = ERR_BADF;
            end
          end
        endcase
      end
    end else if (state_q == RUN) begin
      answers = moved && (is_store || settled);
      if (is_store && !stored) fails = ERR_FAULT;
      if (quits) begin
        answers = 1'b1;
        fails   = ERR_INTR;
      end
    end
    if (fails != '0) answer = -32'(fails);
  end

  always_ff @(posedge cpu_clk) begin
    unique case (state_q)
      IDLE: if (unit_req.valid && ready) begin
        op_q    <= operation_t'(unit_req.funct3);
        how_q   <= modifier_t'(unit_req.funct7);
        a_q     <= unit_req.operand_a;
        b_q     <= unit_req.operand_b;
        state_q <= CHECK;
      end
      CHECK: begin
        error_q <= error;
        state_q <= LOOK;
      end
      LOOK: begin
        if (op_q == NEXT_EVENT) a_q <= a_q - 1'b1;
        if (starts) state_q <= RUN;
      end
      default: if (lost && advance) state_q <= LOOK;
    endcase
    if (answers) state_q <= IDLE;
    answer_q       <= answer;
    answer_valid_q <= answers && !cpu_rst;
    done_q         <= state_q == RUN && is_load && answers && fails == '0 && !how_q.peek && !cpu_rst;
    if (cpu_rst) state_q <= IDLE;
  end

  assign unit_rsp = '{ready: ready, valid: answer_valid_q, data: answer_q};

  assign m2s = '{
    socket: socket, rx_read: reads, rx_slot: slot_q, rx_line: at_q, rx_turn: a_q[4:3], rx_done: done_q,
    tx_write: state_q == RUN && is_store && line_rsp.valid, tx_line: at_q, tx_data: line_rsp.data, tx_send: tail_q[1],
    send: '{socket: socket, peer_address: peer_address_q, peer_port: peer_port_q, header: how_q.header,
            offset: a_q[4:0], length: length_q, ttl: has_options_q[socket] ? options_q.ttl : 8'd64,
            tos: has_options_q[socket] ? options_q.tos : '0, df: has_options_q[socket] && options_q.df, total: sum}
  };

  a_answer : assert property (@(posedge cpu_clk) disable iff (cpu_rst) line_rsp.valid -> state_q == RUN && is_store
    && answers_q != '0);
  a_line : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    $past(!cpu_rst && line_req.valid && !line_rsp.ready)
      -> line_req.valid && $stable({line_req.write, line_req.address})
      && (!line_req.write || $stable({line_req.mask, line_req.data})));

endmodule
