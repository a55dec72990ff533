// The sentence box and, beside it, the translation as it comes: text, score, the n best, and what "what if" changed.
import {offlineSentence} from "dragoman/api.js";
import {el, number, signed} from "dragoman/draw.js";
import {changesOf, isChanged} from "dragoman/flow.js";
import {common} from "dragoman/look.js";

export function sentenceBox(root, app) {
  const input = el("textarea", {id: "sentence", dir: "auto", rows: 2, spellcheck: "false", autocapitalize: "sentences",
    placeholder: "Type a sentence", value: app.state.sentence, oninput: typed, onkeydown: keys});
  const pair = el(
    "select", {id: "pair", "aria-label": "Languages", onchange: () => app.choosePair(...pair.value.split(" "))});
  const pairLabel = el("span", {class: "language"});
  const key = el("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    oninput: () => {
      app.api.key = key.value;
    },
    onchange: async () => {
      await app.connect();
      app.set({});
    }
  });
  const keyRow = el("form", {class: "key", onsubmit: (event) => event.preventDefault()}, el("label", {for: "key"
  }, "API key"), key);
  const known = el(
    "select", {id: "known", "aria-label": "Sentences of this file", onchange: () => choose(known.value)});
  const translation = el("div", {class: "translation", id: "translation", dir: "auto"});
  const facts = el("p", {class: "facts"});
  const what = el("div", {class: "changed-translation", hidden: true});
  const best = el("details", {class: "best"});
  const targetName = el("h2", {class: "language"});

  const label = el("label", {for: "sentence", class: "language"}, pairLabel);
  root.append(
    el("div", {class: "side"}, el("div", {class: "side-head"}, label, pair, known), input, keyRow),
    el("div", {class: "side"}, el("div", {class: "side-head"}, targetName, facts), translation, what, best));

  let timer = 0;
  let taken = app.state.sentence;
  let shownBest = null;

  function typed() {
    clearTimeout(timer);
    const took = app.flow.plain.result?.took ?? 0;
    if (took > 1500) {  // a slow model waits for Enter
      facts.replaceChildren("Enter translates");
      return;
    }
    timer = setTimeout(() => choose(input.value), took > 400 ? 500 : 180);
  }
  function keys(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    clearTimeout(timer);
    choose(input.value);
  }
  function choose(sentence) {
    app.failure = null;
    taken = sentence;
    app.set({sentence, look: 0});
  }

  function languages() {
    const pairs = app.languages.flatMap(({code, name, targets}) => targets.map((target) => ({code, name, target,
      targetName: app.languages.find((language) => language.code === target)?.name ?? target})));
    const {source, target} = app.state;
    const now = pairs.find((entry) => entry.code === source && entry.target === target);
    pairLabel.textContent = now?.name ?? "Sentence";
    targetName.textContent = now?.targetName ?? "Translation";
    input.lang = source;
    translation.lang = what.lang = target;
    pair.hidden = pairs.length < 2;
    if (pair.options.length !== pairs.length) {
      pair.replaceChildren(...pairs.map((entry) => el("option", {value: `${entry.code} ${entry.target}`},
        `${entry.name} to ${entry.targetName}`)));
    }
    pair.value = `${source} ${target}`;
    known.hidden = !app.offline || app.api.sentences.length < 2;
    if (app.offline && !known.options.length) {
      known.append(...app.api.sentences.map((sentence) => el("option", {value: sentence}, sentence)));
    }
    known.value = app.state.sentence;
    keyRow.hidden = !app.settings.keyRequired;
    input.readOnly = app.offline;
    input.title = app.offline ? offlineSentence : "";
  }

  function parts(result) {
    if (result.sentences.length < 2) return [result.answer.translations[0]?.text ?? ""];
    return result.sentences.flatMap(({text, source}, i) => [el("button", {type: "button", class: "part", title: source,
      "aria-pressed": String(i === app.part), onclick: () => app.set({look: i, query: null, key: null})}, text), " "]);
  }

  function showTranslation() {
    const {plain} = app.flow;
    const {result} = plain;
    translation.classList.toggle("busy", plain.busy);
    if (plain.text !== null) translation.replaceChildren(plain.text);
    else if (result?.answer) translation.replaceChildren(...parts(result));
    else if (!plain.busy) translation.replaceChildren();
    const sentence = result?.sentences[app.part];
    facts.replaceChildren(...(sentence && !plain.busy ? scoreFacts(sentence, result) : []));
    if (sentence !== shownBest) showBest(shownBest = sentence);
  }

  function scoreFacts(sentence, result) {
    const told = [
      el("span", {title: "log-probability divided by the length norm: what the search maximises"},
        `score ${number(sentence.score)}`),
      el("span", {title: "natural logarithm of the translation's probability"},
        `log p ${number(sentence.log_probability)}`),
      app.offline ? null : el("span", {title: "from the request to its whole answer"}, `${Math.round(result.took)} ms`)
    ].filter(Boolean);
    if (!sentence.finished) told.unshift(el("span", {class: "warning"}, "cut short"));
    return told;
  }

  function showBest(sentence) {
    const list = sentence?.hypotheses ?? [];
    best.hidden = list.length < 2;
    if (best.hidden) return;
    best.replaceChildren(el("summary", {}, `${list.length} best`),
      el("table", {},
        el("thead", {},
          el("tr", {}, el("th", {scope: "col"}, "Translation"), el("th", {scope: "col", class: "figure"}, "Score"),
            el("th", {scope: "col", class: "figure"}, "log p"), el("td", {}))),
        el("tbody", {},
          ...list.map(({text, score, log_probability, finished}, i) => el("tr", {},
                        el("td", {lang: app.state.target}, ...(i ? differing(list[0].text, text) : [text]),
                          finished ? null : " (cut short)"),
                        el("td", {class: "figure"}, number(score)),
                        el("td", {class: "figure"}, number(log_probability)),
                        el("td", {class: "figure"},
                          i && !app.offline
                            ? el("button", {
                                type: "button",
                                class: "quiet small",
                                "aria-label": `Look at translation ${i + 1}`,
                                title: "Force this translation, and see its attention",
                                onclick: () => app.set({prefix: text, show: "changed"})
                              },
                                "Look")
                            : null))))));
  }

  function showChanged() {
    what.hidden = !isChanged(app.state) || app.state.tab === "whatif";  // that view shows more of it
    if (what.hidden) return;
    const {changed, plain} = app.flow;
    const [now, before] = [changed.result?.sentences[app.part], plain.result?.sentences[app.part]];
    what.classList.toggle("busy", changed.busy);
    what.hidden = !now || !before;
    if (what.hidden) return;
    const same = now.text === before.text;
    what.replaceChildren(
      el("div", {class: "what-head"}, el("span", {class: "language"}, "What if"),
        el("span", {class: "reasons", title: reasons(app.state)}, reasons(app.state)),
        el("button", {type: "button", class: "quiet small", onclick: () => app.reset()}, "Undo all")),
      el("div", {class: "translation"}, ...differing(before.text, now.text)),
      el("p", {class: "facts"}, el("span", {}, same ? "the same text" : "another text"),
        el("span", {}, `score ${number(now.score)} (${signed(now.score - before.score)})`),
        el("span", {},
          `log p ${number(now.log_probability)} (${signed(now.log_probability - before.log_probability)})`)));
  }

  return {update() {
    if (app.state.sentence !== taken) input.value = taken = app.state.sentence;  // what is being typed stays
    languages();
    showTranslation();
    showChanged();
    input.rows = Math.min(5, Math.max(2, Math.ceil(input.value.length / 60)));
  }};
}

/** Words of `text`, those marked that `other` does not have in this place. */
export function differing(other, text) {
  const [before, now] = [other.split(" "), text.split(" ")];
  const kept = new Set(common(before, now).map(([, j]) => j));
  return now.flatMap((word, j) => [j ? " " : "", kept.has(j) ? word : el("mark", {}, word)]);
}

/** What is changed, in words. */
export function reasons(state) {
  const {heads_off: off, ...search} = changesOf(state);
  const told = [];
  if (off) {
    const list = off.map(({attention, layer, head}) => `${attention} ${layer}.${head}`);
    told.push(`off: ${list.length > 6 ? `${list.length} heads` : list.join(", ")}`);
  }
  for (const [name, value] of Object.entries(search))
    told.push(`${name.replace("_", "-")} ${name === "prefix" ? `“${value}”` : value}`);
  return told.join("; ");
}
