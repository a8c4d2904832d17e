import type { Command } from 'commander'
import type { MemoryEntry } from '../../sdk/index.ts'
import { shortTime } from '../format.ts'
import { limited, take, type Limited } from '../limit.ts'
import { openMemory, type OwnerOptions } from '../memory/owner.ts'
import { addNoun, given, type Call } from '../noun.ts'
import { clean, fields, table, type Output } from '../output.ts'

export function addMemory(program: Command, output: () => Output): void {
  const about = 'what agents, or the roles of workflows, remember between runs'
  const { verb } = addNoun(program, output, 'memory', about)
  limited(
    withOwner(
      verb(
        'list',
        'list entries, newest first',
        async (call: Call<OwnerOptions & Limited & { query?: string }>) => {
          const opened = await openMemory(call, 'list memory')
          const q = given({ q: call.options.query })
          return take(call.options, (page) => opened.list({ ...page, ...q }))
        },
        entryTable,
      ),
    ).option('-q, --query <text>', 'only entries that share a word with it, best match first'),
    200,
  )
  withOwner(
    verb(
      'add',
      'add an entry',
      async (call: Call<OwnerOptions & { pin?: true }>, content = '') => {
        const opened = await openMemory(call, 'add memory entry')
        return opened.create({ content, pinned: call.options.pin === true })
      },
      describe,
    ),
  )
    .argument('<text>', 'the note, up to 2,000 characters')
    .option('--pin', 'always show it; it never makes room for others')
  for (const [word, pinned, description] of [
    ['pin', true, 'always show an entry, and never let it make room'],
    ['unpin', false, 'show an entry when it fits again, and let it make room'],
  ] as const) {
    withOwner(
      verb(
        `${word} <entry>`,
        description,
        async (call: Call<OwnerOptions>, id = '') =>
          (await openMemory(call, `${word} memory entry`)).update(id, { pinned }),
        describe,
      ),
    )
  }
  withOwner(
    verb(
      'delete <entry>',
      'delete an entry',
      async (call: Call<OwnerOptions>, id = '') =>
        (await openMemory(call, 'delete memory entry')).delete(id),
      ({ id }) => `Deleted ${id}.`,
    ),
  )
}

function withOwner(command: Command): Command {
  return command
    .option('--agent <agent>', 'memory of an agent, by id or exact name')
    .option('--workflow <workflow>', 'memory of a workflow, by id or exact name')
    .option('--role <role>', 'a role of the workflow')
}

function entryTable(entries: MemoryEntry[]): string {
  return table(
    ['ID', 'ROLE', 'PINNED', 'BY', 'WRITTEN', 'USED', 'CONTENT'],
    entries.map((entry) => [
      entry.id,
      entry.role ?? '–',
      entry.pinned ? 'yes' : 'no',
      entry.source,
      shortTime(entry.created_at),
      entry.last_used_at === null ? '–' : shortTime(entry.last_used_at),
      entry.content,
    ]),
  )
}

function describe(entry: MemoryEntry): string {
  const overview = fields([
    ['id', entry.id],
    ['role', entry.role],
    ['pinned', entry.pinned ? 'yes' : 'no'],
    ['by', entry.source],
  ])
  return `${overview}\n\n${clean(entry.content)}`
}
