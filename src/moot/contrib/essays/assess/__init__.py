"""The worth of a run's essays: how much they differ, how long they are, which is preferred.

Source: "Debate-to-Write", sections 3.3 and 4.2 and appendix B.
"""
