import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0028_drawing_caption")]

    # A new, empty table and two columns of a small one. The worker fills the table afterwards, in batches.
    operations = [
        migrations.AddField("collection", "indexed_until", models.IntegerField(db_default=0, default=0)),
        migrations.AddField("collection", "texts_until", models.IntegerField(db_default=0, default=0)),
        migrations.CreateModel(
            name="DocumentWords",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="campaigns.document",
                    ),
                ),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fields=["words"], name="document_words")
                ],
            },
        ),
        # The primary key's index answers this at once, however many documents there are.
        migrations.RunSQL(
            "UPDATE campaigns_collection"
            " SET texts_until = (SELECT coalesce(max(id), 0) FROM campaigns_document)",
            migrations.RunSQL.noop,
        ),
    ]
