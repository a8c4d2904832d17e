import { diffWordsWithSpace } from 'diff'
import { clean, oneLine } from '../output.ts'
import type { Applied } from './apply.ts'
import type { FieldChange } from './plan.ts'

const signs = { create: '+', update: '~', keep: ' ', delete: '-' }

/** A plan with its changes, word by word. */
export function showPlan(steps: Applied[], inFiles: number): string {
  const own = steps.slice(0, inFiles).filter(({ action }) => action !== 'keep')
  const others = steps.slice(inFiles)
  const lines = own.flatMap((step) => [
    `${signs[step.action]} ${labelOf(step)}`,
    ...step.changes.map((change) => `    ${describeChange(change)}`),
  ])
  const drift = others.map((step) => `${step.action === 'delete' ? '-' : '?'} ${labelOf(step)}`)
  const count = (action: Applied['action']): number =>
    steps.filter((step) => step.action === action).length
  const summary = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`
  const hint =
    others.length > 0 && count('delete') === 0
      ? ['? is on the server but not in the files; --prune deletes it.']
      : []
  return [...lines, ...drift, summary, ...hint].join('\n')
}

const words = { create: 'Created', update: 'Updated', keep: 'Unchanged', delete: 'Deleted' }

/** A line for each applied object. */
export function showDone(done: Applied, isOne: boolean): string {
  const { action, name, id, warnings } = done
  return [
    `${words[action]} ${isOne ? `${oneLine(name)} (${id})` : labelOf(done)}.`,
    ...warnings.map((message) => `Warning: ${oneLine(message, 2_000)}`),
  ].join('\n')
}

function labelOf({ of, name, id }: Applied): string {
  if (of.key === undefined) return of.noun
  return `${of.noun} ${oneLine(name)}${id === undefined ? '' : ` (${id})`}`
}

const longText = 40
const context = 30

function describeChange({ field, before, after }: FieldChange): string {
  if (typeof before !== 'string' || typeof after !== 'string' || before.length < longText)
    return `${field}: ${shown(before)} → ${shown(after)}`
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 1_000 })
  if (parts === undefined) return `${field}: changed throughout`
  const text = parts
    .map(({ added, removed, value }) =>
      added ? `{+${value}+}` : removed ? `[-${value}-]` : shorten(value),
    )
    .join('')
  return `${field}: ${clean(text).replaceAll('\n', '\n      ')}`
}

function shown(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 200)
}

/** Shortens an unchanged part to its beginning and end. */
function shorten(text: string): string {
  if (text.length <= 2 * context + 10) return text
  return `${text.slice(0, context)} … ${text.slice(-context)}`
}
