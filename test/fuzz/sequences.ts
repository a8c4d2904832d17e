import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Checked } from './answers.ts'
import type { Shot } from './requests.ts'

/**
 * Sequences over one resource of each kind, with a model of what exists: created resources answer,
 * deleted ones are not found by any operation, ended runs do not change.
 */
interface Noun {
  path: string
  create: unknown
  operation: string
  update: unknown
  /** Other operations: the path after the id, and whether there is a body. */
  uses: [operation: string, method: string, suffix: string, body?: unknown][]
}

const nouns = {
  workflow: {
    path: '/v1/workflows',
    operation: 'workflows',
    create: { name: 'seq' },
    update: { name: 'changed', status: 'active' },
    uses: [
      ['runs.list', 'GET', '/runs'],
      ['workflows.memory.list', 'GET', '/memory?q=x'],
      ['workflows.memory.create', 'POST', '/memory', { role: 'planner', content: 'note' }],
    ],
  },
  agent: {
    path: '/v1/agents',
    operation: 'agents',
    create: { name: 'seq', role: 'r', systemPrompt: 's' },
    update: { status: 'paused', maxTokens: 256 },
    uses: [
      ['agents.memory.list', 'GET', '/memory'],
      ['agents.memory.create', 'POST', '/memory', { content: 'note', pinned: true }],
    ],
  },
  webhook: {
    path: '/v1/webhooks',
    operation: 'webhooks',
    create: { url: 'https://127.0.0.1:9/seq', events: ['run.failed'] },
    update: { active: true, description: null },
    uses: [
      ['webhooks.test', 'POST', '/test'],
      ['webhooks.rotate_secret', 'POST', '/rotate-secret'],
      ['webhooks.deliveries', 'GET', '/deliveries'],
    ],
  },
} satisfies Record<string, Noun>

const runVerbs = ['retrieve', 'cancel', 'retry', 'respond', 'events'] as const

type Move =
  | { noun: keyof typeof nouns; verb: 'create' | 'retrieve' | 'update' | 'delete' }
  | { noun: keyof typeof nouns; verb: 'use'; which: number }
  | { noun: 'run'; verb: 'create' | (typeof runVerbs)[number] }
  | { noun: 'connector'; verb: 'connect' | 'test' | 'disconnect' }

export const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    noun: fc.constantFrom('workflow', 'agent', 'webhook'),
    verb: fc.constantFrom('create', 'retrieve', 'update', 'delete'),
  }),
  fc.record({
    noun: fc.constantFrom('workflow', 'agent', 'webhook'),
    verb: fc.constant('use' as const),
    which: fc.nat(2),
  }),
  fc.record({ noun: fc.constant('run' as const), verb: fc.constantFrom('create', ...runVerbs) }),
  fc.record({
    noun: fc.constant('connector' as const),
    verb: fc.constantFrom('connect', 'test', 'disconnect'),
  }),
)

type Fire = (shot: Shot) => Promise<Checked>

interface Made {
  id: string
  isGone: boolean
}

export async function play(moves: Move[], fire: Fire): Promise<void> {
  const made = new Map<keyof typeof nouns, Made>()
  let run: (Made & { end: unknown }) | undefined
  let isConnected = false
  const ask = (operationId: string, method: string, path: string, body?: unknown) =>
    fire({
      operationId,
      method,
      path,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  try {
    for (const move of moves) {
      if (move.noun === 'run') await onRun(move.verb)
      else if (move.noun === 'connector') await onConnector(move.verb)
      else await onNoun(move)
    }
  } finally {
    await tidy()
  }

  async function onNoun(move: Extract<Move, { noun: keyof typeof nouns }>): Promise<void> {
    const { path, operation, create, update, uses }: Noun = nouns[move.noun]
    const one = made.get(move.noun)
    if (move.verb === 'create') {
      if (one !== undefined && !one.isGone) return
      const { status, body } = await ask(`${operation}.create`, 'POST', path, create)
      // Earlier requests may have filled the account.
      if (status === 409) return
      assert.equal(status, 201)
      made.set(move.noun, { id: body.data.id, isGone: false })
      return
    }
    if (one === undefined) return
    const here = `${path}/${one.id}`
    const [operationId, method, suffix, body] =
      move.verb === 'use'
        ? (uses[move.which % uses.length] as Noun['uses'][number])
        : move.verb === 'retrieve'
          ? ([`${operation}.retrieve`, 'GET', ''] as const)
          : move.verb === 'update'
            ? ([`${operation}.update`, 'PATCH', '', update] as const)
            : ([`${operation}.delete`, 'DELETE', ''] as const)
    const { status } = await ask(operationId, method, here + suffix, body)
    if (one.isGone) assert.equal(status, 404, `${operationId} after delete`)
    else assert.ok(status < 300 || status === 409, `${operationId} answered ${status}`)
    if (move.verb === 'delete' && status < 300) one.isGone = true
  }

  async function onRun(verb: 'create' | (typeof runVerbs)[number]): Promise<void> {
    if (verb === 'create') {
      const workflow = made.get('workflow')
      if (workflow === undefined) return
      const path = `${nouns.workflow.path}/${workflow.id}/runs`
      const { status, body } = await ask('runs.create', 'POST', path, { input: 'seq' })
      assert.equal(status, workflow.isGone ? 404 : 202)
      if (status === 202) run = { id: body.data.id, isGone: false, end: undefined }
      return
    }
    if (run === undefined) return
    const here = `/v1/runs/${run.id}`
    switch (verb) {
      case 'retrieve':
      case 'cancel': {
        const isRead = verb === 'retrieve'
        const path = isRead ? here : `${here}/cancel`
        const { status, body } = await ask(`runs.${verb}`, isRead ? 'GET' : 'POST', path)
        assert.equal(status, 200)
        if (!isRead) assert.match(body.data.status, /^(failed|completed)$/)
        // Usage of a call in progress is counted later.
        const { status: end, input, output, error, error_code, started_at, finished_at } = body.data
        const now = { end, input, output, error, error_code, started_at, finished_at }
        if (run.end !== undefined) assert.deepEqual(now, run.end, 'a run changed after its end')
        if (now.finished_at !== null) run.end = now
        return
      }
      case 'retry': {
        const { status } = await ask('runs.retry', 'POST', `${here}/retry`)
        assert.ok(status === 202 || status === 409, `retry answered ${status}`)
        return
      }
      case 'respond': {
        const { status } = await ask('runs.respond', 'POST', `${here}/respond`, {
          action: 'approve',
        })
        assert.equal(status, 409)
        return
      }
      case 'events':
        assert.equal((await ask('runs.events', 'GET', `${here}/events`)).status, 200)
    }
  }

  async function onConnector(verb: 'connect' | 'test' | 'disconnect'): Promise<void> {
    const path = '/v1/connectors/slack'
    if (verb === 'connect') {
      const { status } = await ask('connectors.connect', 'PUT', path, { token: 'xoxb-sequence' })
      assert.equal(status, 200)
      isConnected = true
    } else if (verb === 'test') {
      const { status } = await ask('connectors.test', 'POST', `${path}/test`)
      assert.ok(status === 200 || !isConnected, `test answered ${status}`)
    } else {
      const { status } = await ask('connectors.disconnect', 'DELETE', path)
      assert.ok(status === 200 || !isConnected, `disconnect answered ${status}`)
      isConnected = false
    }
  }

  async function tidy(): Promise<void> {
    for (const [noun, { id, isGone }] of made) {
      const { path, operation } = nouns[noun]
      if (!isGone) await ask(`${operation}.delete`, 'DELETE', `${path}/${id}`)
    }
  }
}
