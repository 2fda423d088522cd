"""A reply to the gate that asks one agent to judge its own answer."""


def critique(answer, draft="", chance=0.5, confidence=0.5):
    return (
        f'{{"reasoning": "So.", "draft": "{draft or answer}", "chance": {chance}, "objection": '
        f'"No.", "answer": "{answer}", "confidence": {confidence}}}'
    )
