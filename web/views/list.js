// The views in the order of their tabs.
//
// A view is a class View in views/NAME/view.js: new View(root, app) adds its elements to `root`; update() shows the
// current state; the optional svg() gives a picture for export, or null if there is nothing to draw; the optional
// destroy() ends timers and observers.

import {followsEquationOne, hasPositions} from "../core/sites.js";
import {about, title} from "../strings/views.js";

const hasAttention = ({withoutAttention}) => !withoutAttention;
const headsOf = ({sites}) => sites.reduce((sum, {layers, heads}) => sum + layers * heads, 0);
const hasSeveralHeads = (app) => hasAttention(app) && headsOf(app) !== 1;
// Whether the texts on layers and equations of the paper fit the model.
const followsPaper = ({model, sites}) => !model || sites.some(followsEquationOne);

/**
 * `about` says what a view shows; it is a text, or a function of the App. A line separates the tabs of different
 * groups. Views are left out if needs(app) is false, because the model lacks what they show; those with `ofModel` do
 * not depend on the sentence.
 */
export const views = [
  {
    name: "heads", title: title.heads, group: "Attention", load: () => import("./heads/view.js"),
    about: about.heads, needs: hasAttention,
  },
  {
    name: "grid", title: title.grid, group: "Attention", load: () => import("./grid/view.js"),
    about: about.grid, needs: hasSeveralHeads,
  },
  {
    name: "matrix", title: title.matrix, group: "Attention", load: () => import("./matrix/view.js"),
    about: about.matrix, needs: hasAttention,
  },
  {
    name: "why", title: title.why, group: "Attention", load: () => import("./why/view.js"),
    about: (app) => (followsPaper(app) ? about.why : about.whyOwnScore), needs: hasAttention,
  },
  {
    name: "ranking", title: title.ranking, group: "Attention", load: () => import("./ranking/view.js"),
    about: about.ranking, needs: hasSeveralHeads,
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
    about: (app) => (followsPaper(app) ? about.words : about.wordsOnly),
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
    name: "depth", title: title.depth, group: "Decoding", load: () => import("./depth/view.js"),
    about: about.depth, needs: ({model}) => Boolean(model?.halts),
  },
  {
    name: "positions", title: title.positions, group: "Model", ofModel: true, load: () => import("./positions/view.js"),
    about: about.positions, needs: ({model}) => !model || hasPositions(model),
  },
  {
    name: "film", title: title.film, group: "Model", ofModel: true, load: () => import("./film/view.js"),
    about: about.film,
  },
];

/** This view is shown if the chosen one is left out. */
export const fallbackView = "beam";
