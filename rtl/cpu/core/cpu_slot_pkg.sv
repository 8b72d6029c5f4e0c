// SPDX-License-Identifier: Apache-2.0
//
// What the SoC and the core in its processor slot agree on, whatever the core's instruction set: the types of cpu_slot's
// ports. Nothing here knows an instruction set, and nothing outside the folder of a core needs to.
package cpu_slot_pkg;

  localparam int unsigned MAX_CORES = 4;  // slots in one top

  // The interrupt controller's lines, each at its place there (regs/periph.rdl, irq_line): high if the core has enabled
  // it there. One that the system does not have is low.
  typedef struct packed {
    logic toe;
    logic dma;
    logic uart;
    logic nic;
  } cpu_irq_lines_t;

  // Interrupt levels to the core. What they mean there (a RISC-V interrupt, a SPARC level) is the core's to say.
  typedef struct packed {
    cpu_irq_lines_t external;  // the interrupt controller
    logic           timer;
    logic           software;  // one core calls another
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
    logic        interrupted;  // whatever `valid` is: an interrupt waits, or the core is to halt. What waits should end
  } cpu_unit_req_t;

  typedef struct packed {
    logic        ready;  // the request is taken
    logic        valid;  // the answer; the core takes it at once
    logic [31:0] data;
  } cpu_unit_rsp_t;

  // ---- Line port: the unit's own way into the data cache and to memory, while its instruction is under way. A line
  // has 32 bytes, the lowest address in the top byte; mask[31] is that byte's.
  //   read   the line as the program's loads would find it. Answers come in order: in the cycle behind the request if
  //          the cache has it, else when memory has answered, of several requests that are under way
  //   write  as the program's stores do; a whole line is in the cache from then on. It goes to memory behind the unit's
  //          back, before anything later that goes there
  typedef struct packed {
    logic         valid;    // stands until it is taken
    logic         write;
    logic [31:5]  address;
    logic [31:0]  mask;     // of a write
    logic [255:0] data;
  } cpu_line_req_t;

  typedef struct packed {
    logic         ready;    // the request is taken
    logic         valid;    // the answer to the oldest read; taken at once
    logic         err;      // memory has refused some of it
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
