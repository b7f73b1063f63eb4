FROM python:3.13-slim

RUN pip install --no-cache-dir uv && useradd --create-home assess
WORKDIR /srv/assess
ENV PATH=/srv/assess/.venv/bin:$PATH PYTHONUNBUFFERED=1 UV_PYTHON_DOWNLOADS=never

# The dependencies change less often than the code, so their layer comes first.
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-dev --no-cache
COPY . .

USER assess
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--http", "config.connections:Connection", "--ws", "none", "--timeout-keep-alive", "75", "--host", "0.0.0.0", "--port", "8000", "--no-access-log", "--no-proxy-headers", "--timeout-graceful-shutdown", "5"]
