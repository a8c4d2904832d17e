import { findInexact } from '../exact-json.ts'
import {
  addressesPattern,
  comparisons,
  domainName,
  textTests,
  type Field,
  type FieldTerm,
  type Term,
} from './terms.ts'

/**
 * The terms of a condition, pure. Only forms whose meaning is certain are read; every other part stays as its CEL, and
 * so does the whole condition if its parts cannot be told apart. `writeTerms` then gives a condition of the same meaning.
 */
export function readTerms(when: string | null | undefined): Term[] {
  const text = when?.trim() ?? ''
  if (text === '') return []
  const parts = split(text, '&&')
  return parts === undefined ? [{ kind: 'cel', text }] : parts.flatMap(readPart)
}

function readPart(part: string): Term[] {
  const inner = withoutBrackets(part)
  if (inner !== part) {
    const parts = split(inner, '&&')
    if (parts !== undefined) {
      const terms = parts.flatMap(readPart)
      return [asRange(terms) ?? terms].flat()
    }
  }
  return [readOptional(inner) ?? readTerm(inner) ?? { kind: 'cel', text: inner }]
}

/** `"cc" in args` or `has(args.cc)`, negated, or the term holds. */
function readOptional(text: string): Term | undefined {
  const sides = split(text, '||')
  if (sides?.length !== 2) return undefined
  const [absent, term, ...others] = sides.flatMap(readPart)
  if (absent?.kind !== 'absent' || term === undefined || others.length > 0) return undefined
  if (!('field' in term) || term.kind === 'absent') return undefined
  const isSame = term.field.of === absent.field.of && term.field.name === absent.field.name
  return isSame ? { ...term, isOptional: true } : undefined
}

/** Two bounds in brackets. */
function asRange([low, high, ...others]: Term[]): Term | undefined {
  if (low?.kind !== 'atLeast' || high?.kind !== 'atMost' || others.length > 0) return undefined
  const { field, number: min } = low
  if (field.of !== high.field.of || field.name !== high.field.name) return undefined
  return { kind: 'between', field, min, max: high.number }
}

const text = String.raw`"(?:[^"\\]|\\.)*"`
const named = String.raw`(?:args|run\.tags)(?:\.[A-Za-z_]\w*|\[${text}\])`
const field = String.raw`(${named}|workflow\.id|agent\.id|agent\.role)`
const forms = {
  only: new RegExp(String.raw`^args\.all\((\w+), *\1 in (\[.*\])\)$`, 's'),
  has: new RegExp(String.raw`^!\s*has\((${named})\)$`),
  notIn: new RegExp(String.raw`^!\s*\(?(${text}) in (args|run\.tags)\)?$`),
  test: new RegExp(
    String.raw`^(!?)\s*${field}\.(startsWith|endsWith|contains|matches)\((${text})\)$`,
  ),
  compare: new RegExp(String.raw`^${field}\s*(==|!=|>=|<=|>|<)\s*(.+)$`, 's'),
  among: new RegExp(String.raw`^${field}\s+in\s+(\[.*\])$`, 's'),
  notAmong: new RegExp(String.raw`^!\s*\(${field}\s+in\s+(\[.*\])\)$`, 's'),
}

function readTerm(part: string): Term | undefined {
  const only = forms.only.exec(part)
  if (only) {
    const names = literal(only[2])
    const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string')
    return areNames ? { kind: 'only', names } : undefined
  }
  const has = forms.has.exec(part)
  if (has) return absent(readField(has[1]))
  const notIn = forms.notIn.exec(part)
  if (notIn) {
    const name = literal(notIn[1])
    const of = notIn[2] === 'args' ? 'argument' : 'tag'
    return typeof name === 'string' ? absent({ of, name }) : undefined
  }
  return readFieldTerm(part)
}

function absent(field: Field | undefined): Term | undefined {
  return field && { kind: 'absent', field }
}

function readFieldTerm(part: string): FieldTerm | undefined {
  const test = forms.test.exec(part)
  if (test) return readTest(test)
  const compare = forms.compare.exec(part)
  if (compare) {
    const [, path, sign, right] = compare
    const [field, value] = [readField(path), literal(right)]
    if (field === undefined || value === undefined) return undefined
    if (sign === '==' || sign === '!=') {
      return { kind: sign === '==' ? 'is' : 'isNot', field, values: [value] }
    }
    const kind = keyOf(comparisons, sign)
    return kind && typeof value === 'number' ? { kind, field, number: value } : undefined
  }
  const among = forms.among.exec(part)
  const [, path, right] = among ?? forms.notAmong.exec(part) ?? []
  const [field, values] = [readField(path), literal(right)]
  if (field === undefined || !Array.isArray(values) || values.length === 0) return undefined
  return { kind: among ? 'is' : 'isNot', field, values }
}

function readTest([, not, path, name, right]: RegExpExecArray): FieldTerm | undefined {
  const [field, value] = [readField(path), literal(right)]
  if (field === undefined || typeof value !== 'string') return undefined
  if (name === 'matches') {
    const domain = /\+@(.*)>\?\)/.exec(value)?.[1]?.replaceAll(String.raw`\.`, '.') ?? ''
    const isRead = not === '' && domainName.test(domain) && value === addressesPattern(domain)
    return isRead ? { kind: 'addressesAt', field, domain } : undefined
  }
  if (not !== '')
    return name === 'contains' ? { kind: 'containsNot', field, text: value } : undefined
  const kind = keyOf(textTests, name)
  return kind && { kind, field, text: value }
}

function keyOf<Key extends string>(
  words: Record<Key, string>,
  word: string | undefined,
): Key | undefined {
  return (Object.keys(words) as Key[]).find((key) => words[key] === word)
}

function readField(path = ''): Field | undefined {
  if (path === 'workflow.id') return { of: 'workflow', name: '' }
  if (path === 'agent.id') return { of: 'agent', name: '' }
  if (path === 'agent.role') return { of: 'role', name: '' }
  const [, root, rest = ''] = /^(args|run\.tags)(.+)$/s.exec(path) ?? []
  const name = rest.startsWith('.') ? rest.slice(1) : literal(rest.slice(1, -1))
  if (typeof name !== 'string') return undefined
  return { of: root === 'args' ? 'argument' : 'tag', name }
}

/** A literal that JSON and CEL read alike; undefined for any other, or if reading it would round a number. */
function literal(source = ''): unknown {
  if (findInexact(source) !== undefined) return undefined
  try {
    return JSON.parse(source) as unknown
  } catch {
    return undefined
  }
}

/**
 * The sides of an operator outside brackets and texts. Undefined where they cannot be told apart: there is an operator
 * that binds more weakly, or something that only a CEL parser reads, such as comments and raw texts.
 */
function split(source: string, operator: '&&' | '||'): string[] | undefined {
  if (/['`]|\/\/|"""|[A-Za-z]"/.test(source.replaceAll(new RegExp(text, 'g'), '""')))
    return undefined
  const sides: string[] = []
  let [depth, start] = [0, 0]
  for (const token of source.matchAll(
    new RegExp(String.raw`${text}|[()[\]{}]|&&|\|\||[?"]`, 'g'),
  )) {
    const [sign] = token
    if (sign === '"') return undefined
    if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
    else if (depth > 0 || sign.startsWith('"')) continue
    else if (sign === operator) {
      sides.push(source.slice(start, token.index).trim())
      start = token.index + sign.length
    } else if (sign === '?' || operator === '&&') return undefined
    if (depth < 0) return undefined
  }
  return depth === 0 ? [...sides, source.slice(start).trim()] : undefined
}

/** Without brackets around the whole. */
function withoutBrackets(source: string): string {
  if (!source.startsWith('(') || !source.endsWith(')')) return source
  const inner = source.slice(1, -1)
  // In `(a) || (b)`, the first bracket closes before the end.
  return isBalanced(inner) ? inner.trim() : source
}

function isBalanced(source: string): boolean {
  let depth = 0
  for (const sign of source.replaceAll(new RegExp(text, 'g'), '').match(/[()]/g) ?? []) {
    depth += sign === '(' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}
