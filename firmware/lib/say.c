// SPDX-License-Identifier: Apache-2.0
#include "say.h"

#include "nsoc_regs.h"

#define SAY_BYTES 8192u

static char kept[SAY_BYTES];
static uint32_t first, end;
uint32_t say_lost;

uint32_t say_room(void) { return SAY_BYTES - (end - first); }

void say(const char *text) {
    for (; *text; text++) {
        if (end - first == SAY_BYTES) say_lost++;
        else kept[end++ % SAY_BYTES] = *text;
    }
}

void say_dec(uint32_t value) {
    char digits[11];
    unsigned place = sizeof digits - 1;
    digits[place] = 0;
    do digits[--place] = (char)('0' + value % 10u);
    while ((value /= 10u) != 0);
    say(digits + place);
}

void say_count(const char *text, uint32_t count) {
    if (!count) return;
    say("  ");
    say_dec(count);
    say(" ");
    say(text);
    say("\n");
}

bool say_more(void) {
    while (first != end && !(NSOC_UART->status & NSOC_UART_STATUS_TX_FULL))
        NSOC_UART->tx_data = (uint8_t)kept[first++ % SAY_BYTES];
    return first != end;
}
