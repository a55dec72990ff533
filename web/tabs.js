// The views by name, the row of tabs, and the panel in which one of them is at a time.
import {el} from "dragoman/draw.js";
import {noAttention} from "dragoman/sites.js";

// Where a view is found, and what its tab says; groups are set apart. Views of attention have no tab where the model
// has none.
const registry = [
  {name: "heads", file: "heads.js", view: "headsView", title: "Heads", group: "Attention", attention: true},
  {name: "grid", file: "grid.js", view: "gridView", title: "Grid", group: "Attention", attention: true},
  {name: "matrix", file: "matrix.js", view: "matrixView", title: "Matrix", group: "Attention", attention: true},
  {name: "why", file: "why.js", view: "whyView", title: "Why", group: "Attention", attention: true},
  {name: "ranking", file: "ranking.js", view: "rankingView", title: "Ranking", group: "Attention", attention: true},
  {name: "whatif", file: "whatif.js", view: "whatifView", title: "What if", group: "Experiments"},
  {name: "compare", file: "compare.js", view: "compareView", title: "Compare", group: "Experiments"},
  {name: "beam", file: "beam.js", view: "beamView", title: "Beam", group: "Decoding"},
  {name: "play", file: "play.js", view: "playView", title: "Play", group: "Decoding", attention: true},
  {name: "positions", file: "positions.js", view: "positionsView", title: "Positions", group: "Model"},
  {name: "film", file: "film.js", view: "filmView", title: "Training", group: "Model"},
];

export const viewNames = registry.map(({name}) => name);

export function tabs(list, panel, app) {
  let shown = null;  // {entry, view}
  const buttons = registry.map(({name, title}) => el("button", {
    role: "tab",
    id: `tab-${name}`,
    type: "button",
    "aria-controls": panel.id,
    "data-tab": name,
    onclick: () => app.set({tab: name}),
  },
                                 title));
  const row = el("div", {role: "tablist", "aria-label": "Views", onkeydown: move});
  const gaps = [];
  registry.forEach(({group}, i) => {
    if (i > 0 && group !== registry[i - 1].group) {
      gaps.push({element: el("span", {class: "gap", "aria-hidden": "true"}), before: buttons.slice(0, i)});
      row.append(gaps.at(-1).element);
    }
    row.append(buttons[i]);
  });
  list.append(row);
  const note = el("p", {class: "note", hidden: true}, noAttention);
  panel.before(note);

  const offered = ({attention}) => !(attention && app.withoutAttention);
  // The view of that name, or of what the model has.
  function entryOf(name) {
    const entry = registry.find((candidate) => candidate.name === name) ?? registry[0];
    return offered(entry) ? entry : registry.find((candidate) => candidate.name === "beam");
  }

  function showTabs() {
    note.hidden = !app.withoutAttention;
    registry.forEach((entry, i) => { buttons[i].hidden = !offered(entry); });
    for (const {element, before} of gaps) element.hidden = before.every((button) => button.hidden);
  }

  function move(event) {
    const there = buttons.filter((button) => !button.hidden);
    const at = there.indexOf(document.activeElement);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: there.length - 1}[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const button = there[(to + there.length) % there.length];
    button.focus();
    button.click();
  }

  async function open(entry) {
    shown?.view?.destroy?.();
    const mine = shown = {entry, view: null};
    panel.replaceChildren();
    panel.dataset.view = entry.name;
    panel.setAttribute("aria-labelledby", `tab-${entry.name}`);
    registry.forEach((candidate, i) => {
      const is = candidate === entry;
      buttons[i].setAttribute("aria-selected", String(is));
      buttons[i].tabIndex = is ? 0 : -1;
      if (is) buttons[i].scrollIntoView({block: "nearest", inline: "nearest"});
    });
    let module;
    try {
      module = await import(`dragoman/${entry.file}`);
    } catch (error) {
      if (shown === mine)
        panel.append(el("p", {class: "empty"}, `The view “${entry.title}” could not be loaded: ${error.message}`));
      console.error(error);
      return;
    }
    if (shown !== mine) return;
    mine.view = module[entry.view](panel, app);
    mine.view.update();
  }

  return {
    update() {
      showTabs();
      const entry = entryOf(app.state.tab);
      if (shown?.entry !== entry) open(entry);
      else shown.view?.update();
    },
    get view() { return shown?.view ?? null; },
    get name() { return shown?.entry.name; },
  };
}
