from django.conf import settings
from django.db import models


class PreferredLanguage(models.Model):
    """The language somebody reads the pages in, in which they are written to as well."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="preferred_language"
    )
    code = models.CharField(max_length=20)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.code}"
