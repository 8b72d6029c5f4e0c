// SPDX-License-Identifier: Apache-2.0
//
// Reservations of LR and SC: tells each hart that somebody has written the word of its last LR. It looks at the ports
// of the memories, where cores and devices meet. With one hart there is nothing here (cpu_lsu).
//
//   cores, devices --> local memory, port a ---+
//                      local memory, port b ---+--> written_q --> = reserved_q[i] --> lost[i] --> hart i
//   all of them -----> DRAM, before L2 --------+
//
// A write is one whose request is taken, with a byte of the word. Whose it is does not matter: another hart, NIC, copy
// engine, TCP/IP engine, the line port of a unit beside a core, and the hart itself. A write without a byte is none:
// an SC that fails lets go of its lock by such a one.
//
// In time. A write is taken in cycle 0, written_q has it in cycle 1, `lost` in cycle 2. The locked read of an SC is
// taken in cycle 1 at the earliest, as it is not before the write; its answer is out of the memory in cycle 2 and in
// cpu_lsu, through router and cpu_join, not before cycle 4. `reserved` is in reserved_q a cycle after LR's request has
// left cpu_lsu, before the memory can take that.
//
// Progress. A reservation ends by a write with a byte, by LR and SC of its own hart, by its own traps, and by nothing
// else. So an SC of a loop of nothing but LR, SC and instructions without memory fails only if since its LR another SC
// has succeeded, or somebody has stored: of N harts that do nothing else, one gets on in each round of the slowest,
// whatever the timing.
module cpu_reservations
  import acb_pkg::*;
#(
  parameter int unsigned HARTS = 2,
  parameter int unsigned PORTS = 3
) (
  input  logic                   clk,
  input  acb_m2s_t [PORTS-1:0]   m2s,
  input  acb_s2m_t [PORTS-1:0]   s2m,
  input  logic [HARTS-1:0][31:2] reserved,
  output logic [HARTS-1:0]       lost
);

  if (HARTS == 1) begin : g_one
    logic unused;
    assign unused = &{1'b0, clk, m2s, s2m, reserved};
    assign lost   = '0;
  end else begin : g_several
    typedef struct packed {
      logic        lower;    // some byte of the word at the dword's address
      logic        upper;    // at the address + 4
      logic [31:3] address;
    } written_t;

    written_t [PORTS-1:0]       written_q;
    logic     [HARTS-1:0][31:2] reserved_q;
    logic     [HARTS-1:0]       lost_q;

    always_ff @(posedge clk) begin
      reserved_q <= reserved;
      for (int unsigned p = 0; p < PORTS; p++) begin
        written_q[p] <= '{
          lower: m2s[p].req_valid && s2m[p].req_ready && !m2s[p].req.read && m2s[p].req.byte_mask[7:4] != '0,
          upper: m2s[p].req_valid && s2m[p].req_ready && !m2s[p].req.read && m2s[p].req.byte_mask[3:0] != '0,
          address: m2s[p].req.address[31:3]
        };
      end
      lost_q <= '0;
      for (int unsigned i = 0; i < HARTS; i++) begin
        for (int unsigned p = 0; p < PORTS; p++) begin
          if ((reserved_q[i][2] ? written_q[p].upper : written_q[p].lower)
              && written_q[p].address == reserved_q[i][31:3]) lost_q[i] <= 1'b1;
        end
      end
    end

    assign lost = lost_q;

    // A core's addresses have 32 bits, and who else writes has none above; the rest of the ports is not looked at.
    logic unused;
    assign unused = &{1'b0, m2s, s2m};
  end

endmodule
