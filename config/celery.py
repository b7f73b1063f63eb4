"""The Celery application: campaigns/tasks.py imports the tasks."""

import os
import signal

from celery import Celery, Task
from celery.signals import task_prerun, worker_init, worker_process_init
from django.db import close_old_connections, connection
from django.db.backends.signals import connection_created

from config.embedded.machine import dies_with_parent
from config.heartbeat import WorkerHeartbeat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("assess")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def _set_up_connections(**_: object) -> None:
    # Models can be imported only once the applications are ready.
    from campaigns.computing.worker import forget_copies
    from campaigns.core.database import WORKER, limit_connections
    from campaigns.core.recompute_queue import forget_messages

    forget_messages()
    limit_connections(WORKER)
    # A new connection costs a process its copies of campaigns, so it makes one only where the last one broke.
    connection.settings_dict["CONN_MAX_AGE"] = None
    connection_created.connect(forget_copies)


@worker_init.connect  # type: ignore[untyped-decorator]
def _end_pool_with_worker(**_: object) -> None:
    """Processes of the pool wait for work for ever, and for locks that a killed worker held."""
    worker, end_with_worker = os.getpid(), dies_with_parent(signal.SIGKILL)

    def ask(**_: object) -> None:
        # The pool of one process is the worker itself.
        if os.getpid() != worker:
            end_with_worker()

    worker_process_init.connect(ask, weak=False)


@task_prerun.connect  # type: ignore[untyped-decorator]
def _check_connections(task: Task, **_: object) -> None:
    """Between tasks the database may have restarted. A task that runs at once in its caller's
    process is amid the caller's transaction."""
    if not task.request.is_eager:
        close_old_connections()


app.steps["worker"].add(WorkerHeartbeat)
