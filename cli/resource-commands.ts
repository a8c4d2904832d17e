import { Option, type Command, type CommandOptions } from 'commander'
import { MusterError, type Muster, type Page } from '../sdk/index.ts'
import type { CommandDefinition, Param } from './definition.ts'
import { exitCodes } from './exit-codes.ts'
import { usageError } from './failure.ts'
import { attributeOf, findNamed, optionsOf, readBody, readFields, type Options } from './fields.ts'
import { commandDefinitions } from './generated.ts'
import { findId, methodOf } from './named.ts'
import { readFieldsFile, withLine } from './named-file.ts'
import { limit, take, type LocalCall, type Verbs } from './noun.ts'
import { clean, forStdout, oneLine } from './output.ts'
import { shell } from './shell.ts'
import { showList, showOne } from './show-resource.ts'

/**
 * The generated commands. Arguments and options become the path, query and body of one call of the
 * SDK; its result is shown by the definition's columns, or by a view of `views.ts`.
 */
export function addResourceCommands(program: Verbs): void {
  for (const [command, variants] of Map.groupBy(commandDefinitions, (one) => one.command)) {
    const words = command.split(' ')
    const verb = words.pop() ?? ''
    let group = program
    for (const word of words) group = group.noun(word)
    // Not on the group itself, which would take the options of its other commands.
    const isGroup = commandDefinitions.some((one) => one.command.startsWith(`${command} `))
    if (isGroup) addCommand(group.noun(verb), 'list', variants, { isDefault: true })
    else addCommand(group, verb, variants)
  }
}

type Called = LocalCall<Options>

/** Variants are the same command for several kinds of owner, each named by its own option. */
function addCommand(
  { local }: Verbs,
  verb: string,
  variants: CommandDefinition[],
  commandOptions?: CommandOptions,
): void {
  const [first] = variants as [CommandDefinition, ...CommandDefinition[]]
  const names = argumentsOf(first)
  let shown = first
  const command = local(
    verb,
    variants.length === 1 ? first.about : first.about.replace(/ of an? \w+$/, ''),
    async (call: Called, ...args) => {
      shown = variantFor(variants, call.options)
      return run(shown, call, args)
    },
    (result) => show(shown, result),
    commandOptions,
  )
  if (first.details !== undefined && variants.length === 1)
    command.summary(first.about).description(`${first.about}. ${first.details}`)
  for (const { usage, about } of names) command.argument(usage, about)
  for (const { params } of variants)
    for (const { option, about, ref } of params)
      if (option !== undefined)
        command.option(
          `--${option} <${option}>`,
          ref === undefined ? about : `${about} or exact name`,
        )
  addOptions(command, variants)
  if (first.isList === true) command.option(...limit(first.limit ?? 1_000))
  if (first.hasCsv === true) command.option('--csv', 'all matches as CSV')
}

function addOptions(command: Command, variants: CommandDefinition[]): void {
  const known = new Set<string>()
  for (const one of variants) {
    for (const field of one.fields) {
      if (field.argument !== undefined || known.has(field.option)) continue
      known.add(field.option)
      const isRequired = field.required === true && variants.length === 1
      for (const option of optionsOf(field, isRequired)) command.addOption(option)
    }
    for (const [flag, sets] of Object.entries(one.flags ?? {}))
      if (!known.has(flag))
        command.addOption(new Option(`--${flag}`, `sets ${JSON.stringify(sets)}`))
    for (const flag of Object.keys(one.flags ?? {})) known.add(flag)
  }
  const [{ hasBody, bodyIsFile, sets, fields }] = variants as [CommandDefinition]
  if (hasBody === true && bodyIsFile !== true && sets === undefined && fields.length > 3)
    command.option('-f, --file <file>', 'fields of the API, in YAML or JSON; - for stdin')
}

/** `<agent>`, then the fields that are arguments. */
function argumentsOf({
  params,
  fields,
  bodyIsFile,
}: CommandDefinition): { usage: string; about: string }[] {
  const path = params
    .filter(({ option }) => option === undefined)
    .map(({ noun, about, ref }) => ({
      usage: `<${noun}>`,
      about: ref === undefined ? about : 'id or exact name',
    }))
  const own = fields
    .filter(({ argument }) => argument !== undefined)
    .sort((a, b) => (a.argument ?? 0) - (b.argument ?? 0))
    .map(({ option, kind, required, about, ref }) => {
      const name = kind === 'secret' ? `${option}-file` : option
      const text = kind === 'secret' ? `file that contains only the ${option}; - for stdin` : about
      const help = ref === undefined ? text : 'id or exact name'
      return { usage: required === true ? `<${name}>` : `[${name}]`, about: help }
    })
  const file = { usage: '<file>', about: 'JSON with the fields of the API; - for stdin' }
  return [...path, ...own, ...(bodyIsFile === true ? [file] : [])]
}

function variantFor(variants: CommandDefinition[], options: Options): CommandDefinition {
  const [first] = variants as [CommandDefinition]
  if (variants.length === 1) return first
  const owners = variants.map(({ params }) => params[0]?.option ?? '')
  const given = variants.filter((_, at) => options[owners[at] ?? ''] !== undefined)
  const [one] = given
  if (given.length !== 1 || one === undefined) {
    const words = owners.map((owner) => `--${owner}`)
    throw usageError(`Cannot ${first.action}: give ${words.join(', or ')}`)
  }
  const foreign = variants
    .flatMap(({ fields }) => fields)
    .find(
      ({ option }) =>
        options[attributeOf(option)] !== undefined &&
        !one.fields.some((field) => field.option === option),
    )
  if (foreign === undefined) return one
  const owner = owners[variants.findIndex(({ fields }) => fields.includes(foreign))]
  throw usageError(`Cannot ${first.action}: --${foreign.option} goes with --${owner}`)
}

async function run(
  definition: CommandDefinition,
  { options, connect }: Called,
  args: (string | undefined)[],
): Promise<unknown> {
  const { id, action, params, hasBody, isList, bodyIsFile } = definition
  const inPath = params.filter(({ option }) => option === undefined)
  const own = args.slice(inPath.length)
  let connected: Promise<Muster> | undefined
  const connectOnce = (): Promise<Muster> => (connected ??= connect())
  const path = options['file'] as string | undefined
  const file = path === undefined ? undefined : await readFieldsFile(path)
  const given = await readFields(definition, options, own, connectOnce)
  const inFile = file && (await findNamed(definition, file.fields, connectOnce))
  const body = bodyIsFile === true ? await readBody(own.at(-1) ?? '') : { ...inFile, ...given.body }
  checkGiven(definition, { ...given.query, ...(body as object) })
  const muster = await connectOnce()
  const ids: string[] = []
  let argument = 0
  for (const param of params) {
    const { option } = param
    const word = option === undefined ? args[argument++] : options[option]
    ids.push(await toId(muster, action, param, String(word)))
  }
  const sent = [...ids, ...(hasBody === true ? [body] : [])]
  try {
    if (options['csv'] === true) return await writeCsv(muster, definition, given.query)
    if (isList !== true) return await methodOf(muster, id)(...sent, ...queryOf(given.query))
    return await take({ limit: Number(options['limit']) }, async (page) => {
      const list = await methodOf(muster, id)(...sent, { ...page, ...given.query })
      return list as Page<unknown>
    })
  } catch (error) {
    throw file === undefined ? withOption(error, definition) : withLine(error, file)
  }
}

const queryOf = (query: object): object[] => (Object.keys(query).length === 0 ? [] : [query])

async function toId(muster: Muster, action: string, { ref }: Param, word: string): Promise<string> {
  return ref === undefined ? word : findId(muster, action, ref, word)
}

/** Checked before anything is sent. */
function checkGiven(definition: CommandDefinition, given: object): void {
  const { id, action, command, fields, sets, bodyIsFile } = definition
  if (bodyIsFile === true) return
  const absent = fields.filter(({ name, required }) => required === true && !(name in given))
  if (absent.length > 0)
    throw usageError(
      `Cannot ${action}: give ${absent.map(({ option }) => `--${option}`).join(', ')}`,
    )
  if (!id.endsWith('.update') || sets !== undefined || Object.keys(given).length > 0) return
  throw usageError(`Cannot ${action}: nothing to change; see muster ${command} --help`)
}

/** Names the option of the field in an error. */
function withOption(error: unknown, { fields }: CommandDefinition): unknown {
  if (!(error instanceof MusterError) || error.param === undefined) return error
  const name = /^\w+/.exec(error.param)?.[0]
  const field = fields.find((one) => one.name === name && one.argument === undefined)
  if (field === undefined) return error
  const { status, type, code, param, line, requestId } = error
  return new MusterError(`${error.message} (--${field.option})`, {
    status,
    type,
    code,
    param,
    line,
    requestId,
    cause: error,
  })
}

async function writeCsv(
  muster: Muster,
  { id }: CommandDefinition,
  query: Record<string, unknown>,
): Promise<undefined> {
  const csv = methodOf(muster, id.replace(/\.\w+$/, '.csv')) as unknown as (
    query: object,
  ) => AsyncIterable<string> | Promise<string>
  const text = csv(query)
  if (text instanceof Promise) shell().stdout.write(forStdout(await text))
  else for await (const part of text) shell().stdout.write(forStdout(part))
  return undefined
}

function show(definition: CommandDefinition, result: unknown): string {
  const { command, sets, isList } = definition
  if (isList === true) return showList(definition, result as object[])
  const one = result as Shown
  const verb = command.split(' ').at(-1) ?? ''
  const { id, name, status, ok, message } = one
  if (one.deleted === true)
    return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}${verb.endsWith('e') ? 'd' : 'ed'} ${id}.`
  if (ok !== undefined && message !== undefined) {
    if (!ok) shell().exitCode = exitCodes.connectorFailed
    return clean(message)
  }
  if (sets !== undefined && 'status' in sets) return `${oneLine(name ?? id)} (${id}) is ${status}.`
  return showOne(definition, one)
}

/** The response of deletions, tests and status changes. */
interface Shown {
  id: string
  deleted?: true
  ok?: boolean
  message?: string
  name?: string
  status?: string
}
