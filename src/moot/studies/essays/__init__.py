"""What the essays of a run are worth: how much they differ, how long they are, which is preferred.

Source: "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse Argument Generation",
sections 3.3 and 4.2 and appendix B. Everything here is computed from texts, vectors, judgements and
rankings that are there already; ``embed`` alone asks a model, for vectors.
"""
