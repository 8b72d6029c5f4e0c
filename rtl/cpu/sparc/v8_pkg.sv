// SPDX-License-Identifier: Apache-2.0
//
// Types that the parts of the SPARC V8 core agree on. The manual is The SPARC Architecture Manual, Version 8; what it
// leaves open is in docs/sparc.md. Types that both cores have are in cpu_core_pkg.
package v8_pkg;

  import cpu_core_pkg::*;

  // ---- Registers by physical number. A windowed one is window * 16 + {0 to 7: locals, 8 to 15: outs}; the ins of a
  // window are the outs of the window above. Then the globals, and one register that only micro-operations use.
  typedef logic [7:0] reg_t;
  localparam reg_t        G0        = 8'd128;
  localparam reg_t        SCRATCH   = 8'd136;
  localparam int unsigned REGISTERS = 137;

  // A register of the current window, of the one above, or one that is in no window.
  typedef struct packed {
    logic       fixed;  // or SCRATCH
    logic       above;
    logic [3:0] low;
  } reg_place_t;
  localparam reg_place_t G0_PLACE      = '{fixed: 1'b1, above: 1'b0, low: 4'd0};
  localparam reg_place_t SCRATCH_PLACE = '{fixed: 1'b1, above: 1'b0, low: SCRATCH[3:0]};

  function automatic reg_t physical(input logic [4:0] number, input logic [2:0] cwp, input logic [2:0] cwp_above);
    if (number[4:3] == 2'b00) return {5'b10000, number[2:0]};
    return {1'b0, (number[4:3] == 2'b11) ? cwp_above : cwp, number[3], number[2:0]};
  endfunction

  // ---- ALU. The second operand comes inverted for SUB, ANDN, ORN, XNOR.
  typedef enum logic [2:0] {ALU_ADD, ALU_AND, ALU_OR, ALU_XOR, ALU_SLL, ALU_SRL, ALU_SRA} alu_op_t;

  typedef struct packed {
    logic n;
    logic z;
    logic v;
    logic c;
  } icc_t;

  // The condition of Bicc and Ticc; bit 3 inverts.
  function automatic logic holds(input logic [3:0] condition, input icc_t icc);
    logic base;
    case (condition[2:0])
      3'd0: base = 1'b0;
      3'd1: base = icc.z;
      3'd2: base = icc.z || icc.n != icc.v;
      3'd3: base = icc.n != icc.v;
      3'd4: base = icc.c || icc.z;
      3'd5: base = icc.c;
      3'd6: base = icc.n;
      default: base = icc.v;
    endcase
    return base ^ condition[3];
  endfunction

  // How two operands a and b compare: their signs, a < b by bits 30:0, a = b.
  typedef struct packed {
    logic a_negative;
    logic b_negative;
    logic below;
    logic equal;
  } order_t;

  // The condition codes of a - b.
  function automatic icc_t difference(input order_t order);
    logic differ;
    differ = order.a_negative != order.b_negative;
    return '{n: differ ^ order.below, z: order.equal, v: differ && order.below == order.a_negative,
             c: differ ? order.b_negative : order.below};
  endfunction

  // As holds(), of a - b if `compared`, else what is `known`. `equal` comes late, `below` last.
  function automatic logic holds_late(input logic [3:0] condition, input logic compared, input order_t order,
                                      input logic known);
    logic       differ, asks_below, asks_equal, rest;
    logic [1:0] result;  // by `below`
    differ     = order.a_negative != order.b_negative;
    asks_equal = 1'b0;
    case (condition[2:0])
      3'd0: {asks_below, rest} = 2'b00;
      3'd1: {asks_equal, asks_below, rest} = 3'b100;
      3'd2: {asks_equal, asks_below, rest} = {1'b1, !differ, differ && order.a_negative};
      3'd3: {asks_below, rest} = {!differ, differ && order.a_negative};
      3'd4: {asks_equal, asks_below, rest} = {1'b1, !differ, differ && order.b_negative};
      3'd5: {asks_below, rest} = {!differ, differ && order.b_negative};
      3'd6: {asks_below, rest} = {1'b1, differ};
      default: {asks_below, rest} = {differ, differ && !order.a_negative};
    endcase
    if (!compared) {asks_equal, asks_below, rest} = {2'b00, known};
    for (int i = 0; i < 2; i++) begin
      result[i] = (((asks_below && i == 1) != rest) || (asks_equal && order.equal)) ^ (compared && condition[3]);
    end
    return result[order.below];
  endfunction

  // ---- Types of traps
  localparam logic [7:0] TT_FETCH      = 8'h01;
  localparam logic [7:0] TT_ILLEGAL    = 8'h02;
  localparam logic [7:0] TT_PRIVILEGED = 8'h03;
  localparam logic [7:0] TT_NO_FPU     = 8'h04;
  localparam logic [7:0] TT_OVERFLOW   = 8'h05;
  localparam logic [7:0] TT_UNDERFLOW  = 8'h06;
  localparam logic [7:0] TT_MISALIGNED = 8'h07;
  localparam logic [7:0] TT_DATA       = 8'h09;
  localparam logic [7:0] TT_TAG        = 8'h0A;
  localparam logic [7:0] TT_INTERRUPT  = 8'h10;  // with the level
  localparam logic [7:0] TT_NO_CP      = 8'h24;
  localparam logic [7:0] TT_DIVISION   = 8'h2A;
  localparam logic [7:0] TT_STORE      = 8'h2B;  // a store; also one that was posted
  localparam logic [7:0] TT_LATE_LOAD  = 8'h60;  // ours: an overlapped load

  // ---- State registers, as RDASR and WRASR number them; those that have instructions of their own are behind.
  localparam logic [5:0] ST_Y = 6'd0, ST_BUS_CONTROL = 6'd16, ST_SLEEP = 6'd19, ST_IRQ_MASK = 6'd20,
                         ST_IRQ_PENDING = 6'd21,
                         ST_COUNTER_CONTROL = 6'd24, ST_STALLS = 6'd25, ST_RETIRED_HIGH = 6'd26, ST_RETIRED_LOW = 6'd27,
                         ST_PROCESSOR = 6'd29, ST_CYCLES_HIGH = 6'd30, ST_CYCLES_LOW = 6'd31,
                         ST_PSR = 6'd32, ST_WIM = 6'd33, ST_TBR = 6'd34,
                         ST_FAULT = 6'd35,  // fault status and address, as the access says
                         ST_ZERO = 6'd36;

  // ---- Fault status: what the SPARC reference MMU says of an access (bits 7:5) and of its fault (4:2)
  localparam logic [2:0] FAULT_FORBIDDEN = 3'd2, FAULT_ANSWER = 3'd5;

  typedef enum logic [1:0] {A_RS1, A_ZERO} op_a_sel_t;
  // OP2: immediate or the second port; PORT: the second port, which is rd of a store; HIGH: of SETHI
  typedef enum logic [1:0] {B_OP2, B_PORT, B_HIGH, B_ZERO} op_b_sel_t;

  // ---- What decides early of a micro-operation: its registers, apart from the window, and when it leaves DECODE.
  typedef struct packed {
    reg_place_t rs1;
    reg_place_t port;        // what the second port reads
    reg_place_t rd;          // what is written: of the window behind the instruction
    logic       rs1_used;
    logic       port_used;
    logic       immediate;   // the operand is that, and not the second port
    logic       to_scratch;
    logic       window;      // rd is of another window: SAVE, RESTORE, RETT
    logic       down;        // ... the one below: SAVE
    logic       rd_we;
    logic       serial;      // issued when EX and MEM are empty
    logic       last;        // of its instruction
    logic       loads;       // an access that an overlapped load may hold up
    logic       to_port;     // the second port reads what is stored
    logic       compare;     // SUBcc without a register
    logic       asks_icc;    // in EX, or traps by it
    logic       asks_y;      // divides, or reads Y
  } numbers_t;

  // The windows of its registers
  typedef struct packed {
    logic [2:0] rs1;
    logic [2:0] port;
    logic [2:0] rd;
  } windows_t;

  // The window behind a micro-operation that begins in `cwp`
  function automatic logic [2:0] behind(input logic window, input logic down, input logic [2:0] cwp);
    return !window ? cwp : down ? cwp - 3'd1 : cwp + 3'd1;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic windows_t windows_of(input numbers_t numbers, input logic [2:0] cwp);
  /* verilator lint_on UNUSEDSIGNAL */
    logic [2:0] cwp_after;
    cwp_after = behind(numbers.window, numbers.down, cwp);
    return '{rs1:  numbers.rs1.fixed ? 3'd0 : cwp + 3'(numbers.rs1.above),
             port: numbers.port.fixed ? 3'd0 : cwp + 3'(numbers.port.above),
             rd:   numbers.rd.fixed ? 3'd0 : cwp_after + 3'(numbers.rd.above)};
  endfunction

  // ---- Everything decode says of a micro-operation that goes on to EX.
  typedef struct packed {
    alu_op_t    alu;
    logic       sub;         // the adder takes 1 as carry, and what it gives is a borrow
    logic       with_carry;  // ... or the condition code's
    logic       sets_icc;
    logic       compare;     // SUBcc without a register: may be judged in MEM
    logic       with_tags;
    logic       tag_traps;
    logic       mulscc;
    logic       mul;
    logic       div;
    logic       is_signed;   // of the latter two
    logic       branch;      // Bicc and CALL: the target is in x_target
    logic       conditional; // but not BA, BN, CALL
    logic       annul;
    logic [3:0] condition;   // CALL: always
    logic       jump;        // JMPL, RETT: the target is a sum
    logic       rett;
    logic       ticc;
    logic       link;        // the result is pc: CALL, JMPL
    logic       call;        // pushes on the return-address stack ...
    logic       ret;         // ... pops it
    logic       serial;      // issued when EX and MEM are empty; DECODE waits until it has left EX
    logic       holds;       // DECODE waits likewise, and no more
    logic       state_read;
    logic       state_write;
    logic [5:0] state;
    logic       control;     // an access to a register of the core in an alternate space
    logic       drop_code;
    logic       drop_data;
    logic       forbidden;   // an alternate space that does not take the access
    logic       nowhere;     // ... or has no such address
    logic       keeps_even;  // first half of a STD
    logic       second;      // second half of a LDD
    logic       late;        // the result is there at the end of MEM, not of EX
    logic       last;        // micro-operation of its instruction
    mem_op_t    mem;
    logic       rd_we;
  } ctrl_t;

  // ---- What goes from DECODE to EX with a micro-operation.
  typedef struct packed {
    logic        valid;
    logic        annulled;
    ctrl_t       ctrl;          // all zero but `last` if it is annulled or traps
    logic        trap;          // by what DECODE has found
    logic        irq;           // an interrupt takes its place, if it does not trap
    logic        late_store;    // a late error takes its place
    logic        late_load;
    logic        fetch_fault;
    logic [7:0]  trap_type;
    logic [3:0]  irq_level;
    logic [31:2] pc;
    logic [31:2] npc;
    logic [31:2] target;        // of a branch
    logic [31:0] a;
    logic [31:0] b;
    logic [31:0] offset;        // second operand of an address
    logic        use_alu;       // the result is the ALU's
    logic        data_late;     // a store whose data the access before brings
    logic        defer;         // a comparison of what that brings, ...
    logic        defer_second;  // ... as its second operand
    reg_t        rd;
    logic [2:0]  cwp;           // with which it begins
    logic [2:0]  cwp_after;
    // Told by the instruction before (v8_flow), and by FETCH
    logic        jump;
    logic        after_conditional;
    logic        after_return;
    logic        alone_right;   // BA,a that FETCH has followed
    pred_t       pred;
  } exec_t;

  // ---- What goes from EX to MEM with an instruction.
  typedef struct packed {
    logic        valid;
    logic        annulled;
    logic        last;         // micro-operation of its instruction
    logic        trap;
    logic        irq;          // ... an interrupt
    logic        late_store;   // ... a late error
    logic        late_load;
    logic        fetch_fault;
    logic        forbidden;    // ... of a control space
    logic        nowhere;
    logic [7:0]  trap_type;
    logic [31:2] pc;
    logic [31:2] npc;
    logic [31:0] result;       // of an access its address
    reg_t        rd;
    logic        rd_we;
    logic        mem;          // the load/store unit is at work on it
    logic        store;
    logic        writes;       // a store, LDSTUB or SWAP
    logic        overlapped;
    logic        second;       // second half of a LDD
    logic        drop_code;
    logic        rett;
    logic        serial;
    logic        mul;
    logic        icc_we;
    icc_t        icc;
    logic        defer;        // a comparison that is judged in MEM, ...
    logic        defer_second; // ... whose second operand the load before has brought
    logic [2:0]  cwp;          // with which it began
    logic [2:0]  cwp_after;
    // Where it goes on, for the branch predictor
    logic [31:2] target;
    logic        jumps;
    logic        conditional;
    logic        returns;
    pred_t       pred;
  } mem_t;

  // ---- What became of an instruction, for who compares the core with a reference. Everything is as it is after the
  // instruction; `late` of an overlapped load whose register is written later (`late_write`).
  typedef struct packed {
    logic        valid;
    logic        annulled;
    logic        trap;
    logic        error;      // the trap found ET = 0
    logic [7:0]  tt;
    logic [31:0] pc;
    logic [31:0] npc;
    logic [31:0] instr;
    logic [31:0] psr;
    logic [31:0] wim;
    logic [31:0] tbr;
    logic [31:0] y;
    logic        overlapped; // an overlapped load: its register comes later
  } step_t;

  // A register that is written, in the cycle after: of instructions in their order, but for what overlapped loads
  // bring.
  typedef struct packed {
    logic        valid;
    logic        late;
    reg_t        number;
    logic [31:0] value;
  } write_t;

endpackage
