import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandDefinitions } from '../cli/generated.ts'
import { views } from '../cli/views.ts'
import { checkCommands } from './generate-commands.ts'

it('operations share a command only where an option names their owner', () => {
  const of = (id: string, option?: string) => ({
    id,
    command: 'notes add',
    params: [option === undefined ? {} : { option }],
  })
  checkCommands([of('agents.notes.create', 'agent'), of('workflows.notes.create', 'workflow')])
  assert.throws(
    () => checkCommands([of('notes.create'), of('notes.add')]),
    /notes\.create and notes\.add are both `muster notes add`/,
  )
})

it('every view is of a schema or an operation that a command has', () => {
  const known = new Set(commandDefinitions.flatMap(({ id, schema }) => [id, schema]))
  const names = [...Object.keys(views.lists), ...Object.keys(views.ones)]
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  )
})

it('a resource with a status to pause has commands for it, and one with a name can be applied', () => {
  const commands = commandDefinitions.map(({ command }) => command)
  for (const command of ['agents pause', 'workflows resume', 'webhooks pause'])
    assert.ok(commands.includes(command), command)
  const named = commandDefinitions.find(({ id }) => id === 'workflows.update')?.named
  assert.equal(named, 'workflows')
})
