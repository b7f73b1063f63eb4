"""Further fields of topics, as tracks and people write them: all are read, under their names."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.formats.errors import Notices
from campaigns.formats.topic_texts.fields import LONGEST_FIELD_NAME, MOST_FIELDS, TopicRecord
from campaigns.formats.topics import read_topics
from campaigns.models import Topic
from campaigns.participants.topic_files import TOPIC_FORMS
from tests.campaigns.formats.sample_files import file_of, refusal


def read(content: str) -> tuple[list[TopicRecord], dict[str, str]]:
    """The topics, and the notices by what was noticed."""
    notices = Notices("topics")
    topics = read_topics(file_of(content), "some.topics", notices=notices)
    return topics, {row["what"]: row["detail"] for row in notices.rows()}


def one(content: str) -> TopicRecord:
    [topic], _ = read(content)
    return topic


def test_web_track_subtopics_have_their_numbers_and_types() -> None:
    topic = one(
        '<webtrack2012><topic number="151" type="ambiguous"><query>403b</query><description>What is it?'
        '</description><subtopic number="1" type="inf">What is a 403b plan?</subtopic>'
        '<subtopic number="2" type="nav">Find the home page.</subtopic></topic></webtrack2012>'
    )
    assert (topic.number, topic.title, topic.description) == ("151", "403b", "What is it?")
    assert topic.further_fields == (
        ("type", "ambiguous"),
        ("subtopic 1 (type inf)", "What is a 403b plan?"),
        ("subtopic 2 (type nav)", "Find the home page."),
    )


def test_clinical_topics_keep_note_and_summary() -> None:
    topic = one(
        '<topics><topic number="1" type="diagnosis"><note>Full note</note><description>A 58-year-old woman.'
        "</description><summary>woman, chest pain</summary></topic></topics>"
    )
    assert topic.title == "A 58-year-old woman."
    assert topic.further_fields == (
        ("type", "diagnosis"),
        ("note", "Full note"),
        ("summary", "woman, chest pain"),
    )


def test_topics_without_any_of_the_known_fields_are_named_by_the_others() -> None:
    topic = one('<topics><topic number="1"><disease>Liposarcoma</disease><gene>CDK4</gene></topic></topics>')
    assert (topic.title, topic.description) == ("Liposarcoma · CDK4", "")
    assert topic.further_fields == (("disease", "Liposarcoma"), ("gene", "CDK4"))


def test_names_are_written_as_in_the_file_and_parts_of_a_narrative_keep_theirs() -> None:
    topic = one(
        "<TOPICS><TOPIC><NUM>001</NUM><SLANG>CH</SLANG><TITLE>Chip</TITLE><DESC>Find it</DESC>"
        "<NARR><BACK>B</BACK><REL>R</REL></NARR><CONC>c1, c2</CONC></TOPIC></TOPICS>"
    )
    assert (topic.number, topic.title, topic.narrative) == ("001", "Chip", "BACK: B\n\nREL: R")
    assert topic.further_fields == (("SLANG", "CH"), ("CONC", "c1, c2"))


def test_a_session_is_judged_and_its_interactions_are_fields() -> None:
    topic = one(
        '<s><session num="7"><topic num="3"><title>Poconos</title><desc>Plan a trip.</desc></topic>'
        '<interaction num="1" type="reformulate"><query>pocono mountains</query></interaction>'
        "<currentquery><query>pocono park</query></currentquery></session></s>"
    )
    assert (topic.number, topic.title, topic.description) == ("7", "Poconos", "Plan a trip.")
    assert topic.further_fields == (
        ("interaction 1 type", "reformulate"),
        ("interaction 1 / query", "pocono mountains"),
        ("currentquery", "pocono park"),
        ("topic", "3"),
    )


def test_second_titles_and_attributes_of_known_fields_are_kept() -> None:
    topic = one(
        '<t><topic number="1" lang="en"><title lang="fr">Chats</title><query>cats</query>'
        "<title>dogs</title><id>x9</id></topic></t>"
    )
    assert topic.title == "cats"
    assert topic.further_fields == (
        ("lang", "en"),
        ("title (lang fr)", "Chats"),
        ("title", "dogs"),
        ("id", "x9"),
    )


def test_ends_of_elements_are_breaks_but_not_inside_a_word() -> None:
    topic = one(
        '<t><topic number="1"><title>H<sub>2</sub>O</title><desc><p>One.</p><p>Two.</p></desc>'
        "<back><item>a</item><item>b</item></back></topic></t>"
    )
    assert (topic.title, topic.description) == ("H2O", "One.\n\nTwo.")
    assert topic.further_fields == (("back / item", "a"), ("back / item", "b"))


def test_text_outside_of_topics_and_comments_are_noticed() -> None:
    _, noticed = read(
        '<t task="COVID"><note>lost</note><topic number="1"><query>a</query><!-- why --></topic></t>'
    )
    assert "t, note" in noticed["text outside of topics"]
    assert "comments" in noticed


EARLY_TREC = """<top>
<head> Tipster Topic Description
<num> Number:  052
<dom> Domain:  International Economics
<title> Topic:  South African Sanctions
<desc> Description: Sanctions.
<smry> Summary: Discusses sanctions.
<narr> Narrative: Any sanction.
<con> Concept(s):
1. sanctions

2. boycott
<fac> Factor(s):
<nat> Nationality: South Africa
</nat>
</fac>
<time> Time: current
<def> Definition(s): none
</top>
"""


def test_early_trec_topics_keep_every_field_in_order() -> None:
    topic = one(EARLY_TREC)
    assert (topic.number, topic.title, topic.narrative) == ("052", "South African Sanctions", "Any sanction.")
    assert topic.further_fields == (
        ("head", "Tipster Topic Description"),
        ("dom", "Domain: International Economics"),
        ("smry", "Summary: Discusses sanctions."),
        ("con", "Concept(s): 1. sanctions\n\n2. boycott"),
        ("fac", "Factor(s):"),
        ("nat", "Nationality: South Africa"),
        ("time", "Time: current"),
        ("def", "Definition(s): none"),
    )


def test_clef_topics_keep_a_second_language_and_unknown_tags() -> None:
    topic = one(
        '<top lang="en"><num>C1</num><EN-title>Cows</EN-title><DE-title>Kühe</DE-title>\n'
        '<EN-keys>milk &amp; hay</EN-keys><subtopic number=2 type="nav">A farm with <b>x</b></subtopic></top>'
    )
    assert topic.title == "Cows"
    assert topic.further_fields == (
        ("lang", "en"),
        ("DE-title", "Kühe"),
        ("EN-keys", "milk & hay"),
        ("subtopic 2 (type nav)", "A farm with <b>x</b>"),
    )


def test_sgml_markup_inside_a_line_stays_text() -> None:
    topic = one("<top><num>1<title>x <y> z, <http://a.b>\n<desc>a <foo>b</foo></top>")
    assert (topic.title, topic.description) == ("x <y> z, <http://a.b>", "a <foo>b</foo>")


def test_json_topics_keep_nested_fields() -> None:
    topic = one(
        json.dumps(
            {
                "qid": 7,
                "query": "cats",
                "background": {"who": "Ada", "why": ["work", "fun"]},
                "concepts": ["fur", 3, True],
                "subtopics": [{"number": 1, "text": "a"}, {"number": 2, "text": ["b", "c"]}],
                "empty": None,
            }
        )
    )
    assert topic.further_fields == (
        ("background / who", "Ada"),
        ("background / why", "work\nfun"),
        ("concepts", "fur\n3\ntrue"),
        ("subtopics 1", "number: 1\ntext: a"),
        ("subtopics 2", "number: 2\ntext: b\ntext: c"),
    )


def test_xml_topics_as_campaigns_write_them_are_read_back() -> None:
    fields = [{"name": "subtopics 1", "value": "id: 1\ntext: a < b\n\nmore"}]
    topic = Topic(number="1", title="x", further_fields=fields)
    assert one("".join(TOPIC_FORMS["xml"].lines([topic]))).further_fields == (
        ("subtopics 1", "id: 1\ntext: a < b\n\nmore"),
    )


def test_json_topics_as_campaigns_write_them_are_read_back() -> None:
    fields = [{"name": "subtopic 1", "value": "a\nb"}, {"name": "CONC", "value": "c"}]
    topic = one(json.dumps({"number": "1", "title": "x", "further_fields": fields}))
    assert topic.further_fields == (("subtopic 1", "a\nb"), ("CONC", "c"))


@pytest.mark.parametrize(
    "header", ["qid\tquery\tlang\tcount", "topic_id\tquery\tlang\tcount", "Query-ID\tTEXT\tlang\tcount"]
)
def test_a_first_line_of_column_names_is_a_header(header: str) -> None:
    topics, noticed = read(f"{header}\n1\tcats\ten\t12\n2\tdogs\tde\t3\n")
    assert [(topic.number, topic.title) for topic in topics] == [("1", "cats"), ("2", "dogs")]
    assert topics[0].further_fields == (("lang", "en"), ("count", "12"))
    assert header.replace("\t", ", ") in noticed["header line"]


@pytest.mark.parametrize(
    ("content", "title", "narrative"),
    [
        ("qid\ttopic\n1\tcats\n", "cats", ""),
        ("id\ttopic\tnarrative\n1\tcats\tAll cats.\n", "cats", "All cats."),
        ("\n\nqid\tquery\n1\tcats\n", "cats", ""),
    ],
)
def test_a_column_has_one_role_and_the_number_comes_first(content: str, title: str, narrative: str) -> None:
    topic = one(content)
    assert (topic.number, topic.title, topic.narrative) == ("1", title, narrative)
    assert topic.further_fields == ()


def test_a_first_topic_is_no_header() -> None:
    topics, noticed = read("1\tquery\n2\ttitle\n")
    assert [topic.title for topic in topics] == ["query", "title"]
    assert not noticed


def test_further_fields_of_smart_queries() -> None:
    topic = one(".I 1\n.W\nwings of aircraft\n.A\nAda\n")
    assert (topic.title, topic.further_fields) == ("wings of aircraft", (("A", "Ada"),))


def test_limits_of_further_fields_are_noticed() -> None:
    many = "".join(f"<f{n % 900}>w{n}</f{n % 900}>" for n in range(MOST_FIELDS + 2))
    long = "n" * (LONGEST_FIELD_NAME + 1)
    topics, noticed = read(f'<t><topic number="1"><query>a</query><{long}>x</{long}>{many}</topic></t>')
    assert len(topics[0].further_fields) == MOST_FIELDS
    assert topics[0].further_fields[0] == (long[:LONGEST_FIELD_NAME], "x")
    assert f"f{MOST_FIELDS + 1}" in noticed["topic fields left out: too many"]
    assert "names of topic fields cut" in noticed


def test_fields_beyond_the_limit_are_counted_and_the_title_after_them_is_read() -> None:
    many = "".join(f"<q>w{n}</q>" for n in range(20_000)) + '<q id="7"/>' * 3
    around, closing = ("".join(f"<{slash}{'n' * 200}>" * 30) for slash in ("", "/"))
    notices = Notices("topics")
    content = f'<t><topic number="1">{around}{many}{closing}<query>cats</query></topic></t>'
    [topic] = read_topics(file_of(content), "some.topics", notices=notices)
    assert (topic.title, len(topic.further_fields)) == ("cats", MOST_FIELDS)
    counts = {row["what"]: row["count"] for row in notices.rows()}
    assert counts["topic fields left out: too many"] == 20_003 - MOST_FIELDS


@pytest.mark.parametrize(
    ("inside", "detail"),
    [
        ("<a>" * 33, "a topic with more than 32 elements inside each other"),
        (f"<{'n' * 1001}>", "a name of a tag longer than 1,000 characters"),
    ],
)
def test_deep_elements_and_long_names_of_tags_are_refused(inside: str, detail: str) -> None:
    error = refusal(read_topics, f'<t><topic number="1"><query>a</query>\n{inside}')
    assert (error.errors[0].line, error.total) == (2, 1)
    assert detail in error.errors[0].detail


def test_a_number_stands_in_a_name_or_is_a_field() -> None:
    topic = one(
        '<t><topic number="1"><query>a</query><part id="1"/><part id="11"><x>w</x></part>'
        '<field name="objects"/></topic></t>'
    )
    assert topic.further_fields == (("part 11 / x", "w"), ("part", "1"), ("field", "objects"))


def test_a_topic_of_attributes_alone_is_refused() -> None:
    error = refusal(read_topics, '<t><topic number="1" type="x"/></t>')
    assert "neither title nor description" in error.errors[0].detail


WORD = st.from_regex(r"[a-zé]{3,8}", fullmatch=True).map("w{}".format)
NAME = st.sampled_from(["title", "desc", "narr", "query", "topic", "note", "p", "i", "subtopic", "id", "num"])
TREE = st.recursive(
    st.tuples(NAME, st.dictionaries(NAME, WORD, max_size=2), WORD, st.just(())),
    lambda inner: st.tuples(
        NAME, st.dictionaries(NAME, WORD, max_size=2), WORD, st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=8,
)


def as_xml(tree: tuple) -> str:  # type: ignore[type-arg]
    name, attributes, word, inner = tree
    said = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{said}> {word} {''.join(map(as_xml, inner))}</{name}>"


def words_of(topics: list[TopicRecord], noticed: dict[str, str]) -> str:
    parts = [part for t in topics for part in (t.number, t.title, t.description, t.narrative)]
    parts += [part for topic in topics for pair in topic.further_fields for part in pair]
    return " ".join([*parts, *noticed, *noticed.values()])


@given(st.lists(TREE, max_size=4))
def test_every_word_of_xml_is_in_the_record(trees: list) -> None:  # type: ignore[type-arg]
    xml = f'<topics><topic number="1"><query>cats</query>{"".join(map(as_xml, trees))}</topic></topics>'
    kept = words_of(*read(xml))
    for word in re.findall(r"w[a-zé]{3,8}", xml):
        assert word in kept


@given(
    st.recursive(
        WORD | st.integers() | st.booleans(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
        max_leaves=10,
    )
)
def test_every_word_of_json_is_in_the_record(value: object) -> None:
    line = json.dumps({"qid": "1", "query": "cats", "more": value}, ensure_ascii=False)
    kept = words_of(*read(line))
    for word in re.findall(r"w[a-zé]{3,8}", json.dumps(value, ensure_ascii=False)):
        assert word in kept or not _has_value(value)


def _has_value(value: object) -> bool:
    """True unless a name has nothing under it."""
    if isinstance(value, dict):
        return bool(value) and all(map(_has_value, value.values()))
    return not isinstance(value, list) or (bool(value) and all(map(_has_value, value)))


@given(
    st.lists(st.tuples(st.sampled_from(["con", "fac", "narr", "keys", "b", "DE-title"]), WORD), max_size=6)
)
def test_every_word_of_sgml_is_in_the_record(fields: list[tuple[str, str]]) -> None:
    lines = "".join(f"\n<{tag}> {word}" for tag, word in dict(fields).items())
    kept = words_of(*read(f"<top>\n<num> 1\n<EN-title> cats{lines}\n</top>"))
    assert all(word in kept for word in dict(fields).values())
