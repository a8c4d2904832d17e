import type { CommandDefinition } from '../definition.ts'
import { commandDefinitions } from '../generated.ts'
import { nounOf } from '../named.ts'
import { httpApiFields } from './http-apis.ts'

/**
 * The resources that files describe: those with names, webhooks by their URL, HTTP APIs by their id,
 * and the account's policies. Their fields are derived from the operations that create and update them.
 */
export interface FileResource {
  /** The SDK's resource, such as `workflows`. */
  resource: string
  /** The value of `resource` in a file, such as `workflow`. */
  noun: string
  /** The field that identifies an object; undefined for the policies, which exist once. */
  key: string | undefined
  /** The fields of a create request and of an update request. */
  created: string[]
  updated: string[]
  action: string
}

/** Exists in every account. */
const single = 'policies'
/** Resources that others link. */
const first = ['connectors', 'agents', 'workflows', 'channels']
/** Fields that files do not have: notes on a change, and fields derived from another. */
const passedOver = ['draft', 'note', 'model_inherited']

/** They are stored as a whole, under the id that the file gives. */
export const httpApis: FileResource = {
  resource: 'connectors',
  noun: 'connector',
  key: 'id',
  created: httpApiFields,
  updated: httpApiFields,
  action: 'apply connector',
}

export const fileResources: FileResource[] = commandDefinitions
  .filter(({ id, sets }) => id.endsWith('.update') && sets === undefined)
  .flatMap((update): FileResource[] => {
    const resource = update.id.replace(/\.update$/, '')
    const create = commandDefinitions.find((one) => one.id === `${resource}.create`)
    const noun = resource === single ? single : nounOf(resource)
    if (resource === single) {
      return [
        {
          resource,
          noun,
          key: undefined,
          created: [],
          updated: namesOf(update),
          action: `apply ${noun}`,
        },
      ]
    }
    const key = update.named !== undefined ? 'name' : resource === 'webhooks' ? 'url' : undefined
    if (create === undefined || key === undefined) return []
    const [created, updated] = [namesOf(create), namesOf(update)]
    return [{ resource, noun, key, created, updated, action: `apply ${noun}` }]
  })
  .concat(httpApis)
  .sort((a, b) => rankOf(a.resource) - rankOf(b.resource))

function namesOf({ fields }: CommandDefinition): string[] {
  return fields.flatMap(({ name, kind }) =>
    passedOver.includes(name) || kind === 'secret' ? [] : [name],
  )
}

function rankOf(resource: string): number {
  const rank = first.indexOf(resource)
  return rank === -1 ? first.length : rank
}

/** The value that identifies an object. */
export function keyOf({ key, noun }: FileResource, item: Record<string, unknown>): unknown {
  return key === undefined ? noun : item[key]
}

/** The fields of an object that belong into a file. */
export function pickFields(
  { created, updated }: FileResource,
  item: Record<string, unknown>,
): Record<string, unknown> {
  const names = [...new Set([...created, ...updated])].filter((name) => item[name] !== undefined)
  const picked = Object.fromEntries(names.map((name) => [name, item[name]]))
  // An inherited model is not part of the workflow.
  return item['model_inherited'] === true ? { ...picked, model: null } : picked
}
