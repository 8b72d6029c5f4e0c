# SPDX-License-Identifier: Apache-2.0
"""The TCP engine as a step function: the specification of rtl/tcp/core/tcp_core and its model (docs/tcp.md)."""
