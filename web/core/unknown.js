// Which parts of a text a model does not know: characters that its vocabulary lacks, and words that it never saw.

const unknownPiece = "<unk>";
const isEnd = (piece) => piece === "</s>";
// Where a word stands by itself. Words have only letters, digits, apostrophes and hyphens.
const places = (word) => new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${word}(?![\\p{L}\\p{M}\\p{N}])`, "gu");

const endOfWord = (text, at) => {
  const space = text.slice(at).search(/\s/);
  return space < 0 ? text.length : at + space;
};

// Where an unknown piece ends that begins at `at`. It has no space in it, and none of the letters of the next piece.
function endOfUnknown(text, at, next) {
  const end = endOfWord(text, at);
  if (next === undefined || isEnd(next) || next.startsWith("▁")) return end;
  const found = text.indexOf(next, at + 1);
  return found < 0 ? end : Math.min(end, found);
}

/**
 * The parts of a sentence that the vocabulary lacks, as ranges [begin, end). `pieces` are those of the sentence. The
 * list is empty if the pieces do not spell the sentence, because the tokenizer has rewritten it.
 */
function unknownParts(text, pieces) {
  const ranges = [];
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    if (isEnd(piece)) break;
    while (/\s/.test(text[at] ?? "")) ++at;
    if (piece === unknownPiece) {
      const end = endOfUnknown(text, at, pieces[i + 1]);
      ranges.push([at, end]);
      at = end;
    } else {
      const letters = piece.replace(/^▁/, "");
      if (!text.startsWith(letters, at)) return [];
      at += letters.length;
    }
  }
  return ranges;
}

/** Whether the vocabulary lacks a part of a sentence. */
export const hasUnknownPieces = (trace) => Boolean(trace?.src.includes(unknownPiece));

// The ranges that `rangesIn` finds in each sentence of a text, as ranges in the text.
function rangesOf(text, sentences, rangesIn) {
  let from = 0;
  return sentences.flatMap((sentence) => {
    const at = text.indexOf(sentence.source, from);
    if (at < 0) return [];
    from = at + sentence.source.length;
    return rangesIn(sentence).map(([begin, end]) => [at + begin, at + end]);
  });
}

/** The parts of a text that the vocabulary lacks. `sentences` are those of the answer for this text. */
export const unknownRanges = (text, sentences) => rangesOf(text, sentences, ({source, trace}) => (
  hasUnknownPieces(trace) ? unknownParts(source, trace.src) : []));

/** The words of a text that the model never saw in training. `sentences` are those of the answer for this text. */
export const unseenRanges = (text, sentences) => rangesOf(text, sentences, ({source, unseen = []}) => (
  unseen.flatMap((word) => [...source.matchAll(places(word))].map(({index}) => [index, index + word.length]))));

/** Ranges in ascending order without overlaps. */
export function joinedRanges(ranges) {
  const joined = [];
  for (const [begin, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && begin <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([begin, end]);
  }
  return joined;
}
