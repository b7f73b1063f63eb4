"""Which topics are offered to an assessor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from campaigns.topic_offers.offers import TopicStanding, offers

FRESH = TopicStanding(
    topic_id=0,
    campaign_id=1,
    number="0",
    title="",
    description="",
    judged=0,
    open=False,
    postponed=0,
    others=False,
    remaining=50,
    weight=0.0,
    minimum=40,
)


def topics(count: int) -> list[TopicStanding]:
    return [replace(FRESH, topic_id=place, number=str(place)) for place in range(count)]


def test_ten_are_drawn_and_the_draw_stays_until_a_topic_is_begun() -> None:
    fifty = topics(50)
    first = offers(fifty, seed="1:7")
    assert len(first.drawn) == 10
    assert offers(fifty, seed="1:7").drawn == first.drawn
    begun = replace(first.drawn[0], judged=1)
    after = offers([begun if t.topic_id == begun.topic_id else t for t in fifty], seed="1:7")
    assert after.in_progress == [begun]
    assert begun not in after.drawn
    assert after.drawn != first.drawn


def test_different_people_draw_differently() -> None:
    fifty = topics(50)
    assert offers(fifty, seed="1:7").drawn != offers(fifty, seed="1:8").drawn


def test_topics_nobody_has_begun_come_first() -> None:
    mixed = [replace(topic, others=topic.topic_id >= 4) for topic in topics(30)]
    drawn = offers(mixed, seed="1:7").drawn
    assert {0, 1, 2, 3} < {topic.topic_id for topic in drawn}
    assert len(drawn) == 10


def test_the_organisers_order_is_by_weight_then_position() -> None:
    first, heavy, as_heavy = topics(3)
    heavy, as_heavy = replace(heavy, weight=0.4), replace(as_heavy, weight=0.4)
    assert offers([first, heavy, as_heavy], seed="1:7").next_in_order == heavy
    taken = replace(heavy, open=True)
    assert offers([first, taken, as_heavy], seed="1:7").next_in_order == as_heavy


def test_where_topics_take_turns_the_least_judged_comes_next() -> None:
    first, heavy, untouched, as_untouched = topics(4)
    heavy = replace(heavy, weight=1.0)
    four = [first, heavy, untouched, as_untouched]
    assert offers(four, seed="1:7", turns={0: 2, 1: 1, 2: 0, 3: 0}).next_in_order == untouched
    assert offers(four, seed="1:7", turns={0: 2, 1: 1, 2: 3, 3: 4}).next_in_order == heavy
    assert offers([], seed="1:7", turns={}).next_in_order is None


def test_a_topic_without_unjudged_documents_is_not_offered() -> None:
    empty = replace(FRESH, remaining=0, weight=0.0)
    result = offers([empty], seed="1:7")
    assert result.drawn == []
    assert result.next_in_order is None


def test_finished_by_the_minimum_or_by_exhaustion() -> None:
    enough = replace(FRESH, topic_id=1, judged=40)
    nothing_left = replace(FRESH, topic_id=2, judged=3, remaining=0)
    set_aside = replace(FRESH, topic_id=3, judged=3, remaining=0, postponed=1)
    result = offers([enough, nothing_left, set_aside], seed="1:7")
    assert result.finished == [enough, nothing_left]
    assert result.in_progress == [set_aside]


def test_a_topic_the_worker_has_not_counted_is_offered() -> None:
    uncounted = replace(FRESH, remaining=None)
    assert offers([uncounted], seed="1:7").drawn == [uncounted]


def test_assigned_topics_come_first_and_those_of_others_are_not_offered() -> None:
    mine, theirs, both, free = topics(4)
    mine = replace(mine, assigned=True)
    theirs = replace(theirs, assigned_to_others=True, weight=0.9)
    both = replace(both, assigned=True, assigned_to_others=True)
    found = offers([mine, theirs, both, free], seed="1:7")
    assert found.assigned == [mine, both]
    assert found.drawn == [free]
    assert found.next_in_order == free


def test_where_topics_are_assigned_there_is_nothing_to_choose() -> None:
    mine, free, taken_back = topics(3)
    mine, taken_back = replace(mine, assigned=True), replace(taken_back, judged=3)
    found = offers([mine, free, taken_back], seed="1:7", choice="assigned")
    assert found.assigned == [mine]
    assert (found.drawn, found.next_in_order, found.in_progress) == ([], None, [])


def test_a_closed_topic_is_finished_and_not_offered() -> None:
    untouched, begun = (replace(topic, closed=True, assigned=True) for topic in topics(2))
    begun = replace(begun, judged=3)
    found = offers([untouched, begun], seed="1:7")
    assert found.finished == [begun]
    assert (found.assigned, found.drawn, found.in_progress) == ([], [], [])


def test_own_topics_are_narrowed_and_sorted_while_others_stay() -> None:
    given = [
        replace(FRESH, topic_id=place, number=number, title=title, judged=judged, assigned=True)
        for place, (number, title, judged) in enumerate(
            [("10", "sorting rows", 0), ("9", "Sorting columns", 30), ("2", "matrices", 0)]
        )
    ]
    found = offers([*given, replace(FRESH, topic_id=9, number="99")], seed="1:7")
    own = found.narrowed(words="SORT", sort="number")
    assert [topic.number for topic in own.assigned + own.in_progress] == ["10", "9"]
    assert own.drawn == found.drawn
    assert (found.own, own.own) == (3, 2)
    in_order = found.narrowed(words="", sort="number")
    assert [topic.number for topic in in_order.assigned] == ["2", "10"]
    titles = found.narrowed(words="", sort="title")
    assert [topic.title for topic in titles.assigned] == ["matrices", "sorting rows"]
    assert found.narrowed(words="", sort="colour") == found


@pytest.mark.parametrize("sort", ["", "number", "title"])
def test_the_topic_of_the_number_sought_comes_first(sort: str) -> None:
    numbers = [*(f"{place}17A" for place in range(60)), "17a", "18"]
    given = [
        replace(FRESH, topic_id=place, number=number, title=number, assigned=True)
        for place, number in enumerate(numbers)
    ]
    found = offers(given, seed="1:7").narrowed(words=" 17A ", sort=sort)
    assert len(found.assigned) == 61
    assert found.assigned[0].number == "17a"


def test_topics_in_which_anchors_wait_come_first() -> None:
    thirty = [replace(topic, weight=1.0, anchored=topic.topic_id >= 27) for topic in topics(30)]
    found = offers(thirty, seed="1:7")
    assert {27, 28, 29} < {topic.topic_id for topic in found.drawn}
    assert found.next_in_order == thirty[27]
    assert found.drawn == offers(thirty, seed="1:7").drawn
    begun = [replace(topic, judged=1, assigned=True) for topic in thirty[26:28]]
    going_on = offers([*begun, *thirty[:26]], seed="1:7")
    assert [topic.topic_id for topic in going_on.in_progress] == [27, 26]
    assigned = [replace(topic, assigned=True) for topic in thirty]
    assert [topic.topic_id for topic in offers(assigned, seed="1:7").assigned[:4]] == [27, 28, 29, 0]
    assert offers([*begun, *thirty[28:]], seed="1:7").after("27") == thirty[28]
    assert offers(begun, seed="1:7").after("27") == begun[0]


def test_an_anchor_calls_back_to_a_topic_with_its_minimum_alone() -> None:
    enough = replace(FRESH, judged=40, anchored=True)
    assert offers([enough], seed="1:7").in_progress == [enough]
    for over in (replace(enough, closed=True), replace(enough, done=True)):
        assert offers([over], seed="1:7").finished == [over]
    given_to_others = offers([enough], seed="1:7", choice="assigned")
    assert (given_to_others.in_progress, given_to_others.finished) == ([], [enough])
    unreleased = replace(FRESH, anchored=True, released=False)
    assert offers([unreleased], seed="1:7").next_in_order is None
    others_alone = replace(FRESH, anchored=True, assigned_to_others=True)
    assert offers([others_alone], seed="1:7").drawn == []
