import { readTerms } from '../../../server/policies/read-terms.ts'
import type { FieldTerm, Term } from '../../../server/policies/terms.ts'
import type { Rule } from '../../../sdk/generated.ts'
import { openCopies } from './copies.ts'
import { toLine } from '../../ui/text/invisible.ts'

const verbs = { allow: 'Allow', ask: 'Ask about', block: 'Block' } as const

const nouns: Record<string, string> = {
  '*': 'all actions',
  'email.send': 'emails',
  'slack.post_message': 'Slack messages',
}

/** The argument that names where a message goes, with its preposition. */
const places: Record<string, [name: string, preposition: string]> = {
  'email.send': ['to', 'to'],
  'slack.post_message': ['channel', 'in'],
}

/**
 * A rule as a sentence: `Allow emails to anyone at example.com, without copies`. What a form cannot express stands in it
 * as CEL.
 */
export function ruleWords(rule: Rule, workflowName: (id: string) => string): string {
  const { action, decision, when, fixed } = rule
  const noun =
    nouns[action] ?? (action.endsWith('.*') ? `all actions of ${action.slice(0, -2)}` : action)
  const terms = readTerms(when)
  const phrases = terms.map((term) => phraseOf(term, action, workflowName))
  const isOpen = action === 'email.send' && openCopies(terms, ['cc']).length > 0
  if (decision === 'allow' && isOpen) phrases.push('with copies to anyone')
  const set = Object.entries(fixed ?? {}).map(
    ([name, value]) => `with ${name} set to ${show(value)}`,
  )
  const all = [...new Set([...phrases, ...set])]
  const [first = '', ...others] = [
    ...all.filter(isPlace),
    ...joinTests(all.filter((one) => !isPlace(one))),
  ]
  const start = `${verbs[decision]} ${toLine(noun, 200)}`
  return [first === '' ? start : `${start} ${first}`, ...others].join(', ')
}

/** One `if` for all tests, before the other phrases. */
function joinTests(phrases: string[]): string[] {
  const tests = phrases.filter((one) => one.startsWith('if '))
  const others = phrases.filter((one) => !one.startsWith('if '))
  if (tests.length === 0) return others
  return [`if ${tests.map((test) => test.slice(3)).join(' and ')}`, ...others]
}

/** Where a message goes comes first. */
/** Where a message goes, which comes first. */
function isPlace(phrase: string): boolean {
  return /^(to|in) /.test(phrase) && !phrase.startsWith(inWorkflow)
}

const inWorkflow = 'in the workflow '

function phraseOf(term: Term, action: string, workflowName: (id: string) => string): string {
  const isMail = action === 'email.send'
  switch (term.kind) {
    case 'cel':
      return `if ${toLine(term.text, 200)}`
    case 'only':
      return isMail && !term.names.includes('cc') ? 'without copies' : 'without other arguments'
    case 'absent':
      return isMail && term.field.name === 'cc'
        ? 'without copies'
        : `without ${toLine(term.field.name, 100)}`
    default:
      return fieldPhrase(term, action, workflowName)
  }
}

function fieldPhrase(
  term: FieldTerm,
  action: string,
  workflowName: (id: string) => string,
): string {
  const { field, isOptional = false } = term
  const name = toLine(field.name, 100)
  if (term.kind === 'is' || term.kind === 'isNot') {
    const not = term.kind === 'isNot' ? 'not ' : ''
    const ids = term.values.map((id) => `“${toLine(workflowName(String(id)), 100)}”`)
    if (field.of === 'workflow') return `${not}${inWorkflow}${oneOf(ids)}`
    const values = oneOf(term.values.map(show))
    if (field.of === 'role') return `${not}asked by ${values}`
    if (field.of === 'agent') return `${not}asked by the agent ${values}`
  }
  if (field.of === 'tag') return `in runs whose tag ${name} ${testOf(term)}`
  const [place, preposition] = places[action] ?? []
  if (field.of === 'argument' && field.name === place && !isOptional) {
    if (term.kind === 'is') return `${preposition} ${oneOf(term.values.map(show))}`
    if (term.kind === 'addressesAt') return `${preposition} anyone at ${term.domain}`
  }
  const subject = {
    argument: action in places ? capitalized(name) : name,
    workflow: 'the workflow',
    agent: 'the agent',
    role: 'the role',
  }[field.of]
  return `if ${subject} ${testOf(term)}${isOptional ? ' or is left out' : ''}`
}

/** As the form of a message labels it. */
function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function testOf(term: FieldTerm): string {
  switch (term.kind) {
    case 'is':
      return `is ${oneOf(term.values.map(show))}`
    case 'isNot':
      return `is not ${oneOf(term.values.map(show))}`
    case 'atLeast':
      return `is at least ${term.number}`
    case 'atMost':
      return `is at most ${term.number}`
    case 'above':
      return `is above ${term.number}`
    case 'below':
      return `is below ${term.number}`
    case 'between':
      return `is from ${term.min} to ${term.max}`
    case 'startsWith':
      return `starts with ${show(term.text)}`
    case 'endsWith':
      return `ends with ${show(term.text)}`
    case 'contains':
      return `contains ${show(term.text)}`
    case 'containsNot':
      return `does not contain ${show(term.text)}`
    case 'addressesAt':
      return `is anyone at ${term.domain}`
  }
}

const mostShown = 3

function oneOf(values: string[]): string {
  if (values.length > mostShown + 1) {
    const rest = values.length - mostShown
    return `${values.slice(0, mostShown).join(', ')} or one of ${rest} others`
  }
  const last = values.at(-1) ?? 'nothing'
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`
}

/** Texts that could be read as a part of the sentence are in quotes. */
function show(value: unknown): string {
  if (typeof value !== 'string') return toLine(JSON.stringify(value), 100)
  const line = toLine(value, 100)
  return /^[^\s,;.“”"'][^\s,;“”"']*$/.test(value) && !/^(or|and)$/.test(value) ? line : `“${line}”`
}
