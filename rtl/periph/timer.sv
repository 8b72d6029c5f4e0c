// SPDX-License-Identifier: Apache-2.0
//
// Timer as the RISC-V privileged architecture wants it, an AFB slave; the registers are those of regs/periph.rdl: a
// 64-bit time that counts every clock, and for each of HARTS harts a compare value and a software interrupt.
//
// The harts' registers stand in windows of 32 bytes. The time is one for all and seen in every window.
// A reader takes the high word, the low word, and the high word again, until both high words are equal.
//
// `irq_timer` is high while the time is at the hart's compare value or beyond, one cycle later (a register).
// Latency: response one cycle after the request. Throughput: one access a cycle (afb_endpoint).
module timer
  import afb_pkg::*;
  import timer_regs_pkg::ID_W, timer_regs_pkg::ID_MTIME_LOW, timer_regs_pkg::ID_MTIME_HIGH,
         timer_regs_pkg::ID_MTIMECMP_LOW, timer_regs_pkg::ID_MTIMECMP_HIGH, timer_regs_pkg::ID_MSIP,
         timer_regs_pkg::HART_W;
#(
  parameter int unsigned HARTS = 1
) (
  input  logic             clk,
  input  logic             rst,
  input  afb_m2s_t         afb_m2s,
  output afb_s2m_t         afb_s2m,
  output logic [HARTS-1:0] irq_timer,
  output logic [HARTS-1:0] irq_software
);

  if (HARTS < 1 || HARTS > timer_regs_pkg::HARTS) begin : g_bad_harts
    $error("timer: HARTS must be 1 to 8, the windows in its 256 bytes");
  end

  access_t                access;
  logic [31:0]            read_data, new_data;
  logic                   err;
  logic [ID_W-1:0]        id;
  logic [HART_W-1:0]      hart;
  logic [63:0]            time_q;
  logic [HARTS-1:0][63:0] compare_q;
  logic [HARTS-1:0]       irq_timer_q, irq_software_q;

  assign {hart, id}   = access.id;
  assign irq_timer    = irq_timer_q;
  assign irq_software = irq_software_q;

  afb_endpoint u_endpoint (.*);

  always_ff @(posedge clk) begin
    time_q <= time_q + 1'b1;
    for (int unsigned h = 0; h < HARTS; h++) begin
      irq_timer_q[h] <= time_q >= compare_q[h];
      if (access.write && hart == HART_W'(h)) begin
        case (id)
          ID_MTIME_LOW:     time_q[31:0]        <= new_data;
          ID_MTIME_HIGH:    time_q[63:32]       <= new_data;
          ID_MTIMECMP_LOW:  compare_q[h][31:0]  <= new_data;
          ID_MTIMECMP_HIGH: compare_q[h][63:32] <= new_data;
          ID_MSIP:          irq_software_q[h]   <= new_data[0];
          default: ;
        endcase
      end
    end
    if (rst) begin
      time_q         <= '0;
      compare_q      <= '1;
      irq_timer_q    <= '0;
      irq_software_q <= '0;
    end
  end

  always_comb begin
    read_data = '0;
    err       = 1'b1;
    for (int unsigned h = 0; h < HARTS; h++) begin
      if (hart == HART_W'(h)) begin
        err = 1'b0;
        case (id)
          ID_MTIME_LOW:     read_data = time_q[31:0];
          ID_MTIME_HIGH:    read_data = time_q[63:32];
          ID_MTIMECMP_LOW:  read_data = compare_q[h][31:0];
          ID_MTIMECMP_HIGH: read_data = compare_q[h][63:32];
          ID_MSIP:          read_data = 32'(irq_software_q[h]);
          default:          err = 1'b1;
        endcase
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, access};

endmodule
