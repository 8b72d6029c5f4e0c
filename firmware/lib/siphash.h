// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012) under the key of secret.h: what an outsider can neither foretell nor aim at.
#ifndef NSOC_SIPHASH_H
#define NSOC_SIPHASH_H

#include <stdint.h>

// Of three words: 12 bytes, the lowest of the first word first.
uint64_t siphash(const uint32_t words[3]);

#endif
