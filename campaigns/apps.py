from django.apps import AppConfig
from django.db.backends.signals import connection_created

from campaigns.core.database import plan_once


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        connection_created.connect(plan_once)
