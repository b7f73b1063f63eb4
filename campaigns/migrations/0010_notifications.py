import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0010_mails"),
        ("campaigns", "0018_webhooks"),
        ("campaigns", "0021_webhook_order"),
        ("campaigns", "0025_waiting_emails"),
        ("campaigns", "0044_due_dates"),
    ]
    dependencies = [("campaigns", "0009_people"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="WaitingEmail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("address", models.TextField()),
                ("switch_off", models.TextField(blank=True, db_default="", default="")),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try", models.DateTimeField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=1000)),
                ("events", models.JSONField()),
                ("active", models.BooleanField(default=True)),
                ("gone", models.BooleanField(default=False)),
                ("unreachable", models.BooleanField(default=False)),
                ("secret", models.CharField(max_length=400)),
                ("old_secret", models.CharField(blank=True, default="", max_length=400)),
                ("old_until", models.DateTimeField(blank=True, null=True)),
                ("told", models.PositiveIntegerField(default=0)),
                ("sequence", models.PositiveBigIntegerField(default=0)),
                ("busy_until", models.DateTimeField(blank=True, null=True)),
                ("served_at", models.DateTimeField(blank=True, null=True)),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("slow", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("campaign", models.ForeignKey(on_delete=models.CASCADE, related_name="webhooks", to="campaigns.campaign")),
                ("created_by", models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.CreateModel(
            name="SentMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("key", models.CharField(max_length=40)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("membership", models.ForeignKey(on_delete=models.CASCADE, related_name="mails", to="campaigns.membership")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("membership", "kind", "key"), name="mail_sent_once")]},
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.UUIDField(default=uuid.uuid4)),
                ("kind", models.CharField(max_length=30)),
                ("body", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "on its way"), ("delivered", "delivered"), ("failed", "given up")], default="waiting", max_length=10
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_try", models.DateTimeField(blank=True, null=True)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("answer", models.TextField(blank=True, default="")),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("webhook", models.ForeignKey(on_delete=models.CASCADE, related_name="deliveries", to="campaigns.webhook")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["webhook", "-id"], name="delivery_log"),
                    models.Index(condition=models.Q(("state", "waiting")), fields=["next_try"], name="delivery_due"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("webhook", "event"), name="delivery_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("next_try__isnull", False), ("state", "waiting")),
                            models.Q(models.Q(("state", "waiting"), _negated=True), ("next_try__isnull", True)),
                            _connector="OR",
                        ),
                        name="delivery_waits_for_a_time",
                    ),
                ],
            },
        ),
    ]
