// SPDX-License-Identifier: Apache-2.0
//
// State registers but for the window number: PSR's other fields, WIM, TBR, Y, ancillary state registers, fault status
// and address, late errors, interrupts, counters. docs/sparc.md has the tables.
//
// Reads are combinational, by the number in `number`. A write is that of an instruction that is alone in EX: the next
// instruction in DECODE sees it. Condition codes come from MEM, as does Y of a multiplication, and a trap.
//
// Late errors: a posted store or overlapped load that was answered with an error after its instruction had retired. The
// first one of each kind is kept until its trap is taken; one that comes in that very cycle is kept for the next.
module v8_state
  import cpu_core_pkg::*;
  import v8_pkg::*;
#(
  parameter logic [31:0] HART_ID       = 32'h0,
  parameter bit          PERF_COUNTERS = 1'b1
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // EX
  input  logic [5:0]  number,
  input  logic        at_status,      // of ST_FAULT: the access is to the register of the fault's status, ...
  input  logic        at_address,     // ... of its address
  input  logic [2:0]  cwp,
  output logic [31:0] read_data,
  input  logic        write,
  input  logic [31:0] write_data,
  input  logic        y_write,        // of MULScc
  input  logic [31:0] y_data,
  input  logic        rett,
  output icc_t        icc,            // of all that has left MEM
  output logic [31:0] y,
  output logic [31:3] psr,            // but for the window number
  output logic [7:0]  wim,
  output logic [31:0] tbr,
  output logic        supervisor,
  output logic        traps_enabled,
  // MEM
  input  logic        retire,
  input  logic        icc_write,
  input  icc_t        icc_data,
  input  logic        product_write,
  input  logic [31:0] product_high,
  input  why_t        why,
  input  logic        trap,           // is taken, or ends in error mode
  input  logic        type_write,     // TBR shows its type
  input  logic [7:0]  trap_type,
  input  logic        fault,          // the trap is that of an access
  input  logic [1:0]  fault_access,   // 0 load, 1 fetch, 2 store
  input  logic [2:0]  fault_type,
  input  logic [31:0] fault_address,
  input  logic        late_store_taken,
  input  logic        late_load_taken,
  // Interrupts
  input  logic [15:1] irq_levels,
  output logic        irq_pending,    // one that may be taken now
  output logic [3:0]  irq_level,
  output logic        irq_wake,       // a level that the mask lets in was pending a cycle ago
  output logic        late_store,
  output logic        late_load,
  input  logic        bus_error,
  input  logic        bus_error_load,
  input  logic [31:0] bus_error_address,
  output logic        precise_stores,
  output logic        overlap_loads
);

  icc_t        icc_q;
  logic        s_q, ps_q, et_q;
  logic [3:0]  pil_q;
  logic [7:0]  wim_q, tt_q, fault_status_q;
  logic [19:0] tba_q;
  logic [31:0] y_q, fault_address_q, late_store_address_q, late_load_address_q;
  logic        late_store_q, late_load_q, precise_stores_q, overlap_loads_q;
  logic [15:1] levels_q, mask_q;
  logic        wake_q;
  logic [63:0] cycles_q, retired_q;
  logic        stop_q;
  logic [3:0]  selected_q;
  logic [31:0] stalls;

  assign icc            = icc_q;
  assign y              = y_q;
  assign wim            = wim_q;
  assign tbr            = {tba_q, tt_q, 4'b0};
  assign psr            = {8'b0, icc_q, 8'b0, pil_q, s_q, ps_q, et_q, 2'b0};
  assign supervisor     = s_q;
  assign traps_enabled  = et_q;
  assign late_store     = late_store_q;
  assign late_load      = late_load_q;
  assign precise_stores = precise_stores_q;
  assign overlap_loads  = overlap_loads_q;

  always_comb begin
    case (number)
      ST_Y:               read_data = y_q;
      ST_BUS_CONTROL:     read_data = {30'b0, overlap_loads_q, precise_stores_q};
      ST_IRQ_MASK:        read_data = {16'b0, mask_q, 1'b0};
      ST_IRQ_PENDING:     read_data = {16'b0, levels_q, 1'b0};
      ST_COUNTER_CONTROL: read_data = {stop_q, PERF_COUNTERS, 26'b0, selected_q};
      ST_STALLS:          read_data = stalls;
      ST_RETIRED_HIGH:    read_data = retired_q[63:32];
      ST_RETIRED_LOW:     read_data = retired_q[31:0];
      ST_PROCESSOR:       read_data = {16'h5052, HART_ID[7:0], 8'h00};
      ST_CYCLES_HIGH:     read_data = cycles_q[63:32];
      ST_CYCLES_LOW:      read_data = cycles_q[31:0];
      ST_PSR:             read_data = {psr, cwp};
      ST_WIM:             read_data = {24'b0, wim_q};
      ST_TBR:             read_data = {tba_q, tt_q, 4'b0};
      ST_FAULT: begin
        if (at_status) read_data = {24'b0, fault_status_q};
        else if (at_address) read_data = fault_address_q;
        else read_data = '0;
      end
      default: read_data = '0;
    endcase
  end

  // ---- Interrupts
  logic [15:1] wanted;
  assign wanted = levels_q & mask_q;
  always_comb begin
    irq_level = '0;
    for (int i = 1; i < 16; i++) if (wanted[i]) irq_level = 4'(i);
  end
  assign irq_wake    = wake_q;
  assign irq_pending = et_q && wanted != '0 && (irq_level > pil_q || wanted[15]);

  always_ff @(posedge cpu_clk) begin
    levels_q <= irq_levels;
    wake_q   <= wanted != '0;

    if (!stop_q) cycles_q <= cycles_q + 64'd1;
    if (retire && !stop_q) retired_q <= retired_q + 64'd1;

    if (icc_write) icc_q <= icc_data;
    if (product_write) y_q <= product_high;
    if (y_write) y_q <= y_data;

    if (write) begin
      case (number)
        ST_Y:               y_q <= write_data;
        ST_BUS_CONTROL:     {overlap_loads_q, precise_stores_q} <= write_data[1:0];
        ST_IRQ_MASK:        mask_q <= write_data[15:1];
        ST_COUNTER_CONTROL: {stop_q, selected_q} <= {write_data[31], write_data[3:0]};
        ST_PSR: begin
          icc_q <= write_data[23:20];
          pil_q <= write_data[11:8];
          {s_q, ps_q, et_q} <= write_data[7:5];
        end
        ST_WIM:             wim_q <= write_data[7:0];
        ST_TBR:             tba_q <= write_data[31:12];
        default: ;
      endcase
    end
    if (rett) begin
      s_q  <= ps_q;
      et_q <= 1'b1;
    end

    if (type_write) tt_q <= trap_type;
    if (trap) begin
      if (et_q) begin
        et_q <= 1'b0;
        ps_q <= s_q;
        s_q  <= 1'b1;
      end
      if (fault) begin
        fault_status_q  <= {fault_access, s_q, fault_type, 2'b10};
        if (late_store_taken) fault_address_q <= late_store_address_q;
        else if (late_load_taken) fault_address_q <= late_load_address_q;
        else fault_address_q <= fault_address;
      end
    end

    if (late_store_taken) late_store_q <= 1'b0;
    if (bus_error && !bus_error_load && (!late_store_q || late_store_taken)) begin
      late_store_q         <= 1'b1;
      late_store_address_q <= bus_error_address;
    end
    if (late_load_taken) late_load_q <= 1'b0;
    if (bus_error && bus_error_load && (!late_load_q || late_load_taken)) begin
      late_load_q         <= 1'b1;
      late_load_address_q <= bus_error_address;
    end

    if (cpu_rst) begin
      icc_q            <= '0;
      {s_q, ps_q, et_q} <= 3'b100;
      pil_q            <= '0;
      wim_q            <= '0;
      tba_q            <= '0;
      tt_q             <= '0;
      y_q              <= '0;
      fault_status_q   <= '0;
      fault_address_q  <= '0;
      late_store_q     <= 1'b0;
      late_load_q      <= 1'b0;
      precise_stores_q <= 1'b0;
      overlap_loads_q  <= 1'b0;
      levels_q         <= '0;
      wake_q           <= 1'b0;
      mask_q           <= '1;
      cycles_q         <= '0;
      retired_q        <= '0;
      stop_q           <= 1'b0;
      selected_q       <= '0;
    end
  end

  // ---- Stall counters. Only one counts in a cycle: one small memory and one adder are all of them. A cycle is counted
  // in the one after, as its cause comes late.
  if (PERF_COUNTERS) begin : g_stalls
    logic [31:0]                                   counts [16];
    logic [LAST_STALL_COUNTER:FIRST_STALL_COUNTER] used_q;  // not yet used: 0, as a memory has no reset
    logic                                          counting_q;
    why_t                                          why_q;
    logic                                          is_counter;

    assign is_counter = {1'b0, selected_q} >= FIRST_STALL_COUNTER && {1'b0, selected_q} <= LAST_STALL_COUNTER;
    assign stalls     = (is_counter && used_q[selected_q]) ? counts[selected_q] : '0;

    always_ff @(posedge cpu_clk) begin
      why_q      <= why;
      counting_q <= !retire && !stop_q;
      if (counting_q) used_q[why_q] <= 1'b1;
      if (cpu_rst) begin
        used_q     <= '0;
        counting_q <= 1'b0;
      end
    end

    always_ff @(posedge cpu_clk) begin
      if (counting_q) counts[why_q] <= (used_q[why_q] ? counts[why_q] : '0) + 32'd1;
    end

    a_known_cause : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
      counting_q -> 5'(why_q) >= FIRST_STALL_COUNTER && 5'(why_q) <= LAST_STALL_COUNTER);
  end else begin : g_no_stalls
    logic unused;
    assign unused = &{1'b0, why};
    assign stalls = '0;
  end

endmodule
