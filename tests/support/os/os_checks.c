// SPDX-License-Identifier: Apache-2.0
// What os.h promises, shown by the order in which threads write letters, a line a check. test_os.py knows the lines.
#include "os.h"
#include "os_interrupt.h"
#include "trap.h"
#include "uart.h"

#define THREADS 6u

static os_thread_t threads[THREADS], master;
static OS_STACK(stacks[THREADS], 1024);
static OS_STACK(master_stack, 1024);
static char letters[64];
static volatile unsigned count;
static unsigned used;
static os_mutex_t first, second;
static os_condition_t condition;
static volatile bool flag;

static void write(char letter) { letters[count++] = letter; }

static void start(unsigned priority, void (*entry)(void *), uintptr_t argument) {
    unsigned i = used++;
    os_thread_start(&threads[i], "check", priority, entry, (void *)argument, stacks[i], sizeof stacks[i]);
}

// Of the master, when all others are over or wait for ever.
static void result(const char *what) {
    uart_puts(what);
    uart_puts(": ");
    for (unsigned i = 0; i < count; ++i) uart_putc(letters[i]);
    uart_puts("\n");
    count = used = 0;
}

static void numbers(const char *what, const uint32_t *of, unsigned amount) {
    uart_puts(what);
    uart_puts(":");
    for (unsigned i = 0; i < amount; ++i) {
        uart_puts(" ");
        uart_put_dec(of[i]);
    }
    uart_puts("\n");
}

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    interrupt_end();
    write('i');
    flag = true;
    os_wake_interrupt(&condition);
    return pc;
}

// ---- Who runs ----

static void one_letter(void *letter) { write((char)(uintptr_t)letter); }

static void three_letters(void *letter) {
    for (unsigned i = 0; i < 3; ++i) {
        write((char)(uintptr_t)letter);
        os_sleep_until(0);
    }
}

// Whenever it runs again after another one has.
static void turns(void *letter) {
    os_time_t end = os_now() + OS_US(9 * OS_SLICE_US / 2);  // in the middle of another one's turn
    while (os_now() < end)
        if (!count || letters[count - 1] != (char)(uintptr_t)letter) write((char)(uintptr_t)letter);
}

static void waits_for_interrupt(void *letter) {
    os_lock(&first);
    while (!flag) os_wait(&condition, &first, OS_FOREVER);
    os_unlock(&first);
    write((char)(uintptr_t)letter);
}

static void raises(void *letter) {
    (void)letter;
    flag = false;
    interrupt_raise();
    while (!flag) {}
    write('l');
}

// ---- Mutexes ----

static void locks_first(void *letter) {
    os_lock(&first);
    write((char)(uintptr_t)letter);
    os_unlock(&first);
}

static void locks_second(void *letter) {
    os_lock(&second);
    write((char)(uintptr_t)letter);
    os_unlock(&second);
}

static void locks_second_then_first(void *letter) {
    os_lock(&second);
    locks_first(letter);
    os_unlock(&second);
}

static void inversion(void *unused) {
    (void)unused;
    os_lock(&first);
    start(20, locks_first, 'H');
    start(15, one_letter, 'M');
    write('L');
    os_unlock(&first);
    write('l');
}

static void chain(void *unused) {
    (void)unused;
    os_lock(&first);
    start(12, locks_second_then_first, 'K');
    start(20, locks_second, 'H');
    start(15, one_letter, 'M');
    write('L');
    os_unlock(&first);
    write('l');
}

// Two mutexes, and the thread that wants the first is the more urgent: what is left is that of the other.
static void two(void *unused) {
    (void)unused;
    os_lock(&first);
    os_lock(&second);
    start(20, locks_first, 'H');
    start(16, locks_second, 'K');
    start(18, one_letter, 'N');
    start(14, one_letter, 'M');
    write('L');
    os_unlock(&first);
    write('m');
    os_unlock(&second);
    write('l');
}

// Gives the mutex away and takes it back before the other one has run, which has none the less waited.
static void takes_back(void *unused) {
    (void)unused;
    os_lock(&first);
    start(12, locks_first, 'a');
    start(11, locks_first, 'b');
    os_sleep_until(os_now() + OS_US(20));
    os_unlock(&first);
    os_lock(&first);
    write('T');
    os_unlock(&first);
}

// The other one has got the first and not run since, but the second it has for good.
static void takes_nothing_else(void *unused) {
    (void)unused;
    os_lock(&first);
    start(12, locks_second_then_first, 'a');
    os_sleep_until(os_now() + OS_US(20));
    os_unlock(&first);
    locks_second((void *)'T');
}

// ---- Conditions and time ----

static void waits(void *letter) {
    os_lock(&first);
    while (!flag) os_wait(&condition, &first, OS_FOREVER);
    write((char)(uintptr_t)letter);
    os_unlock(&first);
}

static void signals(void *amount) {
    os_lock(&first);
    flag = true;
    os_wake(&condition, (uint32_t)(uintptr_t)amount);
    write('s');
    os_unlock(&first);
    write('u');
}

static uint32_t late[8];

static void sleeps(void *unused) {
    (void)unused;
    static const uint16_t us[8] = {1, 2, 3, 5, 10, 17, 100, 333};
    os_time_t when = os_now();
    for (unsigned i = 0; i < 8; ++i) {
        when = (i & 1u ? when : os_now()) + OS_US(us[i] + 10u);
        if (i % 3u == 2u) {
            os_lock(&second);
            if (os_wait(&condition, &second, when)) write('!');
            os_unlock(&second);
        } else {
            os_sleep_until(when);
        }
        late[i] = (uint32_t)(os_now() - when);
    }
}

static void in_time(void *letter) {
    os_lock(&first);
    os_time_t until = os_now() + OS_US(50);
    write((char)(uintptr_t)letter);
    write(os_wait(&condition, &first, until) ? 'y' : 'n');
    write(os_wait(&condition, &first, os_now() + OS_US(50)) ? 'y' : 'n');
    write(os_wait(&condition, &first, 0) ? 'y' : 'n');
    write(os_wait(&condition, &first, 1) ? 'y' : 'n');
    os_unlock(&first);
}

static void rest(void) { os_sleep_until(os_now() + OS_US(1000)); }

static void all(void *unused) {
    (void)unused;
    interrupt_prepare();
    start(10, one_letter, 'a');
    start(12, one_letter, 'c');
    start(11, one_letter, 'b');
    start(12, one_letter, 'd');
    rest();
    result("priorities");
    for (char c = 'a'; c < 'd'; ++c) start(10, three_letters, (uintptr_t)c);
    rest();
    result("yields");
    for (char c = 'a'; c < 'd'; ++c) start(10, turns, (uintptr_t)c);
    start(9, one_letter, '.');
    rest();
    result("slices");

    flag = false;
    start(20, waits_for_interrupt, 'h');
    start(10, raises, 0);
    rest();
    result("interrupt");
    flag = false;
    start(10, waits_for_interrupt, 'h');
    rest();
    interrupt_raise();
    rest();
    result("interrupt in sleep");

    start(10, inversion, 0);
    rest();
    result("inversion");
    start(10, chain, 0);
    rest();
    result("chain");
    start(10, two, 0);
    rest();
    result("two");
    start(20, takes_back, 0);
    rest();
    result("takes back");
    start(20, takes_nothing_else, 0);
    rest();
    result("takes nothing else");
    os_lock(&first);
    for (char c = 'a'; c < 'd'; ++c) start(10, locks_first, (uintptr_t)c);
    start(11, locks_first, 'd');
    rest();
    os_unlock(&first);
    rest();
    result("equals wait in order");

    flag = false;
    start(10, waits, 'a');
    start(12, waits, 'c');
    start(11, waits, 'b');
    start(11, waits, 'B');
    rest();
    start(13, signals, OS_EVERYBODY);
    rest();
    result("everybody");
    flag = false;
    start(10, waits, 'a');
    start(12, waits, 'c');
    rest();
    start(11, signals, 1);
    rest();
    write('-');
    os_lock(&first);
    os_wake(&condition, 1);
    os_unlock(&first);
    rest();
    result("one");

    // An interrupt between the look and the wait.
    flag = false;
    os_lock(&first);
    interrupt_raise();
    while (!flag) {}
    write(os_wait(&condition, &first, OS_FOREVER) ? 'y' : 'n');
    write(os_wait(&condition, &first, os_now() + OS_US(30)) ? 'y' : 'n');
    os_unlock(&first);
    result("no gap");

    start(10, in_time, 't');
    os_sleep_until(os_now() + OS_US(20));
    os_wake(&condition, 1);
    rest();
    result("in time");
    NSOC_TIMER->mtime_low = 0u - WRAP_IN;  // later than all that was waited for
    NSOC_TIMER->mtime_high = 1;
    arch_fence();
    start(10, sleeps, 0);
    rest();
    numbers("late", late, 8);
    result("nobody woke them");
    uart_puts("done\n");
}

int main(void) {
    os_thread_start(&master, "master", 31, all, 0, master_stack, sizeof master_stack);
    os_run();
}
