"""Reviews: councils, juries and panels, and what reviewers' marks are worth."""
