// SPDX-License-Identifier: Apache-2.0
//
// Received datagrams from net into slots, a word of 64 bits a cycle, and what is to be told of them. The half of
// dca_slots that is in nic_clk and receives.
//
//     udp --> slot: line 0 header (regs/datagram.rdl), from line 1 on payload
//      \----> begins, is good, is bad, was dropped: events        words so far: a count
//
// A datagram goes into the free slot `slot_q`. If it turns out bad, the next one takes the same slot. A socket may have
// no more slots than are free, so that one whose datagrams nobody reads never takes the last ones from the others.
//
//     cycle        0    1    2    3    4    5
//     udp          b0   b1   b2
//     write             b0   b1   b2             and the header: ends in cycle 2, the rest in cycle 1
//     count                  1    2    3
//     event             head      good
//
// Datagrams are at least three cycles apart: net needs more for their headers.
//
// That a datagram begins is told before it is known whether its socket may have the slot: if not, it turns out dropped.
//
// Latency: 2 cycles from a beat to `count`, 1 from the first one to its event, 2 from the last one to the verdict.
// Throughput: a beat a cycle.
// Borders: writes, count and pulses out of registers; an event through a comparison.
module dca_rx_fill
  import dca_pkg::*;
  import net_pkg::*;
  import toe_udp_regs_pkg::datagram_about_t, toe_udp_regs_pkg::datagram_ends_t;
(
  input  logic                   clk,
  input  logic                   rst,
  input  ip_t                    address,       // ours
  input  logic [31:0]            us,

  input  udp_rx_t                udp,           // never waits
  input  logic [SOCKETS-1:0]     match,         // whose it is, while it is valid; the lowest

  output logic [3:0]             write,         // a word of the slot's line, by bank; bank 0 has the first bytes
  output logic [RX_SLOT_W-1:0]   write_slot,
  output line_t [3:0]            write_line,
  output logic [3:0][63:0]       write_data,

  output logic [WORDS_W-1:0]     count_gray,    // words of all datagrams, in Gray code

  output rx_event_t              event_data,
  output logic                   event_valid,
  input  logic                   event_ready,   // always is: see the assertion

  input  logic                   freed_valid,
  output logic                   freed_ready,
  input  logic [RX_SLOT_W-1:0]   freed_slot,
  input  socket_t                freed_socket,

  output logic                   done,          // pulses, of good ones: it waits for its reader, ...
  output logic                   drop_share,    // ... its socket has no slot to get
  output logic                   drop_slots     // ... there is none
);

  // ---- Cycle 0 to 1 -------------------------------------------------------------------------------------------------

  udp_rx_t            udp_q;
  logic [SOCKETS-1:0] match_q;
  logic               inside_q, first_q, fits_q, to_all_q;
  socket_t            socket;

  always_ff @(posedge clk) begin
    udp_q    <= udp;
    match_q  <= match;
    first_q  <= udp.valid && !inside_q;
    fits_q   <= udp.user.length <= 16'(MAX_BYTES);
    to_all_q <= udp.user.destination != address;
    if (udp.valid) inside_q <= !udp.beat.tlast;
    if (rst) begin
      udp_q.valid <= 1'b0;
      first_q     <= 1'b0;
      inside_q    <= 1'b0;
    end
  end

  always_comb begin
    socket = '0;
    for (int i = SOCKETS - 1; i >= 0; i--) if (match_q[i]) socket = socket_t'(i);
  end

  // ---- Slots --------------------------------------------------------------------------------------------------------

  logic [RX_SLOTS-1:0]  free_q;        // but for slot_q
  logic [RX_SLOT_W-1:0] slot_q, lowest;
  logic [RX_SLOT_W:0]   free_count_q;  // with slot_q
  logic                 slot_valid_q, ready_q, consumes, frees;
  logic [SOCKET_W-1:0]  init_q;

  (* ram_style = "distributed" *) logic [RX_SLOT_W:0] used [SOCKETS];  // slots that a socket has

  socket_t              socket_q, used_at;
  logic [RX_SLOT_W:0]   used_now;
  logic                 head_q, end_q;

  always_comb begin
    lowest = '0;
    for (int i = RX_SLOTS - 1; i >= 0; i--) if (free_q[i]) lowest = RX_SLOT_W'(i);
  end

  assign freed_ready = ready_q && !head_q && !end_q;
  assign frees       = freed_valid && freed_ready;
  assign used_at     = !ready_q ? init_q : head_q || end_q ? socket_q : freed_socket;
  assign used_now    = used[used_at];

  always_ff @(posedge clk) begin
    if (!ready_q) used[used_at] <= '0;
    else if (consumes) used[used_at] <= used_now + 1'b1;
    else if (frees) used[used_at] <= used_now - 1'b1;
  end

  always_ff @(posedge clk) begin
    if (!ready_q) init_q <= init_q + 1'b1;
    if (init_q == '1) ready_q <= 1'b1;
    if (frees) free_q[freed_slot] <= 1'b1;
    if (!slot_valid_q && ready_q) begin
      slot_q       <= lowest;
      slot_valid_q <= |free_q;
      if (|free_q) free_q[lowest] <= 1'b0;
    end
    if (consumes) slot_valid_q <= 1'b0;
    free_count_q <= free_count_q + (RX_SLOT_W + 1)'(frees) - (RX_SLOT_W + 1)'(consumes);
    if (rst) begin
      init_q       <= '0;
      ready_q      <= 1'b0;
      free_q       <= '1;
      slot_valid_q <= 1'b0;
      free_count_q <= (RX_SLOT_W + 1)'(RX_SLOTS);
    end
  end

  // ---- Cycle 1: a word is written -----------------------------------------------------------------------------------

  logic                takes, takes_q, ends_write_q;
  logic [31:0]         us_q;
  logic [WORDS_W-1:0]  word, word_q, count_q, count_d, count_gray_q;
  datagram_ends_t      ends_q;
  datagram_about_t     about;

  assign takes = first_q ? slot_valid_q && fits_q : takes_q;
  assign word  = first_q ? '0 : word_q;
  assign about = '{us: us_q, to_all: 8'(to_all_q), length: udp_q.user.length, default: '0};

  always_ff @(posedge clk) begin
    if (udp.valid) us_q <= us;
    ends_q       <= '{peer_address: udp_q.user.source, peer_port: udp_q.user.source_port, port: udp_q.user.port};
    ends_write_q <= first_q && takes && !rst;
    if (udp_q.valid) begin
      takes_q <= takes;
      word_q  <= word + 1'b1;
    end
    count_q      <= count_d;
    count_gray_q <= count_d ^ (count_d >> 1);
    if (rst) begin
      count_q      <= '0;
      count_gray_q <= '0;
    end
  end

  always_comb begin
    write_slot = slot_q;
    for (int unsigned i = 0; i < 4; i++) begin
      write[i]      = udp_q.valid && takes && word[1:0] == 2'(i);
      write_line[i] = LINE_W'(word[WORDS_W-1:2]) + 1'b1;
      write_data[i] = udp_q.beat.tdata;
    end
    if (first_q) begin
      write[3:1]      = {3{takes}};
      write_line[3:1] = '0;
      write_data[3:1] = {64'd0, 64'd0, about};
    end
    if (ends_write_q) begin
      write[0]      = 1'b1;
      write_line[0] = '0;
      write_data[0] = ends_q;
    end
  end

  assign count_d    = count_q + WORDS_W'(udp_q.valid && takes);
  assign count_gray = count_gray_q;

  // ---- Cycle 1: it is told that one begins; cycle 2: whether it may, and the verdict --------------------------------

  logic done_q, drop_share_q, drop_slots_q, shares, accepted_q, accepted, begun_q, begins, bad_q, ends;

  assign begins   = first_q && takes;
  assign shares   = used_now < free_count_q;
  assign accepted = head_q ? begun_q && shares : accepted_q;
  assign ends     = end_q && !bad_q;
  assign consumes = ends && accepted;

  always_ff @(posedge clk) begin
    head_q     <= first_q && !rst;
    end_q      <= udp_q.valid && udp_q.beat.tlast && !rst;
    bad_q      <= udp_q.user.bad;
    accepted_q <= accepted;
    if (first_q) begin
      socket_q <= socket;
      begun_q  <= takes;
    end
    done_q       <= consumes && !rst;
    drop_share_q <= ends && !accepted && begun_q && !rst;
    drop_slots_q <= ends && !begun_q && !rst;
  end

  assign done       = done_q;
  assign drop_share = drop_share_q;
  assign drop_slots = drop_slots_q;

  always_comb begin
    event_data = '{kind: HEAD, socket: socket, slot: slot_q, length: length_t'(udp_q.user.length), start: count_q};
    if (end_q) begin
      event_data.kind   = bad_q ? BAD : accepted ? GOOD : DROP;
      event_data.socket = socket_q;
    end
    event_valid = begins || (end_q && (begun_q || !bad_q));
  end

  a_room : assert property (@(posedge clk) disable iff (rst) event_valid -> event_ready);
  a_apart : assert property (@(posedge clk) disable iff (rst)
    udp.valid && !inside_q -> !udp_q.valid && !end_q);
  a_gray : assert property (@(posedge clk) disable iff (rst) $onehot0(count_gray_q ^ $past(count_gray_q)));
  a_slot : assert property (@(posedge clk) disable iff (rst) frees -> !free_q[freed_slot]);
  a_free : assert property (@(posedge clk) disable iff (rst) free_count_q <= (RX_SLOT_W + 1)'(RX_SLOTS));
  a_used : assert property (@(posedge clk) disable iff (rst) frees -> used_now != '0);

  logic unused;
  assign unused = &{1'b0, udp_q.beat.tkeep, udp_q.user.destination};

endmodule
