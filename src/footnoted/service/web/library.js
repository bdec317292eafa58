/** Files in; the tenant's documents, listed, with what is on its way and what could not be read, out. */

import { severityMark } from "./beside.js";
import { el, icon } from "./dom.js";
import * as wire from "./wire.js";

const AT_ONCE = 2;
export const MOST_AT_ONCE = 500;
const MOST_CHOSEN = 200; // documents one question may name

const SCANS = [".json", ".jsonl", ".ndjson", ".csv"]; // what scanners write

export class Library {
  #root;
  #hear;
  #documents = [];
  #chosen = new Set(); // ids of the documents the next questions are asked of; none means all
  #queue = [];
  #under = 0;
  #added = [];
  #limits = {};
  #formats = [];
  #scans = false;
  #known = false;
  #mayAdd = true;
  #findings = el("ul", { class: "documents" });
  #list = el("ul", { class: "documents" });
  #filter = el("input", { type: "search", class: "search", placeholder: "Find a document", dir: "auto", aria: { label: "Find a document" }, hidden: true });
  #address = el(
    "form",
    { class: "row address", hidden: true, aria: { label: "Add from the web" } },
    el("input", { type: "url", name: "url", class: "search", required: true, placeholder: "https://…", autocomplete: "off", aria: { label: "A web address to add" } }),
    el("button", { type: "submit", class: "quiet round", aria: { label: "Add this address" }, title: "Add this address" }, icon("plus")),
  );
  #scope = el("p", { class: "scope soft", role: "status" });
  #moving = el("ul", { class: "documents moving", aria: { label: "Uploads" } });
  #input = el("input", { type: "file", id: "files", multiple: true, class: "heard", tabindex: -1, aria: { label: "Files to add" } });

  /** `onCount(n)` hears how many documents there are, `onGone(id)` which one was deleted, `onSay(text)` what happened. */
  constructor(root, hear) {
    this.#root = root;
    this.#hear = hear;
    this.#input.addEventListener("change", () => {
      this.add([...this.#input.files]);
      this.#input.value = "";
    });
    const add = el("button", { type: "button", class: "add adds", id: "add-files", onclick: () => this.choose() }, icon("upload"), el("span", {}, "Add files", el("small", {}, "or drop them anywhere")));
    this.#address.addEventListener("submit", (event) => {
      event.preventDefault();
      const field = this.#address.elements.url;
      if (field.value.trim()) this.#fetch(field.value.trim());
      field.value = "";
    });
    this.#filter.addEventListener("input", () => this.#sift());
    root.append(add, this.#input, this.#address, this.#moving, this.#findings, this.#filter, this.#scope, this.#list);
  }

  /** The ids the next question is asked of; null for all. */
  get chosen() {
    return this.#chosen.size ? [...this.#chosen].slice(0, MOST_CHOSEN) : null;
  }

  /** Show only documents whose title or name holds all the words asked for. */
  #sift() {
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.#list.children) {
      const each = this.#documents.find(({ id }) => id === row.dataset.document);
      if (each) row.hidden = !words.every((word) => `${each.title} ${each.name}`.toLowerCase().includes(word));
    }
  }

  #tellScope() {
    const count = this.#chosen.size;
    this.#scope.replaceChildren(
      ...(count ? [el("span", {}, `Questions are asked of ${count} of ${this.#documents.length}.`), el("button", { type: "button", class: "quiet", onclick: () => (this.#chosen.clear(), this.#draw(), this.#filter.focus()) }, "Ask all")] : []),
    );
  }

  choose() {
    this.#input.click();
  }

  /** What the service takes; `scans`: scanners' files too, which become findings. */
  accept({ limits = {}, formats: read = [], urls = false, may_add: mayAdd = true }, scans) {
    this.#mayAdd = mayAdd;
    document.body.classList.toggle("reads-only", !mayAdd);
    this.#address.hidden = !urls || !mayAdd;
    const formats = scans && read.length ? [...new Set([...read, ...SCANS])] : read;
    [this.#limits, this.#formats, this.#scans] = [limits, formats, scans];
    if (formats.length) this.#input.accept = formats.join(",");
    this.#known = false;
  }

  /** Ask what is there, and then send what waits. */
  async refresh() {
    [this.#documents] = await Promise.all([wire.documents(), this.#scans ? this.#drawFindings() : null]);
    this.#draw();
    this.start();
  }

  /** Send what was added before the service had told what it takes and what it has. */
  start() {
    this.#known = true;
    this.#next();
  }

  /** Upload files, a few at a time; each row tells its own progress and its own error. */
  add(files) {
    if (!this.#mayAdd) return this.#hear.onSay("Documents are not added by you here: whoever runs this service says who may.");
    for (const file of files.slice(0, MOST_AT_ONCE)) this.#queue.push({ file, row: this.#row(file) });
    if (files.length > MOST_AT_ONCE) this.#hear.onSay(`Only the first ${MOST_AT_ONCE} files were taken; drop the others after them.`);
    this.#next();
  }

  /** Let the service fetch a web address; its row tells how that goes. */
  async #fetch(url) {
    const row = this.#row({ name: url });
    const stop = new AbortController();
    row.onStop = () => stop.abort();
    row.tell(1);
    try {
      this.#take(await wire.addUrl(url, stop.signal), row);
      this.#sayAdded();
    } catch (error) {
      if (error.name === "AbortError") row.remove();
      else row.fail(error.message);
    }
  }

  #take(added, row) {
    row.remove();
    this.#documents = [added, ...this.#documents.filter((each) => each.id !== added.id)];
    this.#draw();
    this.#added.push(added.title || added.name);
  }

  #next() {
    while (this.#known && this.#under < AT_ONCE && this.#queue.length) {
      this.#under += 1;
      this.#send(this.#queue.shift()).finally(() => {
        this.#under -= 1;
        this.#next();
        if (!this.#under) this.#sayAdded();
      });
    }
  }

  #sayAdded() {
    const added = this.#added.splice(0);
    if (added.length) this.#hear.onSay(added.length === 1 ? `${added[0]} was added.` : `${added.length} documents were added.`);
  }

  async #send({ file, row }) {
    if (row.gone) return;
    const refusal = this.#refusal(file);
    if (refusal) {
      row.fail(refusal);
      return;
    }
    const stop = new AbortController();
    row.onStop = () => stop.abort();
    try {
      const how = { onProgress: (share) => row.tell(share), signal: stop.signal };
      if (this.#scans && SCANS.includes(endingOf(file))) {
        const { read, added: fresh } = await wire.upload(file, { ...how, path: "/api/v1/findings" });
        row.remove();
        await this.#drawFindings();
        this.#hear.onSay(`${file.name}: ${read} ${read === 1 ? "finding was" : "findings were"} read, ${fresh} of them new.`);
        return;
      }
      this.#take(await wire.upload(file, how), row);
    } catch (error) {
      if (error.name === "AbortError") row.remove();
      else row.fail(error.message);
    }
  }

  #refusal(file) {
    if (!file.size) return "This file is empty.";
    const most = this.#limits.file_bytes;
    if (most && file.size > most) return `This file has ${size(file.size)}; at most ${size(most)} are taken.`;
    const ending = endingOf(file);
    if (this.#formats.length && ending && !this.#formats.includes(ending)) {
      return `Files that end in ${ending.slice(0, 20)} cannot be read. What can: ${this.#formats.join(" ")}`;
    }
    return "";
  }

  #row(file) {
    const bar = el("progress", { max: 1, value: 0, aria: { label: `Sending ${file.name}` } });
    const said = el("span", { class: "soft" }, "Waiting");
    const cancel = el("button", { type: "button", class: "quiet round", aria: { label: `Stop adding ${file.name}` }, title: "Stop" }, icon("close"));
    const node = el("li", { class: "document" }, icon("file"), el("div", { class: "about" }, el("span", { class: "name", dir: "auto" }, file.name), bar, said), cancel);
    const row = {
      gone: false,
      onStop: () => {},
      remove() {
        row.gone = true;
        node.remove();
      },
      tell(share) {
        bar.value = share;
        said.textContent = share < 1 ? `Sending, ${Math.round(share * 100)} %` : "Reading…";
        if (share >= 1) bar.removeAttribute("value");
      },
      fail(message) {
        node.classList.add("failed");
        bar.remove();
        said.className = "problem";
        said.setAttribute("role", "alert");
        said.textContent = message;
        cancel.setAttribute("aria-label", `Dismiss the error of ${file.name}`);
        cancel.title = "Dismiss";
      },
    };
    cancel.addEventListener("click", () => {
      row.onStop();
      row.remove();
    });
    this.#moving.append(node);
    return row;
  }

  /** What scanners found, as one row; none where they found nothing. */
  async #drawFindings() {
    const { total, counts } = await wire.findings();
    const marks = Object.entries(counts ?? {}).filter(([name, count]) => count && severityMark(name)).map(([name, count]) => severityMark(name, count));
    this.#findings.replaceChildren(...(total ? [this.#kept("findings", icon("shield"), `${total} open ${total === 1 ? "finding" : "findings"}`, "", el("span", { class: "tags" }, marks), () => this.#forgetFindings())] : []));
  }

  async #forgetFindings() {
    await wire.forgetFindings();
    await this.#drawFindings();
    this.#hear.onSay("The findings were deleted.");
    this.#root.querySelector("#add-files").focus();
  }

  #draw() {
    this.#hear.onCount(this.#documents);
    const here = new Set(this.#documents.map(({ id }) => id));
    for (const id of this.#chosen) if (!here.has(id)) this.#chosen.delete(id);
    this.#filter.hidden = this.#documents.length < 2;
    this.#tellScope();
    const rows = this.#documents.map((each) => this.#documentRow(each));
    this.#list.replaceChildren(...(rows.length ? rows : [el("li", { class: "none" }, "No documents yet. PDF, Word, Markdown, HTML and text can be read.")]));
    this.#sift();
  }

  #documentRow(each) {
    const title = each.title || each.name;
    const about = [endingOf(each).slice(1, 9).toUpperCase(), size(each.bytes), `${each.passages} ${each.passages === 1 ? "passage" : "passages"}`];
    const said = el("span", { class: "soft", dir: "auto" }, about.filter(Boolean).join(" · "));
    const tick = el("input", { type: "checkbox", class: "choose", checked: this.#chosen.has(each.id), aria: { label: `Ask only chosen documents: ${title}` }, title: "Ask only chosen documents" });
    tick.addEventListener("change", () => {
      if (tick.checked) this.#chosen.add(each.id);
      else this.#chosen.delete(each.id);
      this.#tellScope();
    });
    return this.#kept(each.id, this.#documents.length > 1 ? tick : icon("file"), title, each.name, said, (node, usual) => this.#delete(each, node, usual));
  }

  /** A row of something kept, which asks once before it is deleted. */
  #kept(id, sign, title, tip, said, onDelete) {
    const node = el("li", { class: "document", data: { document: id } });
    const bin = el("button", { type: "button", class: "quiet round adds", aria: { label: `Delete ${title}` }, title: "Delete" }, icon("trash"));
    const text = el("div", { class: "about" }, el("span", { class: "name", dir: "auto", title: tip || null }, title), said);
    const usual = () => node.replaceChildren(sign, text, bin);
    bin.addEventListener("click", () => {
      const keep = el("button", { type: "button", class: "quiet", onclick: () => (usual(), bin.focus()) }, "Keep");
      const gone = el("button", { type: "button", class: "danger", onclick: () => onDelete(node, usual) }, "Delete");
      node.replaceChildren(el("p", { class: "sure", dir: "auto" }, `Delete “${title}”?`), el("div", { class: "row" }, gone, keep));
      keep.focus();
    });
    usual();
    return node;
  }

  async #delete(each, node, usual) {
    try {
      await wire.remove(each.id);
    } catch (error) {
      if (error.status !== 404) {
        usual();
        this.#hear.onSay(error.message);
        return;
      }
    }
    const next = node.nextElementSibling ?? node.previousElementSibling;
    this.#documents = this.#documents.filter((other) => other.id !== each.id);
    this.#hear.onGone(each.id);
    this.#hear.onSay(`${each.title || each.name} was deleted.`);
    const after = next?.dataset.document;
    this.#draw();
    const row = [...this.#list.children].find((child) => after && child.dataset.document === after);
    (row?.querySelector("button") ?? this.#root.querySelector("#add-files")).focus();
  }
}

const endingOf = ({ name }) => /\.[^.]+$/.exec(name.toLowerCase())?.[0] ?? "";

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const [amount, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
