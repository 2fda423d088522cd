"""Floor 0a, beside the types: files of the Hugging Face hub, for weights and for datasets."""
