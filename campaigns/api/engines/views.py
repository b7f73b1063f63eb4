"""Search engines of a campaign: connections, query configurations, and pulls that make runs."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from campaigns.api.engines import shapes
from campaigns.api.framework.openapi import Operations
from campaigns.api.framework.paging import Listing
from campaigns.api.framework.views import OrganiserView
from campaigns.api.framework.words import ENGINES_TAG
from campaigns.api.shapes.base import PageQuery, Problem, list_shape
from campaigns.engines import configurations, connections, pulls
from campaigns.engines.engine_client import EngineReply
from campaigns.models import EngineConfiguration, EngineConnection, EnginePull, EngineVersion

operation = Operations(ENGINES_TAG)

ENGINES_LISTING = Listing[EngineConnection]("engines", lambda row: row.id)
CONFIGURATIONS_LISTING = Listing[EngineConfiguration]("configurations", lambda row: row.id)
PULLS_LISTING = Listing[EnginePull]("pulls", lambda row: row.id, descending=True)
SHOWN_TEXT = 500


def version_json(row: EngineVersion) -> dict[str, Any]:
    return shapes.VersionOut.of(row, author=row.author.get_username())


def configuration_json(row: EngineConfiguration) -> dict[str, Any]:
    versions = [version_json(version) for version in row.versions.select_related("author")]
    return shapes.ConfigurationOut.of(row, engine=row.connection_id, versions=versions)


def preview_json(reply: EngineReply, mapping: dict[str, Any]) -> dict[str, Any]:
    hits = [shapes.HitOut.of(hit, text=hit.text[:SHOWN_TEXT]) for hit in reply.hits]
    return shapes.PreviewOut.of(reply, mapping=mapping, hits=hits)


def pull_json(row: EnginePull, topics: int) -> dict[str, Any]:
    configuration = row.version.configuration
    progress = pulls.progress_of_pull(row, topics)
    return shapes.PullOut.of(
        row,
        **vars(progress),
        engine=configuration.connection_id,
        configuration=configuration.id,
        version=row.version.number,
        run=row.run.tag if row.run else None,
        asked_by=row.asked_by.get_username(),
    )


class EngineView(OrganiserView):
    """A view of one connection or of something that belongs to it."""

    def found(self, engine: int) -> EngineConnection:
        return connections.connection_of(campaign=self.campaign, id=engine)


class EnginesView(OrganiserView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.EngineIn}

    @operation("list_engines", "List connections", list_shape(shapes.EngineOut))
    def get(self, request: Request, slug: str) -> Response:
        page = ENGINES_LISTING.of_query(request, self.asked, self.campaign.engines.all(), "id")
        return Response(page.as_json(shapes.EngineOut.of))

    @operation(
        "add_engine",
        "Create a connection",
        {201: shapes.EngineOut, 409: Problem},
        "No answer contains the secret. Nothing is asked of the engine yet.",
    )
    def post(self, request: Request, slug: str) -> Response:
        row = connections.add_connection(campaign=self.campaign, **self.body(request, shapes.EngineIn))
        return Response(shapes.EngineOut.of(row), status=201)


class EngineDetailView(EngineView):
    takes = {"PATCH": shapes.EngineChangeIn}

    @operation("get_engine", "Show a connection", shapes.EngineOut)
    def get(self, request: Request, slug: str, engine: int) -> Response:
        return Response(shapes.EngineOut.of(self.found(engine)))

    @operation(
        "change_engine",
        "Change a connection",
        {200: shapes.EngineOut, 409: Problem},
        "Omitted fields keep their values. Another host or certificate needs the secret again.",
    )
    def patch(self, request: Request, slug: str, engine: int) -> Response:
        found = self.found(engine)
        wish = self.body(request, shapes.EngineChangeIn, partial=True)
        return Response(shapes.EngineOut.of(connections.change_connection(connection=found, **wish)))

    @operation(
        "remove_engine",
        "Delete a connection",
        {204: None, 409: Problem},
        "Deletes its configurations and pulls too. Runs that were pulled stay.",
    )
    def delete(self, request: Request, slug: str, engine: int) -> Response:
        connections.remove_connection(connection=self.found(engine))
        return Response(status=204)


class PreviewView(EngineView):
    takes = {"POST": shapes.PreviewIn}

    @operation(
        "preview_query",
        "Try a query template",
        {200: shapes.PreviewOut, 409: Problem},
        "Asks the engine about one topic and stores nothing. Missing paths of the mapping are found.",
    )
    def post(self, request: Request, slug: str, engine: int) -> Response:
        connection = self.found(engine)
        wish = self.body(request, shapes.PreviewIn)
        topic = self.topic(wish.pop("topic"))
        version = configurations.draft(connection=connection, **wish)
        version.mapping = configurations.completed_mapping(connection, version, topic).as_json()
        reply = configurations.try_version(connection=connection, version=version, topic=topic)
        return Response(preview_json(reply, version.mapping))


class ConfigurationsView(EngineView):
    queries = {"GET": PageQuery}
    takes = {"POST": shapes.ConfigurationIn}

    @operation("list_configurations", "List configurations", list_shape(shapes.ConfigurationOut))
    def get(self, request: Request, slug: str, engine: int) -> Response:
        rows = self.found(engine).configurations.all()
        page = CONFIGURATIONS_LISTING.of_query(request, self.asked, rows, "id")
        return Response(page.as_json(configuration_json))

    @operation(
        "save_configuration",
        "Save a configuration",
        {201: shapes.ConfigurationOut, 409: Problem},
        "Creates a configuration, or the next version of the one with this name. Versions never change. "
        "Missing paths of the mapping are found by asking about the first topic.",
    )
    def post(self, request: Request, slug: str, engine: int) -> Response:
        connection = self.found(engine)
        wish = self.body(request, shapes.ConfigurationIn)
        version = configurations.save_configuration(connection=connection, user=self.user, **wish)
        return Response(configuration_json(version.configuration), status=201)


class ConfigurationView(OrganiserView):
    """A view of one configuration or of something that belongs to it."""

    def found(self, configuration: int) -> EngineConfiguration:
        return configurations.configuration_of(campaign=self.campaign, id=configuration)


class ConfigurationDetailView(ConfigurationView):
    @operation("get_configuration", "Show a configuration", shapes.ConfigurationOut)
    def get(self, request: Request, slug: str, configuration: int) -> Response:
        return Response(configuration_json(self.found(configuration)))


class HitsView(ConfigurationView):
    queries = {"GET": shapes.HitsQuery}

    @operation(
        "configuration_hits",
        "Show the first hits for a topic",
        {200: shapes.PreviewOut, 409: Problem},
        "Asks the engine by the latest version and stores nothing.",
    )
    def get(self, request: Request, slug: str, configuration: int) -> Response:
        found = self.found(configuration)
        version = configurations.latest_version(found)
        topic = self.topic(self.asked["topic"])
        reply = configurations.try_version(connection=found.connection, version=version, topic=topic)
        return Response(preview_json(reply, version.mapping))


class StartPullView(ConfigurationView):
    takes = {"POST": shapes.PullIn}

    @operation(
        "start_pull",
        "Pull a run",
        {202: shapes.PullOut, 409: Problem},
        "The worker asks the latest version about every topic. The run is stored once all have answered.",
    )
    def post(self, request: Request, slug: str, configuration: int) -> Response:
        wish = self.body(request, shapes.PullIn)
        row = pulls.start_pull(configuration=self.found(configuration), user=self.user, **wish)
        return Response(pull_json(row, self.campaign.topics.count()), status=202)


class PullsView(OrganiserView):
    queries = {"GET": PageQuery}

    @operation("list_pulls", "List pulls", list_shape(shapes.PullOut), "Newest first.")
    def get(self, request: Request, slug: str) -> Response:
        rows = pulls.pulls_of(self.campaign).select_related("asked_by")
        topics = self.campaign.topics.count()
        page = PULLS_LISTING.of_query(request, self.asked, rows, "id")
        return Response(page.as_json(lambda row: pull_json(row, topics)))


class PullView(OrganiserView):
    """A view of one pull."""

    def found(self, pull: int) -> EnginePull:
        return pulls.pull_of(campaign=self.campaign, id=pull)

    def shown(self, row: EnginePull) -> Response:
        return Response(pull_json(row, self.campaign.topics.count()))


class PullDetailView(PullView):
    @operation("get_pull", "Show a pull", shapes.PullOut)
    def get(self, request: Request, slug: str, pull: int) -> Response:
        return self.shown(self.found(pull))

    @operation(
        "remove_pull",
        "Delete a pull",
        {204: None, 409: Problem},
        "Deletes its answers too. A run that it made stays. A running pull must be paused first.",
    )
    def delete(self, request: Request, slug: str, pull: int) -> Response:
        pulls.remove_pull(pull=self.found(pull))
        return Response(status=204)


class PausePullView(PullView):
    @operation("pause_pull", "Pause a pull", {200: shapes.PullOut, 409: Problem}, "Keeps the answers so far.")
    def post(self, request: Request, slug: str, pull: int) -> Response:
        return self.shown(pulls.pause_pull(pull=self.found(pull)))


class ResumePullView(PullView):
    @operation(
        "resume_pull",
        "Resume a pull",
        {200: shapes.PullOut, 409: Problem},
        "Goes on with the topics that have no answer. Also after a failure.",
    )
    def post(self, request: Request, slug: str, pull: int) -> Response:
        return self.shown(pulls.resume_pull(pull=self.found(pull)))
