// What each moment of the animation shows, in words. `play` is described in scene.js.

/** The caption of a moment. */
export function momentText(play, {kind, layer, word}) {
  switch (kind) {
    case "embed":
      return embeddingText(play);
    case "encoder":
      return `Encoder, layer ${layer + 1} of ${play.encoderLayers}: all words at once, and each looks at all others.`;
    case "read":
      return word === 0 ? "The decoder begins: it reads the start token." :
        `The decoder reads “${play.inputs[word]}”, which it has just written.`;
    case "decoder":
      return `Word ${word + 1}, decoder layer ${layer + 1} of ${play.decoderLayers}: ${decoderText(play, layer)}.`;
    default:
      return play.outputs[word] === "</s>" ?
        "The end token, </s>, is the likeliest next token, so the sentence is complete." :
        `Word ${word + 1}: “${play.outputs[word]}” is written.`;
  }
}

function embeddingText({sources, encoderLayers, positions}) {
  const vectors = `Each of the ${sources.length} pieces of the source becomes a vector`;
  if (positions) return `${vectors}, and its position is added.`;
  if (encoderLayers) return `${vectors}.`;
  return `The model reads the ${sources.length} pieces of the source. Its encoder works without attention, so there ` +
    "are no lines in it.";
}

// What a word looks at in a layer of the decoder.
function decoderText({decoder}, layer) {
  const keys = new Set(decoder.filter(({layers}) => layer < layers).map((site) => site.keys));
  const words = [keys.has("target") ? "at what has been written" : "", keys.has("source") ? "at the source" : ""];
  return `it looks ${words.filter(Boolean).join(", then ")}`;
}
