# The command and its pages for a browser, without a Python of one's own. `docker build --build-arg EXTRAS=...` chooses
# what comes along; docs/installation.md says how it is run. BASE has no default that could change under its name: give
# the image and its digest, as `docker buildx imagetools inspect python:3.13-slim` prints it.
ARG BASE
FROM ${BASE} AS build
ARG BASE
RUN case "${BASE}" in *@sha256:*) ;; *) echo "--build-arg BASE=IMAGE@sha256:DIGEST is needed" >&2; exit 1 ;; esac
ARG EXTRAS=models,pdf,web,workbook
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
COPY pyproject.toml README.md LICENSE requirements-dev.lock ./
COPY src src
# Every file that comes from an index is checked against its hash in the lock; nothing else is installed.
RUN pip download --require-hashes --no-deps --dest files --requirement requirements-dev.lock \
    && python -m venv /build \
    && /build/bin/pip install --no-index --find-links files hatchling editables \
    && /build/bin/pip wheel --no-deps --no-build-isolation --no-index --wheel-dir dist . \
    && python -m venv /opt/quaestor \
    && /opt/quaestor/bin/pip install --no-index --find-links files "$(ls dist/*.whl)[${EXTRAS}]"

FROM ${BASE}
RUN useradd --uid 10001 --user-group --home-dir /data --create-home --shell /usr/sbin/nologin quaestor
COPY --from=build /opt/quaestor /opt/quaestor
ENV PATH=/opt/quaestor/bin:$PATH PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
ENTRYPOINT ["quaestor"]
CMD ["--help"]
