import { context, propagation, trace } from '@opentelemetry/api'
import { version } from '../version.ts'
import { captureContent } from './gen-ai-content.ts'

/**
 * A span with content has up to 150 KB: at most 2.4 MB in a request, which receivers accept, and
 * 80 MB in memory. More spans than that at a time are dropped.
 */
const sizesWithContent = { maxExportBatchSize: 16, maxQueueSize: 512 }

/**
 * OpenTelemetry, if an exporter is configured: spans of HTTP requests, runs and model calls, sent
 * by OTLP over HTTP. The SDK is loaded only then; without it spans cost almost nothing.
 */
export async function startTelemetry({
  otlpEndpoint,
  capturesContent = false,
}: {
  otlpEndpoint: string | undefined
  /** Whether spans have prompts, answers, arguments and results. */
  capturesContent?: boolean
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
        ...(capturesContent && sizesWithContent),
      }),
    ],
  })
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  captureContent(capturesContent)
  return {
    async [Symbol.asyncDispose]() {
      captureContent(false)
      await provider.shutdown()
      trace.disable()
      propagation.disable()
      context.disable()
    },
  }
}
