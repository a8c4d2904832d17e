import { useMutation } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import type { ReactNode } from 'react'
import { connectorsWith } from '../../parts/agents/form.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { numberOf } from '../../ui/form/fields.ts'
import { objectOf } from '../../ui/form/object-field.tsx'
import type { Entry } from './form.ts'

interface Props {
  entry: Entry
  link: (agentId: string) => void
}

/** Creates a standing agent from a crew entry, for use in other workflows. */
export function CreateAgent({ entry, link }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['agents'])
  const { role, systemPrompt, model, outputSchema, capabilities, maxTokens } = entry
  const create = useMutation({
    mutationFn: () => {
      const schema = objectOf(outputSchema)
      return muster.agents.create({
        name: role.trim(),
        role: role.trim(),
        systemPrompt,
        ...(model === '' ? {} : { model }),
        ...(schema === null ? {} : { output_schema: schema }),
        capabilities,
        connectors: connectorsWith(entry),
        ...(maxTokens === '' ? {} : { maxTokens: numberOf(maxTokens) }),
      })
    },
    onSuccess: async ({ id }) => {
      await refresh()
      link(id)
    },
  })
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={Bot}
          isBusy={create.isPending}
          disabled={role.trim() === '' || systemPrompt.trim() === ''}
          onClick={() => create.mutate()}
        >
          Create agent
        </Button>
        <span className="text-sm text-ink-faint">To use it in other workflows.</span>
      </div>
      {create.error !== null && <Failure error={create.error} />}
    </div>
  )
}
