// SPDX-License-Identifier: Apache-2.0
//
// One queue of buffer pointers in memory (regs/memory_queue.rdl), which a processor works on, too: NIC_1.1.
//
//     push --> register --+                        +--> lock, head and tail, entry
//                         +--> operation --> ACB --+
//     pop <-- register <--+
//
// An operation, with what is sent before an answer is waited for:
//
//     locked read of the lock | write of the lock, read of head and tail | entry | head or tail, lock = 0
//
// Each part needs what the one before it was answered: so an operation takes four round trips to the memory and eight
// cycles in here, during the first of which nobody else gets at the memory. A lock that is held is let go by a write
// without bytes, and tried again `pause` cycles later. Nothing is lost when an access fails: head or tail is written
// only behind an entry that was read or written without error, and what did not succeed is tried again.
//
// A look reads head and tail without the lock, which is one access and takes nothing from the processor: that is how
// the NIC polls. `count` is what the last look or operation found.
//
// Latency: a pushed pointer is taken into the register at once; a pop is there when its operation is over. Throughput:
// one operation at a time; pushes and pops take turns.
module nic_memory_queue
  import acb_pkg::*;
  import nic_regs_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  // Registers
  input  logic [31:3] base,
  input  logic [6:0]  entries,        // a power of two up to 64; 0: do nothing
  input  logic [15:0] pause,
  input  logic        forget,         // a pulse, while there is nothing under way: `count` means nothing any more

  input  logic        look,           // look every `pause` cycles

  input  logic        push_valid,
  output logic        push_ready,
  input  logic [31:3] pushed,

  input  logic        pop,            // a pointer is wanted; may be withdrawn, and one may come in spite of that
  output logic        popped_valid,   // it is there, until `take`
  output logic [31:3] popped,         // and stays visible until the next one
  input  logic        take,

  output logic [6:0]  count,          // pointers in the queue, as last seen
  output logic        empty,
  output logic        full,
  output logic        popping,        // the operation that is under way is a pop
  output logic        pushing,        // ... a push
  output logic        failing,        // the last operation found the lock held, or an error, or nothing to do
  output logic        push_held,      // a pushed pointer is not in memory yet
  output logic        pushed_event,   // pulse: now it is
  output logic        bus_error,      // pulses
  output logic        content_error,

  output acb_m2s_t    mem_m2s,
  input  acb_s2m_t    mem_s2m
);

  if (MEMORY_QUEUE_LOCK_OFFSET % 8 != 0 || MEMORY_QUEUE_INDICES_OFFSET % 8 != 0 || MEMORY_QUEUE_ENTRIES_OFFSET % 8 != 0)
  begin : g_bad_layout
    $error("nic_memory_queue: lock, indices and entries must begin at a dword each");
  end

  localparam logic [31:0] OWNER = 32'd2;  // in the lock word: the NIC

  typedef enum logic [3:0] {
    IDLE,
    LOOK,     // these send a request
    LOCK,
    LET_GO,   // of a lock that somebody else holds
    TAKE,
    INDICES,
    ENTRY,
    INDEX,
    UNLOCK,
    WAIT,     // for the answers
    REST      // before the lock is cleared again, as the memory has refused that
  } state_t;

  state_t                state_q, sent_q;    // sent_q: the last request
  logic                  is_push_q, turn_q;  // turn_q: pops go first
  logic                  operating_q, push_q, have_q, failing_q, pushed_event_q, bus_error_q, content_error_q;
  logic [31:3]           base_q;    // of the operation under way: it ends where it began, or a lock would stay
  logic [31:3]           pushed_q, popped_q;
  logic [6:0]            count_q;
  logic                  empty_q, full_q;

  // ---- Requests ----------------------------------------------------------------------------------------------------

  acb_req_t    request;
  logic        send, output_ready;
  logic [31:3] entry_address_q;
  logic [7:0]  entry_mask_q;
  logic [31:0] index_q;                         // what head or tail will be

  assign send = output_ready && !(state_q inside {IDLE, WAIT, REST});

  always_comb begin
    request = '{lock: 1'b0, read: 1'b0, byte_mask: 8'hF0,
                address: {4'b0, base_q + 29'(MEMORY_QUEUE_LOCK_OFFSET / 8), 3'b0}, write_data: '0};
    unique case (state_q)
      LOCK: begin
        request.lock = 1'b1;
        request.read = 1'b1;
      end
      LET_GO: request.byte_mask = '0;
      TAKE:   request.write_data = {OWNER, 32'b0};
      LOOK, INDICES: begin
        request.read      = 1'b1;
        request.byte_mask = '1;
        request.address   = {4'b0, base_q + 29'(MEMORY_QUEUE_INDICES_OFFSET / 8), 3'b0};
      end
      ENTRY: begin
        request.read       = !is_push_q;
        request.byte_mask  = entry_mask_q;
        request.address    = {4'b0, entry_address_q, 3'b0};
        request.write_data = {2{pushed_q, 3'b0}};
      end
      INDEX: begin
        request.byte_mask  = is_push_q ? 8'h0F : 8'hF0;
        request.address    = {4'b0, base_q + 29'(MEMORY_QUEUE_INDICES_OFFSET / 8), 3'b0};
        request.write_data = {2{index_q}};
      end
      default: ;  // UNLOCK
    endcase
  end

  skid_buffer #(.WIDTH($bits(acb_req_t))) u_output (
    .clk,
    .rst,
    .in_data  (request),
    .in_valid (send),
    .in_ready (output_ready),
    .out_data (mem_m2s.req),
    .out_valid(mem_m2s.req_valid),
    .out_ready(mem_s2m.req_ready)
  );

  // ---- Answers: at most two are awaited -----------------------------------------------------------------------------

  logic [1:0]            awaited_q, errors_q;   // errors_q[0]: the last one's
  logic [63:0]           data_q;
  logic                  settled_q, answered;
  logic [31:0]           difference_q, entry;
  memory_queue_indices_t indices;
  logic                  index_error, last_error, wrong, entry_wrong;

  assign mem_m2s.rsp_ready = 1'b1;
  assign indices       = data_q;
  assign entry         = entry_mask_q[0] ? data_q[31:0] : data_q[63:32];
  assign answered      = state_q == WAIT && awaited_q == '0 && settled_q;
  assign index_error   = errors_q[1];
  assign last_error    = errors_q[0];
  assign wrong         = difference_q > 32'(entries);
  assign entry_wrong   = !is_push_q && entry[2:0] != '0;

  always_ff @(posedge clk) begin
    awaited_q <= awaited_q + 2'(send) - 2'(mem_s2m.rsp_valid);
    if (mem_s2m.rsp_valid) begin
      data_q   <= mem_s2m.rsp.data;
      errors_q <= {errors_q[0], mem_s2m.rsp.err};
    end
    settled_q    <= awaited_q == '0 && !rst;  // then the difference below is that of the answer
    difference_q <= indices.tail - indices.head;
    if (rst) awaited_q <= '0;
  end

  // ---- Operations ---------------------------------------------------------------------------------------------------

  logic [15:0] timer_q;
  logic        rested_q, retry_q;               // the time is over; the pause is for operations, too
  logic        pushes, pops, indexed_q, over, ends, succeeded, failed;
  logic [31:0] index;
  logic [5:0]  place;                           // in the ring

  assign pushes    = push_q && (!turn_q || !pops);
  assign pops      = pop && !have_q && !empty_q;
  assign index     = is_push_q ? indices.tail : indices.head;
  assign place     = index[5:0] & 6'(entries - 1'b1);
  assign over      = answered && sent_q == UNLOCK;
  assign succeeded = over && indexed_q && !index_error;
  assign ends      = answered && (sent_q == LET_GO || (sent_q == INDICES && errors_q[1])
                                  || (sent_q == UNLOCK && !last_error));
  assign failed    = (ends || over) && !succeeded;

  always_ff @(posedge clk) begin
    pushed_event_q  <= 1'b0;
    bus_error_q     <= 1'b0;
    content_error_q <= 1'b0;
    timer_q         <= timer_q - 16'(timer_q != '0);
    rested_q        <= timer_q == '0;
    if (push_valid && push_ready) begin
      push_q   <= 1'b1;
      pushed_q <= pushed;
    end
    if (take) have_q <= 1'b0;

    if (send) begin
      sent_q <= state_q;
      unique case (state_q)
        TAKE:    state_q <= INDICES;
        INDEX:   state_q <= UNLOCK;
        default: state_q <= WAIT;
      endcase
      if (state_q == INDEX) indexed_q <= 1'b1;
    end

    unique case (state_q)
      IDLE: begin
        base_q    <= base;
        indexed_q <= 1'b0;
        is_push_q <= pushes;
        if (entries != '0 && (rested_q || !retry_q)) begin
          if (pushes || pops) begin
            state_q     <= LOCK;
            operating_q <= 1'b1;
          end else if (look && rested_q) state_q <= LOOK;
        end
      end
      REST: if (rested_q) state_q <= UNLOCK;
      default: ;
    endcase

    if (answered) begin
      state_q     <= IDLE;
      bus_error_q <= errors_q[0] && sent_q != LET_GO;
      unique case (sent_q)
        LOOK: begin
          content_error_q <= !last_error && wrong;
          if (!last_error && !wrong) begin
            count_q <= difference_q[6:0];
            empty_q <= difference_q[6:0] == '0;
            full_q  <= difference_q[6:0] == entries;
          end
        end
        LOCK: state_q <= last_error || data_q[63:32] != '0 ? LET_GO : TAKE;
        INDICES: begin  // behind TAKE: should that have failed there is no lock to clear
          bus_error_q     <= errors_q != '0;
          content_error_q <= errors_q == '0 && wrong;
          if (!errors_q[1]) state_q <= UNLOCK;
          if (errors_q == '0 && !wrong) begin
            count_q <= difference_q[6:0];
            empty_q <= difference_q[6:0] == '0;
            full_q  <= difference_q[6:0] == entries;
            if (is_push_q ? difference_q[6:0] != entries : difference_q[6:0] != '0) state_q <= ENTRY;
          end
          entry_address_q <= base_q + 29'(MEMORY_QUEUE_ENTRIES_OFFSET / 8) + 29'(place[5:1]);
          entry_mask_q    <= place[0] ? 8'h0F : 8'hF0;
          index_q         <= index + 1'b1;
        end
        ENTRY: begin
          content_error_q <= !last_error && entry_wrong;
          state_q         <= last_error || entry_wrong ? UNLOCK : INDEX;
          if (!is_push_q) popped_q <= entry[31:3];
        end
        UNLOCK: begin
          bus_error_q <= last_error || (indexed_q && index_error);
          if (last_error) state_q <= REST;
          indexed_q <= 1'b0;
        end
        default: ;  // LET_GO
      endcase
    end
    if (ends) begin
      operating_q <= 1'b0;
      turn_q      <= is_push_q;
    end
    if (succeeded) begin
      failing_q <= 1'b0;
      count_q   <= is_push_q ? count_q + 1'b1 : count_q - 1'b1;
      empty_q   <= !is_push_q && count_q == 7'd1;
      full_q    <= is_push_q && count_q + 1'b1 == entries;
      if (is_push_q) push_q <= 1'b0;
      else have_q <= 1'b1;
      pushed_event_q <= is_push_q;
    end
    if (failed) failing_q <= 1'b1;
    if (failed || (over && last_error) || (answered && sent_q == LOOK)) begin
      timer_q  <= pause;
      rested_q <= 1'b0;
      retry_q  <= sent_q != LOOK;
    end
    if (forget) begin
      count_q   <= '0;
      empty_q   <= 1'b1;
      full_q    <= 1'b0;
      failing_q <= 1'b0;
    end
    if (rst) begin
      state_q         <= IDLE;
      operating_q     <= 1'b0;
      push_q          <= 1'b0;
      have_q          <= 1'b0;
      turn_q          <= 1'b0;
      timer_q         <= '0;
      retry_q         <= 1'b0;
      failing_q       <= 1'b0;
      count_q         <= '0;
      empty_q         <= 1'b1;
      full_q          <= 1'b0;
      pushed_event_q  <= 1'b0;
      bus_error_q     <= 1'b0;
      content_error_q <= 1'b0;
    end
  end

  assign push_ready    = !push_q && !full_q && entries != '0;
  assign popped_valid  = have_q;
  assign popped        = popped_q;
  assign count         = count_q;
  assign empty         = empty_q;
  assign full          = full_q;
  assign popping       = operating_q && !is_push_q;
  assign pushing       = operating_q && is_push_q;
  assign failing       = failing_q;
  assign push_held     = push_q;
  assign pushed_event  = pushed_event_q;
  assign bus_error     = bus_error_q;
  assign content_error = content_error_q;

  // A pointer is popped only into an empty register, and leaves the other one only when it is in memory.
  a_pop_has_place : assert property (@(posedge clk) disable iff (rst) succeeded && !is_push_q -> !have_q);
  a_push_is_kept : assert property (@(posedge clk) disable iff (rst) succeeded && is_push_q -> push_q);
  a_answer_expected : assert property (@(posedge clk) disable iff (rst) mem_s2m.rsp_valid -> awaited_q != '0);
  a_two_awaited : assert property (@(posedge clk) disable iff (rst) awaited_q != 2'd3);
  a_take_has_pointer : assert property (@(posedge clk) disable iff (rst) take -> have_q);

endmodule
