"""How people compare the essays of a run without being told whose they are, and what follows."""
