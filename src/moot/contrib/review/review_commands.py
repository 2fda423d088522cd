"""The command that reviews, which is imported when it is used."""

from moot.extend.commands import CommandPlace

review = CommandPlace(
    "moot.contrib.review.review_text:review",
    "Review FILE, a text or a diff: what is wrong in it, and who disagrees.",
    group="Ask",
)
