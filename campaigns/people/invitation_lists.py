"""Invitations pasted as a list: one person a line, as email address, role and topics.

Every line is checked before anything is sent, and one wrong line holds all of them back.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Invitation, Membership
from campaigns.people.invitations import LARGEST_CLASS, check_terms, create, open_invitations

LONGEST_LIST = 200_000
HEADINGS = {"email", "e-mail", "mail", "address"}
_IN_BRACKETS = re.compile(r".*<([^<>]+)>\s*")


class LineState(StrEnum):
    NEW = "new"
    # The address belongs to a member, or to an open invitation: nothing is sent.
    MEMBER = "member"
    INVITED = "invited"
    WRONG = "wrong"


@dataclass(frozen=True)
class ListLine:
    """`line`: counted from 1; `problem`: why the line is wrong, with the value."""

    line: int
    address: str
    role: str
    topics: tuple[str, ...]
    state: LineState = LineState.NEW
    problem: str = ""


@dataclass(frozen=True)
class InvitationList:
    lines: list[ListLine]

    def count(self, state: LineState) -> int:
        return sum(line.state is state for line in self.lines)

    @property
    def new(self) -> list[ListLine]:
        return [line for line in self.lines if line.state is LineState.NEW]

    @property
    def wrong(self) -> list[ListLine]:
        return [line for line in self.lines if line.state is LineState.WRONG]

    @property
    def can_send(self) -> bool:
        return bool(self.new) and not self.wrong


def read_list(*, campaign: Campaign, text: str, days: int = 14) -> InvitationList:
    """Parse a list and check each line. Refuse a text without lines, or with too many."""
    if len(text) > LONGEST_LIST:
        detail = gettext("a list has at most %(most)s characters") % {"most": LONGEST_LIST}
        raise Refusal("too_long", detail, field="text")
    lines = list(_lines(text.replace("\0", "\N{REPLACEMENT CHARACTER}")))
    if not lines:
        raise Refusal("empty_list", gettext("the list has no line with an email address"), field="text")
    if len(lines) > LARGEST_CLASS:
        detail = gettext("a list has at most %(most)s lines") % {"most": LARGEST_CLASS}
        raise Refusal("too_many", detail, field="text")
    check_terms(campaign, role=Membership.Role.ASSESSOR, days=days)
    return InvitationList(list(_checked(campaign, lines)))


def send_list(
    *, campaign: Campaign, text: str, inviter: User, link_of: Callable[[str], str], days: int = 14
) -> tuple[InvitationList, list[tuple[Invitation, str]]]:
    """Invite every new line, all in one transaction; refuse the list if a line is wrong. Return what each
    line did, and the invitations with their links."""
    with transaction.atomic():
        # The same list sent twice at once invites each person once.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        lines = read_list(campaign=campaign, text=text, days=days)
        if lines.wrong:
            raise Refusal("wrong_lines", "; ".join(problems_of(lines.wrong)), field="text")
        invitations = [
            create(
                campaign=campaign,
                role=line.role,
                inviter=inviter,
                link_of=link_of,
                days=days,
                address=line.address,
                topics=line.topics,
            )
            for line in lines.new
        ]
    return lines, invitations


def problems_of(wrong: Sequence[ListLine], most: int = 20) -> list[str]:
    problems = [
        gettext("line %(line)s: %(problem)s") % {"line": one.line, "problem": one.problem}
        for one in wrong[:most]
    ]
    more = len(wrong) - most
    return [*problems, gettext("and %(count)s more") % {"count": more}] if more > 0 else problems


def _lines(text: str) -> Iterator[ListLine]:
    """Columns are separated as the first line's are: by a tab, a semicolon or a comma. Columns after the role
    hold topics, separated by blanks or commas."""
    rows = text.splitlines()
    first = next((row for row in rows if row.strip()), "")
    delimiter = next((one for one in "\t;" if one in first), ",")
    for number, row in enumerate(rows, start=1):
        # One line at a time: a quotation mark that is never closed spoils no further line.
        cells = [cell.strip() for cell in next(csv.reader([row], delimiter=delimiter), [])]
        if not any(cells) or (row == first and cells[0].casefold() in HEADINGS):
            continue
        in_brackets = _IN_BRACKETS.fullmatch(cells[0])
        address = in_brackets[1].strip() if in_brackets else cells[0]
        role = cells[1].casefold() if len(cells) > 1 and cells[1] else Membership.Role.ASSESSOR.value
        topics = " ".join(cells[2:]).replace(",", " ").split()
        yield ListLine(number, address, role, tuple(dict.fromkeys(topics)))


def _checked(campaign: Campaign, lines: Sequence[ListLine]) -> Iterator[ListLine]:
    members = _folded(campaign.memberships.values_list("user__email", flat=True))
    invited = _folded(open_invitations(campaign=campaign).values_list("address", flat=True))
    topics = set(campaign.topics.values_list("number", flat=True))
    seen: dict[str, int] = {}
    for line in lines:
        address = line.address.casefold()
        problem = _problem(campaign, line, topics)
        if not problem and address in seen:
            message = gettext("“%(address)s” is in line %(line)s already")
            problem = message % {"address": line.address, "line": seen[address]}
        seen.setdefault(address, line.line)
        if problem:
            yield replace(line, state=LineState.WRONG, problem=problem)
        elif address in members:
            yield replace(line, state=LineState.MEMBER)
        else:
            yield replace(line, state=LineState.INVITED if address in invited else LineState.NEW)


def _folded(addresses: Iterable[str]) -> set[str]:
    return {address.casefold() for address in addresses if address}


def _problem(campaign: Campaign, line: ListLine, topics: set[str]) -> str:
    if not line.address:
        return gettext("the email address is missing")
    unknown = [number for number in line.topics if number not in topics]
    if unknown:
        return gettext("there is no topic %(topic)s") % {"topic": unknown[0][:40]}
    try:
        check_terms(campaign, role=line.role, days=1, address=line.address)
    except Refusal as refused:
        return refused.detail
    return ""
