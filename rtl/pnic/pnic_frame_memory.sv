// SPDX-License-Identifier: Apache-2.0
//
// The frame memory: what frames wait in between host and line. CLIENTS take turns (pnic_frame_turn); the memory is on
// the chip, or with EXTERNAL = 1 behind `mem_req` (models/gddr_model.sv is one).
//
//   req --> turn --> register --> memory, or mem_req --> answer, to the client whose read it was --> rsp
//
// On the chip a beat a cycle, with DUAL = 1 a read and a write in each: reads and writes then have turns of their own,
// and a read sees each write that was taken in an earlier cycle. A memory without DUAL and one outside see beats in the
// order in which they were taken. Beats beyond BYTES are those at the address modulo BYTES.
//
// Latency: on the chip LATENCY cycles from the cycle in which a read is taken to its answer; outside that of the memory
// and 2. `moved`: a beat was taken, by client, a cycle later, for the bandwidth's sum.
// Borders: `ready` through gates from the clients' valid; the others out of registers (LATENCY 2: out of the memory).
module pnic_frame_memory
  import pnic_pkg::*;
#(
  parameter int unsigned CLIENTS  = 5,
  parameter int unsigned BYTES    = 262144,  // on the chip; a power of two
  parameter int unsigned LATENCY  = 3,       // on the chip; at least 2
  parameter bit          DUAL     = 1'b0,
  parameter bit          EXTERNAL = 1'b0,
  parameter int unsigned READS    = 64       // under way outside, at most; a power of two
) (
  input  logic                  clk,
  input  logic                  rst,
  input  fm_req_t [CLIENTS-1:0] req,
  output fm_rsp_t [CLIENTS-1:0] rsp,
  output logic [CLIENTS-1:0]    moved,
  output fm_req_t               mem_req,
  input  fm_rsp_t               mem_rsp
);

  localparam int unsigned WORDS = BYTES / 16;
  localparam int unsigned A_W   = $clog2(WORDS);

  if ((BYTES & (BYTES - 1)) != 0 || BYTES < 64 || A_W > FM_W) begin : g_bad_bytes
    $error("pnic_frame_memory: BYTES must be a power of two, from 64 to 16 MB");
  end
  if (LATENCY < 2) begin : g_bad_latency
    $error("pnic_frame_memory: LATENCY must be 2 at least");
  end
  if (DUAL && EXTERNAL) begin : g_bad_dual
    $error("pnic_frame_memory: a memory outside has one port, DUAL is for the chip");
  end

  typedef logic [CLIENTS-1:0] clients_t;

  clients_t valids, writes, more, take_reads, take_writes, answered;
  logic [127:0] answer;

  for (genvar c = 0; c < CLIENTS; c++) begin : g_client
    assign valids[c] = req[c].valid;
    assign writes[c] = req[c].write;
    assign more[c]   = req[c].more;
    assign rsp[c]    = '{ready: take_reads[c] || take_writes[c], valid: answered[c], data: answer};
  end

  // ---- Turns
  clients_t turn_reads, turn_writes;
  logic     go_read, go_write;

  if (DUAL) begin : g_dual
    pnic_frame_turn #(.CLIENTS(CLIENTS)) u_reads (
      .clk, .rst, .wanted(valids & ~writes), .more, .take(go_read), .grant(turn_reads)
    );
    pnic_frame_turn #(.CLIENTS(CLIENTS)) u_writes (
      .clk, .rst, .wanted(valids & writes), .more, .take(go_write), .grant(turn_writes)
    );
  end else begin : g_single
    clients_t turn;
    pnic_frame_turn #(.CLIENTS(CLIENTS)) u_turn (.clk, .rst, .wanted(valids), .more, .take(go_read), .grant(turn));
    assign turn_reads  = turn & ~writes;
    assign turn_writes = turn & writes;
  end

  assign take_reads  = turn_reads & {CLIENTS{go_read}};
  assign take_writes = turn_writes & {CLIENTS{go_write}};

  always_ff @(posedge clk) moved <= (take_reads | take_writes) & {CLIENTS{!rst}};

  fm_req_t read, write;

  always_comb begin
    read  = '0;
    write = '0;
    for (int unsigned c = 0; c < CLIENTS; c++) begin
      if (turn_reads[c]) read |= req[c];
      if (turn_writes[c]) write |= req[c];
    end
  end

  if (EXTERNAL) begin : g_external
    // ---- Outside: requests in a row, and whose reads they are
    localparam int unsigned ID_W = CLIENTS > 1 ? $clog2(CLIENTS) : 1;

    logic            out_ready, ids_ready, reader_valid;
    logic [ID_W-1:0] id, reader;
    fm_req_t         out;

    assign go_read  = out_ready && ids_ready;
    assign go_write = go_read;
    assign out      = read | write;

    always_comb begin
      id = '0;
      for (int unsigned c = 0; c < CLIENTS; c++) if (turn_reads[c]) id |= ID_W'(c);
    end

    fm_req_t shown;

    skid_buffer #(.WIDTH($bits(fm_req_t))) u_out (
      .clk, .rst, .in_data(out), .in_valid(out.valid && ids_ready), .in_ready(out_ready),
      .out_data({shown}), .out_valid(mem_req.valid), .out_ready(mem_rsp.ready)
    );
    assign mem_req.write   = shown.write;
    assign mem_req.more    = shown.more;
    assign mem_req.address = shown.address;
    assign mem_req.mask    = shown.mask;
    assign mem_req.data    = shown.data;

    logic [$clog2(READS+1)-1:0] ids;

    fifo_lut #(.WIDTH(ID_W), .DEPTH(READS)) u_ids (
      .clk, .rst, .in_data(id), .in_valid(|take_reads), .in_ready(ids_ready),
      .out_data(reader), .out_valid(reader_valid), .out_ready(mem_rsp.valid), .occupancy(ids)
    );

    always_ff @(posedge clk) begin
      for (int unsigned c = 0; c < CLIENTS; c++) answered[c] <= mem_rsp.valid && 32'(reader) == c && !rst;
      answer <= mem_rsp.data;
    end

    a_asked : assert property (@(posedge clk) disable iff (rst) mem_rsp.valid -> reader_valid);

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = ^{shown.valid, reader_valid, ids};
    /* verilator lint_on UNUSEDSIGNAL */
  end else begin : g_chip
    // ---- On the chip. What a read gives of a beat that is just being written nobody looks at: it was taken before.
    (* ram_style = "block", no_rw_check *) logic [127:0] memory [WORDS];

    logic           write_q, read_q;
    logic [A_W-1:0] write_address_q, read_address_q;
    logic [15:0]    mask_q;
    logic [127:0]   data_q, found_q;
    clients_t       reader_q, finder_q;

    assign go_read  = 1'b1;
    assign go_write = 1'b1;

    always_ff @(posedge clk) begin
      write_q         <= |take_writes && !rst;
      write_address_q <= A_W'(write.address);
      mask_q          <= write.mask;
      data_q          <= write.data;
      read_q          <= |take_reads && !rst;
      read_address_q  <= A_W'(read.address);
      reader_q        <= take_reads & {CLIENTS{!rst}};
      finder_q        <= reader_q & {CLIENTS{!rst}};
    end

    always_ff @(posedge clk) begin
      for (int b = 0; b < 16; b++) if (write_q && mask_q[b]) memory[write_address_q][8*b+:8] <= data_q[8*b+:8];
      if (read_q) found_q <= memory[read_address_q];
    end

    if (LATENCY == 2) begin : g_at_once
      assign answered = finder_q;
      assign answer   = found_q;
    end else begin : g_later
      localparam int unsigned STAGES = LATENCY - 2;

      clients_t [STAGES-1:0]     answered_q;
      logic [STAGES-1:0][127:0]  answer_q;

      always_ff @(posedge clk) begin
        for (int unsigned s = 0; s < STAGES; s++) begin
          answered_q[s] <= (s == 0 ? finder_q : answered_q[(s + STAGES - 1) % STAGES]) & {CLIENTS{!rst}};
          answer_q[s]   <= s == 0 ? found_q : answer_q[(s + STAGES - 1) % STAGES];
        end
      end
      assign answered = answered_q[STAGES-1];
      assign answer   = answer_q[STAGES-1];
    end

    assign mem_req = '0;

    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = ^{mem_rsp, read, write, 1'(READS)};
    /* verilator lint_on UNUSEDSIGNAL */
  end

  a_one_answer : assert property (@(posedge clk) disable iff (rst) $onehot0(answered));

endmodule
