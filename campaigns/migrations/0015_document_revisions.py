import django.db.models.deletion
from django.db import migrations, models


# As `folded_name` and `_FOLDED` in campaigns/people/accounts.py have it. Older accounts whose names differ in case
# alone stay; `check` names them.
ACCOUNTS_ONCE = """
DO $$
DECLARE
  folded text := 'upper(replace(replace(username, ''ß'', ''ss''), ''ẞ'', ''ss''))';
  alike int[];
BEGIN
  EXECUTE format('SELECT array_agg(id) FROM auth_user WHERE %1$s IN (SELECT %1$s FROM auth_user GROUP BY 1 '
    'HAVING count(*) > 1)', folded) INTO alike;
  EXECUTE format('CREATE UNIQUE INDEX auth_user_folded ON auth_user ((%s)) WHERE NOT (id = ANY (%L::int[]))',
    folded, coalesce(alike, '{}'));
END $$
"""


class Migration(migrations.Migration):
    """Further fields of topics, the columns that were chosen for files, texts that files replaced, and names of
    accounts once in whatever case."""

    dependencies = [
        ("campaigns", "0014_search_reindexed"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RunSQL(ACCOUNTS_ONCE, "DROP INDEX auth_user_folded"),
        migrations.AddField(
            model_name='topic',
            name='further_fields',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name='topicrevision',
            name='further_fields',
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name="collection",
            name="column_choices",
            field=models.JSONField(blank=True, db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddField(
            model_name='annotation',
            name='document_revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='document',
            name='revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='guidelineexample',
            name='document_revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='judgment',
            name='document_revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='loading',
            name='replace',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='loghead',
            name='replacements',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='repeat',
            name='document_revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='trainingitem',
            name='document_revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.CreateModel(
            name='DocumentRevision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField()),
                ('title', models.TextField(blank=True, default='')),
                ('body', models.TextField(blank=True, default='')),
                ('content_type', models.CharField(default='text/plain', max_length=100)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('html', models.TextField(editable=False, null=True)),
                ('sha256', models.CharField(max_length=64)),
                ('replaced', models.DateTimeField()),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='campaigns.document')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('document', 'revision'), name='document_revision')],
            },
        ),
    ]
