from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0004_postponed")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="withdrawn_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
