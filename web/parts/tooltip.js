// One tooltip for the whole page. It repeats what a focused element says by its label, so it is hidden from screen
// readers.

import {el} from "./elements.js";

let tooltip = null;

/** Shows the tooltip near a point of the window. */
export function showTooltip(x, y, ...content) {
  if (!tooltip) document.body.append(tooltip = el("div", {class: "tip", "aria-hidden": "true"}));
  tooltip.replaceChildren(...content);
  tooltip.hidden = false;
  const {width, height} = tooltip.getBoundingClientRect();
  const left = Math.min(Math.max(4, x + 14), innerWidth - width - 4);
  const above = y + 18 + height > innerHeight - 4;
  tooltip.style.transform = `translate(${Math.round(left)}px,${Math.round(above ? y - height - 10 : y + 18)}px)`;
}

export function hideTooltip() {
  if (tooltip) tooltip.hidden = true;
}
