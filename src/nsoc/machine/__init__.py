# SPDX-License-Identifier: Apache-2.0
"""The machine: what it is built from, how it boots and runs, and who looks inside."""
