// SPDX-License-Identifier: Apache-2.0
// hello: the shortest application, to begin one's own with.
#include "uart.h"

int main(void) {
    uart_puts("Hello from the N-SoC.\n");
    return 0;
}
