// Ranking: all heads of the model by how far they look and at how many words, and the role of each over many sentences.

import {siteOptions} from "../../core/sites.js";
import {controlBar, LabelledSelect, Segmented} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker, wordSwitch} from "../../parts/pickers.js";
import {roleName} from "../../strings/roles.js";
import {text} from "../../strings/ranking.js";
import {sentenceEntries, surveyEntries} from "./entries.js";
import {legend, Scatter} from "./scatter.js";
import {HeadTable} from "./table.js";

const all = "all";
const exportWidth = 860;

export class View {
  #app;
  #filter = {attention: all, layer: all, role: all};
  #entries = [];
  #longest = 2;  // the largest number of keys
  #of = null;    // what the entries were computed from: {source, merged, survey}

  constructor(root, app) {
    this.#app = app;
    const choose = (entry) => this.#choose(entry);
    this.scatter = new Scatter(app, choose);
    this.table = new HeadTable(app, choose);
    this.roles = new LabelledSelect(text.role, (role) => this.#setFilter({role}));
    this.words = wordSwitch(app);
    this.controls = controlBar(this.#numbersPicker(), this.#siteFilter(), this.#layerFilter(), this.#roleFilter(),
      this.words, translationPicker(app));
    this.status = el("p", {class: "empty"});
    this.legend = el("div");
    this.roleNote = el("p", {class: "note"});
    this.details = el("details", {class: "ranking-table"}, el("summary", {}, text.numbers),
      el("div", {class: "scroll-x"}, this.table.element), el("p", {class: "note"}, text.barNote));
    this.content = el("div", {}, this.legend, this.scatter.element, el("p", {class: "note"}, text.note),
      this.roleNote, this.details);
    root.append(this.controls.element, this.status, this.content);
    this.resized = new ResizeObserver(() => this.#draw());
    this.resized.observe(this.scatter.element);
  }

  update() {
    const {trace, state: {merged}, sites, survey} = this.#app;
    const isSurvey = this.#over === "many";
    const source = isSurvey ? survey : trace;
    this.status.hidden = source !== null;
    this.content.hidden = source === null;
    this.status.textContent = source ? "" : noTranslationText(this.#app, text.whatAppears);
    this.controls.update();
    if (!source) return;
    if (this.#of?.source !== source || this.#of.merged !== merged || this.#of.survey !== survey) {
      this.#of = {source, merged, survey};
      this.#entries = isSurvey ? surveyEntries(this.#app) : sentenceEntries(this.#app, trace);
      this.#longest = isSurvey ? this.#longestOfSurvey() : Math.max(
        2, ...sites.map(({name}) => trace.tokens(name).keys.length));
      if (!sites.includes(this.#app.site(this.#filter.attention))) this.#filter.attention = all;
    }
    this.#draw();
  }

  svg() {
    return this.#entries.length
      ? this.scatter.picture(this.#shown, this.#entries, {width: exportWidth, inWords: this.#inWords}) : null;
  }

  destroy() { this.resized.disconnect(); }

  // Whose numbers are shown: those of "many" sentences if they are known, unless the user has chosen otherwise.
  get #over() {
    const {survey, state: {over}} = this.#app;
    return survey && over !== "sentence" ? "many" : "sentence";
  }

  get #inWords() { return this.#over === "many" || this.#app.state.merged; }

  // What a full bar stands for: the largest number of the survey, because the lengths of its sentences are not known.
  #longestOfSurvey() {
    const most = (name) => Math.max(...this.#entries.map((entry) => entry[name]));
    return Math.max(2, most("distance") + 1, 2 ** most("entropy"));
  }

  #numbersPicker() {
    const picker = new Segmented(text.over, () => [
      {value: "many", text: text.many(this.#app.survey?.sentences ?? 0)}, {value: "sentence", text: text.sentence},
    ], () => this.#over, (over) => this.#app.set({over}));
    return {element: picker.element, update: () => {
      picker.element.hidden = !this.#app.survey;
      this.words.element.hidden = this.#over === "many";  // over many sentences all numbers are those of words
      picker.update();
    }};
  }

  #siteFilter() {
    return new Segmented(text.attention, () => [{value: all, text: text.all}, ...siteOptions(this.#app.sites)],
      () => this.#filter.attention, (attention) => this.#setFilter({attention}));
  }

  #layerFilter() {
    const options = () => {
      const most = Math.max(0, ...this.#app.sites.map(({layers}) => layers));
      return [{value: all, text: text.all},
        ...Array.from({length: most}, (_, layer) => ({value: layer, text: String(layer + 1)}))];
    };
    return new Segmented(text.layer, options, () => this.#filter.layer, (layer) => this.#setFilter({layer}));
  }

  #roleFilter() {
    return {element: this.roles.element, update: () => {
      const known = [...new Set((this.#app.survey?.heads ?? []).map(({role}) => role))].sort();
      this.roles.element.hidden = !known.length;
      if (!known.includes(this.#filter.role)) this.#filter.role = all;
      this.roles.show([[all, text.allRoles], ...known.map((role) => [role, roleName(role)])], this.#filter.role);
    }};
  }

  #setFilter(changes) {
    Object.assign(this.#filter, changes);
    this.#draw();
  }

  get #shown() {
    return this.#entries.filter((entry) => Object.entries(this.#filter).every(
      ([name, wanted]) => wanted === all || entry[name] === wanted));
  }

  #draw() {
    if (!this.#of) return;
    const {sites, survey} = this.#app;
    this.controls.update();
    this.legend.replaceChildren(legend(sites));
    this.scatter.show(this.#shown, this.#entries, this.#inWords);
    this.table.show({entries: this.#shown, longest: this.#longest, isSurvey: this.#over === "many"});
    this.roleNote.textContent = !survey ? text.noRoles
      : text.roleNote(survey.sentences) + (survey.isCurrent ? "" : ` ${text.notCurrent}`);
  }

  #choose(entry) {
    const {attention, layer, head} = entry;
    this.#app.set({attention, layer, head, heads: new Set([head])});
    this.#app.say(text.chosen(this.#app.headTitle(attention, layer, head)));
  }
}
