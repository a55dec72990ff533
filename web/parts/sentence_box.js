// The sentence box and, beside it, the translation as it arrives: its text, its score, the best hypotheses, and the
// translation that "What if" has changed.

import {offlineNote} from "../core/api.js";
import {number, signed} from "../core/format.js";
import {changesOf, isChanged} from "../core/requests.js";
import {el} from "./elements.js";
import {markedWords} from "./marked_words.js";

const slow = 1500;  // milliseconds; a slower model translates on Enter instead of while the user types

export class SentenceBox {
  #app;
  #timer = 0;
  #taken;             // the state's sentence as last written to the input or read from it
  #shownBest = null;  // the sentence whose hypotheses are listed

  constructor(root, app) {
    this.#app = app;
    this.#taken = app.state.sentence;
    root.append(this.#sourceSide(), this.#targetSide());
  }

  update() {
    const {input} = this;
    if (this.#app.state.sentence !== this.#taken) input.value = this.#taken = this.#app.state.sentence;
    this.#updateLanguages();
    this.#updateInputs();
    this.#showTranslation();
    this.#showChanged();
    input.rows = Math.min(5, Math.max(2, Math.ceil(input.value.length / 60)));
  }

  #sourceSide() {
    this.input = el("textarea", {id: "sentence", dir: "auto", rows: 2, spellcheck: "false",
      autocapitalize: "sentences", placeholder: "Type a sentence", value: this.#taken,
      oninput: () => this.#onInput(), onkeydown: (event) => this.#onKey(event)});
    this.pair = el("select", {id: "pair", "aria-label": "Languages",
      onchange: () => this.#app.choosePair(...this.pair.value.split(" "))});
    this.sourceName = el("span", {class: "language"});
    this.known = el("select", {id: "known", "aria-label": "Sentences of this file",
      onchange: () => this.#choose(this.known.value)});
    const label = el("label", {for: "sentence", class: "language"}, this.sourceName);
    return el("div", {class: "side"},
      el("div", {class: "side-head"}, label, this.pair, this.known), this.input, this.#keyRow());
  }

  #keyRow() {
    const {api} = this.#app;
    const connect = async () => {
      await this.#app.connect();
      this.#app.set({});
    };
    const key = el("input", {id: "key", type: "password", autocomplete: "off",
      oninput: () => { api.key = key.value; }, onchange: connect});
    return this.keyRow = el("form", {class: "key", onsubmit: (event) => event.preventDefault()},
      el("label", {for: "key"}, "API key"), key);
  }

  #targetSide() {
    this.targetName = el("h2", {class: "language"});
    this.facts = el("p", {class: "facts"});
    this.translation = el("div", {class: "translation", id: "translation", dir: "auto"});
    this.changed = el("div", {class: "changed-translation", hidden: true});
    this.best = el("details", {class: "best"});
    return el("div", {class: "side"},
      el("div", {class: "side-head"}, this.targetName, this.facts), this.translation, this.changed, this.best);
  }

  #onInput() {
    clearTimeout(this.#timer);
    const took = this.#app.requests.plain.result?.milliseconds ?? 0;
    if (took > slow) {
      this.facts.replaceChildren("Press Enter to translate");
      return;
    }
    this.#timer = setTimeout(() => this.#choose(this.input.value), took > 400 ? 500 : 180);
  }

  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    clearTimeout(this.#timer);
    this.#choose(this.input.value);
  }

  #choose(sentence) {
    this.#app.failure = null;
    this.#taken = sentence;
    this.#app.set({sentence, part: 0});
  }

  #updateLanguages() {
    const {languages, state: {source, target}} = this.#app;
    const nameOf = (code) => languages.find((language) => language.code === code)?.name ?? code;
    const pairs = languages.flatMap(({code, name, targets}) => (
      targets.map((to) => ({code, name, target: to, targetName: nameOf(to)}))));
    const now = pairs.find((entry) => entry.code === source && entry.target === target);
    this.sourceName.textContent = now?.name ?? "Sentence";
    this.targetName.textContent = now?.targetName ?? "Translation";
    this.input.lang = source;
    this.translation.lang = this.changed.lang = target;
    this.pair.hidden = pairs.length < 2;
    if (this.pair.options.length !== pairs.length) {
      this.pair.replaceChildren(...pairs.map((entry) => el("option", {value: `${entry.code} ${entry.target}`},
        `${entry.name} to ${entry.targetName}`)));
    }
    this.pair.value = `${source} ${target}`;
  }

  #updateInputs() {
    const {offline, api, settings, state} = this.#app;
    this.known.hidden = !offline || api.sentences.length < 2;
    if (offline && !this.known.options.length) {
      this.known.append(...api.sentences.map((sentence) => el("option", {value: sentence}, sentence)));
    }
    this.known.value = state.sentence;
    this.keyRow.hidden = !settings.keyRequired;
    this.input.readOnly = offline;
    this.input.title = offline ? offlineNote : "";
  }

  #showTranslation() {
    const {plain} = this.#app.requests;
    const {result} = plain;
    this.translation.classList.toggle("busy", plain.busy);
    if (plain.text !== null) this.translation.replaceChildren(plain.text);
    else if (result?.answer) this.translation.replaceChildren(...this.#sentenceButtons(result));
    else if (!plain.busy) this.translation.replaceChildren();
    const sentence = result?.sentences[this.#app.part];
    this.facts.replaceChildren(...(sentence && !plain.busy ? this.#scoreFacts(sentence, result) : []));
    if (sentence !== this.#shownBest) this.#showBest(this.#shownBest = sentence);
  }

  // The translation. If the text has several sentences, each is a button that shows it in the views.
  #sentenceButtons({sentences, answer}) {
    if (sentences.length < 2) return [answer.translations[0]?.text ?? ""];
    const {part} = this.#app;
    return sentences.flatMap(({text, source}, i) => [el("button", {
      type: "button", class: "part", title: source, "aria-pressed": String(i === part),
      onclick: () => this.#app.set({part: i, query: null, key: null}),
    }, text), " "]);
  }

  #scoreFacts(sentence, {milliseconds}) {
    const facts = [
      el("span", {title: "log-probability divided by the length norm: what the search maximises"},
        `score ${number(sentence.score)}`),
      el("span", {title: "natural logarithm of the translation's probability"},
        `log p ${number(sentence.log_probability)}`),
    ];
    if (!sentence.finished) facts.unshift(el("span", {class: "warning"}, "cut short"));
    if (!this.#app.offline) {
      facts.push(el("span", {title: "from the request to the complete answer"}, `${Math.round(milliseconds)} ms`));
    }
    return facts;
  }

  // The list of the best hypotheses.
  #showBest(sentence) {
    const list = sentence?.hypotheses ?? [];
    this.best.hidden = list.length < 2;
    if (this.best.hidden) return;
    const title = (text, kind) => el("th", {scope: "col", class: kind}, text);
    this.best.replaceChildren(el("summary", {}, `${list.length} best`),
      el("table", {},
        el("thead", {}, el("tr", {},
          title("Translation"), title("Score", "figure"), title("log p", "figure"), el("td", {}))),
        el("tbody", {}, ...list.map((hypothesis, i) => this.#hypothesisRow(hypothesis, i, list[0].text)))));
  }

  #hypothesisRow({text, score, log_probability, finished}, i, bestText) {
    const look = el("button", {
      type: "button", class: "quiet small", "aria-label": `Look at translation ${i + 1}`,
      title: "Make the model write this translation, to see its attention",
      onclick: () => this.#app.set({prefix: text, show: "changed"}),
    }, "Look");
    return el("tr", {},
      el("td", {lang: this.#app.state.target},
        ...(i ? markedWords(bestText, text) : [text]), finished ? null : " (cut short)"),
      el("td", {class: "figure"}, number(score)),
      el("td", {class: "figure"}, number(log_probability)),
      el("td", {class: "figure"}, i && !this.#app.offline ? look : null));
  }

  // The changed translation. It is hidden in "What if", which shows more of it.
  #showChanged() {
    const {state, requests, part} = this.#app;
    const box = this.changed;
    box.hidden = !isChanged(state) || state.tab === "whatif";
    if (box.hidden) return;
    const [now, before] = [requests.changed, requests.plain].map(({result}) => result?.sentences[part]);
    box.classList.toggle("busy", requests.changed.busy);
    box.hidden = !now || !before;
    if (box.hidden) return;
    const reasons = changesInWords(state);
    const logChange = now.log_probability - before.log_probability;
    box.replaceChildren(
      el("div", {class: "what-head"}, el("span", {class: "language"}, "What if"),
        el("span", {class: "reasons", title: reasons}, reasons),
        el("button", {type: "button", class: "quiet small", onclick: () => this.#app.reset()}, "Undo all")),
      el("div", {class: "translation"}, ...markedWords(before.text, now.text)),
      el("p", {class: "facts"}, el("span", {}, now.text === before.text ? "the same text" : "another text"),
        el("span", {}, `score ${number(now.score)} (${signed(now.score - before.score)})`),
        el("span", {}, `log p ${number(now.log_probability)} (${signed(logChange)})`)));
  }
}

// The changes made in "What if", as text.
function changesInWords(state) {
  const {heads_off: off, ...search} = changesOf(state);
  const words = [];
  if (off) {
    const list = off.map(({attention, layer, head}) => `${attention} ${layer}.${head}`);
    words.push(`off: ${list.length > 6 ? `${list.length} heads` : list.join(", ")}`);
  }
  for (const [name, value] of Object.entries(search)) {
    words.push(`${name.replace("_", "-")} ${name === "prefix" ? `“${value}”` : value}`);
  }
  return words.join("; ");
}
