// SPDX-License-Identifier: Apache-2.0
// FreeRTOS as the scheduler below os.h (scheduler.h): tasks, and nothing that waits or allocates. What is not said here
// is as FreeRTOS has it.
#ifndef NSOC_FREERTOS_CONFIG_H
#define NSOC_FREERTOS_CONFIG_H

// ---- The processor: the timer is the kernel's, not FreeRTOS's ----

#define configCPU_CLOCK_HZ (CPU_MHZ * 1000000u)
#define configTICK_RATE_HZ (1000000u / OS_SLICE_US)
#define configMTIME_BASE_ADDRESS 0
#define configMTIMECMP_BASE_ADDRESS 0
#define __freertos_irq_stack_top __stack_top       // main()'s stack is that of the interrupts

// ---- Tasks ----

#define configMAX_PRIORITIES 32
#define configMAX_TASK_NAME_LEN 12
#define configMINIMAL_STACK_SIZE 128  // words
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configIDLE_SHOULD_YIELD 1     // threads of priority 0 are its equals
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configUSE_TASK_NOTIFICATIONS 0
#define configUSE_MUTEXES 0
#define configUSE_TIMERS 0
#define configCHECK_FOR_STACK_OVERFLOW 0  // the kernel's guards say the same, and whose it was

#define INCLUDE_vTaskSuspend 1  // for the list of those who wait

// ---- What the kernel does at each switch ----

#define traceTASK_SWITCHED_OUT() switched_out()
#define traceTASK_SWITCHED_IN() switched_in()

#endif
