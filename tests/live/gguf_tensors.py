"""Tensors of a GGUF file as numbers, for tests: F32, F16, Q8_0 and Q4_0, by the format's own rules.

    keys, tensors = read_tensors("model.gguf")
    tensors["output.weight"].row(5)

Source: the GGUF specification (ggml, docs/gguf.md) and ggml-common.h of llama.cpp: block_q8_0 is a
half and 32 signed bytes, block_q4_0 a half and 16 bytes, whose low halves are the first 16 weights.
"""

import mmap
import struct

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, ARRAY = 8, 9
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
BLOCK = {F32: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34)}  # weights, bytes


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def text(self):
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == ARRAY:
            item, count = self.take("I"), self.take("Q")
            return [self.value(item) for _ in range(count)]
        return self.take(SCALARS[kind])


class Tensor:
    def __init__(self, data, offset, dims, kind):
        self.data, self.offset, self.width, self.kind = data, offset, dims[0], kind
        self.rows = dims[1] if len(dims) > 1 else 1

    def row(self, number):
        weights, size = BLOCK[self.kind]
        blocks = self.width // weights
        start = self.offset + number * blocks * size
        out = []
        for i in range(blocks):
            out += self.block(start + i * size)
        return out

    def block(self, at):
        if self.kind == F32:
            return struct.unpack_from("<f", self.data, at)
        scale = struct.unpack_from("<e", self.data, at)[0]
        if self.kind == F16:
            return (scale,)
        if self.kind == Q8_0:
            return [scale * q for q in struct.unpack_from("<32b", self.data, at + 2)]
        pairs = self.data[at + 2:at + 18]
        return [scale * ((b & 15) - 8) for b in pairs] + [scale * ((b >> 4) - 8) for b in pairs]


    def set(self, row, column, value):
        """Only of F16, and only in data that may be written."""
        assert self.kind == F16
        struct.pack_into("<e", self.data, self.offset + 2 * (row * self.width + column), value)


def read_tensors(path):
    with open(path, "rb") as file:
        return tensors_of(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def tensors_of(data):
    """Keys, and tensors by name."""
    r = Reader(data)
    assert data[:4] == b"GGUF"
    r.at = 8
    tensor_count, key_count = r.take("Q"), r.take("Q")
    keys = {}
    for _ in range(key_count):
        key = r.text()
        keys[key] = r.value(r.take("I"))
    heads = []
    for _ in range(tensor_count):
        name = r.text()
        dims = [r.take("Q") for _ in range(r.take("I"))]
        heads.append((name, dims, r.take("I"), r.take("Q")))
    alignment = keys.get("general.alignment", 32)
    start = (r.at + alignment - 1) // alignment * alignment
    return keys, {name: Tensor(data, start + offset, dims, kind) for name, dims, kind, offset in heads}
