"""Floor 4: plan, run and resume studies; statistics over their runs."""
