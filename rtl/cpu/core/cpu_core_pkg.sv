// SPDX-License-Identifier: Apache-2.0
//
// Types that the parts of a core agree on, whatever its instruction set: what serves any core is in this folder. What
// an address is (cpu_regions_pkg) comes from regs/.
package cpu_core_pkg;

  // ---- What the memory stage is asked to do.
  typedef enum logic [2:0] {
    MEM_NONE, MEM_LOAD, MEM_STORE, MEM_LR, MEM_SC, MEM_AMO, MEM_FENCE, MEM_CBO
  } mem_kind_t;

  typedef enum logic [4:0] {
    AMO_ADD  = 5'b00000,
    AMO_SWAP = 5'b00001,
    AMO_LR   = 5'b00010,
    AMO_SC   = 5'b00011,
    AMO_XOR  = 5'b00100,
    AMO_OR   = 5'b01000,
    AMO_AND  = 5'b01100,
    AMO_MIN  = 5'b10000,
    AMO_MAX  = 5'b10100,
    AMO_MINU = 5'b11000,
    AMO_MAXU = 5'b11100,
    // The programmable NIC's, on order records (pnic_lsu)
    AMO_SET    = 5'b00101,
    AMO_UPDATE = 5'b00111
  } amo_t;

  typedef struct packed {
    logic       ordered; // an atomic that other harts may see only behind every store before it (.rl)
    mem_kind_t  kind;
    logic [2:0] funct3;  // [1:0] log2 of the size in bytes, [2] zero-extend
    logic [4:0] amo;
    logic       quiet;   // of an AMO: nobody wants what it has read
    logic       bypass;  // a load: from memory, whatever the data cache has, which stays as it is
  } mem_op_t;

  // ---- Where cpu_lsu is with the operation in MEM.
  typedef enum logic [2:0] {
    LSU_LOOK,     // first cycle; stays here until the operation is done or its bus access has left
    LSU_WAIT,     // for the response of a read, a precise store or a device swap
    LSU_MODIFY,   // the second half of an atomic: the write is offered to the bus
    LSU_CONFIRM,  // waiting for its response
    LSU_FAULT,    // tells the core
    LSU_SENT      // the request of an overlapped load has left
  } lsu_state_t;

  // ---- What the branch predictor knew when it fetched the instruction; it goes along to EX, where it is judged.
  typedef struct packed {
    logic        hit;     // the target buffer held an entry for this address
    logic        taken;
    logic [1:0]  count;   // the entry's two-bit counter
    logic [31:1] target;
  } pred_t;

  // ---- What FETCH hands to DECODE.
  typedef struct packed {
    logic [31:1] pc;
    logic [31:0] instr;         // one of 16 bits: in the lower half
    logic        fault;
    logic        fault_second;  // with fault: of the second half, at pc + 2
    pred_t       pred;
  } fetched_t;

  // MEM tells the predictor how an instruction was judged.
  typedef struct packed {
    logic        write;
    logic        valid;
    logic        is_return;  // the target is the top of the return-address stack, not the entry's
    logic [1:0]  count;
    logic [31:1] last;       // address of the instruction's last halfword
    logic [31:1] target;
  } btb_update_t;

  // Whether and how the instruction's entry changes; the other fields are zero. An entry is made when an instruction
  // jumps, then counts both ways if it is a conditional branch; a wrong hit is removed. While an instruction waits in
  // MEM it writes the same again and again: the count starts from what was fetched with it.
  function automatic btb_update_t trained(input logic hit, input logic taken, input logic [1:0] count,
                                          input logic jumps, input logic conditional);
    btb_update_t update;
    update       = '0;
    update.valid = jumps || conditional;
    update.write = jumps || (hit && conditional) || taken;
    if (!conditional) update.count = 2'b11;
    else if (!hit) update.count = 2'b10;
    else if (jumps) update.count = (count == 2'b11) ? 2'b11 : count + 2'd1;
    else update.count = (count == 2'b00) ? 2'b00 : count - 2'd1;
    return update;
  endfunction

  // EX tells the return-address stack.
  typedef struct packed {
    logic        push;
    logic        pop;
    logic [31:1] address;  // pushed
  } ras_update_t;

  // ---- Why no instruction retired in a cycle: the number of the counter that counts the cycle.
  typedef enum logic [3:0] {
    WHY_LOAD_USE = 4'd3,   // the result of a load or atomic is used by the next instruction
    WHY_BRANCH   = 4'd4,   // what was fetched behind a branch or jump was wrong
    WHY_MULDIV   = 4'd5,   // multiply, divide, coprocessor unit: at work, or its result used by the next instruction
    WHY_FETCH    = 4'd6,   // the instruction cache has nothing
    WHY_MISS     = 4'd7,   // a cached access waits for its line, or for the cache
    WHY_UNCACHED = 4'd8,   // round trips: uncached loads (and who waits for an overlapped one), atomics, precise stores
    WHY_STORE    = 4'd9,   // the store buffer is full
    WHY_SERIAL   = 4'd10,  // what issues alone or waits: control registers, fences, return from a trap, sleep
    WHY_OTHER    = 4'd11   // traps, interrupts, reset
  } why_t;
  localparam logic [4:0] FIRST_STALL_COUNTER = 5'd3, LAST_STALL_COUNTER = 5'd11;

  // ---- What the LSU asks of the bus interface; mask and data are in bus lanes.
  typedef struct packed {
    logic        lock;
    logic        read;
    logic        posted;  // nobody waits for the response; a read: an overlapped load
    logic [7:0]  mask;
    logic [31:0] address;
    logic [63:0] data;    // of a word both halves; the mask says which one counts
  } bus_req_t;

  // Is a + b where FETCH went? Without a carry chain: bit by bit, the carry that the sum's bit needs is the one that the
  // bit below makes. Bit 0 of the sum does not matter, and bit 1 only where instructions can begin at odd halfwords.
  function automatic logic is_sum(input logic [31:0] a, input logic [31:0] b, input logic [31:1] sum,
                                  input logic halfwords);
    logic [30:0] made;
    logic [31:1] wrong;
    made[0] = a[0] & b[0];
    made[1] = (a[1] & b[1]) | ((a[1] | b[1]) & (halfwords ? !sum[1] : made[0]));
    made[30:2] = (a[30:2] & b[30:2]) | ((a[30:2] | b[30:2]) & ~sum[30:2]);
    wrong = a[31:1] ^ b[31:1] ^ sum ^ made;
    return wrong[31:2] == '0 && !(halfwords && wrong[1]);
  endfunction

  function automatic logic [31:0] swap_bytes(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // Byte lanes of an access within its word, the lowest address on top; `upside_down` (a device, of a little-endian
  // core) has it at the bottom.
  function automatic logic [3:0] nibble_of(input logic [1:0] size, input logic [1:0] at, input logic upside_down);
    logic [3:0] mask;
    case (size)
      2'b00:   mask = 4'b0001 << at;
      2'b01:   mask = at[1] ? 4'b1100 : 4'b0011;
      default: mask = 4'b1111;
    endcase
    return upside_down ? mask : {mask[0], mask[1], mask[2], mask[3]};
  endfunction

endpackage
