import type { StartContender } from '../rig/contender.ts'
import type { ModelProcess } from '../rig/model-process.ts'
import { musterContender } from '../rig/muster-contender.ts'
import { peerContender } from '../rig/peer-process.ts'
import { startRestateServer, type Store } from '../rig/store.ts'

/** The compared systems, and how each is started. */
export const contenderNames = [
  'muster',
  'floor',
  'floor-plain',
  'restate',
  'dbos',
  'openworkflow',
  'mastra',
  'langgraph',
  'langgraph-async',
] as const
export type ContenderName = (typeof contenderNames)[number]

export interface Entrant {
  name: ContenderName
  start: StartContender
  /** Calls the model with plain undici. */
  startBare?: StartContender
  /** Set if it does not store its runs in PostgreSQL. */
  makeStore?: (folder: string) => Promise<Store>
}

export function listEntrants(model: ModelProcess): Entrant[] {
  const bare = { MODEL_CLIENT: 'bare' }
  const sync = { DURABILITY: 'sync' }
  return [
    { name: 'muster', start: musterContender(model) },
    { name: 'floor', start: peerContender('floor') },
    { name: 'floor-plain', start: peerContender('floor', { STATEMENTS: 'single' }) },
    {
      name: 'restate',
      start: peerContender('restate'),
      startBare: peerContender('restate', bare),
      makeStore: startRestateServer,
    },
    {
      name: 'openworkflow',
      start: peerContender('openworkflow'),
      startBare: peerContender('openworkflow', bare),
    },
    { name: 'dbos', start: peerContender('dbos'), startBare: peerContender('dbos', bare) },
    { name: 'mastra', start: peerContender('mastra'), startBare: peerContender('mastra', bare) },
    {
      name: 'langgraph',
      start: peerContender('langgraph', sync),
      startBare: peerContender('langgraph', { ...sync, ...bare }),
    },
    { name: 'langgraph-async', start: peerContender('langgraph', { DURABILITY: 'async' }) },
  ]
}
