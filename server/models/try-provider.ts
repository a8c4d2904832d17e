import { ModelError, type ModelTurnRequest } from './contract.ts'
import type { Provider } from './provider.ts'
import { findBuiltInProvider } from './providers/built-ins.ts'
import { providerError, toModelError } from './turn-error.ts'
import { callModel } from './turn.ts'

/** Result of a test of a provider. */
export interface Tried {
  ok: boolean
  /** For people, without secrets. */
  message: string
}

const maxTestMs = 30_000

/**
 * Tests the key and the address of a provider. A built-in one is asked for its list of models, which costs nothing. A
 * compatible server may show its list without a key, so one of its models answers a short call.
 */
export async function tryProvider(provider: Provider, modelId: string | undefined): Promise<Tried> {
  const signal = AbortSignal.timeout(maxTestMs)
  try {
    if (modelId === undefined || findBuiltInProvider(provider.id) !== undefined) {
      await listModelIds(provider, signal)
      return { ok: true, message: `${provider.label} accepts the key` }
    }
    const info = { id: modelId, priceIn: null, priceOut: null, structuredOutput: false }
    await callModel(provider, modelId, info, { ...shortRequest, signal })
    return { ok: true, message: `${modelId} answered` }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const isLate = signal.aborted
    return { ok: false, message: isLate ? `no answer within ${maxTestMs / 1_000} s` : error.reason }
  }
}

const shortRequest: Omit<ModelTurnRequest, 'signal'> = {
  instructions: '',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Reply with OK.' }] }],
}

/** The ids that a provider lists; rejects with a `ModelError`. */
export async function listModelIds(
  provider: Provider,
  signal: AbortSignal = AbortSignal.timeout(maxTestMs),
): Promise<string[]> {
  const subject = subjectOf(provider)
  try {
    const answer = await provider.listModels(signal)
    const body = await answer.text()
    if (answer.status !== 200) {
      throw providerError(body, subject, {
        status: answer.status,
        headers: { 'retry-after': answer.headers.get('retry-after') ?? undefined },
      })
    }
    return readIds(body)
  } catch (error) {
    throw toModelError(error, subject, signal)
  }
}

function subjectOf({ label, secrets }: Provider) {
  return { modelId: 'the list of models', providerLabel: label, secrets }
}

/** Reads OpenAI's form, which Anthropic, Mistral and compatible servers share; empty for others, such as Google. */
function readIds(body: string): string[] {
  const { data }: { data?: unknown } = JSON.parse(body) ?? {}
  if (!Array.isArray(data)) return []
  return data.flatMap((item: { id?: unknown } | null) =>
    typeof item?.id === 'string' ? [item.id] : [],
  )
}
