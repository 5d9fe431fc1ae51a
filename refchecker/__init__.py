"""refchecker."""
