import type { Agent, Muster, Workflow } from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { readNamedFile, withLine } from './named-file.ts'
import type { LocalCall, Verbs } from './noun.ts'
import { oneLine } from './output.ts'

/** Agents and workflows, which people call by their ids or exact names; `action` completes "Cannot …". */
interface Named {
  id: string
  name: string
  warnings?: { message: string }[]
}

interface Resource<T> {
  list(): Promise<AsyncIterable<T>>
  retrieve(id: string): Promise<T>
}

export function findAgent({ agents }: Muster, action: string, nameOrId: string): Promise<Agent> {
  return find(agents, action, 'agent', /^agt_[0-9a-z]{26}$/, nameOrId)
}

export function findWorkflow(
  { workflows }: Muster,
  action: string,
  nameOrId: string,
): Promise<Workflow> {
  return find(workflows, action, 'workflow', /^wf_[0-9a-z]{26}$/, nameOrId)
}

async function find<T extends Named>(
  resource: Resource<T>,
  action: string,
  noun: string,
  id: RegExp,
  nameOrId: string,
): Promise<T> {
  if (id.test(nameOrId)) return resource.retrieve(nameOrId)
  const found = await findByName(resource, action, noun, nameOrId)
  if (found !== undefined) return found
  const why = `no ${noun} has the id or name ${JSON.stringify(nameOrId)}`
  throw new CliError(exitCodes.notFound, 'not_found', `Cannot ${action}: ${why}`)
}

/** Names need not be unique; several of one name are an error here. */
export async function findByName<T extends Named>(
  resource: Pick<Resource<T>, 'list'>,
  action: string,
  noun: string,
  name: string,
): Promise<T | undefined> {
  const found: T[] = []
  for await (const one of await resource.list()) if (one.name === name) found.push(one)
  if (found.length < 2) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  const why = `${found.length} ${noun}s have the name ${JSON.stringify(name)} (${ids})`
  throw usageError(`Cannot ${action}: ${why}`, 'ambiguous_name')
}

/**
 * Adds the verb that creates what a file describes, or updates the one that has its name. The service
 * checks the fields; its message gets the line of the file.
 */
export function addApply<T extends Named>(
  { local }: Verbs,
  noun: string,
  resourceOf: (muster: Muster) => Pick<Resource<T>, 'list'> & {
    create(fields: Record<string, unknown> & { name: string }): Promise<T>
    update(id: string, fields: Record<string, unknown>): Promise<T>
  },
): void {
  let word = 'Updated'
  local(
    'apply',
    `create the ${noun} of a YAML or JSON file, or update the one that has its name`,
    async ({ options, connect }: LocalCall<{ file: string }>) => {
      const file = await readNamedFile(noun, options.file)
      const resource = resourceOf(await connect())
      const existing = await findByName(resource, `apply ${noun}`, noun, file.fields.name)
      try {
        if (existing !== undefined) return await resource.update(existing.id, file.fields)
        word = 'Created'
        return await resource.create(file.fields)
      } catch (error) {
        throw withLine(error, file)
      }
    },
    ({ id, name, warnings = [] }) =>
      [
        `${word} ${oneLine(name)} (${id}).`,
        ...warnings.map(({ message }) => `Warning: ${oneLine(message, 2_000)}`),
      ].join('\n'),
  ).requiredOption('-f, --file <file>', 'fields as the API has them; - for stdin')
}
