// SPDX-License-Identifier: Apache-2.0
//
// The bus side of dram_controller: 8-byte ACB requests in, bursts of 64 bytes out, responses in order.
//
// Writes of one burst that follow each other are gathered, with a mask of the bytes, and leave together: when the burst
// is whole, when another burst is written or this one read, or HOLD_CYCLES after the newest of them. A write is
// answered when it is gathered: from then on every access, whoever makes it, sees it, for all of them pass here.
// Reads of one burst are served by one read of it, until the burst is written, another one is read, or HOLD_CYCLES
// after the newest of them. Reads and writes do not disturb each other's burst, so a stream of each, dword by dword in
// turn, costs a burst for eight dwords. Bursts go out in the order in which they are needed, a write before a read of
// it.
//
// A request is looked at in one cycle (compared with the two bursts) and acted upon in the next: a request every other
// cycle. Latency to op: 2 cycles. From read_data_valid to the response: 2 cycles. A write's response: 4 cycles.
module dram_merge
  import acb_pkg::*;
  import ddr3_pkg::*;
#(
  parameter int unsigned IN_FLIGHT   = 32,  // responses that wait for their turn
  parameter int unsigned READS       = 8,   // bursts asked for or waiting to be used
  parameter int unsigned HOLD_CYCLES = 32
) (
  input  logic               clk,
  input  logic               rst,

  input  acb_m2s_t           acb_m2s,
  output acb_s2m_t           acb_s2m,

  output dram_place_t        op_place,
  output logic               op_write,
  output logic               op_valid,
  input  logic               op_ready,

  input  logic               write_now,   // the oldest written burst is wanted in the next cycle
  output logic [BURST_W-1:0] write_data,
  output logic [MASK_W-1:0]  write_mask,  // 1: the byte is written
  input  logic [BURST_W-1:0] read_data,
  input  logic               read_data_valid,

  output logic               idle
);

  localparam int unsigned WRITES  = 4;  // bursts that are gathered or wait to be written
  localparam int unsigned INDEX_W = $clog2(WRITES);
  localparam int unsigned HOLD_W  = $clog2(HOLD_CYCLES + 1);
  localparam int unsigned LANES   = BURST_W / DATA_W;
  localparam int unsigned LANE_W  = $clog2(LANES);

  if (IN_FLIGHT < 2 || (IN_FLIGHT & (IN_FLIGHT - 1)) != 0 || READS < 2 || (READS & (READS - 1)) != 0) begin : g_bad_size
    $error("dram_merge: IN_FLIGHT and READS must be powers of two of at least 2");
  end

  // ---- The request that is looked at --------------------------------------------------------------------------------
  typedef struct packed {
    logic              read;
    logic [7:0]        byte_mask;
    logic [LINE_W-1:0] line;
    logic [LANE_W-1:0] lane;
    logic [DATA_W-1:0] data;
  } line_request_t;

  line_request_t in, request;
  logic          request_valid, accept;

  assign in = '{read: acb_m2s.req.read, byte_mask: acb_m2s.req.byte_mask, line: LINE_W'(acb_m2s.req.address[27:6]),
                lane: acb_m2s.req.address[5:3], data: acb_m2s.req.write_data};

  skid_buffer #(.WIDTH($bits(line_request_t))) u_request (
    .clk,
    .rst,
    .in_data  (in),
    .in_valid (acb_m2s.req_valid),
    .in_ready (acb_s2m.req_ready),
    .out_data (request),
    .out_valid(request_valid),
    .out_ready(accept)
  );

  // ---- The two bursts, and how the request compares with them -------------------------------------------------------
  logic               gather_q;                  // a burst is being gathered, in entry gather_at_q
  logic [LINE_W-1:0]  gather_line_q;
  logic [INDEX_W-1:0] gather_at_q, write_at_q;   // write_at: the oldest burst whose data have not gone out
  logic [INDEX_W:0]   writes_q;                  // entries in use
  logic [MASK_W-1:0]  mask_q [WRITES];
  logic [LINE_W-1:0]  line_q [WRITES];           // for who looks into a simulation
  logic [HOLD_W-1:0]  gather_for_q;
  logic               ripe_q;                    // what is gathered may go
  logic               reading_q;                 // reads of read_line are served by the read that is under way
  logic [LINE_W-1:0]  read_line_q;
  logic [HOLD_W-1:0]  read_for_q;

  logic compared_q, gathers_q, reads_q;          // nothing changed since the comparison; same line as ...
  logic tag_ready, read_room, flush, fresh, merge, begins, took_q;

  logic [$clog2(READS+1)-1:0] reads_out_q;       // bursts asked for and not dropped
  logic                       burst_pop;

  assign read_room = reads_out_q != ($clog2(READS + 1))'(READS);

  always_comb begin
    flush  = gather_q && ripe_q && op_ready;
    fresh  = 1'b0;
    merge  = 1'b0;
    begins = 1'b0;
    accept = 1'b0;
    if (compared_q && !flush) begin
      if (request.read) begin
        if (gathers_q) begin
          flush = op_ready;
        end else if (reads_q) begin
          accept = tag_ready;
        end else begin
          fresh  = tag_ready && op_ready && read_room;
          accept = fresh;
        end
      end else if (gather_q && !gathers_q) begin
        flush = op_ready;
      end else begin
        begins = tag_ready && !gather_q && writes_q != (INDEX_W + 1)'(WRITES);
        merge  = tag_ready && gather_q;
        accept = begins || merge;
      end
    end
  end

  assign op_valid = flush || fresh;
  assign op_write = flush;
  assign op_place = place(flush ? gather_line_q : request.line);

  always_ff @(posedge clk) begin
    compared_q <= request_valid && !accept && !flush;
    gathers_q  <= gather_q && gather_line_q == request.line;
    reads_q    <= reading_q && read_line_q == request.line;

    if (gather_for_q != '0) gather_for_q <= gather_for_q - 1'b1;
    ripe_q <= gather_q && !merge && !flush && (gather_for_q == '0 || mask_q[gather_at_q] == '1);
    if (flush) begin
      gather_q    <= 1'b0;
      gather_at_q <= gather_at_q + 1'b1;
    end
    if (begins) begin
      gather_q            <= 1'b1;
      gather_line_q       <= request.line;
      mask_q[gather_at_q] <= MASK_W'(request.byte_mask) << {request.lane, 3'd0};
      line_q[gather_at_q] <= request.line;
    end
    if (merge) mask_q[gather_at_q] <= mask_q[gather_at_q] | MASK_W'(request.byte_mask) << {request.lane, 3'd0};
    if (begins || merge) gather_for_q <= HOLD_W'(HOLD_CYCLES);

    if (read_for_q != '0) read_for_q <= read_for_q - 1'b1;
    else reading_q <= 1'b0;
    if (accept && request.read) begin
      reading_q   <= 1'b1;
      read_line_q <= request.line;
      read_for_q  <= HOLD_W'(HOLD_CYCLES);
    end
    if (accept && !request.read && reads_q) reading_q <= 1'b0;

    // An entry is free when its data are at the memory: the cycle after they were asked for.
    took_q <= write_now;
    if (took_q) write_at_q <= write_at_q + 1'b1;
    writes_q    <= writes_q + (INDEX_W + 1)'(begins) - (INDEX_W + 1)'(took_q);
    reads_out_q <= reads_out_q + ($clog2(READS + 1))'(fresh) - ($clog2(READS + 1))'(burst_pop);

    if (rst) begin
      compared_q  <= 1'b0;
      gather_q    <= 1'b0;
      gather_at_q <= '0;
      write_at_q  <= '0;
      writes_q    <= '0;
      reading_q   <= 1'b0;
      took_q      <= 1'b0;
      reads_out_q <= '0;
    end
  end

  // ---- Data of the bursts that are gathered or wait -----------------------------------------------------------------
  logic put;

  assign put = begins || merge;

  for (genvar l = 0; l < int'(LANES); l++) begin : g_lane
    (* ram_style = "distributed" *) logic [DATA_W-1:0] mem [WRITES];

    always_ff @(posedge clk) begin
      if (put && request.lane == LANE_W'(l)) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (request.byte_mask[i]) mem[gather_at_q][8*i+:8] <= request.data[8*i+:8];
        end
      end
      if (write_now) write_data[DATA_W*l+:DATA_W] <= mem[write_at_q];
    end
  end

  always_ff @(posedge clk) if (write_now) write_mask <= mask_q[write_at_q];

  // ---- Responses, in the order of the requests ----------------------------------------------------------------------
  typedef struct packed {
    logic              read;
    logic              fresh;  // of the next burst, not of the one before
    logic [LANE_W-1:0] lane;
  } read_tag_t;

  read_tag_t          tag_in, tag;
  logic               tag_valid, tag_pop;
  logic [BURST_W-1:0] burst;
  logic               burst_ready, burst_valid, burst_used_q;
  logic               rsp_free, rsp_valid_q;
  acb_rsp_t           rsp_q;

  logic [$clog2(IN_FLIGHT+2)-1:0] tags_held;
  logic [$clog2(READS+2)-1:0]     bursts_held;

  assign tag_in = '{read: request.read, fresh: fresh, lane: request.lane};

  fifo_sync #(.WIDTH($bits(read_tag_t)), .DEPTH(IN_FLIGHT)) u_tags (
    .clk,
    .rst,
    .in_data  (tag_in),
    .in_valid (accept),
    .in_ready (tag_ready),
    .out_data (tag),
    .out_valid(tag_valid),
    .out_ready(tag_pop),
    .occupancy(tags_held)
  );

  fifo_sync #(.WIDTH(BURST_W), .DEPTH(READS)) u_bursts (
    .clk,
    .rst,
    .in_data  (read_data),
    .in_valid (read_data_valid),
    .in_ready (burst_ready),  // read_room sees to it
    .out_data (burst),
    .out_valid(burst_valid),
    .out_ready(burst_pop),
    .occupancy(bursts_held)
  );

  // The burst stays at the FIFO's output while reads of it may come; the next one's first read drops it.
  assign rsp_free  = !rsp_valid_q || acb_m2s.rsp_ready;
  assign burst_pop = tag_valid && tag.read && tag.fresh && burst_used_q;
  assign tag_pop   = tag_valid && rsp_free && (!tag.read || (burst_valid && !burst_pop));

  assign acb_s2m.rsp       = rsp_q;
  assign acb_s2m.rsp_valid = rsp_valid_q;

  always_ff @(posedge clk) begin
    if (tag_pop) begin
      rsp_q.err  <= 1'b0;  // dram_port refuses what is not there
      rsp_q.data <= tag.read ? burst[DATA_W*tag.lane+:DATA_W] : '0;
    end
    if (tag_pop) rsp_valid_q <= 1'b1;
    else if (acb_m2s.rsp_ready) rsp_valid_q <= 1'b0;
    if (burst_pop) burst_used_q <= 1'b0;
    else if (tag_pop && tag.read) burst_used_q <= 1'b1;
    if (rst) begin
      rsp_valid_q  <= 1'b0;
      burst_used_q <= 1'b0;
    end
  end

  assign idle = !request_valid && writes_q == '0 && !reading_q && !tag_valid && !rsp_valid_q && !took_q;

  // A lock is kept by the arbiter in front; the router has looked at the upper address bits.
  logic unused;
  assign unused = &{acb_m2s.req.lock, acb_m2s.req.address, tags_held, bursts_held, burst_ready};

  // A burst that is read has somewhere to go, and there is data for every WRITE.
  a_read_room : assert property (@(posedge clk) disable iff (rst)
    !(read_data_valid && !burst_ready) && !(burst_pop && reads_out_q == '0));
  a_line : assert property (@(posedge clk) disable iff (rst) gather_q -> line_q[gather_at_q] == gather_line_q);
  a_write_there : assert property (@(posedge clk) disable iff (rst) write_now -> writes_q != '0);

endmodule
