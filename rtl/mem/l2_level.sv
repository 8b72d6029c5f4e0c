// SPDX-License-Identifier: Apache-2.0
//
// The place of the L2 cache, behind the DRAM arbiter: the cache (l2_cache), or with BYTES = 0 a wire; its registers
// (l2_regs), which answer in either case; and the snoop channel to the data caches of the processors.
//
// Latency: that of l2_cache; without one none. Throughput: that of l2_cache.
//
// ---- Who is who
// `acb_req_master` says whose request stands at `acb`, one-hot (out_master of the arbiter). The first CORES masters are
// processors with a data cache, the others, NIC and copy engine, have none.
//
// ---- Snoop
// The arbiter's output is where the accesses to DRAM get their order. A write that goes out there (cycle 0) is shown in
// the same cycle to the data cache of every processor but the one that wrote. No load that begins in cycle 3 or later
// takes the old line.
// The writer's response leaves its router in cycle 4 at the earliest, and the NIC's has a clock crossing before it. So
// nothing that a master says of its write, by a queue or an interrupt, overtakes the write. Nor does a later write
// which a processor finds in memory: the answer to a request behind that one is at the load/store unit in cycle 6 at
// the earliest.
// A line that the L2 cache drops takes the same channel, to all processors, in a cycle without such a write.
module l2_level
  import acb_pkg::*;
  import afb_pkg::*;
#(
  parameter int unsigned BYTES   = 0,
  parameter int unsigned WAYS    = 4,
  parameter int unsigned MASTERS = 2,
  parameter int unsigned CORES   = 1
) (
  input  logic               clk,
  input  logic               rst,

  input  acb_m2s_t           acb_m2s,
  output acb_s2m_t           acb_s2m,
  input  logic [MASTERS-1:0] acb_req_master,

  output acb_m2s_t           mem_m2s,
  input  acb_s2m_t           mem_s2m,

  // Lines of 32 bytes that the data caches must drop, taken at once
  output logic [CORES-1:0]   snoop_valid,
  output logic [31:5]        snoop_address,

  input  afb_m2s_t           afb_m2s,
  output afb_s2m_t           afb_s2m
);

  if (CORES < 1 || CORES > MASTERS) begin : g_bad_cores
    $error("l2_level: CORES must be 1 to MASTERS, for each processor is a master");
  end

  logic             write, evict_valid;
  logic [CORES-1:0] show;
  logic [35:5]      evict_line;
  logic [31:0]      hits, misses, write_backs;

  assign write         = acb_m2s.req_valid && acb_s2m.req_ready && !acb_m2s.req.read
                         && acb_m2s.req.byte_mask != '0;  // without a byte: it only lets go of a lock
  assign show          = {CORES{write}} & ~acb_req_master[CORES-1:0];
  assign snoop_valid   = show == '0 ? {CORES{evict_valid}} : show;
  assign snoop_address = show == '0 ? evict_line[31:5] : acb_m2s.req.address[31:5];

  if (BYTES != 0) begin : g_cache
    l2_cache #(
      .BYTES(BYTES),
      .WAYS (WAYS)
    ) u_cache (
      .clk,
      .rst,
      .acb_m2s,
      .acb_s2m,
      .mem_m2s,
      .mem_s2m,
      .evict_valid,
      .evict_ready(show == '0),
      .evict_line,
      .hits,
      .misses,
      .write_backs
    );
  end else begin : g_wire
    assign mem_m2s                     = acb_m2s;
    assign acb_s2m                     = mem_s2m;
    assign {evict_valid, evict_line}   = '0;
    assign {hits, misses, write_backs} = '0;
  end

  l2_regs #(
    .BYTES(BYTES)
  ) u_regs (
    .clk,
    .rst,
    .afb_m2s,
    .afb_s2m,
    .hits,
    .misses,
    .write_backs
  );

  // The processor's addresses have 32 bits; who else wrote is all one.
  logic unused;
  assign unused = &{1'b0, evict_line[35:32], acb_req_master};

endmodule
