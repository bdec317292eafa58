/** A turn of a conversation in; the body of the request that asks it out. */

const MOST_TURNS = 10;

export function questionBody(conversation, turn) {
  if (turn.assistant !== "pasted") {
    return { message: turn.question, conversation_id: conversation.id, reader: "keep" };
  }
  const before = conversation.turns.filter((each) => each !== turn && each.assistant === "pasted" && each.answer.phase === "done");
  return {
    question: turn.question,
    sources: turn.pasted.map(({ title, words }, n) => ({ id: `text-${n + 1}`, title, text: words })),
    history: before.slice(-MOST_TURNS).map((each) => [each.question, each.answer.text]),
    reader: "keep",
  };
}
