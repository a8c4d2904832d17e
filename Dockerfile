# One image for every role: `serve --role all|api|worker`.
FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base image brings Node 26 and DATABASE_URL brings PostgreSQL, so no optional package is needed.
RUN npm ci --omit=dev --omit=optional && npm cache clean --force
COPY server server
COPY sdk sdk
COPY cli cli
COPY examples examples
USER node
ENV HOST=0.0.0.0 PORT=3000 MUSTER_DATA_DIR=/tmp/muster
EXPOSE 3000
# Room for short-lived objects: fewer, longer collections take less time in all.
ENTRYPOINT ["node", "--max-semi-space-size=64", "cli/main.ts"]
CMD ["serve"]
