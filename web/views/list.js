// The views in the order of their tabs.
//
// A view is a class View in views/NAME/view.js: new View(root, app) adds its elements to `root`; update() shows the
// current state; the optional svg() gives a picture for export, or null if there is nothing to draw; the optional
// destroy() ends timers and observers.

/**
 * `about` says what a view shows. A line separates the tabs of different groups. Views with `attention` are left out if
 * the model has no attention; those with `ofModel` do not depend on the sentence.
 */
export const views = [
  {
    name: "heads", title: "Heads", group: "Attention", attention: true, load: () => import("./heads/view.js"),
    about: "Which words each word looked at. Each colour is one head, and stronger lines are larger weights.",
  },
  {
    name: "grid", title: "Grid", group: "Attention", attention: true, load: () => import("./grid/view.js"),
    about: "All heads of all layers at a glance.",
  },
  {
    name: "matrix", title: "Matrix", group: "Attention", attention: true, load: () => import("./matrix/view.js"),
    about: "One head, with every weight as a number.",
  },
  {
    name: "why", title: "Why", group: "Attention", attention: true, load: () => import("./why/view.js"),
    about: "How one weight comes about: the paper's equation (1) with the numbers of your sentence.",
  },
  {
    name: "ranking", title: "Ranking", group: "Attention", attention: true, load: () => import("./ranking/view.js"),
    about: "What each head mostly does with your sentence.",
  },
  {
    name: "whatif", title: "What if", group: "Experiments", load: () => import("./whatif/view.js"),
    about: "Change the model or the search, and see what becomes of the translation.",
  },
  {
    name: "compare", title: "Compare", group: "Experiments", load: () => import("./compare/view.js"),
    about: "Two sentences, or two models, side by side: what changes?",
  },
  {
    name: "words", title: "Next word", group: "Decoding", load: () => import("./words/view.js"),
    about: "Which words the model considered at each position, and what each layer would have said.",
  },
  {
    name: "beam", title: "Beam", group: "Decoding", load: () => import("./beam/view.js"),
    about: "How the search found the translation: every candidate, and why it was kept or dropped.",
  },
  {
    name: "play", title: "Play", group: "Decoding", attention: true, load: () => import("./play/view.js"),
    about: "The translation as it happens, layer by layer and word by word.",
  },
  {
    name: "positions", title: "Positions", group: "Model", ofModel: true, load: () => import("./positions/view.js"),
    about: "How the model knows where in the sentence a word stands.",
  },
  {
    name: "film", title: "Training", group: "Model", ofModel: true, load: () => import("./film/view.js"),
    about: "How the model learned: its attention and its translations at each checkpoint of the training.",
  },
];

/** This view is shown if the chosen one is left out. */
export const fallbackView = "beam";
