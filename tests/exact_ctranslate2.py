"""A model in CTranslate2's format, computed in double precision: the judge of what programs in single precision compute.

Reads binary version 6 with weights in float32, as `dragoman export --format ctranslate2` writes it. Needs NumPy.
"""
import json
import math
import struct

import numpy as np

ACTIVATIONS = {
    0: lambda x: np.maximum(x, 0),
    1: lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
    2: lambda x: x / (1 + np.exp(-x)),
    3: lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    4: lambda x: x / (1 + np.exp(-1.702 * x)),
}


def read_variables(path):
    data, at = path.read_bytes(), 0

    def number(kind):
        nonlocal at
        at += struct.calcsize("<" + kind)
        return struct.unpack_from("<" + kind, data, at - struct.calcsize("<" + kind))[0]

    def text():
        nonlocal at
        length = number("H")
        at += length
        return data[at - length:at - 1].decode()

    if number("I") != 6:
        raise ValueError(f"{path} is not of binary version 6")
    text()
    number("I")
    variables = {}
    for _ in range(number("I")):
        name, rank = text(), number("B")
        shape = [number("I") for _ in range(rank)]
        kind, count = number("B"), number("I")
        variables[name] = np.frombuffer(data[at:at + count], dtype=("<f4", "i1", "<i2")[kind]).reshape(shape)
        at += count
    for _ in range(number("I")):
        alias = text()
        variables[alias] = variables[text()]
    return {name: value.astype(np.float64) for name, value in variables.items()}


class ExactModel:
    def __init__(self, directory):
        self.variables = read_variables(directory / "model.bin")
        self.config = json.loads((directory / "config.json").read_text())
        self.epsilon = float(np.float32(self.config["layer_norm_epsilon"] or 1e-5))

        def ids(side):
            shared = directory / "shared_vocabulary.json"
            words = json.loads((shared if shared.exists() else directory / f"{side}_vocabulary.json").read_text())
            return {word: index for index, word in enumerate(words)}
        self.source_ids, self.target_ids = ids("source"), ids("target")

    def log_probabilities(self, source, target):
        """Of each token of the target, its end included. Sources are without their end."""
        config = self.config
        source = [self.source_ids[word] for word in source]
        if config["add_source_eos"]:
            source.append(self.source_ids[config["eos_token"]])
        target = [self.target_ids[word] for word in (config["decoder_start_token"], *target)]
        states = self._stack("decoder", target[:-1], self._stack("encoder", source))
        logits = self._linear(states, "decoder/projection")
        logits -= logits.max(-1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
        return [logits[n, word] for n, word in enumerate(target[1:])]

    def _linear(self, x, name):
        y = x @ self.variables[name + "/weight"].T
        return y + self.variables.get(name + "/bias", 0)

    def _norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x ** 2).mean(-1, keepdims=True) + self.epsilon)
        return x * self.variables[name + "/gamma"] + self.variables[name + "/beta"]

    def _positions(self, side, count, width):
        table = self.variables.get(side + "/position_encodings/encodings")
        if table is not None:
            return table[:count]
        rates = np.exp(-np.log(10000) / (width // 2 - 1) * np.arange(width // 2))
        angles = np.outer(np.arange(1, count + 1), rates)
        return np.concatenate([np.sin(angles), np.cos(angles)], 1)

    @staticmethod
    def _attention(queries, keys, values, heads, is_causal):
        width, outputs = queries.shape[1] // heads, []
        for first in range(0, queries.shape[1], width):
            head = slice(first, first + width)
            scores = queries[:, head] @ keys[:, head].T / math.sqrt(width)
            if is_causal:
                scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            outputs.append(weights / weights.sum(-1, keepdims=True) @ values[:, head])
        return np.concatenate(outputs, 1)

    def _stack(self, side, ids, memory=None):
        variables, is_decoder = self.variables, side == "decoder"
        heads, pre_norm = int(variables[side + "/num_heads"]), bool(variables[side + "/pre_norm"])
        activation = ACTIVATIONS[int(variables[side + "/activation"])]
        x = variables[side + ("/embeddings" if is_decoder else "/embeddings_0") + "/weight"][ids]
        x = x * variables[side + "/scale_embeddings"]
        if is_decoder and variables["decoder/start_from_zero_embedding"]:
            x[0] = 0
        x = x + self._positions(side, *x.shape)

        def around(x, name, sub_layer):
            norm = name + "/layer_norm"
            return x + sub_layer(self._norm(x, norm), name) if pre_norm else self._norm(x + sub_layer(x, name), norm)

        def attend_to_itself(x, name):
            parts = np.split(self._linear(x, name + "/linear_0"), 3, 1)
            return self._linear(self._attention(*parts, heads, is_decoder), name + "/linear_1")

        def attend_to_memory(x, name):
            keys_and_values = np.split(self._linear(memory, name + "/linear_1"), 2, 1)
            queries = self._linear(x, name + "/linear_0")
            return self._linear(self._attention(queries, *keys_and_values, heads, False), name + "/linear_2")

        def feed_forward(x, name):
            return self._linear(activation(self._linear(x, name + "/linear_0")), name + "/linear_1")

        layer = 0
        while f"{side}/layer_{layer}/ffn/linear_0/weight" in variables:
            name = f"{side}/layer_{layer}"
            x = around(x, name + "/self_attention", attend_to_itself)
            if is_decoder:
                x = around(x, name + "/attention", attend_to_memory)
            x = around(x, name + "/ffn", feed_forward)
            layer += 1
        return self._norm(x, side + "/layer_norm") if side + "/layer_norm/gamma" in variables else x
