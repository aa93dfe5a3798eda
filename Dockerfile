# The mesh in a container. One image is worker, gateway and command line; docker-compose.yml shows how.
#
# Debian, not Alpine: the native module of the Temporal SDK needs glibc.
# Base images are pinned by exact version, not by digest: where this was written, no registry could be asked for one.

# Not slim: this one has the root certificates that are copied below. None of the rest of it ends up in a container.
FROM node:24.21.0-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY contract contract
COPY rules rules
COPY workflows workflows
COPY adapters adapters
COPY activities activities
COPY config config
COPY client client
COPY worker worker
COPY bench bench
# Installs exactly what the lockfile says, compiles, and bundles the workflows.
RUN npm run build
RUN npm prune --omit=dev
# The SDK brings its native module for five platforms, at almost 30 MB each. This one stays.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
# For measuring; and what is in the bundle by now.
RUN rm -r dist/bench dist/workflows

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
ENV MESH_HOME=/var/lib/mesh
ENV PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
# The native module trusts what the system trusts, and the slim image trusts nobody: needed for a server with TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY worker/mesh.mjs worker/mesh.mjs
COPY worker/bootstrap.mjs worker/bootstrap.mjs
# What holds until a folder of your own is mounted over it.
COPY config/rules.yaml config/mesh.yaml config/
COPY config/examples config/examples
# The only place that is written to. A volume mounted here takes over its owner.
RUN install -d -o node -g node /var/lib/mesh
USER node
EXPOSE 7280
# A worker for the server at TEMPORAL_ADDRESS. For the gateway: mesh gateway.
CMD ["node", "worker/bootstrap.mjs", "start"]
