// SPDX-License-Identifier: Apache-2.0
// The start of a program with lwIP's sockets: the stack, in the first thread, then the program's main().
#include "lwip_socket.h"
#include "uart.h"

#undef main

#ifndef STATION
#define STATION 2u
#endif
#ifndef SOCKET_MAIN_STACK
#define SOCKET_MAIN_STACK 8192u
#endif
#ifndef SOCKET_MAIN_PRIORITY
#define SOCKET_MAIN_PRIORITY 10u
#endif

static os_thread_t main_thread;
static OS_STACK(main_stack, SOCKET_MAIN_STACK);

static void run_main(void *argument) {
    (void)argument;
    if (nic_netif_init(STATION)) (void)socket_main();
    else uart_puts("sockets: the free queue refused a buffer\n");
}

int main(void) {
    os_thread_start(&main_thread, "main", SOCKET_MAIN_PRIORITY, run_main, 0, main_stack, sizeof main_stack);
    os_run();
}
