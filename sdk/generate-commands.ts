import { resources } from '../server/start/routes.ts'
import type { JsonSchema, OpenApi, OpenApiOperation } from './generate-operations.ts'

/**
 * Generates `cli/generated.ts`, the table of the CLI's commands, from the definitions of operations
 * and the schemas of the OpenAPI document; `cli/definition.ts` has its type.
 */
export function writeCommands(document: OpenApi): string {
  const found = operationsById(document)
  const all = resources()
    .filter(({ cli }) => cli !== false)
    .flatMap(({ operations }) => operations)
    .filter(({ cli, role }) => cli !== false && role !== 'anyone' && role !== 'operator')
  const named = namedResources(all, found, document)
  const commands = all.flatMap((one) => {
    const documented = found.get(one.id)
    const data = documented && dataOf(documented)
    if (documented === undefined || data === undefined) return []
    return toCommands(one, documented, data)
  })
  checkCommands(commands)
  return `// Made by \`npm run sdk\` from the definitions of operations. Do not edit.
import type { CommandDefinition } from './definition.ts'

export const commandDefinitions: CommandDefinition[] = [
${commands.map((one) => `  ${JSON.stringify(one)},`).join('\n')}
]
`

  function toCommands(one: Definition, documented: OpenApiOperation, data: JsonSchema): Command[] {
    const hints = one.cli === false ? {} : (one.cli ?? {})
    const path = one.id.split('.')
    const resource = path.slice(0, -1).join('.')
    const item = data.type === 'array' ? (data.items ?? {}) : data
    const fields = fieldsOf(one, documented)
    const command = hints.command ?? path.map(toWord).join(' ')
    const admin = one.role === 'admin' ? ' (needs an admin key)' : ''
    const properties = resolve(document, item).properties ?? {}
    const base = without({
      id: one.id,
      command,
      about: lowerFirst(one.summary) + admin,
      details: detailsOf(one.description),
      action: one.action,
      params: paramsOf(one, documented),
      fields,
      hasBody: documented.requestBody !== undefined || undefined,
      bodyIsFile: hints.args?.includes('body') || undefined,
      flags: hints.flags,
      isList: data.type === 'array' || undefined,
      limit: hints.limit,
      hasCsv: documented.responses['200']?.content?.['text/csv'] !== undefined || undefined,
      schema: item.$ref?.split('/').at(-1) ?? '',
      columns: one.columns ?? columnsOf(resource, data.type === 'array') ?? Object.keys(properties),
      blocks: Object.keys(properties).filter(
        (name) => Number(properties[name]?.['maxLength']) >= 1000,
      ),
      secrets: one.answersSecret === true ? secretNames.filter((name) => name in properties) : [],
      named: named.get(resource) === undefined ? undefined : resource,
    })
    const verbs = Object.entries({ ...usualVerbs(one, fields), ...hints.verbs })
    const group = command.split(' ').slice(0, -1).join(' ')
    const others = verbs.map(([verb, [sets, about]]) => ({
      ...base,
      command: `${group} ${verb}`.trim(),
      about,
      details: undefined,
      fields: [],
      sets,
    }))
    return [base, ...others] as unknown as Command[]
  }

  /** Overviews of one resource have the same columns. */
  function columnsOf(resource: string, isList: boolean): string[] | undefined {
    return isList ? undefined : all.find(({ id }) => id === `${resource}.retrieve`)?.columns
  }

  function paramsOf(one: Definition, { parameters = [] }: OpenApiOperation): object[] {
    const names = [...one.route.matchAll(/([\w-]+)\/:(\w+)/g)]
    const hasOwner = one.cli !== undefined && one.cli !== false && one.cli.ownerOption === true
    return names.map(([, owner = '', name], index) => {
      const noun = singular(owner)
      const about = parameters.find((parameter) => parameter.name === name)?.description ?? ''
      const resource = owner.replaceAll('-', '_')
      const option = hasOwner && index === 0 ? noun : undefined
      return without({
        noun,
        about: lowerFirst(firstSentence(about)),
        ref: named.get(resource),
        option,
      })
    })
  }

  function fieldsOf(one: Definition, documented: OpenApiOperation): object[] {
    const hints = one.cli === false ? {} : (one.cli ?? {})
    const { parameters = [], requestBody } = documented
    const queries = parameters
      .filter(({ in: where, name }) => where === 'query' && !passedOver.includes(name))
      .map(({ name, schema, description, required }) =>
        toField(name, { ...schema, description: description ?? '' }, required === true, true),
      )
    const body = resolve(document, requestBody?.content['application/json']?.schema ?? {})
    const bodies = Object.entries(body.properties ?? {}).map(([name, schema]) =>
      toField(name, schema, body.required?.includes(name) === true, false),
    )
    return [...queries, ...bodies]

    function toField(name: string, given: JsonSchema, required: boolean, inQuery: boolean): object {
      const schema = { ...resolve(document, given), ...given }
      const values = schema['enum'] ?? (schema.items && resolve(document, schema.items)['enum'])
      const argument = hints.args?.find((arg) => arg.replace('?', '') === name)
      const owner = /^(\w+)_id$/.exec(name)?.[1]
      const kind = hints.pairs?.includes(name) === true ? 'pairs' : kindOf(schema)
      const option = hints.options?.[name] ?? optionOf(name, kind)
      if (argument === undefined && reserved.includes(option))
        throw new Error(
          `The option --${option} of ${one.id} is taken: name another in its cli.options`,
        )
      return without({
        name,
        option,
        kind,
        inQuery: inQuery || undefined,
        required: (required && argument?.endsWith('?') !== true) || undefined,
        isNullable: typesOf(schema).includes('null') || undefined,
        min: schema['minimum'],
        max: schema['maximum'],
        isWhole: typesOf(schema).includes('integer') || undefined,
        choices: (values as unknown[] | undefined)?.filter((value) => value !== null),
        ref: owner === undefined ? undefined : named.get(`${owner}s`),
        argument: argument === undefined ? undefined : hints.args?.indexOf(argument),
        fallback: schema['default'],
        about: aboutOf(schema),
      })
    }
  }

  function kindOf(schema: JsonSchema): string {
    if (schema['writeOnly'] === true) return 'secret'
    const types = typesOf(schema)
    if (types.includes('boolean')) return 'switch'
    if (types.includes('integer') || types.includes('number')) return 'number'
    if (types.includes('string')) return 'text'
    if (!types.includes('array')) return 'json'
    const items = resolve(document, schema.items ?? {})
    if (typesOf(items).includes('string')) return 'list'
    return items.required?.join() === 'id' ? 'ids' : 'json'
  }
}

type Definition = ReturnType<typeof resources>[number]['operations'][number]

/** Parameters that the CLI provides in other ways, or that are for programs that follow a run. */
const passedOver = ['limit', 'after', 'wait', 'deltas']
/** Options of every command, or of every list. */
const reserved = ['url', 'profile', 'json', 'help', 'limit', 'csv', 'file']
const secretNames = ['key', 'secret', 'link', 'admin_key']

interface Command {
  id: string
  command: string
  params: { option?: string }[]
}

/** Only operations that name their owner by an option may share a command. */
export function checkCommands(commands: Command[]): void {
  for (const [command, all] of Map.groupBy(commands, (one) => one.command)) {
    if (all.length === 1 || all.every(({ params }) => params[0]?.option !== undefined)) continue
    const ids = all.map(({ id }) => id).join(' and ')
    throw new Error(`${ids} are both \`muster ${command}\`: name one in its cli.command`)
  }
}

function operationsById({ paths }: OpenApi): Map<string, OpenApiOperation> {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map(all.map((one) => [one.operationId, one]))
}

/**
 * The schema of `data` in the response; none if the response is a stream or the request an upload.
 */
function dataOf({ responses, requestBody }: OpenApiOperation): JsonSchema | undefined {
  const json = 'application/json'
  if (requestBody !== undefined && requestBody.content[json] === undefined) return undefined
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return answer?.[1].content?.[json]?.schema.properties?.['data']
}

/** Resources whose objects people can name, with the prefix of their ids. */
function namedResources(
  all: Definition[],
  found: Map<string, OpenApiOperation>,
  document: OpenApi,
): Map<string, { resource: string; prefix: string }> {
  const named = new Map<string, { resource: string; prefix: string }>()
  for (const { id, creates } of all) {
    const resource = id.replace(/\.create$/, '')
    const body = found.get(id)?.requestBody?.content['application/json']?.schema
    const isNamed = resolve(document, body ?? {}).properties?.['name'] !== undefined
    const hasRest = ['list', 'retrieve', 'update'].every((verb) => found.has(`${resource}.${verb}`))
    if (id.endsWith('.create') && creates !== undefined && isNamed && hasRest)
      named.set(resource, { resource, prefix: creates })
  }
  return named
}

/** Adds `pause` and `resume` to resources with a status. */
function usualVerbs(
  { id, summary }: Definition,
  fields: object[],
): Record<string, [sets: object, about: string]> {
  if (!id.endsWith('.update')) return {}
  const about = (verb: string): string => lowerFirst(summary.replace('Update', verb))
  const list = fields as { name: string; choices?: string[] }[]
  const status = list.find(({ name }) => name === 'status')?.choices ?? []
  if (status.includes('active') && status.includes('paused'))
    return {
      pause: [{ status: 'paused' }, about('Pause')],
      resume: [{ status: 'active' }, about('Resume')],
    }
  if (!list.some(({ name }) => name === 'active')) return {}
  return {
    pause: [{ active: false }, about('Pause')],
    resume: [{ active: true }, about('Resume')],
  }
}

function resolve({ components }: OpenApi, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

function typesOf({ type = [] }: JsonSchema): string[] {
  return [type].flat()
}

function toWord(name: string): string {
  return name === 'retrieve' ? 'show' : name.replaceAll('_', '-')
}

/**
 * `created_after` becomes `--after`, `memory_enabled` `--memory`, `capabilities` `--capability`.
 */
function optionOf(name: string, kind: string): string {
  const plain = name
    .replace(/^created_(?=after|before)/, '')
    .replace(/_(id|at|enabled|seconds|usd)$/, '')
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll('_', '-')
  return ['list', 'ids'].includes(kind) ? singular(plain) : plain
}

function singular(name: string): string {
  return name
    .replace(/ies$/, 'y')
    .replace(/(ch|x)es$/, '$1')
    .replace(/s$/, '')
}

function firstSentence(text: string): string {
  return /^[^]*?(?=\.(\s|$))/.exec(text)?.[0] ?? text
}

/** Without sentences about pages and media types, for which the CLI has its own options. */
function detailsOf(text = ''): string | undefined {
  const sentences = text.split(/(?<=\.) (?=[A-Z])/)
  const kept = sentences.filter((one) => !/ by default|`Accept|with `after`/.test(one)).join(' ')
  return kept === '' ? undefined : kept
}

/** On the command line, an empty text stands for null. */
function aboutOf(schema: JsonSchema): string {
  const about = lowerFirst(firstSentence(schema.description ?? ''))
  return typesOf(schema).includes('null') ? about.replaceAll(/\bnull\b/g, 'empty') : about
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function without(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}
