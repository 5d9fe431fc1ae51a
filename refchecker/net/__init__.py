"""What all who talk to servers share: keys in files, and what servers say."""

from __future__ import annotations

from .keys import key_of
from .messages import retry_after, shortened
