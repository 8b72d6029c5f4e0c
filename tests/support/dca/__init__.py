# SPDX-License-Identifier: Apache-2.0
"""Direct cache access in a unit test."""
