# The bundle of the server and the page are built where their tools are, which the server does not need.
FROM node:24-bookworm-slim AS built
WORKDIR /opt/switchyard
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY scripts ./scripts
COPY machines ./machines
COPY src ./src
COPY docs ./docs
COPY web ./web
RUN node scripts/build.mjs

# The server. PostgreSQL runs beside it (docker-compose.yml); without DATABASE_URL it would start its own.
FROM node:24-bookworm-slim

RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client ca-certificates tini \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/switchyard
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY bin ./bin
COPY machines ./machines
COPY src ./src
COPY examples ./examples
COPY --from=built /opt/switchyard/web/build ./web/build
COPY --from=built /opt/switchyard/build ./build
# it is of these sources, whenever they were copied
RUN touch build/.made-of

# by number, so that Kubernetes sees that it is not root; volumes that are mounted below the home take their owner from these folders
RUN groupadd --system --gid 999 switchyard \
  && useradd --system --uid 999 --gid 999 --home-dir /var/lib/switchyard --create-home switchyard \
  && install -d -o 999 -g 999 -m 0700 /var/lib/switchyard/firmware /var/lib/switchyard/shared
USER 999:999
ENV DATA_DIR=/var/lib/switchyard HOST=0.0.0.0 PORT=5000 LOG_FORMAT=json NODE_COMPILE_CACHE=/tmp/node-cache
VOLUME /var/lib/switchyard
EXPOSE 5000

HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||5000)+'/api/health/live').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]

ENTRYPOINT ["tini", "--", "bin/switchyard"]
CMD ["serve"]
