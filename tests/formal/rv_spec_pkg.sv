// SPDX-License-Identifier: Apache-2.0
//
// Groups of instructions of RV32IMA_Zba_Zbb, for rv_spec.
package rv_spec_pkg;

  typedef enum logic [4:0] {
    ILLEGAL, UPPER, ARITHMETIC, LOGIC, SHIFT, BITS, MULTIPLY, DIVIDE, BRANCH, JUMP, LOAD, STORE, ATOMIC, CONDITIONAL,
    CSR, CALL, RETURN, FENCE
  } group_t;

endpackage
