"""The command that audits, which is imported when it is used."""

from moot.extend.commands import CommandPlace

audit = CommandPlace(
    "moot.contrib.audits.audit_command:audit",
    "Audit other people's debates: what they claim, by which rule, and what is so.",
    group="Study",
)
