"""Decision rules: how the final views of those who vote become a verdict."""
