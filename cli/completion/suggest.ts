import type { Command, Option } from 'commander'
import { connectBy } from '../connection.ts'
import { commandDefinitions } from '../generated.ts'
import { methodOf, nounOf } from '../named.ts'
import { clean } from '../output.ts'
import { readProfiles } from '../profiles/stored.ts'

/** What may follow the words that were typed, the last of which may be incomplete. */
interface Suggestion {
  value: string
  about: string
}

interface Suggestions {
  suggestions: Suggestion[]
  /** Whether the word may name a file. */
  mayBeFile: boolean
}

/** A person waits for them at each press of Tab. */
const timeoutMs = 2_000
const maxObjects = 100
const maxAboutLength = 60

export async function suggest(program: Command, words: string[]): Promise<Suggestions> {
  const typed = words.at(-1) ?? ''
  const at = walk(program, words.slice(0, -1))
  const { found, mayBeFile } = await candidates(at, typed)
  const suggestions = found
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, about }) => ({ value, about: tidy(about) }))
  return { suggestions, mayBeFile: mayBeFile && suggestions.length === 0 }
}

/**
 * Shells read suggestions as code or as lists, and names are the choice of others: a name that is
 * suggested has no character that means something to a shell, a description none but letters, digits
 * and a few marks.
 */
const isSafe = /^[\p{L}\p{N}][\p{L}\p{N}._@/-]*$/u

function tidy(about: string): string {
  const plain = clean(about).replaceAll(/[^\p{L}\p{N}.,_@/()-]+/gu, ' ')
  return plain.trim().slice(0, maxAboutLength)
}

interface Place {
  command: Command
  /** Arguments of the command so far. */
  args: string[]
  /** The option whose value comes next. */
  option: Option | undefined
  /** Values of the options for all commands. */
  global: Record<string, string>
}

function walk(program: Command, words: string[]): Place {
  const place: Place = { command: program, args: [], option: undefined, global: {} }
  for (const word of words) {
    const { command, option } = place
    if (option !== undefined) {
      if (program.options.includes(option)) place.global[option.attributeName()] = word
      place.option = undefined
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2)
      const known = optionsOf(command).find(({ short, long }) => flag === short || flag === long)
      if (known?.required === true && value === undefined) place.option = known
    } else {
      const next = command.commands.find((one) => one.name() === word)
      if (next !== undefined && place.args.length === 0) place.command = next
      else place.args.push(word)
    }
  }
  return place
}

function optionsOf(command: Command): Option[] {
  const inherited = command.parent === null ? [] : optionsOf(command.parent)
  return [...command.options, ...inherited]
}

async function candidates(
  { command, args, option, global }: Place,
  typed: string,
): Promise<{ found: Suggestion[]; mayBeFile: boolean }> {
  if (option !== undefined) {
    const value = /<([^>.=]+)/.exec(option.flags)?.[1] ?? ''
    const nouns = [option.long?.slice(2) ?? '', value]
    const found = option.argChoices?.map(plain) ?? (await objectsOf(nouns, command, global))
    return { found, mayBeFile: found.length === 0 }
  }
  if (typed.startsWith('-')) {
    const found = optionsOf(command)
      .filter(({ hidden }) => !hidden)
      .map(({ long, description }) => ({ value: long ?? '', about: description }))
    return { found, mayBeFile: false }
  }
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.summary() || one.description() }))
  if (args.length === 0 && command.commands.length > 0) return { found: commands, mayBeFile: false }
  const all = command.registeredArguments
  const argument = all[args.length] ?? all.findLast(({ variadic }) => variadic)
  if (argument === undefined) return { found: [], mayBeFile: false }
  const found =
    argument.argChoices?.map(plain) ?? (await objectsOf([argument.name()], command, global))
  return { found, mayBeFile: found.length === 0 && /file|path|folder/.test(argument.name()) }
}

const plain = (value: string): Suggestion => ({ value, about: '' })

/** Ids of operations that list all objects of a kind. */
const isWhole = /\.list(_all)?$/

/** The lists of the account, by the noun of one item, such as `workflow`. */
const lists = new Map(
  commandDefinitions
    .filter(({ id, isList, params }) => isList === true && params.length === 0 && isWhole.test(id))
    .map(({ id }) => [nounOf(id.replace(isWhole, '')), id]),
)

/** Ids of the objects that a word may name, and their names where they are one safe word. */
async function objectsOf(
  nouns: string[],
  command: Command,
  global: Record<string, string>,
): Promise<Suggestion[]> {
  if (nouns.includes('profile')) return Object.keys((await readProfiles()).profiles).map(plain)
  const noun = nouns.find((one) => lists.has(one))
  if (noun === undefined) return []
  // Only a waiting run can be answered.
  const id = command.name() === 'respond' ? 'pending.list' : (lists.get(noun) ?? '')
  try {
    const muster = await connectBy(global)
    const page = (await methodOf(
      muster,
      id,
    )({
      limit: maxObjects,
      timeoutMs,
      maxRetries: 0,
    })) as Listed[]
    return page.flatMap(toSuggestions).filter(({ value }) => isSafe.test(value))
  } catch {
    // Without a service there are no suggestions; a message would stand amid the typed line.
    return []
  }
}

interface Listed {
  id?: string
  run_id?: string
  name?: string
  status?: string
  input_preview?: string
  input?: string
  url?: string
}

function toSuggestions(one: Listed): Suggestion[] {
  const { id, run_id: runId, name, status, input_preview: preview, input, url } = one
  const about = name ?? [status, preview ?? input ?? url].filter(Boolean).join(' ')
  return [
    { value: runId ?? id ?? '', about },
    ...(name === undefined ? [] : [{ value: name, about: id ?? '' }]),
  ]
}
