"""Argument writing: essays on a proposition, how they came about, and what they are worth.

This package joins moot as a third party's does: by entry points and registries. It imports the
modules that ``docs/extending.md`` names as public, and nothing else of moot.

Source: "Debate-to-Write: A Persona-Driven Multi-Agent Framework for Diverse Argument Generation"
(arXiv:2406.19643).
"""
