from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0013_outlook")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="settled",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name="membership",
            name="setup_step",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
    ]
