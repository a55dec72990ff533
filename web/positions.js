// The position encodings: the table that is added to the embeddings, the formula of one of its cells, and how alike two
// positions are.

import {bar, segmented} from "dragoman/controls.js";
import {el, number, svg} from "dragoman/draw.js";
import {digits, formula, mi, mn, mo, name, over, row, sub, sup} from "dragoman/formula.js";
import {diverging, heatMap} from "dragoman/tiles.js";
import {unpacked} from "dragoman/look.js";

/** The angle and the function of a cell, as the model computes them; null where the table was learned. */
export function wave(kind, pos, dim, width) {
  if (kind === "sinusoid") {
    const pair = dim - (dim % 2);
    return {sine: dim % 2 === 0, pair, rate: 10000 ** (-pair / width), angle: pos * 10000 ** (-pair / width)};
  }
  if (kind !== "sinusoid-t2t") return null;
  const half = Math.floor(width / 2);
  const j = dim % Math.max(1, half);
  const rate = half > 1 ? Math.exp((-j * Math.log(10000)) / (half - 1)) : 1;
  return {sine: dim < half, pair: j, rate, angle: pos * rate, half};
}

export function positionsView(root, app) {
  let table = null;  // {rows, columns, data}
  let cell = [7, 6];  // position and dimension
  let order = [];     // dimensions as they are shown, from left to right
  let apart = false;  // sines first, then cosines
  let known = "";
  const status = el("p", {class: "empty"}, "The position encodings are being fetched.");
  const heat = heatMap({name: "Position encodings, positions down, dimensions across", text: (i, j) => spoken(i, order[j]),
    looked: (i, j) => looked([i, order[j]])});
  const columns = bar(segmented("Columns", () => [{value: false, text: "As in the model"}, {value: true, text: "Sines, then cosines"}],
    () => apart, (value) => {
      apart = value;
      draw();
    }));
  const axis = el("div", {class: "positions-axis", "aria-hidden": "true"});
  const said = el("div", {class: "positions-said"});
  const alike = el("div", {class: "positions-chart"});
  const along = el("div", {class: "positions-chart"});
  const about = el("p", {class: "note"});
  const body = el("div", {class: "positions", hidden: true},
    el("div", {class: "positions-map"}, el("h3", {}, "The table: one row a position, one column a dimension"), about, columns.element,
      el("div", {class: "positions-heat"}, heat.element, axis)),
    el("div", {class: "positions-side"}, said, along, alike));
  root.append(status, body);
  const watch = new ResizeObserver(() => draw());
  watch.observe(body);

  const at = (i, j) => table.data[i * table.columns + j];
  const kind = () => app.model?.config.positions ?? "sinusoid";

  function spoken(i, j) {
    return `Position ${i}, dimension ${j}: ${number(at(i, j), 4)}`;
  }

  async function update() {
    if (kind() === "none") {
      status.textContent = "This model has no position encodings: it sees a sentence as a set of words.";
      return;
    }
    const longest = Math.max(64, app.look?.src.length ?? 0, app.look?.tgt.length ?? 0);
    const wanted = `${app.state.source} ${app.state.target} ${longest > 64 ? Math.min(512, longest) : 64}`;
    if (known === wanted) {
      if (table) draw();
      return;
    }
    known = wanted;
    try {
      const answer = await app.positions(longest > 64 ? Math.min(512, longest) : 64);
      if (known !== wanted) return;
      if (!answer?.packed) throw new Error("There are no position encodings in this file.");
      table = {rows: answer.rows, columns: answer.columns, data: unpacked(answer.packed)};
    } catch (error) {
      status.textContent = error.message;
      return;
    }
    status.hidden = true;
    body.hidden = false;
    draw();
  }

  function draw() {
    if (!table || body.hidden) return;
    const width = Math.max(240, heat.element.parentElement.clientWidth - 2);
    const height = Math.max(260, Math.min(640, table.rows * 8));
    cell = [Math.min(cell[0], table.rows - 1), Math.min(cell[1], table.columns - 1)];
    const most = table.data.reduce((so_far, value) => Math.max(so_far, Math.abs(value)), 1e-9);
    order = Array.from({length: table.columns}, (_, c) => c);
    columns.element.hidden = kind() !== "sinusoid";
    columns.update();
    if (apart && kind() === "sinusoid") order = [...order.filter((c) => c % 2 === 0), ...order.filter((c) => c % 2 === 1)];
    heat.show({rows: table.rows, columns: table.columns, at: (i, j) => at(i, order[j]), tint: diverging(kind() === "learned" ? most : 1), width, height},
      [cell[0], order.indexOf(cell[1])]);
    axis.textContent = `${order[0] === 0 && order[1] === 1 ? `dimension 0 to ${table.columns - 1}, left to right` : "even dimensions (sines), then odd ones (cosines)"}; position 0 to ${table.rows - 1}, from the top`;
    about.textContent = kind() === "learned" ? "These were learned, like the embeddings (row E of the paper's Table 3): no formula gives them." :
      "Added to the embeddings, it tells the model where a word stands. Nothing of it was learned (Section 3.5): the left " +
      "columns turn quickly from position to position, the right ones slowly.";
    tell();
  }

  function looked(next) {
    cell = next;
    tell();
  }

  function tokenAt(pos) {
    const tokens = app.look ? app.look.src : [];
    return pos < tokens.length ? ` (“${tokens[pos].replace("▁", "")}” of your sentence)` : "";
  }

  function tell() {
    const [pos, dim] = cell;
    said.replaceChildren(el("h3", {}, `Position ${pos}${tokenAt(pos)}, dimension ${dim}`), ...formulas(pos, dim));
    along.replaceChildren(el("h3", {}, `Dimension ${dim} over the positions`), chart(table.rows, (i) => at(i, dim), pos, (i) => `position ${i}`));
    const dots = dotsOf(pos);
    const peak = Math.max(...dots);
    alike.replaceChildren(el("h3", {}, `How alike position ${pos} is to the others`),
      el("p", {class: "note"}, `The dot product of their rows: ${number(dots[pos], 1)} with itself` +
        (pos + 1 < table.rows ? `, ${number(dots[pos + 1], 1)} one place on` : "") +
        (pos + 10 < table.rows ? `, ${number(dots[pos + 10], 1)} ten places on.` : ".") +
        (kind() === "learned" ? "" : " It depends on the distance alone.")),
      chart(table.rows, (i) => dots[i], pos, (i) => `position ${i}`, Math.min(0, ...dots), peak));
  }

  function dotsOf(pos) {
    return Array.from({length: table.rows}, (_, other) => {
      let sum = 0;
      for (let c = 0; c < table.columns; ++c) sum += at(pos, c) * at(other, c);
      return sum;
    });
  }

  function formulas(pos, dim) {
    const value = at(pos, dim);
    const of = wave(kind(), pos, dim, table.columns);
    if (!of) return [formula(name("PE"), mo("("), mn(pos), mo(","), mn(dim), mo(")"), mo("="), digits(value)),
      el("p", {class: "note"}, "learned in training")];
    const turn = () => name(of.sine ? "sin" : "cos");
    const length = (2 * Math.PI) / of.rate;
    const width = sub(mi("d"), name("model"));
    const half = row(width.cloneNode(true), mo("/"), mn(2));
    const paper = kind() === "sinusoid";
    const index = paper ? row(mn(2), mi("i"), ...(of.sine ? [] : [mo("+"), mn(1)])) : row(mi("i"), ...(of.sine ? [] : [mo("+"), half.cloneNode(true)]));
    const power = paper ? row(mn(2), mi("i"), mo("/"), width) : row(mi("i"), mo("/"), mo("("), half, mo("−"), mn(1), mo(")"));
    return [
      formula(name("PE"), row(mo("("), mi("pos"), mo(","), index, mo(")")), mo("="), turn(), row(mo("("), over(mi("pos"), sup(mn(10000), power)), mo(")"))),
      formula(name("PE"), row(mo("("), mn(pos), mo(","), mn(dim), mo(")")), mo("="), turn(), row(mo("("),
        over(mn(pos), sup(mn(10000), row(mn(of.pair), mo("/"), mn(paper ? table.columns : of.half - 1)))), mo(")")), mo("="),
        turn(), row(mo("("), digits(of.angle), mo(")")), mo("="), digits(of.sine ? Math.sin(of.angle) : Math.cos(of.angle), 5)),
      el("p", {class: "note"}, `In the model's table: ${number(value, 5)}. This column comes round every ${length < 1000 ? number(length, 1) : Math.round(length)} positions.`)];
  }

  // The table with its axes, and the two curves.
  function picture() {
    if (!table) return null;
    const out = svg("svg", {viewBox: "0 0 900 640", width: 900, height: 640});
    out.append(svg("text", {x: 10, y: 22, class: "label strong"}, `Position encodings (${kind()}): ${table.rows} positions × ${table.columns} dimensions`),
      heat.picture(10, 34, 880, 360), svg("text", {x: 10, y: 412, class: "label"}, axis.textContent));
    [along, alike].forEach((part, i) => {
      const copy = part.querySelector("svg").cloneNode(true);
      copy.setAttribute("x", 10 + 450 * i);
      copy.setAttribute("y", 450);
      copy.setAttribute("width", 430);
      copy.setAttribute("height", 170);
      out.append(svg("text", {x: 10 + 450 * i, y: 442, class: "label strong"}, part.querySelector("h3").textContent), copy);
    });
    return out;
  }

  return {update, svg: picture, destroy: () => watch.disconnect()};
}

// A curve over positions with one of them marked.
function chart(count, value, marked, label, low = -1, high = 1) {
  const [width, height, left, bottom] = [430, 150, 40, 20];
  const values = Array.from({length: count}, (_, i) => value(i));
  const [from, to] = [Math.min(low, ...values), Math.max(high, ...values)];
  const x = (i) => left + (i / Math.max(1, count - 1)) * (width - left - 8);
  const y = (v) => 8 + (1 - (v - from) / (to - from || 1)) * (height - bottom - 14);
  const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img",
    "aria-label": `Curve; at ${label(marked)}: ${number(values[marked])}`});
  for (const tick of [from, 0, to].filter((v, i, list) => list.indexOf(v) === i)) {
    out.append(svg("line", {x1: left, x2: width - 8, y1: y(tick), y2: y(tick), class: "curve-grid"}),
      svg("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end", class: "curve-label"}, number(tick, Number.isInteger(tick) ? 0 : 1)));
  }
  out.append(svg("path", {d: values.map((v, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join(""), class: "curve-line"}),
    svg("line", {x1: x(marked), x2: x(marked), y1: 8, y2: height - bottom, class: "curve-mark"}),
    svg("circle", {cx: x(marked), cy: y(values[marked]), r: 4, class: "curve-dot"}));
  for (const i of [0, marked, count - 1]) {
    out.append(svg("text", {x: x(i), y: height - 5, "text-anchor": i === 0 ? "start" : i === count - 1 ? "end" : "middle", class: "curve-label"},
      i === marked || Math.abs(x(i) - x(marked)) > 30 ? String(i) : ""));
  }
  return out;
}
