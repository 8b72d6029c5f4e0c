// SPDX-License-Identifier: Apache-2.0
//
// What the host reads and writes in the NIC itself, word by word: firmware before the cores begin, mailboxes (words of
// the scratchpad), counters, and whether the cores run.
//
//   host (host_clk) --> fifo_async --> scratchpad, instruction memory, control (clk) --> fifo_async --> answer
//   (host_clk)
//
//   address   0x00000 - 0x3FFFF  scratchpad
//             0x40000 - 0x5FFFF  instruction memory; written only
//             0x60000            control: [0] the cores run, [1] written 1: the interrupt has been seen; read: [0], and
//                                [1] the interrupt is there
// Anything else does nothing. Each access is answered, in order, a write with anything. An interrupt that has been seen
// is not there any more when that write is answered.
//
// Latency: two crossings and, of the scratchpad, the bank's. Throughput: one access at a time. Borders: registers, but
// for the crossings' outputs.
module pnic_host_port
  import pnic_pkg::*;
(
  input  logic           host_clk,
  input  logic           host_rst,
  input  host_access_t   access,
  output logic           access_ready,
  output logic           answer_valid,  // taken at once
  output logic [31:0]    answer,
  input  logic           clk,
  input  logic           rst,
  output pad_req_t       pad_req,
  input  pad_rsp_t       pad_rsp,
  output logic           imem_write,
  output logic [16:2]    imem_address,
  output logic [31:0]    imem_data,
  output logic           run,
  input  logic           irq,
  output logic           seen           // pulse
);

  typedef enum logic [1:0] {IDLE, PAD, ANSWER} state_t;

  typedef struct packed {
    logic        write;
    logic [18:2] address;
    logic [31:0] data;
  } wanted_t;

  localparam logic [18:17] IMEM = 2'b10, CONTROL = 2'b11;

  state_t      state_q;
  wanted_t     sent, wanted;
  logic        wanted_valid, answer_ready, is_pad;
  pad_req_t    pad_req_q;
  logic [31:0] answer_q;

  assign sent   = '{write: access.write, address: access.address, data: access.data};
  assign is_pad = !wanted.address[18];

  fifo_async #(.WIDTH($bits(wanted_t)), .DEPTH(8)) u_there (
    .wr_clk(host_clk), .wr_rst(host_rst), .wr_data(sent), .wr_valid(access.valid), .wr_ready(access_ready),
    .rd_clk(clk), .rd_rst(rst), .rd_data({wanted}), .rd_valid(wanted_valid), .rd_ready(state_q == IDLE)
  );

  always_ff @(posedge clk) begin
    imem_write <= 1'b0;
    seen       <= 1'b0;
    unique case (state_q)
      IDLE: if (wanted_valid) begin
        state_q   <= is_pad ? PAD : ANSWER;
        pad_req_q <= '{valid: is_pad, op: wanted.write ? PAD_STORE : PAD_LOAD, address: wanted.address[17:2],
                       mask: '1, data: wanted.data};
        imem_write   <= wanted.write && wanted.address[18:17] == IMEM;
        imem_address <= wanted.address[16:2];
        imem_data    <= wanted.data;
        answer_q     <= {30'b0, irq, run};
        if (wanted.write && wanted.address == {CONTROL, 15'd0}) begin
          run  <= wanted.data[0];
          seen <= wanted.data[1];
        end
      end
      PAD: begin
        if (pad_rsp.ready) pad_req_q.valid <= 1'b0;
        if (pad_rsp.valid) begin
          answer_q <= pad_rsp.data;
          state_q  <= ANSWER;
        end
      end
      default: if (answer_ready) state_q <= IDLE;
    endcase
    if (rst) begin
      state_q         <= IDLE;
      pad_req_q.valid <= 1'b0;
      imem_write      <= 1'b0;
      seen            <= 1'b0;
      run             <= 1'b0;
    end
  end

  assign pad_req = pad_req_q;

  fifo_async #(.WIDTH(32), .DEPTH(8)) u_back (
    .wr_clk(clk), .wr_rst(rst), .wr_data(answer_q), .wr_valid(state_q == ANSWER), .wr_ready(answer_ready),
    .rd_clk(host_clk), .rd_rst(host_rst), .rd_data(answer), .rd_valid(answer_valid), .rd_ready(1'b1)
  );

endmodule
