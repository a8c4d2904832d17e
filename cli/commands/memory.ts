import type { Command } from 'commander'
import type { MemoryEntry } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import { openMemory, type OwnerOptions } from '../memory/owner.ts'
import { clean, fields, table, type Output } from '../output.ts'

export function addMemory(program: Command, output: () => Output): void {
  const memory = program
    .command('memory')
    .description('what agents, or the roles of workflows, remember between runs')

  withOwner(memory.command('list').description('list entries, newest first'))
    .option('-q, --query <text>', 'only entries that share a word with it, best match first')
    .option('--limit <number>', 'at most so many, 1 to 1000', toLimit, 200)
    .action(
      async (
        { query, limit, ...owner }: OwnerOptions & { query?: string; limit: number },
        command: Command,
      ) => {
        const opened = await openMemory(await connect(command), 'list memory', owner)
        const page = await opened.list({
          limit: pageSize(limit),
          ...(query === undefined ? {} : { q: query }),
        })
        const found = await take(page, limit)
        output().result(found, () => entryTable(found))
      },
    )

  withOwner(memory.command('add').description('add an entry'))
    .argument('<text>', 'the note, at most 2,000 characters')
    .option('--pin', 'always show it; it never makes room for others')
    .action(
      async (
        content: string,
        { pin, ...owner }: OwnerOptions & { pin?: true },
        command: Command,
      ) => {
        const opened = await openMemory(await connect(command), 'add memory entry', owner)
        const entry = await opened.create({ content, pinned: pin === true })
        output().result(entry, () => describe(entry))
      },
    )

  for (const [verb, pinned, description] of [
    ['pin', true, 'always show an entry, and never let it make room'],
    ['unpin', false, 'show an entry when it fits again, and let it make room'],
  ] as const) {
    withOwner(memory.command(verb).description(description))
      .argument('<entry>', 'id of the entry')
      .action(async (id: string, owner: OwnerOptions, command: Command) => {
        const opened = await openMemory(await connect(command), `${verb} memory entry`, owner)
        const entry = await opened.update(id, { pinned })
        output().result(entry, () => describe(entry))
      })
  }

  withOwner(memory.command('delete').description('delete an entry'))
    .argument('<entry>', 'id of the entry')
    .action(async (id: string, owner: OwnerOptions, command: Command) => {
      const opened = await openMemory(await connect(command), 'delete memory entry', owner)
      const deleted = await opened.delete(id)
      output().result(deleted, () => `Deleted ${deleted.id}.`)
    })
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
    ...(entry.role === null ? [] : [['role', entry.role] as [string, string]]),
    ['pinned', entry.pinned ? 'yes' : 'no'],
    ['by', entry.source],
  ])
  return `${overview}\n\n${clean(entry.content)}`
}
