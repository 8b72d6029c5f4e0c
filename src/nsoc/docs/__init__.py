# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md: what is generated in it, and where its figures come from. `python -m nsoc.docs` writes it."""
