// A matrix of exact weights that can be pointed at, walked through by keys and read aloud; used by "matrix", by the
// enlarged thumbnail of "grid" and for differences.
import {colour, el, hideTip, number, prepared, readableOn, sheet, showTip, signed, svg} from "dragoman/draw.js";
import {heat, hues} from "dragoman/heat.js";

const [smallest, largest] = [3, 46];  // pixels of a cell
let made = 0;

/**
 * `get()` gives {matrix, queries, keys, head (null: with signs), full, query, key, title, masked?(i, j)};
 * `select(query, key)` is called when a cell is chosen. `zoom()` gives the size of a cell in pixels, or 0 to fit.
 */
export function cells(root, {get, select, zoom = () => 0, most = largest}) {
  const canvas = el("canvas", {"aria-hidden": "true"});
  const across = el("div", {class: "labels across", "aria-hidden": "true"});
  const down = el("div", {class: "labels down", "aria-hidden": "true"});
  const corner = el("div", {class: "labels corner", "aria-hidden": "true"});
  const cell = el("div", {role: "gridcell", class: "unseen", id: `cell-${++made}`});
  const row = el("div", {role: "row"}, cell);
  const area = el("div", {class: "area"}, canvas);
  const sheet = el("div", {class: "sheet"}, corner, across, down, area);
  const grid = el("div", {
    class: "scroller cells",
    role: "grid",
    tabindex: 0,
    "aria-activedescendant": cell.id,
    onkeydown: walk,
    onscroll: cover
  },
    sheet, row);
  root.append(grid);
  area.addEventListener("pointermove", point);
  area.addEventListener("pointerleave", () => {
    pointed = null;
    hideTip();
    draw();
  });
  area.addEventListener("click", (event) => {
    const at = cellAt(event);
    if (at) select(...at);
  });
  const sized = new ResizeObserver(() => given && update());
  sized.observe(root);

  let given = null;
  let image = null;
  let pointed = null;
  let size = {x: 20, y: 20};  // of a cell
  let margin = {left: 60, top: 60};
  let span = null;  // what the canvas covers of the area
  let laidOut = "";

  const says = (value) => (given.head === null ? signed(value, 4) : number(value, 4));
  const valueAt = (i, j) => (given.masked?.(i, j) ? "masked" : says(given.matrix.at(i, j)));
  const tell = (i, j) => `${given.queries[i]} → ${given.keys[j]}: ${valueAt(i, j)}`;

  function cellAt(event) {
    const box = area.getBoundingClientRect();
    const [i, j] = [Math.floor((event.clientY - box.top) / size.y), Math.floor((event.clientX - box.left) / size.x)];
    return i >= 0 && j >= 0 && i < given.matrix.rows && j < given.matrix.columns ? [i, j] : null;
  }

  function point(event) {
    const at = cellAt(event);
    if (!at) return;
    showTip(event.clientX, event.clientY, el("b", {}, valueAt(...at)),
      ` ${given.queries[at[0]]} → ${given.keys[at[1]]}`);
    if (pointed && pointed[0] === at[0] && pointed[1] === at[1]) return;
    pointed = at;
    draw();
  }

  function walk(event) {
    if (!given || event.target !== grid) return;
    const {rows, columns} = given.matrix;
    const [i, j] = [given.query ?? 0, given.key ?? 0];
    const to = {ArrowDown: [i + 1, j], ArrowUp: [i - 1, j], ArrowRight: [i, j + 1], ArrowLeft: [i, j - 1], Home: [i, 0],
      End: [i, columns - 1], PageDown: [rows - 1, j], PageUp: [0, j]}[event.key];
    if (!to) return;
    event.preventDefault();
    const at = given.query === null || given.key === null ? [i, j]
      : [Math.max(0, Math.min(rows - 1, to[0])), Math.max(0, Math.min(columns - 1, to[1]))];
    select(...at);
    reveal(...at);
  }

  function reveal(i, j) {
    const [x, y] = [j * size.x, i * size.y];
    const [wide, high] = [grid.clientWidth - margin.left, grid.clientHeight - margin.top];
    if (x < grid.scrollLeft) grid.scrollLeft = x;
    else if (x + size.x > grid.scrollLeft + wide) grid.scrollLeft = x + size.x - wide;
    if (y < grid.scrollTop) grid.scrollTop = y;
    else if (y + size.y > grid.scrollTop + high) grid.scrollTop = y + size.y - high;
  }

  function layOut() {
    const {matrix: {rows, columns}, queries, keys} = given;
    const name = JSON.stringify([root.clientWidth, zoom(), queries, keys]);
    if (name === laidOut) return;
    laidOut = name;
    const measure = document.createElement("canvas").getContext("2d");
    measure.font = `13px ${getComputedStyle(root).fontFamily}`;
    const longest = (texts) => Math.min(
      130, Math.max(20, ...texts.slice(0, 500).map((text) => measure.measureText(text).width)) + 14);
    margin = {left: Math.min(longest(queries), root.clientWidth * 0.3), top: longest(keys) * 0.9 + 4};
    const beyond = Math.ceil(longest(keys) * 0.5);  // slanted labels reach beyond the last column
    const fit = Math.floor(Math.min((root.clientWidth - margin.left - beyond) / columns, most));
    const begin = grid.getBoundingClientRect().top + scrollY + margin.top;
    const high = Math.max(24, Math.floor((innerHeight - begin - 24) / rows));  // all rows in sight, if figures fit
    const least = rows * columns > 4000 ? 7 : 14;
    const within = (value) => Math.max(smallest, Math.min(largest, zoom() || Math.max(value, least)));
    size = {x: within(fit), y: within(Math.min(fit, high))};
    const readable = size.y >= 11;
    if (!readable) margin = {left: 0, top: 0};
    sheet.style.cssText = `--cell:${size.y}px;--left:${margin.left}px;--top:${margin.top}px`;
    sheet.style.width = `${margin.left + columns * size.x + (readable ? beyond : 0)}px`;
    area.style.width = `${columns * size.x}px`;
    area.style.height = `${rows * size.y}px`;
    across.style.width = `${columns * size.x + (readable ? beyond : 0)}px`;
    across.replaceChildren(
      ...(readable ? keys.map((text, j) => el("span", {style: {left: `${(j + 0.5) * size.x}px`}}, text)) : []));
    down.replaceChildren(
      ...(readable ? queries.map((text, i) => el("span", {style: {top: `${i * size.y}px`}}, text)) : []));
    span = null;
  }

  // Moves the canvas to what is in sight, and half as much around it.
  function cover() {
    if (!given) return;
    const {rows, columns} = given.matrix;
    const [wide, high] = [grid.clientWidth, grid.clientHeight || 600];
    const [left, top] = [grid.scrollLeft, grid.scrollTop];
    const [right, bottom] = [Math.min(columns * size.x, left + wide), Math.min(rows * size.y, top + high)];
    if (span && left >= span.left && top >= span.top && right <= span.right && bottom <= span.bottom) return;
    span = {left: Math.max(0, left - wide / 2), top: Math.max(0, top - high / 2),
      right: Math.min(columns * size.x, right + wide / 2), bottom: Math.min(rows * size.y, bottom + high / 2)};
    canvas.style.left = `${span.left}px`;
    canvas.style.top = `${span.top}px`;
    draw();
  }

  function draw() {
    if (!span) return;
    const {matrix, full = 1, query, key} = given;
    const context = prepared(canvas, span.right - span.left, span.bottom - span.top);
    context.translate(-span.left, -span.top);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, matrix.columns * size.x, matrix.rows * size.y);
    const [first, last] = [Math.floor(span.top / size.y), Math.min(matrix.rows, Math.ceil(span.bottom / size.y))];
    const [from, to] = [Math.floor(span.left / size.x), Math.min(matrix.columns, Math.ceil(span.right / size.x))];
    if (given.masked) {
      context.fillStyle = colour("--masked");
      for (let i = first; i < last; ++i) {
        let j = to;
        while (j > from && given.masked(i, j - 1)) --j;  // what is masked ends the row
        if (j < to) context.fillRect(j * size.x, i * size.y, (to - j) * size.x, size.y);
      }
    }
    if (size.y >= 8) {
      context.fillStyle = colour("--line");
      for (let i = first; i <= last; ++i) context.fillRect(span.left, i * size.y - 0.5, span.right - span.left, 1);
      for (let j = from; j <= to; ++j) context.fillRect(j * size.x - 0.5, span.top, 1, span.bottom - span.top);
    }
    if (size.x >= 27 && size.y >= 18) figures(context, first, last, from, to, full);
    if (pointed) {
      context.fillStyle = colour("--ink");
      context.globalAlpha = 0.07;
      context.fillRect(span.left, pointed[0] * size.y, span.right - span.left, size.y);
      context.fillRect(pointed[1] * size.x, span.top, size.x, span.bottom - span.top);
      context.globalAlpha = 1;
      outline(context, pointed, colour("--soft"));
    }
    if (query !== null && key !== null && query < matrix.rows && key < matrix.columns)
      outline(context, [query, key], colour("--ink"));
    mark(down, pointed?.[0] ?? query);
    mark(across, pointed?.[1] ?? key);
  }

  function outline(context, [i, j], hue) {
    context.strokeStyle = hue;
    context.lineWidth = 2;
    context.strokeRect(j * size.x, i * size.y, size.x, size.y);
  }

  function figures(context, first, last, from, to, full) {
    const {matrix} = given;
    context.font = `${Math.min(12.5, size.x * 0.38, size.y * 0.55)}px ${getComputedStyle(root).fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const {more, less = more} = hues(given.head);
    const digits = size.x >= 38 ? 3 : 2;
    for (let i = first; i < last; ++i) {
      for (let j = from; j < to; ++j) {
        const value = matrix.at(i, j);
        if (Math.abs(value) < 0.5 / 10 ** digits) continue;
        context.fillStyle = readableOn(value < 0 ? less : more, Math.min(1, Math.abs(value) / full));
        const text = Math.abs(value) > 1 - 0.5 / 10 ** digits ? "1.0" : Math.abs(value).toFixed(digits).slice(1);
        context.fillText(value < 0 ? `−${text}` : text, (j + 0.5) * size.x, (i + 0.5) * size.y + 0.5);
      }
    }
  }

  function mark(list, index) {
    list.querySelector(".pointed")?.classList.remove("pointed");
    list.children[index ?? -1]?.classList.add("pointed");
  }

  function update() {
    given = get();
    if (!given) return;
    const {matrix, head, full = 1, query, key, title} = given;
    image = heat(matrix, hues(head), full);
    grid.setAttribute("aria-label", `${title}. Rows are queries, columns are keys; arrows walk through the cells.`);
    grid.setAttribute("aria-rowcount", matrix.rows);
    grid.setAttribute("aria-colcount", matrix.columns);
    const [i, j] = [Math.min(query ?? 0, matrix.rows - 1), Math.min(key ?? 0, matrix.columns - 1)];
    row.setAttribute("aria-rowindex", i + 1);
    cell.setAttribute("aria-colindex", j + 1);
    cell.textContent = tell(i, j);
    layOut();
    span = null;
    cover();
  }

  return {
    update,
    get size() { return given ? size.x : 0; },
    tell: (i, j) => (given ? tell(i, j) : ""),
    svg: () => (given ? cellsSvg(given) : null),
    destroy() {
      sized.disconnect();
      hideTip();
    }
  };
}

/** The matrix as a standalone SVG. */
export function cellsSvg({matrix, queries, keys, head, full = 1, title}) {
  const size = matrix.rows * matrix.columns > 4000 ? 6 : 26;
  const [left, top] = [120, 130];
  const {more, less = more} = hues(head);
  const [width, height] = [left + matrix.columns * size + 70, top + matrix.rows * size + 10];
  const boxes = [];
  for (let i = 0; i < matrix.rows; ++i) {
    for (let j = 0; j < matrix.columns; ++j) {
      const value = matrix.at(i, j);
      if (Math.abs(value) < 0.004) continue;
      boxes.push(svg("rect", {
        x: left + j * size,
        y: top + i * size,
        width: size - 1,
        height: size - 1,
        fill: value < 0 ? less : more,
        "fill-opacity": Math.min(1, Math.abs(value) / full).toFixed(3)
      },
        svg("title", {}, `${queries[i]} → ${keys[j]}: ${number(value, 4)}`)));
    }
  }
  const text = (attributes, says) => svg(
    "text", {"font-size": Math.min(13, size * 0.8), fill: colour("--ink"), ...attributes}, says);
  return sheet(width, height,
    text({x: 8, y: 18, "font-size": 13, fill: colour("--soft")}, title), ...boxes, svg("rect", {
      x: left - 0.5,
      y: top - 0.5,
      width: matrix.columns * size,
      height: matrix.rows * size,
      fill: "none",
      stroke: colour("--line")
    }),
    ...queries.map((label, i) => text({x: left - 6, y: top + (i + 0.7) * size, "text-anchor": "end"}, label)),
    ...keys.map(
      (label, j) => text({transform: `translate(${left + (j + 0.6) * size},${top - 6}) rotate(-55)`}, label)));
}
