# The first stage builds the executable; the second holds it beside Debian's PostgreSQL, which runs where there
# is no DATABASE_URL. A new build of the image brings Debian's fixes.
FROM docker.io/oven/bun:1.4.4 AS build
WORKDIR /formd
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile --production
COPY .ci .ci
COPY src src
COPY sql sql
COPY db db
COPY docs docs
COPY LICENSE CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
ARG REVISION
RUN bun .ci/build.ts --without-postgres

FROM docker.io/library/debian:13-slim
# tini reaps what is left of a PostgreSQL that died, or formd would wait for it and start no other. The user has
# a number, by which Kubernetes knows that it is not root.
RUN mkdir -p /etc/postgresql-common/createcluster.d && \
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/formd.conf && \
    apt-get update && \
    apt-get upgrade --yes && \
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      ca-certificates postgresql-17 tini && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --uid 1000 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin formd && \
    install --directory --owner=formd --group=formd /data
COPY --from=build /formd/dist/formd /usr/local/bin/
COPY --from=build /formd/LICENSE /formd/dist/THIRD-PARTY-NOTICES.txt /formd/dist/formd.cdx.json /usr/share/doc/formd/
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="formd" \
      org.opencontainers.image.description="A self-hosted form service that agents and people can both trust" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/debian:13-slim"
# The embedded database and files, or with DATABASE_URL the list of erasures.
ENV FORMD_DATA_DIR=/data POSTGRES_PROGRAMS=/usr/lib/postgresql/17/bin
VOLUME /data
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${PORT:-8080} && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.1 200 ' <&3"]
ENTRYPOINT ["tini", "--", "formd"]
CMD ["serve"]
