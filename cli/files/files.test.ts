import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import { startTestApp } from '../../test/test-app.ts'
import { parseNamedFiles } from '../named-file.ts'
import { startMailServer } from '../operate/mail-server.ts'
import { json, makeFolder, muster, type Finished } from '../test-cli.ts'
import { toYaml } from './export.ts'
import { compareFields } from './plan.ts'

describe('files', () => {
  const mail = fixture(() => startMailServer())
  const app = fixture(() =>
    startTestApp({
      env: { MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MUSTER_EMAIL_FROM: 'm@example.com' },
    }),
  )
  const folder = fixture(() => makeFolder())

  const call = (...args: string[]): Promise<Finished> => {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    return muster(args, { env, cwd: folder.path })
  }

  async function save(name: string, text: string): Promise<string> {
    const path = join(folder.path, name)
    await writeFile(path, text)
    return path
  }

  async function must(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await call(...args)
    assert.equal(code, 0, stderr)
    return stdout
  }

  const definitionOf = async (id: string) => {
    const { version } = await app.get(`/v1/workflows/${id}`)
    return (await app.get(`/v1/workflows/${id}/versions/${version}`)).definition
  }

  it('give the same HTTP API again, whose login stays on the server', async () => {
    const properties = { id: { type: 'string' }, page: { type: 'integer' } }
    const list = {
      name: 'list_items',
      description: 'Lists the items of an order.',
      method: 'GET',
      path: '/orders/{id}/items',
      input_schema: { type: 'object', properties, required: ['id'] },
      query: ['page'],
    }
    const auth = { type: 'bearer', token: 'secret-of-the-shop' }
    const api = { kind: 'http', label: 'Shop', base_url: app.url, actions: [list] }
    await app.put('/v1/connectors/shop', { ...api, auth })
    const text = await must('export')
    assert.match(text, /resource: connector\nid: shop\nkind: http\nlabel: Shop\n/)
    assert.doesNotMatch(text, /secret-of-the-shop/)
    await save('shop.yaml', text)
    assert.match(await must('apply', '-f', 'shop.yaml', '--dry-run'), /0 to create, 0 to change/)
    await save('shop.yaml', text.replace('Lists the items', 'Reads the items'))
    assert.match(await must('apply', '-f', 'shop.yaml'), /shop/)
    const shown = (await app.get('/v1/connectors')).find(({ id }: { id: string }) => id === 'shop')
    assert.equal(shown.actions[0].description, 'Reads the items of an order.')
    assert.deepEqual([shown.auth, shown.actions[0].query], [{ type: 'bearer' }, ['page']])
    await app.delete('/v1/connectors/shop')
    await must('apply', '-f', 'shop.yaml')
    const anew = (await app.get('/v1/connectors')).find(({ id }: { id: string }) => id === 'shop')
    assert.deepEqual([anew.auth, anew.label], [{ type: 'none' }, 'Shop'])
    await save('secret.yaml', `${text.split('---')[0]}auth:\n  type: none\n`)
    const refused = await call('apply', '-f', 'secret.yaml')
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /auth may be secret/)
    await app.delete('/v1/connectors/shop')
  })

  it('give the same workflow again: export, delete, apply, with an agent linked by its name', async () => {
    const rules = [
      { action: 'slack.*', decision: 'ask', fixed: { agent_id: 'as it is' }, when: 'true' },
    ]
    const agentId = await app.createAgent({ name: 'Support writer', category: 'Support', rules })
    const schema = { type: 'object', properties: { z: { type: 'string' }, a: { type: 'number' } } }
    const id = await app.createWorkflow({
      name: 'Replies',
      description: null,
      crew: [
        {
          role: 'reader',
          systemPrompt: 'Read:\n  - this\n\n# not a comment\n',
          output_schema: schema,
        },
        { role: 'writer', systemPrompt: 'x', agentId, rules },
      ],
      input_schema: schema,
      limits: { max_cost_usd: 0.5 },
    })
    const before = await definitionOf(id)
    const text = await must('workflows', 'export', 'Replies')
    assert.match(
      text,
      /^resource: agent\nname: Support writer\n[^]*---\nresource: workflow\nname: Replies\n/,
    )
    assert.match(text, /agentId: Support writer\n/)
    assert.match(text, /systemPrompt: \|\n {6}Read:\n {8}- this\n/)
    const file = await save('replies.yaml', text)
    assert.match(await must('apply', '-f', file), /^Unchanged agent [^]*Unchanged workflow Replies/)
    await app.delete(`/v1/workflows/${id}`)
    await app.delete(`/v1/agents/${agentId}`)
    assert.match(await must('apply', '-f', file), /^Created agent [^]*Created workflow Replies/)
    const [workflow] = (await app.get('/v1/workflows')).filter(
      ({ name }: { name: string }) => name === 'Replies',
    )
    const { crew, ...rest } = await definitionOf(workflow.id)
    const linked = crew[1].agentId
    const agent = await app.get(`/v1/agents/${linked}`)
    assert.deepEqual([agent.category, agent.rules], ['Support', rules])
    crew[1].agentId = agentId
    assert.deepEqual({ ...rest, crew }, before)
  })

  it('give every example again', async () => {
    const examples = join(import.meta.dirname, '..', '..', 'examples')
    const files = (await readdir(examples)).filter((name) => /\.(ya?ml|json)$/.test(name))
    for (const name of files) {
      const { id } = json(await must('workflows', 'apply', '-f', join(examples, name), '--json'))
      const before = await definitionOf(id)
      const file = await save('again.yaml', await must('workflows', 'export', id))
      await app.delete(`/v1/workflows/${id}`)
      const made = json(await must('workflows', 'apply', '-f', file, '--json'))
      assert.deepEqual(await definitionOf(made.id), before, await readFile(file, 'utf8'))
    }
  })

  it('show a plan, say what is not in them, and delete that on request', async () => {
    await app.createWorkflow({ name: 'Left over' })
    const place = join(folder.path, 'crew')
    await mkdir(join(place, 'agents'), { recursive: true })
    const prompt =
      'You are a writer. Write the answer from the plan, in plain words, and nothing else.'
    await save(
      'crew/agents/ada.yaml',
      `resource: agent\nname: Ada\nrole: ada\nsystemPrompt: ${prompt}\n`,
    )
    await save(
      'crew/report.yaml',
      [
        'resource: workflow\nname: Report\ncrew:\n  - {role: ada, systemPrompt: x, agentId: Ada}\n',
        'resource: schedule\nname: Mondays\nworkflow_id: Report\ncron: 0 9 * * 1\ninput: Go.\n',
      ].join('---\n'),
    )
    const plan = await must('apply', '-f', place, '--dry-run')
    assert.match(plan, /^\+ agent Ada\n\+ workflow Report\n\+ schedule Mondays\n\? /m)
    assert.match(plan, /\? workflow Left over \(wf_\w+\)\n/)
    assert.match(plan, /3 to create, 0 to change, 0 to delete\./)
    assert.equal(pluck(await app.get('/v1/agents'), 'name').includes('Ada'), false)
    const done = await call('apply', '-f', place)
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stderr, /On the server but not in the files: .*workflow Left over/)
    const again = await must('apply', '-f', place, '--dry-run')
    assert.match(again, /0 to create, 0 to change, 0 to delete\.\n/)

    await save(
      'crew/agents/ada.yaml',
      `resource: agent\nname: Ada\nrole: ada\nsystemPrompt: ${prompt.replace('plain', 'few')}\n`,
    )
    const change = await must('apply', '-f', place, '--dry-run')
    assert.match(
      change,
      /^~ agent Ada \(agt_\w+\)\n {4}systemPrompt: .*\[-plain-\]\{\+few\+\} words/m,
    )
    const pruned = await must('apply', '-f', place, '--prune')
    assert.match(pruned, /Updated agent Ada [^]*Deleted workflow Left over/)
    const names = pluck(await app.get('/v1/workflows'), 'name')
    assert.deepEqual(names, ['Report'])
    const [ada] = await app.get('/v1/agents')
    assert.deepEqual([ada.name, ada.version], ['Ada', 2])
  })

  it('may contain an object twice, as exports of workflows that share an agent do', async () => {
    const agentId = await app.createAgent({ name: 'Shared' })
    const place = join(folder.path, 'exports')
    await mkdir(place)
    for (const name of ['First of two', 'Second of two']) {
      await app.createWorkflow({ name, crew: [{ role: 'a', systemPrompt: 'x', agentId }] })
      await save(`exports/${name}.yaml`, await must('workflows', 'export', name))
    }
    const plan = await must('apply', '-f', place, '--dry-run')
    assert.match(plan, /0 to create, 0 to change, 0 to delete\./)
    const second = join('exports', 'Second of two.yaml')
    const text = await readFile(join(folder.path, second), 'utf8')
    await save(second, text.replace(/systemPrompt: .*/, 'systemPrompt: another'))
    const { code, stderr } = await call('apply', '-f', place)
    assert.equal(code, 2)
    assert.match(
      stderr,
      /First of two\.yaml.* and .*Second of two\.yaml.* describe the agent "Shared" differently/,
    )
    assert.match(stderr, /\(systemPrompt\)/)
  })

  it('give one of everything again', async () => {
    const workflow_id = await app.createWorkflow({ name: 'Answers' })
    const hook = 'https://127.0.0.1:9/hook'
    const bodies: [string, object][] = [
      ['channels', { name: 'Ops', kind: 'email', recipients: ['ops@example.com'] }],
      ['schedules', { name: 'Daily', workflow_id, cron: '0 9 * * *', input: 'x' }],
      ['hooks', { name: 'Forms', workflow_id, scheme: 'none', input: '{{ body.text }}' }],
      [
        'budgets',
        {
          name: 'Month',
          scope: 'workflow',
          scope_value: workflow_id,
          window: 'month',
          cap_usd: 5,
        },
      ],
      ['webhooks', { url: hook, events: ['run.failed'], workflow_id }],
    ]
    const ids = new Map<string, string>()
    for (const [resource, body] of bodies)
      ids.set(resource, (await app.post(`/v1/${resource}`, body)).id)
    const alert = { name: 'Failures', on: 'run.failed', channel_ids: [ids.get('channels')] }
    ids.set('alerts', (await app.post('/v1/alerts', alert)).id)
    await app.patch('/v1/policies', { mails_a_day: 7 })
    const text = await must('export')
    for (const link of ['workflow_id: Answers', 'scope_value: Answers', 'channel_ids:\n  - Ops'])
      assert.ok(text.includes(link), text)
    const file = await save('all.yaml', text)
    assert.match(await must('apply', '-f', file, '--dry-run'), /^0 to create, 0 to change/m)
    for (const resource of ['alerts', ...pluck(bodies, 0).toReversed()])
      await app.delete(`/v1/${resource}/${ids.get(resource)}`)
    await app.delete(`/v1/workflows/${workflow_id}`)
    await app.patch('/v1/policies', { mails_a_day: 8 })
    assert.match(await must('apply', '-f', file), /Updated policies\./)
    assert.equal(await must('export'), text)
  })

  it('are refused where they cannot be meant, with the file and the line', async () => {
    for (const [text, message] of [
      ['a: 1', /resource is absent, expected one of connector, agent, workflow/],
      ['resource: crew\nname: x', /resource is "crew", expected one of/],
      ['resource: agent\nrole: x', /name is absent, expected a text; it tells which agent/],
      [
        'name: A\ncrew: []\n---\nname: A\ncrew: []\ndescription: x',
        /wrong\.yaml.* and .*wrong\.yaml.* describe the workflow "A" differently \(description\)/,
      ],
      [
        'name: A\ncrew:\n  - {role: a, systemPrompt: b, agentId: Nobody}',
        /agentId is "Nobody", which is neither the id nor the name of one of the agents/,
      ],
      ['name: A\ncrew: []\n---\nname: B\ncrew: [', /line 5/],
    ] as const) {
      const { code, stderr } = await call('apply', '-f', await save('wrong.yaml', text))
      assert.equal(code, 2, text)
      assert.match(stderr, message)
    }
    const long = 'r'.repeat(61)
    const file = await save(
      'late.yaml',
      `name: Fine\ncrew:\n  - {role: a, systemPrompt: b}\n---\nname: Long\ncrew:\n  - role: ${long}\n    systemPrompt: b\n`,
    )
    const { stdout, stderr } = await call('apply', '-f', file)
    assert.match(stdout, /^Created workflow Fine/)
    assert.match(stderr, /late\.yaml line 7: .*crew\[0\]\.role has 61 characters/)
  })
})

describe('YAML of definitions', () => {
  it('is read as it was written, whatever the texts are', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 })
    const lines = fc.array(
      fc.oneof(text, fc.constantFrom('', '  ', '# x', '- a: b', '---', '\t', '|')),
    )
    const prompt = lines.map((all) => all.join('\n'))
    const definition = fc.record({
      name: text.filter((name) => name !== ''),
      description: fc.option(text),
      crew: fc.array(fc.record({ role: text, systemPrompt: prompt }), {
        minLength: 1,
        maxLength: 3,
      }),
      input_schema: fc.option(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }))),
      limits: fc.record({
        max_cost_usd: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      }),
    })
    fc.assert(
      fc.property(definition, (written) => {
        const fields = JSON.parse(JSON.stringify(written)) as Record<string, unknown>
        const yaml = toYaml([
          { resource: 'workflow', fields },
          { resource: 'workflow', fields },
        ])
        const read = parseNamedFiles('f', yaml, () => 'workflow')
        assert.equal(read.length, 2)
        for (const { fields: back } of read)
          assert.ok(isDeepStrictEqual(back, { resource: 'workflow', ...fields }), yaml)
        assert.deepEqual(compareFields(fields, fields), [])
      }),
      { numRuns: 500 },
    )
  })
})
