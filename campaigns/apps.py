from django.apps import AppConfig
from django.db.backends.signals import connection_created

from campaigns.core import sign_in_log
from campaigns.core.database import set_up_session


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        connection_created.connect(set_up_session)
        sign_in_log.connect()
