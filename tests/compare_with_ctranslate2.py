#!/usr/bin/env python3
"""Writes a CTranslate2 model of binary version 6 in the older versions 2 to 5 and scores two sentences with each.

    tests/compare_with_ctranslate2.py MODEL TO

MODEL is a directory that CTranslate2 converted, for example from MarianMT. TO/VERSION gets each version, for trying them
with dragoman. All versions must give the same log-probabilities. Needs Python with ctranslate2 4.8.
"""
import argparse
import pathlib
import shutil
import struct
import sys

import ctranslate2

# float32, int8 and int16 by their numbers in the file: versions before 4 name their sizes instead.
SIZES = {0: 4, 1: 1, 2: 2}


class Reader:
    def __init__(self, data):
        self.data, self.next = data, 0

    def bytes(self, count):
        self.next += count
        return self.data[self.next - count:self.next]

    def number(self, kind):
        return struct.unpack("<" + kind, self.bytes(struct.calcsize(kind)))[0]

    def string(self):
        return self.bytes(self.number("H"))[:-1]


def read(path):
    """The name and the revision of the model, its variables (kind, shape, bytes) by name, and its aliases."""
    file = Reader(path.read_bytes())
    version, spec, revision, variables = file.number("I"), file.string(), file.number("I"), {}
    if version != 6:
        sys.exit(f"compare_with_ctranslate2: '{path}' has version {version}, but 6 is expected.")
    for _ in range(file.number("I")):
        name = file.string()
        shape = [file.number("I") for _ in range(file.number("B"))]
        kind = file.number("B")
        variables[name] = kind, shape, file.bytes(file.number("I"))
    return spec, revision, variables, [(file.string(), file.string()) for _ in range(file.number("I"))]


def string(text):
    return struct.pack("<H", len(text) + 1) + text + b"\0"


def write(path, version, spec, revision, variables, aliases):
    variables = dict(variables)
    if version < 3:  # without aliases: each has a copy
        for alias, name in aliases:
            for ending in (b"", b"_scale"):
                if name + ending in variables:
                    variables[alias + ending] = variables[name + ending]
    out = struct.pack("<I", version) + string(spec) + struct.pack("<II", revision, len(variables))
    for name, (kind, shape, data) in sorted(variables.items()):
        out += string(name) + struct.pack(f"<B{len(shape)}I", len(shape), *shape)
        out += struct.pack("<BI", kind, len(data)) if version >= 4 else struct.pack(
            "<BI", SIZES[kind], len(data) // SIZES[kind])
        out += data
    if version >= 3:
        out += struct.pack("<I", len(aliases)) + b"".join(string(alias) + string(name) for alias, name in aliases)
    path.write_bytes(out)


def log_probabilities(model):
    translator = ctranslate2.Translator(str(model), compute_type="float32")
    pieces = [["▁a", "▁b", "c", "</s>"], ["▁the", "</s>"]]
    return [result.log_probs for result in translator.score_batch(pieces, pieces)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    options = parser.parse_args()
    spec, revision, variables, aliases = read(options.model / "model.bin")
    expected = log_probabilities(options.model)
    # Versions before 6 have no config.json. The decoder of a MarianMT model starts with the token of the end.
    older = {**variables, b"with_target_bos": (1, [], b"\0")}
    different = 0
    for version in (5, 4, 3, 2):
        directory = options.to / str(version)
        directory.mkdir(parents=True, exist_ok=True)
        for vocabulary in options.model.glob("*vocabulary.*"):
            shutil.copy(vocabulary, directory)
        write(directory / "model.bin", version, spec, revision, older, aliases)
        same = log_probabilities(directory) == expected
        different += not same
        print(f"version {version}: {'the same' if same else 'DIFFERENT'} log-probabilities")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
