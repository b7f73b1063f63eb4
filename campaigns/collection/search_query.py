"""A query of the search: as Postgres reads it, and the pieces of a text that it matches."""

from __future__ import annotations

import operator
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, islice

from campaigns.collection.search_index import LANGUAGE, parsed_query
from campaigns.collection.terms import (
    Token,
    divisions,
    find_in_run,
    grams,
    is_korean,
    korean_stem,
    run_pattern,
    runs_and_rest,
    searchable,
    terms_of_run,
    words,
)

_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
_SAYS = re.compile(r"[^\W_]")
_BLANKS = re.compile(r"[\s\x00-\x1f]+")
_AROUND, _LONGEST, _FRAGMENTS = 60, 180, 2
_MOST_MATCHES = 200
_FRAGMENTS_GAP = " … "


@dataclass
class SearchQuery:
    """`exact`: a tsquery as text, in which letters of a word follow each other; `loose`: in any order.
    `phrases` of words, `beginnings` and `runs`: what is marked, folded."""

    exact: str = ""
    loose: str = ""
    phrases: set[tuple[str, ...]] = field(default_factory=set)
    beginnings: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)

    @property
    def words(self) -> set[str]:
        return {word for phrase in self.phrases for word in phrase}

    @property
    def has_runs(self) -> bool:
        return self.exact != self.loose


def read_query(typed: str) -> SearchQuery:
    """Read a query: words of which all must occur, quotes around words that follow each other, `-` before
    what must not occur, `or` between alternatives."""
    query = SearchQuery()
    query.exact, query.loose = (_alternatives(typed, joiner, query) for joiner in (" <-> ", " & "))
    return query


def _alternatives(typed: str, joiner: str, query: SearchQuery) -> str:
    groups: list[list[str]] = [[]]
    for minus, quoted, word in _PIECE.findall(typed):
        if word.lower() == "or" and not minus and groups[-1]:
            groups.append([])
            continue
        marked = SearchQuery() if minus else query
        part = (
            _phrase(searchable(quoted), joiner, marked) if quoted else _word(searchable(word), joiner, marked)
        )
        if part:
            groups[-1].append(f"!({part})" if minus else part)
    return " | ".join(" & ".join(group) for group in groups if group)


def _word(folded: str, joiner: str, query: SearchQuery) -> str:
    """All parts of a word that changes its script."""
    parts: list[str] = []
    for part, is_run in runs_and_rest(folded):
        if not is_run:
            for word in part.split():
                parts += _plain(word, query)
            continue
        for term in terms_of_run(part):
            ways = divisions(term)
            query.runs |= {word for way in ways for word in way}
            parts.append(" | ".join(" & ".join(_letters(word, joiner) for word in way) for way in ways))
    return " & ".join(f"({part})" for part in parts)


def _phrase(folded: str, joiner: str, query: SearchQuery) -> str:
    """Words that follow each other."""
    parts: list[str] = []
    rest = [(part, is_run) for part, is_run in runs_and_rest(folded) if is_run or _SAYS.search(part)]
    for (part, is_run), after in zip(rest, [*rest[1:], None], strict=True):
        if not is_run:
            query.phrases.add(tuple(token.form for token in words(part)))
            parts.append(_quoted(part))
            continue
        query.runs.add(part)
        # The last letter closes a run that something follows.
        parts.append(joiner.join(map(_quoted, grams(part))) if after else _letters(part, joiner))
    return f"({joiner.join(parts)})" if parts else ""


def _plain(word: str, query: SearchQuery) -> Iterator[str]:
    if is_korean(word):
        query.beginnings.add(korean_stem(word))
        yield f"{_quoted(korean_stem(word))}:*"
    elif _SAYS.search(word):
        query.phrases.add(tuple(token.form for token in words(word)))
        yield _quoted(word)


def _letters(word: str, joiner: str) -> str:
    """A word without blanks: its pairs of letters, or the pairs that its only letter begins."""
    pairs = grams(word)
    return f"({joiner.join(map(_quoted, pairs[:-1]))})" if len(pairs) > 1 else f"{_quoted(word)}:*"


def _quoted(word: str) -> str:
    escaped = parsed_query(word).replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def shown_words(text: str) -> str:
    """Text with single blanks, and nothing else that is not seen."""
    return _BLANKS.sub(" ", text).strip()


STEMS = f"SELECT word, coalesce((ts_lexize('{LANGUAGE}_stem', word))[1], '') FROM unnest(%s::text[]) word"  # noqa: S608


def pieces_of(
    text: str, tokens: Sequence[Token], query: SearchQuery, stems: dict[str, str]
) -> list[tuple[str, bool]]:
    """The parts of a text around its densest matches, or its beginning, in pieces, each with whether it is a
    match."""
    matches = _merged(list(islice(_matches(tokens, query, stems), _MOST_MATCHES)))
    pieces: list[tuple[str, bool]] = []
    for start, end in _windows(text, matches):
        if pieces:
            pieces.append((_FRAGMENTS_GAP, False))
        done = start
        for first, last in matches:
            if start <= first and last <= end:
                pieces += [(text[done:first], False), (text[first:last], True)]
                done = last
        pieces.append((text[done:end], False))
    return [(piece, matched) for piece, matched in pieces if piece]


def _matches(tokens: Sequence[Token], query: SearchQuery, stems: dict[str, str]) -> Iterator[tuple[int, int]]:
    phrases = _phrases_by_first(query, stems)
    beginnings, sought = tuple(query.beginnings), run_pattern(query.runs)
    for at, token in enumerate(tokens):
        if token.joined:
            if sought:
                yield from find_in_run(token, sought)
            continue
        if beginnings and token.form.startswith(beginnings):
            yield token.start, token.end
        for phrase in phrases.get(stems.get(token.form, token.form), ()):
            following = tokens[at : at + len(phrase)]
            if len(following) == len(phrase) and all(
                not each.joined and stem in ("", stems.get(each.form, each.form))
                for each, stem in zip(following, phrase, strict=True)
            ):
                yield from ((each.start, each.end) for each in following)


def _phrases_by_first(query: SearchQuery, stems: dict[str, str]) -> dict[str, list[list[str]]]:
    """Stems of each phrase, by the first. Stop words have none: inside a phrase, they stand for any word."""
    phrases: dict[str, list[list[str]]] = defaultdict(list)
    for phrase in query.phrases:
        stemmed = [stems.get(word, word) for word in phrase]
        stemmed = list(dropwhile(operator.not_, stemmed))
        while stemmed and not stemmed[-1]:
            stemmed.pop()
        if stemmed:
            phrases[stemmed[0]].append(stemmed)
    return phrases


def _merged(matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Matches in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(matches):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _windows(text: str, matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Up to two parts of the text, those with the most matches, in order."""
    if not matches:
        return [_cut(text, 0, _LONGEST)]
    reach = _LONGEST - 2 * _AROUND
    inside: list[tuple[int, int]] = []
    last = 0
    for first, (start, _) in enumerate(matches):
        while last < len(matches) and matches[last][1] <= start + reach:
            last += 1
        inside.append((max(last - first, 1), first))
    chosen: list[tuple[int, int]] = []
    for count, first in sorted(inside, key=lambda each: (-each[0], each[1])):
        window = _cut(text, matches[first][0] - _AROUND, matches[first + count - 1][1] + _AROUND)
        if all(window[1] <= start or end <= window[0] for start, end in chosen):
            chosen.append(window)
        if len(chosen) == _FRAGMENTS:
            break
    return sorted(chosen)


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """A part that begins and ends between words, where a blank is near."""
    start, end = max(start, 0), min(end, len(text))
    if start:
        blank = text.find(" ", start, start + _AROUND // 2)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", end - _AROUND // 2, end)
        end = blank if blank >= 0 else end
    return start, end
