// SPDX-License-Identifier: Apache-2.0
// os_cycles: what os.h costs, in cycles of the processor, what it costs to read the counter taken off. Each figure is
// the least and the most of ROUNDS after two that fetch code and data. It ends with a line "done". docs/os.md shows the
// table.
#include "arch.h"
#include "nsoc_regs.h"
#include "os.h"
#include "os_block.h"
#include "trap.h"
#include "uart.h"

#define ROUNDS 16u
#define WARM_UP 2u

typedef struct {
    const char *what;
    uint32_t least, most, count;
} figure_t;

enum { YIELD, MUTEX, UNLOCK_TO_HIGHER, WAKE_HIGHER, WAKE_NOBODY, NOW, TRAP, TRAP_TO_THREAD, TRAP_TO_BLOCKED, DEADLINE, FIGURES };

static figure_t figures[FIGURES] = {
    [YIELD] = {.what = "yield to an equal"},
    [MUTEX] = {.what = "lock and unlock a free mutex"},
    [UNLOCK_TO_HIGHER] = {.what = "unlock to the higher thread that waited for it"},
    [WAKE_HIGHER] = {.what = "wake to the higher thread in os_wait"},
    [WAKE_NOBODY] = {.what = "wake when nobody waits"},
    [NOW] = {.what = "read the time"},
    [TRAP] = {.what = "store that lets an interrupt through, to trap_handler"},
    [TRAP_TO_THREAD] = {.what = "the same, to the higher thread that it wakes"},
    [TRAP_TO_BLOCKED] = {.what = "the same, to the higher thread in os_block"},
    [DEADLINE] = {.what = "deadline to the thread, from sleep, with reading the time"},
};

static os_thread_t low, equal, high;
static OS_STACK(low_stack, 1024);
static OS_STACK(equal_stack, 1024);
static OS_STACK(high_stack, 1024);
static os_mutex_t mutex, free_mutex;
static os_condition_t condition, nobody;
static volatile uint32_t started, overhead;

__attribute__((hot, noinline)) static void note(figure_t *figure, uint32_t end) {
    uint32_t cycles = end - started - overhead;
    if (figure->count++ < WARM_UP) return;
    if (figure->count == WARM_UP + 1u || cycles < figure->least) figure->least = cycles;
    if (cycles > figure->most) figure->most = cycles;
}

// The NIC has a reason to interrupt, for good: a free queue that was unlocked by who had not locked it. Whether that
// gets through the interrupt controller is what the program changes.
static void interrupt_prepare(void) {
    NSOC_NIC->freeq.lock = 1;
    NSOC_NIC->irq_mask = NSOC_NIC_IRQ_MASK_ERROR;
    NSOC_NIC->control |= NSOC_NIC_CONTROL_IRQ_ENABLE;
    arch_fence();
}

__attribute__((hot)) uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    uint32_t now = arch_cycles();
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    NSOC_INTC->enable = 0;
    if (figures[TRAP_TO_THREAD].count < ROUNDS + WARM_UP) {
        note(&figures[TRAP], now);
        os_wake_interrupt(&condition);
    } else {
        os_unblock(&high);
    }
    return pc;
}

__attribute__((hot)) static void equal_main(void *argument) {
    (void)argument;
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        note(&figures[YIELD], arch_cycles());
        os_sleep_until(0);
    }
}

__attribute__((hot)) static void high_main(void *argument) {
    (void)argument;
    os_lock(&mutex);
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_wait(&condition, &mutex, OS_FOREVER);
        note(&figures[WAKE_HIGHER], arch_cycles());
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_wait(&condition, &mutex, OS_FOREVER);
        note(&figures[TRAP_TO_THREAD], arch_cycles());
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_enter();
        os_block(OS_FOREVER);
        note(&figures[TRAP_TO_BLOCKED], arch_cycles());
        os_leave();
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_wait(&condition, &mutex, OS_FOREVER);
        os_unlock(&mutex);
        os_lock(&free_mutex);  // that low has
        note(&figures[UNLOCK_TO_HIGHER], arch_cycles());
        os_unlock(&free_mutex);
        os_lock(&mutex);
    }
    os_unlock(&mutex);
}

__attribute__((cold, noinline)) static void measure(void) {
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_sleep_until(0);  // the other one's round ends, and it comes back here
        started = arch_cycles();
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        started = arch_cycles();
        os_lock(&free_mutex);
        os_unlock(&free_mutex);
        note(&figures[MUTEX], arch_cycles());
        started = arch_cycles();
        os_wake(&nobody, 1);
        note(&figures[WAKE_NOBODY], arch_cycles());
        started = arch_cycles();
        (void)os_now();
        note(&figures[NOW], arch_cycles());
    }
    os_thread_start(&high, "high", 20, high_main, 0, high_stack, sizeof high_stack);
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        started = arch_cycles();
        os_wake(&condition, 1);
    }
    for (figure_t *figure = &figures[TRAP_TO_THREAD]; figure <= &figures[TRAP_TO_BLOCKED]; ++figure) {
        for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
            uint32_t before = figure->count;
            started = arch_cycles();
            NSOC_INTC->enable = 1u << NSOC_IRQ_NIC;
            while (*(volatile uint32_t *)&figure->count == before) {}
        }
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_lock(&free_mutex);
        os_wake(&condition, 1);
        started = arch_cycles();
        os_unlock(&free_mutex);
    }
    for (unsigned i = 0; i < ROUNDS + WARM_UP; ++i) {
        os_time_t when = os_now() + OS_US(20);
        os_sleep_until(when);
        started = 0;
        note(&figures[DEADLINE], (uint32_t)(os_now() - when) + overhead);
    }
}

static void low_main(void *argument) {
    (void)argument;
    started = arch_cycles();
    overhead = arch_cycles() - started;
    started = arch_cycles();
    overhead = arch_cycles() - started;
    interrupt_prepare();
    os_thread_start(&equal, "equal", 10, equal_main, 0, equal_stack, sizeof equal_stack);
    measure();
    for (unsigned i = 0; i < FIGURES; ++i) {
        uart_puts(figures[i].what);
        uart_puts(": ");
        uart_put_dec(figures[i].least);
        uart_puts(" ");
        uart_put_dec(figures[i].most);
        uart_puts("\n");
    }
    uart_puts("done\n");
}

int main(void) {
    os_thread_start(&low, "low", 10, low_main, 0, low_stack, sizeof low_stack);
    os_run();
}
