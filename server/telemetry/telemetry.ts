import { context, propagation, trace } from '@opentelemetry/api'
import { version } from '../version.ts'

/**
 * OpenTelemetry, if an exporter is configured: spans of HTTP requests, runs and model calls, sent
 * by OTLP over HTTP. The SDK is loaded only then; without it spans cost almost nothing.
 */
export async function startTelemetry({
  otlpEndpoint,
}: {
  otlpEndpoint: string | undefined
}): Promise<AsyncDisposable> {
  if (otlpEndpoint === undefined) return { async [Symbol.asyncDispose]() {} }
  const [sdk, exporter, resources, hooks, core] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
  ])
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': 'muster',
      'service.version': version,
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporter.OTLPTraceExporter({ url: `${otlpEndpoint}/v1/traces` }),
      }),
    ],
  })
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return { [Symbol.asyncDispose]: () => provider.shutdown() }
}
