// The views in the order of their tabs.
//
// A view is a class View in views/NAME/view.js: new View(root, app) adds its elements to `root`; update() shows the
// current state; the optional svg() gives a picture for export, or null if there is nothing to draw; the optional
// destroy() ends timers and observers.

/** A line separates the tabs of different groups. Views with `attention` are left out if the model has no attention. */
export const views = [
  {name: "heads", title: "Heads", group: "Attention", attention: true, load: () => import("./heads/view.js")},
  {name: "grid", title: "Grid", group: "Attention", attention: true, load: () => import("./grid/view.js")},
  {name: "matrix", title: "Matrix", group: "Attention", attention: true, load: () => import("./matrix/view.js")},
  {name: "why", title: "Why", group: "Attention", attention: true, load: () => import("./why/view.js")},
  {name: "ranking", title: "Ranking", group: "Attention", attention: true, load: () => import("./ranking/view.js")},
  {name: "whatif", title: "What if", group: "Experiments", load: () => import("./whatif/view.js")},
  {name: "compare", title: "Compare", group: "Experiments", load: () => import("./compare/view.js")},
  {name: "beam", title: "Beam", group: "Decoding", load: () => import("./beam/view.js")},
  {name: "play", title: "Play", group: "Decoding", attention: true, load: () => import("./play/view.js")},
  {name: "positions", title: "Positions", group: "Model", load: () => import("./positions/view.js")},
  {name: "film", title: "Training", group: "Model", load: () => import("./film/view.js")},
];

/** This view is shown if the chosen one is left out. */
export const fallbackView = "beam";
