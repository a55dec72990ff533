// Boards: layers by heads of each attention, one button each, for switching heads and for showing how much each of them
// matters.
import {el} from "dragoman/draw.js";

/**
 * `tell(attention, layer, head)` gives {text, shade (0 to 1), out, chosen, other, label, title} of a button, `act` is
 * called with the same when it is pressed. Returns {element, update()}.
 */
export function boards(app, {tell, act, wide = false}) {
  const element = el("div", {class: "boards"});
  let buttons = [];
  let built = "";

  function build() {
    buttons = [];
    element.replaceChildren(...app.sites.map(({name: attention, title, layers, heads}) => {
      const board = el("div", {
        class: wide ? "board wide" : "board",
        role: "group",
        "aria-label": title,
        style: {"--heads": String(heads)},
        onkeydown: (event) => walk(event, attention, heads)
      },
        el("h4", {}, title));
      for (let layer = 0; layer < layers; ++layer) {
        board.append(el("span", {class: "layer", "aria-hidden": "true"}, String(layer + 1)));
        for (let head = 0; head < heads; ++head) {
          const button = el("button", {type: "button", onclick: () => act(attention, layer, head)});
          buttons.push({attention, layer, head, button, place: `${title}, layer ${layer + 1}, head ${head + 1}`});
          board.append(button);
        }
      }
      return board;
    }));
  }

  function walk(event, attention, heads) {
    const own = buttons.filter((entry) => entry.attention === attention).map(({button}) => button);
    const at = own.indexOf(document.activeElement);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + heads, ArrowUp: at - heads}[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    own[to]?.focus();
  }

  return {element, update() {
    const shape = JSON.stringify(app.sites);
    if (shape !== built) {
      built = shape;
      build();
    }
    for (const {attention, layer, head, button, place} of buttons) {
      const {text, shade = 0, out = false, chosen = false, other = false, label, title} = tell(attention, layer, head);
      button.textContent = text;
      button.className = [out ? "out" : "lit", chosen ? "chosen" : "", other ? "other-text" : ""].join(" ").trim();
      button.style.setProperty("--shade", Math.min(1, shade).toFixed(3));
      button.setAttribute("aria-pressed", String(chosen));
      button.setAttribute("aria-label", `${place}: ${label ?? text}`);
      button.title = title ?? "";
    }
  }};
}
