"""SQLite's write-ahead log, read frame by frame, to restore what SQLite would drop silently.

When SQLite opens a log, it uses the frames up to the first wrong checksum, and drops all others.
That is right after a power cut, which can only tear the last transaction. After damage it loses
every reply behind it. A checksum is linear in the words of its frame, and starts from the checksum
of the frame before. So frames behind a damaged one can be verified, and a single wrong byte can be
found and corrected. The format is https://sqlite.org/fileformat2.html#walformat.
"""

from collections.abc import Iterator
from pathlib import Path
from struct import pack, unpack
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint32]

PAGE = 8192
"""The page size of stores, for a log whose header is damaged."""
_MAGIC = 0x377F0682  # its lowest bit: whether words are big-endian
_HEADER, _FRAME = 32, 24
_WORD = 2**32


class Log(NamedTuple):
    """The content of a log.

    Attributes:
        frames: the frames of the newest generation, with those behind a damaged one.
        lost: the durable frames that SQLite would drop.
        mended: the corrected log; None where nothing is damaged.
        bad: the damaged frames that could not be corrected.
    """

    frames: int
    lost: int
    mended: bytes | None
    bad: int


def log_of(file: Path) -> Path:
    """Return the path of a database's write-ahead log."""
    return file.with_name(f"{file.name}-wal")


def count_lost_frames(file: Path) -> int:
    """Return the number of durable frames that SQLite would drop; usually 0.

    While another process writes, a frame may be read half written. So damage counts only if a
    second reading finds the same.
    """
    first = read_log(log_of(file))
    if first is None or not first.lost:
        return 0
    sleep(0.2)
    second = read_log(log_of(file))
    return second.lost if second == first else 0


def read_log(path: Path, *, torn: bool = False) -> Log | None:
    """Read a log; return None for no log or an empty one.

    Args:
        path: the path of the log.
        torn: whether to correct the last transaction as well, which a crash may have torn.
    """
    try:
        content = path.read_bytes()
    except OSError:  # opening the store raises the error
        return None
    if len(content) < _HEADER + _FRAME + 512:
        return None
    import numpy as np

    size = unpack(">I", content[8:12])[0]
    if size not in {1 << bits for bits in range(9, 17)}:
        size = PAGE
    count = (len(content) - _HEADER) // (_FRAME + size)
    if not count:
        return None
    table = np.frombuffer(content, np.uint8, count * (_FRAME + size), _HEADER)
    table = table.reshape(count, _FRAME + size)
    heads = np.ascontiguousarray(table[:, :_FRAME]).view(">u4").astype(np.uint32)
    order = ">u4" if content[3] & 1 and content[2] == 6 else "<u4"
    checked = np.concatenate([table[:, :8], table[:, _FRAME:]], axis=1).view(order)
    return _examine(content, size, heads, checked.astype(np.uint32), torn=torn)


def _examine(
    content: bytes, size: int, heads: "Words", checked: "Words", *, torn: bool
) -> Log | None:
    """Verify the frames of a log, and correct damaged ones.

    Args:
        content: the whole log.
        size: the page size in bytes.
        heads: the six numbers at the beginning of each frame.
        checked: the words of each frame that its checksum covers.
        torn: see ``read_log``.
    """
    import numpy as np

    order = ">" if content[3] & 1 and content[2] == 6 else "<"
    header = np.frombuffer(content, f"{order}u4", 6).astype(np.uint32)
    stored = unpack(">2I", content[24:32])
    header_sound = tuple(_Sums(6).end((0, 0), _Sums(6).part(header[None])[0])) == stored
    salts = heads[0, 2:4] if not header_sound else np.array(unpack(">2I", content[16:24]))
    same = np.flatnonzero((heads[:, 2:4] == salts).all(axis=1))
    if not len(same):
        return None
    count = int(same[-1]) + 1
    heads, checked = heads[:count], checked[:count]
    sums = _Sums(checked.shape[1])
    taken, sound, right = _verify(sums, stored, heads, checked)
    taken &= (heads[:, 2:4] == salts).all(axis=1)
    commits = np.flatnonzero(heads[:, 1])
    if not header_sound:
        first = -1
    elif taken.all():
        return Log(count, 0, None, 0)
    else:
        first = int(np.flatnonzero(~taken)[0])
    # A crash can tear only the last transaction: frames after its end were durable before.
    behind = commits[commits >= first]
    end = int(behind[0]) if len(behind) and first >= 0 else first
    lost = int(np.count_nonzero(sound[end + 1 :]))
    if not lost and not torn:
        return Log(count, 0, None, 0)
    fixed, bad = _mend(sums, checked, right, sound, stored if header_sound else None)
    last = int(np.flatnonzero(fixed[:, 1])[-1]) if fixed[:, 1].any() else -1
    mended = b"".join(_encode_log(size, salts.tolist(), fixed[: last + 1], order))
    return Log(count, lost, mended, bad)


class _Sums:
    """Checksums of a number of words; they are linear in the words, modulo 2**32.

    Two words x, y change a sum (s, t) to (s + t + x, s + 2t + x + y).
    """

    def __init__(self, words: int) -> None:
        import numpy as np

        a, b, c, d = 1, 0, 0, 1  # the power of ((1, 1), (1, 2)) for a pair of words
        rows = list[tuple[int, int, int, int]]()
        for _ in range(words // 2):
            rows.append((a, b, c, d))
            a, b, c, d = (each % _WORD for each in (a + b, a + 2 * b, c + d, c + 2 * d))
        self.whole = (a, b, c, d)
        powers = np.array(rows[::-1], dtype=np.uint32)
        self.weights = np.empty((words, 2), dtype=np.uint32)
        self.weights[0::2, 0] = powers[:, 0] + powers[:, 1]
        self.weights[1::2, 0] = powers[:, 1]
        self.weights[0::2, 1] = powers[:, 2] + powers[:, 3]
        self.weights[1::2, 1] = powers[:, 3]

    def part(self, words: "Words") -> list[tuple[int, int]]:
        """Return the part of the sum that the words of each row add."""
        import numpy as np

        first = (words * self.weights[:, 0]).sum(axis=1, dtype=np.uint32).tolist()
        second = (words * self.weights[:, 1]).sum(axis=1, dtype=np.uint32).tolist()
        return list(zip(first, second, strict=True))

    def end(self, start: tuple[int, int], part: tuple[int, int]) -> tuple[int, int]:
        """Return the sum that starts from another and adds a part."""
        a, b, c, d = self.whole
        s, t = start
        return (a * s + b * t + part[0]) % _WORD, (c * s + d * t + part[1]) % _WORD


def _verify(
    sums: _Sums, stored: tuple[int, int], heads: "Words", checked: "Words"
) -> tuple["NDArray[np.bool_]", "NDArray[np.bool_]", list[tuple[int, int] | None]]:
    """Verify all frames.

    Returns:
        Whether SQLite would use each frame, if all before it were right; whether its content is
        sound; the sum that it should have, or None where that is unknown.
    """
    import numpy as np

    groups = range(0, len(checked), 256)  # to use little memory
    parts = [pair for start in groups for pair in sums.part(checked[start : start + 256])]
    own: list[tuple[int, int]] = [tuple(pair) for pair in heads[:, 4:6].tolist()]
    taken = np.zeros(len(heads), dtype=np.bool_)
    sound = taken.copy()
    right: list[tuple[int, int] | None] = [None] * len(heads)
    before, other = stored, stored
    for at, part in enumerate(parts):
        ends = sums.end(before, part), sums.end(other, part)
        taken[at] = own[at] == ends[0]
        sound[at] = own[at] in ends
        if sound[at] and at and not sound[at - 1]:
            right[at - 1] = before if own[at] == ends[0] else other
            if right[at - 1] == other != before:  # only the stored sum was wrong
                sound[at - 1] = True
        right[at] = own[at] if sound[at] else None
        before, other = own[at], ends[0]
    return taken, sound, right


def _mend(
    sums: _Sums,
    checked: "Words",
    right: list[tuple[int, int] | None],
    sound: "NDArray[np.bool_]",
    stored: tuple[int, int] | None,
) -> tuple["Words", int]:
    """Return the words of all frames, single bytes corrected, and the number still bad."""
    import numpy as np

    fixed, bad = checked.copy(), 0
    for at in np.flatnonzero(~sound).tolist():
        start = stored if at == 0 else right[at - 1]
        wanted = right[at]
        if start is None or wanted is None or not _correct_byte(sums, fixed[at], start, wanted):
            bad += 1
    return fixed, bad


def _correct_byte(
    sums: _Sums, words: "Words", start: tuple[int, int], wanted: tuple[int, int]
) -> bool:
    """Correct the one wrong byte of a frame in place; return whether the frame is right now."""
    import numpy as np

    is_now = sums.end(start, sums.part(words[None])[0])
    off = [np.uint32((want - now) % _WORD) for want, now in zip(wanted, is_now, strict=True)]
    if not any(off):  # the wrong part is not covered by the sum
        return True
    found: list[tuple[int, np.uint32]] = []
    for byte in range(4):
        for change in (*range(-255, 0), *range(1, 256)):
            delta = np.uint32((change << (8 * byte)) % _WORD)
            hits = np.flatnonzero(
                (sums.weights[:, 0] * delta == off[0]) & (sums.weights[:, 1] * delta == off[1])
            )
            for at in hits.tolist():
                possible = 0 <= ((int(words[at]) >> (8 * byte)) & 255) + change < 256
                found += [(at, delta)] if possible else []
    if (
        len(found) != 1
    ):  # few bits of the highest byte count in the sum, so several corrections may fit
        return False
    ((at, delta),) = found
    words[at] = (int(words[at]) + int(delta)) % _WORD
    return True


def _encode_log(size: int, salts: list[int], frames: "Words", order: str) -> Iterator[bytes]:
    """Yield the bytes of a log with these frames."""
    magic = _MAGIC | (order == ">")
    header = pack(">6I", magic, 3_007_000, size, 0, *salts)
    import numpy as np

    words = np.frombuffer(header, f"{order}u4").astype(np.uint32)
    sums = _Sums(6)
    total = sums.end((0, 0), sums.part(words[None])[0])
    yield header + pack(">2I", *total)
    sums = _Sums(frames.shape[1])
    for frame in frames:
        total = sums.end(total, sums.part(frame[None])[0])
        content = frame.astype(f"{order}u4").tobytes()
        yield content[:8] + pack(">4I", *salts, *total) + content[8:]


def pages_of(path: Path) -> dict[int, bytes]:
    """Return the newest content of each page in a log, up to the last complete transaction."""
    try:
        content = path.read_bytes()
    except OSError:
        return {}
    if len(content) < _HEADER:
        return {}
    size = unpack(">I", content[8:12])[0]
    salts, found = content[16:24], dict[int, bytes]()
    pending = dict[int, bytes]()
    for start in range(_HEADER, len(content) - size - _FRAME + 1, _FRAME + size):
        page, commit = unpack(">II", content[start : start + 8])
        if content[start + 8 : start + 16] != salts:
            break
        pending[page] = content[start + _FRAME : start + _FRAME + size]
        if commit:
            found |= pending
            pending = {}
    return found
