// SPDX-License-Identifier: Apache-2.0
//
// The NIC's interrupt: causes, mask, and moderation by count and by time (irq_moderation in regs/nic.rdl).
//
//     error ------------------------------------------------> raised --> irq (while enabled)
//     rx_ready, tx_done --> count and time since the first --/   stays until no unmasked cause is left
//
// A frame waits for its interrupt while its cause stands: the time runs whenever an unmasked cause stands and the line
// is not raised, however the cause came (a delivery, a push by the processor, a change of the mask). So a count that is
// never reached cannot lose an interrupt. A cause that is gone before the line rose (the processor polled) takes its
// count and its time with it. A tx_done or error in the cycle of the write that clears it stays.
//
// Latency: an error, or a frame that is due at once, is seen on `irq` two cycles after its event (two after the write
// that unmasks it); a frame that fills the count four cycles after its event; one that waits for n cycles n + 3 after
// it. The line falls one cycle after the last unmasked cause has gone.
module nic_irq
  import nic_regs_pkg::*;
#(
  localparam int unsigned SERVERS = RXQ_COUNT
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               enable,      // the line is driven
  /* verilator lint_off UNUSEDSIGNAL */   // reserved bits
  input  irq_mask_t          mask,
  input  irq_status_t        clear,       // bits to clear, for a cycle
  /* verilator lint_on UNUSEDSIGNAL */
  input  irq_moderation_t    moderation,
  input  logic [SERVERS-1:0] rx_empty,    // receive queues
  input  logic [SERVERS-1:0] rx_event,    // a frame comes into receive queue s: rx_empty[s] is low in the next cycle
  input  logic               tx_event,    // a buffer is back from transmission
  input  logic               error_event,
  output irq_status_t        status,
  output logic               irq
);

  logic               tx_done_q, error_q, irq_q, raised_q, raised;
  logic [SERVERS-1:0] rx_event_q;
  logic               tx_event_q;
  logic               standing;           // an unmasked cause that is moderated
  logic               at_once_q;          // no moderation
  logic               due_q;
  logic [1:0]         come;               // frames, in this cycle
  logic [8:0]         count_q;            // frames since no cause stood, up to 256
  logic [23:0]        waited_q;           // cycles of the first of them

  always_comb begin
    status          = '0;
    status.rx_ready = ~rx_empty;
    status.tx_done  = tx_done_q;
    status.error    = error_q;
  end

  assign standing = (mask.rx_ready & ~rx_empty) != '0 || (mask.tx_done && tx_done_q);
  assign come     = 2'((rx_event_q & mask.rx_ready) != '0) + 2'(tx_event_q && mask.tx_done);
  assign raised   = (mask.error && error_q) || (standing && (raised_q || at_once_q || due_q));

  always_ff @(posedge clk) begin
    tx_done_q  <= tx_event || (tx_done_q && !clear.tx_done);
    error_q    <= error_event || (error_q && !clear.error);
    rx_event_q <= rx_event;
    tx_event_q <= tx_event;
    at_once_q  <= moderation.frames <= 8'd1 || moderation.cycles == '0;
    due_q      <= standing && (count_q >= 9'(moderation.frames) || waited_q >= moderation.cycles);
    if (!standing) begin
      count_q  <= '0;
      waited_q <= '0;
    end else begin
      if (!count_q[8]) count_q <= count_q + 9'(come);
      if (waited_q != '1) waited_q <= waited_q + 1'b1;
    end
    raised_q <= raised;
    irq_q    <= raised && enable;
    if (rst) begin
      tx_done_q  <= 1'b0;
      error_q    <= 1'b0;
      rx_event_q <= '0;
      tx_event_q <= 1'b0;
      due_q      <= 1'b0;
      count_q    <= '0;
      waited_q   <= '0;
      raised_q   <= 1'b0;
      irq_q      <= 1'b0;
    end
  end

  assign irq = irq_q;

  // Nothing stands that is not on its way: what stands is raised, or waits and has not waited for too long. (One cycle
  // of tolerance for moderation that is being changed.)
  a_raised : assert property (@(posedge clk) disable iff (rst)
    !(standing && waited_q > moderation.cycles && $stable(moderation) && $past(standing)) || raised);
  a_falls : assert property (@(posedge clk) disable iff (rst)
    !(!standing && !(mask.error && error_q)) || !raised);

endmodule
