// SPDX-License-Identifier: Apache-2.0
//
// Control and status registers: machine mode, trap entry and return, counters, and three custom registers.
//
// A CSR instruction is issued alone (nothing older in the pipeline), so that it reads and writes in EX in one cycle,
// and everything it sees is architectural state. Traps and mret act when their instruction is in MEM.
//
// Counters: mcycle, minstret (64 bits), and with PERF_COUNTERS mhpmcounter3 to 11 (32 bits, the high halves read zero):
// the cycles in which no instruction retired, by cause (why_t). Each such cycle has exactly one cause, so that
//     mcycle = minstret + mhpmcounter3 + .. + mhpmcounter11
// over any time between two moments at which all of them stand still (mcountinhibit) and none is written. Their events
// are fixed: mhpmevent<n> reads n. cycle, instret and hpmcounter<n> are the read-only copies. The CSR `time` is an
// illegal instruction, to be emulated from the platform's timer by whoever needs it, as the specification allows.
//
//   mbusctl   0x7C1  [0] 1: every store waits for its response and traps precisely; 0 (reset): stores to DRAM, local
//                    memory and devices are posted.
//                    [1] 1: a load that is not cached does not wait for its data: the program goes on until an
//                    instruction wants the register (rv_core: overlapped loads); 0 (reset): it waits and traps precisely.
//   mbuserr   0x7C0  the byte address of the first posted store or overlapped load that was answered with an error (the
//                    load's register is zero). The error is pending as mip[16], taken as interrupt 16 (the highest
//                    priority) if mie[16]. Any write clears it.
//   mcachectl 0x7C2  reads 0; writing bit 0 = 1 drops every line of the data cache.
module rv_csr
  import cpu_core_pkg::*;
  import rv_csr_pkg::*;
  import rv_pkg::*;
#(
  parameter logic [31:0] HART_ID       = 32'd0,
  parameter bit          COMPRESSED    = 1'b0,
  parameter bit          INTERRUPTS    = 1'b1,  // without: mie reads zero, and none is pending
  parameter bit          COUNTERS      = 1'b1,  // without: mcycle and minstret read zero
  parameter bit          PERF_COUNTERS = 1'b1
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // CSR instruction in EX
  input  logic [11:0] number,
  output logic [31:0] read_data,
  input  logic        write,       // in the cycle in which the instruction leaves EX
  input  logic [1:0]  write_kind,  // funct3[1:0]: 1 write, 2 set, 3 clear
  input  logic [31:0] operand,
  // Events in MEM
  input  logic        retire,
  input  why_t        why,         // not retire: the cause
  input  logic        trap,
  input  cause_t      trap_cause,
  input  logic [31:1] trap_pc,
  input  logic [31:0] trap_value,
  input  logic        mret,
  output logic [31:2] trap_vector,
  output logic [31:1] return_pc,    // bit 1 is zero without COMPRESSED
  // Interrupts
  input  cpu_slot_pkg::cpu_irq_t irq,
  output logic        irq_pending,  // to be taken now
  output logic [4:0]  irq_code,
  output logic        irq_wake,     // ends a WFI: pending and enabled, whatever mstatus.MIE says
  // Posted stores, overlapped loads
  input  logic        bus_error,
  input  logic [31:0] bus_error_address,
  output logic        precise_stores,
  output logic        overlap_loads,
  output logic        drop_data_cache
);

  logic        mie_bit_q, mpie_q;  // mstatus.MIE, mstatus.MPIE
  logic        enable_software_q, enable_timer_q, enable_external_q, enable_bus_q;
  logic [31:2] mtvec_base_q;
  logic        mtvec_vectored_q;
  logic [31:0] mscratch_q, mtval_q, bus_error_address_q;
  logic [31:1] mepc_q;
  cause_t      mcause_q;
  logic [63:0] mcycle_q, minstret_q;
  logic        bus_error_q, precise_stores_q, overlap_loads_q;
  logic        irq_external_q, irq_timer_q, irq_software_q;
  // The CSR instruction on its way to retirement wrote minstret: it does not count itself.
  logic        instret_written_q;
  logic        stop_cycle_q, stop_instret_q;  // mcountinhibit
  logic [31:0] stop_data, stall_data;         // what mcountinhibit and a stall counter read

  logic [31:0] write_data;
  logic [31:0] pending, enabled;

  assign pending = {15'b0, bus_error_q, 4'b0, irq_external_q, 3'b0, irq_timer_q, 3'b0, irq_software_q, 3'b0};
  assign enabled = {15'b0, enable_bus_q, 4'b0, enable_external_q, 3'b0, enable_timer_q, 3'b0, enable_software_q, 3'b0};

  assign irq_wake    = |(pending & enabled);
  assign irq_pending = irq_wake && mie_bit_q;

  always_comb begin
    if (bus_error_q && enable_bus_q) irq_code = IRQ_BUS;
    else if (irq_external_q && enable_external_q) irq_code = IRQ_EXTERNAL;
    else if (irq_software_q && enable_software_q) irq_code = IRQ_SOFTWARE;
    else irq_code = IRQ_TIMER;
  end

  always_comb begin
    case (number)
      CSR_MSTATUS:                 read_data = {19'b0, 2'b11, 3'b0, mpie_q, 3'b0, mie_bit_q, 3'b0};  // MPP is M
      CSR_MISA:                    read_data = COMPRESSED ? 32'h4000_1105 : 32'h4000_1101;  // B would claim Zbs as well
      CSR_MIE:                     read_data = enabled;
      CSR_MTVEC:                   read_data = {mtvec_base_q, 1'b0, mtvec_vectored_q};
      CSR_MSCRATCH:                read_data = mscratch_q;
      CSR_MEPC:                    read_data = {mepc_q, 1'b0};
      CSR_MCAUSE:                  read_data = {mcause_q.irq, 26'b0, mcause_q.code};
      CSR_MTVAL:                   read_data = mtval_q;
      CSR_MIP:                     read_data = pending;
      CSR_MBUSERR:                 read_data = bus_error_address_q;
      CSR_MBUSCTL:                 read_data = {30'b0, overlap_loads_q, precise_stores_q};
      CSR_MCYCLE, CSR_CYCLE:       read_data = mcycle_q[31:0];
      CSR_MCYCLEH, CSR_CYCLEH:     read_data = mcycle_q[63:32];
      CSR_MINSTRET, CSR_INSTRET:   read_data = minstret_q[31:0];
      CSR_MINSTRETH, CSR_INSTRETH: read_data = minstret_q[63:32];
      CSR_MCOUNTINHIBIT:           read_data = stop_data;
      CSR_MIMPID:                  read_data = 32'h0000_0001;
      CSR_MHARTID:                 read_data = HART_ID;
      default:                     read_data = stall_data;
    endcase
  end

  always_comb begin
    case (write_kind)
      2'b10:   write_data = read_data | operand;
      2'b11:   write_data = read_data & ~operand;
      default: write_data = operand;
    endcase
  end

  // An interrupt vector is or-ed into the base: mtvec keeps bits [6:2] zero in vectored mode.
  assign trap_vector     = mtvec_base_q | ((mtvec_vectored_q && trap_cause.irq) ? 30'(trap_cause.code) : 30'd0);
  assign return_pc       = mepc_q;
  assign precise_stores  = precise_stores_q;
  assign overlap_loads   = overlap_loads_q;
  assign drop_data_cache = write && number == CSR_MCACHECTL && write_data[0];

  always_ff @(posedge cpu_clk) begin
    irq_external_q <= INTERRUPTS && |irq.external;
    irq_timer_q    <= INTERRUPTS && irq.timer;
    irq_software_q <= INTERRUPTS && irq.software;

    if (COUNTERS && !stop_cycle_q) mcycle_q <= mcycle_q + 64'd1;
    if (COUNTERS && retire && !instret_written_q && !stop_instret_q) minstret_q <= minstret_q + 64'd1;
    if (retire) instret_written_q <= 1'b0;

    // An error in the very cycle that clears an older one is kept.
    if (write && number == CSR_MBUSERR) bus_error_q <= 1'b0;
    if (bus_error && (!bus_error_q || (write && number == CSR_MBUSERR))) begin
      bus_error_q         <= 1'b1;
      bus_error_address_q <= bus_error_address;
    end

    if (write) begin
      case (number)
        CSR_MSTATUS: begin
          mie_bit_q <= write_data[3];
          mpie_q    <= write_data[7];
        end
        CSR_MIE: if (INTERRUPTS) begin
          enable_software_q <= write_data[IRQ_SOFTWARE];
          enable_timer_q    <= write_data[IRQ_TIMER];
          enable_external_q <= write_data[IRQ_EXTERNAL];
          enable_bus_q      <= write_data[IRQ_BUS];
        end
        CSR_MTVEC: begin
          mtvec_vectored_q <= write_data[0];
          mtvec_base_q     <= {write_data[31:7], write_data[0] ? 5'd0 : write_data[6:2]};
        end
        CSR_MCOUNTINHIBIT: begin
          stop_cycle_q   <= write_data[0];
          stop_instret_q <= write_data[2];
        end
        CSR_MSCRATCH:  mscratch_q <= write_data;
        CSR_MEPC:      mepc_q <= {write_data[31:2], COMPRESSED && write_data[1]};
        CSR_MCAUSE:    mcause_q <= '{irq: write_data[31], code: write_data[4:0]};
        CSR_MTVAL:     mtval_q <= write_data;
        CSR_MBUSCTL:   {overlap_loads_q, precise_stores_q} <= write_data[1:0];
        CSR_MCYCLE:    if (COUNTERS) mcycle_q[31:0] <= write_data;
        CSR_MCYCLEH:   if (COUNTERS) mcycle_q[63:32] <= write_data;
        CSR_MINSTRET: if (COUNTERS) begin
          minstret_q[31:0]  <= write_data;
          instret_written_q <= 1'b1;
        end
        CSR_MINSTRETH: if (COUNTERS) begin
          minstret_q[63:32] <= write_data;
          instret_written_q <= 1'b1;
        end
        default: ;
      endcase
    end

    if (trap) begin
      mie_bit_q <= 1'b0;
      mpie_q    <= mie_bit_q;
      mepc_q    <= trap_pc;
      mcause_q  <= trap_cause;
      mtval_q   <= trap_value;
    end else if (mret) begin
      mie_bit_q <= mpie_q;
      mpie_q    <= 1'b1;
    end

    if (cpu_rst) begin
      mie_bit_q           <= 1'b0;
      mpie_q              <= 1'b0;
      enable_software_q   <= 1'b0;
      enable_timer_q      <= 1'b0;
      enable_external_q   <= 1'b0;
      enable_bus_q        <= 1'b0;
      mtvec_base_q        <= '0;
      mtvec_vectored_q    <= 1'b0;
      mscratch_q          <= '0;
      mepc_q              <= '0;
      mcause_q            <= '0;
      mtval_q             <= '0;
      mcycle_q            <= '0;
      minstret_q          <= '0;
      bus_error_q         <= 1'b0;
      bus_error_address_q <= '0;
      precise_stores_q    <= 1'b0;
      overlap_loads_q     <= 1'b0;
      irq_external_q      <= 1'b0;
      irq_timer_q         <= 1'b0;
      irq_software_q      <= 1'b0;
      instret_written_q   <= 1'b0;
      stop_cycle_q        <= 1'b0;
      stop_instret_q      <= 1'b0;
    end
  end

  // ---- Stall counters. Only one counts in a cycle: one small memory and one adder are all of them. A cycle is counted
  // in the one after, as its cause comes late.
  if (PERF_COUNTERS) begin : g_stalls
    logic [31:0]                                     counts [16];
    logic [LAST_STALL_COUNTER:FIRST_STALL_COUNTER]   used_q;        // not yet used: 0, as a memory has no reset
    logic [LAST_STALL_COUNTER:FIRST_STALL_COUNTER]   stop_q, stopped_q;
    logic                                            stalled_q, counting, is_counter, is_ours, write_pending_q;
    why_t                                            why_q;
    logic [31:0]                                     written_q, count;
    logic [3:0]                                      written_number_q;

    assign is_ours    = number[4:0] >= FIRST_STALL_COUNTER && number[4:0] <= LAST_STALL_COUNTER;
    assign is_counter = is_ours && (number[11:5] == 7'h58 || number[11:5] == 7'h60);
    assign stop_data  = {20'b0, stop_q, stop_instret_q, 1'b0, stop_cycle_q};
    always_comb begin
      stall_data = '0;
      if (is_counter && used_q[number[3:0]]) stall_data = counts[number[3:0]];
      else if (is_ours && number[11:5] == 7'h19) stall_data = {28'b0, number[3:0]};
    end

    assign counting = stalled_q && !stopped_q[why_q];
    assign count    = used_q[why_q] ? counts[why_q] : '0;

    always_ff @(posedge cpu_clk) begin
      why_q     <= why;
      stalled_q <= !retire;
      stopped_q <= stop_q;
      if (write && number == CSR_MCOUNTINHIBIT) stop_q <= write_data[LAST_STALL_COUNTER:FIRST_STALL_COUNTER];
      // A write waits for the cycle after its instruction has retired, which has nothing to count.
      if (write && is_counter) begin
        write_pending_q  <= 1'b1;
        written_q        <= write_data;
        written_number_q <= number[3:0];
      end else if (!counting) begin
        write_pending_q <= 1'b0;
      end
      if (counting) used_q[why_q] <= 1'b1;
      else if (write_pending_q) used_q[written_number_q] <= 1'b1;
      if (cpu_rst) begin
        used_q          <= '0;
        stop_q          <= '0;
        stalled_q       <= 1'b0;
        write_pending_q <= 1'b0;
      end
    end

    always_ff @(posedge cpu_clk) begin
      if (counting || write_pending_q) begin
        counts[counting ? why_q : written_number_q] <= counting ? count + 32'd1 : written_q;
      end
    end

    a_known_cause : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
      stalled_q -> 5'(why_q) >= FIRST_STALL_COUNTER && 5'(why_q) <= LAST_STALL_COUNTER);
  end else begin : g_no_stalls
    logic unused;
    assign unused     = &{1'b0, why};
    assign stop_data  = {29'b0, stop_instret_q, 1'b0, stop_cycle_q};
    assign stall_data = '0;
  end

endmodule
