from django.db import migrations, models


class Migration(migrations.Migration):
    """Remember in which field of JSON files a collection's texts are."""

    dependencies = [
        ("campaigns", "0016_scripts_reindexed"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="text_field",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
    ]
