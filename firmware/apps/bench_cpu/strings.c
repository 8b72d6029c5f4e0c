// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#define STRINGS 64u
#define ROOM 68u  // 63 characters, the terminating 0, and up to 3 bytes of alignment
#define WORDS 256u
#define COPIES 4u

static char source[STRINGS][ROOM], target[STRINGS][ROOM];
static uint32_t words[WORDS], copied[WORDS];
static uint32_t order;

// String i: the first i characters of one random text, from byte i % 4 of row i on.
static const char *string(uint32_t i) { return source[i] + i % 4; }

void strings_prepare(void) {
    char alphabet[STRINGS];
    uint32_t x = 5;
    for (uint32_t k = 0; k < STRINGS; k++) alphabet[k] = (char)('a' + random_next(&x) % 26u);
    for (uint32_t i = 0; i < STRINGS; i++) {
        for (uint32_t k = 0; k < ROOM; k++) {
            source[i][k] = 0;
            target[i][k] = '-';
        }
        for (uint32_t k = 0; k < i; k++) source[i][i % 4 + k] = alphabet[k];
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = random_next(&x);
        copied[i] = 0;
    }
}

void string_copy(void) {
    for (uint32_t i = 0; i < STRINGS; i++) {
        const char *from = string(i);
        char *to = target[i] + (i / 4) % 4;
        while ((*to++ = *from++)) {}
    }
}

uint32_t string_copy_result(void) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < STRINGS; i++)
        for (uint32_t k = 0; k < ROOM; k++) hash = hash_add(hash, (uint8_t)target[i][k]);
    return hash;
}

void memory_copy(void) {
    for (uint32_t n = 0; n < COPIES; n++)
        for (uint32_t i = 0; i < WORDS; i++) copied[i] = words[(i + n) % WORDS];
}

uint32_t memory_copy_result(void) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < WORDS; i++) hash = hash_add(hash, copied[i]);
    return hash;
}

static int compare(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (uint8_t)*a - (uint8_t)*b;
}

// Each string with the next one, which is equal up to its last character, and the other way round.
void string_compare(void) {
    order = 0;
    for (uint32_t i = 0; i + 1 < STRINGS; i++) {
        order = 3u * order + (uint32_t)compare(string(i), string(i + 1));
        order = 5u * order + (uint32_t)compare(string(i + 1), string(i));
    }
}

uint32_t string_compare_result(void) { return order; }
