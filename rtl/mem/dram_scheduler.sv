// SPDX-License-Identifier: Apache-2.0
//
// The command side of dram_controller: bursts in, DDR3 commands out, in the order of the bursts. Open-page policy: a
// row stays open until another one of its bank is wanted, or until a refresh.
//
// It decides on a command at most every SPACING (3) cycles. That is more bursts than the 64-bit bus in front can ask
// for, and at 200 MHz and below it is at once tRCD, tRP, tRRD, tCCD, tRTP, tMOD, the read-to-write turnaround, and a
// third more than tFAW needs: none of them costs a counter. What is longer is counted: tRAS and the write recovery for
// each bank, write to read for all (tRC = tRAS + tRP follows). It is also what makes the paths short: the cycle after a
// decision the command is in its output register, the next one the state of the banks, then what a decision looks at
// (does the burst hit its row, is the bank closed, may it be precharged), all of it registers.
//
//   clk       |  0  |  1  |  2  |  3  |  4  |  5  |  6  |
//   op        | op  |     |     |     |     |     |     |     taken at the edge behind 0
//   looked up |     |  x  |     |     |     |     |     |
//   decision  |     |     | ACT |     |     | RD  |     |
//   command   |     |     |     | ACT |     |     | RD  |
//
// Latency from op to its READ or WRITE: 3 cycles when the row is open, 6 when the bank is closed, 9 when another row is
// open. While the oldest burst cannot have its turn, the bank of the next one is made ready.
//
// Refresh: every tREFI, before anything else, as soon as all banks may be precharged: PRECHARGE all, REFRESH, 3 + tRFC
// cycles in all, after which all banks are closed.
module dram_scheduler
  import ddr3_pkg::*;
#(
  parameter int unsigned CLK_PS       = 5000,
  parameter int unsigned RESET_CYCLES = cycles(T_RESET_PS, 0, CLK_PS),
  parameter int unsigned CKE_CYCLES   = cycles(T_CKE_PS, 0, CLK_PS)
) (
  input  logic     clk,
  input  logic     rst,

  input  dram_place_t op_place,
  input  logic     op_write,
  input  logic     op_valid,
  output logic     op_ready,

  output dram_command_t command,
  output logic     write_now,  // the next command is a WRITE: of the oldest burst whose data have not been asked for
  output logic     idle        // nothing to do, and all counters but the one to the next refresh have run out
);

  localparam int unsigned SPACING = 3;
  localparam int unsigned DEPTH   = 4;
  localparam int unsigned LOOK    = 2;  // bursts that are looked at

  localparam int unsigned REFI  = 4 * T_REFI_PS / CLK_PS / 4;
  localparam int unsigned RFC   = cycles(T_RFC_PS, 0, CLK_PS);
  // A counter is loaded the cycle after its command's decision and looked at the cycle before the next one's.
  localparam int unsigned RAS   = cycles(T_RAS_PS, 0, CLK_PS) - SPACING;
  localparam int unsigned WRITE = write_to_precharge(CLK_PS) - SPACING;
  localparam int unsigned WTR   = write_to_read(CLK_PS) - SPACING;

  if (CLK_PS < 5000 || CLK_PS > 10000) begin : g_bad_clock
    $error("dram_scheduler: CLK_PS must be from 5000 (DDR3-1600) to 10000 (DDR3-800)");
  end
  if (cycles(T_RCD_PS, 0, CLK_PS) > SPACING || cycles(T_RP_PS, 0, CLK_PS) > SPACING
      || cycles(T_RRD_PS, T_RRD_CK, CLK_PS) > SPACING || cycles(T_RTP_PS, T_RTP_CK, CLK_PS) > SPACING
      || cycles(T_MOD_PS, T_MOD_CK, CLK_PS) > SPACING || cycles_of_ck(T_CCD_CK) > SPACING
      || cycles(T_FAW_PS, 0, CLK_PS) > 4 * SPACING || read_to_write(CLK_PS) > SPACING) begin : g_bad_spacing
    $error("dram_scheduler: a memory with these times needs another SPACING");
  end
  if (cycles(T_RAS_PS, 0, CLK_PS) + cycles(T_RP_PS, 0, CLK_PS) < cycles(T_RC_PS, 0, CLK_PS)) begin : g_bad_rc
    $error("dram_scheduler: tRC must be at most tRAS + tRP");
  end
  if (cycles(T_RAS_PS, 0, CLK_PS) < SPACING || write_to_precharge(CLK_PS) < SPACING) begin : g_bad_ras
    $error("dram_scheduler: tRAS and the write recovery must be at least SPACING");
  end

  // ---- The bursts ---------------------------------------------------------------------------------------------------
  typedef struct packed {
    logic        write;
    dram_place_t place;
  } dram_op_t;

  dram_op_t                   ops_q [DEPTH];  // the oldest is 0
  logic [$clog2(DEPTH+1)-1:0] count_q;
  logic                       take, done;

  assign op_ready = count_q != ($clog2(DEPTH + 1))'(DEPTH);
  assign take     = op_valid && op_ready;

  always_ff @(posedge clk) begin
    if (take || done) begin
      if (done) for (int unsigned i = 0; i < DEPTH - 1; i++) ops_q[i] <= ops_q[i+1];
      if (take) begin
        for (int unsigned i = 0; i < DEPTH; i++) begin
          if (($clog2(DEPTH + 1))'(i) == count_q - ($clog2(DEPTH + 1))'(done)) ops_q[i] <= '{op_write, op_place};
        end
      end
      count_q <= count_q + ($clog2(DEPTH + 1))'(take) - ($clog2(DEPTH + 1))'(done);
    end
    if (rst) count_q <= '0;
  end

  // ---- The banks, as of the command before the last cycle -----------------------------------------------------------
  localparam int unsigned KEEP_W = $clog2((RAS > WRITE ? RAS : WRITE) + 2);
  localparam int unsigned WTR_W  = $clog2(WTR + 2);

  dram_command_t     command_q;
  logic [BANKS-1:0]  open_q, keep_q;               // keep: PRECHARGE must wait
  logic [ROW_W-1:0]  row_q      [BANKS];
  logic [KEEP_W-1:0] keep_for_q [BANKS];
  logic [WTR_W-1:0]  wtr_q;                        // READ must wait
  logic              counting_q;                   // some counter has not run out

  always_ff @(posedge clk) begin
    if (counting_q) begin
      for (int unsigned b = 0; b < BANKS; b++) begin
        if (keep_q[b]) keep_for_q[b] <= keep_for_q[b] - 1'b1;
        if (keep_for_q[b] <= KEEP_W'(1)) keep_q[b] <= 1'b0;
      end
      if (wtr_q != '0) wtr_q <= wtr_q - 1'b1;
      counting_q <= keep_q != '0 || wtr_q != '0;
    end
    case (command_q.code)
      CMD_ACTIVATE: begin
        open_q[command_q.bank]     <= 1'b1;
        row_q[command_q.bank]      <= command_q.address;
        keep_q[command_q.bank]     <= RAS != 0;
        keep_for_q[command_q.bank] <= KEEP_W'(RAS);
        counting_q                 <= 1'b1;
      end
      CMD_WRITE: begin
        keep_q[command_q.bank]     <= WRITE != 0;
        keep_for_q[command_q.bank] <= KEEP_W'(WRITE);
        wtr_q                      <= WTR_W'(WTR);
        counting_q                 <= 1'b1;
      end
      CMD_PRECHARGE: begin
        if (command_q.address[AP_BIT]) open_q <= '0;
        else open_q[command_q.bank] <= 1'b0;
      end
      default: ;
    endcase
    if (rst) begin
      open_q     <= '0;
      keep_q     <= '0;
      wtr_q      <= '0;
      counting_q <= 1'b0;
    end
  end

  // ---- What a decision looks at: of the two oldest bursts -----------------------------------------------------------
  logic [LOOK-1:0] there_q, hit_q, closed_q, free_q;  // free: the bank may be precharged
  logic            other_q;                           // they are in different banks
  logic            read_ok_q, all_free_q;

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < LOOK; i++) begin
      there_q[i]  <= count_q > ($clog2(DEPTH + 1))'(i);
      hit_q[i]    <= open_q[ops_q[i].place.bank] && row_q[ops_q[i].place.bank] == ops_q[i].place.row;
      closed_q[i] <= !open_q[ops_q[i].place.bank];
      free_q[i]   <= !keep_q[ops_q[i].place.bank];
    end
    other_q    <= ops_q[0].place.bank != ops_q[1].place.bank;
    read_ok_q  <= wtr_q == '0;
    all_free_q <= keep_q == '0;
    if (rst) there_q <= '0;
  end

  // ---- The decision -------------------------------------------------------------------------------------------------
  typedef enum logic [1:0] {INIT, RUN, REFRESH} state_t;
  typedef enum logic [2:0] {IN_RESET, NO_CKE, MRS2, MRS3, MRS1, MRS0, ZQCL, READY} init_t;

  localparam int unsigned XPR     = cycles(T_XPR_PS, 5, CLK_PS);
  localparam int unsigned ZQINIT  = cycles_of_ck(T_ZQINIT_CK);
  localparam int unsigned LONGEST = CKE_CYCLES > RESET_CYCLES ? CKE_CYCLES : RESET_CYCLES;
  localparam int unsigned WAIT_W  = $clog2((LONGEST > ZQINIT ? LONGEST : ZQINIT) + 1);

  state_t                    state_q;
  init_t                     init_q;
  logic [WAIT_W-1:0]         wait_q;       // of INIT and REFRESH
  logic [1:0]                pause_q;      // cycles in which no decision is possible
  logic [$clog2(REFI+1)-1:0] refi_q;       // to the next refresh; the simulator moves it, nothing else may look at it
  logic                      refresh_q;    // it is time for one
  logic                      able, serve, act_0, pre_0, use_0, act_1, pre_1;

  assign able  = state_q == RUN && pause_q == '0 && !refresh_q;
  assign serve = able && there_q[0] && hit_q[0] && (ops_q[0].write || read_ok_q);
  assign act_0 = able && there_q[0] && closed_q[0];
  assign pre_0 = able && there_q[0] && !closed_q[0] && !hit_q[0] && free_q[0];
  assign use_0 = serve || act_0 || pre_0;
  assign act_1 = able && !use_0 && there_q[1] && other_q && closed_q[1];
  assign pre_1 = able && !use_0 && there_q[1] && other_q && !closed_q[1] && !hit_q[1] && free_q[1];

  assign done      = serve;
  assign write_now = serve && ops_q[0].write;
  assign command   = command_q;
  assign idle      = state_q == RUN && pause_q == '0 && !refresh_q && count_q == '0 && !counting_q;

  always_ff @(posedge clk) begin
    command_q.code <= CMD_NOP;
    if (pause_q != '0) pause_q <= pause_q - 1'b1;
    if (wait_q != '0) wait_q <= wait_q - 1'b1;

    case (state_q)
      INIT: begin
        if (wait_q == '0) begin
          init_q            <= init_t'(init_q + 3'd1);
          wait_q            <= WAIT_W'(SPACING);
          command_q.reset_n <= 1'b1;
          case (init_q)
            IN_RESET: wait_q <= WAIT_W'(CKE_CYCLES);
            NO_CKE: begin
              command_q.cke <= 1'b1;
              wait_q        <= WAIT_W'(XPR);
            end
            MRS2: begin
              command_q.code    <= CMD_MRS;
              command_q.bank    <= 3'd2;
              command_q.address <= mode_register(2, CLK_PS);
            end
            MRS3: begin
              command_q.code    <= CMD_MRS;
              command_q.bank    <= 3'd3;
              command_q.address <= mode_register(3, CLK_PS);
            end
            MRS1: begin
              command_q.code    <= CMD_MRS;
              command_q.bank    <= 3'd1;
              command_q.address <= mode_register(1, CLK_PS);
            end
            MRS0: begin
              command_q.code    <= CMD_MRS;
              command_q.bank    <= 3'd0;
              command_q.address <= mode_register(0, CLK_PS);
            end
            ZQCL: begin
              command_q.code            <= CMD_ZQCL;
              command_q.address[AP_BIT] <= 1'b1;
              wait_q                    <= WAIT_W'(ZQINIT);
            end
            default: state_q <= RUN;  // READY
          endcase
        end
      end

      RUN: begin
        if (refresh_q) begin
          if (pause_q == '0 && all_free_q) begin
            command_q.code            <= CMD_PRECHARGE;
            command_q.address[AP_BIT] <= 1'b1;
            state_q                   <= REFRESH;
            wait_q                    <= WAIT_W'(SPACING - 1);
          end
        end else if (serve) begin
          command_q.code    <= ops_q[0].write ? CMD_WRITE : CMD_READ;
          command_q.bank    <= ops_q[0].place.bank;
          command_q.address <= {4'd0, ops_q[0].place.burst, 3'd0};
        end else if (act_0 || act_1) begin
          command_q.code    <= CMD_ACTIVATE;
          command_q.bank    <= act_0 ? ops_q[0].place.bank : ops_q[1].place.bank;
          command_q.address <= act_0 ? ops_q[0].place.row : ops_q[1].place.row;
        end else if (pre_0 || pre_1) begin
          command_q.code    <= CMD_PRECHARGE;
          command_q.bank    <= pre_0 ? ops_q[0].place.bank : ops_q[1].place.bank;
          command_q.address <= '0;
        end
        if (use_0 || act_1 || pre_1) pause_q <= 2'(SPACING - 1);
      end

      default: begin  // REFRESH, and what follows it
        if (wait_q == '0) begin
          if (refresh_q) begin
            command_q.code <= CMD_REFRESH;
            refresh_q      <= 1'b0;
            wait_q         <= WAIT_W'(RFC - 1);
          end else begin
            state_q <= RUN;
          end
        end
      end
    endcase

    if (refi_q == '0) begin
      refi_q    <= $bits(refi_q)'(REFI - 1);
      refresh_q <= 1'b1;
    end else begin
      refi_q <= refi_q - 1'b1;
    end

    if (rst) begin
      command_q <= '{reset_n: 1'b0, cke: 1'b0, code: CMD_NOP, bank: '0, address: '0};
      state_q   <= INIT;
      init_q    <= IN_RESET;
      wait_q    <= WAIT_W'(RESET_CYCLES);
      pause_q   <= '0;
      refi_q    <= $bits(refi_q)'(REFI - 1);
      refresh_q <= 1'b0;
    end
  end

endmodule
