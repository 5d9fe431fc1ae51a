"""The sheets of the imaginary suite are in `refchecker.suites.imaginary.sheets`; this path still works."""

from .imaginary.sheets import *  # noqa: F403
