import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from '../config-error.ts'
import { catalog } from './routing.ts'
import { ModelError, type ModelInfo, type ModelTurnRequest } from './contract.ts'
import { createModels, type ModelsConfig } from './models.ts'
import { builtInProviders, findBuiltInProvider, type ProviderName } from './providers/built-ins.ts'
import { withoutKeys } from './test-provider-cases.ts'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-models-'))
after(() => rmSync(folder, { recursive: true }))

function config(keys: ProviderName[] = [], more: Partial<ModelsConfig> = {}): ModelsConfig {
  const providers = withoutKeys()
  const set = Object.fromEntries(
    keys.map((name) => [name, { apiKey: 'a-key', baseUrl: 'http://127.0.0.1:1/v1' }]),
  )
  return {
    providers: { ...providers, ...set },
    modelsFile: undefined,
    sharesModelKeys: true,
    defaultModel: undefined,
    runConcurrency: 10,
    ...more,
  }
}

function file(content: object): string {
  const path = join(folder, 'models.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

const request: ModelTurnRequest = {
  instructions: 'Write.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Trams are quiet.' }] }],
  signal: new AbortController().signal,
}

void test('without any key the default is the offline stand-in, and it answers', async () => {
  await using models = await createModels(config(), {})
  assert.equal(models.defaultModel, 'muster/demo')
  assert.deepEqual(
    models
      .list()
      .filter(({ available }) => available)
      .map(({ id }) => id),
    ['muster/demo'],
  )
  const { text, costUsd } = await models.runTurn('muster/demo', request)
  assert.match(text, /Trams are quiet/)
  assert.equal(costUsd, 0)
})

void test('with a key the default is a small model of the first configured provider', async () => {
  for (const name of ['openai', 'anthropic', 'google', 'mistral'] as const) {
    await using models = await createModels(config([name]), {})
    assert.equal(models.defaultModel, findBuiltInProvider(name)?.smallModel)
    assert.equal(models.find(models.defaultModel)?.available, true)
  }
  await using models = await createModels(config(['mistral', 'anthropic']), {})
  assert.equal(models.defaultModel, findBuiltInProvider('anthropic')?.smallModel)
})

void test('a base URL without a key makes no provider available', async () => {
  const base = config()
  base.providers.openai = { apiKey: undefined, baseUrl: 'http://127.0.0.1:1/v1' }
  await using models = await createModels(base, {})
  assert.equal(models.find('gpt-4.1')?.available, false)
})

void test('a model without its key is listed and fails as not_available, naming the variable', async () => {
  await using models = await createModels(config(['openai']), {})
  await assert.rejects(models.runTurn('claude-sonnet-4-5', request), (error) => {
    assert.ok(error instanceof ModelError)
    assert.equal(error.kind, 'not_available')
    assert.match(error.message, /Anthropic needs a key \(ANTHROPIC_API_KEY\) or one of the account/)
    return true
  })
})

void test('an unknown model fails as not_available, naming the nearest that can run', async () => {
  await using models = await createModels(config(['openai']), {})
  assert.equal(models.find('gpt-4.1-minni'), undefined)
  assert.equal(models.nearest('gpt-4.1-minni')[0], 'gpt-4.1-mini')
  assert.equal(models.nearest('GPT-4.1', 1)[0], 'gpt-4.1')
  assert.ok(models.nearest('claude-sonnet-4-5', 50).every((id) => !id.startsWith('claude')))
  await assert.rejects(
    models.runTurn('gpt-4.1-minni', request),
    /no such model, .*; near are gpt-4.1-mini/,
  )
})

void test('MUSTER_DEFAULT_MODEL has to be a model that can run', async () => {
  await using models = await createModels(config(['openai'], { defaultModel: 'gpt-4.1' }), {})
  assert.equal(models.defaultModel, 'gpt-4.1')
  await assert.rejects(
    createModels(config(['openai'], { defaultModel: 'gpt-4.1-mni' }), {}),
    (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(
        error.message,
        /MUSTER_DEFAULT_MODEL is "gpt-4.1-mni" \(no such model\).*gpt-4.1-mini/,
      )
      return true
    },
  )
  await assert.rejects(
    createModels(config(['openai'], { defaultModel: 'claude-haiku-4-5' }), {}),
    /\(needs ANTHROPIC_API_KEY\)/,
  )
})

void test('an endpoint of the models file runs without a key, or with the one that it names', async () => {
  const modelsFile = file({
    providers: [
      { id: 'ollama', label: 'Ollama', base_url: 'http://127.0.0.1:1/v1' },
      { id: 'router', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'ROUTER_KEY' },
    ],
    models: [
      { id: 'llama', provider: 'ollama', model: 'llama3.2', context_window: 8192, price_in: 0 },
      { id: 'router/big', provider: 'router', price_in: 1, price_out: 2 },
    ],
  })
  await using models = await createModels(config([], { modelsFile }), {})
  assert.equal(models.defaultModel, 'llama')
  assert.deepEqual(models.find('llama'), {
    id: 'llama',
    provider: 'ollama',
    label: 'llama',
    contextWindow: 8192,
    priceIn: 0,
    priceOut: null,
    priceCached: null,
    priceCacheWrite: null,
    shutdownDate: null,
    structuredOutput: false,
    inputTypes: [],
    available: true,
    kind: 'catalog',
  })
  assert.equal(models.find('router/big')?.available, false)
  await assert.rejects(models.runTurn('router/big', request), /router needs a key \(ROUTER_KEY\)/)
  await using keyed = await createModels(config([], { modelsFile }), { ROUTER_KEY: 'k' })
  assert.equal(keyed.find('router/big')?.available, true)
})

void test('the models file corrects a catalog entry and adds models to a built-in provider', async () => {
  const modelsFile = file({
    models: [
      { id: 'gpt-4.1', provider: 'openai', price_in: 1.5 },
      { id: 'gpt-next', provider: 'openai' },
    ],
  })
  await using models = await createModels(config(['openai'], { modelsFile }), {})
  const { priceIn, priceOut, label } = models.find('gpt-4.1') ?? {}
  assert.deepEqual([priceIn, priceOut, label], [1.5, 8, 'GPT-4.1'])
  assert.equal(models.find('gpt-next')?.available, true)
})

void test('a tuned id of any shape runs at the provider and price that its owner gives', async () => {
  await using server = await startScriptedServer((response) =>
    send(response, {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    }),
  )
  const modelsFile = file({ providers: [{ id: 'host', base_url: `${server.url}/v1` }] })
  await using models = await createModels(config([], { modelsFile }), {})
  const id = 'my-org/llama-tuned:7'
  const tuned: ModelInfo = {
    id,
    provider: 'host',
    label: 'tuned',
    contextWindow: null,
    priceIn: 1,
    priceOut: 2,
    structuredOutput: true,
    available: true,
    kind: 'fine_tuned',
  }
  const turn = await models.runTurn(id, { ...request, tuned })
  assert.equal(turn.costUsd, 20 / 1_000_000)
  assert.equal(JSON.parse(server.requests[0]?.body ?? '').model, id)
  await assert.rejects(models.runTurn(id, request), /no such model, or its provider was removed/)
  assert.deepEqual(models.nearest('my-org/llama-tuned:8', 1, [id]), [id])
  assert.equal(models.isAvailable('host'), true)
  assert.equal(models.isAvailable('openai'), false)
  assert.equal(models.isAvailable('nobody'), undefined)
})

void test('every catalog entry is complete and its ids are unique', () => {
  assert.equal(new Set(catalog.map(({ id }) => id)).size, catalog.length)
  for (const entry of catalog) {
    const { contextWindow, priceIn, priceOut } = entry
    assert.ok(contextWindow !== null && contextWindow >= 100_000)
    assert.ok(priceIn !== null && priceOut !== null && priceIn > 0 && priceOut >= priceIn)
    assert.ok(entry.id.length <= 80)
  }
  for (const { smallModel } of builtInProviders)
    assert.ok(catalog.some(({ id }) => id === smallModel))
})
