"""Readers of foreign logs, one file each."""

FORMATS: dict[str, str] = {
    "autogen": "autogen",
    "debate_log": "debate-log",
    "inspect": "inspect",
    "langgraph": "langgraph",
    "llm_agora": "llm-agora",
    "llm_council": "llm-council",
    "mad": "mad",
    "mallm": "mallm",
    "messages": "messages",
    "motions": "motions",
    "nyu_oversight": "nyu-oversight",
    "own_lines": "jsonl",
    "persuasion": "persuasion",
    "society_of_minds": "society-of-minds",
}
"""The formats in each module."""
