"""Floor 5: what people look at: tables and transcripts for the terminal, reports in HTML."""
