/** The page: the reader's wishes in, questions to the service, answers on the screen, and all of it kept for a refresh. */

import { growing, newAnswer, take } from "./answer.js";
import { AnswerView } from "./answerview.js";
import { say } from "./announce.js";
import { Ask } from "./ask.js";
import { copyCode } from "./copy.js";
import { el, icon } from "./dom.js";
import { onDropped } from "./drop.js";
import { follow } from "./follow.js";
import { askForKey } from "./gate.js";
import * as keep from "./keep.js";
import { listenToKeys, showHelp } from "./keys.js";
import { Library } from "./library.js";
import { Panel } from "./panel.js";
import { Past } from "./past.js";
import { Rail, themeButton } from "./rail.js";
import { questionBody } from "./question.js";
import { toast } from "./toast.js";
import { welcome } from "./welcome.js";
import * as wire from "./wire.js";

const $ = (id) => document.getElementById(id);
const SAVE_AFTER = 200;

let conversation = keep.newConversation("documents");
let views = new Map(); // turn → its view, of the conversation on the screen
const running = new Map(); // turn → {stop, conversation}, of every conversation
const saving = new Map();

const rail = new Rail();
const panel = new Panel($("panel"), $("veil"), [$("main"), $("rail"), document.querySelector(".bar"), document.querySelector(".skip")]);
const ask = new Ask({ onAsk: begin, onStop: stopCurrent, onMode: rememberMode });
const library = new Library($("documents"), {
  onCount: countDocuments,
  onGone: (id) => panel.forget(id),
  onSay: toast,
});
const past = new Past($("past"), { onOpen: show, onForget: forget, onForgetAll: forgetAll });

/* Asking */

function begin({ question, assistant, pasted }) {
  const turn = { question, assistant: assistant.id, pasted, answer: newAnswer(), rating: null };
  const body = questionBody(conversation, turn);
  if (!conversation.turns.length) conversation.title = question.replace(/\s+/g, " ").slice(0, 80);
  conversation.turns.push(turn);
  conversation.at = Date.now();
  panel.close();
  addTurn(turn);
  keepNow(conversation);
  past.draw(conversation.id);
  run(conversation, turn, (signal) => wire.begin(assistant.stream, body, signal));
  views.get(turn).node.scrollIntoView({ block: "start", behavior: calm() });
}

/** Follow a turn's stream to its end; `open` begins it, and is left out where it runs already. */
async function run(where, turn, open = null) {
  const left = new AbortController();
  running.set(turn, { left, where });
  showBusy();
  const { answer } = turn;
  const onEvent = (event) => {
    if (!take(answer, event)) return;
    views.get(turn)?.changed();
    if (event.event === "start") showBusy();
    keepSoon(where);
  };
  try {
    const response = open ? await open(left.signal) : null;
    await follow(answer, response, { onEvent, onWaiting: (seconds) => views.get(turn)?.waiting(seconds), signal: left.signal });
    if (growing(answer)) await recover(answer);
  } catch (error) {
    if (growing(answer)) end(answer, error);
  }
  running.delete(turn);
  keepNow(where);
  views.get(turn)?.waiting(0);
  views.get(turn)?.ended();
  views.get(turn)?.actions.refresh();
  showBusy();
}

function end(answer, error) {
  const stopped = error.name === "AbortError";
  const gone = error.status === 404 || error.status === 410;
  const message = gone ? "This answer is no longer kept by the service. What you see is how far it had come." : error.message;
  answer.phase = stopped ? "stopped" : "error";
  answer.error = { code: stopped ? "stopped" : (error.code ?? "error"), message };
}

/** A stream that ended without its last word reaching us: the saved answer has it. */
async function recover(answer) {
  if (!answer.answerId) throw new wire.WireError("The answer was lost before it began. Ask again.", { code: "lost" });
  const saved = await wire.savedAnswer(answer.answerId);
  take(answer, { id: "", event: "done", data: saved });
}

async function stopCurrent() {
  const turn = conversation.turns.find((each) => running.has(each));
  if (!turn) return;
  if (!turn.answer.streamId) {
    running.get(turn).left.abort();
    return;
  }
  try {
    await wire.stop(turn.answer.streamId);
  } catch (error) {
    toast(error.message);
  }
}

/* What is on the screen */

function addTurn(turn) {
  const view = new AnswerView(turn, conversation.turns.indexOf(turn) + 1, {
    onOpen: (spots, at, claim, onAt) => panel.open(spots, at, { claim, pasted: turn.pasted ?? [], onAt }),
    onAgain: again,
    onRated: () => keepNow(conversation),
    onDrawn: stayAtEnd,
  });
  views.set(turn, view);
  $("turns").append(view.node);
  $("welcome").hidden = true;
}

function again(turn) {
  ask.choose(turn.assistant);
  if (turn.pasted?.length) ask.pasted = [...turn.pasted];
  begin({ question: turn.question, assistant: ask.assistant, pasted: turn.pasted ?? [] });
}

/** Show a kept conversation, or (null) a fresh one. Answers still on their way are followed on. */
function show(id) {
  panel.close();
  const known = [...running.values()].find((each) => each.where.id === id)?.where;
  const kept = known ?? (id ? keep.load(id) : null);
  conversation = kept ?? keep.newConversation(ask.assistant.id);
  keep.current.set(conversation.id);
  views = new Map();
  $("turns").replaceChildren();
  $("welcome").hidden = conversation.turns.length > 0;
  for (const turn of conversation.turns) {
    if (growing(turn.answer) && !running.has(turn)) resume(turn);
    addTurn(turn);
  }
  ask.choose(conversation.turns.at(-1)?.assistant ?? ask.assistant.id);
  if (conversation.turns.at(-1)?.pasted?.length) ask.pasted = conversation.turns.at(-1).pasted.filter((each) => each.words);
  ask.choose(ask.assistant.id);
  showBusy();
  past.draw(conversation.id);
  rail.close();
  views.get(conversation.turns.at(-1))?.node.scrollIntoView({ block: "start", behavior: "instant" });
}

function resume(turn) {
  if (turn.answer.streamId) run(conversation, turn);
  else end(turn.answer, new wire.WireError("The page was left before this answer began. Ask again.", { code: "lost" }));
}

function showBusy() {
  ask.busy(conversation.turns.some((each) => running.has(each)));
  const title = conversation.title;
  document.title = title ? `${title} · footnoted` : "footnoted";
}

function rememberMode() {
  keep.choice.set("assistant", ask.assistant.id);
}

function countDocuments(count) {
  $("document-count").textContent = count || "";
  $("welcome").classList.toggle("has-documents", count > 0);
  $("ready").textContent = count ? `${count} ${count === 1 ? "document is" : "documents are"} ready. Ask away.` : "";
}

const calm = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** While an answer grows and the reader is at its end, the end stays in sight. */
let atEnd = true;
$("thread").addEventListener("scroll", () => {
  const { scrollHeight, scrollTop, clientHeight } = $("thread");
  atEnd = scrollHeight - scrollTop - clientHeight < 80;
});
function stayAtEnd() {
  if (atEnd) $("thread").scrollTop = $("thread").scrollHeight;
}

/* What is kept */

function keepNow(which) {
  clearTimeout(saving.get(which.id)?.timer);
  saving.delete(which.id);
  if (which.forgotten) return;
  if (!keep.save(which)) toast("This browser has no room left to keep this conversation.");
}

function keepSoon(which) {
  if (saving.has(which.id)) return;
  saving.set(which.id, { which, timer: setTimeout(() => keepNow(which), SAVE_AFTER) });
}

function forget(id) {
  for (const { where } of running.values()) if (where.id === id) where.forgotten = true;
  if (conversation.id === id) conversation.forgotten = true;
  keep.forget(id);
  if (conversation.id === id) show(null);
  past.draw(conversation.id);
  say("The conversation was deleted.");
  $("past").querySelector("button")?.focus();
}

function forgetAll() {
  for (const { where } of running.values()) where.forgotten = true;
  conversation.forgotten = true;
  keep.forgetAll();
  show(null);
  say("Every conversation kept in this browser was deleted.");
  $("tab-past").focus();
}

addEventListener("pagehide", () => {
  for (const { which } of [...saving.values()]) keepNow(which);
});

/* The service */

async function connect() {
  const before = ask.assistant.id;
  try {
    const session = await wire.session();
    $("show-key").hidden = !session.needs_key && !wire.key.get();
    const offered = await wire.assistants();
    library.accept(session, offered.some((each) => each?.id === "security"));
    await library.refresh();
    ask.offer(offered, session.limits);
    // What the reader chose while the page was connecting stands.
    if (ask.assistant.id === before) ask.choose(conversation.turns.at(-1)?.assistant ?? keep.choice.get("assistant", "documents"));
  } catch (error) {
    if (error.status === 401) return;
    toast(error.message);
    library.start();
  }
}

wire.onUnauthorized(() => {
  $("show-key").hidden = false;
  askForKey({ wanted: true, onKey: rekeyed });
});

function rekeyed() {
  panel.close();
  panel.forgetAll();
  connect();
}

/* The page's own parts */

const fresh = () => {
  show(null);
  ask.focus();
};
for (const [id, name] of [["open-rail", "menu"], ["close-rail", "close"], ["new-small", "plus"], ["show-key", "key"], ["show-help", "help"]]) $(id).append(icon(name));
$("new").prepend(icon("plus"));
$("new").addEventListener("click", fresh);
$("new-small").addEventListener("click", fresh);
$("show-help").addEventListener("click", showHelp);
$("show-key").addEventListener("click", () => askForKey({ wanted: false, onKey: rekeyed }));
const turnTheme = themeButton($("theme"));
$("welcome").append(
  ...welcome({
    onAdd: () => library.choose(),
    onSample: ({ question, pasted }) => {
      ask.pasted = [...pasted];
      ask.choose("pasted");
      ask.write(question);
    },
  }),
);
copyCode($("thread"));
listenToKeys({
  focus: () => ask.focus(),
  fresh,
  stop: stopCurrent,
  next: () => panel.step(1),
  previous: () => panel.step(-1),
  documents: () => rail.show("documents"),
  past: () => rail.show("past"),
  theme: turnTheme,
  help: showHelp,
  escape: () => (panel.isOpen ? panel.close() : rail.close()),
});

onDropped((files) => {
  rail.show("documents");
  library.add(files);
});

show(keep.current.get());
connect();
