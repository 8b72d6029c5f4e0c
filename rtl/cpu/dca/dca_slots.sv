// SPDX-License-Identifier: Apache-2.0
//
// Slots that UDP datagrams cross in between the network stack (nic_clk) and the unit behind custom-0 (cpu_clk).
//
//     nic_clk                                                    cpu_clk
//     udp_rx --> dca_rx_fill --words--> 16 slots of 2 KB  --lines--> s2m.rx_data
//                  | \--events--> fifo_async --> dca_rx_queue --> s2m.front, readable
//                  | \--count of words (Gray) --> s2m.words
//                  \<--freed---- fifo_async <----/
//     udp_tx <-- dca_tx_play <--words-- 4 slots of 2 KB <--lines-- m2s.tx_data
//                  \<--which is next (Gray) --> m2s.tx_send, s2m.tx_room
//
// Received bytes are in their slot before the count that has them crosses, and so is what is to be sent: slots need no
// crossing of their own. A datagram may be read while it comes in; whether it was good the event says that follows.
//
// Latency, received: 2 cycles of nic_clk from a beat to its count, 2 from the first one to its event, 3 from the last
// one to the verdict; then two to three edges of cpu_clk. Sent: from tx_send a cycle of cpu_clk, two to three edges of
// nic_clk, and 4 cycles to the first beat.
// Throughput: 64 bits a cycle of nic_clk, 256 bits a cycle of cpu_clk.
// Borders: those of the four blocks; rx_data out of memories.
//
// Both resets together, as fifo_async. Timing constraint: as sync_bits; what is in a slot or beside it is written a
// cycle of the writer's clock before the Gray code that tells of it moves. The clocks' frequencies
// differ by a factor of three at most.
module dca_slots
  import dca_pkg::*;
  import net_pkg::*;
(
  input  logic               nic_clk,
  input  logic               nic_rst,
  input  ip_t                address,       // ours
  input  logic [31:0]        us,            // for the time stamps
  input  udp_rx_t            udp_rx,        // of ports that are direct
  input  logic [SOCKETS-1:0] match,         // which; the lowest
  input  logic [SOCKETS-1:0] direct,        // ports that are open and direct
  output socket_t            socket,        // whose ...
  input  logic [15:0]        port,          // ... port is that, within the cycle
  output udp_tx_t            udp_tx,
  input  logic               udp_tx_ready,
  output logic               done,          // pulses, see dca_rx_fill
  output logic               drop_share,
  output logic               drop_slots,

  input  logic               cpu_clk,
  input  logic               cpu_rst,
  input  dca_slots_m2s_t     m2s,
  output dca_slots_s2m_t     s2m
);

  localparam int unsigned RX_WORDS = RX_SLOTS * LINES;
  localparam int unsigned TX_WORDS = TX_SLOTS * LINES;

  // ---- Receive: nic_clk ---------------------------------------------------------------------------------------------

  logic [3:0]           write;
  logic [RX_SLOT_W-1:0] write_slot, freed_slot, freed_back;
  line_t [3:0]          write_line;
  logic [3:0][63:0]     write_data;
  logic [WORDS_W-1:0]   fill_gray, count_gray, count_now, start;
  rx_event_t            fill_event, queue_event;
  logic                 fill_valid, fill_ready, queue_valid, queue_ready;
  logic                 freed_valid, freed_room, back_valid, back_ready;
  socket_t              freed_socket, back_socket;

  dca_rx_fill u_fill (
    .clk(nic_clk), .rst(nic_rst), .address, .us, .udp(udp_rx), .match, .write, .write_slot, .write_line, .write_data,
    .count_gray(fill_gray), .event_data(fill_event), .event_valid(fill_valid), .event_ready(fill_ready),
    .freed_valid(back_valid), .freed_ready(back_ready), .freed_slot(freed_back), .freed_socket(back_socket), .done,
    .drop_share, .drop_slots
  );

  // ---- Receive: slots and crossings ---------------------------------------------------------------------------------

  for (genvar i = 0; i < 4; i++) begin : g_rx
    (* no_rw_check *) logic [63:0] mem [RX_WORDS];
    logic [63:0]       read_q;
    line_t             line;

    // The bank's dword of this line, or of the one before: bank 0 has the first.
    assign line = m2s.rx_line - LINE_W'(3'(i) + 3'(m2s.rx_turn) >= 3'd4);

    always_ff @(posedge nic_clk) if (write[i]) mem[{write_slot, write_line[i]}] <= write_data[i];
    always_ff @(posedge cpu_clk) if (m2s.rx_read) read_q <= mem[{m2s.rx_slot, line}];

    assign s2m.rx_data[64*(3-i) +: 64] = read_q;
  end

  fifo_async #(.WIDTH($bits(rx_event_t)), .DEPTH(8)) u_events (
    .wr_clk(nic_clk), .wr_rst(nic_rst), .wr_data(fill_event), .wr_valid(fill_valid), .wr_ready(fill_ready),
    .rd_clk(cpu_clk), .rd_rst(cpu_rst), .rd_data(queue_event), .rd_valid(queue_valid), .rd_ready(queue_ready)
  );

  fifo_async #(.WIDTH(RX_SLOT_W + SOCKET_W), .DEPTH(RX_SLOTS)) u_freed (
    .wr_clk(cpu_clk), .wr_rst(cpu_rst), .wr_data({freed_slot, freed_socket}), .wr_valid(freed_valid),
    .wr_ready(freed_room), .rd_clk(nic_clk), .rd_rst(nic_rst), .rd_data({freed_back, back_socket}),
    .rd_valid(back_valid), .rd_ready(back_ready)
  );

  sync_bits #(.WIDTH(WORDS_W)) u_count (.clk(cpu_clk), .rst(cpu_rst), .d(fill_gray), .q(count_gray));
  sync_bits #(.WIDTH(SOCKETS)) u_direct (.clk(cpu_clk), .rst(cpu_rst), .d(direct), .q(s2m.direct));

  // ---- Receive: cpu_clk ---------------------------------------------------------------------------------------------

  dca_rx_queue u_queue (
    .clk(cpu_clk), .rst(cpu_rst), .event_data(queue_event), .event_valid(queue_valid), .event_ready(queue_ready),
    .socket(m2s.socket), .rx_done(m2s.rx_done), .freed_valid, .freed_slot, .freed_socket, .front(s2m.front),
    .good(s2m.good), .bad(s2m.bad), .start, .readable(s2m.readable), .waiting(s2m.waiting), .drops(s2m.drops)
  );

  always_comb begin
    for (int unsigned i = 0; i < WORDS_W; i++) count_now[i] = ^(count_gray >> i);
  end

  assign s2m.words = count_now - start;

  // ---- Send: cpu_clk ------------------------------------------------------------------------------------------------

  localparam int unsigned PTR_W = TX_SLOT_W + 1;

  logic [PTR_W-1:0] wr_ptr_q, wr_ptr_d, wr_gray_q, wr_gray, rd_ptr_q, rd_ptr_d, rd_gray_q, rd_gray;
  logic             finished, line_read;
  line_t            line;
  data_t            line_data;
  dca_send_t        send_q;

  assign wr_ptr_d    = wr_ptr_q + PTR_W'(m2s.tx_send);
  assign s2m.tx_room = rd_gray != (wr_gray_q ^ (PTR_W'(3) << (PTR_W - 2)));

  always_ff @(posedge cpu_clk) begin
    wr_ptr_q  <= wr_ptr_d;
    wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1);
    if (cpu_rst) begin
      wr_ptr_q  <= '0;
      wr_gray_q <= '0;
    end
  end

  // ---- Send: slots and crossings ------------------------------------------------------------------------------------

  (* no_rw_check *) data_t             tx_mem [TX_WORDS];
  (* ram_style = "block", no_rw_check *) dca_send_t sends [TX_SLOTS];
  (* ram_style = "distributed" *) logic [4:0] offsets [TX_SLOTS];

  always_ff @(posedge cpu_clk) begin
    if (m2s.tx_write) tx_mem[{wr_ptr_q[TX_SLOT_W-1:0], m2s.tx_line}] <= m2s.tx_data;
    if (m2s.tx_send) begin
      sends[wr_ptr_q[TX_SLOT_W-1:0]]   <= m2s.send;
      offsets[wr_ptr_q[TX_SLOT_W-1:0]] <= m2s.send.offset;
    end
  end

  always_ff @(posedge nic_clk) begin
    if (line_read) line_data <= tx_mem[{rd_ptr_q[TX_SLOT_W-1:0], line}];
    send_q <= sends[rd_ptr_q[TX_SLOT_W-1:0]];
  end

  sync_bits #(.WIDTH(PTR_W)) u_wr_gray (.clk(nic_clk), .rst(nic_rst), .d(wr_gray_q), .q(wr_gray));
  sync_bits #(.WIDTH(PTR_W)) u_rd_gray (.clk(cpu_clk), .rst(cpu_rst), .d(rd_gray_q), .q(rd_gray));

  // ---- Send: nic_clk ------------------------------------------------------------------------------------------------

  assign rd_ptr_d = rd_ptr_q + PTR_W'(finished);

  always_ff @(posedge nic_clk) begin
    rd_ptr_q  <= rd_ptr_d;
    rd_gray_q <= rd_ptr_d ^ (rd_ptr_d >> 1);
    if (nic_rst) begin
      rd_ptr_q  <= '0;
      rd_gray_q <= '0;
    end
  end

  dca_tx_play u_play (
    .clk(nic_clk), .rst(nic_rst), .send_valid(wr_gray != rd_gray_q), .send_offset(offsets[rd_ptr_q[TX_SLOT_W-1:0]]),
    .send(send_q), .finished, .line_read, .line, .line_data, .socket, .port, .udp(udp_tx), .udp_ready(udp_tx_ready)
  );

  a_freed : assert property (@(posedge cpu_clk) disable iff (cpu_rst) freed_valid -> freed_room);
  a_send : assert property (@(posedge cpu_clk) disable iff (cpu_rst) m2s.tx_send -> s2m.tx_room);

endmodule
