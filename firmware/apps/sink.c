// SPDX-License-Identifier: Apache-2.0
// sink: takes transfers over the network into DRAM, by the protocol of docs/protocol.md, and serves what it has got. It
// is a whole station, as source is; lib/transfer/console.h has its commands, console.c its build options.
#include "console.h"

int main(void) { return console_run_station("sink"); }
