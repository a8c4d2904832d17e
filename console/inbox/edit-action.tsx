import type { ReactNode } from 'react'
import { useConnectors } from '../connectors/queries.ts'
import type { Values } from '../schema-form/fields.ts'
import { useObjectForm } from '../schema-form/object-form.tsx'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Loading } from '../ui/states.tsx'

interface Props {
  pendingId: string
  tool: string
  value: Values
  isBusy: boolean
  approve: (value: Values) => void
  cancel: () => void
}

/** Other arguments in place of the agent's: fields by the action's schema, or the raw text. */
export function EditAction({ pendingId, tool, value, isBusy, approve, cancel }: Props): ReactNode {
  const { data: connectors, isPending } = useConnectors()
  const schema = connectors
    ?.flatMap(({ actions }) => actions)
    .find(({ id }) => id === tool)?.input_schema
  const form = useObjectForm({
    draft: `edit.${pendingId}`,
    label: 'Arguments as JSON',
    schema,
    initial: value,
  })
  const send = () => {
    const edited = form.read()
    if (edited !== undefined) approve(edited)
  }
  if (isPending) return <Loading lines={3} />
  return (
    <Form aria-label="Edit the action" className="panel grid gap-4 p-4" send={send} noValidate>
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-base font-semibold">Edit, then approve</h3>
        {form.toggle}
      </div>
      {form.fields}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Approve as edited
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </Form>
  )
}
