# One image for every role: `serve --role all|api|worker`.
FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS sources
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY console/package.json console/

FROM sources AS build
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm run console:build

# The base image brings Node 26 and DATABASE_URL brings PostgreSQL, so no optional package is needed.
FROM sources AS production
RUN npm ci --ignore-scripts --omit=dev --omit=optional --workspaces=false

FROM node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
ENV NODE_ENV=production
WORKDIR /app
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/dist console/dist
COPY package.json LICENSE ./
COPY bin bin
COPY examples examples
USER node
ENV HOST=0.0.0.0 PORT=3000 MUSTER_DATA_DIR=/tmp/muster
EXPOSE 3000
ENTRYPOINT ["node", "bin/muster.js"]
CMD ["serve"]
