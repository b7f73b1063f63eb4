from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.backends.signals import connection_created

from campaigns.core import sign_in_log
from campaigns.core.database import set_up_session


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can be imported only once all applications are there.
        from campaigns.people.sessions import note_sign_in

        connection_created.connect(set_up_session)
        sign_in_log.connect()
        user_logged_in.connect(note_sign_in, dispatch_uid="note_sign_in")
