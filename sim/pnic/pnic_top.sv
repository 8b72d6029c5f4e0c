// SPDX-License-Identifier: Apache-2.0
//
// A programmable NIC with its frame memory outside, and loose ports for C++: its own, what has gone on inside, and a
// debugger's hands and eyes (pnic_debug_port). What the line receives and what the host's memory answers (`rx`,
// `found`, `read_ready`, `write_ready`) are registers' data: they are there from the next edge of mac_clk or host_clk
// on.
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
  output logic [pnic_pkg::TAG_W-1:0] read_tag,
  output logic [63:0]  read_address,
  output logic [8:0]   read_bytes,
  input  logic         read_ready,
  input  logic         found_valid,
  input  logic [pnic_pkg::TAG_W-1:0] found_tag,
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
  output logic [3:0]   why [CORES],      // of a core that has retired nothing: why_t of cpu_core_pkg
  output logic [CORES-1:0] refused,      // a load or atomic of the core wanted a bank, which had another
  output logic [31:0]  retired_instr [CORES],
  output logic [PAD_W-1:0] wanted [CORES+5],  // words of the scratchpad; those of `granted` are accessed in this cycle
  output logic [CORES+4:0] wanted_write,
  output logic [31:0]  wanted_data [CORES+5],

  // The debugger's; clocks at rest otherwise. Memory is seen and written in words, by the cores' addresses: those of
  // the scratchpad are values, all others have the byte at the lowest address on top.
  input  logic [CORES-1:0] debug_clk,
  input  logic         debug_look,       // rises: all that comes below is that of now
  input  logic         debug_store,      // rises: `debug_value` becomes the word at `debug_address`
  input  logic [2:0]   debug_what,
  input  logic [11:0]  debug_number,
  input  logic [31:0]  debug_value,
  input  logic [31:2]  debug_address,
  output logic [31:0]  debug_word,
  output logic [CORES-1:0] busy,
  output logic [31:0]  next_pc [CORES],
  output logic [CORES-1:0] decodes,
  output logic [31:0]  decode_pc [CORES],
  output logic [CORES-1:0] goes,
  output logic [CORES-1:0] offers,
  output logic [CORES-1:0] issues,
  output logic [CORES-1:0] faults,
  output logic [31:0]  access_at [CORES],
  output logic [2:0]   access_bytes [CORES],
  output logic [CORES-1:0] access_reads,
  output logic [CORES-1:0] access_writes,
  output logic [31:0]  x [CORES],
  output logic [31:0]  csr [CORES]
);

  logic [63:0]          xgmii_rxd_q;
  logic [7:0]           xgmii_rxc_q;
  logic                 read_ready_q, write_ready_q;
  host_access_t         access;
  host_read_t           host_read;
  host_answer_t         host_answer_q;
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
  assign write_valid   = host_write.valid;
  assign write_first   = host_write.first;
  assign write_last    = host_write.last;
  assign write_address = host_write.address;
  assign write_bytes   = host_write.bytes;
  for (genvar w = 0; w < 4; w++) begin : g_word
    assign write_data[w] = host_write.data[32*w+:32];
  end
  assign mac_stat = 32'(stat);

  always_ff @(posedge mac_clk) begin
    xgmii_rxd_q <= {rxd[1], rxd[0]};
    xgmii_rxc_q <= rxc;
  end

  always_ff @(posedge host_clk) begin
    host_answer_q <= '{valid: found_valid, tag: found_tag, last: found_last, error: found_error,
                       data: {found_data[3], found_data[2], found_data[1], found_data[0]}};
    read_ready_q  <= read_ready;
    write_ready_q <= write_ready;
  end

  pnic_node #(
    .CORES(CORES), .BANKS(BANKS), .EXTERNAL(EXTERNAL), .COUNTERS(1'b1), .RETIRE(RETIRE)
  ) u_node (
    .rst,
    .core_clk,
    .fm_clk,
    .host_clk,
    .mac_clk,
    .line_rx_clk(mac_clk),
    .xgmii_rxd(xgmii_rxd_q),
    .xgmii_rxc(xgmii_rxc_q),
    .xgmii_txd({txd[1], txd[0]}),
    .xgmii_txc(txc),
    .access,
    .access_ready,
    .answer_valid,
    .answer,
    .host_read,
    .host_read_ready(read_ready_q),
    .host_answer(host_answer_q),
    .host_write,
    .host_write_ready(write_ready_q),
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

  logic [BANKS-1:0] sc_holds;  // of who is granted: an SC that fails writes nothing
  for (genvar m = 0; m < CORES + 5; m++) begin : g_wanted
    pad_op_t op;
    assign op              = u_node.u_cluster.pad_req[m].op;
    assign wanted[m]       = u_node.u_cluster.pad_req[m].address;
    assign wanted_write[m] = op == PAD_SC ? sc_holds[32'(wanted[m][ROW_W+:3]) % BANKS]
                                          : !(op inside {PAD_LOAD, PAD_LR});
    assign wanted_data[m]  = u_node.u_cluster.pad_req[m].data;
  end

  // ---- The debugger
  bind pnic_core pnic_debug_port u_debug (
    .debug_clk(pnic_top.debug_clk[HART_ID]), .look(pnic_top.debug_look),
    .what(pnic_top.debug_what), .number(pnic_top.debug_number), .value(pnic_top.debug_value), .busy(), .next_pc(),
    .decodes(), .decode_pc(), .goes(), .offers(), .issues(), .faults(), .address(), .bytes(), .reads(), .writes(), .x(),
    .csr()
  );

  for (genvar c = 0; c < CORES; c++) begin : g_debug
    assign busy[c]          = u_node.u_cluster.g_core[c].u_core.u_debug.busy;
    assign next_pc[c]       = u_node.u_cluster.g_core[c].u_core.u_debug.next_pc;
    assign decodes[c]       = u_node.u_cluster.g_core[c].u_core.u_debug.decodes;
    assign decode_pc[c]     = u_node.u_cluster.g_core[c].u_core.u_debug.decode_pc;
    assign goes[c]          = u_node.u_cluster.g_core[c].u_core.u_debug.goes;
    assign offers[c]        = u_node.u_cluster.g_core[c].u_core.u_debug.offers;
    assign issues[c]        = u_node.u_cluster.g_core[c].u_core.u_debug.issues;
    assign faults[c]        = u_node.u_cluster.g_core[c].u_core.u_debug.faults;
    assign access_at[c]     = u_node.u_cluster.g_core[c].u_core.u_debug.address;
    assign access_bytes[c]  = u_node.u_cluster.g_core[c].u_core.u_debug.bytes;
    assign access_reads[c]  = u_node.u_cluster.g_core[c].u_core.u_debug.reads;
    assign access_writes[c] = u_node.u_cluster.g_core[c].u_core.u_debug.writes;
    assign x[c]             = u_node.u_cluster.g_core[c].u_core.u_debug.x;
    assign csr[c]           = u_node.u_cluster.g_core[c].u_core.u_debug.csr;
  end

  // Where pnic_crossbar has a word.
  localparam int unsigned BANK_WORDS_W = $clog2(((8 + BANKS - 1) / BANKS) << (PAD_W - 3));
  logic [31:0]             pad_words [BANKS];
  logic [BANK_WORDS_W-1:0] pad_place;
  logic                    is_pad, is_frames, is_code;
  assign is_pad    = debug_address[31:PAD_W+2] == SCRATCHPAD[31:PAD_W+2];
  assign is_frames = debug_address[31:24] == FRAME_MEMORY[31:24];
  assign is_code   = debug_address[31:17] == '0;
  assign pad_place = BANK_WORDS_W'({3'(32'(debug_address[9:7]) / BANKS), debug_address[PAD_W+1:10],
                                    debug_address[6:2]});
  for (genvar b = 0; b < BANKS; b++) begin : g_words
    logic here;
    assign sc_holds[b]  = u_node.u_cluster.u_crossbar.g_bank[b].u_bank.sc_holds;
    assign here         = is_pad && 32'(debug_address[9:7]) % BANKS == b;
    always @(posedge debug_look) begin
      pad_words[b] <= here ? u_node.u_cluster.u_crossbar.g_bank[b].u_bank.memory[pad_place] : '0;
    end
    /* verilator lint_off MULTIDRIVEN */
    always @(posedge debug_store) begin
      if (here) u_node.u_cluster.u_crossbar.g_bank[b].u_bank.memory[pad_place] <= debug_value;
    end
    /* verilator lint_on MULTIDRIVEN */
  end

  logic [127:0] row;
  always @(posedge debug_look) begin
    row <= is_frames ? u_memory.memory[debug_address[23:4]] : u_node.u_cluster.u_imem.memory[debug_address[16:4]];
  end

  always_comb begin
    debug_word = '0;
    for (int b = 0; b < int'(BANKS); b++) debug_word |= pad_words[b];
    if (is_frames || is_code) debug_word = row[32*(3 - debug_address[3:2])+:32];
  end

  /* verilator lint_off MULTIDRIVEN */
  always @(posedge debug_store) begin
    if (is_frames) u_memory.memory[debug_address[23:4]][32*(3 - debug_address[3:2])+:32] <= debug_value;
    if (is_code) u_node.u_cluster.u_imem.memory[debug_address[16:4]][32*(3 - debug_address[3:2])+:32] <= debug_value;
  end
  /* verilator lint_on MULTIDRIVEN */

  logic unused;
  assign unused = &{1'b0, retire};

endmodule
