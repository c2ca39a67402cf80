# Two stages: the first installs the packages, the second holds only what runs.
FROM docker.io/oven/bun:1.4.4 AS install
WORKDIR /formd
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile --production
COPY src src
COPY sql sql
COPY db db
COPY docs docs
COPY LICENSE CHANGELOG.md CONTRIBUTING.md SECURITY.md ./

FROM docker.io/oven/bun:1.4.4-slim
WORKDIR /formd
COPY --from=install /formd /formd
# The embedded PostgreSQL's data, or with DATABASE_URL the list of erasures. The user bun (1000) comes with the
# image.
RUN mkdir /data && chown bun:bun /data
ENV FORMD_DATA_DIR=/data
VOLUME /data
USER bun
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["bun", "-e", "const response = await fetch(`http://127.0.0.1:${process.env.PORT || 8080}/readyz`); process.exit(response.ok ? 0 : 1)"]
ENTRYPOINT ["bun", "src/main.ts"]
CMD ["serve"]
