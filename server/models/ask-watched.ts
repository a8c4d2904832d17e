import { ModelError, type ModelTurn, type ModelTurnRequest } from './contract.ts'

const maxKept = 1_000

/**
 * A call of a run that is watched. Watching changes nothing about its outcome: where the provider refuses to
 * stream, the model is asked again for the whole answer, and so are later calls; a model whose streams bring no
 * count of tokens is asked for whole answers from then on. `onWhole` is told why, once for a model.
 */
export async function askWatched(
  wholeOnly: Set<string>,
  upstreamId: string,
  request: ModelTurnRequest,
  call: (request: ModelTurnRequest) => Promise<ModelTurn>,
  onWhole: (why: string) => void,
): Promise<ModelTurn> {
  const { onText: _, ...whole } = request
  if (wholeOnly.has(upstreamId)) return call(whole)
  const keep = (why: string): void => {
    if (wholeOnly.size >= maxKept) return
    wholeOnly.add(upstreamId)
    onWhole(why)
  }
  try {
    const turn = await call(request)
    if (turn.callsWithoutUsage > 0) keep('its streams bring no count of tokens')
    return turn
  } catch (error) {
    if (!(error instanceof ModelError) || !streamRefusals.includes(error.status ?? 0)) throw error
    const turn = await call(whole)
    keep(error.reason)
    return turn
  }
}

/** Statuses of a request that the provider may take without `stream` and its options. */
const streamRefusals = [400, 403, 404, 405, 406, 415, 422, 501]
