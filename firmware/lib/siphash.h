// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012) under the key of secret.h: what an outsider can neither foretell nor aim
// at.
#ifndef NSOC_SIPHASH_H
#define NSOC_SIPHASH_H

#include <stdint.h>

// Of three words: 12 bytes, the lowest of the first word first.
uint64_t siphash(const uint32_t words[3]);

// A number for one use, that goes on the wire or may be found out from there. It says nothing of the secret, nor of the
// numbers for other uses; `of`: of this station, or of this time. (Of connections' ends no word is all ones.)
enum { SECRET_IP_ID = 1, SECRET_FRAGMENTS_ID, SECRET_DHCP, SECRET_PORTS, SECRET_GROUPS };
uint32_t secret_word(uint32_t use, uint32_t of);

#endif
