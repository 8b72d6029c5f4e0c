// SPDX-License-Identifier: Apache-2.0
//
// UDP between net and memory, for the processor: its registers (regs/toe_udp.rdl), the ports that are open, and the two
// halves that move datagrams. docs/tcp.md says how to use it.
//
//     net --udp_rx--> toe_udp_rx --guest 0--> tcp_rings --> memory: the receive ring
//     net <--udp_tx-- toe_udp_tx --guest 1--> tcp_rings --> memory: payloads, anywhere
//     net --udp_lookup--> 16 ports --> udp_open
//     AFB <--> registers
//     net <-> dca_slots <--> cpu_clk: datagrams of ports that are direct, for custom-0 (docs/dca.md; with DCA)
//
// One access at a time, and none ever waits for a datagram:
//
//     cycle       0                     1                        2                      3
//               request valid & ready   registers are read       write takes effect     response valid
//                                                                                       (held until taken)
//
// Latency: an access is answered three cycles behind its request; throughput: one every four cycles. udp_open a
// cycle behind udp_lookup. From the commit of a datagram to `irq` 3.
// Borders: outputs out of registers, but for those of the halves; with DCA udp_tx comes through a multiplexer.
module toe_udp
  import afb_pkg::*;
  import net_pkg::*;
  import tcp_pkg::*;
  import toe_udp_regs_pkg::*;
#(
  // Where the ring may lie, bytes at an address: packet memory and DRAM.
  parameter int unsigned PACKET_BASE  = 0,
  parameter int unsigned PACKET_BYTES = 0,
  parameter int unsigned DRAM_BASE    = 0,
  parameter int unsigned DRAM_BYTES   = 0,
  parameter bit          DCA          = 1'b0  // ports may be direct
) (
  input  logic         clk,
  input  logic         rst,
  input  ip_t          address,         // ours
  input  logic [31:0]  us,              // for the time stamps

  input  udp_rx_t      udp_rx,          // never waits
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [15:0]  udp_lookup,
  output logic         udp_open,
  output udp_tx_t      udp_tx,
  input  logic         udp_tx_ready,

  input  afb_m2s_t     afb_m2s,         // the lock bit (every access is atomic) and the upper address are not looked at
  /* verilator lint_on UNUSEDSIGNAL */
  output afb_s2m_t     afb_s2m,
  output ring_ask_t [RING_GUESTS-1:0] guests,
  input  ring_answer_t guest_answer,
  output logic         irq,

  // Direct cache access: see dca_slots.
  input  logic         cpu_clk,
  input  logic         cpu_rst,
  input  dca_pkg::dca_slots_m2s_t dca_m2s,
  output dca_pkg::dca_slots_s2m_t dca_s2m
);

  localparam int unsigned SENDS     = 8;
  localparam int unsigned MAX_BYTES = 1472;   // of payload
  localparam logic [31:0] BAD       = 32'd1;  // what a send is refused for
  localparam logic [31:0] FULL      = 32'd2;
  localparam int unsigned COUNTERS  = 9;

  // ---- Registers ----------------------------------------------------------------------------------------------------

  typedef logic [31-LEAST_RING:0] base_t;

  control_t            control_q;
  irq_mask_t           irq_mask_q;
  irq_status_t         irq_status;
  status_t             status;
  toe_udp_regs_pkg::ring_t ring_q;
  ports_t              ports_q;
  toe_udp_regs_pkg::options_t options_q;
  logic [31:0]         read_q, peer_address_q, payload_q, sent_q, received;
  logic                refused_q, irq_q, receiving, restart;
  port_t [LOCAL_PORTS_COUNT-1:0]   local_ports_q;
  logic [COUNTERS-1:0][31:0]       counters_q;  // the first register's is the last one
  logic [COUNTERS-1:0]             pulses;
  logic [$clog2(SENDS+1)-1:0]      sends;
  logic                done, drop_room, drop_full, drop_memory, sent, memory_error;
  logic                direct_done, drop_share, drop_slots;

  // ---- Cycle 0: a request -------------------------------------------------------------------------------------------

  logic            idle_q, act_q, answer_q, rsp_valid_q;
  logic [ID_W-1:0] id_q;
  logic            is_read_q, whole_q, is_port_q;
  logic [31:0]     wdata_q;

  always_ff @(posedge clk) begin
    if (idle_q) begin
      id_q      <= afb_m2s.req.address[2+:ID_W];
      is_port_q <= afb_m2s.req.address[2+:ID_W] >= ID_LOCAL_PORTS_PORT
                   && afb_m2s.req.address[2+:ID_W] < ID_LOCAL_PORTS_PORT + ID_W'(LOCAL_PORTS_COUNT);
      is_read_q <= afb_m2s.req.read;
      whole_q   <= &afb_m2s.req.byte_mask;
      wdata_q   <= afb_m2s.req.write_data;
    end
  end

  // ---- Cycle 1: registers are read, values looked at ----------------------------------------------------------------

  logic [31:0] seen, seen_q;
  logic        err, err_q, too_long_q, full_q;
  base_t       first, rest;
  logic        ring_fits, read_fits;
  /* verilator lint_off UNUSEDSIGNAL */  // reserved bits
  toe_udp_regs_pkg::ring_t new_ring;
  port_t       new_port;
  /* verilator lint_on UNUSEDSIGNAL */

  assign new_port  = wdata_q;
  assign new_ring  = wdata_q & RING_WRITABLE;
  assign first     = new_ring.base;
  assign rest      = ~('1 << new_ring.size);
  // At a multiple of its size; with the 2 KB behind it.
  assign ring_fits = (first & rest) == '0
                     && (lies_in(first, (first | rest) + 1'b1, PACKET_BASE, PACKET_BYTES)
                         || lies_in(first, (first | rest) + 1'b1, DRAM_BASE, DRAM_BYTES));
  assign read_fits = wdata_q[4:0] == '0 && wdata_q - read_q <= received - read_q;

  always_comb begin
    irq_status           = '0;
    irq_status.datagrams = received != read_q;
    irq_status.sent      = sends == '0;
    status               = '0;
    status.sends         = 4'(sends);
    status.refused       = refused_q;
    status.receiving     = receiving;
  end

  always_comb begin
    seen = '0;
    err  = !is_read_q && !whole_q;
    if (is_port_q) begin
      seen = local_ports_q[id_q[3:0]];
    end else begin
      unique case (id_q)
        ID_CONTROL:      seen = control_q;
        ID_IRQ_STATUS:   seen = irq_status;
        ID_IRQ_MASK:     seen = irq_mask_q;
        ID_STATUS:       seen = status;
        ID_RING:         seen = ring_q;
        ID_RECEIVED:     seen = received;
        ID_READ:         seen = read_q;
        ID_PEER_ADDRESS: seen = peer_address_q;
        ID_PORTS:        seen = ports_q;
        ID_OPTIONS:      seen = options_q;
        ID_PAYLOAD:      seen = payload_q;
        ID_SEND:         seen = '0;
        ID_SENT:         seen = sent_q;
        ID_RECEIVED_DATAGRAMS, ID_DROP_ROOM, ID_DROP_FULL, ID_DROP_MEMORY, ID_SEND_MEMORY_ERROR, ID_SEND_REFUSED,
        ID_DIRECT_DATAGRAMS, ID_DROP_SHARE, ID_DROP_SLOTS:
                         seen = counters_q[id_q[3:0]];
        default:         err = 1'b1;
      endcase
      if (is_read_q && id_q == ID_SEND) err = 1'b1;
      if (!is_read_q) begin
        unique case (id_q)
          ID_RING: if (!ring_fits) err = 1'b1;
          ID_READ: if (!read_fits) err = 1'b1;
          ID_IRQ_STATUS, ID_RECEIVED, ID_SENT, ID_RECEIVED_DATAGRAMS, ID_DROP_ROOM, ID_DROP_FULL, ID_DROP_MEMORY,
          ID_SEND_MEMORY_ERROR, ID_SEND_REFUSED, ID_DIRECT_DATAGRAMS, ID_DROP_SHARE, ID_DROP_SLOTS: err = 1'b1;
          default: ;
        endcase
      end
    end
  end

  // ---- Cycle 2: it takes effect -------------------------------------------------------------------------------------

  logic     fails, writes, sending, refused;
  afb_rsp_t rsp_q;

  assign fails   = err_q || (!is_read_q && id_q == ID_RING && (control_q.receive || receiving));
  assign writes  = answer_q && !is_read_q && !fails;
  assign restart = writes && id_q == ID_RING;
  assign refused = writes && id_q == ID_SEND && (too_long_q || full_q);
  assign sending = writes && id_q == ID_SEND && !(too_long_q || full_q);

  always_ff @(posedge clk) begin
    idle_q   <= (idle_q && !afb_m2s.req_valid) || (rsp_valid_q && afb_m2s.rsp_ready);
    act_q    <= idle_q && afb_m2s.req_valid;
    answer_q <= act_q;
    if (act_q) begin
      seen_q     <= seen;
      err_q      <= err;
      too_long_q <= wdata_q[15:0] > 16'(MAX_BYTES);
      full_q     <= sends == $bits(sends)'(SENDS);  // nothing comes, and what goes is the next one's gain
    end
    if (answer_q) begin
      rsp_q.err  <= fails;
      rsp_q.data <= is_read_q && !fails ? seen_q : '0;
      if (refused) rsp_q.data <= too_long_q ? BAD : FULL;
      rsp_valid_q <= 1'b1;
    end else if (afb_m2s.rsp_ready) begin
      rsp_valid_q <= 1'b0;
    end
    if (rst) begin
      idle_q      <= 1'b1;
      act_q       <= 1'b0;
      answer_q    <= 1'b0;
      rsp_valid_q <= 1'b0;
    end
  end

  assign afb_s2m = '{req_ready: idle_q, rsp: rsp_q, rsp_valid: rsp_valid_q};

  always_ff @(posedge clk) begin
    if (writes) begin
      if (is_port_q) local_ports_q[id_q[3:0]] <= '{direct: DCA && new_port.direct, open: new_port.open,
                                                    value: new_port.value, default: '0};
      unique case (id_q)
        ID_CONTROL:      control_q      <= wdata_q & CONTROL_WRITABLE;
        ID_IRQ_MASK:     irq_mask_q     <= wdata_q & IRQ_MASK_WRITABLE;
        ID_RING:         ring_q         <= wdata_q & RING_WRITABLE;
        ID_READ:         read_q         <= wdata_q;
        ID_PEER_ADDRESS: peer_address_q <= wdata_q;
        ID_PORTS:        ports_q        <= wdata_q;
        ID_OPTIONS:      options_q      <= wdata_q & OPTIONS_WRITABLE;
        ID_PAYLOAD:      payload_q      <= wdata_q;
        default: ;
      endcase
    end
    if (writes && id_q == ID_STATUS && |(wdata_q & STATUS_WRITABLE)) refused_q <= 1'b0;
    if (refused) refused_q <= 1'b1;
    if (restart) read_q <= '0;
    for (int unsigned i = 0; i < COUNTERS; i++) counters_q[i] <= counters_q[i] + 32'(pulses[i]);
    sent_q <= sent_q + 32'(sent);
    irq_q  <= (irq_mask_q & irq_status) != '0;
    if (rst) begin
      control_q      <= CONTROL_RESET;
      irq_mask_q     <= IRQ_MASK_RESET;
      ring_q         <= RING_RESET;
      read_q         <= READ_RESET;
      peer_address_q <= PEER_ADDRESS_RESET;
      ports_q        <= PORTS_RESET;
      options_q      <= OPTIONS_RESET;
      payload_q      <= PAYLOAD_RESET;
      local_ports_q  <= '0;
      counters_q     <= '0;
      sent_q         <= SENT_RESET;
      refused_q      <= 1'b0;
      irq_q          <= 1'b0;
    end
  end

  assign irq = irq_q;

  // ---- Ports --------------------------------------------------------------------------------------------------------

  logic [LOCAL_PORTS_COUNT-1:0] match;

  for (genvar i = 0; i < LOCAL_PORTS_COUNT; i++) begin : g_port
    assign match[i] = local_ports_q[i].open && local_ports_q[i].value == udp_lookup;
  end

  logic open_q;

  always_ff @(posedge clk) open_q <= control_q.receive && (control_q.all_ports || |match);

  assign udp_open = open_q;

  // ---- Ports that are direct ----------------------------------------------------------------------------------------

  udp_rx_t ring_rx;
  udp_tx_t ring_tx;
  logic    ring_tx_ready;

  if (DCA) begin : g_dca
    logic [LOCAL_PORTS_COUNT-1:0] direct;
    udp_rx_t                      direct_rx;
    udp_tx_t                      direct_tx;
    logic                         direct_tx_ready, to_slots, inside_q, direct_q;
    logic                         owned_q, owner_q, turn;  // whose datagram goes out; the slots' are first
    dca_pkg::socket_t             socket;

    (* ram_style = "distributed" *) logic [15:0] values [LOCAL_PORTS_COUNT];  // as the registers

    always_ff @(posedge clk) if (writes && is_port_q) values[id_q[3:0]] <= new_port.value;

    for (genvar i = 0; i < LOCAL_PORTS_COUNT; i++) begin : g_direct
      assign direct[i] = local_ports_q[i].open && local_ports_q[i].direct;
    end

    // udp_lookup is the datagram's port beside all its beats. With its first one it is said where it goes.
    assign to_slots = inside_q ? direct_q : |(match & direct);

    always_comb begin
      ring_rx         = udp_rx;
      ring_rx.valid   = udp_rx.valid && !to_slots;
      direct_rx       = udp_rx;
      direct_rx.valid = udp_rx.valid && to_slots;
    end

    assign turn            = owned_q ? owner_q : direct_tx.valid;
    assign udp_tx          = turn ? direct_tx : ring_tx;
    assign direct_tx_ready = udp_tx_ready && turn;
    assign ring_tx_ready   = udp_tx_ready && !turn;

    always_ff @(posedge clk) begin
      if (udp_rx.valid) begin
        inside_q <= !udp_rx.beat.tlast;
        direct_q <= to_slots;
      end
      if (udp_tx.valid) begin  // it stays the same while it waits
        owned_q <= !(udp_tx_ready && udp_tx.beat.tlast);
        owner_q <= turn;
      end
      if (rst) begin
        inside_q <= 1'b0;
        owned_q  <= 1'b0;
      end
    end

    dca_slots u_slots (
      .nic_clk(clk), .nic_rst(rst), .address, .us, .udp_rx(direct_rx), .match(match & direct), .direct, .socket,
      .port(values[socket]), .udp_tx(direct_tx), .udp_tx_ready(direct_tx_ready), .done(direct_done), .drop_share,
      .drop_slots, .cpu_clk, .cpu_rst, .m2s(dca_m2s), .s2m(dca_s2m)
    );
  end else begin : g_no_dca
    logic unused;
    assign unused        = &{1'b0, cpu_clk, cpu_rst, dca_m2s};
    assign ring_rx       = udp_rx;
    assign udp_tx        = ring_tx;
    assign ring_tx_ready = udp_tx_ready;
    assign direct_done   = 1'b0;
    assign drop_share    = 1'b0;
    assign drop_slots    = 1'b0;
    assign dca_s2m       = '0;
  end

  // ---- Datagrams ----------------------------------------------------------------------------------------------------

  toe_udp_rx u_rx (
    .clk, .rst, .address, .us, .udp(ring_rx), .ring('{base: RING_BASE_W'(ring_q.base), size: ring_q.size}), .restart,
    .read(read_q), .received, .receiving, .ask(guests[0].ask), .write(guests[0].request), .note(guests[0].note),
    .go(guest_answer.go[0]), .answer(guest_answer.answer[0]), .answer_last(guest_answer.note.last),
    .answer_error(guest_answer.rsp.err), .done, .drop_room, .drop_full, .drop_memory
  );

  toe_udp_tx #(.SENDS(SENDS)) u_tx (
    .clk, .rst, .send_valid(sending), .send_address(peer_address_q), .send_peer_port(ports_q.peer_port),
    .send_port(ports_q.port), .send_ttl(options_q.ttl), .send_tos(options_q.tos), .send_df(options_q.df),
    .send_payload(payload_q), .send_length(wdata_q[10:0]), .sends, .ask(guests[1].ask), .read(guests[1].request),
    .note(guests[1].note), .go(guest_answer.go[1]), .answer(guest_answer.answer[1]), .answer_note(guest_answer.note),
    .answer_rsp(guest_answer.rsp), .udp(ring_tx), .udp_ready(ring_tx_ready), .sent, .memory_error
  );

  // In the order of the registers, the first one's is bit 0.
  assign pulses = {drop_slots, drop_share, direct_done, refused, memory_error, drop_memory, drop_full, drop_room, done};

  a_one_at_a_time : assert property (@(posedge clk) disable iff (rst) $onehot({idle_q, act_q, answer_q, rsp_valid_q}));
  a_restart : assert property (@(posedge clk) disable iff (rst) restart -> !receiving);

endmodule
