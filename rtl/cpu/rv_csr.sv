// SPDX-License-Identifier: Apache-2.0
//
// Control and status registers: machine mode, trap entry and return, counters, and three custom registers.
//
// A CSR instruction is issued alone (nothing older in the pipeline), so that it reads and writes in EX in one cycle,
// and everything it sees is architectural state. Traps and mret act when their instruction is in MEM.
//
//   mbusctl   0x7C1  [0] 1: every store waits for its response and traps precisely; 0 (reset): stores to DRAM, local
//                    memory and devices are posted.
//   mbuserr   0x7C0  the byte address of the first posted store that was answered with an error. The error is pending
//                    as mip[16], taken as interrupt 16 (the highest priority) if mie[16]. Any write clears it.
//   mcachectl 0x7C2  reads 0; writing bit 0 = 1 drops every line of the data cache.
module rv_csr
  import rv_pkg::*;
#(
  parameter logic [31:0] HART_ID = 32'd0
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
  input  logic        trap,
  input  cause_t      trap_cause,
  input  logic [31:2] trap_pc,
  input  logic [31:0] trap_value,
  input  logic        mret,
  output logic [31:2] trap_vector,
  output logic [31:2] return_pc,
  // Interrupts
  input  logic        irq_external,
  input  logic        irq_timer,
  input  logic        irq_software,
  output logic        irq_pending,  // to be taken now
  output logic [4:0]  irq_code,
  output logic        irq_wake,     // ends a WFI: pending and enabled, whatever mstatus.MIE says
  // Posted stores
  input  logic        bus_error,
  input  logic [31:0] bus_error_address,
  output logic        precise_stores,
  output logic        drop_data_cache
);

  logic        mie_bit_q, mpie_q;  // mstatus.MIE, mstatus.MPIE
  logic        enable_software_q, enable_timer_q, enable_external_q, enable_bus_q;
  logic [31:2] mtvec_base_q;
  logic        mtvec_vectored_q;
  logic [31:0] mscratch_q, mtval_q, bus_error_address_q;
  logic [31:2] mepc_q;
  cause_t      mcause_q;
  logic [63:0] mcycle_q, minstret_q;
  logic        bus_error_q, precise_stores_q;
  logic        irq_external_q, irq_timer_q, irq_software_q;
  // The CSR instruction on its way to retirement wrote minstret: it does not count itself.
  logic        instret_written_q;

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
      CSR_MISA:                    read_data = 32'h4000_1101;  // RV32IMA
      CSR_MIE:                     read_data = enabled;
      CSR_MTVEC:                   read_data = {mtvec_base_q, 1'b0, mtvec_vectored_q};
      CSR_MSCRATCH:                read_data = mscratch_q;
      CSR_MEPC:                    read_data = {mepc_q, 2'b00};
      CSR_MCAUSE:                  read_data = {mcause_q.irq, 26'b0, mcause_q.code};
      CSR_MTVAL:                   read_data = mtval_q;
      CSR_MIP:                     read_data = pending;
      CSR_MBUSERR:                 read_data = bus_error_address_q;
      CSR_MBUSCTL:                 read_data = {31'b0, precise_stores_q};
      CSR_MCYCLE, CSR_CYCLE:       read_data = mcycle_q[31:0];
      CSR_MCYCLEH, CSR_CYCLEH:     read_data = mcycle_q[63:32];
      CSR_MINSTRET, CSR_INSTRET:   read_data = minstret_q[31:0];
      CSR_MINSTRETH, CSR_INSTRETH: read_data = minstret_q[63:32];
      CSR_MIMPID:                  read_data = 32'h0000_0001;
      CSR_MHARTID:                 read_data = HART_ID;
      default:                     read_data = '0;
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
  assign drop_data_cache = write && number == CSR_MCACHECTL && write_data[0];

  always_ff @(posedge cpu_clk) begin
    irq_external_q <= irq_external;
    irq_timer_q    <= irq_timer;
    irq_software_q <= irq_software;

    mcycle_q <= mcycle_q + 64'd1;
    if (retire && !instret_written_q) minstret_q <= minstret_q + 64'd1;
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
        CSR_MIE: begin
          enable_software_q <= write_data[IRQ_SOFTWARE];
          enable_timer_q    <= write_data[IRQ_TIMER];
          enable_external_q <= write_data[IRQ_EXTERNAL];
          enable_bus_q      <= write_data[IRQ_BUS];
        end
        CSR_MTVEC: begin
          mtvec_vectored_q <= write_data[0];
          mtvec_base_q     <= {write_data[31:7], write_data[0] ? 5'd0 : write_data[6:2]};
        end
        CSR_MSCRATCH:  mscratch_q <= write_data;
        CSR_MEPC:      mepc_q <= write_data[31:2];
        CSR_MCAUSE:    mcause_q <= '{irq: write_data[31], code: write_data[4:0]};
        CSR_MTVAL:     mtval_q <= write_data;
        CSR_MBUSCTL:   precise_stores_q <= write_data[0];
        CSR_MCYCLE:    mcycle_q[31:0] <= write_data;
        CSR_MCYCLEH:   mcycle_q[63:32] <= write_data;
        CSR_MINSTRET: begin
          minstret_q[31:0]  <= write_data;
          instret_written_q <= 1'b1;
        end
        CSR_MINSTRETH: begin
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
      irq_external_q      <= 1'b0;
      irq_timer_q         <= 1'b0;
      irq_software_q      <= 1'b0;
      instret_written_q   <= 1'b0;
    end
  end

endmodule
