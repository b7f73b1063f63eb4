"""Long lines and texts, which readers take apart, give the same records and errors as short ones."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.formats import lines
from campaigns.formats.documents.files import iter_documents
from campaigns.formats.errors import TITLE_CHARACTERS, ErrorList, FormatError, Notices
from campaigns.formats.lines import LineBlocks, text_lines
from campaigns.formats.reading.contents import Task, read_content
from campaigns.formats.reading.json_objects import join_object, load_object, part_object
from campaigns.formats.topics import read_topics

THRESHOLD = lines._LONGEST_HERE


def documents(data: bytes) -> Any:
    notices = Notices()
    records = list(iter_documents(io.BytesIO(data), "f.jsonl", notices=notices))
    return [(one, one.html, one.line) for one in records], notices.rows()


def topics(data: bytes) -> Any:
    return [(one, one.line) for one in read_topics(io.BytesIO(data), "f.jsonl")]


def result_of(read: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return read(data)
    except FormatError as error:
        return error.errors


def both_ways(read: Callable[[bytes], Any], data: bytes) -> list[Any]:
    """Results of reading each line in this process, and by readers."""
    results = []
    for longest in (1 << 30, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "_LONGEST_HERE", longest)
            results.append(result_of(read, data))
    return results


READ_BY: dict[Callable[[bytes], Any], tuple[str, list[str]]] = {
    documents: ("docno", ["title", "text", "body", "contents", "abstract", "html", "note"]),
    topics: ("number", ["title", "query", "description", "question", "narrative", "narr", "note"]),
}


@pytest.mark.parametrize("read", READ_BY)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_records_do_not_depend_on_which_field_is_the_longest(
    read: Callable[[bytes], Any], data: st.DataObject
) -> None:
    number, names = READ_BY[read]
    sizes = st.dictionaries(st.sampled_from(names), st.integers(0, 3), min_size=1)
    word = data.draw(st.sampled_from(["word ", "é ", "x\n\n", "\ud800 ", "😀", "\0", "&amp; "]))
    fields = {name: word * (1000 * size) for name, size in data.draw(sizes).items()}
    line = json.dumps({number: "n1", **fields}, ensure_ascii=data.draw(st.booleans()) or word == "\ud800 ")
    here, outside = both_ways(read, line.encode())
    assert here == outside


@pytest.mark.parametrize("longest", ["title", "text", "abstract", "html", "note"])
def test_a_text_is_whole_beside_longer_fields(longest: str) -> None:
    fields = {"title": "t ", "text": "word ", "abstract": "a ", "html": "<p>", "note": "n"}
    texts = {name: one * (12_000 + 30_000 * (name == longest)) for name, one in fields.items()}
    line = json.dumps({"docno": "d1", **texts}).encode()
    assert len(line) > THRESHOLD
    [document] = iter_documents(io.BytesIO(line), "f.jsonl")
    assert document.body == texts["text"]
    assert document.title == texts["title"][: TITLE_CHARACTERS - 1] + "…"
    assert len(document.metadata["abstract" if "abstract" in document.metadata else "html"]) <= 2000


@pytest.mark.parametrize("read", READ_BY)
def test_records_on_both_sides_of_the_threshold_are_equal_but_for_their_length(
    read: Callable[[bytes], Any],
) -> None:
    number, names = READ_BY[read]
    for name in names[:-1]:
        line = json.dumps({number: "n1", "title": "t", names[1]: "w", name: ""})
        for size in range(THRESHOLD - len(line) - 1, THRESHOLD - len(line) + 2):
            data = line.replace(f'"{name}": ""', f'"{name}": "{"x" * size}"').encode()
            here, outside = both_ways(read, data)
            assert result_of(read, data) == here == outside


def test_base64_is_whole_beside_a_longer_field() -> None:
    image = base64.b64encode(b"GIF8" + b"x" * 30_000).decode()
    line = {"docno": "d1", "content_type": "image/gif", "text": image, "note": "n" * 90_000}
    [document] = iter_documents(io.BytesIO(json.dumps(line).encode()), "f.jsonl")
    assert document.body == image


def test_topics_have_whole_texts_beside_longer_ones() -> None:
    line = {"number": "1", "title": "t", "description": "d" * 15_000, "narrative": "n" * 60_000}
    [topic] = read_topics(io.BytesIO(json.dumps(line).encode()), "f.jsonl")
    assert (topic.description, topic.narrative) == (line["description"], line["narrative"])


UNUSUAL = {
    "duplicate keys": '"text": "one", "text": "two", "title": "a", "title": "b"',
    "no numbers": '"text": "a", "n": NaN, "i": [Infinity, -Infinity, 1e999]',
    "numbers": '"text": "a", "f": 0.1, "e": 1e-7, "z": -0.0, "big": ' + "9" * 4000,
    "too long a number": '"text": "a", "n": ' + "9" * 5000,
    "empty": '"text": "", "": "x", "e": "", "l": ["", []], "metadata": {"": "", "a": ""}',
    "order": '"z": "1", "text": "t", "a": "2", "m": "3"',
    "long list": '"text": "t", "l": [' + '"tag", ' * 5000 + '"end"]',
    "long metadata": '"text": "t", "metadata": {"a": "' + "x" * 20_000 + '", "b": 1}',
    "blanks": '"text": "t", "note": "' + " " * 20_000 + 'words"',
    "surrogates": r'"text": "\ud800x\ud83d\ude00\u0000", "\udfff": "\udc00", "docno": "\ud800"',
    "long surrogates": r'"docno": "' + r"\ud800" * 600 + '", "text": "t"',
    "escapes": r'"text": "\u00e9\n\t\"\\\/", "note": "\b"',
    "a control character": '"text": "a\tb"',
    "no string": '"text": {"a": ["' + "\\ud800" * 300 + '"]}, "title": [1]',
    "not closed": '"text": "a',
    "a comma": '"text": "a",',
    "html": '"text": "<p>a<script>b</script>", "content_type": "text/html"',
    **{f"depth {n}": f'"text": "a", "n": {"[" * n}{"]" * n}' for n in (50, 99, 100, 500, 950, 2000)},
    **{f"depth {n} not closed": f'"text": "a", "n": {"[" * n}' for n in (50, 99, 100, 950)},
    "brackets in a text": '"text": "' + r"[{\"[" * 500 + '"',
}


@pytest.mark.parametrize("read", READ_BY)
@pytest.mark.parametrize("unusual", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_lines_give_the_same_records_notices_and_errors(
    unusual: str, read: Callable[[bytes], Any]
) -> None:
    number = READ_BY[read][0]
    good = f'{{"{number}": "g", "text": "good"}}'
    here, outside = both_ways(read, f'{good}\n\n{{"{number}": "a", {unusual}}}\n'.encode())
    assert here == outside


@pytest.mark.parametrize("line", ["[1]", "1", "null", '"a"', "{} {}", "{", "\ufeff{}"])
def test_lines_without_an_object_give_the_same_errors(line: str) -> None:
    here, outside = both_ways(documents, f'{{"docno": "g"}}\n{line}\n'.encode())
    assert here == outside
    assert here[0].line == 2


def in_frames(depth: int, act: Callable[[], Any]) -> Any:
    return act() if not depth else in_frames(depth - 1, act)


@pytest.mark.parametrize(("depth", "allowed"), [(99, True), (100, False)])
def test_the_depth_that_is_read_does_not_depend_on_the_stack(depth: int, allowed: bool) -> None:
    line = b'{"docno": "a", "n": ' + b"[" * depth + b"]" * depth + b"}"

    def is_read() -> bool:
        try:
            return bool(load_object(line))
        except ValueError:
            return False

    assert [in_frames(frames, is_read) for frames in (0, 600)] == [allowed, allowed]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("x" * 1000),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=40, deadline=None)
@given(fields=st.dictionaries(st.text(), VALUES))
def test_an_object_that_was_parted_is_joined_whole_and_in_order(fields: dict[str, Any]) -> None:
    joined = join_object(*part_object(fields))
    assert json.dumps(joined) == json.dumps(fields)


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, (1 << 18) - 1, (1 << 18) + 1])
@pytest.mark.parametrize("word", ["word ", "é\n", "x\n\n", "<P>&amp; "])
def test_trec_and_smart_texts_are_read_as_in_this_process(size: int, word: str) -> None:
    text = (word * size)[: size - len("T")] + "T"
    trec = f"<TITLE>{word}</TITLE>\n<TEXT>\n{text}\n</TEXT>\n"
    smart = text.replace("\n.", "\n") + "\n"
    files = {
        f"<DOC>\n<DOCNO>a</DOCNO>{trec}</DOC>\n": Task("trec", "text/plain", f"\n{trec}".encode()),
        f".I a\n.T\ntitle\n.W\n{smart}": Task("smart", "text/plain", smart.encode(), header=b"title\n"),
    }
    for file, task in files.items():
        [document] = iter_documents(io.BytesIO(file.encode()), "f")
        expected = read_content(task)
        assert (document.title, document.body) == (expected.title, expected.body)
        short = read_content(
            Task(task.kind, "text/plain", task.content.replace(text.encode(), b"T"), task.header)
        )
        assert document.title == short.title
        assert document.body.split()[-1].endswith("T")


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 18])
@pytest.mark.parametrize("before", ["", "short\n", "a\n" * 20])
@pytest.mark.parametrize("behind", ["", "\n", "\nshort\n", "\n" + "a\n" * 20])
def test_the_longest_line_does_not_depend_on_its_place(before: str, behind: str, block: int) -> None:
    def read(size: int) -> list[tuple[int, bytes]]:
        data = f"{before}{'x' * size}{behind}".encode()
        errors = ErrorList("f")
        return list(text_lines(LineBlocks(io.BytesIO(data), errors, block=block, longest=50), errors))

    assert read(50) == list(enumerate(f"{before}{'x' * 50}{behind}".encode().splitlines(), 1))
    with pytest.raises(FormatError) as refused:
        read(51)
    assert refused.value.errors[0].line == before.count("\n") + 1
