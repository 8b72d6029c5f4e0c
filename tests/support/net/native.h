// SPDX-License-Identifier: Apache-2.0
// Comes before every file of firmware that is compiled for this machine (-include): devices lie where a page can be had
// and a sanitizer looks.
#ifndef NATIVE_H
#define NATIVE_H

#include "nsoc_regs.h"

#define NATIVE_DEVICES 0x60000000u
#undef NSOC_NIC_BASE
#undef NSOC_INTC_BASE
#undef NSOC_TIMER_BASE
#undef NSOC_UART_BASE
#define NSOC_NIC_BASE NATIVE_DEVICES
#define NSOC_INTC_BASE (NATIVE_DEVICES + 0x1000u)
#define NSOC_TIMER_BASE (NATIVE_DEVICES + 0x1100u)
#define NSOC_UART_BASE (NATIVE_DEVICES + 0x1200u)

#endif
