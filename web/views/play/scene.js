// What the animation shows at each moment, as plain shapes: first the encoder's layers, with all words at once, then
// the decoder, word by word. Nothing here draws; see painting.js.
//
// `play` is what is animated:
//   encoder, decoder: the sites of each stack, {name, keys, layers, heads}
//   has(name, layer), weights(name, layer, head), colour(head)
//   sources, inputs, outputs: labels of the source, of what the decoder reads, and of what it writes
//   encoderLayers, decoderLayers: how many there are
//   positions: whether position encodings are added
//   least: the smallest weight that is drawn
//   cache: a Map in which heaviestLines keeps its results
// `layout` is from layout.js: encoder(layer, i) and decoder(layer, i) give the place {x, y} of a dot.

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

// Rises smoothly from 0 to 1 while t goes from 0 to 1.
const ease = (t) => (t < 0 ? 0 : t > 1 ? 1 : t * t * (3 - 2 * t));

const dotRadius = 4.5;

/**
 * The shapes {lines, dots, texts} at moment `at`, at the fraction `t` of its duration.
 *   A line is {x1, y1, x2, y2, grown, colour, alpha, width}; `grown` is the fraction of it that is drawn.
 *   A dot is {x, y, r, lit, current?}; `lit` goes from 0 to 1, and `current` marks the word that is being written.
 *   A text is {x, y, text, angle?, below?, begins?, strong?, alpha?}. It is slanted by `angle` degrees: it then ends at
 *   x, y if `below` is set, and begins there otherwise. A level text is centred, or begins there if `begins` is set.
 */
export function sceneOf(play, layout, moments, at, t) {
  const now = moments[at];
  const scene = {lines: [], dots: [], texts: layout.names.map((title) => ({...title, begins: true}))};
  const inDecoder = now.word !== undefined;
  const encoded = inDecoder ? play.encoderLayers : now.kind === "encoder" ? now.layer + 1 : 0;
  play.sources.forEach((_, i) => addSource(scene, play, layout, {now, encoded, i, t}));
  if (!inDecoder) addEncoderLines(scene, play, layout, encoded, t);
  for (let word = 0; word < play.outputs.length; ++word) addWord(scene, play, layout, now, word, t);
  if (inDecoder && now.kind !== "read") addCurrentWordLines(scene, play, layout, now, t);
  return scene;
}

// One column of the encoder: a word of the source and its layers.
function addSource(scene, play, layout, {now, encoded, i, t}) {
  const inDecoder = now.word !== undefined;
  const place = layout.encoder(0, i);
  scene.texts.push(
    {x: place.x, y: place.y + 16, text: play.sources[i], angle: layout.angle, below: true, strong: !inDecoder});
  for (let layer = 0; layer <= play.encoderLayers; ++layer) {
    const isArriving = !inDecoder && layer === encoded;
    const lit = isArriving ? ease(now.kind === "embed" ? t : t * 2 - 1) : Number(layer <= encoded);
    scene.dots.push({...layout.encoder(layer, i), r: dotRadius, lit});
  }
}

// The lines of the layer that the encoder computes, and faintly those of the layer before.
function addEncoderLines(scene, play, layout, encoded, t) {
  for (let layer = Math.max(0, encoded - 2); layer < encoded; ++layer) {
    const isCurrent = layer === encoded - 1;
    const [grown, strength] = isCurrent ? [ease(t * 1.6), 1] : [1, 0.22];
    for (let query = 0; query < play.sources.length; ++query) {
      for (const site of play.encoder) {
        const most = Math.max(2, Math.min(3 * site.heads.length, Math.floor(4000 / play.sources.length)));
        const lines = heaviestLines(play, site, layer, query, most);
        addLines(scene, play, site, lines,
          {from: (key) => layout.encoder(layer, key), to: layout.encoder(layer + 1, query), grown, strength});
      }
    }
  }
}

// One column of the decoder: the token that it reads, its layers, and the word that it writes.
function addWord(scene, play, layout, now, word, t) {
  const isDone = now.word !== undefined && word < now.word;
  const isCurrent = now.word !== undefined && word === now.word;
  const bottom = layout.decoder(0, word);
  const top = layout.decoder(play.decoderLayers, word);
  const read = isDone || (isCurrent && now.kind !== "read") ? 1 : isCurrent ? ease(t) : 0;
  const written = isDone ? 1 : isCurrent && now.kind === "write" ? ease(t) : 0;
  if (read > 0) {
    scene.texts.push({x: bottom.x, y: bottom.y + 16, text: play.inputs[word] ?? "", angle: layout.angle, below: true,
      strong: isCurrent, alpha: read});
  }
  for (let layer = 0; layer <= play.decoderLayers; ++layer) {
    const lit = isCurrent ? currentDot(now, layer, read, t) : Number(isDone);
    scene.dots.push({...layout.decoder(layer, word), r: dotRadius, lit, current: isCurrent});
  }
  if (written > 0) {
    scene.texts.push({x: top.x, y: top.y - 13, text: play.outputs[word], angle: layout.angle, strong: isCurrent,
      alpha: written});
  }
}

// How far the dot of a layer is lit in the column of the word that is being written.
function currentDot(now, layer, read, t) {
  if (layer === 0) return read;
  if (now.kind === "write") return 1;
  if (now.kind !== "decoder") return 0;
  if (layer <= now.layer) return 1;
  return layer === now.layer + 1 ? ease(t * 2 - 1) : 0;
}

// The lines of the decoder's layers for the word that is being written.
function addCurrentWordLines(scene, play, layout, now, t) {
  const done = now.kind === "write" ? play.decoderLayers : now.layer;
  for (let layer = 0; layer < done; ++layer) addDecoderLines(scene, play, layout, now.word, layer, 1, 0.3);
  if (now.kind === "decoder") addDecoderLines(scene, play, layout, now.word, now.layer, t, 1);
}

// First the lines to the words that have been written (self-attention), then those to the source (cross-attention).
function addDecoderLines(scene, play, layout, word, layer, t, strength) {
  const to = layout.decoder(layer + 1, word);
  for (const site of play.decoder) {
    const lines = heaviestLines(play, site, layer, word, 4 * site.heads.length);
    const [from, grown] = site.keys === "target" ? [(key) => layout.decoder(layer, key), ease(t * 2.4)]
      : [(key) => layout.encoder(play.encoderLayers, key), ease(t * 2.4 - 0.9)];
    addLines(scene, play, site, lines, {from, to, grown, strength});
  }
}

// The lines {key, head, weight} of one query, the heaviest first. There are at most `most`, so that a long sentence is
// drawn quickly.
function heaviestLines(play, site, layer, query, most) {
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

// Lines from the places of the keys to the query's place. The lines of different heads are drawn side by side.
function addLines(scene, play, {heads}, lines, {from, to, grown, strength}) {
  for (const {key, head, weight} of lines) {
    const start = from(key);
    const aside = (heads.indexOf(head) - (heads.length - 1) / 2) * Math.min(2, 7 / heads.length);
    scene.lines.push({
      x1: start.x + aside, y1: start.y, x2: to.x + aside, y2: to.y, grown,
      colour: play.colour(head), alpha: strength * Math.min(1, 0.15 + 0.85 * weight), width: 0.6 + 2.6 * weight,
    });
  }
}
