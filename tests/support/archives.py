"""Archives under a password, as GPQA's: the standard library reads them but writes none."""

from struct import pack
from zlib import crc32

from moot.datasets import library
from moot.datasets.gpqa import PASSWORD

TABLE = [crc32(bytes([byte ^ 0xFF]), 0) ^ 0xFF000000 for byte in range(256)]
"""What one byte does to a checksum that has no conditioning."""


def locked(name: str, data: bytes, password: bytes) -> bytes:
    """A ZIP archive of one stored file, under traditional encryption (APPNOTE 6.3.10, 6.1)."""
    check = crc32(data)
    body = _encrypted(bytes(11) + bytes([check >> 24]) + data, password)
    path = name.encode()
    about = pack("<HHHHIII", 1, 0, 0, 0x21, check, len(body), len(data))
    local = b"PK\x03\x04" + pack("<H", 20) + about + pack("<HH", len(path), 0) + path
    central = b"PK\x01\x02" + pack("<HH", 20, 20) + about + pack("<HHHHHII", len(path), *[0] * 6)
    end = b"PK\x05\x06" + pack("<HHHHIIH", 0, 0, 1, 1, len(central + path), len(local + body), 0)
    return local + body + central + path + end


def _encrypted(data: bytes, password: bytes) -> bytes:
    keys = [0x12345678, 0x23456789, 0x34567890]

    def turn(byte: int) -> None:
        keys[0] = (keys[0] >> 8) ^ TABLE[(keys[0] ^ byte) & 0xFF]
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = (keys[2] >> 8) ^ TABLE[(keys[2] ^ (keys[1] >> 24)) & 0xFF]

    for byte in password:
        turn(byte)
    coded = bytearray()
    for byte in data:
        half = keys[2] | 2
        coded.append(byte ^ ((half * (half ^ 1)) >> 8) & 0xFF)
        turn(byte)
    return bytes(coded)


def add_gpqa(folder, row: str):
    """Take an archive of one question for GPQA; return the archive."""
    head = "Record ID,Question,Correct Answer" + "".join(f",Incorrect Answer {n}" for n in "123")
    path = folder / "dataset.zip"
    path.write_bytes(locked("dataset/gpqa_main.csv", f"{head}\n{row}\n".encode(), PASSWORD))
    library.add("gpqa", path, force=True)
    return path
