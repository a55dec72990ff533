// What the animation shows at each moment, as plain shapes: the encoder's layers, all words at once, then the decoder,
// word by word. Nothing here draws; play.js does.

/** The moments of a translation, in order: {kind: "embed"|"encoder"|"read"|"decoder"|"write", layer, word}. */
export function momentsOf(encoderLayers, decoderLayers, words) {
  const moments = [{kind: "embed"}];
  for (let layer = 0; layer < encoderLayers; ++layer) moments.push({kind: "encoder", layer});
  for (let word = 0; word < words; ++word) {
    moments.push({kind: "read", word});
    for (let layer = 0; layer < decoderLayers; ++layer) moments.push({kind: "decoder", word, layer});
    moments.push({kind: "write", word});
  }
  return moments;
}

const label = 78;  // room for slanted words

/**
 * Where things are. The encoder is below on the left, the decoder above on the right, so that lines to the source cross
 * nothing else; where there is no room for both, the decoder is right above the encoder.
 */
export function layoutOf(size, width) {
  const {sources, targets, encoderLayers, decoderLayers} = size;
  const gap = 40;
  const wide = width >= 900;
  const pad = wide ? 30 : 14;
  const together = (width - 2 * pad - gap) / (sources + targets);
  const stacked = together < (wide ? 20 : 24);
  const room = stacked ? (width - 2 * pad) / Math.max(sources, targets) : together;
  const column = Math.min(64, Math.max(stacked && !wide ? 16.5 : 20, room));
  const rows = Math.max(1, decoderLayers + encoderLayers - (stacked ? 0 : 0.5));
  const row = Math.max(34, Math.min(64, (wide ? 470 : 400) / rows));
  const raised = stacked ? encoderLayers * row + label + 24 : Math.max(0, encoderLayers - 0.5) * row;
  const height = 24 + label + decoderLayers * row + raised + label;
  const bottom = height - label;
  const decoderX = stacked ? pad : pad + sources * column + gap;
  const columns = stacked ? Math.max(sources, targets) : sources + targets;
  const encoder = (layer, at) => ({x: pad + (at + 0.5) * column, y: bottom - layer * row});
  const decoder = (layer, at) => ({x: decoderX + (at + 0.5) * column, y: bottom - raised - layer * row});
  const names = [{x: pad, y: encoder(encoderLayers, 0).y - 24, text: "Encoder"},
    {x: decoderX, y: decoder(decoderLayers, 0).y - label - 10, text: "Decoder"}];
  if (wide) {
    for (let layer = 1; layer <= encoderLayers; ++layer) {
      names.push({x: pad - 14, y: encoder(layer, 0).y, text: String(layer)});
    }
    for (let layer = 1; layer <= decoderLayers; ++layer) {
      const x = stacked ? pad - 14 : decoder(layer, targets - 0.5).x + 8;
      names.push({x, y: decoder(layer, 0).y, text: String(layer)});
    }
  }
  return {
    stacked, column, height, encoder, decoder, names, angle: column >= 56 ? 0 : column < 22 ? 70 : 50,
    width: Math.max(width, 2 * pad + (stacked ? 0 : gap) + columns * column + 20),
  };
}

const ease = (t) => (t < 0 ? 0 : t > 1 ? 1 : t * t * (3 - 2 * t));

/** The lines of one query, the heaviest first; few enough that a long sentence is still drawn quickly. */
function linesOf(play, site, layer, query, most) {
  const name = `${site.name} ${layer} ${query}`;
  if (play.cache.has(name)) return play.cache.get(name);
  const found = [];
  if (!play.has(site.name, layer)) return found;
  for (const head of site.heads) {
    const weights = play.weights(site.name, layer, head);
    if (query >= weights.rows) continue;
    for (let key = 0; key < weights.columns; ++key) {
      const weight = weights.at(query, key);
      if (weight >= play.least) found.push({key, head, weight});
    }
  }
  found.sort((a, b) => b.weight - a.weight);
  found.length = Math.min(found.length, most);
  play.cache.set(name, found);
  return found;
}

function addLines(scene, play, {heads}, lines, from, to, grown, strength) {
  for (const {key, head, weight} of lines) {
    const start = from(key);
    const aside = (heads.indexOf(head) - (heads.length - 1) / 2) * Math.min(2, 7 / heads.length);
    scene.lines.push({
      x1: start.x + aside, y1: start.y, x2: to.x + aside, y2: to.y, grown,
      colour: play.colour(head), alpha: strength * Math.min(1, 0.15 + 0.85 * weight), width: 0.6 + 2.6 * weight,
    });
  }
}

/**
 * The shapes at moment `at`, `t` of the way through it (1: all of it is there). `play` is {encoder, decoder (the sites
 * of each stack, {name, keys, layers, heads}), has(name, layer), weights(name, layer, head), colour(head), sources,
 * inputs, outputs (labels), encoderLayers, decoderLayers, positions (whether they are added), least (the weight that is
 * drawn), cache (a Map of lines)}.
 */
export function sceneOf(play, layout, moments, at, t) {
  const scene = {lines: [], dots: [], texts: []};
  const now = moments[at];
  const inDecoder = now.word !== undefined;
  const encoded = inDecoder ? play.encoderLayers : now.kind === "encoder" ? now.layer + 1 : 0;
  const per = ({heads}) => Math.max(2, Math.min(3 * heads.length, Math.floor(4000 / play.sources.length)));

  for (const title of layout.names) scene.texts.push({...title, begins: true});
  play.sources.forEach((label, i) => {
    const place = layout.encoder(0, i);
    scene.texts.push({x: place.x, y: place.y + 16, text: label, angle: layout.angle, below: true, strong: !inDecoder});
    for (let layer = 0; layer <= play.encoderLayers; ++layer) {
      const arriving = !inDecoder && layer === encoded;
      const arrived = arriving ? ease(now.kind === "embed" ? t : t * 2 - 1) : Number(layer <= encoded);
      scene.dots.push({...layout.encoder(layer, i), r: 4.5, lit: arrived});
    }
  });
  for (let layer = 0; layer < encoded; ++layer) {
    const current = !inDecoder && layer === encoded - 1;
    if (inDecoder || layer < encoded - 2) continue;
    for (let query = 0; query < play.sources.length; ++query) {
      for (const site of play.encoder) {
        const lines = linesOf(play, site, layer, query, per(site));
        addLines(scene, play, site, lines, (key) => layout.encoder(layer, key), layout.encoder(layer + 1, query),
          current ? ease(t * 1.6) : 1, current ? 1 : 0.22);
      }
    }
  }
  for (let word = 0; word < play.outputs.length; ++word) addWord(scene, play, layout, now, word, t);
  if (inDecoder && now.kind !== "read") {
    const done = now.kind === "write" ? play.decoderLayers : now.layer;
    for (let layer = 0; layer < done; ++layer) addDecoderLines(scene, play, layout, now.word, layer, 1, 0.3);
    if (now.kind === "decoder") addDecoderLines(scene, play, layout, now.word, now.layer, t, 1);
  }
  return scene;
}

// One column of the decoder: what it reads, its layers, and the word that it writes.
function addWord(scene, play, layout, now, word, t) {
  const inDecoder = now.word !== undefined;
  const done = inDecoder && word < now.word;
  const current = inDecoder && word === now.word;
  const bottom = layout.decoder(0, word);
  const top = layout.decoder(play.decoderLayers, word);
  const read = done || (current && now.kind !== "read") ? 1 : current ? ease(t) : 0;
  if (read > 0) {
    scene.texts.push({x: bottom.x, y: bottom.y + 16, text: play.inputs[word] ?? "", angle: layout.angle, below: true,
      strong: current, alpha: read});
  }
  for (let layer = 0; layer <= play.decoderLayers; ++layer) {
    let lit = done ? 1 : 0;
    if (current) {
      if (layer === 0) lit = read;
      else if (now.kind === "write") lit = 1;
      else if (now.kind === "decoder") lit = layer <= now.layer ? 1 : layer === now.layer + 1 ? ease(t * 2 - 1) : 0;
    }
    scene.dots.push({...layout.decoder(layer, word), r: 4.5, lit: +lit, current});
  }
  const written = done ? 1 : current && now.kind === "write" ? ease(t) : 0;
  if (written > 0) {
    scene.texts.push({x: top.x, y: top.y - 13, text: play.outputs[word], angle: layout.angle, strong: current,
      alpha: written});
  }
}

// First the words that have been written (self-attention), then the source (attention over the encoder's output).
function addDecoderLines(scene, play, layout, word, layer, t, strength) {
  const to = layout.decoder(layer + 1, word);
  for (const site of play.decoder) {
    const lines = linesOf(play, site, layer, word, 4 * site.heads.length);
    const [from, grown] = site.keys === "target" ? [(key) => layout.decoder(layer, key), ease(t * 2.4)]
      : [(key) => layout.encoder(play.encoderLayers, key), ease(t * 2.4 - 0.9)];
    addLines(scene, play, site, lines, from, to, grown, strength);
  }
}

// What the encoder does before its first layer of attention, if it has any.
function embedText({sources, encoderLayers, positions}) {
  const vectors = `Each of the ${sources.length} pieces of the source becomes a vector`;
  if (positions) return `${vectors}, and its position is added.`;
  if (encoderLayers) return `${vectors}.`;
  return `The model reads the ${sources.length} pieces of the source. Its encoder works without attention, so there ` +
    "are no lines in it.";
}

// What a word looks at in a layer of the decoder.
function gazeText({decoder}, layer) {
  const keys = new Set(decoder.filter(({layers}) => layer < layers).map((site) => site.keys));
  const told = [keys.has("target") ? "at what has been written" : "", keys.has("source") ? "at the source" : ""];
  return `it looks ${told.filter(Boolean).join(", then ")}`;
}

/** What the moment shows, in words. */
export function momentText(play, moment) {
  const word = moment.word;
  switch (moment.kind) {
    case "embed":
      return embedText(play);
    case "encoder":
      return `Encoder, layer ${moment.layer + 1} of ${play.encoderLayers}: all words at once, each looks at all the ` +
        "others.";
    case "read":
      return word === 0 ? "The decoder begins: it reads the start token." :
        `The decoder reads “${play.inputs[word]}”, which it has just written.`;
    case "decoder":
      return `Word ${word + 1}, decoder layer ${moment.layer + 1} of ${play.decoderLayers}: ${
        gazeText(play, moment.layer)}.`;
    default:
      return play.outputs[word] === "</s>" || play.outputs[word] === "end" ?
        "The end token is the likeliest next: the sentence is done." :
        `Word ${word + 1}: “${play.outputs[word]}” is written.`;
  }
}
