"""Audits of other people's debates: what they claim, by which rule, and what is then so."""
