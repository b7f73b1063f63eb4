from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0033_prediction_differences")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="capacity",
            field=models.PositiveIntegerField(default=1, db_default=1),
        ),
        migrations.AddField(
            model_name="invitation",
            name="joined",
            field=models.PositiveIntegerField(default=0, db_default=0),
        ),
        migrations.AddField(
            model_name="invitation",
            name="reminded_at",
            field=models.DateTimeField(null=True, blank=True),
        ),
        migrations.AddField(
            model_name="campaign",
            name="archived_at",
            field=models.DateTimeField(null=True, blank=True),
        ),
    ]
