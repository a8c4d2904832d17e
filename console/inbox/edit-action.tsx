import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { connectorsQuery } from '../connectors/queries.ts'
import { useSession } from '../session/session.tsx'
import { Form } from '../ui/form.tsx'
import { Button } from '../ui/button.tsx'
import { useDraft } from '../ui/draft.ts'
import { Loading } from '../ui/states.tsx'
import { ArgumentInput } from './argument-input.tsx'
import { fieldsOf, parseTyped, readJson, typedOf, type Arguments, type Typed } from './arguments.ts'

const CodeField = lazy(() => import('../ui/code-field.tsx'))

interface Props {
  pendingId: string
  tool: string
  value: Arguments
  isBusy: boolean
  approve: (value: Arguments) => void
  cancel: () => void
}

interface Draft {
  typed: Typed
  /** The whole as JSON, while it is edited so. */
  raw?: string
}

/** Other arguments in place of the agent's: fields by the action's schema, or the raw text. */
export function EditAction({ pendingId, tool, value, isBusy, approve, cancel }: Props): ReactNode {
  const { muster } = useSession()
  const { data: connectors, isPending } = useQuery(connectorsQuery(muster))
  const schema = connectors
    ?.flatMap(({ actions }) => actions)
    .find(({ id }) => id === tool)?.input_schema
  const fields = fieldsOf(schema, value)
  const [draft, setDraft] = useDraft<Draft>(`edit.${pendingId}`, { typed: typedOf(fields, value) })
  const [problems, setProblems] = useState<Record<string, string>>({})
  const isRaw = draft.raw !== undefined

  if (isPending) return <Loading lines={3} />
  const submit = () => {
    if (draft.raw !== undefined) {
      const parsed = readObject(draft.raw)
      if (parsed === undefined) setProblems({ raw: 'This is not a JSON object' })
      else approve(parsed)
      return
    }
    const parsed = parseTyped(fields, draft.typed)
    setProblems('problems' in parsed ? parsed.problems : {})
    if ('value' in parsed) approve(parsed.value)
  }
  const switchTo = () => {
    setProblems({})
    if (draft.raw === undefined) {
      const parsed = parseTyped(fields, draft.typed)
      if ('problems' in parsed) return setProblems(parsed.problems)
      return setDraft({ ...draft, raw: JSON.stringify(parsed.value, null, 2) })
    }
    const parsed = readObject(draft.raw)
    if (parsed === undefined) return setProblems({ raw: 'This is not a JSON object' })
    setDraft({ typed: typedOf(fieldsOf(schema, parsed), parsed) })
  }
  return (
    <Form aria-label="Edit the action" className="panel grid gap-4 p-4" send={submit}>
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-base font-semibold">Edit, then approve</h3>
        <Button kind="quiet" onClick={switchTo}>
          {isRaw ? 'As fields' : 'As JSON'}
        </Button>
      </div>
      {draft.raw === undefined ? (
        fields.map((field) => (
          <ArgumentInput
            key={field.name}
            field={field}
            text={draft.typed[field.name]}
            problem={problems[field.name]}
            onChange={(text) => setDraft({ typed: { ...draft.typed, [field.name]: text } })}
          />
        ))
      ) : (
        <Suspense fallback={<Loading lines={5} />}>
          <CodeField
            label="Arguments as JSON"
            language="json"
            value={draft.raw}
            onChange={(raw) => setDraft({ ...draft, raw })}
            error={problems['raw']}
          />
        </Suspense>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Approve as edited
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </Form>
  )
}

function readObject(text: string): Arguments | undefined {
  const value = readJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Arguments)
    : undefined
}
