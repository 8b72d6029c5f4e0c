// SPDX-License-Identifier: Apache-2.0
// TFTP server on port 69 (RFC 1350, options blksize and tsize): get and put of memory. A file's name is ADDRESS/BYTES in
// hexadecimal, 40100000/10000, and must lie in DRAM above the firmware's megabyte; a put may be shorter.
#ifndef NET_TFTP_H
#define NET_TFTP_H

void net_tftp_init(void);

#endif
