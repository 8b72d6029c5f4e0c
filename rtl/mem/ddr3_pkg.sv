// SPDX-License-Identifier: Apache-2.0
//
// DDR3 memory of a KC705: what its controller (dram_controller) and the model of the device (models/ddr3_model.sv) must
// agree on. One rank of eight 128M x 8 chips, speed grade -125, is the board's 1 GB SODIMM MT8JTF12864HZ-1G6G1.
//
// Sources: Micron data sheets "1GB, 2GB, 4GB (x64, SR) 204-Pin DDR3 SODIMM" (jtf8c128_256_512x64hz, rev. G) for the
// module, and of the DDR3 SDRAM MT41J256M8 (AC operating conditions) for the parameters that do not depend on the size;
// tRFC is the one of 1 Gb chips. The module's data sheet allows tRCD = tRP = 13.125 ns; these are the 13.75 ns of
// 11-11-11, which leaves a DDR3-1600 clock no choice anyway: both are 11 cycles.
//
// Times in ps. A controller cycle is four cycles of the memory clock (CK), as with Xilinx' MIG on this board:
// 200 MHz and 800 MHz. The command interface carries one command a controller cycle, in the first of the four CK; with
// BL8 a whole burst, 64 bytes, belongs to a command:
//
//   clk            |  0  |  1  |  2  |  3  |  4  |  ...
//   command        | WR a|     |     | RD b|     |
//   write_data     |  A  |     |     |     |     |         in the cycle of its command
//   read_data_valid|     |     |     |     |     |   ...  | valid, read_data = B: READ_CYCLES after the command
//
// A PHY would stand between this interface and the pins: serializers, read capture and its calibration, and delays that
// put write data CWL behind their command. None is in this tree; in simulation the model stands in its place.
package ddr3_pkg;

  // ---- Size ---------------------------------------------------------------------------------------------------------
  localparam int unsigned BANK_W     = 3;
  localparam int unsigned ROW_W      = 14;
  localparam int unsigned COL_W      = 10;   // of 8 bytes
  localparam int unsigned BANKS      = 2 ** BANK_W;
  localparam int unsigned BURST_W    = 512;  // data bits of a burst: eight beats of 64 bits, beat 0 in [63:0]
  localparam int unsigned MASK_W     = BURST_W / 8;
  localparam int unsigned AP_BIT     = 10;   // of the address: PRECHARGE means all banks

  // ---- Times, ps, and what they are at least in CK ------------------------------------------------------------------
  localparam int unsigned T_AA_PS    = 13750;    // READ to first data: CL
  localparam int unsigned T_RCD_PS   = 13750;    // ACTIVATE to READ or WRITE
  localparam int unsigned T_RP_PS    = 13750;    // PRECHARGE to ACTIVATE or REFRESH
  localparam int unsigned T_RAS_PS   = 35000;    // ACTIVATE to PRECHARGE
  localparam int unsigned T_RC_PS    = 48750;    // ACTIVATE to ACTIVATE of one bank
  localparam int unsigned T_RRD_PS   = 6000;     // ACTIVATE to ACTIVATE of another bank, 1 KB pages
  localparam int unsigned T_RRD_CK   = 4;
  localparam int unsigned T_FAW_PS   = 30000;    // window with at most four ACTIVATEs, 1 KB pages
  localparam int unsigned T_WR_PS    = 15000;    // end of write data to PRECHARGE
  localparam int unsigned T_WTR_PS   = 7500;     // end of write data to READ
  localparam int unsigned T_WTR_CK   = 4;
  localparam int unsigned T_RTP_PS   = 7500;     // READ to PRECHARGE
  localparam int unsigned T_RTP_CK   = 4;
  localparam int unsigned T_CCD_CK   = 4;        // READ to READ, WRITE to WRITE
  localparam int unsigned BURST_CK   = 4;        // a burst on the data bus
  localparam int unsigned T_RTW_CK   = 2;        // bus idle between read and write data, both edges' preambles
  localparam int unsigned T_RFC_PS   = 110000;   // REFRESH to anything, 1 Gb chips
  localparam int unsigned T_REFI_PS  = 7800000;  // REFRESH to REFRESH on average
  localparam int unsigned REFI_MOST  = 9;        // and so many times this at most
  localparam int unsigned T_XPR_PS   = 120000;   // CKE to the first command: tRFC + 10 ns
  localparam int unsigned T_MOD_PS   = 15000;    // MRS to anything else (tMRD, MRS to MRS, is shorter)
  localparam int unsigned T_MOD_CK   = 12;
  localparam int unsigned T_ZQINIT_CK = 512;     // ZQCL after power-up; tDLLK is as long and runs meanwhile
  localparam int unsigned T_RESET_PS = 200000000;  // RESET# low after power-up
  localparam int unsigned T_CKE_PS   = 500000000;  // RESET# high to CKE high

  // What a PHY adds to a read, in controller cycles, there and back: an assumption, for none is here to be measured.
  localparam int unsigned PHY_CYCLES = 4;

  // ---- In cycles ----------------------------------------------------------------------------------------------------
  // CK of a time, with a controller cycle of clk_ps.
  function automatic int unsigned ck(input int unsigned ps, input int unsigned least_ck, input int unsigned clk_ps);
    automatic int unsigned found;
    found = (4 * ps + clk_ps - 1) / clk_ps;
    return found > least_ck ? found : least_ck;
  endfunction

  // Controller cycles that are at least so many CK.
  function automatic int unsigned cycles_of_ck(input int unsigned count);
    return (count + 3) / 4;
  endfunction

  function automatic int unsigned cycles(input int unsigned ps, input int unsigned least_ck, input int unsigned clk_ps);
    return cycles_of_ck(ck(ps, least_ck, clk_ps));
  endfunction

  function automatic int unsigned cl(input int unsigned clk_ps);
    return ck(T_AA_PS, 5, clk_ps);
  endfunction

  // Follows from the clock's speed bin: DDR3-1600, -1333, -1066, -800.
  function automatic int unsigned cwl(input int unsigned clk_ps);
    if (clk_ps < 4 * 1500) return 8;
    if (clk_ps < 4 * 1875) return 7;
    if (clk_ps < 4 * 2500) return 6;
    return 5;
  endfunction

  // WRITE to READ, WRITE to PRECHARGE, READ to WRITE, in controller cycles, for the data bus and the array.
  function automatic int unsigned write_to_read(input int unsigned clk_ps);
    return cycles_of_ck(cwl(clk_ps) + BURST_CK + ck(T_WTR_PS, T_WTR_CK, clk_ps));
  endfunction

  function automatic int unsigned write_to_precharge(input int unsigned clk_ps);
    return cycles_of_ck(cwl(clk_ps) + BURST_CK + ck(T_WR_PS, 0, clk_ps));
  endfunction

  function automatic int unsigned read_to_write(input int unsigned clk_ps);
    return cycles_of_ck(cl(clk_ps) + BURST_CK + T_RTW_CK - cwl(clk_ps));
  endfunction

  // From the cycle of a READ to the cycle of its data.
  function automatic int unsigned read_cycles(input int unsigned clk_ps);
    return cycles_of_ck(cl(clk_ps) + BURST_CK) + PHY_CYCLES;
  endfunction

  // ---- Where a byte is ---------------------------------------------------------------------------------------------
  // Offset bits are row : bank : column : byte, 8 KB of a row together, and the bank is XORed with the row's low bits.
  // The NIC hands out buffers in the order in which they came back, so receive writes and transmit reads are a few
  // buffers of 2 KB apart: in the same open row, or in neighbouring banks. 64 buffers are two rows of all eight banks;
  // only buffers about half of them apart meet in a bank. The XOR keeps what lies multiples of 64 KB apart (stack,
  // data, the first buffer) from meeting in one.
  localparam int unsigned LINE_W = ROW_W + BANK_W + COL_W - 3;  // of the offset of a burst in 64 bytes

  typedef struct packed {
    logic [ROW_W-1:0]  row;
    logic [BANK_W-1:0] bank;
    logic [COL_W-4:0]  burst;
  } dram_place_t;

  // Its own inverse: the place of a line, the line of a place.
  function automatic dram_place_t place(input logic [LINE_W-1:0] line);
    place = line;
    place.bank ^= place.row[BANK_W-1:0];
  endfunction

  // ---- Commands -----------------------------------------------------------------------------------------------------
  // {RAS#, CAS#, WE#} with CS# low.
  typedef enum logic [2:0] {
    CMD_MRS       = 3'b000,
    CMD_REFRESH   = 3'b001,
    CMD_PRECHARGE = 3'b010,
    CMD_ACTIVATE  = 3'b011,
    CMD_WRITE     = 3'b100,
    CMD_READ      = 3'b101,
    CMD_ZQCL      = 3'b110,
    CMD_NOP       = 3'b111
  } command_code_t;

  typedef struct packed {
    logic               reset_n;
    logic               cke;
    command_code_t      code;
    logic [BANK_W-1:0]  bank;
    logic [ROW_W-1:0]   address;  // row, or column of the burst's first 8 bytes, or AP_BIT, or a mode register's value
  } dram_command_t;

  // Mode registers: fixed BL8, sequential; no additive latency; output drive and termination RZQ/7 and RZQ/4.
  function automatic logic [ROW_W-1:0] mode_register(input int unsigned number, input int unsigned clk_ps);
    automatic logic [2:0] latency, recovery;
    automatic int unsigned wr;
    wr       = ck(T_WR_PS, 5, clk_ps);
    recovery = 3'(wr <= 8 ? wr - 4 : (wr + 1) / 2);
    latency  = 3'(cl(clk_ps) - 4);
    case (number)
      0:       return {2'b00, recovery, 1'b1, 1'b0, latency, 4'b0000};  // DLL reset
      1:       return 14'b00_0000_0000_0110;
      2:       return {8'd0, 3'(cwl(clk_ps) - 5), 3'b000};
      default: return '0;
    endcase
  endfunction

endpackage
