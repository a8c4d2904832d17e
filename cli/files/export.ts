import { Document, Scalar, visit } from 'yaml'
import { usageError } from '../failure.ts'
import { linkByName } from './links.ts'
import type { Fields } from './plan.ts'
import { fileResources, pickFields, type FileResource } from './resources.ts'
import type { Server } from './server.ts'

/** Objects in the form of files, with links by name; linked objects come first. */
export function exportObjects(
  server: Server,
  wanted: { of: FileResource; id: string }[],
): { resource: string; fields: Fields }[] {
  const all = new Map<string, { of: FileResource; id: string }>()
  for (const one of wanted) addWithLinks(one)
  return [...all.values()]
    .toSorted((a, b) => fileResources.indexOf(a.of) - fileResources.indexOf(b.of))
    .map(({ of, id }) => {
      const item = server.find(of, id) ?? {}
      return { resource: of.noun, fields: linkByName(pickFields(of, item), server.namesOf) }
    })

  function addWithLinks(one: { of: FileResource; id: string }): void {
    if (all.has(one.id)) return
    const item = server.find(one.of, one.id)
    if (item === undefined) return
    all.set(one.id, one)
    const agents = fileResources.find(({ resource }) => resource === 'agents')
    const { crew } = item
    if (agents === undefined || !Array.isArray(crew)) return
    for (const { agentId } of crew as { agentId?: string }[]) {
      if (agentId !== undefined) addWithLinks({ of: agents, id: agentId })
    }
  }
}

/** Multi-line texts are written as blocks. */
export function toYaml(objects: { resource: string; fields: Fields }[]): string {
  return objects
    .map(({ resource, fields }) => {
      const document = new Document({ resource, ...fields }, { aliasDuplicateObjects: false })
      visit(document, { Scalar: quoteWhereUnsafe })
      return document.toString({ lineWidth: 0 })
    })
    .join('---\n')
}

/**
 * Texts that a YAML block would change: it drops or misreads blanks at the ends of lines or of the
 * text.
 */
const unsafe = /^\s|\n[ \t]+(\n|$)|\s$|[\r\t\u0085\u2028\u2029]/

function quoteWhereUnsafe(_: unknown, node: Scalar): void {
  if (typeof node.value !== 'string' || !node.value.includes('\n')) return
  // A single trailing line break is preserved.
  const isUnsafe = unsafe.test(node.value.replace(/\n$/, ''))
  node.type = isUnsafe ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL
}

/** Finds objects by id or exact name. */
export function findWanted(
  server: Server,
  of: FileResource,
  nameOrId: string,
): { of: FileResource; id: string } {
  const ids = server.namesOf(of.resource).idsOf(nameOrId)
  const [id] = ids
  if (ids.length === 1 && id !== undefined) return { of, id }
  const why =
    ids.length === 0
      ? `no ${of.noun} has the id or name ${JSON.stringify(nameOrId)}`
      : `${ids.length} ${of.noun}s have the name ${JSON.stringify(nameOrId)} (${ids.join(', ')})`
  throw usageError(
    `Cannot export ${of.noun}: ${why}`,
    ids.length === 0 ? 'not_found' : 'ambiguous_name',
  )
}
