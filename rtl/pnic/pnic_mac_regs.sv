// SPDX-License-Identifier: Apache-2.0
//
// Registers of the MAC, block 5 of pnic_far: what the MAC is told, and how many frames had which end there.
//    0  CONTROL       [0] promiscuous, [1] broadcast, [2] send pause frames when the RX FIFO fills, [3] obey pause frames.
//                     After reset 3: every frame is taken, and there are no pauses
//    1  ADDRESS_LOW   of the MAC, its last four bytes; for the filter, and the source of pause frames
//    2  ADDRESS_HIGH  its first two
//    3  HASH_LOW      group addresses that are taken, see mac_settings_t
//    4  HASH_HIGH
//    5  LINK          read: [0] what comes in tells of a fault there, [1] there is a fault on the way here
//   16  and on        read: counters of mac_stat_t from its lowest bit on, of 32 bits; they wrap around
// A write has all settings brought to the MAC's clock together, some cycles later; of writes that come meanwhile the last
// one counts.
//
// Counting: the MAC shows pulses, at most one for each direction and frame; they come here by a FIFO, and one is counted a
// cycle. That keeps up with minimum frames both ways from 30 MHz on. Pulses that find it full are counted by `missed`,
// register 15: it stays 0 then.
//
// Latency as assist_reg_t wants it: data in the cycle behind. Borders: registers.
module pnic_mac_regs
  import pnic_pkg::*;
#(
  parameter int unsigned DEPTH = 16
) (
  input  logic        clk,
  input  logic        rst,
  input  assist_reg_t regs,
  output logic [31:0] regs_data,
  input  logic        mac_clk,
  input  logic        mac_rst,
  output mac_pkg::mac_settings_t settings,
  input  xgmii_pkg::link_fault_t link_fault,
  input  mac_pkg::mac_stat_t     stat
);

  localparam logic [5:0] CONTROL = 6'd0, ADDRESS_LOW = 6'd1, ADDRESS_HIGH = 6'd2, HASH_LOW = 6'd3, HASH_HIGH = 6'd4,
                         LINK = 6'd5, MISSED = 6'd15;
  localparam int unsigned ENDS   = $bits(mac_pkg::mac_stat_t);
  localparam int unsigned ENDS_W = $clog2(ENDS);

  typedef struct packed {
    logic [63:0] hash;
    logic [47:0] address;
    logic        rx_pause;
    logic        tx_pause;
    logic        broadcast;
    logic        promiscuous;
  } written_settings_t;

  // ---- Settings
  written_settings_t told_q, told_in_mac, mac_q;
  logic  changed_q, told_ready, told_valid, write;
  xgmii_pkg::link_fault_t fault;

  assign write = regs.valid && regs.write;

  always_ff @(posedge clk) begin
    if (told_ready) changed_q <= 1'b0;
    if (write) begin
      changed_q <= 1'b1;
      case (regs.number)
        CONTROL:      {told_q.rx_pause, told_q.tx_pause, told_q.broadcast, told_q.promiscuous} <= regs.data[3:0];
        ADDRESS_LOW:  told_q.address[31:0]  <= regs.data;
        ADDRESS_HIGH: told_q.address[47:32] <= regs.data[15:0];
        HASH_LOW:     told_q.hash[31:0]     <= regs.data;
        HASH_HIGH:    told_q.hash[63:32]    <= regs.data;
        default:      changed_q <= changed_q && !told_ready;
      endcase
    end
    if (rst) begin
      told_q    <= '{promiscuous: 1'b1, broadcast: 1'b1, default: '0};
      changed_q <= 1'b0;
    end
  end

  sync_handshake #(.WIDTH($bits(written_settings_t))) u_told (
    .wr_clk(clk), .wr_rst(rst), .wr_data(told_q), .wr_valid(changed_q), .wr_ready(told_ready),
    .rd_clk(mac_clk), .rd_rst(mac_rst), .rd_data({told_in_mac}), .rd_valid(told_valid)
  );

  always_ff @(posedge mac_clk) begin
    if (told_valid) mac_q <= told_in_mac;
    if (mac_rst) mac_q <= '{promiscuous: 1'b1, broadcast: 1'b1, default: '0};
  end

  assign settings = '{mac_address: mac_q.address, multicast_hash: mac_q.hash, broadcast: mac_q.broadcast,
                      promiscuous: mac_q.promiscuous, tx_pause: mac_q.tx_pause, rx_pause: mac_q.rx_pause, default: '0};

  sync_bits #(.WIDTH($bits(link_fault))) u_fault (.clk, .rst, .d(link_fault), .q({fault}));

  // ---- Ends of frames
  mac_pkg::mac_stat_t stat_q, ends;
  logic               some_q, ready, ends_valid, next;
  logic [ENDS-1:0]    left_q;  // of these pulses still to be counted
  logic [ENDS_W-1:0]  at;
  logic               clearing_q;

  always_ff @(posedge mac_clk) begin
    stat_q <= stat;
    some_q <= |stat;
    if (mac_rst) some_q <= 1'b0;
  end

  fifo_async #(.WIDTH(ENDS), .DEPTH(DEPTH)) u_ends (
    .wr_clk(mac_clk), .wr_rst(mac_rst), .wr_data(stat_q), .wr_valid(some_q), .wr_ready(ready),
    .rd_clk(clk), .rd_rst(rst), .rd_data({ends}), .rd_valid(ends_valid), .rd_ready(next)
  );

  // How often it was full: Gray, as it goes up by one.
  logic [7:0] missed_q, missed_gray_q, missed_gray, missed;

  always_ff @(posedge mac_clk) begin
    missed_q      <= missed_q + 8'(some_q && !ready && missed_q != '1);
    missed_gray_q <= missed_q ^ (missed_q >> 1);
    if (mac_rst) begin
      missed_q      <= '0;
      missed_gray_q <= '0;
    end
  end

  sync_bits #(.WIDTH(8)) u_missed (.clk, .rst, .d(missed_gray_q), .q(missed_gray));
  for (genvar b = 0; b < 8; b++) begin : g_binary
    assign missed[b] = ^missed_gray[7:b];
  end

  always_comb begin
    at = '0;
    for (int unsigned e = ENDS; e > 0; e--) if (left_q[e-1]) at = ENDS_W'(e - 1);
  end

  assign next = (left_q & (left_q - 1'b1)) == '0 && !clearing_q;  // the last of these is counted in this cycle

  // Counts lie in distributed memory, one is written a cycle; after reset all are cleared.
  (* ram_style = "distributed" *) logic [31:0] counts [1 << ENDS_W];
  logic              counted;
  logic [ENDS_W-1:0] clear_q, place;

  assign counted = |left_q;
  assign place   = clearing_q ? clear_q : at;

  always_ff @(posedge clk) begin
    if (clearing_q || counted) counts[place] <= clearing_q ? '0 : counts[place] + 32'd1;
    if (clearing_q) begin
      clear_q    <= clear_q + 1'b1;
      clearing_q <= clear_q != '1;
    end else if (next) begin
      left_q <= ends_valid ? ends : '0;
    end else begin
      left_q <= left_q & (left_q - 1'b1);
    end
    if (rst) begin
      clearing_q <= 1'b1;
      clear_q    <= '0;
      left_q     <= '0;
    end
  end

  // ---- Reading
  always_ff @(posedge clk) begin
    case (regs.number)
      CONTROL:      regs_data <= 32'({told_q.rx_pause, told_q.tx_pause, told_q.broadcast, told_q.promiscuous});
      ADDRESS_LOW:  regs_data <= told_q.address[31:0];
      ADDRESS_HIGH: regs_data <= 32'(told_q.address[47:32]);
      HASH_LOW:     regs_data <= told_q.hash[31:0];
      HASH_HIGH:    regs_data <= told_q.hash[63:32];
      LINK:         regs_data <= 32'(fault);
      MISSED:       regs_data <= 32'(missed);
      default:      regs_data <= regs.number[5:4] == 2'b01 ? counts[ENDS_W'(regs.number[3:0])] : '0;  // others are 0
    endcase
  end

endmodule
