"""The pages of search engines: connections and pulls, and one engine with its query configurations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.engines import configurations, connections, pulls
from campaigns.engines.engine_client import EngineReply
from campaigns.engines.query_templates import EXAMPLE, MOST_DEPTH, BadTemplate, parse_template
from campaigns.models import (
    Campaign,
    CredentialScheme,
    EngineConfiguration,
    EngineConnection,
    EngineKind,
    EnginePull,
    EngineVersion,
    Run,
    Topic,
)
from campaigns.pages.access import organiser_page, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.templatetags.contexts import CampaignContext, render_page

MOST_SHOWN_PULLS = 50
SHOWN_TEXT = 200
ACCESS = ("name", "url", "scheme", "login", "secret", "certificate")


@dataclass(frozen=True)
class PullRow:
    """A pull with its progress; `asking`: the engine and the version that it asks."""

    pull: EnginePull
    progress: pulls.PullProgress

    @property
    def asking(self) -> str:
        version = self.pull.version
        return f"{version.configuration.connection.name}: {version.configuration.name} v{version.number}"

    @property
    def template_text(self) -> str:
        return json.dumps(self.pull.version.template, ensure_ascii=False, indent=2)

    @property
    def seconds(self) -> float:
        return self.progress.milliseconds / 1000


class PullsPart(CampaignContext, template="campaigns/engines/_pulls.html"):
    """The latest pulls; the part looks again by itself while one is running."""

    rows: list[PullRow]

    @property
    def watch(self) -> bool:
        return any(row.pull.state == EnginePull.State.RUNNING for row in self.rows)


class EnginesPage(CampaignContext, template="campaigns/engines/engines.html"):
    engines: list[EngineConnection]
    part: PullsPart
    refused: Refusal | None
    typed: Mapping[str, Any]
    kinds: Sequence[tuple[str, Any]] = tuple(EngineKind.choices)
    schemes: Sequence[tuple[str, Any]] = tuple(CredentialScheme.choices)


def _add(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    row = connections.add_connection(campaign=campaign, kind=request.POST.get("kind", ""), **_access(request))
    return redirect("campaigns:engine", slug=campaign.slug, engine=row.id)


def _access(request: HttpRequest) -> dict[str, Any]:
    return {name: request.POST.get(name, "") for name in ACCESS}


def _change_pull(request: HttpRequest, campaign: Campaign, *, act: str) -> str:
    pull = pulls.pull_of(campaign=campaign, id=digits_or_zero(request.POST.get("pull", ""), 18))
    if act == "pause":
        pulls.pause_pull(pull=pull)
        return gettext("Paused. The answers so far stay.")
    if act == "resume":
        pulls.resume_pull(pull=pull)
        return gettext("The pull goes on.")
    pulls.remove_pull(pull=pull)
    return gettext("The pull is removed. A run that it made stays.")


@page_with_acts(
    never_cache,
    organiser_page,
    acts={
        "add": _add,
        **{act: partial(_change_pull, act=act) for act in ("pause", "resume", "remove")},
    },
)
def engines(request: HttpRequest, campaign: Campaign, answer: Answer) -> HttpResponse:
    rows = list(campaign.engines.all())
    page = EnginesPage(campaign, rows, _pulls_part(campaign), answer.refused, answer.typed)
    return render_page(request, page)


@require_safe
@never_cache
@organiser_page
def engine_pulls(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    return render_page(request, _pulls_part(campaign))


def _pulls_part(campaign: Campaign) -> PullsPart:
    topics = campaign.topics.count()
    rows = pulls.pulls_of(campaign).select_related("asked_by").order_by("-id")[:MOST_SHOWN_PULLS]
    return PullsPart(campaign, [PullRow(row, pulls.progress_of_pull(row, topics)) for row in rows])


@dataclass(frozen=True)
class ConfigurationRow:
    """A configuration with its latest version."""

    configuration: EngineConfiguration
    latest: EngineVersion

    @property
    def key(self) -> str:
        return str(self.configuration.id)

    @property
    def template_text(self) -> str:
        return json.dumps(self.latest.template, ensure_ascii=False, indent=2)

    @property
    def mapping_text(self) -> str:
        return json.dumps(self.latest.mapping, ensure_ascii=False)


@dataclass(frozen=True)
class TriedQuery:
    """First hits of a configuration for a topic, or why there are none."""

    label: str
    reply: EngineReply | None = None
    trouble: str = ""

    @property
    def hits(self) -> list[dict[str, Any]]:
        hits = self.reply.hits if self.reply else []
        return [
            {"id": hit.id, "score": hit.score, "title": hit.title, "text": hit.text[:SHOWN_TEXT]}
            for hit in hits
        ]


class EnginePage(CampaignContext, template="campaigns/engines/engine.html"):
    engine: EngineConnection
    rows: list[ConfigurationRow]
    topics: list[Topic]
    refused: Refusal | None
    typed: Mapping[str, Any]
    tried: Sequence[TriedQuery] = ()
    # What the tried queries were asked with: topic, first and second configuration.
    asked: Sequence[str] = ("", "", "")
    schemes: Sequence[tuple[str, Any]] = tuple(CredentialScheme.choices)
    example: str = EXAMPLE
    most: int = MOST_DEPTH


def _change(request: HttpRequest, campaign: Campaign, engine: int) -> str:
    access = _access(request)
    secret = access.pop("secret")
    connections.change_connection(connection=_found(campaign, engine), secret=secret or None, **access)
    return gettext("Saved.")


def _remove(request: HttpRequest, campaign: Campaign, engine: int) -> HttpResponse:
    connections.remove_connection(connection=_found(campaign, engine))
    return redirect("campaigns:engines", slug=campaign.slug)


def _save(request: HttpRequest, campaign: Campaign, engine: int) -> str:
    query: dict[str, Any] = {"path": request.POST.get("path", "").strip()}
    try:
        query["template"] = parse_template(request.POST.get("template", ""))
    except BadTemplate as error:
        raise Refusal("bad_template", str(error), field="template") from None
    if mapping := request.POST.get("mapping", "").strip():
        try:
            query["mapping"] = parse_template(mapping)
        except BadTemplate as error:
            raise Refusal("bad_mapping", str(error), field="mapping") from None
    version = configurations.save_configuration(
        connection=_found(campaign, engine),
        user=signed_in_user(request),
        name=request.POST.get("query", ""),
        depth=digits_or_zero(request.POST.get("depth", ""), 4),
        method=request.POST.get("method", ""),
        **query,
    )
    return gettext("Saved %(query)s, version %(number)s.") % {
        "query": version.configuration.name,
        "number": version.number,
    }


def _try(request: HttpRequest, campaign: Campaign, engine: int) -> dict[str, Any]:
    """Ask by one configuration, and by another one if that is chosen, for comparison."""
    topic = campaign.topics.filter(number=request.POST.get("topic", "")).first()
    if topic is None:
        raise Refusal("unknown_topic", gettext("select a topic"), field="topic")
    chosen = [request.POST.get("first", ""), request.POST.get("second", "")]
    ids = dict.fromkeys(digits_or_zero(id, 18) for id in chosen if id)
    return {"tried": [_tried(campaign, id, topic) for id in ids], "asked": [topic.number, *chosen]}


def _tried(campaign: Campaign, id: int, topic: Topic) -> TriedQuery:
    configuration = configurations.configuration_of(campaign=campaign, id=id)
    version = configurations.latest_version(configuration)
    label = f"{configuration.name} v{version.number}"
    try:
        reply = configurations.try_version(connection=configuration.connection, version=version, topic=topic)
    except Refusal as refused:
        return TriedQuery(label, trouble=refused.detail)
    return TriedQuery(label, reply)


def _pull(request: HttpRequest, campaign: Campaign, engine: int) -> HttpResponse:
    configuration = configurations.configuration_of(
        campaign=campaign, id=digits_or_zero(request.POST.get("configuration", ""), 18)
    )
    user, tag = signed_in_user(request), request.POST.get("tag", "")
    documents = request.POST.get("documents") == "on"
    pulls.start_pull(configuration=configuration, user=user, tag=tag, documents=documents)
    return redirect("campaigns:engines", slug=campaign.slug)


@page_with_acts(
    never_cache,
    organiser_page,
    acts={"change": _change, "remove": _remove, "save": _save, "try": _try, "pull": _pull},
)
def engine(request: HttpRequest, campaign: Campaign, answer: Answer, engine: int) -> HttpResponse:
    found = _found(campaign, engine)
    rows = [ConfigurationRow(row, configurations.latest_version(row)) for row in found.configurations.all()]
    topics = list(campaign.topics.all())
    page = EnginePage(campaign, found, rows, topics, answer.refused, answer.typed, **answer.shown)
    return render_page(request, page)


def _found(campaign: Campaign, engine: int) -> EngineConnection:
    try:
        return connections.connection_of(campaign=campaign, id=engine)
    except Refusal as refused:
        raise Http404 from refused


def pull_of_run(run: Run) -> PullRow | None:
    """The pull that made a run; None if it came from a file."""
    pulled = EnginePull.objects.select_related("version__configuration__connection", "asked_by")
    pull = pulled.filter(run=run).first()
    return PullRow(pull, pulls.progress_of_pull(pull, 0)) if pull else None
