// The views in the order of their tabs.
//
// A view is a class View in views/NAME/view.js: new View(root, app) adds its elements to `root`; update() shows the
// current state; the optional svg() gives a picture for export, or null if there is nothing to draw; the optional
// destroy() ends timers and observers.

import {about, title} from "../strings/views.js";

/**
 * `about` says what a view shows. A line separates the tabs of different groups. Views with `attention` are left out if
 * the model has no attention; those with `ofModel` do not depend on the sentence.
 */
export const views = [
  {
    name: "heads", title: title.heads, group: "Attention", attention: true, load: () => import("./heads/view.js"),
    about: about.heads,
  },
  {
    name: "grid", title: title.grid, group: "Attention", attention: true, load: () => import("./grid/view.js"),
    about: about.grid,
  },
  {
    name: "matrix", title: title.matrix, group: "Attention", attention: true, load: () => import("./matrix/view.js"),
    about: about.matrix,
  },
  {
    name: "why", title: title.why, group: "Attention", attention: true, load: () => import("./why/view.js"),
    about: about.why,
  },
  {
    name: "ranking", title: title.ranking, group: "Attention", attention: true, load: () => import("./ranking/view.js"),
    about: about.ranking,
  },
  {
    name: "whatif", title: title.whatif, group: "Experiments", load: () => import("./whatif/view.js"),
    about: about.whatif,
  },
  {
    name: "compare", title: title.compare, group: "Experiments", load: () => import("./compare/view.js"),
    about: about.compare,
  },
  {
    name: "words", title: title.words, group: "Decoding", load: () => import("./words/view.js"),
    about: about.words,
  },
  {
    name: "beam", title: title.beam, group: "Decoding", load: () => import("./beam/view.js"),
    about: about.beam,
  },
  {
    name: "play", title: title.play, group: "Decoding", load: () => import("./play/view.js"),
    about: about.play,
  },
  {
    name: "positions", title: title.positions, group: "Model", ofModel: true, load: () => import("./positions/view.js"),
    about: about.positions,
  },
  {
    name: "film", title: title.film, group: "Model", ofModel: true, load: () => import("./film/view.js"),
    about: about.film,
  },
];

/** This view is shown if the chosen one is left out. */
export const fallbackView = "beam";
