// SPDX-License-Identifier: Apache-2.0
// 128 bits that nobody else should know, for what an outsider must not foretell: initial sequence numbers, identifiers.
//
// They are in a section of their own, .secret. Who loads the program writes them there: `nsoc up` random ones, a
// simulation some that its seed gives. Where nobody does they are 0, and no secret.
#ifndef NSOC_SECRET_H
#define NSOC_SECRET_H

#include <stdint.h>

extern const volatile uint32_t secret[4];

#endif
