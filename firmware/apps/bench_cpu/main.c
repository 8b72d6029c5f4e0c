// SPDX-License-Identifier: Apache-2.0
// bench_cpu: small loops of the kinds that firmware is made of, each measured with the processor's own counters.
//
// Prints a line about the core, one for each loop, and "end". `nsoc bench cpu` reads them, and answers "frames wanted"
// by sending as many.
//
// Build option (-D): LOOPS, bit i runs loop i of the table below; default all.
#include "counters.h"
#include "loops.h"
#include "uart.h"

#ifndef LOOPS
#define LOOPS 0xFFFFFFFFu
#endif

static const loop_t loops[] = {
    {"list_search", list_prepare, list_search, list_search_result, 0x0000174eu},
    {"list_reverse", list_prepare, list_reverse, list_result, 0xe4a7cf21u},
    {"list_sort", list_prepare, list_sort, list_result, 0x7b5570a9u},
    {"matrix_multiply", matrix_prepare, matrix_multiply, matrix_multiply_result, 0x04fc623eu},
    {"matrix_filter", matrix_prepare, matrix_filter, matrix_filter_result, 0x969d166au},
    {"text_states", text_prepare, text_states, text_result, 0xc3fa5682u},
    {"crc_table", crc_prepare, crc_table, crc_result, 0x5fac47a8u},
    {"crc_bitwise", crc_prepare, crc_bitwise, crc_result, 0xa526e8cbu},
    {"string_copy", strings_prepare, string_copy, string_copy_result, 0xf42906d8u},
    {"memory_copy", strings_prepare, memory_copy, memory_copy_result, 0x44ba64d3u},
    {"string_compare", strings_prepare, string_compare, string_compare_result, 0x764bfaecu},
    {"nic_forward", forward_prepare, forward_frames, forward_result, FORWARD_FRAMES},
};

static void measure(const loop_t *loop) {
    counters_t before, after;
    loop->prepare();
    loop->body();
    loop->prepare();
    counters_read(&before);
    loop->body();
    counters_read(&after);
    counters_since(&after, &before);

    uint32_t result = loop->result();
    uart_puts("loop ");
    uart_puts(loop->name);
    uart_puts(result == loop->expected ? " ok " : " wrong ");
    uart_put_hex(result);
    uart_putc(' ');
    counters_print(&after);
    uart_puts("\n");
}

int main(void) {
    counters_init();
    uart_puts(counters_have_stalls() ? "core counts stalls\n" : "core counts no stalls\n");
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if ((LOOPS) >> i & 1u) measure(&loops[i]);
    uart_puts("end\n");
    return 0;
}
