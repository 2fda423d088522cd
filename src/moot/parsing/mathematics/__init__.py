"""Mathematics: answers of kind ``math``, read from replies and brought to one form each."""
