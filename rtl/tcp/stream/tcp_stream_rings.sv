// SPDX-License-Identifier: Apache-2.0
//
// The rings of tcp_stream: of each connection one that tcp_rings writes and the application's side reads, by lines of
// WIDTH bits, and one the other way round.
//
//     ACB --writes, a word--> receive rings, WIDTH / PORT banks of PORT bits --a line--> read_data
//         <--reads, a word--- send rings, the same                         <--a line-- write_data
//
// PORT: bits of a word. 64: the port is ACB. WIDTH: it is the same with whole lines, a bit of byte_mask for each byte.
//
// ACB addresses: the receive ring of connection i is at BASE + i * RING_BYTES, the send ring at BASE + (CONNECTIONS + i)
// * RING_BYTES. Lines count through all rings of a kind. The first byte of a line is in the top lane; word i of a line
// is in bank i. Writes have a port, reads another one; what is not for these rings is refused.
//
//     cycle               0      1      2
//     req_valid           1
//     bank's output              r
//     rsp_valid                         1
//
// Latency: 2 cycles from an ACB request to its answer, 1 from read_line to read_data. Throughput: a word and a line
// each way in a cycle. Answers are taken at once, as tcp_rings does.
// Borders: requests go to the memories' ports through the gates of an address; answers out of registers, read_data out
// of the memories.

`include "types.svh"

module tcp_stream_rings
  import acb_pkg::ADDR_W;
#(
  parameter int unsigned WIDTH       = 64,    // 64, 128, 256 or 512
  parameter int unsigned PORT        = 64,    // of tcp_rings: 64 or WIDTH
  parameter int unsigned CONNECTIONS = 64,    // a power of two
  parameter int unsigned RING_BYTES  = 4096,  // a power of two
  parameter int unsigned BASE        = 0,     // a multiple of all of them together
  localparam int unsigned LINE_W     = $clog2(CONNECTIONS * RING_BYTES / (WIDTH / 8)),
  localparam type rsp_t = `NSOC_BUS_RSP(PORT),
  localparam type m2s_t = `NSOC_BUS_M2S(PORT),
  localparam type s2m_t = `NSOC_BUS_S2M(PORT)
) (
  input  logic               clk,
  input  logic               rst,

  /* verilator lint_off UNUSEDSIGNAL */  // lock, rsp_ready
  input  m2s_t               acb_m2s,       // writes
  output s2m_t               acb_s2m,
  input  m2s_t               acb_read_m2s,  // reads
  /* verilator lint_on UNUSEDSIGNAL */
  output s2m_t               acb_read_s2m,

  input  logic               read,      // of the receive rings; without it read_data stands
  input  logic [LINE_W-1:0]  read_line,
  output logic [WIDTH-1:0]   read_data,

  input  logic [WIDTH/8-1:0] write,     // of the send rings: these bytes
  input  logic [LINE_W-1:0]  write_line,
  input  logic [WIDTH-1:0]   write_data
);

  if (PORT != 64 && PORT != WIDTH) begin : g_bad_port
    $error("tcp_stream_rings: PORT must be 64 or WIDTH");
  end

  localparam int unsigned BANKS   = WIDTH / PORT;
  localparam int unsigned BYTES   = PORT / 8;
  localparam int unsigned LANE_W  = $clog2(WIDTH / 8);
  localparam int unsigned KIND    = LINE_W + LANE_W;  // bits of an address in the rings of one kind

  logic [LINE_W-1:0] rx_line, tx_line;
  logic [BANKS-1:0]  rx_bank, tx_bank, tx_bank_q;
  logic              rx_here, tx_here, rx_asked_q, tx_asked_q, rx_refused_q, tx_refused_q, rx_valid_q, tx_valid_q;
  logic              rx_err_q;
  logic [WIDTH-1:0]  sent;      // by bank
  logic [PORT-1:0]   word;
  rsp_t              tx_answer_q;

  assign rx_here = acb_m2s.req.address[ADDR_W-1:KIND] == (ADDR_W - KIND)'(36'(BASE) >> KIND) && !acb_m2s.req.read;
  assign rx_line = acb_m2s.req.address[LANE_W +: LINE_W];
  assign rx_bank = BANKS'(1) << (acb_m2s.req.address[LANE_W-1:0] >> $clog2(BYTES));
  assign tx_here = acb_read_m2s.req.address[ADDR_W-1:KIND] == (ADDR_W - KIND)'((36'(BASE) >> KIND) + 36'd1)
                   && acb_read_m2s.req.read;
  assign tx_line = acb_read_m2s.req.address[LANE_W +: LINE_W];
  assign tx_bank = BANKS'(1) << (acb_read_m2s.req.address[LANE_W-1:0] >> $clog2(BYTES));

  for (genvar i = 0; i < BANKS; i++) begin : g_bank
    localparam int unsigned TOP = WIDTH - 1 - PORT * i;
    (* ram_style = "block", no_rw_check *) logic [PORT-1:0] rx_mem [1 << LINE_W];
    (* ram_style = "block", no_rw_check *) logic [PORT-1:0] tx_mem [1 << LINE_W];
    logic [BYTES-1:0] rx_write;
    logic [PORT-1:0]  rx_q, tx_q;

    assign rx_write = acb_m2s.req.byte_mask & {BYTES{acb_m2s.req_valid && rx_here && rx_bank[i]}};

    always_ff @(posedge clk) begin
      for (int unsigned b = 0; b < BYTES; b++) begin
        if (rx_write[b]) rx_mem[rx_line][8*b +: 8] <= acb_m2s.req.write_data[8*b +: 8];
      end
      if (read) rx_q <= rx_mem[read_line];
    end

    always_ff @(posedge clk) begin
      for (int unsigned b = 0; b < BYTES; b++) begin
        if (write[TOP/8 - BYTES + 1 + b]) tx_mem[write_line][8*b +: 8] <= write_data[TOP - PORT + 1 + 8*b +: 8];
      end
      tx_q <= tx_mem[tx_line];
    end

    assign read_data[TOP -: PORT] = rx_q;
    assign sent[TOP -: PORT]      = tx_q;
  end

  always_comb begin
    word = '0;
    for (int unsigned i = 0; i < BANKS; i++) word |= sent[WIDTH-1-PORT*i -: PORT] & {PORT{tx_bank_q[i]}};
  end

  always_ff @(posedge clk) begin
    rx_asked_q   <= acb_m2s.req_valid && !rst;
    rx_refused_q <= !rx_here;
    rx_valid_q   <= rx_asked_q && !rst;
    rx_err_q     <= rx_refused_q;
    tx_asked_q   <= acb_read_m2s.req_valid && !rst;
    tx_refused_q <= !tx_here;
    tx_bank_q    <= tx_bank;
    tx_valid_q   <= tx_asked_q && !rst;
    tx_answer_q  <= '{err: tx_refused_q, data: word};
  end

  assign acb_s2m      = '{req_ready: 1'b1, rsp: '{err: rx_err_q, data: '0}, rsp_valid: rx_valid_q};
  assign acb_read_s2m = '{req_ready: 1'b1, rsp: tx_answer_q, rsp_valid: tx_valid_q};

  a_taken : assert property (@(posedge clk) disable iff (rst)
    (rx_valid_q -> acb_m2s.rsp_ready) && (tx_valid_q -> acb_read_m2s.rsp_ready));

endmodule
