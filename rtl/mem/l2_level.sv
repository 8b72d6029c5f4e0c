// SPDX-License-Identifier: Apache-2.0
//
// The place of the L2 cache, behind the DRAM arbiter: the cache (l2_cache), or with BYTES = 0 a wire; its registers
// (l2_regs), which answer in either case; and the snoop channel to the data cache of the processor.
//
// Snoop: the arbiter's output is where the accesses to DRAM get their order. A write of the NIC that goes out there (cycle
// 0) is shown to the data cache in the same cycle, and no load that begins in cycle 3 or later takes the old line. The
// NIC's response leaves its router in cycle 4 at the earliest and has the clock crossing before it: what the NIC says of
// its write, by a queue or an interrupt, does not overtake it. Nor does a later write which the processor finds in memory:
// the answer to a request behind that one is at the load/store unit in cycle 6 at the earliest. A line that the L2 cache
// drops takes the same channel, in a cycle without a write.
//
// Latency: that of l2_cache; without one none, and `mem` is what registers the requests.
module l2_level
  import acb_pkg::*;
  import afb_pkg::*;
#(
  parameter int unsigned BYTES = 0,
  parameter int unsigned WAYS  = 4
) (
  input  logic        clk,
  input  logic        rst,

  input  acb_req_t    acb_req,
  input  logic        acb_req_by_nic,
  input  logic        acb_req_valid,
  output logic        acb_req_ready,
  output acb_rsp_t    acb_rsp,
  output logic        acb_rsp_valid,
  input  logic        acb_rsp_ready,

  output acb_req_t    mem_req,
  output logic        mem_req_valid,
  input  logic        mem_req_ready,
  input  acb_rsp_t    mem_rsp,
  input  logic        mem_rsp_valid,
  output logic        mem_rsp_ready,

  // Lines of 32 bytes that the data cache must drop, taken at once
  output logic        snoop_valid,
  output logic [31:5] snoop_address,

  input  afb_req_t    afb_req,
  input  logic        afb_req_valid,
  output logic        afb_req_ready,
  output afb_rsp_t    afb_rsp,
  output logic        afb_rsp_valid,
  input  logic        afb_rsp_ready
);

  logic        nic_write, evict_valid;
  logic [35:5] evict_line;
  logic [31:0] hits, misses, write_backs;

  assign nic_write     = acb_req_valid && acb_req_ready && acb_req_by_nic && !acb_req.read
                         && acb_req.byte_mask != '0;  // without a byte: it only lets go of a lock
  assign snoop_valid   = nic_write || evict_valid;
  assign snoop_address = nic_write ? acb_req.address[31:5] : evict_line[31:5];

  if (BYTES != 0) begin : g_cache
    l2_cache #(
      .BYTES(BYTES),
      .WAYS (WAYS)
    ) u_cache (
      .clk,
      .rst,
      .acb_req,
      .acb_req_valid,
      .acb_req_ready,
      .acb_rsp,
      .acb_rsp_valid,
      .acb_rsp_ready,
      .mem_req,
      .mem_req_valid,
      .mem_req_ready,
      .mem_rsp,
      .mem_rsp_valid,
      .mem_rsp_ready,
      .evict_valid,
      .evict_ready(!nic_write),
      .evict_line,
      .hits,
      .misses,
      .write_backs
    );
  end else begin : g_wire
    assign mem_req                     = acb_req;
    assign mem_req_valid               = acb_req_valid;
    assign acb_req_ready               = mem_req_ready;
    assign acb_rsp                     = mem_rsp;
    assign acb_rsp_valid               = mem_rsp_valid;
    assign mem_rsp_ready               = acb_rsp_ready;
    assign {evict_valid, evict_line}   = '0;
    assign {hits, misses, write_backs} = '0;
  end

  l2_regs #(
    .BYTES(BYTES)
  ) u_regs (
    .clk,
    .rst,
    .afb_req,
    .afb_req_valid,
    .afb_req_ready,
    .afb_rsp,
    .afb_rsp_valid,
    .afb_rsp_ready,
    .hits,
    .misses,
    .write_backs
  );

  // The processor's addresses have 32 bits.
  logic unused;
  assign unused = &{1'b0, evict_line[35:32]};

endmodule
