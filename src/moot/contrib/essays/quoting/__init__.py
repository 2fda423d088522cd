"""What texts quote, and whether it stands in the passages that their writer had."""
