import { useState, type ReactNode } from 'react'
import type { Connector, ConnectorAction, ConnectorTried } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextArea } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { plural } from '../../ui/text/format.ts'

/** What only HTTP APIs have: differences of the document, and a call to try. */
export function ApiDetails({ connector }: { connector: Connector }): ReactNode {
  const { rights } = useSession()
  const { actions, listed_operations: listed = [] } = connector
  const refused = listed.filter(({ available }) => !available)
  const callable = actions.filter(({ unavailable }) => unavailable === null)
  return (
    <>
      <Changes connector={connector} />
      {refused.length > 0 && (
        <details className="border-t">
          <summary className="px-4 py-2 text-sm text-ink-soft hover:bg-hover">
            {plural(refused.length, 'operation')} not available
          </summary>
          <ul className="divide-y border-t">
            {refused.map(({ name, reason }) => (
              <li key={name} className="px-4 py-2 text-sm">
                <span className="font-mono wrap-anywhere">{name}</span>
                <p className="text-ink-soft wrap-anywhere">{reason}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
      {rights.administer && callable.length > 0 && (
        <div className="border-t px-4 py-2">
          <OpenForm label="Try an action" aria-label={`Try an action of ${connector.label}`}>
            {(close) => <TryAction connector={connector} actions={callable} close={close} />}
          </OpenForm>
        </div>
      )}
    </>
  )
}

function Changes({ connector: { changes = [] } }: { connector: Connector }): ReactNode {
  if (changes.length === 0) return null
  return (
    <details className="border-t">
      <summary className="px-4 py-2 text-sm text-ink-soft hover:bg-hover">
        {plural(changes.length, 'change')} in the document since it was accepted
      </summary>
      <ul className="divide-y border-t">
        {changes.map(({ operation, change, fields = [] }) => (
          <li key={operation} className="grid gap-1 px-4 py-2 text-sm">
            <p>
              <span className="font-mono wrap-anywhere">{operation}</span> {change}
            </p>
            {fields.map(({ field, before, after }) => (
              <div key={field} className="grid gap-1">
                <p className="text-xs text-ink-faint">{field}</p>
                <del className="block bg-bad-soft px-2 font-mono text-xs wrap-anywhere">
                  {textOf(before)}
                </del>
                <ins className="block bg-ok-soft px-2 font-mono text-xs wrap-anywhere no-underline">
                  {textOf(after)}
                </ins>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </details>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface TryProps {
  connector: Connector
  actions: ConnectorAction[]
  close: () => void
}

/** Calls an action once, with its effects. */
function TryAction({ connector, actions, close }: TryProps): ReactNode {
  const { muster } = useSession()
  const dialog = useDialogForm({
    draft: `try.${connector.id}`,
    initial: { action: actions[0]?.id ?? '', input: fieldOf<Record<string, string>>({}) },
  })
  const { set, field } = dialog
  const { action, input: texts } = dialog.form
  const chosen = actions.find(({ id }) => id === action) ?? actions[0]
  const text = texts[action] ?? sampleOf(chosen?.input_schema)
  const [problem, setProblem] = useState<string>()
  const [tried, setTried] = useState<ConnectorTried>()
  // The dialog stays open, with the result.
  const send = async (): Promise<void> => {
    const input = parseInput(text)
    setProblem(input === undefined ? 'Enter a JSON object' : undefined)
    if (input !== undefined) setTried(await muster.connectors.try(connector.id, { action, input }))
  }
  return (
    <FormModal
      help="httpApis"
      title={`Try an action of ${connector.label}`}
      description="The request is sent without an approval, and has its effects."
      dialog={dialog}
      close={close}
      action="Send request"
      send={send}
    >
      <SelectField
        label="Action"
        {...field('action')}
        options={actions.map(({ id }) => ({ value: id, label: id }))}
      />
      <TextArea
        label="Arguments"
        hint="A JSON object."
        mono
        rows={5}
        value={text}
        onChange={(value) => set({ input: { ...texts, [action]: value } })}
        error={problem}
      />
      {tried !== undefined && (
        <div role="status" className="grid gap-1 text-sm">
          <p className={tried.status === 'succeeded' ? 'text-ok' : 'text-bad'}>
            {statusWords[tried.status]}
          </p>
          <pre
            className="max-h-64 overflow-auto rounded-md border p-2 text-xs whitespace-pre-wrap wrap-anywhere"
            tabIndex={0}
          >
            {tried.output}
          </pre>
        </div>
      )}
    </FormModal>
  )
}

const statusWords = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  unknown: 'Outcome unknown: it may have happened',
} as const

/** The required arguments, empty. */
function sampleOf(schema: object | undefined): string {
  const { required = [], properties = {} } = (schema ?? {}) as {
    required?: string[]
    properties?: Record<string, { type?: unknown }>
  }
  const sample = required.map((name) => {
    const type = properties[name]?.type
    return [name, type === 'integer' || type === 'number' ? 0 : type === 'boolean' ? false : '']
  })
  return JSON.stringify(Object.fromEntries(sample), null, 2)
}

function parseInput(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
