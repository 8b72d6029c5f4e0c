# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: each runs on the simulated SoC and gives a table for people and records for machines."""
