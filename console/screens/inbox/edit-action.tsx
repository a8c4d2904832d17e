import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react'
import { useConnectors } from '../../data/connectors.ts'
import type { Values } from '../../parts/schema-form/fields.ts'
import { useObjectForm } from '../../parts/schema-form/object-form.tsx'
import { messageFields } from '../../parts/inbox/message-fields.ts'
import { Button } from '../../ui/button.tsx'
import { FootBar } from '../../ui/foot-bar.tsx'
import { Failure } from '../../ui/failure.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { useFirstFault } from '../../ui/form/first-fault.ts'
import { Form } from '../../ui/form/form.tsx'
import { Loading } from '../../ui/states.tsx'
import { Closed } from './closed.tsx'

interface Props {
  pendingId: string
  tool: string
  value: Values
  isBusy: boolean
  /** Why the arguments were rejected. */
  error: unknown
  /** Why the request is closed: the edit stays, and cannot be sent. */
  closed: string | undefined
  approve: (value: Values) => void
  cancel: () => void
  /** Goes back, keeping the input for later. */
  leave: () => void
}

/** Edits the agent's arguments: fields by the action's schema, or the raw text. */
export function EditAction(props: Props): ReactNode {
  const { pendingId, tool, value, isBusy, error, closed, approve, cancel, leave } = props
  const place = useRef<HTMLFormElement>(null)
  const lookForFault = useFirstFault(place)
  const { data: connectors, isPending } = useConnectors()
  const schema = connectors
    ?.flatMap(({ actions }) => actions)
    .find(({ id }) => id === tool)?.input_schema
  const form = useObjectForm({
    draft: `edit.${pendingId}`,
    label: 'Arguments as JSON',
    schema,
    initial: value,
    arrange: (fields) => messageFields(tool, fields),
  })
  const send = () => {
    if (closed !== undefined) return
    const edited = form.read()
    if (edited === undefined) lookForFault()
    else approve(edited)
  }
  const blame = useEffectEvent((error: unknown) => {
    const { param = '', message = '' } = faultOf(error) ?? {}
    if (!param.startsWith('tool_input.')) return
    form.blame(param.slice('tool_input.'.length), message.replace(/^.*?: tool_input: /, ''))
    lookForFault()
  })
  useEffect(() => blame(error), [error])
  const isLoaded = !isPending
  useEffect(() => {
    // The focus moves here, for people who use the keyboard.
    const first = ':is(input, select, textarea), [type=submit]'
    if (isLoaded) place.current?.querySelector<HTMLElement>(first)?.focus()
  }, [isLoaded])
  if (isPending) return <Loading lines={3} />
  return (
    <Form
      aria-label="Edit the action"
      ref={place}
      className="panel grid gap-4 p-4"
      send={send}
      noValidate
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && leave()}
    >
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold">Edit, then approve</h2>
        {form.toggle}
      </div>
      {form.fields}
      {error !== null && <Failure error={error} />}
      {/* In sight however long the message is. */}
      <FootBar>
        {closed !== undefined ? (
          <Closed discard={cancel}>{closed}</Closed>
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" kind="primary" isBusy={isBusy}>
              Approve with changes
            </Button>
            <Button onClick={cancel}>Cancel</Button>
          </div>
        )}
      </FootBar>
    </Form>
  )
}
