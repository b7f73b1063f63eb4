from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

from campaigns.core.database import set_up_session
from campaigns.people import sign_in_log


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can be imported only once all applications are there.
        from campaigns.log.privileges import restrict_roles, warn_of_owner
        from campaigns.people.accounts import warn_of_names_alike
        from campaigns.people.sessions import note_sign_in

        connection_created.connect(set_up_session)
        post_migrate.connect(restrict_roles, sender=self)
        register(warn_of_owner, Tags.security, deploy=True)
        register(warn_of_names_alike, Tags.database)
        sign_in_log.connect()
        user_logged_in.connect(note_sign_in, dispatch_uid="note_sign_in")
