// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

// Tokens: names, decimal and hexadecimal numbers, strings in quotes with backslash escapes, comments from # to the end
// of the line, signs (any other printable character), and errors (a number that runs into a letter).
typedef enum { SPACE, NAME, ZERO, DECIMAL, HEX, STRING, ESCAPE, COMMENT, SIGN, WRONG, STATES } state_t;

static const char text[] =
    "# line card, slot 7\n"
    "port0 { speed = 1000; mtu = 1518; vlan = 0x3Fa; name = \"uplink \\\"A\\\"\" }\n"
    "port1 { speed = 100;  mtu = 64;   vlan = 0xBEEF; }   # spare\n"
    "rule drop src 10.0.0.0/8 dst 192.168.17.254 count 00012\n"
    "rule mirror port0 -> port1 rate 3mbit burst 0x1000 label _x9\n"
    "if (queue[3] >= 48 && !full) { push(buffer + 18); } else { drop += 1 }\n"
    "bad 12ab 0xZZ 7up \"open\\n\" 0 1 2 34 567 8910\n";

static uint32_t tokens[STATES], characters[STATES];

void text_prepare(void) {
    for (int i = 0; i < STATES; i++) tokens[i] = characters[i] = 0;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

static state_t begin(char c) {
    if (c == ' ' || c == '\n') return SPACE;
    if (is_letter(c)) return NAME;
    if (c == '0') return ZERO;
    if (is_digit(c)) return DECIMAL;
    if (c == '"') return STRING;
    if (c == '#') return COMMENT;
    return SIGN;
}

// The state after another character; STATES when the token ended before it.
static state_t step(state_t state, char c) {
    switch (state) {
        case NAME: return is_letter(c) || is_digit(c) ? NAME : STATES;
        case ZERO:
            if (c == 'x') return HEX;
            return is_digit(c) ? DECIMAL : is_letter(c) ? WRONG : STATES;
        case DECIMAL: return is_digit(c) ? DECIMAL : is_letter(c) ? WRONG : STATES;
        case HEX: return is_hex(c) ? HEX : is_letter(c) ? WRONG : STATES;
        case STRING: return c == '\\' ? ESCAPE : c == '"' ? SIGN : STRING;  // the closing quote ends it, as a sign
        case ESCAPE: return STRING;
        case COMMENT: return c == '\n' ? STATES : COMMENT;
        case WRONG: return is_letter(c) || is_digit(c) ? WRONG : STATES;
        default: return STATES;
    }
}

void text_states(void) {
    state_t state = SPACE;
    for (const char *p = text; *p; p++) {
        state_t next = step(state, *p);
        if (next == STATES) {
            tokens[state]++;
            next = begin(*p);
        }
        state = next;
        characters[state]++;
    }
    tokens[state]++;
}

uint32_t text_result(void) {
    uint32_t hash = 0;
    for (int i = 0; i < STATES; i++) {
        hash = hash_add(hash, tokens[i]);
        hash = hash_add(hash, characters[i]);
    }
    return hash;
}
