"""Floor 5: what people look at: tables and transcripts for the terminal, reports in HTML."""

DISPLAYS = {"notebook": "html", "one_line": "line"}
"""The ways to show a result in each module."""
