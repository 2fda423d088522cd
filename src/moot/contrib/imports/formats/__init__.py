"""Readers of foreign logs, one file each."""

FORMATS: dict[str, str] = {
    "autogen": "autogen",
    "inspect": "inspect",
    "langgraph": "langgraph",
    "motions": "motions",
    "nyu_oversight": "nyu-oversight",
}
"""The formats in each module."""
