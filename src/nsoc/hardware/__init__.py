# SPDX-License-Identifier: Apache-2.0
"""The RTL as hardware: synthesis, place and route."""
