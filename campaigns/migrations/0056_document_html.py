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
    dependencies = [("campaigns", "0055_log_privileges")]

    # Columns that rewrite no table. The worker fills the first afterwards, in batches.
    operations = [
        migrations.AddField("document", "html", models.TextField(editable=False, null=True)),
        migrations.AddField("collection", "unread_until", models.IntegerField(db_default=0, default=0)),
        # The primary key's index answers this at once, however many documents there are.
        migrations.RunSQL(
            "UPDATE campaigns_collection"
            " SET unread_until = (SELECT coalesce(max(id), 0) FROM campaigns_document)",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION campaigns_forget_html()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER campaigns_forget_html ON campaigns_document"),
    ]
