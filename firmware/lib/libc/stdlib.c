// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

int atoi(const char *text) {
    while (*text == ' ' || (*text >= '\t' && *text <= '\r')) text++;
    const int negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    int value = 0;  // negative: the smallest number has no opposite
    for (; *text >= '0' && *text <= '9'; text++) value = 10 * value - (*text - '0');
    return negative ? value : -value;
}
