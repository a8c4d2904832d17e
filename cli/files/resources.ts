import type { CommandDefinition } from '../definition.ts'
import { commandDefinitions } from '../generated.ts'
import { nounOf } from '../named.ts'

/**
 * What files describe: the resources that have names, webhooks by their address, and the policies of the account. The
 * fields of each follow from the operations that create and update it.
 */
export interface FileResource {
  /** `workflows`: the SDK's resource. */
  resource: string
  /** `workflow`: what an object of a file says in `resource`. */
  noun: string
  /** The field by which an object is found again; undefined for the policies, of which there is one. */
  key: string | undefined
  /** The fields of a create request and of an update request. */
  created: string[]
  updated: string[]
  action: string
}

/** Every account has them. */
const single = 'policies'
/** Others link these. */
const first = ['agents', 'workflows', 'channels']
/** Fields that no file has: notes on a change, and fields that repeat another field. */
const passedOver = ['draft', 'note', 'model_inherited']

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

/** By what an object is found again. */
export function keyOf({ key, noun }: FileResource, item: Record<string, unknown>): unknown {
  return key === undefined ? noun : item[key]
}

/** Fields that an object of a file has, of one that was read. */
export function pickFields(
  { created, updated }: FileResource,
  item: Record<string, unknown>,
): Record<string, unknown> {
  const names = [...new Set([...created, ...updated])].filter((name) => item[name] !== undefined)
  const picked = Object.fromEntries(names.map((name) => [name, item[name]]))
  // The server's default is not a model of its own.
  return item['model_inherited'] === true ? { ...picked, model: null } : picked
}
