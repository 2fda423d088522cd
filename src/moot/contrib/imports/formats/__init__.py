"""Readers of foreign logs, one file each."""

FORMATS: dict[str, str] = {
    "debate_log": "debate-log",
    "llm_agora": "llm-agora",
    "llm_council": "llm-council",
    "mad": "mad",
    "mallm": "mallm",
    "messages": "messages",
    "own_lines": "jsonl",
    "society_of_minds": "society-of-minds",
}
"""The formats in each module."""
