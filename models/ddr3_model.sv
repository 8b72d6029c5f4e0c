// SPDX-License-Identifier: Apache-2.0
//
// A rank of DDR3 memory behind the command interface of ddr3_pkg, in the place of PHY and chips. Simulation only.
//
// It keeps the contents and checks every command against the state of the banks and the times of ddr3_pkg; a command
// that the memory would not stand ends the simulation with a sentence that names the rule, the bank and the cycle.
// Checked: power-up order and mode registers, what a bank must be for a command, tRCD, tRP, tRAS, tRRD, tFAW, tWTR,
// tWR, tRTP, read-to-write turnaround, tRFC, tXPR, tMOD, tZQinit, and that no refresh is put off beyond 9 tREFI. With
// one command a controller cycle nobody can break tCCD, nor tRC without tRAS or tRP; elaboration checks that this is
// so. Not modelled: power-down, self-refresh, auto-precharge, burst chop, what RESET# and CKE need after power-up
// (simulation shortens it).
//
// Commands are a whole number of controller cycles apart, so the times are checked in these, rounded up. All that is
// kept for it is when something happened last; without a command there is nothing to check.
//
// The contents are in C++ (dram_store.h), by the offset that ddr3_pkg::place made the place of, and change in the cycle
// of the WRITE.
module ddr3_model
  import ddr3_pkg::*;
#(
  parameter int unsigned     CLK_PS = 5000,
  parameter longint unsigned BYTES  = 268435456  // a power of two; rows beyond are not there
) (
  input  logic               clk,
  input  logic               rst,
  input  dram_command_t      command,
  input  logic [BURST_W-1:0] write_data,
  input  logic [MASK_W-1:0]  write_mask,
  output logic [BURST_W-1:0] read_data,
  output logic               read_data_valid
);

  import "DPI-C" function chandle nsoc_dram_new(input longint unsigned bytes);
  import "DPI-C" function void nsoc_dram_delete(input chandle dram, input longint unsigned bytes);
  import "DPI-C" function void nsoc_dram_read(
    input chandle dram, input longint unsigned offset, output bit [BURST_W-1:0] data
  );
  import "DPI-C" function void nsoc_dram_write(
    input chandle dram, input longint unsigned offset, input bit [BURST_W-1:0] data, input longint unsigned mask
  );

  chandle store;
  initial store = nsoc_dram_new(BYTES);
  final nsoc_dram_delete(store, BYTES);

  // In controller cycles.
  localparam longint RCD  = longint'(cycles(T_RCD_PS, 0, CLK_PS));
  localparam longint RP   = longint'(cycles(T_RP_PS, 0, CLK_PS));
  localparam longint RAS  = longint'(cycles(T_RAS_PS, 0, CLK_PS));
  localparam longint RRD  = longint'(cycles(T_RRD_PS, T_RRD_CK, CLK_PS));
  localparam longint FAW  = longint'(cycles(T_FAW_PS, 0, CLK_PS));
  localparam longint RTP  = longint'(cycles(T_RTP_PS, T_RTP_CK, CLK_PS));
  localparam longint WTR  = longint'(write_to_read(CLK_PS));
  localparam longint WR   = longint'(write_to_precharge(CLK_PS));
  localparam longint RTW  = longint'(read_to_write(CLK_PS));
  localparam longint RFC  = longint'(cycles(T_RFC_PS, 0, CLK_PS));
  localparam longint XPR  = longint'(cycles(T_XPR_PS, 5, CLK_PS));
  localparam longint MOD  = longint'(cycles(T_MOD_PS, T_MOD_CK, CLK_PS));
  localparam longint ZQ   = longint'(cycles_of_ck(T_ZQINIT_CK));
  localparam longint REFI = longint'(T_REFI_PS) / longint'(CLK_PS);
  localparam longint PUT_OFF = REFI * (longint'(REFI_MOST) - 1);

  if (cycles_of_ck(T_CCD_CK) > 1) begin : g_bad_ccd
    $error("ddr3_model: tCCD is longer than a controller cycle and must be checked");
  end
  if (longint'(cycles(T_RC_PS, 0, CLK_PS)) > RAS + RP) begin : g_bad_rc
    $error("ddr3_model: tRC is longer than tRAS + tRP and must be checked");
  end

  localparam longint NEVER   = -1000000000;
  localparam int unsigned ROWS_W = $clog2(BYTES) - BANK_W - COL_W - 3;
  localparam int unsigned PIPE   = 16;  // READs under way
  localparam longint READ_CYCLES = longint'(read_cycles(CLK_PS));

  longint             now_q;              // clock edges; the simulator moves it, so nothing but this block looks at it
  logic [BANKS-1:0]   open_q;
  logic [ROW_W-1:0]   row_q      [BANKS];
  longint             activated_q[BANKS]; // when the newest of each command was
  longint             closed_q   [BANKS];
  longint             read_q     [BANKS];
  longint             written_q  [BANKS];
  longint             any_read_q, any_write_q, refreshed_q, cke_at_q, mrs_at_q, zq_at_q;
  longint             activates_q[4];     // the newest first
  longint             due_q;              // when the next refresh is due
  longint             refresh_by_q;       // and when at the latest
  logic [3:0]         modes_q;            // mode registers that were written
  logic               cke_q, up_q;        // up: initialized
  logic [BURST_W-1:0] pipe_q    [PIPE];
  longint             pipe_at_q [PIPE];
  logic [$clog2(PIPE)-1:0] pipe_in_q, pipe_out_q;

  task automatic broken(input string rule, input string what, input int bank);
    $fatal(1, "DDR3 rule broken: %s, %s, bank %0d, cycle %0d", rule, what, bank, now_q);
  endtask

  // `since` + `least` is the first cycle in which something may be.
  function automatic bit early(input longint since, input longint least);
    return now_q < since + least;
  endfunction

  task automatic precharge(input int bank);
    if (early(activated_q[bank], RAS)) broken("tRAS", "PRECHARGE too soon after ACTIVATE", bank);
    if (early(read_q[bank], RTP)) broken("tRTP", "PRECHARGE too soon after READ", bank);
    if (early(written_q[bank], WR)) broken("tWR", "PRECHARGE too soon after WRITE", bank);
    open_q[bank]   <= 1'b0;
    closed_q[bank] <= now_q;
  endtask

  always_ff @(posedge clk) begin
    now_q           <= now_q + 1;
    read_data_valid <= 1'b0;
    if (pipe_in_q != pipe_out_q && pipe_at_q[pipe_out_q] == now_q) begin
      read_data       <= pipe_q[pipe_out_q];
      read_data_valid <= 1'b1;
      pipe_out_q      <= pipe_out_q + 1'b1;
    end
    if (command.cke != cke_q) begin
      cke_q    <= command.cke;
      cke_at_q <= now_q;
      if (command.cke && !command.reset_n && !rst) broken("RESET#", "CKE while RESET# is low", 0);
    end

    if (command.code != CMD_NOP && !rst) begin
      automatic int bank;
      automatic longint offset;
      automatic bit [BURST_W-1:0] data;
      bank = int'(command.bank);

      if (!command.cke || !cke_q || !command.reset_n) broken("CKE", "a command without CKE", bank);
      if (early(cke_at_q, XPR)) broken("tXPR", "a command too soon after CKE", bank);
      if (early(refreshed_q, RFC)) broken("tRFC", "a command too soon after REFRESH", bank);
      if (early(zq_at_q, ZQ)) broken("tZQinit", "a command too soon after ZQCL", bank);
      if (command.code != CMD_MRS && early(mrs_at_q, MOD)) broken("tMOD", "a command too soon after MRS", bank);
      if (up_q && now_q > refresh_by_q) broken("tREFI", "REFRESH was put off for more than 9 tREFI", bank);
      if (!up_q && command.code != CMD_MRS && command.code != CMD_ZQCL)
        broken("power-up", "a command before mode registers and ZQCL", bank);

      case (command.code)
        CMD_ACTIVATE: begin
          if (open_q[bank]) broken("bank state", "ACTIVATE of a bank that is open", bank);
          if (command.address >> ROWS_W != 0) broken("size", "ACTIVATE of a row that is not there", bank);
          if (early(closed_q[bank], RP)) broken("tRP", "ACTIVATE too soon after PRECHARGE", bank);
          if (early(activates_q[0], RRD)) broken("tRRD", "ACTIVATE too soon after ACTIVATE of another bank", bank);
          if (early(activates_q[3], FAW)) broken("tFAW", "the fifth ACTIVATE too soon after the first", bank);
          open_q[bank]      <= 1'b1;
          row_q[bank]       <= command.address;
          activated_q[bank] <= now_q;
          activates_q[0]    <= now_q;
          for (int i = 1; i < 4; i++) activates_q[i] <= activates_q[i-1];
        end

        CMD_READ, CMD_WRITE: begin
          if (!open_q[bank]) broken("bank state", "READ or WRITE of a bank that is closed", bank);
          if (command.address[AP_BIT]) broken("auto-precharge", "READ or WRITE with it is not modelled", bank);
          if (command.address[2:0] != '0) broken("burst", "READ or WRITE within a burst", bank);
          if (early(activated_q[bank], RCD)) broken("tRCD", "READ or WRITE too soon after ACTIVATE", bank);
          offset = longint'({ddr3_line(row_q[bank], command.bank, command.address[COL_W-1:3]), 6'd0});
          if (command.code == CMD_READ) begin
            if (early(any_write_q, WTR)) broken("tWTR", "READ too soon after WRITE", bank);
            nsoc_dram_read(store, offset, data);
            pipe_q[pipe_in_q]    <= data;
            pipe_at_q[pipe_in_q] <= now_q + READ_CYCLES - 1;
            pipe_in_q            <= pipe_in_q + 1'b1;
            read_q[bank]         <= now_q;
            any_read_q           <= now_q;
          end else begin
            if (early(any_read_q, RTW)) broken("turnaround", "WRITE too soon after READ", bank);
            nsoc_dram_write(store, offset, write_data, write_mask);
            written_q[bank] <= now_q;
            any_write_q     <= now_q;
          end
        end

        CMD_PRECHARGE: begin
          for (int b = 0; b < int'(BANKS); b++) begin
            if (open_q[b] && (command.address[AP_BIT] || b == bank)) precharge(b);
          end
        end

        CMD_REFRESH: begin
          if (open_q != '0) broken("bank state", "REFRESH with a bank open", bank);
          for (int b = 0; b < int'(BANKS); b++) begin
            if (early(closed_q[b], RP)) broken("tRP", "REFRESH too soon after PRECHARGE", b);
          end
          refreshed_q  <= now_q;
          // Eight may be done in advance, but the next one must not be later than nine intervals from this one.
          due_q        <= (due_q > now_q + PUT_OFF ? now_q + PUT_OFF : due_q) + REFI;
          refresh_by_q <= (due_q > now_q ? now_q : due_q) + REFI + PUT_OFF;
        end

        CMD_MRS: begin
          if (open_q != '0) broken("bank state", "MRS with a bank open", bank);
          if (command.address != mode_register(32'(bank), CLK_PS))
            broken("mode register", "not what ddr3_pkg says", bank);
          modes_q[command.bank[1:0]] <= 1'b1;
          mrs_at_q                   <= now_q;
        end

        default: begin  // ZQCL
          if (modes_q != '1) broken("power-up", "ZQCL before the four mode registers", bank);
          if (open_q != '0) broken("bank state", "ZQCL with a bank open", bank);
          zq_at_q <= now_q;
          if (!up_q) begin
            due_q        <= now_q + REFI;
            refresh_by_q <= now_q + REFI + PUT_OFF;
          end
          up_q    <= 1'b1;
        end
      endcase
    end

    if (rst) begin
      now_q           <= 0;
      open_q          <= '0;
      modes_q         <= '0;
      cke_q           <= 1'b0;
      up_q            <= 1'b0;
      read_data_valid <= 1'b0;
      pipe_in_q       <= '0;
      pipe_out_q      <= '0;
      any_read_q      <= NEVER;
      any_write_q     <= NEVER;
      refreshed_q     <= NEVER;
      cke_at_q        <= NEVER;
      mrs_at_q        <= NEVER;
      zq_at_q         <= NEVER;
      for (int b = 0; b < int'(BANKS); b++) begin
        activated_q[b] <= NEVER;
        closed_q[b]    <= NEVER;
        read_q[b]      <= NEVER;
        written_q[b]   <= NEVER;
      end
      for (int i = 0; i < 4; i++) activates_q[i] <= NEVER;
    end
  end

  // The offset of a burst, in bursts.
  function automatic logic [LINE_W-1:0] ddr3_line(
    input logic [ROW_W-1:0] row, input logic [BANK_W-1:0] bank, input logic [COL_W-4:0] burst
  );
    return place({row, bank, burst});
  endfunction

endmodule
