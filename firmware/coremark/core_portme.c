// SPDX-License-Identifier: Apache-2.0
#include "coremark.h"

#include <stdarg.h>

#include "counters.h"
#include "uart.h"

// The performance run: 2 KB of data.
volatile ee_s32 seed1_volatile = 0x0;
volatile ee_s32 seed2_volatile = 0x0;
volatile ee_s32 seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS;
volatile ee_s32 seed5_volatile = 0;

ee_u32 default_num_contexts = 1;

static counters_t before, measured;

void start_time(void) { counters_read(&before); }

void stop_time(void) {
    counters_read(&measured);
    counters_since(&measured, &before);
}

CORE_TICKS get_time(void) { return measured.cycles; }

secs_ret time_in_secs(CORE_TICKS ticks) { return ticks / CLOCK_HZ; }

void portable_init(core_portable *p, int *argc, char *argv[]) {
    (void)argc;
    (void)argv;
    p->portable_id = 1;
    counters_init();
}

// After CoreMark's own report, what the processor counted between start_time() and stop_time().
void portable_fini(core_portable *p) {
    p->portable_id = 0;
    uart_puts("measured ");
    counters_print(&measured);
    uart_puts("\nend\n");
}

static void put_number(ee_u32 value, unsigned base, int width, char pad) {
    char digits[10];
    int count = 0;
    do digits[count++] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    for (int i = count; i < width; i++) uart_putc(pad);
    while (count > 0) uart_putc(digits[--count]);
}

// What CoreMark's reports use of printf: %d %u %x %s %c with zero padding and width, and l.
int ee_printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            uart_putc(*p);
            continue;
        }
        p++;
        char pad = ' ';
        int width = 0;
        if (*p == '0') pad = *p++;
        while (*p >= '0' && *p <= '9') width = 10 * width + (*p++ - '0');
        if (*p == 'l') p++;
        switch (*p) {
            case 'd': {
                ee_s32 value = va_arg(arguments, ee_s32);
                if (value < 0) uart_putc('-');
                put_number(value < 0 ? 0u - (ee_u32)value : (ee_u32)value, 10, width, pad);
                break;
            }
            case 'u': put_number(va_arg(arguments, ee_u32), 10, width, pad); break;
            case 'x': put_number(va_arg(arguments, ee_u32), 16, width, pad); break;
            case 'c': uart_putc((char)va_arg(arguments, int)); break;
            case 's': uart_puts(va_arg(arguments, const char *)); break;
            case 0: p--; break;
            default: uart_putc(*p);
        }
    }
    va_end(arguments);
    return 0;
}
