from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.formats.topics import TopicRecord, read_topics
from tests.campaigns.formats.sample_files import details, file_of, refusal


def read(content: str | bytes) -> list[TopicRecord]:
    return read_topics(file_of(content), "some.topics")


AD_HOC = """
<top>

<num> Number: 051
<title> Airbus  Subsidies &amp; loans

<desc> Description:
How large are the
subsidies?

Per year.

<narr> Narrative:
Relevant if x < y; not if it says <b>nothing</b>.

</top>

<top>
<head> Tipster Topic Description
<num> Number:  052
<dom> Domain:  International Economics
<title> Topic:  South African Sanctions
<desc> Description: Sanctions.
<con> Concept(s): 1. sanctions
</top>
"""


def test_trec_topics_with_unclosed_tags() -> None:
    first, second = read(AD_HOC)
    assert first == TopicRecord(
        "051",
        "Airbus Subsidies & loans",
        "How large are the subsidies?\n\nPer year.",
        "Relevant if x < y; not if it says <b>nothing</b>.",
    )
    fields = (
        ("head", "Tipster Topic Description"),
        ("dom", "Domain: International Economics"),
        ("con", "Concept(s): 1. sanctions"),
    )
    assert second == TopicRecord("052", "South African Sanctions", "Sanctions.", "", further_fields=fields)
    assert (first.line, second.line) == (2, 18)


def test_trec_topics_with_closed_tags_and_a_prolog() -> None:
    text = (
        "<?xml version='1.0'?><xml><top lang='EN'><num>C1</num><EN-title>Cows</EN-title>\n"
        "<EN-desc>Find cows.</EN-desc><EN-narr></EN-narr></top></xml>"
    )
    assert read(text) == [TopicRecord("C1", "Cows", "Find cows.", "", further_fields=(("lang", "EN"),))]


def test_a_missing_end_of_topic_ends_at_the_next() -> None:
    topics = read("<top><num>1<title>a\n<top><num>2<title>b</top>")
    assert [(topic.number, topic.title) for topic in topics] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        (
            "<top>\n<num> 1\n<title> a\n<num> 2\n</top>",
            4,
            "a second <num> in the topic that begins in line 1",
        ),
        ("<top>\n<title> a\n</top>", 1, "the topic is empty"),
        ("<top>\n<num> 1\n</top>", 1, "topic '1' has neither title nor description"),
        ("<top>\n<num> 1 2\n<title> a</top>", 1, "a topic is one word, without blanks"),
        (
            "<top><num>1<title>a</top>\n<top><num> 1<title>b</top>",
            2,
            "topic '1' a second time; the first begins",
        ),
        (
            "<top><num>1<title>a</top>\nlost\n<top><num>2<title>b</top>",
            2,
            "text that belongs to no field: 'lost'",
        ),
        ("<top><num>1</num>\n\n lost <title>a</top>", 3, "text that belongs to no field: 'lost'"),
        ("<top><num>1<title>a</top>\n<desc> lost", 2, "<desc> outside of a <top>"),
    ],
)
def test_broken_trec_topics_name_the_line(text: str, line: int, detail: str) -> None:
    error = refusal(read_topics, text)
    assert (error.errors[0].line, error.total) == (line, 1)
    assert detail in error.errors[0].detail


COVID = """<?xml version="1.0" encoding="latin-1"?>
<topics task="COVIDSearch 2020" batch="1">\r
  <topic number="1">
    <query>coronavirus <i>origin</i></query>
    <question>what is the origin of COVID-19 &amp; é</question>
    <narrative>seeking
      information</narrative>
  </topic>
  <topic><num> 2 </num><title>masks</title></topic>
  <topic number="3"> A 45-year-old
   man. </topic>
</topics>
"""


def test_xml_topics() -> None:
    assert read(COVID) == [
        TopicRecord("1", "coronavirus origin", "what is the origin of COVID-19 & é", "seeking information"),
        TopicRecord("2", "masks", "", ""),
        TopicRecord("3", "A 45-year-old man.", "A 45-year-old man.", ""),
    ]
    assert [topic.line for topic in read(COVID)] == [3, 9, 10]


@pytest.mark.parametrize(
    ("text", "line", "detail"),
    [
        ("<topics>\n<topic number='1'><query>a</topic></topics>", 2, "not well-formed XML: mismatched tag"),
        ("<topics>\n<topic number='1'><query>a</query></topic>", 2, "not well-formed XML: no element found"),
        ("<topics>\n<topic><query>a</query></topic></topics>", 2, "the topic is empty"),
        (
            '<!DOCTYPE t [\n<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]>\n<t><topic number="1">&b;</topic></t>',
            2,
            "declares an entity",
        ),
        (
            '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><t><topic number="1">&x;</topic></t>',
            1,
            "declares an entity",
        ),
    ],
)
def test_broken_xml_names_the_line(text: str, line: int, detail: str) -> None:
    error = refusal(read_topics, text)
    assert error.errors[0].line == line
    assert detail in error.errors[0].detail


def test_tab_separated_topics() -> None:
    assert read("1\tcats  and dogs\n\n002\t x \r\n") == [
        TopicRecord("1", "cats and dogs"),
        TopicRecord("002", "x"),
    ]
    assert read("7\ta\tb\tc\n") == [TopicRecord("7", "a", "b", "c")]
    error = refusal(read_topics, "1\ta\n2\tb\tc\n3 d\n")
    assert [line for line, _ in details(error)] == [2, 3]
    assert "3 fields between tabs where 2 (number, title) are wanted" in str(error)


@pytest.mark.parametrize(
    ("record", "topic"),
    [
        (
            {"number": "1", "title": "a", "description": "b", "narrative": "c"},
            TopicRecord("1", "a", "b", "c"),
        ),
        ({"_id": "PLAIN-1", "text": "a", "metadata": {}}, TopicRecord("PLAIN-1", "a")),
        ({"qid": 7, "query": "a\nb", "question": "c"}, TopicRecord("7", "a b", "c")),
        ({"topic_id": " 007 ", "title": "a", "text": "b", "narr": None}, TopicRecord("007", "a", "b")),
        ({"id": "1", "title": "a\u0000\ud800"}, TopicRecord("1", "a��")),
    ],
)
def test_json_topics_under_the_names_of_several_tools(record: dict[str, object], topic: TopicRecord) -> None:
    assert read(json.dumps(record) + "\n") == [topic]


def test_broken_json_topics_are_all_listed() -> None:
    lines = [
        '{"_id": "1", "text": "a"}',
        '{"_id": "1", "text": "b"}',
        '{"_id": "2", "text": ',
        '["_id", "3"]',
        '{"text": "no number"}',
        '{"_id": true, "text": "b"}',
        '{"_id": "\\ud800", "text": "b"}',
        '{"_id": "8", "text": 8}',
        "[" * 100_000,
        '{"_id": ' + "9" * 5000 + ', "text": "a"}',
    ]
    error = refusal(read_topics, "\n".join(lines))
    by_line = dict(details(error))
    assert "a second time; the first begins in line 1" in by_line[2]
    assert "not JSON: Expecting value at position" in by_line[3]
    assert "not a JSON object" in by_line[4]
    assert "no topic" in by_line[5]
    assert "no topic" in by_line[6]
    assert "half a character" in by_line[7]
    assert "“text” is not a string: '8'" in str(error)
    assert "not JSON" in by_line[9]
    assert "not JSON" in by_line[10]


def test_smart_queries() -> None:
    text = ".I 001\r\n.W\r\nwhat similarity\r\nlaws\r\n.I 002\r\n.T\r\na title\r\n.W\r\nsome text\r\n"
    assert read(text) == [
        TopicRecord("001", "what similarity laws"),
        TopicRecord("002", "a title", "some text"),
    ]


@pytest.mark.parametrize("content", ["[]", "hello", "<unheard>"])
def test_unknown_formats_say_what_is_known_and_what_was_found(content: str) -> None:
    error = refusal(read_topics, content)
    assert error.errors[0].line == 1
    assert "not a topics file that is read here (TREC <top> or <topic>, tab-separated" in str(error)
    assert content[:5].strip() in str(error)


def test_empty_and_undecodable_files() -> None:
    assert "an empty file" in str(refusal(read_topics, " \n"))
    assert details(refusal(read_topics, "1\ta\n2\tcaf\xe9\n".encode("latin-1"))) == [
        (2, "byte 0xe9 at position 6 is not UTF-8 (unexpected end of data)")
    ]
    assert "a NUL byte at position 3" in str(refusal(read_topics, "1\t\0\n"))
    assert "larger than 10 bytes" in str(refusal(read_topics, "1\t" + "a" * 20, max_bytes=10))


words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)


@given(st.dictionaries(words, st.lists(words, min_size=1, max_size=4), min_size=1, max_size=5))
def test_one_topic_set_reads_alike_in_every_format(topics: dict[str, list[str]]) -> None:
    rows = [(number, " ".join(title)) for number, title in topics.items()]
    expected = [TopicRecord(number, title) for number, title in rows]
    assert read("".join(f"<top>\n<num> Number: {n}\n<title> {t}\n</top>\n" for n, t in rows)) == expected
    assert (
        read(f"<ts>{''.join(f'<topic><num>{n}</num><query>{t}</query></topic>' for n, t in rows)}</ts>")
        == expected
    )
    assert read("".join(f"{n}\t{t}\n" for n, t in rows)) == expected
    assert read("".join(json.dumps({"_id": n, "text": t}) + "\n" for n, t in rows)) == expected
    assert read("".join(f".I {n}\n.W\n{t}\n" for n, t in rows)) == expected


def test_labels_are_left_out_where_a_field_begins() -> None:
    (topic,) = read_topics(
        file_of(
            "<top>\n<num> Number: 7\n<title> T\n<narr> Narrative: Not the Narrative: of another\n</top>\n"
        ),
        "f",
    )
    assert (topic.number, topic.narrative) == ("7", "Not the Narrative: of another")


def test_a_title_of_many_blank_lines_is_read_in_linear_time() -> None:
    (topic,) = read_topics(file_of("<top>\n<num> 7\n<title>" + "\n" * 500_000 + "T\n</top>\n"), "f")
    assert topic.title == "T"


def test_a_topic_without_a_title_gets_the_first_words_of_its_description() -> None:
    words = " ".join(f"w{number}" for number in range(20))
    (topic,) = read(f"<top>\n<num> 1\n<desc> Description:\n{words}\n</top>\n")
    assert topic.title == "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 …"
    assert topic.description == words
