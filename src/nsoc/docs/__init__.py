# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md and its tables: what is generated there, and where its figures come from. `python -m nsoc.docs`
writes it."""
