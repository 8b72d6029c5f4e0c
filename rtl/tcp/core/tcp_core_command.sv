// SPDX-License-Identifier: Apache-2.0
//
// What a command of the processor does: `command` of step.py and what it calls. In cycle 5 of an event it is looked at its
// arguments and at whether it may be done; `over`, what ends the connection, holds in cycle 6. In cycle 7 the record changes.
module tcp_core_command
  import tcp_pkg::*;
  import tcp_step_pkg::*;
(
  input  logic       clk,
  /* verilator lint_off UNUSEDSIGNAL */  // not all of them
  input  logic [9:1] at,
  input  logic       active,       // the event is a command; else nothing is changed or told
  input  op_t        op,           // STATUS, which changes nothing, when it is not a command
  input  command_t   command,
  input  record_t    r,            // of OPEN and SETUP: as it begins
  input  record_t    r_in,
  input  seq_t       moves_to,     // of SEND and READ
  input  logic       give_bad,
  input  logic       read_bad,
  input  logic       unread,
  /* verilator lint_on UNUSEDSIGNAL */

  output record_t    r_d,
  output idle_t      start_idle,
  output actions_t   actions,
  output end_t       over,
  output logic       reads,        // in cycle 7: the peer is told if the window has opened enough; ...
  output logic       gives         // ... there is more to send
);

  typedef struct packed {              // what is done
    logic setup;
    logic option;
    logic open;
    logic listen;
    logic send;
    logic read;
    logic close;                       // of a connection that goes on, if nothing is unread or ...
    logic deaf;                        // ... it is not the reader who closes
    logic release_it;
    logic closes_listener;
    logic uncounts;
  } deed_t;

  logic    unused, is_set_up, bad_option, bad_option_q, deaf;
  answer_t opted_q, answer, answer_q;
  logic    finishes, finishes_q, aborts, aborts_q, aborted, closes_q, awake_q;
  deed_t   deed, deed_q;

  assign is_set_up = r.options.mtu != '0;
  assign unused    = r.state == CLOSED && !r.owned && !r.pooled;
  assign deaf      = op == OP_CLOSE;

  always_comb begin
    unique case (command.a)
      32'd0, 32'd1, 32'd2, 32'd3: bad_option = command.b[31:1] != '0;
      32'd4, 32'd5:               bad_option = command.b[31:16] != '0;
      32'd6:                      bad_option = command.b[31:8] != '0 || command.b == '0;
      32'd7:                      bad_option = command.b[31:6] != '0;
      32'd8:                      bad_option = command.b[31:14] != '0 || command.b < 32'(LEAST_MTU);
      default:                    bad_option = 1'b1;
    endcase
  end

  always_comb begin
    deed     = '0;
    finishes = 1'b0;
    aborts   = 1'b0;
    answer   = BAD_STATE;
    unique case (op)
      OP_SETUP:  deed.setup = unused;  // nothing else is left in it
      OP_OPTION: begin
        answer      = opted_q;
        deed.option = opted_q == DONE;
      end
      OP_OPEN:   deed.open = unused && is_set_up;
      OP_LISTEN: deed.listen = unused && is_set_up;
      OP_ACCEPT: begin
        deed.uncounts = r.counted && r.owned;
        if (r.counted && r.owned) answer = DONE;
      end
      OP_SEND: deed.send = r.owned && (r.state inside {SYN_SENT, SYN_RCVD, ESTABLISHED, CLOSE_WAIT}) && !r.fin_queued;
      OP_READ: deed.read = r.owned && r.state != LISTEN && r.state != SYN_SENT;
      OP_SHUTDOWN, OP_CLOSE: if (r.owned && r.state != CLOSED && !(r.fin_queued && (r.deaf || !deaf))) begin
        answer = DONE;
        if (r.state == LISTEN) deed.closes_listener = 1'b1;
        else if (r.state == SYN_SENT) finishes = 1'b1;
        else begin
          deed.uncounts = 1'b1;
          deed.close    = 1'b1;
          deed.deaf     = deaf;
        end
      end
      OP_ABORT: if (r.owned && r.state != CLOSED) begin
        answer = DONE;
        if (r.state == LISTEN) deed.closes_listener = 1'b1;
        else begin
          aborts        = 1'b1;
          deed.uncounts = 1'b1;
        end
      end
      OP_RELEASE: begin
        deed.release_it = r.owned && r.state == CLOSED && r.children == '0;
        deed.uncounts   = deed.release_it;
      end
      OP_STATUS: answer = DONE;
      default: ;
    endcase
    if (deed.setup || deed.open || deed.listen || deed.release_it) answer = DONE;
  end

  always_ff @(posedge clk) begin
    if (at[3]) bad_option_q <= bad_option;
    if (at[4]) begin
      opted_q <= bad_option_q ? BAD_VALUE
                 : !is_set_up || (command.a == 32'd8 && r.state != CLOSED && r.state != LISTEN) ? BAD_STATE : DONE;
    end
    if (at[5]) begin
      deed_q     <= deed;
      answer_q   <= answer;
      finishes_q <= finishes;
      aborts_q   <= aborts;
    end
    if (at[6]) begin
      closes_q <= deed_q.close && !aborted;
      awake_q  <= r.state inside {ESTABLISHED, CLOSE_WAIT};
    end
  end

  assign aborted = aborts_q || (deed_q.close && deed_q.deaf && unread);
  assign over    = aborted ? '{valid: 1'b1, reset: 1'b1, why: WHY_ABORTED}
                   : finishes_q ? '{valid: 1'b1, reset: 1'b0, why: WHY_FINISHED} : '0;

  always_comb begin
    r_d            = r_in;
    start_idle     = '0;
    actions        = '0;
    actions.answer = answer_q;
    reads          = 1'b0;
    gives          = deed_q.send && !give_bad;
    if (deed_q.setup) begin
      actions.pool  = command.b[0];
      r_d.rx_ring   = command.a[2:0];
      r_d.tx_ring   = command.a[5:3];
      r_d.pooled    = command.b[0];
      r_d.options.keep_idle = 16'd6867;
      r_d.options.patience  = 16'd96;
      r_d.options.ttl       = 8'd64;
      r_d.options.mtu       = 14'd1500;
    end
    if (deed_q.option) begin
      unique case (command.a[3:0])
        4'd0:    r_d.options.nagle_off = command.b[0];
        4'd1:    r_d.options.ack_at_once = command.b[0];
        4'd2:    r_d.options.quiet = command.b[0];
        4'd3:    r_d.options.keep_on = command.b[0];
        4'd4:    r_d.options.keep_idle = command.b[15:0];
        4'd5:    r_d.options.patience = command.b[15:0];
        4'd6:    r_d.options.ttl = command.b[7:0];
        4'd7:    r_d.options.dscp = command.b[5:0];
        default: r_d.options.mtu = command.b[13:0];
      endcase
      if (command.a[3:0] == 4'd3 && !command.b[0] && awake_q) r_d.idle_on = 1'b0;
      if (awake_q && (command.a[3:0] == 4'd3 ? command.b[0] : r.options.keep_on)) begin
        r_d.idle_on     = 1'b1;
        start_idle.keep = 1'b1;
        r_d.keep_count  = '0;
      end
    end
    if (deed_q.open) begin
      actions.index = INDEX_INSERT;
      r_d.state     = SYN_SENT;
      r_d.owned     = 1'b1;
    end
    if (deed_q.listen) begin
      actions.index = INDEX_LISTEN;
      r_d.state     = LISTEN;
      r_d.owned     = 1'b1;
      r_d.why       = WHY_NOT;
      r_d.backlog   = command.a[31:8] != '0 ? 8'd255 : command.a[7:0];
      r_d.children  = '0;
      r_d.closing   = 1'b0;
    end
    if (deed_q.send) begin
      actions.answer = give_bad ? BAD_VALUE : DONE;
      if (gives) begin
        r_d.tail = moves_to;
        if (command.b[0]) begin
          r_d.urgent_out = 1'b1;
          r_d.snd_up     = moves_to;
        end
      end
    end
    if (deed_q.read) begin
      actions.answer = read_bad ? BAD_VALUE : DONE;
      if (!read_bad) begin
        r_d.rcv_read = moves_to;
        reads        = receiving(r.state);
      end
    end
    if (closes_q) begin
      if (deed_q.deaf) r_d.deaf = 1'b1;
      if (!r.fin_queued) begin
        r_d.fin_queued = 1'b1;
        if (r.state == ESTABLISHED || r.state == CLOSE_WAIT) begin
          r_d.state   = r.state == ESTABLISHED ? FIN_WAIT_1 : LAST_ACK;
          r_d.idle_on = 1'b0;
        end
      end
      if (r.state == FIN_WAIT_2 && (r.deaf || deed_q.deaf)) begin  // forget_later
        r_d.idle_on         = 1'b1;
        start_idle.fin_wait = 1'b1;
      end
    end
    if (deed_q.release_it) begin
      actions.pool = r.pooled;
      r_d.owned    = 1'b0;
    end
    if (deed_q.uncounts && r.counted) begin
      r_d.counted   = 1'b0;
      actions.chain = CHAIN_LEAVE;
    end
    if (deed_q.closes_listener) begin
      actions.index = INDEX_REMOVE;
      r_d.closing   = 1'b1;
      if (r.children == '0) begin  // listener_over
        r_d.state             = CLOSED;
        r_d.why               = WHY_FINISHED;
        r_d.closing           = 1'b0;
        actions.notify.closed = r.owned;
      end
    end
    if (!active) actions = '0;
  end

  // A command does one thing; what else is said goes with it.
  a_deed : assert property (@(posedge clk) at[5] -> $onehot0({
    deed.setup, deed.option, deed.open, deed.listen, deed.send, deed.read, deed.close, deed.release_it,
    deed.closes_listener, finishes, aborts}));

endmodule
