// SPDX-License-Identifier: Apache-2.0
// Included behind all other headers of a file: its functions and constants, but for texts in quotes, lie in DRAM. For
// what is seldom needed of a program that is too large for the boot ROM (link.ld): one with lwIP; one for the TCP/IP
// engine beside a table of traps (arch.h); with IN_DRAM_ALWAYS, which a file defines before, any. With gcc they stay in
// the boot ROM.
#if defined(__clang__)
#include "arch.h"
#if defined(IN_DRAM_ALWAYS) || (defined(NSOC_HAS_LWIP) && NSOC_HAS_LWIP) || \
    (ARCH_TRAPS_IN_ROM && defined(NSOC_CONNECTIONS) && NSOC_CONNECTIONS)
#pragma clang section text = ".text.dram" rodata = ".rodata.dram"
#endif
#endif
