// SPDX-License-Identifier: Apache-2.0
// Registers and address spaces of the SPARC V8 core (docs/sparc.md has the tables). For C and assembly.
//
// A write of PSR, WIM, TBR, Y or an ancillary register acts on the next instruction: nothing here waits for it.
#ifndef NSOC_V8_H
#define NSOC_V8_H

#define V8_PSR_PIL 0xF00  // interrupts up to this level are held off
#define V8_PSR_S   0x80
#define V8_PSR_ET  0x20
#define V8_WINDOWS 8

// Start-up and harts run with the supervisor's rights in window 0, and the window above it is the invalid one.
#define V8_PSR_START (V8_PSR_S | V8_PSR_PIL)  // traps disabled
#define V8_WIM_START 2

#define V8_BUS_CONTROL     %asr16
#define V8_SLEEP           %asr19
#define V8_INTERRUPT_MASK  %asr20
#define V8_PENDING         %asr21
#define V8_COUNTER_CONTROL %asr24
#define V8_STALLS          %asr25
#define V8_INSTRUCTIONS    %asr27
#define V8_HART            %asr29  // in bits 15:8
#define V8_CYCLES          %asr31

#define V8_PRECISE_STORES 1
#define V8_OVERLAP_LOADS  2

#define V8_LEVEL_SOFTWARE 9
#define V8_LEVEL_TIMER    10
#define V8_LEVEL_NIC      11  // and the copy engine, and the TCP engine
#define V8_LEVEL_UART     12
#define V8_LEVELS         0xFFFE
#define V8_MASK_EXTERNAL  (1 << V8_LEVEL_NIC | 1 << V8_LEVEL_UART)
#define V8_MASK_TIMER     (1 << V8_LEVEL_TIMER)
#define V8_MASK_SOFTWARE  (1 << V8_LEVEL_SOFTWARE)

#define V8_COUNTERS_STOPPED   (1 << 31)
#define V8_COUNTERS_OF_STALLS (1 << 30)

#define V8_SPACE_MMU      0x04
#define V8_FAULT_ADDRESS  0x400  // there
#define V8_SPACE_DROP     0x10   // a store drops both caches
#define V8_SPACE_UNCACHED 0x20

// Types of traps. Both levels of the external line are one for trap_handler.
#define V8_TT_INTERRUPT   0x10  // + level
#define V8_TT_DATA_ACCESS 0x09
#define V8_TT_EXTERNAL    (V8_TT_INTERRUPT + V8_LEVEL_NIC)

// What a trap has on the stack beside the 96 bytes of every frame.
#define V8_FRAME       96
#define V8_TRAP_G2     96
#define V8_TRAP_G4     104
#define V8_TRAP_G1     108
#define V8_TRAP_Y      112
#define V8_TRAP_PC     116
#define V8_TRAP_FRAME  120

// In a frame, where a function that is called may keep its arguments: v8_os_switch keeps PSR and %o7 there.
#define V8_SWITCH_PSR    72
#define V8_SWITCH_RETURN 76
#define V8_FP            56  // in the place of a window: %i6, and then %i7

#ifdef __ASSEMBLER__

// A window's locals and ins, to and from its place on the stack.
.macro V8_SPILL
    std %l0, [%sp + 0]
    std %l2, [%sp + 8]
    std %l4, [%sp + 16]
    std %l6, [%sp + 24]
    std %i0, [%sp + 32]
    std %i2, [%sp + 40]
    std %i4, [%sp + 48]
    std %i6, [%sp + 56]
.endm
.macro V8_FILL
    ldd [%sp + 0], %l0
    ldd [%sp + 8], %l2
    ldd [%sp + 16], %l4
    ldd [%sp + 24], %l6
    ldd [%sp + 32], %i0
    ldd [%sp + 40], %i2
    ldd [%sp + 48], %i4
    ldd [%sp + 56], %i6
.endm

#else

#define V8_STRING_(x) #x
#define V8_STRING(x) V8_STRING_(x)
// Reads and writes a register in C.
#define V8_READ(reg)                                                                                                   \
    __extension__({                                                                                                    \
        uint32_t read_;                                                                                                \
        __asm__ volatile("rd %" V8_STRING(reg) ", %0" : "=r"(read_)::"memory");                                        \
        read_;                                                                                                         \
    })
#define V8_WRITE(reg, value) __asm__ volatile("wr %0, 0, %" V8_STRING(reg)::"r"((uint32_t)(value)) : "memory")

#endif

#endif
