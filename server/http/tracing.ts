import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api'
import { shownPath } from './request.ts'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

/** A span for each request, by OpenTelemetry's conventions for HTTP servers. */
export function addTracing(app: FastifyInstance): void {
  app.decorateRequest('span', null)
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url ?? 'unknown'
    request.span = trace.getTracer('muster').startSpan(
      `${request.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'url.scheme': request.protocol,
          'url.path': shownPath(request),
          'muster.request.id': request.id,
        },
      },
      // Trace headers of unauthenticated clients are ignored.
      request.identity === null
        ? context.active()
        : propagation.extract(context.active(), request.headers),
    )
  })
  app.addHook('onResponse', async ({ span }, reply) => {
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}
