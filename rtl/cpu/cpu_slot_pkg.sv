// SPDX-License-Identifier: Apache-2.0
//
// What the SoC and the core in its processor slot agree on, whatever the core's instruction set: the types of cpu_slot's
// ports. Nothing here knows an instruction set, and nothing outside the folder of a core needs to.
package cpu_slot_pkg;

  localparam int unsigned MAX_CORES = 4;  // slots in one top

  // Interrupt levels to the core. What they mean there (a RISC-V interrupt, a SPARC level) is the core's to say.
  typedef struct packed {
    logic external;  // the interrupt controller
    logic timer;
    logic software;  // one core calls another
  } cpu_irq_t;

  // A line of 32 bytes that another bus master writes, in the order of the accesses to memory; taken at once.
  typedef struct packed {
    logic        valid;
    logic [31:5] address;
  } cpu_snoop_t;

  // ---- Coprocessor unit: works on two operands of the core and answers with one word. An instruction is one request and
  // one response, in a later cycle, any number of cycles after. The request is made when nothing can stop the
  // instruction any more: each is executed exactly once. Which instructions go there, the core says (rv32: custom-0).
  typedef struct packed {
    logic        valid;    // stands until the unit is ready
    logic [6:0]  funct7;   // which unit, and what it is to do: bits of the instruction
    logic [2:0]  funct3;
    logic [31:0] operand_a;
    logic [31:0] operand_b;
    logic        interrupted;  // a level beside `valid`: an interrupt is pending that would end a wait, or the core is to halt
  } cpu_unit_req_t;

  typedef struct packed {
    logic        ready;  // the request is taken
    logic        valid;  // the answer; the core takes it at once
    logic [31:0] data;
  } cpu_unit_rsp_t;

  // ---- Probe: a unit's look into the core's data cache. The answer is there in the cycle after the request is taken and
  // shows every store that is done. A miss says nothing of memory: stores may be on their way to it.
  typedef struct packed {
    logic        valid;
    logic [31:3] address;
  } cpu_probe_req_t;

  typedef struct packed {
    logic        ready;
    logic        valid;
    logic        hit;
    logic [63:0] data;  // the dword in bus lanes, the lowest address in the top byte
  } cpu_probe_rsp_t;

  // ---- Line port: a unit's way through the core's data cache, for it alone while an instruction of it is under way. A write
  // has no answer. Reads are answered in order, a cycle later where the cache has the line, many cycles later where not;
  // several may be under way.
  typedef struct packed {
    logic         valid;    // stands until the port is ready
    logic         write;
    logic [31:5]  address;
    logic [31:0]  mask;     // of a write; [31] is the byte at the lowest address
    logic [255:0] data;     // [255:248] is the byte at the lowest address
  } cpu_line_req_t;

  typedef struct packed {
    logic         ready;    // the request is taken
    logic         valid;    // the answer of the oldest read
    logic         err;      // with it: memory refused
    logic [255:0] data;
  } cpu_line_rsp_t;

  // ---- Retire port: what became of the program in the cycle before, one event a cycle. Enough for a trace of the program
  // and for a profile of its addresses, on any core.
  //   neither trap nor interrupted the instruction at pc is done
  //   trap                         it was not done: the core went to the handler of `cause`
  //   interrupted                  it was not begun: the core went to the handler of `cause`, and comes back to pc
  typedef struct packed {
    logic        valid;
    logic        trap;
    logic        interrupted;
    logic [7:0]  cause;  // as the core numbers its causes; zero if the instruction is done
    logic [31:0] pc;
    logic [31:0] instr;  // as fetched, a short one in the lower half; zero if it could not be fetched, or was not begun
  } cpu_retire_t;

endpackage
