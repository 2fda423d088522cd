"""Seals of recorded debates: what a record was made by, and the checksum of it as it is stored.

A seal says whether a record is the one that would be made again, without making it. It has digests
of all that the record depends on, and the CRC-32 of the stored bytes.
"""

from zlib import crc32

SIZE = 8
"""The bytes of the digest in the seal of a transcript."""


def make_seal(digest: bytes | None, stored: bytes) -> bytes | None:
    """Return the seal of a record; None where there is no digest of what it depends on."""
    return None if digest is None else digest + crc32(stored).to_bytes(4, "big")


def read_seal(seal: object, stored: object) -> bytes | None:
    """Return the digest in a seal; None where the record is not what was sealed."""
    if not isinstance(seal, bytes) or not isinstance(stored, bytes):
        return None
    return seal[:-4] if seal[-4:] == crc32(stored).to_bytes(4, "big") else None
