// What comes out on top: the probabilities of the next word, as bars that grow, and the words written so far.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {text} from "../../strings/play.js";
import {ease, fitted, rect, widthOf, words} from "./shapes.js";

/** Whether a moment shows the probabilities of its word. */
export const showsWords = ({kind, block, word}) => (
  word !== undefined && (kind === "write" || block?.kind === "softmax"));

/** The rows of the bars: [{text, p, isChosen}], at most `count`. The last one is all other words together. */
export function barRows({id, p, words: likeliest}, count) {
  const shown = likeliest.slice(0, count - 1);
  if (!shown.some((word) => word.id === id)) {
    const chosen = likeliest.find((word) => word.id === id);
    if (chosen) shown.splice(-1, 1, chosen);
    else if (p !== undefined) shown.splice(-1, 1, {id, p, token: null});
  }
  const rows = shown.map((word) => ({text: word.token === null ? "…" : label(word.token), p: word.p,
    isChosen: word.id === id}));
  const rest = Math.max(0, 1 - rows.reduce((sum, row) => sum + row.p, 0));
  return [...rows, {text: text.otherWords, p: rest, isChosen: false, isRest: true}];
}

export function outputShapes(play, layout, moment, t) {
  if (!layout.output) return [];
  return [...barShapes(play, layout, moment, t), ...writtenShapes(play, layout, moment, t)];
}

function barShapes(play, {output: {bars: {x, y, w, rows}}, bar, font}, moment, t) {
  const isShown = showsWords(moment);
  const shapes = [words(x + w / 2, y + bar / 2, fitted(text.probabilities, w, font),
    {size: font, fill: isShown ? "--ink" : "--soft", strong: isShown})];
  const found = isShown ? play.wordsAt(moment.word) : null;
  const grown = moment.kind === "write" ? 1 : ease(t * 1.3);
  const [names, numbers] = [w * 0.36, widthOf("0.000", font) + 6];
  const track = {x: x + names, w: w - names - numbers};
  for (let i = 0; i < rows; ++i) {
    const top = y + (i + 1) * bar;
    const middle = top + bar / 2;
    shapes.push(rect(track.x, top + 3, track.w, bar - 6, {r: 2, fill: "--masked"}));
    const row = found && barRows(found, rows)[i];
    if (!row) continue;
    const isWritten = moment.kind === "write" && row.isChosen;
    const ink = {size: font, alpha: grown, strong: isWritten, fill: row.isRest ? "--soft" : "--ink"};
    shapes.push(rect(track.x, top + 3, Math.max(1, track.w * row.p * grown), bar - 6,
      {r: 2, fill: isWritten ? "--accent" : "--edge"}),
    words(track.x - 5, middle, fitted(row.text, names - 6, font), {...ink, align: "right"}),
    words(x + w, middle, number(row.p), {...ink, align: "right"}));
  }
  return shapes;
}

// The words written so far, in one line that ends with the newest.
function writtenShapes(play, {output: {text: {x, y, w, h}}, font}, moment, t) {
  const isWriting = moment.kind === "write";
  const before = play.outputs.slice(0, moment.word ?? 0).join(" ");
  const newest = isWriting ? play.outputs[moment.word] : "";
  const room = w - 12 - (newest ? widthOf(` ${newest}`, font, true) : 0);
  const shown = before ? fitted(before, room, font, {atBeginning: true}) : "";
  const begin = x + 6;
  const style = {size: font, align: "left"};
  return [
    rect(x, y, w, h, {fill: "--paper", stroke: isWriting ? "--accent" : "--line"}),
    before || newest ? words(begin, y + h / 2, shown, style)
      : words(begin, y + h / 2, text.output, {...style, fill: "--soft"}),
    newest ? words(begin + (shown ? widthOf(`${shown} `, font) : 0), y + h / 2, fitted(newest, w - 12, font),
      {...style, strong: true, fill: "--accent", alpha: ease(t * 2)}) : null,
  ];
}
