# The image of Signalbox: the npm package, run by a user without rights. docs/DEPLOY.md describes it.
#
#   docker build --tag signalbox .
#   docker run --publish 4000:4000 --publish 5291:5291 --volume signalbox:/data signalbox

# Makes the package as npm publishes it, and installs it as docs/DEPLOY.md does.
FROM docker.io/library/node:22-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --pack-destination /tmp
WORKDIR /opt/signalbox
RUN tar -xzf /tmp/signalbox-*.tgz --strip-components 1 \
  && npm pkg delete devDependencies workspaces \
  && cp deploy/npm-shrinkwrap.json . \
  && npm ci --no-audit --no-fund
# Only development, and databases other than PostgreSQL, need these files.
RUN find /opt/signalbox -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && find /opt/signalbox/node_modules/@prisma/client/runtime -name 'query_compiler_*' \
    ! -name 'query_compiler_fast_bg.postgresql.*' -delete

FROM docker.io/library/debian:bookworm-slim
LABEL org.opencontainers.image.title="Signalbox" \
  org.opencontainers.image.description="Backend for applications with users, notifications and calls" \
  org.opencontainers.image.licenses="MIT"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/signalbox /opt/signalbox
# A new volume at /data gets the owner and the mode of the folder.
RUN ln -s /opt/signalbox/bin/signalbox.js /usr/local/bin/signalbox \
  && useradd --uid 10001 --home-dir /data --shell /usr/sbin/nologin signalbox \
  && install --directory --owner signalbox --group signalbox --mode 0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 4000 5291 5292
STOPSIGNAL SIGTERM
# Alive, not ready: what is unhealthy may be restarted, and a node is not ready while PostgreSQL is away.
HEALTHCHECK --interval=10s --timeout=6s --start-period=10m --retries=6 CMD [ \
  "node", "--eval", \
  "fetch(`http://127.0.0.1:${process.env.PORT || process.env.PORT_BASE || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["signalbox"]
CMD ["start"]
