import type { Run } from '../../../sdk/generated.ts'
import { useApiKeys } from '../../data/people.ts'
import { useConnectors } from '../../data/connectors.ts'
import { demoModel, useModels } from '../../data/models.ts'
import { useSchedules } from '../../data/schedules.ts'
import { useList } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'

export interface StepsDone {
  model: boolean
  run: boolean
  tools: boolean
  start: boolean
}

/** Which first steps the account has done, by what it has; undefined while that loads. */
export function useStepsDone(latest: readonly Run[]): StepsDone | undefined {
  const { identity, rights } = useSession()
  const { data: models } = useModels()
  const { data: connectors } = useConnectors()
  const { data: schedules } = useSchedules()
  // Read once, not at intervals like the lists of their screens.
  const { data: hooks } = useList(['hooks'], (muster, options) => muster.hooks.list(options))
  const { data: mailboxes } = useList(['mailboxes'], (muster, options) =>
    muster.mailboxes.list(options),
  )
  const { data: keys = [] } = useApiKeys(rights.administer)
  if (!models || !connectors || !schedules || !hooks || !mailboxes) return undefined
  return {
    model: models.some(({ id, available }) => available && id !== demoModel),
    run: latest.length > 0,
    // The web needs no connection.
    tools: connectors.some(({ id, connected }) => connected && id !== 'web'),
    start:
      [schedules, hooks, mailboxes].some(({ length }) => length > 0) ||
      keys.some(({ id, last_used_at: at }) => at !== null && id !== identity.id) ||
      latest.some(({ triggered_by: by }) => by?.type === 'key' && by.id !== identity.id),
  }
}
