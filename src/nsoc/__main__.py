# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc` is the `nsoc` command."""

from nsoc.cli import main

main()
