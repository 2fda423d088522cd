"""Readers of foreign logs, one file each."""

FORMATS: dict[str, str] = {
    "llm_agora": "llm-agora",
    "society_of_minds": "society-of-minds",
}
"""The formats in each module."""
