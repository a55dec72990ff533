// The controls of something that runs step by step: play and pause, one step back and on, a slider, and how fast.

import {el, reducedMotion} from "dragoman/draw.js";

/**
 * `count()` says how many steps there are, `text(at)` what a step shows, `show(at, t)` draws step `at`, `t` of the way
 * through it; `time(at)` is how long it takes in milliseconds at single speed. Where motion is not
 * wanted, t is always 1.
 */
export function player({count, text, show, time, name, moved = () => {}}) {
  let at = 0;
  let speed = 1;
  let running = false;
  let frame = 0;
  let begin = 0;

  const toggle = () => (running ? stop() : start());
  const play = el("button", {type: "button", class: "play-button", onclick: toggle}, "Play");
  const back = el("button", {type: "button", "aria-label": "One step back", onclick: () => go(at - 1)}, "Back");
  const on = el("button", {type: "button", "aria-label": "One step on", onclick: () => go(at + 1)}, "Next");
  const slide = () => go(Number(slider.value));
  const slider = el("input", {type: "range", min: 0, step: 1, "aria-label": name, oninput: slide});
  const rate = el("select", {"aria-label": "Speed", onchange: () => { speed = Number(rate.value); }},
    [[0.5, "½ speed"], [1, "Speed 1"], [2, "Speed 2"], [4, "Speed 4"], [16, "Speed 16"]].map(([value, says]) => (
      el("option", {value: String(value), selected: value === 1}, says))));
  const element = el("div", {class: "player"}, play, back, on, slider, rate);

  function start() {
    if (at >= count() - 1) at = 0;
    running = true;
    play.textContent = "Pause";
    begin = performance.now();
    frame = requestAnimationFrame(tick);
  }

  function pause() {
    running = false;
    play.textContent = "Play";
    cancelAnimationFrame(frame);
  }

  function stop() {
    pause();
    moved(at);
  }

  function go(to) {
    pause();
    at = Math.min(count() - 1, Math.max(0, to));
    tell();
    show(at, 1);
    moved(at);
  }

  function tick(now) {
    let t = ((now - begin) * speed) / time(at);
    while (t >= 1 && at < count() - 1) {
      begin += time(at) / speed;
      ++at;
      t = ((now - begin) * speed) / time(at);
      if (now - begin > 2000) begin = now;  // the page was away
    }
    tell();
    show(at, reducedMotion() ? 1 : Math.min(1, t));
    if (t >= 1 && at >= count() - 1) {
      pause();
      moved(at);
    } else if (running) {
      frame = requestAnimationFrame(tick);
    }
  }

  function tell() {
    slider.max = Math.max(0, count() - 1);
    slider.value = at;
    slider.setAttribute("aria-valuetext", text(at));
    back.disabled = at === 0;
    on.disabled = at >= count() - 1;
  }

  return {
    element, pause, go,
    /** Draws where it stands again; what is shown has changed. */
    refresh() {
      at = Math.min(at, Math.max(0, count() - 1));
      tell();
      if (!running && count() > 0) show(at, 1);
    },
    get at() { return at; },
    get running() { return running; },
  };
}
