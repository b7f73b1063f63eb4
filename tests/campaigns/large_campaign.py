"""A campaign of any size, made by a few statements in the database: rows as the write paths store them,
without the time that these take."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import connection
from django.db.backends.utils import CursorWrapper

from campaigns.models import Campaign, HandIn
from campaigns.models.packed import SCORES, WEIGHTS, pack
from campaigns.setup import campaigns

# So many lists of a topic differ.
VARIANTS = 16


@dataclass(frozen=True)
class LargeSize:
    """`ranked_every`: each run ranks one topic in so many, `depth` deep. A topic has `judged` documents at
    most, or a seventh of that; one judgment in ten is of a second assessor."""

    topics: int = 10_000
    runs: int = 300
    teams: int = 100
    assessors: int = 50
    documents: int = 200_000
    judged: int = 103
    ranked_every: int = 1
    depth: int = 20


_PEOPLE = """
INSERT INTO auth_user (username, password, first_name, last_name, email, is_superuser, is_staff, is_active,
    date_joined)
  SELECT %(slug)s || '-' || kind || n, '', '', '', '', false, false, true, now()
  FROM (SELECT 'grace' AS kind, n FROM generate_series(1, %(assessors)s) n
    UNION ALL SELECT 'carl', n FROM generate_series(1, %(teams)s) n) people;
INSERT INTO campaigns_membership (user_id, campaign_id, role, created)
  SELECT id, %(campaign)s, 'assessor', now() FROM auth_user WHERE username LIKE %(slug)s || '-grace%%';
CREATE TEMPORARY TABLE judge AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
  FROM auth_user WHERE username LIKE %(slug)s || '-grace%%';
"""

_COLLECTION = """
INSERT INTO campaigns_document (collection_id, docno, title, body, content_type)
  SELECT %(collection)s, 'doc-' || lpad(n::text, 7, '0'), 'Document ' || n, 'The body of document ' || n,
    'text/plain' FROM generate_series(0, %(documents)s - 1) n;
CREATE TEMPORARY TABLE doc AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
  FROM campaigns_document WHERE collection_id = %(collection)s;
CREATE INDEX ON doc (place);
INSERT INTO campaigns_topic (campaign_id, number, title, description, narrative, position, revision, method,
    options, release)
  SELECT %(campaign)s, (n + 1)::text, 'topic ' || n || ' of a large campaign', 'Find all about ' || n,
      '', n, 1, '',
    '{{}}', 'released' FROM generate_series(0, %(topics)s - 1) n;
INSERT INTO campaigns_topicrevision (topic_id, revision, title, description, narrative, author_id, created)
  SELECT id, 1, title, description, '', %(ada)s, now() FROM campaigns_topic WHERE campaign_id = %(campaign)s;
CREATE TEMPORARY TABLE top AS SELECT id, position AS place,
    CASE WHEN position %% 10 = 0 THEN %(judged)s / 7 ELSE %(judged)s END AS judged
  FROM campaigns_topic WHERE campaign_id = %(campaign)s;
CREATE INDEX ON top (place);
INSERT INTO campaigns_topicassignment (topic_id, assessor_id, assigned_by_id, created)
  SELECT top.id, judge.id, %(ada)s, now() FROM top JOIN judge
  ON judge.place IN (top.place %% %(assessors)s, (top.place + 1) %% %(assessors)s);
"""

_RUNS = """
INSERT INTO campaigns_run (campaign_id, tag, "group", contributes_to_pool, score_precision, file_name,
      sha256,
    noticed, uploaded_by_id, created)
  SELECT %(campaign)s, 'run-' || lpad(n::text, 3, '0'), 'team ' || n %% %(teams)s + 1, true, 64,
      'run.gz', '',
    '[]', %(ada)s, now() FROM generate_series(0, %(runs)s - 1) n;
CREATE TEMPORARY TABLE ran AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM campaigns_run
  WHERE campaign_id = %(campaign)s;
INSERT INTO campaigns_team (campaign_id, name, created)
  SELECT %(campaign)s, 'team ' || n, now() FROM generate_series(1, %(teams)s) n;
INSERT INTO campaigns_teammember (team_id, campaign_id, user_id, created)
  SELECT team.id, %(campaign)s, person.id, now() FROM campaigns_team team JOIN auth_user person
  ON person.username = %(slug)s || '-carl' || substr(team.name, 6) WHERE team.campaign_id = %(campaign)s;
INSERT INTO campaigns_submission (team_id, tag, priority, description, file_name, sha256, bytes, topics,
      lines,
    noticed, handed_in_by_id, handed_in_at, ended, run_id)
  SELECT team.id, run.tag, row_number() OVER (PARTITION BY team.id ORDER BY run.id), 'BM25', 'run.gz',
      '', 100,
    %(topics)s, %(topics)s, '[]', %(ada)s, now(), '', run.id
  FROM campaigns_run run
  JOIN campaigns_team team ON team.campaign_id = run.campaign_id AND team.name = run."group"
  WHERE run.campaign_id = %(campaign)s;
CREATE TEMPORARY TABLE list AS
  SELECT top.id AS topic, top.place, variant, decode(string_agg(
    substr(hex, 7, 2) || substr(hex, 5, 2) || substr(hex, 3, 2) || substr(hex, 1, 2), '' ORDER BY rank),
      'hex') AS ids
  FROM top CROSS JOIN generate_series(0, {variants} - 1) variant CROSS JOIN generate_series(0,
      %(depth)s - 1) rank
  JOIN doc ON doc.place = (top.place * 61 + variant * 8 + rank) %% %(documents)s,
  LATERAL (SELECT lpad(to_hex(doc.id), 8, '0') AS hex) h GROUP BY top.id, top.place, variant;
INSERT INTO campaigns_ranking (run_id, topic_id, documents, scores)
  SELECT ran.id, list.topic, ids, %(scores)s FROM list JOIN ran ON ran.place %% {variants} = variant
  WHERE (list.place + ran.place) %% %(ranked_every)s = 0;
"""

_LOG = """
CREATE TEMPORARY TABLE act AS
  SELECT row_number() OVER (ORDER BY n, top.place, second) AS sequence, top.id AS topic, top.place,
      doc.id AS document,
    judge.id AS assessor, CASE WHEN (top.place + n * 7) %% 5 < 2 THEN 1 + second ELSE 0 END AS grade
  FROM top JOIN generate_series(0, %(judged)s - 1) n ON n < top.judged
  JOIN doc ON doc.place = (top.place * 61 + n) %% %(documents)s
  JOIN generate_series(0, 1) second ON second = 0 OR n %% 10 = 0
  JOIN judge ON judge.place = (top.place + second) %% %(assessors)s;
INSERT INTO campaigns_judgment (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade,
      reason, undo,
    adjudication, milliseconds, method, served_exactly, queue_age, weight_given_up, stale_claim,
      topic_revision,
    created)
  SELECT gen_random_uuid(), %(campaign)s, sequence, topic, document, assessor, grade, '', false, false,
    4000 + sequence %% 9000, 'C', true, 0, 0, false, 1,
    now() - interval '40 days' + sequence * interval '2 seconds'
  FROM act;
UPDATE campaigns_loghead SET length = (SELECT count(*) FROM act) WHERE campaign_id = %(campaign)s;
INSERT INTO campaigns_repeat (id, first_id, campaign_id, topic_id, document_id, assessor_id, grade,
      reason, undo,
    milliseconds, created)
  SELECT gen_random_uuid(), id, campaign_id, topic_id, document_id, assessor_id,
    CASE WHEN sequence %% 4 = 0 THEN 0 ELSE grade END, '', false, 3000, created + interval '1 hour'
  FROM campaigns_judgment WHERE campaign_id = %(campaign)s AND sequence %% 40 = 0;
INSERT INTO campaigns_annotation (id, topic_id, document_id, assessor_id, note, passages, created)
  SELECT gen_random_uuid(), topic, document, assessor, 'A note', '[{{"start": 0, "end": 3,
      "text": "The"}}]', now()
  FROM act WHERE sequence %% 50 = 0;
INSERT INTO campaigns_question (key, campaign_id, topic_id, document_id, assessor_id, text, created, answer)
  SELECT gen_random_uuid(), %(campaign)s, topic, document, assessor, 'Does it count?', now(), ''
  FROM act WHERE sequence %% 500 = 0;
INSERT INTO campaigns_topiccompletion (topic_id, assessor_id, created)
  SELECT top.id, judge.id, now() FROM top JOIN judge ON judge.place = top.place %% %(assessors)s
  WHERE top.place %% 4 = 1;
INSERT INTO campaigns_claim (topic_id, document_id, assessor_id, expires_at, created, method, recalled)
  SELECT DISTINCT ON (judge.id) top.id, doc.id, judge.id, now() + interval '1 day', now(), 'C',
      false FROM judge
  JOIN top ON top.place %% %(assessors)s = judge.place AND top.place %% 4 <> 1
  JOIN doc ON doc.place = (top.place * 61 + top.judged) %% %(documents)s;
INSERT INTO campaigns_postponement (assessor_id, topic_id, document_id, created)
  SELECT judge.id, top.id, doc.id, now() FROM top JOIN judge ON judge.place = top.place %% %(assessors)s
  JOIN doc ON doc.place = (top.place * 61 + top.judged + 1) %% %(documents)s WHERE top.place %% 6 = 0;
INSERT INTO campaigns_guidelineexample (campaign_id, position, topic_id, document_id, grade, reason)
  SELECT %(campaign)s, row_number() OVER (ORDER BY sequence), topic, document, grade, 'For its body.'
  FROM act WHERE sequence <= 400 AND sequence %% 2 = 1;
INSERT INTO campaigns_guidelineexample (campaign_id, position, document_id, grade, reason)
  SELECT %(campaign)s, 0, document, grade, 'In every topic.' FROM act WHERE sequence = 1;
INSERT INTO campaigns_trainingitem (campaign_id, position, topic_id, document_id, grade, reason)
  SELECT %(campaign)s, row_number() OVER (ORDER BY sequence), topic, document, grade, 'For its body.'
  FROM act WHERE sequence <= 40 AND sequence %% 2 = 1;
INSERT INTO campaigns_qualityflag (campaign_id, assessor_id, kind, figures, as_of, since)
  SELECT %(campaign)s, id, 'time', '{{"documents": 40, "value": 1.5, "low": 1.2, "high": 1.9}}', 1, now()
  FROM judge
  WHERE place %% 2 = 0;
INSERT INTO campaigns_deed (campaign_id, actor_id, actor_name, kind, detail, after, created)
  SELECT %(campaign)s, %(ada)s, %(slug)s || '-ada', 'topic closed', json_build_object('topic',
      (place + 1)::text),
    place * 7, now() - interval '40 days' + place * interval '14 seconds' FROM top;
INSERT INTO campaigns_invitation (campaign_id, token_hash, role, topics, address, created_by_id, created,
      expires_at)
  SELECT %(campaign)s, %(slug)s || n, 'assessor', '[]', 'person' || n || '@example.org', %(ada)s, now(),
    now() + interval '7 days' FROM generate_series(1, %(runs)s) n;
INSERT INTO campaigns_webhook (campaign_id, url, events, active, gone, unreachable, secret, old_secret,
      told, sequence,
    slow, created) SELECT %(campaign)s, 'https://example.org/hook', '["judgments"]', false, false, false,
      '', '', 0, 0,
    false, now();
INSERT INTO campaigns_delivery (webhook_id, event, kind, body, state, attempts, answer, error, created)
  SELECT id, gen_random_uuid(), 'judgments', '{{}}', 'delivered', 1, '', '', now()
  FROM campaigns_webhook CROSS JOIN generate_series(1, %(topics)s) WHERE campaign_id = %(campaign)s;
"""

# As the worker would have left them.
_COMPUTED = """
INSERT INTO campaigns_interval (run_id, topic_id, base, residual, as_of)
  SELECT run_id, topic_id, 0.2 + run_id %% 97 * 0.003, 0.02 + topic_id %% 50 * 0.004, %(length)s
  FROM campaigns_ranking WHERE run_id IN (SELECT id FROM ran);
INSERT INTO campaigns_priority (topic_id, documents, weights, method, remaining, pool_size, best_weight,
      as_of,
    configuration)
  SELECT topic, ids, %(weights)s, 'C', 37, 140, 1.0, %(length)s,
      %(configuration)s FROM list WHERE variant = 15;
INSERT INTO campaigns_computed (campaign_id, applied, configuration, judged, relevant, runs, bases,
      residuals,
    projections, updated)
  SELECT %(campaign)s, %(length)s, %(configuration)s, (SELECT sum(judged) FROM top), %(length)s / 3,
      %(run_ids)s,
    %(bases)s, %(residuals)s, %(bases)s, now();
INSERT INTO campaigns_snapshot (campaign_id, as_of, judged, runs, bases, residuals, projections, created)
  SELECT %(campaign)s, %(length)s * n / 500, %(length)s * n / 500, %(run_ids)s, %(bases)s, %(residuals)s,
      %(bases)s,
    now() FROM generate_series(1, 500) n;
"""

_TABLES = (
    *("annotation", "claim", "deed", "delivery", "document", "guidelineexample", "interval", "invitation"),
    *(
        "judgment",
        "membership",
        "postponement",
        "priority",
        "qualityflag",
        "question",
        "ranking",
        "repeat",
        "run",
    ),
    *("snapshot", "submission", "team", "teammember", "topic", "topicassignment", "topiccompletion"),
    *("topicrevision", "trainingitem"),
)


def make_large_campaign(name: str, size: LargeSize) -> Campaign:
    """An organiser `<slug>-ada`, assessors `<slug>-grace1` and on, and of each team a participant, who is
    `<slug>-carl1` of the first."""
    ada = User.objects.create(username=f"{name.lower()}-ada")
    campaign = campaigns.create(organiser=ada, name=name, search_judging=True, scope="topic")
    HandIn.objects.create(campaign=campaign, leaderboard="public")
    given = asdict(size) | {"campaign": campaign.id, "slug": campaign.slug, "ada": ada.id}
    given |= {"collection": campaign.collection_id, "scores": pack(range(size.depth, 0, -1), SCORES[64])}
    with connection.cursor() as cursor:
        # References hold by how the rows are made.
        cursor.execute("SET session_replication_role = replica")
        for statements in (_PEOPLE, _COLLECTION, _RUNS, _LOG):
            _run(cursor, statements, given)
        campaigns.open_campaign(campaign=campaign)
        campaign.refresh_from_db()
        given |= _means(campaign, size) | {"configuration": campaign.configuration}
        _run(cursor, _COMPUTED, given)
        cursor.execute("DROP TABLE judge, doc, top, ran, list, act")
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("ANALYZE " + ", ".join(f"campaigns_{table}" for table in _TABLES))
    return campaign


def _run(cursor: CursorWrapper, statements: str, given: dict[str, Any]) -> None:
    for statement in statements.format(variants=VARIANTS).split(";\n"):
        if statement.strip():
            cursor.execute(statement, given)


def _means(campaign: Campaign, size: LargeSize) -> dict[str, Any]:
    runs = list(campaign.runs.order_by("id").values_list("id", flat=True))
    return {
        "length": campaign.log_head.length,
        "run_ids": pack(runs, np.dtype("<i8")),
        "bases": pack(np.linspace(0.2, 0.5, size.runs), WEIGHTS),
        "residuals": pack(np.linspace(0.05, 0.1, size.runs), WEIGHTS),
        "weights": pack(np.linspace(1.0, 0.1, size.depth), WEIGHTS),
    }
