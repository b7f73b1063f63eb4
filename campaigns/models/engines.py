"""Live search engines of a campaign: connections, query configurations, and pulls that make runs."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.models.campaign import Campaign
from campaigns.models.runs import Run
from campaigns.models.topics import Topic


class EngineKind(models.TextChoices):
    """The kinds of engines that campaigns/engines/adapters.py can ask."""

    ELASTICSEARCH = "elasticsearch", "Elasticsearch, OpenSearch"
    SOLR = "solr", "Solr"
    VESPA = "vespa", "Vespa"
    ANSERINI = "anserini", "Pyserini, Anserini"
    JSON = "json", gettext_lazy("JSON search API")


class CredentialScheme(models.TextChoices):
    """Ways of proving to an engine that it may answer."""

    NONE = "none", pgettext_lazy("credentials", "none")
    BASIC = "basic", gettext_lazy("user name and password")
    BEARER = "bearer", gettext_lazy("bearer token")
    API_KEY = "api-key", gettext_lazy("Elasticsearch API key")
    HEADER = "header", gettext_lazy("header of another name")


class EngineConnection(models.Model):
    """An address at which a search engine answers, and the access to it."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="engines")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=EngineKind.choices)
    url = models.CharField(max_length=1000)
    scheme = models.CharField(max_length=10, choices=CredentialScheme.choices, default=CredentialScheme.NONE)
    # User name or name of the header; the secret itself is sealed (campaigns/engines/credentials.py).
    login = models.CharField(max_length=200, blank=True, default="")
    secret = models.TextField(blank=True, default="")
    # A PEM certificate that is trusted beside those of the system.
    certificate = models.TextField(blank=True, default="")
    # Seconds until an answer must be whole, and requests a second.
    timeout = models.PositiveSmallIntegerField(default=10)
    rate = models.FloatField(default=5.0)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "name"], name="engine_name")]

    def __str__(self) -> str:
        return f"{self.name} at {self.url}"


class EngineConfiguration(models.Model):
    """A named query template; what it is stands in its versions."""

    connection = models.ForeignKey(EngineConnection, models.CASCADE, related_name="configurations")
    name = models.CharField(max_length=100)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["connection", "name"], name="engine_configuration_name")
        ]

    def __str__(self) -> str:
        return self.name


class EngineVersion(models.Model):
    """A version of a configuration, never changed: all that decides which answer is asked for."""

    class HttpMethod(models.TextChoices):
        GET = "GET", "GET"
        POST = "POST", "POST"

    configuration = models.ForeignKey(EngineConfiguration, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    method = models.CharField(max_length=4, choices=HttpMethod.choices)
    # Below the connection's address.
    path = models.CharField(max_length=500)
    # With places such as {{topic.title}}: the body of a POST, the parameters of a GET.
    template = models.JSONField()
    # Hits that a run ranks in each topic, at most.
    depth = models.PositiveSmallIntegerField()
    # Paths of the hits and their fields in an answer (campaigns/engines/hit_mapping.py).
    mapping = models.JSONField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["configuration", "number"], name="engine_version_number")
        ]

    def __str__(self) -> str:
        return f"{self.configuration} v{self.number}"


class EnginePull(models.Model):
    """A version asked about every topic, while the worker does so and after: its answers become a run."""

    class State(models.TextChoices):
        RUNNING = "running", pgettext_lazy("pull", "running")
        PAUSED = "paused", pgettext_lazy("pull", "paused")
        FAILED = "failed", pgettext_lazy("pull", "failed")
        DONE = "done", pgettext_lazy("pull", "done")

    version = models.ForeignKey(EngineVersion, models.CASCADE, related_name="pulls")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    # The tag of the run to be, its group and whether it contributes documents.
    tag = models.CharField(max_length=200)
    group = models.CharField(max_length=200, blank=True, default="")
    contributes = models.BooleanField(default=True)
    # Whether documents that the collection lacks are stored from the hits.
    documents = models.BooleanField(default=True)
    run = models.OneToOneField(Run, models.SET_NULL, null=True, blank=True, related_name="pull")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    language = models.CharField(max_length=10)
    # As the engine reported it when the pull began; empty where it does not.
    engine_version = models.CharField(max_length=100, blank=True, default="")
    # Requests that failed and were sent again, over all topics, also those of broken-off tasks.
    retries = models.PositiveIntegerField(default=0)
    # Why it stopped: code, topic, detail.
    problem = models.JSONField(null=True, blank=True)
    # Slices of work since the last answer: a worker that dies of a pull does not die of it forever.
    tries = models.PositiveSmallIntegerField(default=0)
    started = models.DateTimeField(default=timezone.now)
    updated = models.DateTimeField(default=timezone.now)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["updated"], name="pull_running", condition=Q(state="running"))]

    def __str__(self) -> str:
        return f"{self.tag}: {self.state}"


class EngineAnswer(models.Model):
    """The engine's answer for one topic of a pull. Its hits go once the run is stored."""

    pull = models.ForeignKey(EnginePull, models.CASCADE, related_name="answers")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="+")
    # The topic's wording that was asked with.
    revision = models.PositiveIntegerField()
    # Each with id, score, title, text, fields; null once the run is stored.
    hits = models.JSONField(null=True)
    count = models.PositiveIntegerField()
    duplicates = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pull", "topic"], name="engine_answer_once")]

    def __str__(self) -> str:
        return f"pull {self.pull_id}, topic {self.topic_id}"
