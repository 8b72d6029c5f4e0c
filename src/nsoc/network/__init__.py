# SPDX-License-Identifier: Apache-2.0
"""The Ethernet wire and what goes over it: frames, faults, captures, the demo's transfer."""
