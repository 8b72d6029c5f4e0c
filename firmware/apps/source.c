// SPDX-License-Identifier: Apache-2.0
// source: serves what is in DRAM over the network, by the protocol of docs/protocol.md, and takes transfers as sink
// does. lib/transfer/console.h has its commands, console.c its build options.
#include "console.h"

int main(void) { return console_run_station("source"); }
