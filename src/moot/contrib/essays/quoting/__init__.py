"""Quotations of texts, and whether they stand in the passages that their writer had."""
