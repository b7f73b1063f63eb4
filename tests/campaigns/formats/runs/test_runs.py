"""Run files as they really are: what is taken, in which order, and what is noticed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.campaigns.formats.sample_files import noticed, read_run

TIDY = "401 Q0 d1 1 3.5 tag\n401 Q0 d2 2 2.5 tag\n402 Q0 d1 1 9 tag\n402 Q0 d3 2 1e-3 tag\n"


def test_a_tidy_run_is_taken_as_it_is() -> None:
    run = read_run(TIDY)
    assert run.tag == "tag"
    assert {number: ranking.docnos for number, ranking in run.rankings.items()} == {
        "401": ["d1", "d2"],
        "402": ["d1", "d3"],
    }
    assert run.rankings["402"].scores.dtype == np.float64
    assert run.rankings["402"].scores.tolist() == [9.0, 1e-3]
    assert (run.report.lines, run.report.topics, run.report.longest_list) == (4, 2, 2)
    assert noticed(run) == {}
    assert run.report.as_rows() == []


def test_lines_are_known_for_later_errors() -> None:
    run = read_run(TIDY)
    assert run.line_of("402", "d3") == 4
    assert run.line_of("402", "nowhere") is None
    assert run.rankings["402"].line == 3


@pytest.mark.parametrize(
    ("content", "counted"),
    [
        (TIDY.replace("\n", "\r\n"), {"carriage_returns": 4}),
        (TIDY.rstrip("\n"), {"no_final_newline": 1}),
        ("\ufeff" + TIDY, {"byte_order_mark": 1}),
        (TIDY.replace(" ", "\t"), {}),
        (TIDY.replace(" ", " \t  "), {}),
        (TIDY.replace("\n", "     \n"), {}),
        ("   " + TIDY.replace("\n", "\n\t"), {"blank_lines": 1, "no_final_newline": 1}),
        (TIDY.replace(" Q0 ", " 4.5 "), {"odd_iterations": 4}),
        ("\n\n" + TIDY + "\n", {"blank_lines": 3}),
        ("# made by hand\n" + TIDY + " # a b c d e\n", {"comments": 2}),
    ],
)
def test_untidy_files_are_the_same_run_and_counted(content: str, counted: dict[str, int]) -> None:
    run = read_run(content)
    plain = read_run(TIDY)
    assert noticed(run) == counted
    assert run.tag == plain.tag
    assert list(run.rankings) == list(plain.rankings)
    for number, ranking in run.rankings.items():
        assert ranking.docnos == plain.rankings[number].docnos
        assert ranking.scores.tolist() == plain.rankings[number].scores.tolist()


def test_the_score_decides_and_not_the_place_or_the_rank() -> None:
    run = read_run("1 Q0 a 1 1.0 t\n1 Q0 b 2 3.0 t\n1 Q0 c 3 2.0 t\n")
    assert run.rankings["1"].docnos == ["b", "c", "a"]
    assert run.rankings["1"].lines.tolist() == [2, 3, 1]
    assert noticed(run) == {"order_disagrees": 2, "rank_disagrees": 1}


def test_ties_go_by_docno_descending_whatever_the_ranks_say() -> None:
    run = read_run("1 Q0 a 1 1.0 t\n1 Q0 c 2 1 t\n1 Q0 b 3 1.00 t\n1 Q0 z 4 0.5 t\n")
    assert run.rankings["1"].docnos == ["c", "b", "a", "z"]
    assert noticed(run) == {"ties": 3}


def test_ties_go_by_the_bytes_of_utf8() -> None:
    # U+FF5E is three bytes, U+10000 four: as UTF-16 they would go the other way around.
    run = read_run("1 Q0 ～ 1 1 t\n1 Q0 𐀀 2 1 t\n1 Q0 zz 3 1 t\n1 Q0 é 4 1 t\n1 Q0 z 5 1 t\n")
    assert run.rankings["1"].docnos == ["𐀀", "～", "é", "zz", "z"]


CLOSE = "1 Q0 a 1 0.30000001 t\n1 Q0 b 2 0.3 t\n"


def test_scores_are_compared_as_doubles_and_another_order_of_old_versions_is_counted() -> None:
    run = read_run(CLOSE)
    assert (run.score_precision, run.rankings["1"].docnos) == (64, ["a", "b"])
    assert noticed(run) == {"order_by_rounding": 1}
    (row,) = run.report.as_rows()
    assert (row["what"], row["count"]) == ("neighbours in the other order in trec_eval 9.0.8 and older", 1)
    # Docnos fall as well: the older rule gives the same order, and there is nothing to say.
    assert noticed(read_run(CLOSE.replace("a", "c"))) == {}


def test_scores_that_are_equal_as_32_bit_floats_tie_by_the_older_rule() -> None:
    run = read_run(CLOSE, score_precision=32)
    assert (run.score_precision, run.rankings["1"].docnos) == (32, ["b", "a"])
    assert run.rankings["1"].scores.dtype == np.float32
    assert noticed(run) == {"ties": 2, "ties_by_rounding": 1, "topics_tied": 1}
    assert noticed(read_run(CLOSE.replace("a", "c"), score_precision=32)) == {
        "ties": 2,
        "ties_by_rounding": 1,
        "topics_tied": 1,
    }


def test_scores_beyond_32_bit_floats_are_compared_as_doubles() -> None:
    run = read_run("1 Q0 a 1 1e39 t\n1 Q0 b 2 1.7976931348623157e308 t\n1 Q0 c 3 -1e300 t\n")
    assert run.rankings["1"].docnos == ["b", "a", "c"]
    assert noticed(run) == {"order_disagrees": 1, "rank_disagrees": 1}


@pytest.mark.parametrize(
    ("ranks", "counted"),
    [
        ("0 1 2", {"ranks_from_zero": 1}),
        ("0 0 0", {"ranks_all_zero": 1}),
        ("1 x 3", {"ranks_not_numbers": 1}),
        ("1 -2 3", {"ranks_not_numbers": 1}),
        ("1 2 12345678901", {"ranks_not_numbers": 1}),
        ("7 7 7", {}),
        ("3 2 1", {"rank_disagrees": 2, "topics_reversed": 1}),
        ("3 1 2", {"rank_disagrees": 2}),
    ],
)
def test_ranks_are_ignored_and_counted(ranks: str, counted: dict[str, int]) -> None:
    lines = [f"1 Q0 d{place} {rank} {9 - place} t\n" for place, rank in enumerate(ranks.split())]
    run = read_run("".join(lines))
    assert run.rankings["1"].docnos == ["d0", "d1", "d2"]
    assert noticed(run) == counted


def test_distances_are_recognised_by_their_ranks() -> None:
    """Topic 1 has distances, with a tie; of topic 2 all scores are equal; topic 3 has a single document."""
    distances = [0.1, 0.2, 0.2, 0.5]
    lines = [f"1 Q0 d{rank} {rank} {score} t\n" for rank, score in enumerate(distances, 1)]
    lines += [f"2 Q0 d{rank} {rank} 1 t\n" for rank in (1, 2, 3)]
    run = read_run("".join([*lines, "3 Q0 d 1 1 t\n"]))
    assert run.rankings["1"].docnos == ["d4", "d3", "d2", "d1"]
    assert {name: count for name, count in noticed(run).items() if name.startswith("topics_")} == {
        "topics_reversed": 1,
        "topics_tied": 1,
    }


def test_topics_may_take_turns() -> None:
    lines = [f"{topic} Q0 d{i} 0 {100 - i} t" for i in range(100) for topic in ("9", "10", "x")]
    run = read_run("\n".join(lines))
    assert list(run.rankings) == ["9", "10", "x"]
    for ranking in run.rankings.values():
        assert ranking.docnos == [f"d{i}" for i in range(100)]
    assert run.rankings["10"].lines.tolist() == list(range(2, 301, 3))


def test_a_topic_may_come_back_blocks_later() -> None:
    first = "1 Q0 again 1 5000000 t\n"
    between = "".join(f"2 Q0 document-number-{i} {i} {-i} t\n" for i in range(30_000))
    run = read_run(first + between + first.replace("again", "other"))
    assert run.rankings["1"].docnos == ["other", "again"]
    assert run.rankings["1"].lines.tolist() == [30_002, 1]
    assert run.rankings["2"].docnos[29_999] == "document-number-29999"
    assert run.rankings["2"].lines[29_999] == 30_001


def test_lists_of_any_length_and_short_ones_counted() -> None:
    run = read_run("1 Q0 a 1 1 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n3 Q0 a 1 1 t\n")
    assert noticed(run) == {"short_lists": 2}
    (row,) = run.report.as_rows()
    assert row["count"] == 2
    assert "The longest has 2 documents" in row["detail"]


def test_a_file_of_several_tags_is_one_run_named_by_the_file() -> None:
    run = read_run("1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n")
    assert run.tag == "some.run"
    assert [row["count"] for row in run.report.as_rows() if row["what"] == "tags"] == [2]


@pytest.mark.parametrize(
    "score",
    [
        *(
            "0",
            "-0",
            "1",
            "+1",
            "-1.5",
            ".5",
            "5.",
            "1e3",
            "1E-3",
            "-2.5e+2",
            "3.4028235e38",
            "3.40282356e38",
            "1e-400",
            "00012.5",
        ),
        *("0.48203300482513395", "-0.4820330048251339", "9007199254740993", "0.30000000000000004"),
        *("123456789012345678901234567890", "0." + "0" * 30 + "1", "1" + "0" * 30, "179769313486231.57e-5"),
    ],
)
def test_scores_are_the_nearest_64_bit_number_then_the_nearest_32_bit_one(score: str) -> None:
    line = f"1 Q0 a 1 {score} t\n"
    assert read_run(line).rankings["1"].scores.tolist() == [float(score)]
    older = read_run(line, score_precision=32)
    assert older.rankings["1"].scores.tolist() == [np.float32(float(score))]


def test_lenient_keeps_the_best_of_a_docno_and_closes_the_gap() -> None:
    text = "1 Q0 a 1 1 t\n1 Q0 b 2 5 t\n1 Q0 a 3 9 t more words\n1 Q0 a 4 4 t\n"
    run = read_run(text, lenient=True)
    assert run.rankings["1"].docnos == ["a", "b"]
    assert run.rankings["1"].scores.tolist() == [9, 5]
    counts = noticed(run)
    assert (counts["duplicates_dropped"], counts["columns_dropped"]) == (2, 1)


def test_docnos_are_as_long_as_they_need_to_be() -> None:
    docnos = ["d" * length for length in (1, 7, 8, 9, 16, 17, 64, 512)]
    lines = [f"1 Q0 {docno} 1 {-len(docno)} t" for docno in docnos]
    assert read_run("\n".join(lines)).rankings["1"].docnos == docnos
