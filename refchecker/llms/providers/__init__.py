"""The providers: one protocol, five ways to reach a model."""

from __future__ import annotations

from .chat import Chat, failure_of
from .errors import sort
from .function import Function
from .names import is_model, key_for, provider_of
