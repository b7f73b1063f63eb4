# docker compose build
# Base images by exact version: a new one is a change that is tried first.
ARG POSTGRES=postgres:18.6-trixie
ARG PYTHON=python:3.13.11-slim-trixie
ARG CADDY=caddy:2.11.7-alpine

# hadolint ignore=DL3006
FROM ${POSTGRES} AS postgres

# hadolint ignore=DL3006
FROM ${PYTHON} AS environment
RUN pip install --no-cache-dir --root-user-action=ignore uv==0.13.9
WORKDIR /srv/assess
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
# The dependencies change less often than the code, so their layer comes first. Nothing is compiled.
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-default-groups --group site --all-extras --no-build --no-cache

# hadolint ignore=DL3006
FROM ${PYTHON} AS site
# Libraries of pg_dump; their versions follow Debian's security updates.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends liblz4-1 libpq5 libreadline8t64 libzstd1 \
    && rm -rf /var/lib/apt/lists/*
# Backups need these programs in the very version of the server.
COPY --from=postgres /usr/lib/postgresql/18/bin/pg_dump /usr/lib/postgresql/18/bin/pg_restore \
    /usr/lib/postgresql/18/bin/psql /usr/lib/postgresql/18/bin/
COPY --from=postgres /usr/lib/*-linux-gnu/libpq.so.5* /usr/local/lib/
RUN ldconfig && useradd --uid 10001 --no-create-home --home-dir /tmp assess \
    && install --directory --owner assess --group assess --mode 700 /srv/uploads

WORKDIR /srv/assess
ENV PATH=/srv/assess/.venv/bin:$PATH PYTHONUNBUFFERED=1 FILE_UPLOAD_TEMP_DIR=/srv/uploads
COPY --from=environment /srv/assess/.venv .venv
COPY . .
RUN python -m compileall -q assess campaigns config evaluation selection

USER 10001:10001
EXPOSE 8000
CMD ["python", "-m", "config.web", "0.0.0.0", "8000"]

# hadolint ignore=DL3006
FROM ${CADDY} AS proxy
# Certificates are kept where an ordinary user may write; a volume takes over the owner.
ENV XDG_CONFIG_HOME=/srv/proxy XDG_DATA_HOME=/srv/proxy
RUN install -d -o 10001 -g 10001 -m 700 /srv/proxy
COPY deploy/Caddyfile /etc/caddy/Caddyfile
USER 10001:10001
EXPOSE 8080 8443
