// SPDX-License-Identifier: Apache-2.0
//
// A programmable NIC with its frame memory outside, and loose ports for C++.
module pnic_top
  import pnic_pkg::*;
#(
  parameter int unsigned CORES    = 6,
  parameter int unsigned BANKS    = 4,
  parameter bit          EXTERNAL = 1'b1,
  parameter bit          RETIRE   = 1'b1
) (
  input  logic         rst,
  input  logic         core_clk,
  input  logic         fm_clk,
  input  logic         host_clk,
  input  logic         mac_clk,

  input  logic [31:0]  rxd [2],
  input  logic [7:0]   rxc,
  output logic [31:0]  txd [2],
  output logic [7:0]   txc,

  input  logic         access_valid,
  input  logic         access_write,
  input  logic [18:2]  access_address,
  input  logic [31:0]  access_data,
  output logic         access_ready,
  output logic         answer_valid,
  output logic [31:0]  answer,
  output logic         irq,

  output logic         read_valid,
  output logic [4:0]   read_tag,
  output logic [63:0]  read_address,
  output logic [8:0]   read_bytes,
  input  logic         read_ready,
  input  logic         found_valid,
  input  logic [4:0]   found_tag,
  input  logic         found_last,
  input  logic         found_error,
  input  logic [31:0]  found_data [4],   // the first bytes in the last word, bytes from the top down
  output logic         write_valid,
  output logic         write_first,
  output logic         write_last,
  output logic [63:0]  write_address,
  output logic [8:0]   write_bytes,
  output logic [31:0]  write_data [4],
  input  logic         write_ready,

  output logic         message_valid,
  output logic [2:0]   message_core,
  output logic [31:0]  message,
  output logic [CORES+4:0] granted,
  output logic         imem_used,
  output logic [4:0]   moved,
  output logic [31:0]  mac_stat,
  output logic [CORES-1:0] retired,
  output logic [31:0]  retired_pc [CORES],
  output logic [3:0]   why [CORES],      // of a core that has retired nothing: why_t of rv_pkg
  output logic [CORES-1:0] refused,      // a load or atomic of the core wanted a bank, which had another
  output logic [31:0]  retired_instr [CORES],
  output logic [PAD_W-1:0] wanted [CORES+5],  // words of the scratchpad; those of `granted` are accessed in this cycle
  output logic [CORES+4:0] wanted_write
);

  host_access_t         access;
  host_read_t           host_read;
  host_answer_t         host_answer;
  host_write_t          host_write;
  fm_req_t              mem_req;
  fm_rsp_t              mem_rsp;
  mac_pkg::mac_stat_t   stat;
  cpu_slot_pkg::cpu_retire_t [CORES-1:0] retire;

  assign access      = '{valid: access_valid, write: access_write, address: access_address, data: access_data};
  assign read_valid   = host_read.valid;
  assign read_tag     = host_read.tag;
  assign read_address = host_read.address;
  assign read_bytes   = host_read.bytes;
  assign host_answer  = '{valid: found_valid, tag: found_tag, last: found_last, error: found_error,
                          data: {found_data[3], found_data[2], found_data[1], found_data[0]}};
  assign write_valid   = host_write.valid;
  assign write_first   = host_write.first;
  assign write_last    = host_write.last;
  assign write_address = host_write.address;
  assign write_bytes   = host_write.bytes;
  for (genvar w = 0; w < 4; w++) begin : g_word
    assign write_data[w] = host_write.data[32*w+:32];
  end
  assign mac_stat = 32'(stat);

  pnic_node #(
    .CORES(CORES), .BANKS(BANKS), .EXTERNAL(EXTERNAL), .COUNTERS(1'b1), .RETIRE(RETIRE)
  ) u_node (
    .rst,
    .core_clk,
    .fm_clk,
    .host_clk,
    .mac_clk,
    .line_rx_clk(mac_clk),
    .xgmii_rxd({rxd[1], rxd[0]}),
    .xgmii_rxc(rxc),
    .xgmii_txd({txd[1], txd[0]}),
    .xgmii_txc(txc),
    .access,
    .access_ready,
    .answer_valid,
    .answer,
    .host_read,
    .host_read_ready(read_ready),
    .host_answer,
    .host_write,
    .host_write_ready(write_ready),
    .irq,
    .mem_req,
    .mem_rsp,
    .message_valid,
    .message_core,
    .message,
    .granted,
    .imem_used,
    .moved,
    .mac_stat(stat),
    .retire
  );

  logic fm_rst;
  reset_sync u_fm_rst (.clk(fm_clk), .arst(rst), .rst(fm_rst));

  gddr_model #(.BYTES(1 << 24)) u_memory (.clk(fm_clk), .rst(fm_rst), .req(mem_req), .rsp(mem_rsp));

  for (genvar c = 0; c < CORES; c++) begin : g_retired
    assign retired[c]    = retire[c].valid;
    assign retired_pc[c] = retire[c].pc;

    assign retired_instr[c] = retire[c].instr;

    // As old as what has retired.
    always_ff @(posedge core_clk) begin
      why[c]     <= u_node.u_cluster.g_core[c].u_core.u_core.why;
      refused[c] <= u_node.u_cluster.conflict[c] && u_node.u_cluster.pad_req[c].op != PAD_STORE;
    end
  end

  for (genvar m = 0; m < CORES + 5; m++) begin : g_wanted
    pad_op_t op;
    assign op              = u_node.u_cluster.pad_req[m].op;
    assign wanted[m]       = u_node.u_cluster.pad_req[m].address;
    assign wanted_write[m] = !(op inside {PAD_LOAD, PAD_LR});
  end

  logic unused;
  assign unused = &{1'b0, retire};

endmodule
