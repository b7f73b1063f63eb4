import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0015_invitation"),
        ("campaigns", "0016_api_tokens"),
        ("campaigns", "0019_languages"),
        ("campaigns", "0024_accounts"),
        ("campaigns", "0034_invitations"),
    ]
    dependencies = [
        ("campaigns", "0008_participants"),
        ("sessions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Attempts",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("tries", models.PositiveIntegerField()),
                ("ends_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="EmailsOff",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="emails_off", serialize=False, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="PreferredLanguage",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="preferred_language", serialize=False, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("code", models.CharField(max_length=20)),
            ],
        ),
        migrations.CreateModel(
            name="ResetRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.EmailField(max_length=254)),
                ("language", models.CharField(max_length=20)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="TemporaryPassword",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE, primary_key=True, related_name="temporary_password", serialize=False, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="SignedInSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("address", models.CharField(max_length=64)),
                ("device", models.CharField(max_length=300)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("seen", models.DateTimeField()),
                (
                    "session",
                    models.OneToOneField(
                        db_column="session_key", db_constraint=False, on_delete=models.CASCADE, related_name="signed_in", to="sessions.session"
                    ),
                ),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="signed_in_sessions", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=16)),
                ("secret_hash", models.CharField(max_length=64, unique=True)),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[("read", "read"), ("judge", "judge"), ("organise", "organise"), ("submit", "hand in runs")], max_length=10
                        ),
                        size=None,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("campaign", models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="api_tokens", to="campaigns.campaign")),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="api_tokens", to=settings.AUTH_USER_MODEL)),
            ],
            options={"constraints": [models.CheckConstraint(condition=models.Q(("scopes__len__gte", 1)), name="token_has_a_scope")]},
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(choices=[("organiser", "organiser"), ("assessor", "assessor"), ("participant", "participant")], max_length=20),
                ),
                ("topics", models.JSONField(blank=True, default=list)),
                ("address", models.EmailField(blank=True, default="", max_length=254)),
                ("capacity", models.PositiveIntegerField(db_default=1, default=1)),
                ("joined", models.PositiveIntegerField(db_default=0, default=0)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("reminded_at", models.DateTimeField(blank=True, null=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="invitations", to="campaigns.campaign")),
                ("created_by", models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("team", models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name="invitations", to="campaigns.team")),
                ("used_by", models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("used_at__isnull", True), ("revoked_at__isnull", True), _connector="OR"), name="invitation_one_end"
                    )
                ]
            },
        ),
    ]
