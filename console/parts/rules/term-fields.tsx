import { Plus, X } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Rule } from '../../../sdk/generated.ts'
import { useConnectors } from '../../data/connectors.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { messageFields } from '../inbox/message-fields.ts'
import { fieldsOf, type Field } from '../schema-form/fields.ts'
import { openCopies } from './copies.ts'
import { kindLabels, kindsFor, newRow, termOf, type TermRow } from './term-rows.ts'

interface Props {
  action: string
  decision: Rule['decision']
  rows: TermRow[]
  change: (rows: TermRow[]) => void
}

/** The conditions of a rule, one a row. All of them must hold. */
export function TermFields({ action, decision, rows, change }: Props): ReactNode {
  const { data: connectors = [] } = useConnectors()
  const found = connectors.flatMap(({ actions }) => actions).find(({ id }) => id === action)
  const known = found === undefined ? [] : messageFields(action, fieldsOf(found.input_schema, {}))
  const nextId = Math.max(-1, ...rows.map(({ id }) => id)) + 1
  const frame = useRef<HTMLFieldSetElement>(null)
  const add = (): void => {
    flushSync(() => change([...rows, newRow(nextId, firstSubject(rows, known))]))
    const groups = frame.current?.querySelectorAll('[role=group]')
    groups
      ?.item(groups.length - 1)
      ?.querySelector('select')
      ?.focus()
  }
  const terms = rows.map(termOf).filter((term) => typeof term !== 'string')
  const names = known.map(({ name }) => name)
  const copies = decision === 'allow' ? openCopies(terms, names) : []
  const closed = copies.map((name, at) => newRow(nextId + at, { name, kind: 'absent' }))
  return (
    <fieldset ref={frame} className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium text-ink-soft">
        Conditions{rows.length > 1 && ', all of which must hold'}
      </legend>
      {rows.length === 0 && (
        <p className="text-sm text-ink-soft">None: the rule holds for every such call.</p>
      )}
      {rows.map((row, at) => (
        <Row
          key={row.id}
          label={`Condition ${at + 1}`}
          row={row}
          known={known}
          change={(part) => change(rows.with(at, { ...row, ...part }))}
          remove={() => change(rows.toSpliced(at, 1))}
        />
      ))}
      {copies.length > 0 && (
        <p role="alert" className="flex flex-wrap items-center gap-3 text-sm text-warn">
          Copies ({copies.join(', ')}) may go to anyone.
          <Button onClick={() => change([...rows, ...closed])}>Allow no copies</Button>
        </p>
      )}
      <div>
        <Button icon={Plus} onClick={add}>
          Add condition
        </Button>
      </div>
    </fieldset>
  )
}

/** The first argument without a condition. */
function firstSubject(rows: TermRow[], known: Field[]): Partial<TermRow> {
  const next = known.find(
    ({ name }) => !rows.some((row) => row.of === 'argument' && row.name === name),
  )
  return next === undefined ? { isNamed: true } : startFor(next)
}

function startFor({ name, kind }: Field): Partial<TermRow> {
  const isText = kind === 'text' || kind === 'choice' || kind === 'date' || kind === 'moment'
  return { of: 'argument', name, isNamed: false, isJson: !isText }
}

interface RowProps {
  label: string
  row: TermRow
  known: Field[]
  change: (part: Partial<TermRow>) => void
  remove: () => void
}

const others = {
  argument: 'Another argument',
  tag: 'A tag of the run',
  workflow: 'Workflow',
  role: 'Role of the agent',
  agent: 'Agent',
  only: 'No other arguments than',
  cel: 'CEL',
} as const

function Row({ label, row, known, change, remove }: RowProps): ReactNode {
  const isChosen = row.of === 'argument' && !row.isNamed && row.name !== ''
  const listed = known.some(({ name }) => name === row.name) || !isChosen
  const names = listed ? known : [...known, { name: row.name, kind: 'text' } as Field]
  const subjects = [
    ...names.map(({ name, label = name }) => ({ value: `argument ${name}`, label })),
    ...Object.entries(others).map(([value, label]) => ({ value, label })),
  ]
  const choose = (subject: string): void => {
    const { id: _, ...start } = newRow(row.id)
    const name = subject.startsWith('argument ') ? subject.slice('argument '.length) : undefined
    const field = names.find((one) => one.name === name)
    if (field !== undefined) change({ ...start, ...startFor(field) })
    else change({ ...start, of: subject as TermRow['of'], isNamed: subject === 'argument' })
  }
  const field = isChosen ? known.find(({ name }) => name === row.name) : undefined
  const isNumber = field && (field.kind === 'number' || field.kind === 'integer')
  const hasName = (row.of === 'argument' && !isChosen) || row.of === 'tag'
  const canMiss = row.isOptional || field?.isRequired !== true
  const hasKind = row.of !== 'only' && row.of !== 'cel'
  return (
    <div role="group" aria-label={label} className="panel grid gap-2 p-3">
      <div className="grid grid-cols-[1fr_auto] items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
        <div className="grid gap-2">
          <SelectField
            label="About"
            isLabelHidden
            value={isChosen ? `argument ${row.name}` : row.of}
            onChange={choose}
            options={subjects}
          />
          {hasName && (
            <TextField
              label="Name"
              isLabelHidden
              placeholder={row.of === 'tag' ? 'Name of the tag' : 'Name of the argument'}
              required
              value={row.name}
              onChange={(name) => change({ name })}
            />
          )}
        </div>
        <div className="col-span-2 row-start-2 sm:col-span-1 sm:row-start-auto">
          {hasKind ? (
            <SelectField
              label="Test"
              isLabelHidden
              value={row.kind}
              onChange={(kind) => change({ kind })}
              options={kindsFor(row, field === undefined ? undefined : isNumber).map((value) => ({
                value,
                label: kindLabels[value],
              }))}
            />
          ) : undefined}
        </div>
        <IconButton icon={X} label={`Remove ${label.toLowerCase()}`} onClick={remove} />
      </div>
      <Value row={row} change={change} />
      {row.of === 'argument' && row.kind !== 'absent' && canMiss && (
        <CheckField
          label={<span className="text-sm">Or left out</span>}
          checked={row.isOptional}
          onChange={(isOptional) => change({ isOptional })}
        />
      )}
    </div>
  )
}

function Value({ row, change }: Pick<RowProps, 'row' | 'change'>): ReactNode {
  const { data: workflows = [] } = useWorkflows()
  const { of, kind, text, upTo } = row
  const term = termOf(row)
  const error = typeof term === 'string' && text !== '' ? term : undefined
  const field = { label: 'Value', isLabelHidden: true, required: true, error }
  const onChange = (text: string) => change({ text })
  if (kind === 'absent') return null
  if (of === 'workflow' && (text === '' || workflows.some(({ id }) => id === text))) {
    const options = workflows.map(({ id, name }) => ({ value: id, label: name }))
    const start = text === '' ? [{ value: '', label: 'Choose a workflow' }] : []
    return (
      <SelectField {...field} value={text} onChange={onChange} options={[...start, ...options]} />
    )
  }
  if (of === 'only' || kind === 'oneOf' || kind === 'noneOf' || of === 'cel') {
    const hint = of === 'cel' ? undefined : row.isJson ? 'As JSON, one a line.' : 'One a line.'
    const isMono = of === 'cel' || row.isJson
    return (
      <TextArea {...field} rows={1} mono={isMono} hint={hint} value={text} onChange={onChange} />
    )
  }
  if (kind === 'between') {
    return (
      <div className="grid grid-cols-2 gap-2">
        <TextField {...field} label="From" inputMode="decimal" value={text} onChange={onChange} />
        <TextField
          {...field}
          label="To"
          error={undefined}
          inputMode="decimal"
          value={upTo}
          onChange={(upTo) => change({ upTo })}
        />
      </div>
    )
  }
  return <TextField {...field} value={text} onChange={onChange} />
}
