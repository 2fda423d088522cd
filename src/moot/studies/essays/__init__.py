"""What the essays of a run are worth: how much they differ, how long they are, which is preferred.

Source: "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse Argument Generation",
sections 3.3 and 4.2 and appendix B. What a judge or an embedder is asked, and how, stands in
``judging`` and ``embeddings``; all else is computed from what is there already.
"""
