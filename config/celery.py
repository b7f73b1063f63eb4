"""The Celery application: campaigns/tasks.py imports the tasks."""

import os

from celery import Celery
from celery.signals import worker_init

from config.heartbeat import WorkerHeartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assess")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def _limit_connections(**_: object) -> None:
    # Models can be imported only once the applications are ready.
    from campaigns.core.database import WORKER, limit_connections

    limit_connections(WORKER)


app.steps["worker"].add(WorkerHeartbeat)
