import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.conf import settings
from django.db import migrations, models

# During an upgrade, processes of the older version may still replace texts: the HTML of the earlier text goes.
FUNCTION = """
CREATE FUNCTION campaigns_forget_html() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.html := NULL; RETURN NEW; END $$
"""
TRIGGER = """
CREATE TRIGGER campaigns_forget_html BEFORE UPDATE OF body, content_type ON campaigns_document
FOR EACH ROW WHEN (
    NEW.html IS NOT DISTINCT FROM OLD.html
    AND (NEW.body, NEW.content_type) IS DISTINCT FROM (OLD.body, OLD.content_type)
)
EXECUTE FUNCTION campaigns_forget_html()
"""


class Migration(migrations.Migration):
    replaces = [
        ("campaigns", "0001_initial"),
        ("campaigns", "0009_origin"),
        ("campaigns", "0027_document_collection"),
        ("campaigns", "0029_document_words"),
        ("campaigns", "0041_metadata"),
        ("campaigns", "0046_document_collection"),
        ("campaigns", "0056_document_html"),
    ]
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Collection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200, unique=True)),
                ("complete", models.BooleanField(default=False)),
                ("url_template", models.CharField(blank=True, default="", max_length=500)),
                ("language", models.CharField(db_default="english", default="english", max_length=20)),
                ("origin", models.IntegerField(db_default=0, default=0)),
                ("indexed_until", models.IntegerField(db_default=0, default=0)),
                ("texts_until", models.IntegerField(db_default=0, default=0)),
                ("unread_until", models.IntegerField(db_default=0, default=0)),
                ("metadata_fields", models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("owner", models.ForeignKey(on_delete=models.PROTECT, related_name="collections", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.AutoField(primary_key=True, serialize=False)),
                ("docno", models.CharField(db_collation="C", max_length=512)),
                ("title", models.TextField(blank=True, default="")),
                ("body", models.TextField(blank=True, default="")),
                ("content_type", models.CharField(default="text/plain", max_length=100)),
                ("metadata", models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict)),
                ("html", models.TextField(editable=False, null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        db_constraint=False, db_index=False, on_delete=models.CASCADE, related_name="documents", to="campaigns.collection"
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("collection", "docno"), name="document_docno")]},
        ),
        migrations.CreateModel(
            name="DocumentWords",
            fields=[
                (
                    "document",
                    models.OneToOneField(db_constraint=False, on_delete=models.CASCADE, primary_key=True, serialize=False, to="campaigns.document"),
                ),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
            options={"indexes": [django.contrib.postgres.indexes.GinIndex(fields=["words"], name="document_words")]},
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION campaigns_forget_html()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER campaigns_forget_html ON campaigns_document"),
    ]
