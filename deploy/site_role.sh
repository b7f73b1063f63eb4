#!/bin/sh
# Make or update the Postgres role `site` of web, worker and beat: it reads and writes rows, and owns no table.
# To the log it only adds (migration 0007), where there is one already.
# Run as the owner of the tables, whose later tables it covers, too. PGHOST and the like say where.
set -eu
# In one transaction: the role never may change the log in between.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$SITE_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --single-transaction --file=- <<'SQL'
SELECT 'CREATE ROLE site LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'site') \gexec
ALTER ROLE site PASSWORD :'password';
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO site;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO site;
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO site;
ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO site;
SELECT 'SELECT campaigns_restrict_log()' WHERE to_regproc('campaigns_restrict_log') IS NOT NULL \gexec
SQL
