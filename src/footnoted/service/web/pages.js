/** A document's id and where words stand in it in; its pages as they look, those words framed, out. */

import { el } from "./dom.js";
import * as wire from "./wire.js";

const WIDTH = 1240; // pixels a page is drawn with: 150 a printed inch

export class Pages {
  #documentId;
  #quote;
  #boxes = new Map(); // page → the rectangles on it, in points from its lower left corner
  #drawn = new Map(); // page → its node, once it was asked for

  constructor(documentId, places, quote) {
    this.#documentId = documentId;
    this.#quote = quote;
    for (const { page, box } of places) if (box) this.#boxes.set(page, [...(this.#boxes.get(page) ?? []), box]);
  }

  /** The cited pages, and buttons for those before and after; `onFailed` and `onDrawn` hear how drawing went. */
  nodes(onFailed, onDrawn) {
    const numbers = [...this.#boxes.keys()].sort((a, b) => a - b);
    const box = el("div", { class: "pages" }, numbers.map((page) => this.#page(page, onFailed, onDrawn)));
    const larger = el("button", { type: "button", class: "quiet", aria: { pressed: "false" } }, "Larger");
    larger.addEventListener("click", () => {
      larger.setAttribute("aria-pressed", String(box.classList.toggle("large")));
      onDrawn();
    });
    let [first, last] = [numbers[0], numbers.at(-1)];
    const before = el("button", { type: "button", class: "quiet", disabled: first <= 1, onclick: () => (box.prepend(this.#page((first -= 1), () => {})), (before.disabled = first <= 1)) }, "Page before");
    const after = el("button", { type: "button", class: "quiet", onclick: () => box.append(this.#page((last += 1), () => (after.disabled = true))) }, "Page after");
    return [el("div", { class: "row page-row" }, before, after, larger), box];
  }

  #page(number, onFailed, onDrawn = () => {}) {
    if (!this.#drawn.has(number)) this.#drawn.set(number, this.#make(number, onFailed, onDrawn));
    return this.#drawn.get(number);
  }

  #make(number, onFailed, onDrawn) {
    const boxes = this.#boxes.get(number) ?? [];
    const label = boxes.length ? `Page ${number}; framed on it: ${this.#quote}` : `Page ${number}`;
    const canvas = el("canvas", { role: "img", aria: { label } });
    const sheet = el("div", { class: "page-sheet" }, canvas);
    const node = el("figure", { class: "page" }, sheet, el("figcaption", { class: "soft" }, `Page ${number}`));
    wire
      .drawnPage(this.#documentId, number, WIDTH)
      .then(({ picture, matrix }) => {
        [canvas.width, canvas.height] = [picture.width, picture.height];
        canvas.getContext("2d").drawImage(picture, 0, 0);
        picture.close();
        sheet.append(...boxes.map((box) => framed(box, matrix)));
        onDrawn();
      })
      .catch((error) => {
        this.#drawn.delete(number);
        node.remove();
        onFailed(error);
      });
    return node;
  }
}

/** A rectangle of the page as a frame over its picture. */
function framed([left, bottom, right, top], [a, b, c, d, e, f]) {
  const at = (x, y) => [a * x + c * y + e, b * x + d * y + f];
  const corners = [at(left, bottom), at(right, top)];
  const [xs, ys] = [0, 1].map((n) => corners.map((corner) => corner[n]).sort((one, two) => one - two));
  const frame = el("div", { class: "area", aria: { hidden: "true" } });
  const share = (part) => `${100 * part}%`;
  Object.assign(frame.style, { left: share(xs[0]), top: share(ys[0]), width: share(xs[1] - xs[0]), height: share(ys[1] - ys[0]) });
  return frame;
}
