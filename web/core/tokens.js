// Subword pieces: how they are shown, and which of them form a word.

export const startToken = "<s>";

const special = /^<.*>$/;
const wordCharacter = /[\p{L}\p{M}\p{N}'’-]/u;
const scriptsWithoutSpaces = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
const unspaced = new RegExp(`[${scriptsWithoutSpaces.map((script) => `\\p{Script=${script}}`).join("")}]`, "u");

/**
 * A piece as the page shows it: "▁dog" begins a word and is shown as "dog"; "s" continues a word and is shown as "·s";
 * punctuation is shown unchanged.
 */
export function label(piece) {
  if (special.test(piece)) return piece;
  if (piece === "▁") return "␣";
  if (piece.startsWith("▁")) return piece.slice(1);
  return wordCharacter.test(piece[0]) && !unspaced.test(piece) ? `·${piece}` : piece;
}

/** A whole word as the page shows it, from its pieces. */
export function wordLabel(pieces) {
  return pieces.length === 1 ? label(pieces[0]).replace(/^·(?=.)/, "") : pieces.join("").replace(/^▁(?=.)/, "");
}

// Whether a piece continues the word of the piece before it: both are letters or digits, in a script that separates
// words by spaces.
function continuesWord(piece, before) {
  if (piece.startsWith("▁") || special.test(piece)) return false;
  if (before === "▁") return true;
  return !special.test(before) && wordCharacter.test(piece[0]) && wordCharacter.test(before.at(-1)) &&
    !unspaced.test(piece) && !unspaced.test(before);
}

/** The indices of the pieces of each word: [[0], [1, 2], ...]. */
export function wordGroups(pieces) {
  const groups = [];
  pieces.forEach((piece, i) => {
    if (i > 0 && continuesWord(piece, pieces[i - 1])) groups.at(-1).push(i);
    else groups.push([i]);
  });
  return groups;
}
