"""Localizers: the words of the references, and of the response, that verdicts rest on."""
