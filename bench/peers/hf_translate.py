#!/usr/bin/env python3
"""Times generate() of Hugging Face Transformers, for bench/compare_translation. The model is a MarianMT of the base
model's shape with random weights. Every translation has the same fixed length, so that the work does not depend on the
weights.

    hf_translate.py --device cuda --batch 512 --sentences 2048 --beam 4
"""

import argparse
import json
import statistics
import time

import torch
import torch_device
import transformers
from transformers import GenerationConfig, MarianConfig, MarianMTModel

PAD, EOS, SPECIAL_IDS = 0, 2, 4


def random_model(options):
    sides = {}
    for side in "encoder", "decoder":
        sides[f"{side}_layers"] = options.layers
        sides[f"{side}_attention_heads"] = options.heads
        sides[f"{side}_ffn_dim"] = options.d_ff
    config = MarianConfig(
        vocab_size=options.vocabulary_size, d_model=options.d_model, activation_function="relu", scale_embedding=True,
        pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD, forced_eos_token_id=None, **sides,
    )
    return MarianMTModel(config).to(options.device, options.dtype).eval()


def random_batches(options):
    shape = (options.sentences, options.source_length)
    ids = torch.randint(SPECIAL_IDS, options.vocabulary_size, shape, device=options.device)
    ids[:, -1] = EOS
    return ids.split(options.batch)


def translate(model, source, options):
    """Returns the number of tokens of the translations. Copying them to the host waits for the device."""
    settings = GenerationConfig(
        num_beams=options.beam, do_sample=False, min_new_tokens=options.target_length,
        max_new_tokens=options.target_length, pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=PAD,
    )
    result = model.generate(source, attention_mask=torch.ones_like(source), generation_config=settings).cpu()
    tokens = result.shape[1] - 1
    assert tokens == options.target_length, f"translations have {tokens} tokens"
    return result.shape[0] * tokens


def options_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {
        "layers": 6, "d-model": 512, "d-ff": 2048, "heads": 8, "vocabulary-size": 37000, "batch": 512, "beam": 4,
        "sentences": 512, "source-length": 32, "target-length": 32, "repeats": 3,
    }.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    torch_device.add_arguments(parser)
    return parser.parse_args()


def main():
    options = options_from_command_line()
    torch_device.prepare(options)
    model = random_model(options)
    batches = random_batches(options)
    translate(model, batches[0], options)  # warm-up
    times, latencies, tokens = [], [], 0
    for _ in range(options.repeats):
        tokens, start = 0, time.perf_counter()
        for batch in batches:
            begin = time.perf_counter()
            tokens += translate(model, batch, options)
            latencies.append(time.perf_counter() - begin)
        times.append(time.perf_counter() - start)
    latencies.sort()
    at = lambda share: 1000 * latencies[int(share * (len(latencies) - 1))] if options.batch == 1 else 0
    figures = {
        **torch_device.description(options),
        "transformers": transformers.__version__,
        "sentences": options.sentences,
        "tokens": tokens,
        "seconds": statistics.median(times),
        "seconds_least": min(times),
        "seconds_most": max(times),
        "p50_ms": at(0.5),
        "p99_ms": at(0.99),
    }
    print(json.dumps(figures))


main()
