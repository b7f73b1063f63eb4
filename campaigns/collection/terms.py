"""Terms of texts in every script: which characters make a word, and which forms of a word are the same.

`static/assess/terms/scripts.js` has the same rules for the browser. Tests of both read the examples in
`tests/front_end/scripts.json`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from campaigns.formats.content_types import Kind, kind_of

HAN = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3105-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff"
)
RARE_HAN = "\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u3096\u309d\u309e"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\uff66-\uff9d"
# Thai, Lao, Myanmar, Khmer, and smaller scripts of their region.
SOUTH_EAST = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u17d7\u17dc"
    "\u1950-\u19c9\u1a20-\u1a7f\ua980-\ua9cf\ua9e0-\ua9ef\uaa60-\uaa7f"
)
# Characters that have no width, and select a direction or the look of others.
_UNSEEN = "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
_HEBREW, _HANGUL = "\u05d0-\u05ea", "\uac00-\ud7a3"

# Accents and points that writers leave out; not the vowel signs of Thai or Hindi, nor the voicing of Kana.
_DROPPED = re.compile(
    # й keeps its sign: it is another letter than и.
    "[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    rf"{_UNSEEN}]|(?<!и)\u0306|(?<=[{_HEBREW}])[\"'’׳״](?=[{_HEBREW}])"
)
# And, the, in, to, from, that, as: written with the word, of which three letters stay.
_HEBREW_PREFIXES = re.compile(rf"(?<!\w)[והבלמשכ]+(?=[{_HEBREW}]{{3}})")
_SAME = dict(
    zip("đłøıςىةیک", ["d", "l", "o", "i", "σ", "ي", "ه", "ي", "ك"], strict=True), ß="ss", æ="ae", œ="oe"
)
for _zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xED0, 0x1040, 0x17E0):
    _SAME |= {chr(_zero + digit): str(digit) for digit in range(10)}
# As they are, these begin no tag and no comment. Folded, they would.
_NO_TAG = re.compile(r"[＜﹤≮]|<(?=[!/?-]*[^\x00-\x7f\w])")
# Thai and Lao letters that Unicode would take apart in the middle of a syllable.
_WHOLE, _SPLIT_WHOLE = "ำຳໜໝ", re.compile("([ำຳໜໝ])")
_DIFFERENT = re.compile(f"[{''.join(_SAME)}]")


def _marks() -> str:
    """Ranges of a regular expression: all signs that belong to the letter before them. Without those beyond
    16 bits, with which the expressions would be slow."""
    codes = [code for code in range(0x10000) if unicodedata.category(chr(code))[0] == "M"]
    starts = [b for a, b in pairwise([-2, *codes]) if b != a + 1]
    ends = [a for a, b in pairwise([*codes, 0x10000]) if b != a + 1]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(starts, ends, strict=True))


def _stacked(last: int) -> re.Pattern[str]:
    """Combining marks on one letter, of codes up to `last`, beyond the 30 of Unicode's stream-safe text."""
    marks = "".join(chr(code) for code in range(last + 1) if unicodedata.combining(chr(code)))
    return re.compile(f"([{marks}]{{30}})[{marks}]+")


# Normalising sorts the marks of a letter, in quadratic time. The second is slow, and rarely needed.
_STACKED, _STACKED_ANYWHERE = _stacked(0xFFFF), _stacked(0x1FFFF)
_SIGNS = f"[{_marks()}{_UNSEEN}]"
_LETTER = r"[^\W_]"
# A letter with its signs. Words of scripts without blanks are sequences of these.
_UNIT = re.compile(f"(?:[{HAN}{HIRAGANA}{KATAKANA}{SOUTH_EAST}]|[{RARE_HAN}])(?:{_SIGNS}|[\uff9e\uff9f])*")
_RUN = re.compile(f"(?:{_UNIT.pattern})+")
_WORD = re.compile(
    f"{_LETTER}+(?:{_SIGNS}++{_LETTER}*+)*+"
    f"(?:(?:['’]|(?<=[{_HEBREW}])[\"׳״](?=[{_HEBREW}])){_LETTER}+(?:{_SIGNS}++{_LETTER}*+)*+)?"
)
_PARTS = re.compile(f"(?P<run>{_RUN.pattern})|[{_HANGUL}]+|(?:(?!{_UNIT.pattern})[^{_HANGUL}])+")
_PARTICLE_OF_CHINESE = re.compile("(?<![目标])的(?![士确])")
_PART = re.compile(
    f"[{HAN}{RARE_HAN}]+|[{KATAKANA}]+|[{HIRAGANA}][{HIRAGANA}ー]*|(?:[{SOUTH_EAST}]{_SIGNS}*)+"
)
_IS_HAN, _IS_HIRAGANA = re.compile(f"[{HAN}{RARE_HAN}]"), re.compile(f"[{HIRAGANA}]")
_JAPANESE_PARTICLES = "のをにはがともへでや"
_KOREAN_PARTICLES = re.compile(
    "(?:에서부터|으로부터|에게서|까지|부터|보다|처럼|에서|에게|한테|께서|으로|이나|하고|이며|라는|[은는이가을를의에로와과도만나께])$"
)
# Koreans write particles behind words of other scripts.
_KOREAN_EDGE = re.compile(rf"(?<=[{_HANGUL}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[{_HANGUL}])")
_HANGUL_WORD = re.compile(f"[{_HANGUL}]+")
_LONGEST_SPLIT = 8


class Token(NamedTuple):
    """A word in its compared form, or a run of a script without blanks (`joined`) as it is written."""

    start: int
    end: int
    form: str
    joined: bool


def fold(text: str) -> str:
    """A text without case, accents, points, Hebrew prefixes and other differences that readers overlook."""
    text = text.lower()
    if text.isascii():
        return text
    text = (_STACKED if max(text) <= "\uffff" else _STACKED_ANYWHERE).sub(r"\1", text)
    text = _NO_TAG.sub(" ", text)
    text = "".join(
        part if part in _WHOLE else unicodedata.normalize("NFKD", part) for part in _SPLIT_WHOLE.split(text)
    )
    text = _HEBREW_PREFIXES.sub("", _DROPPED.sub("", text.lower()))
    return unicodedata.normalize("NFC", _DIFFERENT.sub(lambda each: _SAME[each[0]], text))


def searchable(text: str) -> str:
    """A folded text whose words blanks separate: Postgres takes all punctuation beyond ASCII for letters."""
    folded = fold(text)
    return folded if folded.isascii() else _KOREAN_EDGE.sub(" ", _PUNCTUATION.sub(" ", folded))


# A long text says the same words again and again.
_fold_word = lru_cache(maxsize=50_000)(fold)


def words(text: str) -> Iterator[Token]:
    """Words of a text, and runs of scripts without blanks (`joined`, as they are written), in order."""
    for word in _WORD.finditer(text):
        start, end = word.span()
        if word[0].isascii():
            yield Token(start, end, word[0].lower(), joined=False)
            continue
        for part in _PARTS.finditer(text, start, end):
            form = part[0] if part["run"] else _fold_word(part[0])
            yield Token(*part.span(), form, joined=bool(part["run"]))


def find_in_run(run: Token, sought: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Find a folded run in a run, from its first letter to its last."""
    folded = fold(run.form)
    if not sought.search(folded):
        return
    if folded == run.form:
        yield from ((run.start + match.start(), run.start + match.end()) for match in sought.finditer(folded))
        return
    letters = [(_fold_word(unit[0]), unit.span()) for unit in _UNIT.finditer(run.form)]
    # Of each place of the folded run, the letter.
    spans = [span for form, span in letters for _ in form]
    for match in sought.finditer("".join(form for form, _ in letters)):
        yield run.start + spans[match.start()][0], run.start + spans[match.end() - 1][1]


def run_pattern(runs: Iterable[str]) -> re.Pattern[str] | None:
    """Compile an expression for folded runs, the longest first, in whole letters; None for none."""
    longest_first = sorted(runs, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(f"(?:{'|'.join(map(re.escape, longest_first))})(?!{_SIGNS}|[\uff9e\uff9f])")


def units_of(run: str) -> list[str]:
    """Letters of a folded run, each with its signs."""
    return _UNIT.findall(run)


def grams(run: str) -> list[str]:
    """Each pair of neighbours of a folded run. Its last letter closes it, so every letter begins one."""
    units = units_of(run)
    return [*(first + second for first, second in pairwise(units)), *units[-1:]]


def split_runs(folded: str, run: Callable[[str], str]) -> str:
    """The text with each run of a script without blanks replaced."""
    return folded if folded.isascii() else _RUN.sub(lambda each: run(each[0]), folded)


def runs_and_rest(folded: str) -> Iterator[tuple[str, bool]]:
    """Parts of a folded text, each with whether it is a run of a script without blanks."""
    end = 0
    for run in _RUN.finditer(folded):
        if run.start() > end:
            yield folded[end : run.start()], False
        yield run[0], True
        end = run.end()
    if end < len(folded):
        yield folded[end:], False


def terms_of_run(run: str) -> list[str]:
    """Parts of a run in one script, without what only inflects or connects them.

    Everything, if nothing else is there.
    """
    parts: list[str] = []
    pieces = list(_PART.finditer(run))
    for part, after in zip(pieces, [*pieces[1:], None], strict=True):
        follows = after[0] if after else ""
        if _IS_HIRAGANA.match(part[0]):
            parts += _hiragana_term(part[0], opens=part.start() == 0)
        elif _IS_HAN.match(part[0]):
            parts += _han_terms(part[0], follows)
        else:
            parts.append(part[0])
    return parts or [run]


def _hiragana_term(part: str, *, opens: bool) -> list[str]:
    """Behind other letters, Hiragana are endings and particles."""
    word = part.rstrip(_JAPANESE_PARTICLES) if len(part) > 2 else part
    return [word] if opens and len(word) > 1 else []


def _han_terms(part: str, follows: str) -> list[str]:
    """Words between Chinese particles. One letter before Hiragana is a stem, unless a particle follows."""
    inner = part[:1] + _PARTICLE_OF_CHINESE.sub(" ", part[1:-1]) + part[1:][-1:]
    words = inner.split()
    inflects = _IS_HIRAGANA.match(follows) and follows not in _JAPANESE_PARTICLES
    return words[:-1] if inflects and len(words[-1]) == 1 else words


def korean_stem(word: str) -> str:
    """A word without its last particle, where two syllables or more remain."""
    if not is_korean(word):
        return word
    return word[:2] + _KOREAN_PARTICLES.sub("", word[2:])


def is_korean(word: str) -> bool:
    return _HANGUL_WORD.fullmatch(word) is not None


def divisions(run: str) -> list[list[str]]:
    """Each way to divide up to eight Han letters into words of two to four; other runs are whole."""
    units = units_of(run)
    if not _IS_HAN.match(run) or not 3 < len(units) <= _LONGEST_SPLIT:
        return [[run]]
    return [[run], *(words for words in _divided(units) if len(words) > 1)]


def _divided(units: list[str]) -> Iterator[list[str]]:
    if not units:
        yield []
    for length in range(2, min(4, len(units)) + 1):
        for rest in _divided(units[length:]):
            yield ["".join(units[:length]), *rest]


# Of a longer text, a classifier reads only the beginning: its words would need many times its memory.
MOST_READ = 500_000


def features(text: str) -> list[str]:
    """Terms that a classifier reads: words of two letters or more, and pairs of letters without blanks.

    Those of the first MOST_READ characters.
    """
    text = text[:MOST_READ]
    if text.isascii():
        return _FEATURE.findall(text.lower())
    words: list[str] = []
    # Few letters become as many as 18.
    for part, is_run in runs_and_rest(fold(text)[:MOST_READ]):
        words += grams(part) if is_run else map(korean_stem, _FEATURE.findall(_KOREAN_EDGE.sub(" ", part)))
    return words


_ASCII_WORD = re.compile("[a-z0-9]+")
_ANY_WORD = re.compile(f"{_UNIT.pattern}|(?:(?!{_UNIT.pattern}){_LETTER}{_SIGNS}*)+")


def plain_words(text: str) -> Iterator[str]:
    """Words of a text without case and punctuation, in order. Of a script without blanks, each letter is a
    word."""
    if text.isascii():
        words, text = _ASCII_WORD, text.lower()
    else:
        text = (_STACKED if max(text) <= "\uffff" else _STACKED_ANYWHERE).sub(r"\1", text)
        words, text = _ANY_WORD, unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return (word[0] for word in words.finditer(text))


_PUNCTUATION = re.compile(rf"[^\x00-\x7f\w{_marks()}]")
_FEATURE = re.compile(rf"\w(?:\w|{_SIGNS})+")


# What a browser does not show of a page, in linear time: comments, scripts and styles, to the end if nothing
# closes them, and tags.
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b[^<>]*>.*?(?:</\1\b[^<>]*>|\Z)"
    r"""|<[a-z/!?](?:[^<>"']|"[^"<]*"|'[^'<]*')*+>|<[a-z/!?][^<>]*>""",
    re.DOTALL | re.IGNORECASE,
)


def plain(text: str, content_type: str) -> str:
    """Text of a web page without tags and scripts; any other text as it is."""
    if kind_of(content_type) is not Kind.HTML:
        return text
    shown = _HIDDEN.sub(" ", text)
    try:
        return html.unescape(shown)
    except ValueError:  # a character with a number of thousands of digits
        return shown
