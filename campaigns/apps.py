from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from campaigns.services.statements import plan_once

        connection_created.connect(plan_once)
