#!/usr/bin/env python3
"""Times translation with CTranslate2, for bench/compare_translation, with the weights of a dragoman model.

    ct2_translate.py convert --weights FILE --config JSON --output DIR [--vocabulary FILE]
    ct2_translate.py run --model DIR [--source FILE] ...
"""

import argparse
import json
import pathlib
import resource
import statistics
import struct
import time

import numpy


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32", f"{name} is {entry['dtype']}"
        values = numpy.frombuffer(data, numpy.float32, (end - begin) // 4, 8 + size + begin)
        tensors[name] = values.reshape(entry["shape"]).copy()
    return tensors


def positions(count, d, layout):
    """The position encodings of dragoman's layouts "sinusoid" (sines and cosines alternate) and "sinusoid-t2t"."""
    table = numpy.zeros((count, d), numpy.float64)
    place = numpy.arange(count)[:, None]
    if layout == "sinusoid":
        angle = place / 10000 ** (2 * (numpy.arange(d) // 2) / d)
        table[:, 0::2], table[:, 1::2] = numpy.sin(angle[:, 0::2]), numpy.cos(angle[:, 1::2])
    else:
        half = d // 2
        angle = place * numpy.exp(-numpy.arange(half) * numpy.log(10000) / (half - 1))
        table[:, :half], table[:, half : 2 * half] = numpy.sin(angle), numpy.cos(angle)
    return table.astype(numpy.float32)


def convert(options):
    import ctranslate2

    specs = ctranslate2.specs
    config = json.loads(options.config)
    tensors = read_safetensors(options.weights)
    spec = specs.TransformerSpec.from_config(
        (config["encoder-layers"], config["decoder-layers"]),
        config["heads"],
        pre_norm=config["norm"] == "pre",
        activation=specs.Activation.RELU,
    )
    embedding = lambda *names: next(tensors[f"embed.{name}"] for name in names if f"embed.{name}" in tensors)
    table = positions(1100, config["d-model"], config["positions"])

    def linear(to, names, biases):
        to.weight = numpy.ascontiguousarray(numpy.concatenate([tensors[name] for name in names], axis=1).T)
        if all(name in tensors for name in biases):
            to.bias = numpy.concatenate([tensors[name] for name in biases])

    def norm(to, name):
        to.gamma, to.beta = tensors[f"{name}.gamma"], tensors[f"{name}.beta"]

    def attention(to, name, parts):
        """A part names the weights that CTranslate2 keeps side by side in one matrix: "QKV" is W_Q, W_K and W_V."""
        for place, letters in enumerate(parts):
            linear(to.linear[place], [f"{name}.W_{c}" for c in letters], [f"{name}.b_{c}" for c in letters])

    def feed_forward(to, name):
        linear(to.linear_0, [f"{name}.W_1"], [f"{name}.b_1"])
        linear(to.linear_1, [f"{name}.W_2"], [f"{name}.b_2"])

    for side, E in (spec.encoder, embedding("E", "E_source")), (spec.decoder, embedding("E", "E_target")):
        to = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
        to.weight = E
        side.position_encodings.encodings = table
    spec.decoder.projection.weight = embedding("E_output", "E", "E_target")
    if config["norm"] == "pre":
        norm(spec.encoder.layer_norm, "enc.ln")
        norm(spec.decoder.layer_norm, "dec.ln")
    for i, layer in enumerate(spec.encoder.layer):
        attention(layer.self_attention, f"enc.{i}.self", ["QKV", "O"])
        feed_forward(layer.ffn, f"enc.{i}.ffn")
        norm(layer.self_attention.layer_norm, f"enc.{i}.ln1")
        norm(layer.ffn.layer_norm, f"enc.{i}.ln2")
    for i, layer in enumerate(spec.decoder.layer):
        attention(layer.self_attention, f"dec.{i}.self", ["QKV", "O"])
        attention(layer.attention, f"dec.{i}.cross", ["Q", "KV", "O"])
        feed_forward(layer.ffn, f"dec.{i}.ffn")
        norm(layer.self_attention.layer_norm, f"dec.{i}.ln1")
        norm(layer.attention.layer_norm, f"dec.{i}.ln2")
        norm(layer.ffn.layer_norm, f"dec.{i}.ln3")
    V = embedding("E", "E_target").shape[0]
    words = ["<pad>", "<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(4, V)]
    if options.vocabulary:
        words = pathlib.Path(options.vocabulary).read_text(encoding="utf-8").split("\n")[:V]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = words[1], words[2], words[3]
    spec.config.decoder_start_token = words[1]
    spec.config.add_source_eos = False
    spec.config.layer_norm_epsilon = config["layer-norm-epsilon"]
    spec.validate()
    spec.optimize(quantization="int8" if options.precision == "int8" else None)
    pathlib.Path(options.output).mkdir(parents=True, exist_ok=True)
    spec.save(options.output)


def run(options):
    import ctranslate2

    translator = ctranslate2.Translator(
        options.model,
        device="cpu",
        compute_type="int8" if options.precision == "int8" else "float32",
        inter_threads=options.workers,
        intra_threads=options.threads,
    )
    if options.source:
        sentences = [line.split() for line in pathlib.Path(options.source).read_text(encoding="utf-8").splitlines()]
        bounds = {}
    else:
        random = numpy.random.default_rng(7)
        sentences = [
            [f"w{i}" for i in random.integers(4, options.vocabulary_size, options.source_length - 1)] + ["</s>"]
            for _ in range(options.sentences)
        ]
        # The limits force a fixed length. CTranslate2 counts the words without the end of the sentence.
        bounds = {"min_decoding_length": options.target_length - 1, "max_decoding_length": options.target_length - 1}
    def translate(batch):
        return translator.translate_batch(
            batch, beam_size=options.beam, max_batch_size=options.batch, length_penalty=options.length_penalty, **bounds
        )

    latencies = []

    def translate_all():
        if options.batch > 1:
            return translate(sentences)
        results = []
        for sentence in sentences:
            begin = time.perf_counter()
            results += translate([sentence])
            latencies.append(time.perf_counter() - begin)
        return results

    translate(sentences if options.source else sentences[: options.batch * options.workers])  # warm-up
    times, results = [], []
    while len(times) < options.repeats or sum(times) < options.seconds:
        start = time.perf_counter()
        results = translate_all()
        times.append(time.perf_counter() - start)
    if options.output:
        text = "\n".join(" ".join(result.hypotheses[0]) for result in results)
        pathlib.Path(options.output).write_text(text + "\n", encoding="utf-8")
    latencies.sort()
    at = lambda share: 1000 * latencies[int(share * (len(latencies) - 1))] if latencies else 0
    figures = {
        "sentences": len(sentences),
        "tokens": sum(len(result.hypotheses[0]) + 1 for result in results),
        "seconds": statistics.median(times),
        "p50_ms": at(0.5),
        "p99_ms": at(0.99),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("convert")
    command.set_defaults(work=convert)
    command.add_argument("--weights", required=True)
    command.add_argument("--config", required=True)
    command.add_argument("--output", required=True)
    command.add_argument("--vocabulary")
    command.add_argument("--precision", default="fp32")
    command = commands.add_parser("run")
    command.set_defaults(work=run)
    command.add_argument("--model", required=True)
    command.add_argument("--source")
    command.add_argument("--output")
    command.add_argument("--precision", default="fp32")
    command.add_argument("--workers", type=int, default=1)
    for name, value in {
        "threads": 2, "batch": 32, "beam": 4, "sentences": 64, "source-length": 32, "target-length": 32,
        "repeats": 3, "seconds": 0, "vocabulary-size": 37000,
    }.items():
        command.add_argument(f"--{name}", type=int, default=value)
    command.add_argument("--length-penalty", type=float, default=1)
    options = parser.parse_args()
    options.work(options)


if __name__ == "__main__":
    main()
