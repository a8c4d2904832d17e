import type { Muster, Workflow } from '../sdk/index.ts'
import type { Ref } from './definition.ts'
import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'

/** A resource whose objects people refer to by id or exact name; `action` completes "Cannot …". */
interface Named {
  id: string
  name: string
}

type Method = (...args: unknown[]) => Promise<unknown>

/** The SDK's method of an operation, such as `agents.memory.list`. */
export function methodOf(muster: Muster, operationId: string): Method {
  const path = operationId.split('.')
  const name = path.pop() ?? ''
  let owner = muster as unknown as Record<string, unknown>
  for (const part of path) owner = owner[part] as Record<string, unknown>
  return (...args) => (owner[name] as Method).apply(owner, args)
}

export async function findWorkflow(
  muster: Muster,
  action: string,
  nameOrId: string,
): Promise<Workflow> {
  const id = await findId(muster, action, { resource: 'workflows', prefix: 'wf' }, nameOrId)
  return muster.workflows.retrieve(id)
}

/** The id of an object by its name; a text that is an id already is not looked up. */
export async function findId(
  muster: Muster,
  action: string,
  ref: Ref,
  nameOrId: string,
): Promise<string> {
  if (new RegExp(`^${ref.prefix}_[0-9a-z]{26}$`).test(nameOrId)) return nameOrId
  const found = await findByName(muster, action, ref.resource, nameOrId)
  if (found !== undefined) return found.id
  const why = `no ${nounOf(ref.resource)} has the id or name ${JSON.stringify(nameOrId)}`
  throw new CliError(exitCodes.notFound, 'not_found', `Cannot ${action}: ${why}`)
}

/** Names need not be unique; several objects with the same name are an error here. */
export async function findByName(
  muster: Muster,
  action: string,
  resource: string,
  name: string,
): Promise<Named | undefined> {
  const found: Named[] = []
  const list = (await methodOf(muster, `${resource}.list`)()) as AsyncIterable<Named>
  for await (const one of list) if (one.name === name) found.push(one)
  if (found.length < 2) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  const why = `${found.length} ${nounOf(resource)}s have the name ${JSON.stringify(name)} (${ids})`
  throw usageError(`Cannot ${action}: ${why}`, 'ambiguous_name')
}

export function nounOf(resource: string): string {
  const name = resource.split('.').at(-1) ?? ''
  return name
    .replace(/(ch|x)es$/, '$1')
    .replace(/s$/, '')
    .replaceAll('_', '-')
}
