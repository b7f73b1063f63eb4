from django.db import migrations, models


class Migration(migrations.Migration):
    """Predictions for topics like these."""

    dependencies = [("campaigns", "0019_measured")]

    operations = [
        migrations.AddField(
            model_name="prediction",
            name="like_these",
            field=models.BinaryField(db_default=models.Value(b""), default=bytes),
        ),
    ]
