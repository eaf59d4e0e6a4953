# The command and its pages for a browser, without a Python of one's own. `docker build --build-arg EXTRAS=...` chooses
# what comes along; docs/installation.md says how it is run.
FROM python:3.13-slim AS build
ARG EXTRAS=models,pdf,web,workbook
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
COPY pyproject.toml README.md LICENSE requirements-dev.lock ./
COPY src src
# The versions that the tests ran with. Hashes are of the files of one lock; what is installed here is a part of it.
RUN sed -e '/^ *--hash=/d' -e 's/ \\$//' requirements-dev.lock > constraints.txt \
    && pip install --constraint constraints.txt hatchling \
    && pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && python -m venv /opt/quaestor \
    && /opt/quaestor/bin/pip install --constraint constraints.txt "$(ls dist/*.whl)[${EXTRAS}]"

FROM python:3.13-slim
RUN useradd --uid 10001 --user-group --home-dir /data --create-home --shell /usr/sbin/nologin quaestor
COPY --from=build /opt/quaestor /opt/quaestor
ENV PATH=/opt/quaestor/bin:$PATH PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["quaestor"]
CMD ["--help"]
