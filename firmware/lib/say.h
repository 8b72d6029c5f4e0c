// SPDX-License-Identifier: Apache-2.0
// Text for the UART that nobody waits for: it is kept, and goes out character by character when there is nothing else
// to do.
#ifndef NSOC_SAY_H
#define NSOC_SAY_H

#include <stdbool.h>
#include <stdint.h>

void say(const char *text);
void say_dec(uint32_t value);  // no leading zeros

// A line "  COUNT TEXT", unless the count is 0.
void say_count(const char *text, uint32_t count);

// Prints what the UART takes now. False: there is nothing to say.
bool say_more(void);

// How many characters there is room for.
uint32_t say_room(void);

// Characters for which there was no room.
extern uint32_t say_lost;

#endif
