// SPDX-License-Identifier: Apache-2.0
// relay: passes transfers on between stations (docs/protocol.md). lib/transfer/console.h has its command, console.c its
// build options.
#include "console.h"

int main(void) { return console_run_relay("relay"); }
