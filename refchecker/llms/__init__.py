"""Language models as components: providers, one policy, one cache."""
