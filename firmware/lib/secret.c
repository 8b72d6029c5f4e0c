// SPDX-License-Identifier: Apache-2.0
#include "secret.h"

const volatile uint32_t secret[4] __attribute__((section(".secret"))) = {0};
