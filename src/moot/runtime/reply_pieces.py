"""Tell those who watch a debate what a model writes, piece by piece."""

from typing import Literal

from moot.core.calls import Call, Reply
from moot.core.ports import Model, PieceKind, PieceListener, ReplyPiece, StreamingModel
from moot.core.thought import ThoughtSplitter


async def stream_reply(model: Model, call: Call, listen: PieceListener, attempt: int) -> Reply:
    """Return the reply of one attempt; tell its beginning, and its words where the model does.

    Args:
        model: the model.
        call: the call. Without a scene it belongs to no debate, and nothing is told.
        listen: is called with each piece.
        attempt: the number of the attempt, from 1.
    """
    scene = call.scene
    if scene is None:
        return await model.reply(call)
    splitter = ThoughtSplitter()

    def tell(kind: PieceKind, text: str = "") -> None:
        listen(
            ReplyPiece(
                turn=scene.turn,
                agent=scene.agent,
                role=scene.role,
                step=scene.step,
                round=scene.round,
                kind=kind,
                text=text,
            )
        )

    def tell_words(kind: Literal["text", "thought"], text: str) -> None:
        if kind == "thought":
            tell(kind, text)
        else:
            for what, part in splitter.split(text):
                tell(what, part)

    tell("begun" if attempt == 1 else "restarted")
    if not isinstance(model, StreamingModel):
        return await model.reply(call)
    reply = await model.stream(call, tell_words)
    for what, part in splitter.finish():
        tell(what, part)
    return reply
