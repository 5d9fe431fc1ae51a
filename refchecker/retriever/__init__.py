"""Retrievers: references for records that came without."""
