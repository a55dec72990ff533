// The position encodings: the table that is added to the embeddings, the formula of one of its cells, and how alike two
// positions are.

import {bar, segmented} from "dragoman/controls.js";
import {curve} from "dragoman/curve.js";
import {el, number, svg} from "dragoman/draw.js";
import {digits, formula, mi, mn, mo, name, over, row, sub, sup} from "dragoman/formula.js";
import {label, unpacked} from "dragoman/look.js";
import {diverging, heatMap} from "dragoman/tiles.js";

/** The angle and the function of a cell, as the model computes them; null where the table was learned. */
export function wave(kind, pos, dim, width) {
  if (kind === "sinusoid") {
    const pair = dim - (dim % 2);
    const rate = 10000 ** (-pair / width);
    return {sine: dim % 2 === 0, pair, rate, angle: pos * rate};
  }
  if (kind !== "sinusoid-t2t") return null;
  const half = Math.floor(width / 2);
  const pair = dim % Math.max(1, half);
  const rate = half > 1 ? Math.exp((-pair * Math.log(10000)) / (half - 1)) : 1;
  return {sine: dim < half, pair, rate, angle: pos * rate, half};
}

const learnedWords = "These were learned, like the embeddings (row E of the paper's Table 3): no formula gives them.";
const sinusoidWords = "Added to the embeddings, it tells the model where a word stands. Nothing of it was learned " +
  "(Section 3.5): the first columns turn quickly from position to position, the last ones slowly.";

export function positionsView(root, app) {
  let table = null;   // {rows, columns, data}
  let cell = [7, 6];  // position and dimension
  let order = [];     // dimensions as they are shown, from left to right
  let way = "model";  // how dimensions are ordered: as in the model, or "apart", sines first, then cosines
  let known = "";
  const at = (i, j) => table.data[i * table.columns + j];
  const kind = () => app.model?.config?.positions ?? "";

  const heat = heatMap({
    name: "Position encodings, positions down, dimensions across", say: app.say,
    text: (i, j) => `Position ${i}, dimension ${order[j]}: ${number(at(i, order[j]), 4)}`,
    looked(i, j) {
      cell = [i, order[j]];
      tell();
    },
  });
  const ways = [{value: "model", text: "As in the model"}, {value: "apart", text: "Sines, then cosines"}];
  const columns = bar(segmented("Columns", () => ways, () => way, (value) => {
    way = value;
    draw();
  }));
  const status = el("p", {class: "empty"}, "The position encodings are being fetched.");
  const about = el("p", {class: "note"});
  const axis = el("p", {class: "positions-axis", "aria-hidden": "true"});
  const [said, along, alike] = Array.from({length: 3}, () => el("div"));
  const map = el("div", {class: "positions-map"}, el("h3", {}, "The table: one row a position, one column a dimension"),
    about, columns.element, heat.element, axis);
  const side = el("div", {class: "positions-side"}, said, along, alike);
  const body = el("div", {class: "positions", hidden: true}, map, side);
  root.append(status, body);
  const watch = new ResizeObserver(() => draw());
  watch.observe(map);

  const noPositions = () => `This model has no position encodings${
    kind() === "none" ? ": it sees a sentence as a set of words" : ""}.`;

  async function update() {
    const count = Math.min(512, Math.max(64, app.look?.src.length ?? 0, app.look?.tgt.length ?? 0));
    const wanted = `${app.state.source} ${app.state.target} ${count}`;
    if (known !== wanted) {
      known = wanted;
      try {
        const answer = await app.positions(count);
        if (known !== wanted) return;
        if (!answer) throw new Error("There are no position encodings in this file.");
        if (!answer.rows) throw new Error(noPositions());
        table = {rows: answer.rows, columns: answer.columns, data: unpacked(answer.packed)};
      } catch (error) {
        table = null;
        status.textContent = error.message;
        status.hidden = false;
        body.hidden = true;
        return;
      }
      status.hidden = true;
      body.hidden = false;
    }
    draw();
  }

  function draw() {
    if (!table || body.hidden) return;
    const {rows, columns: count} = table;
    const paper = kind() === "sinusoid";
    order = Array.from({length: count}, (_, c) => c);
    const apart = paper && way === "apart";
    if (apart) order.sort((a, b) => (a % 2) - (b % 2) || a - b);
    cell = [Math.min(cell[0], rows - 1), Math.min(cell[1], count - 1)];
    const largest = () => table.data.reduce((so_far, value) => Math.max(so_far, Math.abs(value)), 1e-9);
    const most = kind().startsWith("sinusoid") ? 1 : largest();
    heat.show({
      rows, columns: count, at: (i, j) => at(i, order[j]), tint: diverging(most),
      width: Math.max(240, map.clientWidth), height: Math.max(260, Math.min(640, rows * 8)),
    }, [cell[0], order.indexOf(cell[1])]);
    columns.element.hidden = !paper;
    columns.update();
    const across = apart ? "even dimensions (sines), then odd ones (cosines)" : `dimensions 0 to ${count - 1}`;
    axis.textContent = `Left to right: ${across}; from the top: positions 0 to ${rows - 1}`;
    about.textContent = kind() === "learned" ? learnedWords : kind() ? sinusoidWords : "";
    tell();
  }

  function tokenAt(pos) {
    const piece = app.look?.src[pos];
    return piece === undefined ? "" : ` (“${label(piece)}” of your sentence)`;
  }

  // What belongs to the cell that is looked at.
  function tell() {
    const [pos, dim] = cell;
    const places = Array.from({length: table.rows}, (_, i) => i);
    said.replaceChildren(el("h3", {}, `Position ${pos}${tokenAt(pos)}, dimension ${dim}`), ...formulas(pos, dim));
    along.replaceChildren(el("h3", {}, `Dimension ${dim} over the positions`),
      curve({places, values: places.map((i) => at(i, dim)), marked: pos, low: -1, high: 1, unit: "position"}));
    const dots = places.map((other) => dotOf(pos, other));
    alike.replaceChildren(el("h3", {}, `How alike position ${pos} is to the others`),
      el("p", {class: "note"}, alikeWords(dots, pos)),
      curve({places, values: dots, marked: pos, low: 0, high: 0, unit: "position"}));
  }

  function dotOf(pos, other) {
    let sum = 0;
    for (let c = 0; c < table.columns; ++c) sum += at(pos, c) * at(other, c);
    return sum;
  }

  function alikeWords(dots, pos) {
    const parts = [`${number(dots[pos], 1)} with itself`];
    if (pos + 1 < dots.length) parts.push(`${number(dots[pos + 1], 1)} one place on`);
    if (pos + 10 < dots.length) parts.push(`${number(dots[pos + 10], 1)} ten places on`);
    const why = kind() === "learned" || !kind() ? "" : " It depends on the distance alone.";
    return `The dot product of their rows: ${parts.join(", ")}.${why}`;
  }

  function formulas(pos, dim) {
    const value = at(pos, dim);
    const of = wave(kind(), pos, dim, table.columns);
    const here = [name("PE"), row(mo("("), mn(pos), mo(","), mn(dim), mo(")")), mo("=")];
    if (!of) {
      return [formula(...here, digits(value)), kind() ? el("p", {class: "note"}, "Learned in training.") : ""];
    }
    const paper = kind() === "sinusoid";
    const turn = (...angle) => [name(of.sine ? "sin" : "cos"), row(mo("("), ...angle, mo(")"))];
    const width = () => sub(mi("d"), name("model"));
    const half = () => row(width(), mo("/"), mn(2));
    const index = paper ? [mn(2), mi("i")] : [mi("i")];
    if (!of.sine) index.push(mo("+"), paper ? mn(1) : half());
    const whole = paper ? [width()] : [mo("("), half(), mo("−"), mn(1), mo(")")];
    const power = row(...(paper ? [mn(2)] : []), mi("i"), mo("/"), ...whole);
    const numbers = row(mn(of.pair), mo("/"), mn(paper ? table.columns : of.half - 1));
    const length = (2 * Math.PI) / of.rate;
    const result = of.sine ? Math.sin(of.angle) : Math.cos(of.angle);
    return [
      formula(name("PE"), row(mo("("), mi("pos"), mo(","), ...index, mo(")")), mo("="),
        ...turn(over(mi("pos"), sup(mn(10000), power)))),
      el("div", {class: "formulas"}, formula(...here, ...turn(over(mn(pos), sup(mn(10000), numbers)))),
        formula(mo("="), ...turn(digits(of.angle)), mo("="), digits(result, 5))),
      el("p", {class: "note"}, `In the model's table: ${number(value, 5)}. This column comes round every ` +
        `${length < 1000 ? number(length, 1) : Math.round(length)} positions.`),
    ];
  }

  // The table with its axes, and the two curves.
  function picture() {
    if (!table) return null;
    const out = svg("svg", {viewBox: "0 0 900 640", width: 900, height: 640});
    const of = kind() ? ` (${kind()})` : "";
    const title = `Position encodings${of}: ${table.rows} positions × ${table.columns} dimensions`;
    out.append(svg("text", {x: 10, y: 22, class: "label strong"}, title), heat.picture(10, 34, 880, 360),
      svg("text", {x: 10, y: 412, class: "label"}, axis.textContent));
    [along, alike].forEach((part, i) => {
      const copy = part.querySelector("svg").cloneNode(true);
      const box = {x: 10 + 450 * i, y: 450, width: 430, height: 170};
      for (const [edge, value] of Object.entries(box)) copy.setAttribute(edge, value);
      const words = part.querySelector("h3").textContent;
      out.append(svg("text", {x: box.x, y: 442, class: "label strong"}, words), copy);
    });
    return out;
  }

  return {update, svg: picture, destroy: () => watch.disconnect()};
}
