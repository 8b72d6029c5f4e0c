// SPDX-License-Identifier: Apache-2.0
// Ten seconds in which nearly nothing happens: one thread sleeps a second at a time, one waits for ten, one for ever.
#include "os.h"
#include "uart.h"

static os_thread_t threads[3];
static OS_STACK(stacks[3], 1024);
static os_mutex_t mutex;
static os_condition_t condition;

static void naps(void *unused) {
    (void)unused;
    for (os_time_t when = OS_MS(1000);; when += OS_MS(1000)) os_sleep_until(when);
}

static void waits(void *until) {
    os_lock(&mutex);
    while (os_wait(&condition, &mutex, *(const os_time_t *)until)) {}
    os_unlock(&mutex);
    uart_puts("done\n");
}

int main(void) {
    static os_time_t ten = OS_MS(10000), never = OS_FOREVER;
    os_thread_start(&threads[0], "naps", 10, naps, 0, stacks[0], sizeof stacks[0]);
    os_thread_start(&threads[1], "waits", 10, waits, &ten, stacks[1], sizeof stacks[1]);
    os_thread_start(&threads[2], "waits for ever", 11, waits, &never, stacks[2], sizeof stacks[2]);
    uart_puts("ready\n");
    os_run();
}
