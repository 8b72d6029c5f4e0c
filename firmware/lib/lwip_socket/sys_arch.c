// SPDX-License-Identifier: Apache-2.0
// What lwIP wants of threads: mutexes (those of os.h), semaphores, mailboxes, threads. Interrupts are off while they
// are looked at and changed (os_block.h).
#include "lwip/opt.h"

#include "lwip/sys.h"
#include "nic_netif.h"
#include "uart.h"

#ifndef LWIP_THREADS_MOST
#define LWIP_THREADS_MOST 1u  // that lwIP starts: the one of its timers
#endif

// ---- Waits, between os_enter and os_leave ----

// Until wake() has been called for that list, or until it is that time.
NIC_NETIF_NEAR static void wait(sys_wait_t **list, os_time_t until) {
    sys_wait_t self = {.thread = os_self()}, **last = list;
    while (*last) last = &(*last)->next;
    *last = &self;
    (void)os_block(until);
    if (!self.thread) return;
    while (*list != &self) list = &(*list)->next;
    *list = self.next;
}

// Who came first looks again. It may find that another thread was faster.
NIC_NETIF_NEAR static void wake(sys_wait_t **list) {
    sys_wait_t *first = *list;
    if (!first) return;
    os_thread_t *thread = first->thread;
    *list = first->next;
    first->thread = 0;
    os_unblock(thread);
    os_switch();
}

// Milliseconds, 0: for ever.
static inline os_time_t until_of(u32_t timeout) { return timeout ? os_now() + OS_MS(timeout) : OS_FOREVER; }

static inline bool is_over(os_time_t until) { return until != OS_FOREVER && os_now() >= until; }

// ---- Mutexes ----

err_t sys_mutex_new(sys_mutex_t *mutex) {
    *mutex = (sys_mutex_t){0};
    return ERR_OK;
}

void sys_mutex_free(sys_mutex_t *mutex) { (void)mutex; }

// ---- Semaphores ----

err_t sys_sem_new(sys_sem_t *sem, u8_t count) {
    *sem = (sys_sem_t){.count = count, .valid = true};
    return ERR_OK;
}

void sys_sem_free(sys_sem_t *sem) { (void)sem; }

void sys_sem_signal(sys_sem_t *sem) {
    os_enter();
    sem->count++;
    wake(&sem->waits);
    os_leave();
}

u32_t sys_arch_sem_wait(sys_sem_t *sem, u32_t timeout) {
    const os_time_t until = until_of(timeout);
    os_enter();
    while (!sem->count) {
        if (is_over(until)) {
            os_leave();
            return SYS_ARCH_TIMEOUT;
        }
        wait(&sem->waits, until);
    }
    sem->count--;
    os_leave();
    return 0;
}

// ---- Mailboxes ----

err_t sys_mbox_new(sys_mbox_t *mbox, int size) {
    mbox->readers = mbox->writers = 0;
    mbox->first = mbox->count = 0;
    mbox->size = (uint16_t)((unsigned)size < SYS_MBOX_MOST ? (unsigned)size : SYS_MBOX_MOST);
    mbox->valid = true;
    return ERR_OK;
}

void sys_mbox_free(sys_mbox_t *mbox) { (void)mbox; }

static inline void put(sys_mbox_t *mbox, void *letter) {
    mbox->letters[(mbox->first + mbox->count++) % SYS_MBOX_MOST] = letter;
    wake(&mbox->readers);
}

NIC_NETIF_NEAR static void *take(sys_mbox_t *mbox) {
    void *letter = mbox->letters[mbox->first];
    mbox->first = (mbox->first + 1u) % SYS_MBOX_MOST;
    mbox->count--;
    wake(&mbox->writers);
    return letter;
}

void sys_mbox_post(sys_mbox_t *mbox, void *letter) {
    os_enter();
    while (mbox->count >= mbox->size) wait(&mbox->writers, OS_FOREVER);
    put(mbox, letter);
    os_leave();
}

NIC_NETIF_NEAR err_t sys_mbox_trypost(sys_mbox_t *mbox, void *letter) {
    os_enter();
    const bool fits = mbox->count < mbox->size;
    if (fits) put(mbox, letter);
    os_leave();
    return fits ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mbox, void *letter) {
    (void)mbox, (void)letter;
    return ERR_MEM;  // nothing of lwIP is called by an interrupt
}

NIC_NETIF_NEAR u32_t sys_arch_mbox_fetch(sys_mbox_t *mbox, void **letter, u32_t timeout) {
    const os_time_t until = until_of(timeout);
    void *taken = 0;
    u32_t answer = 0;
    os_enter();
    while (!mbox->count && !answer) {
        if (is_over(until)) answer = SYS_ARCH_TIMEOUT;
        else wait(&mbox->readers, until);
    }
    if (!answer) taken = take(mbox);
    os_leave();
    if (letter) *letter = taken;
    return answer;
}

NIC_NETIF_NEAR u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mbox, void **letter) {
    if (!mbox->count) return SYS_MBOX_EMPTY;
    os_enter();
    const bool any = mbox->count;
    if (any) *letter = take(mbox);
    os_leave();
    return any ? 0 : SYS_MBOX_EMPTY;
}

// ---- Threads ----

void sys_init(void) {}

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument, int stack_bytes, int priority) {
    static uint64_t stacks[LWIP_THREADS_MOST][TCPIP_THREAD_STACKSIZE / 8u] __attribute__((aligned(16), section(".noinit")));
    static os_thread_t threads[LWIP_THREADS_MOST];
    static unsigned count;
    (void)stack_bytes;
    if (count == LWIP_THREADS_MOST) {
        uart_puts("lwIP wants more threads than there are\n");
        return 0;
    }
    os_thread_t *thread = &threads[count];
    uint64_t *stack = stacks[count++];
    os_thread_start(thread, name, (unsigned)priority, function, argument, stack, TCPIP_THREAD_STACKSIZE);
    return thread;
}
