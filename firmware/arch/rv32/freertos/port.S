# SPDX-License-Identifier: Apache-2.0
#
# FreeRTOS's port as it comes: traps, the switch, the beginning of a task.

    .section .text.hot.os, "ax"
#include "portASM.S"

    .globl os_trap_entry
    .set    os_trap_entry, freertos_risc_v_trap_handler
