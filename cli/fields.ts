import { Option } from 'commander'
import type { Muster } from '../sdk/index.ts'
import type { CommandDefinition, Field } from './definition.ts'
import { parseAsWritten } from '../server/exact-json.ts'
import { usageError } from './failure.ts'
import { findId } from './named.ts'
import { readText } from './read-text.ts'

/** Options of generated commands, and their values. */
export type Options = Record<string, unknown>

const maxSecretBytes = 4_096
const maxJsonBytes = 1024 * 1024

/** The options of a field: two for a boolean, which can also be turned off. */
export function optionsOf(field: Field, isRequired: boolean): Option[] {
  const { option, kind, choices, isNullable } = field
  const about = aboutField(field, isRequired)
  const isSaid = isNullable !== true || field.about.includes('empty')
  const value = isSaid ? about : `${about}; empty for none`
  const short = field.name.length === 1 ? `-${field.name}, ` : ''
  const made = (flags: string, text = value) => new Option(`${short}--${option}${flags}`, text)
  if (kind === 'switch')
    return [made(' [on|off]', about), new Option(`--no-${option}`, `the opposite of --${option}`)]
  if (kind === 'list' || kind === 'ids' || kind === 'pairs') {
    const list = made(kind === 'pairs' ? ' <key=value...>' : ' <value...>', about)
    return [choices === undefined ? list : list.choices(choices)]
  }
  if (kind === 'json') return [made(' <json>', `${about}; JSON, or @ and the name of a file`)]
  if (kind === 'secret')
    return [made(' <file>', `file that contains only the ${option}; - for stdin`)]
  const word = /^[a-z]+$/.test(option) ? option : kind === 'number' ? 'number' : 'value'
  const one = made(` <${word}>`)
  return [choices === undefined || isNullable === true ? one : one.choices(choices)]
}

function aboutField(field: Field, isRequired: boolean): string {
  const { about, min, max, fallback, ref } = field
  const bounds = min !== undefined && max !== undefined ? `, ${min} to ${max}` : ''
  const names = ref === undefined ? '' : ', by id or exact name'
  const start = fallback === undefined ? '' : `; ${String(fallback)} by default`
  return `${about.replace(/, not blank$/, '')}${bounds}${names}${start}${isRequired ? ' (required)' : ''}`
}

/** The name of an option's value in commander. */
export function attributeOf(option: string): string {
  return option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Query and body of a call, from options, flags and arguments, in the API's types. */
export async function readFields(
  definition: CommandDefinition,
  options: Options,
  args: readonly (string | undefined)[],
  connect: () => Promise<Muster>,
): Promise<{ query: Record<string, unknown>; body: Record<string, unknown> }> {
  const query: Record<string, unknown> = {}
  const body: Record<string, unknown> = { ...definition.sets }
  const valueOf = ({ argument, option }: Field): unknown =>
    argument === undefined ? options[attributeOf(option)] : args[argument]
  const given = definition.fields.filter((field) => valueOf(field) !== undefined)
  const optionFor = new Map(given.map(({ name, option }) => [name, option]))
  for (const [flag, sets] of Object.entries(definition.flags ?? {})) {
    const isOff = flag.startsWith('no-')
    if (options[attributeOf(isOff ? flag.slice(3) : flag)] !== !isOff) continue
    for (const [name, fixed] of Object.entries(sets)) {
      const other = optionFor.get(name)
      if (other !== undefined)
        throw usageError(`option '--${flag}' cannot be used with option '--${other}'`)
      body[name] = fixed
      optionFor.set(name, flag)
    }
  }
  for (const field of given) {
    const target = field.inQuery === true ? query : body
    target[field.name] = await toValue(definition, field, valueOf(field), connect)
  }
  return { query, body }
}

/** In files, too, other resources can be referred to by id or exact name. */
export async function findNamed<T extends Record<string, unknown>>(
  { action, fields }: Pick<CommandDefinition, 'action' | 'fields'>,
  given: T,
  connect: () => Promise<Muster>,
): Promise<T> {
  const found: Record<string, unknown> = { ...given }
  for (const { name, ref } of fields) {
    const word = given[name]
    if (ref === undefined || typeof word !== 'string') continue
    found[name] = await findId(await connect(), action, ref, word)
  }
  return found as T
}

async function toValue(
  { action }: CommandDefinition,
  field: Field,
  given: unknown,
  connect: () => Promise<Muster>,
): Promise<unknown> {
  const { option, kind, isNullable = false } = field
  const wrong = (expected: string) =>
    usageError(`Cannot ${action}: --${option} is ${JSON.stringify(given)}, expected ${expected}`)
  if (kind === 'switch') {
    if (typeof given === 'boolean') return given
    if (given === 'on' || given === 'off') return given === 'on'
    throw wrong('on or off')
  }
  if (kind === 'list' || kind === 'ids' || kind === 'pairs') {
    const words = [given]
      .flat()
      .flatMap((text) => String(text).split(kind === 'pairs' ? '\n' : ','))
    const all = words.map((text) => text.trim())
    if (kind === 'pairs') return all.map(toPair)
    if (isNullable && all.join() === 'any') return null
    const list = all.join() === 'none' ? [] : all
    return kind === 'ids' ? list.map((id) => ({ id })) : list
  }
  const text = String(given)
  if (kind === 'secret') return (await readText(text, maxSecretBytes)).trim()
  if (isNullable && text === '') return null
  if (kind === 'json') return parseJson(text, wrong('JSON'))
  if (field.ref !== undefined) return findId(await connect(), action, field.ref, text)
  if (kind === 'text') return text
  return isNullable && text === 'any' ? null : toNumber(field, text, wrong)
}

function toNumber(
  { isWhole = false, min = -Infinity, max = Infinity }: Field,
  text: string,
  wrong: (expected: string) => Error,
): number {
  const number = Number(text)
  const isNumber = text.trim() !== '' && Number.isFinite(number)
  if (isNumber && (!isWhole || Number.isInteger(number)) && number >= min && number <= max)
    return number
  const kind = isWhole ? 'a whole number' : 'a number'
  throw wrong(max === Infinity ? kind : `${kind} from ${min} to ${max}`)
}

/** Converts `customer=acme` to the query's `customer:acme`. */
function toPair(text: string): string {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`${JSON.stringify(text)} is no filter, expected key=value.`)
  return `${text.slice(0, at)}:${text.slice(at + 1)}`
}

async function parseJson(given: string, wrong: Error): Promise<unknown> {
  const text = given.startsWith('@') ? await readText(given.slice(1), maxJsonBytes) : given
  try {
    return parseAsWritten(text)
  } catch {
    throw wrong
  }
}

/** Reads a whole body; the file may contain secrets, so it is never shown. */
export async function readBody(file: string): Promise<unknown> {
  const text = await readText(file, maxJsonBytes)
  try {
    return parseAsWritten(text)
  } catch {
    const name = file === '-' ? 'stdin' : file
    throw usageError(`Cannot read ${name}: it is not valid JSON`, 'invalid_file')
  }
}
