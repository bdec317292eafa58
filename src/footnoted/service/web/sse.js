/** Text of an event stream in, cut anywhere; whole events `{id, event, data}` out (WHATWG server-sent events). */

export class EventDecoder {
  #rest = "";
  #searched = 0;
  #data = [];
  #event = "";
  #id = "";
  #begun = false;

  /** The events that this piece completes. */
  decode(piece) {
    if (!this.#begun && piece) {
      this.#begun = true;
      if (piece.startsWith("\ufeff")) piece = piece.slice(1);
    }
    this.#rest += piece;
    const events = [];
    const ends = /\r\n|\n|\r/g;
    let from = 0;
    ends.lastIndex = this.#searched;
    for (let end = ends.exec(this.#rest); end; end = ends.exec(this.#rest)) {
      // A carriage return at the very end may be the first half of a line end.
      if (end[0] === "\r" && ends.lastIndex === this.#rest.length) break;
      const event = this.#line(this.#rest.slice(from, end.index));
      if (event) events.push(event);
      from = ends.lastIndex;
    }
    this.#rest = this.#rest.slice(from);
    this.#searched = Math.max(0, this.#rest.length - 1);
    return events;
  }

  /** What the end of the stream completes: an event whose closing blank line ended in a lone carriage return. */
  flush() {
    const last = this.#rest === "\r" ? this.#line("") : null;
    this.#rest = "";
    return last ? [last] : [];
  }

  #line(line) {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment: a heartbeat
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #dispatch() {
    const data = this.#data;
    const event = this.#event || "message";
    this.#data = [];
    this.#event = "";
    return data.length ? { id: this.#id, event, data: data.join("\n") } : null;
  }
}
