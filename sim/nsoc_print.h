// SPDX-License-Identifier: Apache-2.0
//
// Included ahead of every file of the simulator (build.py): what the model prints ($display, a failed assertion) goes
// to the handle that runs, not to standard output; and what Verilator calls fatal is an exception, where it would end
// the process.
#ifndef NSOC_PRINT_H
#define NSOC_PRINT_H

#include <stdexcept>

extern "C" int nsoc_sim_printf(const char *format, ...);

struct nsoc_model_failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

#define VL_USER_FATAL
inline void vl_fatal(const char *file, int line, const char *, const char *message) {
    nsoc_sim_printf("%s:%d: %s\n", file, line, message);
    throw nsoc_model_failed(message);
}

#endif
