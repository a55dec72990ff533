// The controls of an animation of steps: play and pause, one step back or forward, a slider, and the speed.

import {text as strings} from "../strings/parts.js";
import {el} from "./elements.js";

const speeds = [[0.5, "½"], [1, "1"], [2, "2"], [4, "4"], [16, "16"]];
const longestGap = 2000;  // milliseconds; a longer one means that the page was not visible

const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Player {
  #options;
  #at = 0;
  #speed = 1;
  #running = false;
  #frame = 0;
  #begin = 0;  // when the current step began

  /**
   * `count()` gives the number of steps, `text(at)` describes a step, `time(at)` is its duration in milliseconds at
   * speed 1, and `show(at, t)` draws it at the fraction t of its duration; t is always 1 if the user prefers reduced
   * motion. `started()` is called when the animation begins to run, and `moved(at)` when it stops or the user goes to a
   * step. `name` labels the slider.
   */
  constructor({count, text, show, time, name, started = () => {}, moved = () => {}}) {
    this.#options = {count, text, show, time, started, moved};
    const button = (title, act, label, kind) => (
      el("button", {type: "button", class: kind, "aria-label": label, onclick: act}, title));
    this.playButton = button(strings.play, () => this.toggle(), null, "play-button");
    this.back = button(strings.back, () => this.go(this.#at - 1), strings.oneBack);
    this.forward = button(strings.next, () => this.go(this.#at + 1), strings.oneForward);
    const slide = () => this.go(Number(this.slider.value));
    this.slider = el("input", {type: "range", min: 0, step: 1, "aria-label": name, oninput: slide});
    const rate = el("select", {"aria-label": strings.speed, onchange: () => { this.#speed = Number(rate.value); }},
      speeds.map(([value, shown]) => (
        el("option", {value: String(value), selected: value === 1}, strings.speedOf(shown)))));
    this.element = el("div", {class: "player"}, this.playButton, this.back, this.forward, this.slider, rate);
  }

  get at() { return this.#at; }
  get running() { return this.#running; }

  pause() {
    this.#running = false;
    this.playButton.textContent = strings.play;
    cancelAnimationFrame(this.#frame);
  }

  go(to) {
    this.pause();
    this.#at = Math.min(this.#last, Math.max(0, to));
    this.#updateControls();
    this.#options.show(this.#at, 1);
    this.#options.moved(this.#at);
  }

  /** Draws the current step again, after what is shown has changed. */
  refresh() {
    this.#at = Math.min(this.#at, Math.max(0, this.#last));
    this.#updateControls();
    if (!this.#running && this.#options.count() > 0) this.#options.show(this.#at, 1);
  }

  get #last() { return this.#options.count() - 1; }

  toggle() {
    if (this.#running) this.#stop();
    else this.play(this.#at >= this.#last ? 0 : this.#at);
  }

  /** Plays from a step on. */
  play(from) {
    this.pause();
    this.#at = from;
    this.#running = true;
    this.playButton.textContent = strings.pause;
    this.#options.started();
    this.#begin = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
  }

  #stop() {
    this.pause();
    this.#options.moved(this.#at);
  }

  #tick(now) {
    const {time, show} = this.#options;
    const passed = () => ((now - this.#begin) * this.#speed) / time(this.#at);
    while (passed() >= 1 && this.#at < this.#last) {
      this.#begin += time(this.#at) / this.#speed;
      ++this.#at;
      if (now - this.#begin > longestGap) {
        this.#begin = now;
        break;
      }
    }
    const t = passed();
    this.#updateControls();
    show(this.#at, prefersReducedMotion() ? 1 : Math.min(1, t));
    if (t >= 1 && this.#at >= this.#last) this.#stop();
    else if (this.#running) this.#frame = requestAnimationFrame((next) => this.#tick(next));
  }

  #updateControls() {
    this.slider.max = Math.max(0, this.#last);
    this.slider.value = this.#at;
    this.slider.setAttribute("aria-valuetext", this.#options.text(this.#at));
    this.back.disabled = this.#at === 0;
    this.forward.disabled = this.#at >= this.#last;
  }
}
