from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0038_annotations")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="search_judging",
            field=models.BooleanField(default=False, db_default=False),
        ),
    ]
