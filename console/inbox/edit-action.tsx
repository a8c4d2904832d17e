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
  /** Goes back, and keeps what was typed for later. */
  leave: () => void
}

/** Other arguments in place of the agent's: fields by the action's schema, or the raw text. */
export function EditAction(props: Props): ReactNode {
  const { pendingId, tool, value, isBusy, approve, cancel, leave } = props
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
    <Form
      aria-label="Edit the action"
      ref={focusFirst}
      className="panel grid gap-4 p-4"
      send={send}
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && leave()}
    >
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

/** Whoever came by the keyboard goes on with it. */
function focusFirst(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>(':is(input, select, textarea), [type=submit]')?.focus()
}
