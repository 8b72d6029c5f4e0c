// SPDX-License-Identifier: Apache-2.0
// errno of the thread that runs, with the numbers that Linux has.
#ifndef NSOC_ERRNO_H
#define NSOC_ERRNO_H

#include "error_numbers.h"
#include "sockets.h"

#define errno (os_self()->error)

#endif
