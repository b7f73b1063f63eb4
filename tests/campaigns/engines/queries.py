"""Connections and configurations for tests."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from campaigns.engines import configurations, connections, pulling, pulls
from campaigns.models import Campaign, EngineConnection, EnginePull, EngineVersion
from tests.campaigns.engines.fake_engines import QUERIES, FakeEngine

SECRET = 'pa$$w0rd"<&é of ours'


def connected(campaign: Campaign, engine: FakeEngine, **access: Any) -> EngineConnection:
    access = {"rate": 100.0, "timeout": 5, **access}
    return connections.add_connection(
        campaign=campaign, name="Engine", kind=engine.kind, url=engine.url, **access
    )


def saved(connection: EngineConnection, name: str = "BM25", **wish: Any) -> EngineVersion:
    query: dict[str, Any] = {**QUERIES.get(connection.kind, {}), "depth": 5, **wish}
    user = User.objects.get(username="ada")
    return configurations.save_configuration(connection=connection, user=user, name=name, **query)


def started(version: EngineVersion, **wish: Any) -> EnginePull:
    user = User.objects.get(username="ada")
    return pulls.start_pull(configuration=version.configuration, user=user, **wish)


def pulled(version: EngineVersion, **wish: Any) -> EnginePull:
    """A pull that has been worked on until it ended."""
    pull = started(version, **wish)
    while pulling.run_pull(pull.id):
        pass
    pull.refresh_from_db()
    return pull
