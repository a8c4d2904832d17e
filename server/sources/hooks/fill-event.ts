import { createLanguage, type Language } from '../../expressions/expression.ts'
import { fill, refuse, type Field, type Filled } from '../../templates/fill.ts'
import { parseBody, refuseBody } from './body.ts'

/**
 * A task: filters an event and renders the hook's templates on it, in a thread if they are not cheap. Pure.
 */
export interface Event {
  bytes: Uint8Array
  contentType: string
  headers: Record<string, string>
  event: Record<'id' | 'type' | 'received_at', string>
  hook: Record<'id' | 'name', string>
}

export interface Values extends Record<string, unknown> {
  body: unknown
  headers: Record<string, string>
  event: Event['event']
  hook: Event['hook']
}

export interface EventWork {
  filter: string | null
  fields: Field[]
  event: Event
  /** Checks the templates first, and renders them even if the filter does not match. */
  isPreview: boolean
}

interface Problem {
  field: string
  why: string
}

export interface WorkedOn {
  /** Null if the filter fails. */
  passes: boolean | null
  /** Of the filter, or of the body. */
  problems: Problem[]
  /** Null if nothing was rendered. */
  filled: Filled | null
}

export const variables = {
  body: 'dyn',
  headers: 'map<string, string>',
  event: 'map<string, string>',
  hook: 'map<string, string>',
}
let language: Language | undefined

export function fillEvent({ filter, fields, event, isPreview }: EventWork): WorkedOn {
  const values = valuesOf(event)
  const deep = refuseBody(values.body)
  if (deep !== undefined) {
    return { passes: null, problems: [{ field: 'body', why: deep }], filled: null }
  }
  language ??= createLanguage(variables)
  const outcome = filter === null ? true : language.evaluate(filter, values)
  const passes = typeof outcome === 'string' ? null : outcome
  const problems = typeof outcome === 'string' ? [{ field: 'filter', why: outcome }] : []
  if (!isPreview) {
    return { passes, problems, filled: passes === true ? fill({ fields, values }) : null }
  }
  const unread = refuse(fields)
  if (unread === undefined) return { passes, problems, filled: fill({ fields, values }) }
  const { path: field, why } = unread
  return { passes, problems: [...problems, { field, why }], filled: null }
}

export function valuesOf({ bytes, contentType, headers, event, hook }: Event): Values {
  return { body: parseBody(bytes, contentType), headers, event, hook }
}
