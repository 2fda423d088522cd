"""Papers repeated: their tables and figures on a model of one's own, beside what was published."""
