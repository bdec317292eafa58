/** An empty page in; what it is for, and a first step to take, out. */

import { el, icon } from "./dom.js";

const SAMPLE = {
  question: "What does a replaced windscreen cost me, and is my sunroof covered?",
  pasted: [
    {
      title: "Car policy (sample)",
      words: [
        "# Car policy",
        "",
        "## Glass",
        "",
        "We pay to repair or replace broken glass in the windscreen and windows. The windscreen excess is £75 for a repair and £115 for a replacement. We do not pay for damage to a sunroof or a glass roof.",
        "",
        "## Excess",
        "",
        "The standard excess is £250. Drivers under 25 pay a further £200. Glass claims do not affect your no-claims discount.",
      ].join("\n"),
    },
  ],
};

export function welcome({ onAdd, onSample }) {
  const step = (name, title, words, kind = "") => el("li", { class: kind }, icon(name), el("div", {}, el("strong", {}, title), el("p", {}, words)));
  return [
    el("h2", { id: "welcome-title" }, "Answers, footnoted", el("sup", { aria: { hidden: "true" } }, "1")),
    el("p", { class: "lead" }, "Ask your documents. Every sentence of the answer points at the exact words it stands on, and was checked against them. What your documents do not say, you are told they do not say."),
    el(
      "ul",
      { class: "steps" },
      step("upload", "Add documents", "PDF, Word, Markdown, HTML or text. Drop them anywhere on this page.", "adds"),
      step("pen", "Ask in your own words", "The answer comes from what you added, and from nothing else."),
      step("check", "Open the source", "Press a number: the source opens beside it, at the very words."),
    ),
    el(
      "div",
      { class: "row first-steps" },
      el("button", { type: "button", class: "solid adds", onclick: onAdd }, icon("upload"), "Add documents"),
      el("button", { type: "button", class: "quiet", id: "sample", onclick: () => onSample(SAMPLE) }, "Try it on a sample text"),
    ),
  ];
}
