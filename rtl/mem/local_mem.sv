// SPDX-License-Identifier: Apache-2.0
//
// Fast local packet memory: true dual-port block RAM, port `a` for the processor and the copy engine, port `b` for the
// NIC. Where packets live between the NIC that stores them and the processor that looks at them.
//
// Latency: response one cycle after the request, on each port. Throughput one access a cycle on each port, unless the
// two meet: in the same cycle on the same dword with a write or a lock among them (a memory block promises nothing for
// that). Then port `b` goes and `a` waits a cycle, and so in turns while they meet.
//
// Lock: after an access with `lock` on one port the other port's locked accesses, and its writes to the same dword,
// wait until the holder's next access without. A holder whose next access is locked too, and to another dword, locks
// the whole memory.
//
// So port `b` waits for nobody, but for who touches the very dword that it writes or locks several (an AMO locks one):
// an access a cycle is certain. nic_tx_engine lets frames begin on the strength of that.
//
// The router claims 256 MB for each memory: address bits [27:0] are the offset, an offset beyond BYTES is answered
// err = 1. A simulator loads and looks at `mem` (most significant byte = lowest address).
module local_mem
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 262144
) (
  input  logic     clk,
  input  logic     rst,

  input  acb_m2s_t a_m2s,
  output acb_s2m_t a_s2m,

  input  acb_m2s_t b_m2s,
  output acb_s2m_t b_s2m
);

  if (BYTES < 16 || BYTES > 2 ** 28 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("local_mem: BYTES must be a power of two from 16 to 2**28");
  end

  localparam int unsigned BYTES_W = $clog2(BYTES);
  localparam int unsigned INDEX_W = BYTES_W - 3;

  // Who may go in this cycle.
  logic               lock_a_q, lock_b_q;  // the port that holds the lock
  logic               lock_all_q;          // not of one dword, but of all
  logic [INDEX_W-1:0] lock_index_q;
  logic               a_first_q;           // whose turn it is when the two meet
  logic               a_room, b_room, meet, a_wins, a_held, b_held, a_ready, b_ready, a_go, b_go;

  logic [INDEX_W-1:0] a_index, b_index;

  assign a_index = a_m2s.req.address[BYTES_W-1:3];
  assign b_index = b_m2s.req.address[BYTES_W-1:3];

  always_comb begin
    meet    = a_m2s.req_valid && b_m2s.req_valid
              && ((a_m2s.req.lock && b_m2s.req.lock)
                  || (a_index == b_index
                      && (a_m2s.req.lock || b_m2s.req.lock || !(a_m2s.req.read && b_m2s.req.read))));
    a_wins  = lock_a_q || (a_first_q && !lock_b_q);
    a_held  = lock_b_q && (lock_all_q || a_m2s.req.lock || (!a_m2s.req.read && a_index == lock_index_q));
    b_held  = lock_a_q && (lock_all_q || b_m2s.req.lock || (!b_m2s.req.read && b_index == lock_index_q));
    a_ready = a_room && !a_held && (!meet || a_wins);
    b_ready = b_room && !b_held && (!meet || !a_wins);
  end

  assign a_go            = a_m2s.req_valid && a_ready;
  assign b_go            = b_m2s.req_valid && b_ready;
  assign a_s2m.req_ready = a_ready;
  assign b_s2m.req_ready = b_ready;

  always_ff @(posedge clk) begin
    if (a_go) lock_a_q <= a_m2s.req.lock;
    if (b_go) lock_b_q <= b_m2s.req.lock;
    a_first_q <= meet && !a_first_q;
    if (a_go && a_m2s.req.lock) lock_index_q <= a_index;
    else if (b_go && b_m2s.req.lock) lock_index_q <= b_index;
    if (a_go && a_m2s.req.lock) lock_all_q <= lock_a_q && (lock_all_q || a_index != lock_index_q);
    else if (b_go && b_m2s.req.lock) lock_all_q <= lock_b_q && (lock_all_q || b_index != lock_index_q);
    if (rst) begin
      lock_a_q  <= 1'b0;
      lock_b_q  <= 1'b0;
      a_first_q <= 1'b0;
    end
  end

  // The memory. Both ports share the clock, so one process drives the array; each port's read and write are the
  // read-first pattern of a true dual-port block RAM.
  (* ram_style = "block" *) logic [63:0] mem [BYTES/8];

  logic [7:0]  a_write, b_write;
  logic [63:0] a_data_q, b_data_q;
  logic        a_err, b_err;

  assign a_err   = (a_m2s.req.address & 36'(2 ** 28 - BYTES)) != '0;
  assign b_err   = (b_m2s.req.address & 36'(2 ** 28 - BYTES)) != '0;
  assign a_write = a_m2s.req.byte_mask & {8{a_go && !a_m2s.req.read && !a_err}};
  assign b_write = b_m2s.req.byte_mask & {8{b_go && !b_m2s.req.read && !b_err}};

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) if (a_write[i]) mem[a_index][8*i +: 8] <= a_m2s.req.write_data[8*i +: 8];
    if (a_go) a_data_q <= mem[a_index];
    for (int i = 0; i < 8; i++) if (b_write[i]) mem[b_index][8*i +: 8] <= b_m2s.req.write_data[8*i +: 8];
    if (b_go) b_data_q <= mem[b_index];
  end

  mem_response u_a_response (
    .clk,
    .rst,
    .access   (a_go),
    .read     (a_m2s.req.read),
    .err      (a_err),
    .mem_data (a_data_q),
    .room     (a_room),
    .rsp      (a_s2m.rsp),
    .rsp_valid(a_s2m.rsp_valid),
    .rsp_ready(a_m2s.rsp_ready)
  );

  mem_response u_b_response (
    .clk,
    .rst,
    .access   (b_go),
    .read     (b_m2s.req.read),
    .err      (b_err),
    .mem_data (b_data_q),
    .room     (b_room),
    .rsp      (b_s2m.rsp),
    .rsp_valid(b_s2m.rsp_valid),
    .rsp_ready(b_m2s.rsp_ready)
  );

  // The router has looked at the address bits above the region, a memory has no use for those below a dword.
  logic unused;
  assign unused = &{a_m2s.req.address, b_m2s.req.address};

  a_one_holder : assert property (@(posedge clk) disable iff (rst) !(lock_a_q && lock_b_q));
  a_no_meeting : assert property (@(posedge clk) disable iff (rst) !(a_go && b_go && meet));
  // Port b's certainty, see above: it waits for its own response, for an access to the same dword, for a lock of
  // several.
  a_b_goes : assert property (@(posedge clk) disable iff (rst)
    b_m2s.req_valid && b_room && !b_m2s.req.lock && !lock_all_q
    && !(a_m2s.req_valid && a_index == b_index && (lock_a_q || a_first_q)) && !(lock_a_q && lock_index_q == b_index)
    -> b_go);

endmodule
