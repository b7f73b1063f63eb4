import os

# A site is several processes on one machine, and its matrices are small: threads of the linear algebra that
# wait for each other cost far more than they gain. This has to be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.celery import app as celery_app

__all__ = ["celery_app"]
