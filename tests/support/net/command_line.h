// SPDX-License-Identifier: Apache-2.0
// A line of text for the program, from the test (native.c).
#ifndef NSOC_COMMAND_LINE_H
#define NSOC_COMMAND_LINE_H

#include "command_words.h"

const char *command_take(void);

#endif
