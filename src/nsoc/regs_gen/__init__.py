# SPDX-License-Identifier: Apache-2.0
"""Writes everything that is generated from regs/*.rdl: RTL packages, C and C++ headers, the linker's regions, the
Python tables, the page of all registers (docs/registers.html) and the CMSIS-SVD file for debuggers and others; and from
rtl/tcp/common/tcp_pkg.sv where the fields of a TCP connection's record are.

`python -m nsoc.regs_gen` rewrites the files, `--check` only says whether they are up to date (exit status 1 if not).
The files are committed, so that building and running need no SystemRDL compiler. One module an output; what they ask
about the description is in `tree`.
"""
