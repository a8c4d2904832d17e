import type { MemoryEntry, Page, UpdateMemory, WorkflowsMemoryListQuery } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { shortTime } from '../format.ts'
import { findAgent, findWorkflow } from '../named.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { clean, fields, table } from '../output.ts'

interface OwnerOptions {
  agent?: string
  workflow?: string
  role?: string
}

export function addMemory(program: Verbs): void {
  const about = 'what agents, or the roles of workflows, remember between runs'
  const nouns = program.noun('memory', about)
  const verb: Verbs['verb'] = (...given) =>
    nouns
      .verb(...given)
      .option('--agent <agent>', 'memory of an agent, by id or exact name')
      .option('--workflow <workflow>', 'memory of a workflow, by id or exact name')
      .option('--role <role>', 'a role of the workflow')
  verb(
    'list',
    'list entries, newest first',
    async (call: Call<OwnerOptions & Limited & { query?: string }>) => {
      const opened = await openMemory(call, 'list memory')
      const q = given({ q: call.options.query })
      return take(call.options, (page) => opened.list({ ...page, ...q }))
    },
    (entries) =>
      table(entries, ['id', 'role', 'pinned', 'by', 'written', 'used', 'content'], {
        by: ({ source }) => source,
        written: (entry) => shortTime(entry.created_at),
        used: ({ last_used_at: at }) => at && shortTime(at),
      }),
  )
    .option('-q, --query <text>', 'only entries that share a word with it, best match first')
    .option(...limit(200))
  verb(
    'add',
    'add an entry',
    async (call: Call<OwnerOptions & { pin?: true }>, content = '') => {
      const opened = await openMemory(call, 'add memory entry')
      return opened.create({ content, pinned: call.options.pin === true })
    },
    describe,
  )
    .argument('<text>', 'the note, up to 2,000 characters')
    .option('--pin', 'always show it; it never makes room for others')
  for (const [word, pinned, description] of [
    ['pin', true, 'always show an entry, and never let it make room'],
    ['unpin', false, 'show an entry when it fits again, and let it make room'],
  ] as const) {
    verb(
      `${word} <entry>`,
      description,
      async (call: Call<OwnerOptions>, id = '') =>
        (await openMemory(call, `${word} memory entry`)).update(id, { pinned }),
      describe,
    )
  }
  verb(
    'delete <entry>',
    'delete an entry',
    async (call: Call<OwnerOptions>, id = '') =>
      (await openMemory(call, 'delete memory entry')).delete(id),
    ({ id }) => `Deleted ${id}.`,
  )
}

/** The memory of an agent, or of a workflow, behind one face. */
interface OwnedMemory {
  list(query: Omit<WorkflowsMemoryListQuery, 'role'>): Promise<Page<MemoryEntry>>
  create(body: { content: string; pinned: boolean }): Promise<MemoryEntry>
  update(id: string, body: UpdateMemory): Promise<MemoryEntry>
  delete(id: string): Promise<{ id: string }>
}

/** `action` completes "Cannot …". */
async function openMemory(
  { muster, options: { agent, workflow, role } }: Call<OwnerOptions>,
  action: string,
): Promise<OwnedMemory> {
  if (agent !== undefined && workflow === undefined) {
    if (role !== undefined) throw usageError(`Cannot ${action}: --role goes with --workflow`)
    const { id } = await findAgent(muster, action, agent)
    const { memory } = muster.agents
    return {
      list: (query) => memory.list(id, query),
      create: (body) => memory.create(id, body),
      update: (memoryId, body) => memory.update(id, memoryId, body),
      delete: (memoryId) => memory.delete(id, memoryId),
    }
  }
  if (agent !== undefined || workflow === undefined) {
    throw usageError(`Cannot ${action}: give --agent, or --workflow`)
  }
  const { id } = await findWorkflow(muster, action, workflow)
  const { memory } = muster.workflows
  return {
    list: (query) => memory.list(id, { ...query, ...given({ role }) }),
    create: (body) => {
      if (role === undefined) throw usageError(`Cannot ${action}: give --role with --workflow`)
      return memory.create(id, { role, ...body })
    },
    update: (memoryId, body) => memory.update(id, memoryId, body),
    delete: (memoryId) => memory.delete(id, memoryId),
  }
}

function describe(entry: MemoryEntry): string {
  const by = ({ source }: MemoryEntry) => source
  return `${fields(entry, ['id', 'role', 'pinned', 'by'], { by })}\n\n${clean(entry.content)}`
}
