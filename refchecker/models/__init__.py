"""Models: the weights that ship, how models are found and loaded, on what they run, and token embeddings."""

from __future__ import annotations

from .encoder import UNFITTED, Array, EmbeddedEncoder, Encoder, HFEncoder, Settings, Tokens, settings_of
from .hardware import check_compiler, devices, precision_on
from .loading import located, name_and_version, token_limits, tokenizer_and_config
from .onnx import SHIPPED, session, tokenizer_of
