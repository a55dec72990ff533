// Grid: all layers and heads as thumbnails; one can be enlarged, shown alone, or switched off in the model.
import {cells} from "dragoman/cells.js";
import {bar, isOff, mergedSwitch, segmented, showPicker, toggleOff} from "dragoman/controls.js";
import {colour, darkTheme, el, headColour, number, sheet, svg} from "dragoman/draw.js";
import {heat, hues, pooled} from "dragoman/heat.js";
import {siteOptions} from "dragoman/sites.js";

export function gridView(root, app) {
  let every = innerWidth >= 1000;  // all attentions at once
  const picker = segmented("Attention",
    () => [{value: "all", text: "All"}, ...siteOptions(app.sites)],
    () => (every ? "all" : app.state.attention), (value) => {
      every = value === "all";
      app.set(every ? {} : {attention: value});
    });
  const controls = bar(picker, mergedSwitch(app), showPicker(app));
  const groups = el("div", {class: "thumb-groups"});
  const note = el("p", {class: "note"},
    "Rows of a thumbnail are queries, columns keys; the stronger the colour, the larger the weight. ",
    "Below: the head, and the mean entropy of its rows in bits. Click to enlarge; the switch takes a head out of ",
    "the model.");
  const partly = el(
    "p", {class: "note"}, "This sentence is long: layers are fetched one by one. Click into an empty one to fetch it.");
  const empty = el("p", {class: "empty"}, "All layers and heads are shown here as soon as a sentence is translated.");
  const enlarged = enlargement(app);
  root.append(controls.element, empty, partly, groups, note, enlarged.element);
  let shown = [];

  return {
    update() {
      controls.update();
      const {look} = app;
      empty.hidden = Boolean(look);
      groups.hidden = note.hidden = partly.hidden = !look;
      if (!look) return;
      const wanted = every ? app.sites : [app.site()];
      if (wanted.length !== shown.length || wanted.some((site, i) => site !== shown[i].site)) {
        shown = wanted.map((site) => thumbnails(app, site, enlarged.open));
        groups.replaceChildren(...shown.map(({element}) => element));
      }
      for (const group of shown) group.update();
      partly.hidden = app.sites.every(({name, layers}) => look.shape(name).which.length === layers);
      enlarged.update();
    },
    destroy: () => enlarged.destroy(),
    svg: () => (app.look ? gridSvg(app) : null),
  };
}

// The thumbnails of one attention.
function thumbnails(app, site, open) {
  const {name: attention, title, layers, heads} = site;
  const table = el("div", {class: "thumbs", role: "group", "aria-label": title, onkeydown: walk});
  const element = el("section", {class: "thumb-group", style: {"--heads": String(heads)}},
    el("h3", {}, title), table);
  const tiles = [];
  for (let layer = 0; layer < layers; ++layer) {
    table.append(el("div", {class: "thumb-layer"}, `Layer ${layer + 1}`));
    for (let head = 0; head < heads; ++head) {
      const picture = el("span", {class: "thumb-picture", style: {"--head": headColour(head)}});
      const caption = el("span", {class: "thumb-caption"});
      const button = el("button", {type: "button", class: "thumb", onclick: () => {
        if (app.look?.has(attention, layer)) open(attention, layer, head);
        else app.set({attention, layer});
      }}, picture, caption);
      const lever = el("button", {
        type: "button",
        class: "switch",
        role: "switch",
        "aria-label": `${title}, layer ${layer + 1}, head ${head + 1} takes part in the computation`,
        onclick: () => toggleOff(app, attention, layer, head)
      });
      tiles.push({layer, head, picture, caption, button, lever});
      table.append(el("div", {class: "tile"}, button, lever));
    }
  }
  let drawn = {};

  function walk(event) {
    const at = tiles.findIndex(({button}) => button === document.activeElement);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + heads, ArrowUp: at - heads}[event.key];
    if (at < 0 || to === undefined || !tiles[to]) return;
    event.preventDefault();
    tiles[to].button.focus();
  }

  function draw({layer, head, picture, caption, button}) {
    const there = app.look.has(attention, layer);
    picture.replaceChildren(
      ...(there ? [heat(pooled(app.look.weights(attention, layer, head), 160), hues(head))] : []));
    const entropy = there ? number(app.look.entropy(attention, layer, head), 2) : "–";
    caption.replaceChildren(el("b", {}, String(head + 1)), ` ${entropy}`);
    button.setAttribute("aria-label",
      `Enlarge ${title}, layer ${layer + 1}, head ${head + 1}, mean entropy ${entropy} bits`);
  }

  return {
    element,
    site,
    update() {
      const now =
        {look: app.look, merged: app.look.merged, dark: darkTheme(), layers: app.look.shape(attention).which.length};
      const same = Object.keys(now).every((name) => drawn[name] === now[name]);
      drawn = now;
      for (const tile of tiles) {
        if (!same) draw(tile);
        const off = isOff(app.state, attention, tile.layer, tile.head);
        tile.button.classList.toggle("off", off);
        tile.lever.hidden = app.offline || app.model?.heads_can_be_switched === false;
        tile.lever.setAttribute("aria-checked", String(!off));
      }
    }
  };
}

// The dialog with one head; arrows go to its neighbours.
function enlargement(app) {
  const title = el("h2", {id: "enlarged-title"});
  const facts = el("p", {class: "note"});
  const place = el("div", {class: "matrix-place"});
  const close = el("button", {type: "button", class: "quiet", onclick: () => element.close()}, "Close");
  const off = el("button", {type: "button", onclick: () => toggleOff(app, app.state.attention, at.layer, at.head)});
  const go = (tab) => {
    element.close();
    app.set({tab, layer: at.layer, head: at.head, ...(tab === "heads" ? {heads: new Set([at.head])} : {})});
  };
  const step = (layers, heads) => {
    const shape = app.site();
    at.layer = (at.layer + layers + shape.layers) % shape.layers;
    at.head = (at.head + heads + shape.heads) % shape.heads;
    update();
  };
  const button = (text, act, label) => el("button", {type: "button", onclick: act, "aria-label": label}, text);
  const element = el("dialog", {class: "enlarged", "aria-labelledby": "enlarged-title"},
    el("div", {class: "dialog-head"}, title, close), facts,
    el("div", {class: "bar"}, button("‹ Head", () => step(0, -1), "Head before"),
      button("Head ›", () => step(0, 1), "Next head"), button("‹ Layer", () => step(-1, 0), "Layer before"),
      button("Layer ›", () => step(1, 0), "Next layer"), button("Matrix", () => go("matrix"), "Show in Matrix"),
      button("Lines", () => go("heads"), "Show alone in Heads"), off),
    place);
  const at = {layer: 0, head: 0};
  const panel = cells(place, {
    get: () => {
      const {attention, query, key} = app.state;
      if (!element.open || !app.look?.has(attention, at.layer)) return null;
      return {
        matrix: app.look.weights(attention, at.layer, at.head),
        ...app.look.tokens(attention),
        head: at.head,
        query,
        key,
        title: title.textContent,
        masked: (i, j) => app.look.masked(attention, i, j)
      };
    },
    select: (query, key) => app.set({query, key}),
    most: 42,
  });
  function update() {
    if (!element.open || !app.look) return;
    const {attention} = app.state;
    title.textContent = `${app.site().title}, layer ${at.layer + 1}, head ${at.head + 1}`;
    const {entropy, distance, peak} = app.look.statistics(attention, at.layer, at.head);
    facts.textContent = `Mean entropy ${number(entropy, 2)} bits · mean distance ${
      number(distance, 1)} · mean largest weight ${number(peak, 2)}`;
    off.hidden = app.offline;
    off.textContent = isOff(app.state, attention, at.layer, at.head) ? "Switch on" : "Switch off";
    panel.update();
  }
  return {element, update, destroy: () => panel.destroy(), open(attention, layer, head) {
    Object.assign(at, {layer, head});
    app.set({attention});
    element.showModal();
    update();
  }};
}

function gridSvg(app) {
  const {name: attention, title, layers, heads} = app.site();
  const [size, gap] = [120, 24];
  const [width, height] = [40 + heads * (size + gap), 40 + layers * (size + gap + 10)];
  const tiles = [];
  for (let layer = 0; layer < layers; ++layer) {
    for (let head = 0; head < heads; ++head) {
      const [x, y] = [40 + head * (size + gap), 40 + layer * (size + gap + 10)];
      if (app.look.has(attention, layer)) {
        tiles.push(svg("image", {
          x,
          y,
          width: size,
          height: size,
          preserveAspectRatio: "none",
          style: "image-rendering:pixelated",
          href: heat(pooled(app.look.weights(attention, layer, head), 160), hues(head)).toDataURL()
        }));
      }
      tiles.push(svg("rect", {x, y, width: size, height: size, fill: "none", stroke: colour("--line")}),
        svg("text", {x, y: y + size + 14, "font-size": 12, fill: colour("--soft")}, `${layer + 1}.${head + 1}`));
    }
  }
  return sheet(width, height,
    svg("text", {x: 8, y: 20, "font-size": 13, fill: colour("--soft")}, title), ...tiles);
}
