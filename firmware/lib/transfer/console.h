// SPDX-License-Identifier: Apache-2.0
// What an application of the transfer library is: the NIC, a station or a relay on it, and a terminal.
//
// Commands, a line each. S is the last byte of an address 02-00-00-00-00-S; S@R is the station S behind the relay R.
//   put S [NAME]               sends S what is called NAME here; without a name, the newest
//   get S [NAME]               fetches from S what is called NAME there
//   serve ADDRESS BYTES NAME   from now on this memory is called NAME here
//   counters                   prints what was dropped, by cause
// Numbers are decimal, or hexadecimal with 0x. A transfer that has ended prints a line. Text waits in memory until the
// UART takes it, so that printing holds nothing up; what does not fit there is counted and lost.
//
// The processor polls while a transfer is open, and sleeps when none is.
#ifndef NSOC_TRANSFER_CONSOLE_H
#define NSOC_TRANSFER_CONSOLE_H

// Both print "N-SoC <title>: ready" and go on for ever; they return when the NIC does not start.
int console_run_station(const char *title);
int console_run_relay(const char *title);

#endif
