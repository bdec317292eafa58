import pytest

from tests.service.page.conftest import call, said

pytestmark = pytest.mark.asyncio(loop_scope="session")

STREAM = (
    "\ufeff: a heartbeat\n\n"
    + said("start", 1, question="Où ? 😀")
    + "id: 2\r\nevent: chunk\r\ndata: one\r\ndata: two\r\n\r\n"
    + "id: 3\rdata:three\r\r"
    + "event: nothing\n\n"
    + "retry: 10\nid: 4\ndata\n\n"
    + said("done", 5, x=1)
)
CUTS = """(() => {
  const whole = (pieces) => {
    const decoder = new m.EventDecoder();
    return [...pieces.flatMap((piece) => decoder.decode(piece)), ...decoder.flush()];
  };
  const once = JSON.stringify(whole([x]));
  const different = [];
  for (let i = 0; i <= x.length; i += 1) {
    if (JSON.stringify(whole([x.slice(0, i), x.slice(i)])) !== once) different.push(i);
    if (JSON.stringify(whole([x.slice(0, i), "", x.slice(i, i + 1), x.slice(i + 1)])) !== once) different.push(-i);
  }
  if (JSON.stringify(whole([...Array(x.length).keys()].map((i) => x[i]))) !== once) different.push("letters");
  return { once: JSON.parse(once), different };
})()"""


async def test_however_a_stream_is_cut_its_events_are_the_same(modules):
    """Cut at every place, in the middle of a line end too, the same events come out."""
    result = await call(modules, "sse.js", CUTS, STREAM)
    assert result["different"] == []
    assert [(each["id"], each["event"]) for each in result["once"]] == [
        ("1", "start"),
        ("2", "chunk"),
        ("3", "message"),
        ("4", "message"),
        ("5", "done"),
    ]
    assert result["once"][1]["data"] == "one\ntwo"
    assert result["once"][2]["data"] == "three"
    assert result["once"][3]["data"] == ""


async def test_an_event_without_its_blank_line_is_not_told(modules):
    """A stream that breaks off inside an event does not tell half of it."""
    unfinished = "(() => { const d = new m.EventDecoder(); return [...d.decode(x), ...d.flush()]; })()"
    assert await call(modules, "sse.js", unfinished, "id: 1\nevent: chunk\ndata: ha") == []
    assert await call(modules, "sse.js", unfinished, "id: 1\nevent: chunk\ndata: ha\n") == []


async def test_code_points_become_javascript_offsets(modules):
    """Offsets count characters as the service does, whatever JavaScript makes of emoji."""
    text = "a😀ไทย👩‍🚀 عربي𝒳z"
    offsets = await call(
        modules, "positions.js", f"Array.from({{length: {len(text) + 3}}}, (_, i) => m.unitsOf(x)(i))", text
    )
    expected = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 3)]
    assert offsets == expected
    assert await call(modules, "positions.js", "m.pointsIn(x)", text) == len(text)


async def test_an_event_told_before_changes_nothing(modules):
    """A stream rejoined too early repeats events; each still counts once."""
    taken = await call(
        modules,
        "answer.js",
        """(() => {
          const answer = m.newAnswer();
          const chunk = (id, content) => m.take(answer, { id, event: "chunk", data: { content } });
          const told = [chunk("1", "a"), chunk("2", "b"), chunk("1", "a"), chunk("2", "b"), chunk("3", "c")];
          m.take(answer, { id: "4", event: "unheard-of", data: {} });
          return { told, text: answer.text, lastId: answer.lastId };
        })()""",
    )
    assert taken == {"told": [True, True, False, False, True], "text": "abc", "lastId": 4}
