// SPDX-License-Identifier: Apache-2.0
// What CoreMark's sources want to know of a platform (its documented porting interface), for the N-SoC. The sources
// themselves are the user's; `nsoc bench cpu --coremark DIR` compiles them with this.
//
// Build options (-D): ITERATIONS; CLOCK_HZ, of the processor; COMPILER_FLAGS, a string to report.
// Included ahead of every source, so that a core_portme.h beside CoreMark's sources stays out; assembly has no use for
// it.
#if !defined(CORE_PORTME_H) && !defined(__ASSEMBLER__)
#define CORE_PORTME_H

#include <stddef.h>
#include <stdint.h>

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint8_t ee_u8;
typedef uint32_t ee_u32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;

#define align_mem(x) (void *)(((ee_ptr_int)(x) + 3u) & ~(ee_ptr_int)3u)

// Time is counted in cycles of the processor.
#define CORETIMETYPE ee_u32
typedef ee_u32 CORE_TICKS;

#define HAS_FLOAT 0
#define HAS_TIME_H 0
#define USE_CLOCK 0
#define HAS_STDIO 0
#define HAS_PRINTF 0
int ee_printf(const char *format, ...);

// Seeds from volatile variables, data in static memory, one thread, no command line.
#define SEED_METHOD SEED_VOLATILE
#define MEM_METHOD MEM_STATIC
#define MEM_LOCATION "STATIC"
#define MULTITHREAD 1
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0

#define COMPILER_VERSION __VERSION__

typedef struct CORE_PORTABLE_S {
    ee_u8 portable_id;
} core_portable;

extern ee_u32 default_num_contexts;
void portable_init(core_portable *p, int *argc, char *argv[]);
void portable_fini(core_portable *p);

#endif
