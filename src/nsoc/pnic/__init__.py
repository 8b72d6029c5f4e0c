# SPDX-License-Identifier: Apache-2.0
"""The programmable NIC: its firmware, its simulators, and what they measure."""
