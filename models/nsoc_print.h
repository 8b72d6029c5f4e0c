// SPDX-License-Identifier: Apache-2.0
//
// Included ahead of every file of the simulator (build.py): what the model prints ($display, a failed assertion) goes
// to the handle that runs, not to standard output.
#ifndef NSOC_PRINT_H
#define NSOC_PRINT_H

extern "C" int nsoc_sim_printf(const char *format, ...);

#endif
