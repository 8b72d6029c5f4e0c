# SPDX-License-Identifier: Apache-2.0
"""The one exception a user sees."""


class NsocError(Exception):
    """Something the user can mend. The text is one sentence that names the thing and the way out."""
