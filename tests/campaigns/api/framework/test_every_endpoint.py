"""What every address refuses, asked of each that the description has: a new one is asked, too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import (
    Campaign,
    EngineConfiguration,
    EngineConnection,
    EnginePull,
    EngineVersion,
    LabCollection,
    LabJob,
    LabTopic,
    LabTrial,
)
from campaigns.notifications import webhooks
from campaigns.people.teams import ensure_team, join_team
from tests.campaigns.api.framework.operations import (
    FILE,
    FORM,
    JSON,
    METHODS,
    Operation,
    described,
    operations,
)
from tests.campaigns.factories import make_campaign, make_user, signed_in, with_token
from tests.campaigns.lab.lab_files import make_collection, make_job

pytestmark = pytest.mark.django_db

# The stream closes its thread's connection, the test's own here; test_campaign_isolation.py asks it.
OPERATIONS = [each for each in operations() if not each.path.endswith("/events/")]
WITH_JSON = [each for each in OPERATIONS if JSON in each.kinds]
# The Lab takes several files at once: tests/campaigns/lab/test_lab_endpoints.py sends it wrong forms.
WITH_FORM = [each for each in OPERATIONS if FORM in each.kinds and "/lab/" not in each.path]
WITHOUT_BODY = [each for each in OPERATIONS if each.method in ("post", "delete") and not each.kinds]
IDS = (
    "item",
    "example",
    "invitation",
    "webhook",
    "delivery",
    "engine",
    "configuration",
    "pull",
    "collection",
    "job",
    "team",
    "submission",
    "question",
)
ONES = dict.fromkeys(IDS, "1")
NAMES = {
    "slug": "small",
    "number": "1",
    "topic": "1",
    "docno": "a",
    "username": "Small-grace",
    "confirm": "small",
    "what": "qrels",
    "form": "csv",
    "ending": "xml",
    "picture": "svg",
    **ONES,
}

in_turn = pytest.mark.parametrize("operation", OPERATIONS, ids=str)


@pytest.fixture(scope="module")
def made(module_rows: None) -> None:
    campaign = make_campaign()
    ada = User.objects.get(username="Small-ada")
    join_team(team=ensure_team(campaign=campaign, name="Delft"), user=make_user("Small-carl"))
    webhooks.add(campaign=campaign, user=ada, url="https://example.org/", events=["topic.closed"])
    campaign.webhooks.update(id=1)
    access = {"name": "engine", "kind": "json", "url": "https://engine.invalid"}
    engine = EngineConnection.objects.create(id=1, campaign=campaign, **access)
    query = EngineConfiguration.objects.create(id=1, connection=engine, name="query")
    asked = {"number": 1, "method": "GET", "path": "/", "template": {"q": "{{topic.title}}"}, "depth": 5}
    version = EngineVersion.objects.create(configuration=query, mapping={"hits": "h"}, author=ada, **asked)
    EnginePull.objects.create(id=1, version=version, tag="x", asked_by=ada, language="en")
    collection = make_collection(ada)
    make_job(collection)
    LabTopic.objects.all().delete()
    LabTrial.objects.all().delete()
    LabJob.objects.update(id=1, collection=None)
    LabCollection.objects.update(id=1)
    LabJob.objects.update(collection=1)


@pytest.fixture
def ada(made: None) -> Client:
    return signed_in("Small-ada")


def send(client: Client, operation: Operation, **more: Any) -> Any:
    query = "&".join(f"{name}={value}" for name, value in operation.query(NAMES).items())
    address = f"{operation.address(NAMES)}?{query}&{more.pop('query', '')}".rstrip("&?")
    return sender(client, operation).generic(operation.method.upper(), address, **more)


def sender(client: Client, operation: Operation) -> Client:
    """A participant's addresses are tried by a participant, where the organiser would send."""
    own = "/team/" in operation.path and "sessionid" in client.cookies
    return signed_in("Small-carl") if own else client


def problem_of(reply: Any, status: int | tuple[int, ...], asked: object = "") -> Any:
    allowed = (status,) if isinstance(status, int) else status
    assert reply.status_code in allowed, (str(asked), reply.status_code, reply.content[:300])
    assert reply["Content-Type"] == "application/problem+json", str(asked)
    said = reply.json()
    assert {"code", "detail", "errors"} <= set(said), str(asked)
    assert len(reply.content) < 20_000
    return said


def named(said: Any) -> list[str]:
    return [row["field"] for row in said["errors"]]


def body_of(operation: Operation) -> Any:
    body = operation.body(JSON, NAMES)
    return body[0] if isinstance(body, list) else body


@in_turn
def test_nobody_in_particular_is_told_nothing(operation: Operation) -> None:
    reply = send(Client(), operation)
    assert problem_of(reply, 401)["code"] == "not_authenticated"
    assert reply["WWW-Authenticate"].startswith("Token")


@in_turn
def test_a_parameter_that_is_not_listed_is_named(ada: Client, operation: Operation) -> None:
    said = problem_of(send(ada, operation, query="colour=red"), 400)
    assert named(said) == ["colour"]
    for name in operation.query(NAMES):
        if name != "have":
            assert name in named(problem_of(send(ada, operation, query=f"{name}=x"), 400)), name


def test_methods_that_an_address_lacks(ada: Client) -> None:
    for path, item in described()["paths"].items():
        if path.endswith("/events/"):
            continue
        there = {method for method in METHODS if method in item}
        for method in {*METHODS, "options", "trace"} - there:
            reply = send(ada, Operation(method, path, {}))
            if method == "options":
                # No word of what the code says of itself.
                assert (reply.status_code, reply.content) == (200, b""), path
                assert {each.lower() for each in reply["Allow"].split(", ")} >= there, path
                continue
            problem_of(reply, 405, (method, path))
            assert {each.lower() for each in reply["Allow"].split(", ")} >= there, (method, path)


@pytest.mark.parametrize("operation", [*WITH_JSON, *WITH_FORM], ids=str)
def test_bodies_of_another_kind(ada: Client, operation: Operation) -> None:
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "image/png"):
        problem_of(send(ada, operation, data=b"a=1", content_type=kind), 415, kind)
    problem_of(send(ada, operation, data=b"{}", content_type=f"{JSON}; charset=hex"), 415)


BAD = {
    "no JSON": b"{",
    "nothing in it": b" ",
    "bytes that are no text": b'{"a": "\xff"}',
    "a name twice": b'{"a": 1, "a": 2}',
    "no number": b'{"a": NaN}',
    "endless": b'{"a": -Infinity}',
    "too large a number": b'{"a": 1e999}',
    "a number of 5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "deep": b'{"a":' * 60 + b"1" + b"}" * 60,
    "very deep": b"[" * 100_000,
    "NUL": b'{"a": "\\u0000"}',
    "half a character": b'{"a": "\\ud800"}',
    "half a character as a name": b'{"\\ud800": 1, "\\ud800": 2}',
    "a string": b'"a"',
    "a number": b"1",
    "null": b"null",
    "very many names": json.dumps({f"a{number}": 1 for number in range(100_000)}).encode(),
}


@pytest.mark.parametrize("operation", WITH_JSON, ids=str)
def test_json_that_nobody_can_mean(ada: Client, operation: Operation) -> None:
    for why, data in BAD.items():
        problem_of(send(ada, operation, data=data, content_type=JSON), 400, why)
    large = b'{"a": "' + b"a" * 6_000_000 + b'"}'
    problem_of(send(ada, operation, data=large, content_type=JSON), 413)


@pytest.mark.parametrize("operation", WITH_JSON, ids=str)
def test_fields_that_are_not_listed_or_of_another_kind_are_named(ada: Client, operation: Operation) -> None:
    example = body_of(operation)
    data = json.dumps({**example, "colour": "red"}).encode()
    assert named(problem_of(send(ada, operation, data=data, content_type=JSON), 400)) == ["colour"]
    for name, value in example.items():
        for wrong in ({"a": 1}, [[1]], "\N{FULLWIDTH DIGIT ONE}" if isinstance(value, int) else 1, True):
            if type(wrong) is type(value):
                continue
            data = json.dumps({**example, name: wrong}).encode()
            said = problem_of(send(ada, operation, data=data, content_type=JSON), (400, 404), (name, wrong))
            assert any(field.split(".")[0] == name for field in named(said)), (name, wrong, said)


@pytest.mark.parametrize("operation", WITH_FORM, ids=str)
def test_forms_that_nobody_can_mean(ada: Client, operation: Operation) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
    file = part % (b"file", b'; filename="f"', b"text")
    kind = f"{FORM}; boundary=b"
    problem_of(send(ada, operation, data=b"no form", content_type=FORM), 400)
    problem_of(send(ada, operation, data=b"--b\r\nno", content_type=kind), 400)
    colour = part % (b"colour", b"", b"red")
    for data, name in (
        (b"", "file"),
        (part % (b"file", b"", b"words, and no file"), "file"),
        (file + file, "file"),
        (file + colour, "colour"),
        (colour + colour, "colour"),
    ):
        said = problem_of(send(ada, operation, data=data + b"--b--\r\n", content_type=kind), 400)
        assert named(said) == [name]
    many = b"".join(part % (b"a%d" % number, b"", b"1") for number in range(1100))
    problem_of(send(ada, operation, data=many + b"--b--\r\n", content_type=kind), 400)


@pytest.mark.parametrize("operation", WITHOUT_BODY, ids=str)
def test_a_body_that_nobody_reads_is_refused(ada: Client, operation: Operation) -> None:
    data = json.dumps({"colour": "red"}).encode()
    assert named(problem_of(send(ada, operation, data=data, content_type=JSON), 400)) == ["colour"]


@pytest.mark.parametrize("operation", [*WITH_JSON, *WITH_FORM, *WITHOUT_BODY], ids=str)
def test_bodies_that_are_not_read_are_refused_as_described(ada: Client, operation: Operation) -> None:
    large = b'{"a": "' + b"a" * 6_000_000 + b'"}'
    chunked = send(ada, operation, data=b"{}", content_type=JSON, headers={"Transfer-Encoding": "chunked"})
    assert problem_of(chunked, 411)["code"] == "length_required"
    problem_of(send(ada, operation, data=b"a", content_type="text/plain"), 415)
    if JSON in operation.kinds or not operation.kinds:
        assert "5,242,880" in problem_of(send(ada, operation, data=large, content_type=JSON), 413)["detail"]
    assert {"411", "413", "415"} <= set(operation.said["responses"])


def test_addresses_that_are_none(ada: Client) -> None:
    root = "/api/v1/campaigns/small/"
    for path in ("/api/", "/api/v1/", "/api/v2/campaigns/", f"{root}nothing/", "/api/v1/campaigns/ä/"):
        assert problem_of(ada.get(path), 404)["code"] == "not_found"
    for path in (
        f"{root}topics/{'9' * 5000}/",
        f"{root}topics/\ud7ff/",
        f"{root}training/items/{'9' * 400}/",
    ):
        assert problem_of(ada.get(path), (404, 405))
    problem_of(ada.delete(f"{root}training/items/{'9' * 400}/"), 404)
    problem_of(ada.delete(f"{root}training/items/-1/"), 404)
    for path in (f"{root}topics/%00/", f"{root}qrels/?policy=%00", f"{root}%00"):
        assert problem_of(ada.get(path), 400)["code"] == "invalid"
    problem_of(ada.get(f"/api/v1/campaigns/{'a' * 5000}/"), 404)
    refused = problem_of(ada.post("/api/v1/campaigns", {"name": "x"}, content_type=JSON), 404)
    assert "slash" in refused["detail"]
    assert ada.get("/api/v1/campaigns").status_code == 301
    assert not Campaign.objects.exclude(slug="small").exists()


def test_cookies_and_headers_that_are_none(ada: Client) -> None:
    ada.cookies["sessionid"] = "a\0" * 20
    problem_of(ada.get("/api/v1/campaigns/"), (400, 401))
    program = with_token("Small-ada", "read")
    for header in ("Token", "Token a b", "Token \0", "Bearer x", "Token " + "a" * 5000):
        refused = program.get("/api/v1/campaigns/", headers={"Authorization": header})
        problem_of(refused, 401, header)


@pytest.mark.parametrize("accept", ["text/plain", "image/png", "*/*", "nonsense", ""])
def test_an_address_answers_in_its_one_form_whatever_is_asked_for(ada: Client, accept: str) -> None:
    for path, kind in (("", JSON), ("qrels/", "text/plain"), ("bundle/", "application/zip")):
        reply = ada.get(f"/api/v1/campaigns/small/{path}", headers={"Accept": accept})
        assert (reply.status_code, reply["Content-Type"].split(";")[0]) == (200, kind)


def test_mistakes_of_the_site_have_the_shape_too(ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("campaigns.api.results.status_of", fail)
    ada.raise_request_exception = False
    said = problem_of(ada.get("/api/v1/campaigns/small/status/"), 500)
    assert said["code"] == "failed"
    assert "secret" not in str(said)


def test_the_description_itself(client: Client) -> None:
    """Everyone may read it; a format that it does not have is refused in the API's shape."""
    assert client.get("/api/v1/schema/").content.startswith(b"openapi: 3.1")
    assert client.get("/api/v1/schema/", {"format": "json"}).json()["openapi"].startswith("3.1")
    assert client.get("/api/v1/docs/")["Content-Type"].startswith("text/html")
    kept = client.get("/api/v1/schema/")
    assert client.get("/api/v1/schema/", headers={"If-None-Match": kept["ETag"]}).status_code == 304
    in_german = client.get("/api/v1/schema/", {"lang": "de"}, headers={"Accept-Language": "de"})
    assert in_german.content == kept.content == FILE.read_bytes()
    for name in ("schema", "docs"):
        asked = client.options(f"/api/v1/{name}/")
        assert (asked.content, asked["Allow"]) == (b"", "GET, HEAD, OPTIONS")
    problem_of(client.get("/api/v1/schema/", {"format": "png"}), 404)
    problem_of(client.get("/api/v1/schema/", headers={"Accept": "image/png"}), 406)
    for name in ("schema", "docs", "client"):
        problem_of(client.post(f"/api/v1/{name}/"), 405)


def test_a_share_of_next_to_nothing(ada: Client) -> None:
    changed = ada.patch("/api/v1/campaigns/small/", {"repeat_share": 1e-310}, content_type=JSON)
    assert changed.status_code == 200
    assert ada.get("/api/v1/campaigns/small/ahead/", {"topic": "1", "docno": "a"}).status_code == 200
