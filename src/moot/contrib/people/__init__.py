"""People who debate: ``human/NAME`` is a model whose replies a person types."""
