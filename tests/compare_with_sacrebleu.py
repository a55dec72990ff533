#!/usr/bin/env python3
"""Scores random corpora with dragoman and with sacreBLEU and counts the figures that differ. There must be none.

    cmake --build --preset release --target score_sets
    tests/compare_with_sacrebleu.py [--sets 10000] [--long 100] [--seed 1] [--jobs 2]

Needs Python with sacrebleu 2.6. Each set is a corpus of a few difficult sentences (many scripts, digits, full stops,
entities, empty lines, unusual spaces, one to three references, some of them missing) with random settings for BLEU,
chrF and TER. These are compared to the last bit: the score, its text and signature, the score of each sentence, the
confidence interval, and intervals and p-values of a paired bootstrap and of a paired approximate randomisation.
"""
import argparse
import json
import logging
import multiprocessing
import os
import random
import subprocess
import sys
import unicodedata
from collections import Counter

import numpy
import sacrebleu
import sacrebleu.significance as significance
from sacrebleu.metrics import BLEU, CHRF, TER

WORDS = ("the cat sat on a mat The Cat don't it's boys' well-known state-of-the-art 3.14 1,234.50 10-20% $5 5. .5 ,5 "
         "U.S. e.g. (or) [x] \"so\" ... -- - 's & ; : ! ? / \\ ~ ` {y} x_y #1 @me a=b <skipped> &quot; &amp; &lt; &gt; "
         "&amp;lt; &apos; Straße ÄRGER über Ünïcödé ΣΑΣ ΟΔΟΣ. İstanbul ǅ ẞ ﬁn Ⅻ ½ ٣٫١٤ ١٢٣ „Ja“ »nein« l’été "
         "¿Qué? €5 5€ £ § ° … – — 你好 世界 我爱你。 中文,文 「日本」 テスト ひらがな・カタカナ 漢字です ，。！？ ＡＢＣ "
         "Ｘ１ 한국어 привет ПРИВЕТ, שלום مرحبا हिन्दी ไทย 😀 👍🏽 𝔘 𠀀 e\u0301 a\u200bb x\u00ady 1\u00a0000 ꟸ ①").split()
SPACES = [" "] * 40 + ["  ", "\t", "\u00a0", "\u3000", "\u2009", "\x1f", " \u200b ", "\u0085"]


def random_character(rng):
    while True:
        code = rng.choice([rng.randrange(0x20, 0x7f), rng.randrange(0xa0, 0x3000),
                           rng.randrange(0x3000, 0xd800), rng.randrange(0xe000, 0x110000)])
        if unicodedata.category(chr(code)) not in ("Cn", "Cs"):
            return chr(code)


def random_word(rng):
    kind = rng.random()
    if kind < 0.8:
        return rng.choice(WORDS)
    if kind < 0.9:
        return "".join(rng.choice("0123456789.,-") for _ in range(rng.randint(1, 6)))
    return "".join(random_character(rng) for _ in range(rng.randint(1, 4)))


def random_line(rng, vocabulary):
    line = ""
    for _ in range(rng.choice([0, 1, 2, 3, 4, 5, 7, 10, 15, 25])):
        line += rng.choice(vocabulary) + (rng.choice(SPACES) if rng.random() < 0.95 else "")
    return line if rng.random() < 0.3 else line.rstrip()


def changed(rng, line, vocabulary):
    """The line with words removed, added, replaced and moved, to resemble a translation of it."""
    words = line.split(" ")
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(words) + 1)
        what = rng.random()
        if what < 0.25:
            words.insert(at, rng.choice(vocabulary))
        elif what < 0.5:
            del words[at:at + rng.randint(1, 3)]
        elif what < 0.6:
            words[at:at + 1] = [w.swapcase() for w in words[at:at + 1]]
        else:
            length = rng.randint(1, 5)
            moved = words[at:at + length]
            del words[at:at + length]
            to = rng.randrange(len(words) + 1)
            words[to:to] = moved
    return " ".join(words)


def random_settings(rng):
    smoothing = rng.choice(["exp", "exp", "none", "floor", "add-k"])
    value = rng.choice([None, None, 0.5, 2.0, 0.1, 1.0]) if smoothing in ("floor", "add-k") else None
    flip = lambda: rng.random() < 0.5
    return {
        "bleu": {"tokenizer": rng.choice(["13a", "13a", "intl", "zh", "char", "none"]), "smoothing": smoothing,
                 "smoothing_value": value, "lowercase": flip(), "effective_order": flip()},
        "chrf": {"character_order": rng.choice([6, 6, 6, 4]), "word_order": rng.choice([0, 0, 2, 2, 1]),
                 "beta": rng.choice([2, 2, 2, 1, 3]), "lowercase": flip(), "whitespace": flip()},
        "ter": {"case_sensitive": flip(), "normalized": flip(), "no_punctuation": flip(), "asian_support": flip()},
    }


def random_set(rng):
    vocabulary = [random_word(rng) for _ in range(rng.choice([3, 8, 20, 60]))]
    lines = rng.choice([1, 1, 2, 3, 5, 8, 12])
    per_line = rng.choice([1, 1, 1, 2, 3])
    is_ragged = per_line > 1 and rng.random() < 0.2
    references, systems = [], ([], [])
    for _ in range(lines):
        first = random_line(rng, vocabulary)
        others = [changed(rng, first, vocabulary) for _ in range(per_line - 1)]
        if is_ragged:
            others = others[:rng.randint(0, len(others))]
        references.append([first] + others)
        for system in systems:
            kind = rng.random()
            system.append(first if kind < 0.1 else random_line(rng, vocabulary) if kind < 0.3 else
                          changed(rng, rng.choice(references[-1]), vocabulary))
    return {"references": references, "baseline": systems[0], "system": systems[1],
            "trials": rng.choice([1, 39, 41, 100, 130]), "seed": rng.choice([12345, 1, 987654321, 2**40 + 7])}


def long_set(rng):
    """A long sentence with repeated words, so that TER reaches the limits of its search."""
    vocabulary = [random_word(rng) for _ in range(rng.choice([2, 5, 30, 200]))]
    words = [rng.choice(vocabulary) for _ in range(rng.randint(40, 150))]
    other = list(words)
    for _ in range(rng.randint(1, 8)):
        moved = other[rng.randrange(len(other)):][:rng.randint(1, 15)]
        to = rng.randrange(len(other))
        other[to:to + rng.choice([0, len(moved)])] = moved
    if rng.random() < 0.1:
        other = other[:rng.randint(0, 2)]
    return {"references": [[" ".join(words)]], "baseline": [" ".join(other)], "system": [""], "trials": 1, "seed": 1,
            "score_only": True}


def their_metric(name, settings):
    if name == "bleu":
        return BLEU(tokenize=settings["tokenizer"], smooth_method=settings["smoothing"], force=True,
                    smooth_value=settings["smoothing_value"], lowercase=settings["lowercase"],
                    effective_order=settings["effective_order"])
    if name == "chrf":
        return CHRF(char_order=settings["character_order"], word_order=settings["word_order"], beta=settings["beta"],
                    lowercase=settings["lowercase"], whitespace=settings["whitespace"])
    return TER(normalized=settings["normalized"], no_punct=settings["no_punctuation"],
               asian_support=settings["asian_support"], case_sensitive=settings["case_sensitive"])


def paired(kind, given, metric, references):
    test = significance.PairedTest([("baseline", given["baseline"]), ("system", given["system"])], {"m": metric},
                                   references, test_type=kind, n_samples=given["trials"])
    _, scores = test()
    return [results for column, results in scores.items() if column != "System"][0]


def their_scores(given):
    metric = their_metric(given["metric"], given["settings"])
    os.environ["SACREBLEU_SEED"] = str(given["seed"])
    most = max(len(line) for line in given["references"])
    references = [[line[i] if i < len(line) else None for line in given["references"]] for i in range(most)]
    score = metric.corpus_score(given["baseline"], references)
    if given.get("score_only"):
        return {"score": score.score}
    result = {
        "name": score.name,
        "signature": metric.get_signature().format().rsplit("|version:", 1)[0],
        "score": score.score,
        "details": score._verbose,
        "sentences": [metric.sentence_score(hypothesis, line).score
                      for hypothesis, line in zip(given["baseline"], given["references"])],
    }
    try:
        if given["trials"] > 1:
            interval = metric.corpus_score(given["baseline"], references, n_bootstrap=given["trials"])
            result["interval"] = [float(interval._mean), float(interval._ci)]
    except TypeError:  # sacreBLEU fails here: Python's mean of single and double precision
        pass
    baseline, system = paired("bs", given, metric, references)
    result["bootstrap"] = [float(baseline.mean), float(baseline.ci), float(system.mean), float(system.ci)]
    result["bootstrap_p"] = system.p_value
    result["randomisation_p"] = paired("ar", given, metric, references)[1].p_value
    return result


def compare(options, numbers):
    """Returns how many figures were compared and how many differ, by name."""
    logging.disable(logging.WARNING)
    program = subprocess.Popen([options.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    compared, different = Counter(), Counter()
    for number in numbers:
        rng = random.Random(f"{options.seed} {number}")
        corpus = random_set(rng) if number < options.sets else long_set(rng)
        for metric, settings in random_settings(rng).items():
            given = {**corpus, "metric": metric, "settings": settings}
            program.stdin.write((json.dumps(given) + "\n").encode())
            program.stdin.flush()
            ours, theirs = json.loads(program.stdout.readline()), their_scores(given)
            for figure, value in theirs.items():
                name = f"{metric} {figure}"
                compared[name] += 1
                if ours[figure] == value:
                    continue
                different[name] += 1
                if different.total() <= options.show:
                    print(f"set {number}: {name} is {ours[figure]!r}, sacreBLEU's {value!r}\n  {json.dumps(given)}")
    program.stdin.close()
    program.wait()
    return compared, different


def main(options):
    shares = [range(job, options.sets + options.long, options.jobs) for job in range(options.jobs)]
    with multiprocessing.Pool(options.jobs) as pool:
        counts = pool.starmap(compare, [(options, share) for share in shares])
    compared, different = sum((c for c, _ in counts), Counter()), sum((d for _, d in counts), Counter())
    for name in sorted(compared):
        print(f"{name:24} compared {compared[name]:7}, different {different[name]}")
    print(f"{options.sets + options.long} sets, {compared.total()} figures compared with sacreBLEU {sacrebleu.__version__} "
          f"(NumPy {numpy.__version__}), {different.total()} different")
    return 1 if different else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=10000)
    parser.add_argument("--long", type=int, default=100, help="sets of one long sentence, compared by score only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=5, help="number of differences that each job prints in full")
    parser.add_argument("--program", default="build/release/score_sets")
    sys.exit(main(parser.parse_args()))
