// Which parts of a text a model does not know: characters that its vocabulary lacks, and words that it never saw.

const unknownPiece = "<unk>";
const isEnd = (piece) => piece === "</s>";
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;

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

/** The parts of a text that the vocabulary lacks. `sentences` are those of the answer for this text. */
export function unknownRanges(text, sentences) {
  let from = 0;
  return sentences.flatMap(({source, trace}) => {
    const at = text.indexOf(source, from);
    if (at < 0 || !hasUnknownPieces(trace)) return [];
    from = at + source.length;
    return unknownParts(source, trace.src).map(([begin, end]) => [at + begin, at + end]);
  });
}

/** The words of a text that are not in `known`, a set of words in small letters. */
export function unknownWords(text, known) {
  return [...text.matchAll(word)].filter(([found]) => !known.has(found.toLowerCase()))
    .map(({0: found, index}) => [index, index + found.length]);
}

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
