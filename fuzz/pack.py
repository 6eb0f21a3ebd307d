"""Packs the inputs of a folder into one file, or takes them apart: crates/stablehlo/tests/it/corpus.rs replays it.

    python pack.py FOLDER FILE [BYTES]    # smallest inputs first, as many as fit
    python pack.py --unpack FILE FOLDER
"""
import os
import struct
import sys


def pack(folder, path, limit):
    inputs = sorted((open(os.path.join(folder, n), "rb").read() for n in os.listdir(folder)), key=lambda b: (len(b), b))
    with open(path, "wb") as f:
        for data in inputs:
            if f.tell() + len(data) + 4 <= limit:
                f.write(struct.pack("<I", len(data)) + data)


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    data, at, n = open(path, "rb").read(), 0, 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        with open(os.path.join(folder, f"{n:05}"), "wb") as f:
            f.write(data[at + 4:at + 4 + size])
        at, n = at + 4 + size, n + 1


if sys.argv[1] == "--unpack":
    unpack(sys.argv[2], sys.argv[3])
else:
    pack(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 62)
