// The first lines of the page: what it is and what to do; on a first visit also an invitation to the tour.

import {text as strings} from "../strings/page.js";
import {el} from "./elements.js";

const visitedKey = "dragoman-visited";

function hasVisited() {
  try {
    return localStorage.getItem(visitedKey) !== null;
  } catch {
    return false;  // the browser does not let this page store anything
  }
}

function rememberVisit() {
  try {
    localStorage.setItem(visitedKey, "yes");
  } catch {
    // the invitation comes again
  }
}

export class FrontDoor {
  #app;
  #text = el("p", {class: "front-text"});
  #invitation;
  #root;

  /** `tour` has open(), and calls its `onOpen` when it is opened. */
  constructor(root, app, tour) {
    this.#app = app;
    const later = el("button", {type: "button", class: "quiet", onclick: () => this.#dismiss()}, strings.notNow);
    const take = el("button", {type: "button", class: "main", id: "take-tour", onclick: () => tour.open()},
      strings.takeTour);
    this.#invitation = el("p", {class: "invitation", hidden: hasVisited()},
      el("span", {}, strings.newHere), el("span", {class: "tour-about"}, strings.tourAbout), take, later);
    root.classList.toggle("visited", hasVisited());
    this.#root = root;
    tour.onOpen = () => this.#dismiss();
    root.append(this.#text, this.#invitation);
  }

  update() {
    const {model, offline, withoutAttention} = this.#app;
    const kind = model?.arch === "transformer" ? strings.aTransformer : strings.aNetwork;
    const seen = withoutAttention ? strings.howFound : strings.lookedAt;
    const text = (offline ? strings.inviteOffline : strings.invite)(kind, seen);
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }

  #dismiss() {
    rememberVisit();
    this.#invitation.hidden = true;
    this.#root.classList.add("visited");
  }
}
