// SPDX-License-Identifier: Apache-2.0
//
// The rings of direct connections, between the TCP engine (nic_clk) and the unit behind custom-0 (cpu_clk): 4 KB each way
// for each of the first 16 connections, or 8 or 16 KB for fewer of them, in memories of their own.
//
//     nic_clk                                                     cpu_clk
//     tcp_rings --writes--> receive rings, four banks of 64 bits  --lines--> s2m.data
//               <--reads--- send rings, the same                  <--lines-- m2s.write_data
//                    dca_tx_sum, before a fetch reads, if the last store is not the same bytes
//     tcp_notify --told----> fifo_async --> received, acknowledged, what has ended -\
//                                           read, given <-- m2s.loaded, m2s.stored --+--> s2m.stream, readable
//     request  <-- fifo_async <-- positions of these --------------/
//
// It lies on tcp_rings' way to memory: a request for an address with bit 35 set is for a ring here, [16] one of the send
// rings, [15:12] whose; all others pass. Answers keep the order: a request for the one waits until all of the other are
// answered.
//
// A connection's bytes are in memory before `told` says so (tcp_notify), and what the program has stored is before the
// command that says so: memories need no crossing of their own. Positions are absolute, so a SEND or READ that the engine
// refuses (the connection has just ended) does no harm.
//
// The sum of what is fetched goes ahead: that of the connection's last store, which came with it, if the segment is just
// that store's bytes; else dca_tx_sum makes it. `sum.valid` says besides that the first dword is on its way, so that all
// follow without gaps.
//
// To the unit there is a connection from its begin on, as long as its rings are here: also when it is closed, for what
// waits can still be read. What is told before, or behind the end (SETUP and RELEASE of a record are told, too), is not
// looked at.
//
// Latency: a request for a ring is answered 2 cycles later. From `told` to s2m.stream, readable and writable one cycle of nic_clk and
// three to four of cpu_clk; from `loaded` or `stored` to the request one of cpu_clk and three to four of nic_clk.
// Throughput: a dword a cycle of nic_clk, also from and to memory behind; a line a cycle of cpu_clk.
// Borders: requests pass through a gate; answers through another one; stream, readable, writable and data out of registers or memories;
// command and told as fifo_async.
//
// Both resets together, as fifo_async. Timing constraint: as in dca_slots.
module dca_rings
  import acb_pkg::*;
  import dca_pkg::*;
  import tcp_socket_pkg::*;
  import tcp_pkg::direct_t, tcp_pkg::direct_size_t, tcp_pkg::fetch_t, tcp_pkg::index_t;
  import tcp_pkg::OP_SEND, tcp_pkg::OP_READ;
(
  input  logic           nic_clk,
  input  logic           nic_rst,
  /* verilator lint_off UNUSEDSIGNAL */  // rsp_ready: every answer is taken at once
  input  acb_m2s_t       rings_m2s,     // tcp_rings asks
  /* verilator lint_on UNUSEDSIGNAL */
  output acb_s2m_t       rings_s2m,
  output acb_m2s_t       memory_m2s,    // what is not for here
  input  acb_s2m_t       memory_s2m,
  input  owner_rings_t   owned,
  /* verilator lint_off UNUSEDSIGNAL */  // `direct` has the index, too
  input  owner_told_t    told,          // as many at once as tcp_notify keeps
  /* verilator lint_on UNUSEDSIGNAL */
  input  owner_fetch_t   fetch,
  output logic           fetch_held,    // it is not to begin yet
  input  owner_step_t    fetch_step,
  output owner_sum_t     sum,           // of what is fetched now, if that is from here: from its first request on
  output owner_request_t request,
  input  logic           request_ready,

  input  logic           cpu_clk,
  input  logic           cpu_rst,
  input  dca_rings_m2s_t m2s,
  output dca_rings_s2m_t s2m
);

  localparam int unsigned WORDS   = SOCKETS * PLACE_LINES;  // of a bank
  localparam int unsigned WORD_W  = $clog2(WORDS);
  localparam int unsigned SEND    = 16;                    // bits of the address
  localparam int unsigned HERE    = ADDR_W - 1;

  typedef logic [WORD_W-1:0] ring_word_t;

  // Where a line of a ring lies: what is above its size belongs to the socket, whose index is a multiple of the size.
  function automatic ring_word_t place_of(input socket_t socket, input ring_line_t line, input direct_size_t size);
    ring_word_t place;
    place = {socket, line[PLACE_W-1:0]};
    for (int unsigned i = PLACE_W; i < RING_LINE_W; i++) if (32'(size) > i - PLACE_W) place[i] = line[i];
    return place;
  endfunction

  direct_size_t [SOCKETS-1:0] sizes_q;  // in cpu_clk
  direct_size_t               size;     // of the unit's socket

  // ---- nic_clk: here, or behind -------------------------------------------------------------------------------------

  acb_req_t   req;
  logic       here, takes, sends_q, answer_q;
  logic       sums;               // dca_tx_sum reads
  logic [7:0] behind_q;           // requests that memory has not answered
  logic [1:0] bank, bank_q;
  logic [3:0][63:0] sent;         // dwords of send rings, by bank
  ring_word_t word;
  logic [63:0] answer_data_q;

  assign req   = rings_m2s.req;
  assign here  = req.address[HERE];
  assign takes = rings_m2s.req_valid && here && behind_q == '0 && !(req.read && sums);
  assign bank  = req.address[4:3];
  assign word  = req.address[5 +: WORD_W];

  assign memory_m2s = '{
    req: req, req_valid: rings_m2s.req_valid && !here && !sends_q && !answer_q && behind_q != '1, rsp_ready: 1'b1
  };
  assign rings_s2m = '{
    req_ready: here ? behind_q == '0 && !(req.read && sums)
                    : memory_s2m.req_ready && !sends_q && !answer_q && behind_q != '1,
    rsp: answer_q ? '{err: 1'b0, data: answer_data_q} : memory_s2m.rsp, rsp_valid: answer_q || memory_s2m.rsp_valid
  };

  always_ff @(posedge nic_clk) begin
    behind_q  <= behind_q + 8'(memory_m2s.req_valid && memory_s2m.req_ready) - 8'(memory_s2m.rsp_valid);
    sends_q   <= takes;
    bank_q    <= bank;
    answer_q  <= sends_q;
    if (nic_rst) begin
      behind_q <= '0;
      sends_q  <= 1'b0;
      answer_q <= 1'b0;
    end
  end

  // ---- nic_clk: the sum of what is fetched from here goes ahead ------------------------------------------------------

  logic       fetches_here, starts, summing, summed, reading_q;
  socket_t    sum_socket_q;
  ring_line_t sum_line;
  ring_word_t sum_place;
  /* verilator lint_off UNUSEDSIGNAL */  // not all bits: a direct ring is smaller
  fetch_t     asked;
  /* verilator lint_on UNUSEDSIGNAL */
  socket_t    asked_socket;
  logic [15:0] made_sum;

  assign asked        = fetch.fetch;
  assign asked_socket = asked.index[SOCKET_W-1:0];
  assign sum_place    = place_of(sum_socket_q, sum_line, owned.sizes[sum_socket_q]);
  assign fetches_here = asked.index < index_t'(SOCKETS) && owned.direct[asked_socket];
  assign fetch_held   = fetches_here && !(fetch.idle && !summing && !summed);
  assign starts       = fetch_step.begins && fetches_here;

  always_ff @(posedge nic_clk) begin
    if (starts) sum_socket_q <= asked_socket;
    reading_q <= !nic_rst && !starts && (reading_q || (takes && req.read));
  end

  assign sum = '{valid: summed && reading_q, sum: made_sum};

  // The last store of each connection, while it is the last.
  typedef struct packed {
    logic        alone;
    offset_t     offset;
    length_t     length;
    logic [15:0] sum;
  } last_t;

  (* ram_style = "distributed" *) last_t lasts [SOCKETS];
  last_t       last;
  dca_moved_t  done;               // out of its crossing, below
  offset_t     in_ring;
  logic        known;
  logic [16:0] folding;
  logic [15:0] folded;

  assign folding = 17'(done.total[15:0]) + 17'(done.total[SUM_W-1:16]);
  assign folded  = folding[15:0] + 16'(folding[16]);
  assign last    = lasts[asked_socket];
  assign in_ring = (OFFSET_W'(32 * PLACE_LINES) << owned.sizes[asked_socket]) - 1'b1;
  assign known   = last.alone && last.length == length_t'(asked.length)
                   && ((last.offset ^ asked.offset[OFFSET_W-1:0]) & in_ring) == '0;

  always_ff @(posedge nic_clk) begin
    if (request.valid && request_ready && done.store) begin
      lasts[done.socket] <= '{alone: done.alone, offset: OFFSET_W'(done.position) - OFFSET_W'(done.bytes),
                              length: done.bytes, sum: done.odd ? {folded[7:0], folded[15:8]} : folded};
    end
  end

  dca_tx_sum u_sum (
    .clk(nic_clk), .rst(nic_rst), .start(starts), .known, .known_sum(last.sum), .offset(asked.offset[OFFSET_W-1:0]),
    .length(asked.length[LENGTH_W-1:0]), .busy(summing), .read(sums), .line(sum_line),
    .line_data({sent[0], sent[1], sent[2], sent[3]}), .valid(summed), .sum(made_sum), .done(fetch_step.ends && summed)
  );

  // ---- The rings -----------------------------------------------------------------------------------------------------

  for (genvar i = 0; i < 4; i++) begin : g_bank
    (* ram_style = "block", no_rw_check *) logic [63:0] rx_mem [WORDS];
    (* ram_style = "block", no_rw_check *) logic [63:0] tx_mem [WORDS];
    logic [7:0]  rx_write, tx_write;
    ring_line_t  rx_line, tx_line;
    ring_word_t  tx_place;
    logic [63:0] rx_q, tx_q, tx_data;

    assign rx_write = req.byte_mask & {8{takes && !req.read && !req.address[SEND] && bank == 2'(i)}};
    assign rx_line  = m2s.read_line - RING_LINE_W'(3'(i) + 3'(m2s.turn) >= 3'd4);
    assign tx_line  = m2s.write_line + RING_LINE_W'(3'(i) < 3'(m2s.turn));
    assign tx_place = place_of(m2s.socket, tx_line, size);
    assign tx_write = m2s.write_mask[8*(3-i) +: 8] & {8{m2s.write}};
    assign tx_data  = m2s.write_data[64*(3-i) +: 64];

    always_ff @(posedge nic_clk) begin
      for (int unsigned b = 0; b < 8; b++) if (rx_write[b]) rx_mem[word][8*b +: 8] <= req.write_data[8*b +: 8];
      if (sums || (takes && bank == 2'(i))) tx_q <= tx_mem[sums ? sum_place : word];
    end

    always_ff @(posedge cpu_clk) begin
      if (m2s.read) rx_q <= rx_mem[place_of(m2s.socket, rx_line, size)];
      for (int unsigned b = 0; b < 8; b++) begin
        if (tx_write[b]) tx_mem[tx_place][8*b +: 8] <= tx_data[8*b +: 8];
      end
    end

    assign s2m.data[64*(3-i) +: 64] = rx_q;
    assign sent[i]                  = tx_q;
  end

  always_ff @(posedge nic_clk) answer_data_q <= sent[bank_q];

  // ---- Crossings -----------------------------------------------------------------------------------------------------

  localparam int unsigned TOLD = 32;  // what tcp_notify keeps may come at once, also to a slow processor

  /* verilator lint_off UNUSEDSIGNAL */  // who reads says so
  direct_t            next;
  /* verilator lint_on UNUSEDSIGNAL */
  dca_moved_t         moved;
  logic               next_valid, next_ready, told_ready, done_valid;
  logic [SOCKETS-1:0] direct_q;

  fifo_async #(.WIDTH($bits(direct_t)), .DEPTH(TOLD)) u_told (
    .wr_clk(nic_clk), .wr_rst(nic_rst), .wr_data(told.direct), .wr_valid(told.valid), .wr_ready(told_ready),
    .rd_clk(cpu_clk), .rd_rst(cpu_rst), .rd_data(next), .rd_valid(next_valid), .rd_ready(next_ready)
  );

  fifo_async #(.WIDTH($bits(dca_moved_t)), .DEPTH(8)) u_moved (
    .wr_clk(cpu_clk), .wr_rst(cpu_rst), .wr_data(moved), .wr_valid(m2s.tells), .wr_ready(s2m.room),
    .rd_clk(nic_clk), .rd_rst(nic_rst), .rd_data(done), .rd_valid(done_valid), .rd_ready(request_ready)
  );

  sync_bits #(.WIDTH(SOCKETS)) u_direct (.clk(cpu_clk), .rst(cpu_rst), .d(owned.direct), .q(direct_q));
  sync_bits #(.WIDTH($bits(owned.sizes))) u_sizes (.clk(cpu_clk), .rst(cpu_rst), .d(owned.sizes), .q(sizes_q));

  assign size = sizes_q[m2s.socket];

  assign request = '{
    valid: done_valid,
    request: '{index: index_t'(done.socket), ends: '0,
               command: '{op: done.store ? OP_SEND : OP_READ, a: done.position, b: '0}}
  };

  // ---- cpu_clk: positions --------------------------------------------------------------------------------------------

  (* ram_style = "distributed" *) logic [OFFSET_W:0] received [SOCKETS];  // what differences within a ring need
  (* ram_style = "distributed" *) logic [OFFSET_W:0] acknowledged [SOCKETS];
  (* ram_style = "distributed" *) logic [31:0]       read [SOCKETS];
  (* ram_style = "distributed" *) logic [31:0]       given [SOCKETS];

  logic               applies, changes, moves;
  logic [SOCKETS-1:0] begun_q, finished_q, closed_q, readable_q, writable_q;
  logic [SOCKETS-1:0] untold_q;   // something is stored that is not told
  logic [31:0]        read_now, given_now, read_new, given_new;
  logic [OFFSET_W:0]  to_load, to_store;
  dca_stream_t        stream_q;

  // The program's moves first: they come once in some cycles.
  assign moves      = m2s.loaded || m2s.stored;
  assign applies    = next_valid && !moves;
  assign changes    = applies && (next.begins || (begun_q[next.index] && !closed_q[next.index]));
  assign next_ready = !moves;

  assign read_now  = read[m2s.socket];
  assign given_now = given[m2s.socket];
  assign read_new  = read_now + 32'(m2s.bytes);
  assign given_new = given_now + 32'(m2s.bytes);
  assign moved     = '{socket: m2s.socket, store: m2s.stored, position: m2s.stored ? given_new : read_new,
                       alone: !untold_q[m2s.socket], bytes: m2s.bytes, odd: m2s.odd, total: m2s.total};

  always_ff @(posedge cpu_clk) begin
    if (changes) begin
      received[next.index]     <= next.received[OFFSET_W:0];
      acknowledged[next.index] <= next.acknowledged[OFFSET_W:0];
    end
    if (m2s.loaded || (changes && next.begins)) begin
      read[m2s.loaded ? m2s.socket : next.index] <= m2s.loaded ? read_new : '0;
    end
    if (m2s.stored || (changes && next.begins)) begin
      given[m2s.stored ? m2s.socket : next.index] <= m2s.stored ? given_new : '0;
    end
  end

  function automatic logic is_half_free(input logic [OFFSET_W:0] gave, input logic [OFFSET_W:0] took,
                                        input direct_size_t ring);
    logic [OFFSET_W:0] used;
    used = gave - took;
    return used <= (OFFSET_W + 1)'(16 * PLACE_LINES) << ring;
  endfunction

  always_ff @(posedge cpu_clk) begin
    begun_q    <= begun_q & direct_q;
    readable_q <= readable_q & direct_q;
    if (changes) begin
      begun_q[next.index]    <= direct_q[next.index];
      finished_q[next.index] <= next.finished || (finished_q[next.index] && !next.begins);
      closed_q[next.index]   <= next.closed;
      readable_q[next.index] <= next.finished || next.closed
                                   || (!next.begins && finished_q[next.index])
                                   || next.received[OFFSET_W:0]
                                      != (next.begins ? '0 : read[next.index][OFFSET_W:0]);
    end
    if (changes) begin
      writable_q[next.index] <= is_half_free(next.begins ? '0 : given[next.index][OFFSET_W:0],
                                               next.acknowledged[OFFSET_W:0], sizes_q[next.index]);
    end
    if (m2s.stored) untold_q[m2s.socket] <= !m2s.tells;
    if (m2s.stored) writable_q[m2s.socket] <= is_half_free(given_new[OFFSET_W:0], acknowledged[m2s.socket], size);
    if (m2s.loaded) begin
      readable_q[m2s.socket] <= finished_q[m2s.socket] || closed_q[m2s.socket]
                                || received[m2s.socket] != read_new[OFFSET_W:0];
    end
    if (cpu_rst) begin
      begun_q      <= '0;
      finished_q   <= '0;
      closed_q     <= '0;
      readable_q   <= '0;
      writable_q   <= '0;
      untold_q     <= '0;
    end
  end

  // ---- cpu_clk: how a connection is ----------------------------------------------------------------------------------

  assign to_load  = received[m2s.socket] - read_now[OFFSET_W:0];
  assign to_store = ((OFFSET_W + 1)'(32 * PLACE_LINES) << size) - (given_now[OFFSET_W:0] - acknowledged[m2s.socket]);

  function automatic length_t at_most(input logic [OFFSET_W:0] bytes);
    return bytes > (OFFSET_W + 1)'(MAX_BYTES) ? length_t'(MAX_BYTES) : length_t'(bytes);
  endfunction

  always_ff @(posedge cpu_clk) begin
    stream_q <= '{
      direct: begun_q[m2s.socket], finished: finished_q[m2s.socket], closed: closed_q[m2s.socket],
      to_load: at_most(to_load), to_store: at_most(to_store), load_at: read_now[OFFSET_W-1:0],
      store_at: given_now[OFFSET_W-1:0], all_to_load: 15'(to_load), all_to_store: 15'(to_store)
    };
  end

  assign s2m.stream   = stream_q;
  assign s2m.readable = readable_q;
  assign s2m.writable = writable_q;

  a_told : assert property (@(posedge nic_clk) disable iff (nic_rst) told.valid -> told_ready);
  a_room : assert property (@(posedge cpu_clk) disable iff (cpu_rst) m2s.tells -> s2m.room && moves);
  a_moves : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !(m2s.loaded && m2s.stored));
  a_whose : assert property (@(posedge nic_clk) disable iff (nic_rst) takes -> req.read == req.address[SEND]);
  a_bytes : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    begun_q[m2s.socket] -> 32'(to_load) <= 32 * PLACE_LINES << size && 32'(to_store) <= 32 * PLACE_LINES << size);

endmodule
