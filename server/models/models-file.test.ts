import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError } from '../config-error.ts'
import { readHeaders, readModelsFile, type ModelsFile } from './models-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-models-file-'))
const path = join(folder, 'models.yaml')
after(() => rmSync(folder, { recursive: true }))

async function read(content: string): Promise<ModelsFile> {
  writeFileSync(path, content)
  return readModelsFile(path)
}

async function problemOf(content: string): Promise<string> {
  try {
    await read(content)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    const start = `Cannot start: MUSTER_MODELS_FILE ${path}: `
    assert.ok(error.message.startsWith(start), error.message)
    assert.ok(!error.message.includes('\n'))
    return error.message.slice(start.length)
  }
  return assert.fail('the file was accepted')
}

void test('YAML and JSON read alike', async () => {
  const yaml = await read(`
# Ollama on this machine
providers:
  - id: ollama
    label: Ollama
    base_url: http://127.0.0.1:11434/v1/
    headers: { X-Team: blue }
    max_concurrency: 4
    timeout_seconds: 300
  - id: openai
    max_concurrency: 50
models:
  - id: llama3.2
    provider: ollama
    model: llama3.2:3b
    context_window: 131072
    price_in: 0
    price_out: 0
`)
  assert.deepEqual(yaml.providers[0], {
    id: 'ollama',
    label: 'Ollama',
    base_url: 'http://127.0.0.1:11434/v1/',
    headers: { 'X-Team': 'blue' },
    max_concurrency: 4,
    timeout_seconds: 300,
  })
  assert.equal(yaml.providers[1]?.max_concurrency, 50)
  assert.equal(yaml.models[0]?.model, 'llama3.2:3b')
  const json = await read(
    JSON.stringify({
      providers: [{ id: 'vllm', base_url: 'http://gpu:8000/v1' }],
      models: [{ id: 'qwen', provider: 'vllm' }],
    }),
  )
  assert.equal(json.models[0]?.id, 'qwen')
  assert.deepEqual(await read(''), { providers: [], models: [] })
})

const problems: [name: string, content: string, message: RegExp][] = [
  [
    'an unknown field, with the one that was meant',
    'providers: [{id: x, base_ulr: "http://h"}]',
    /^providers\[0\]\.base_ulr is not a known field, did you mean base_url\?$/,
  ],
  ['an unknown list', 'provider: []', /^provider is not a known field, did you mean providers\?/],
  ['a list in place of a mapping', '[]', /^the file must be an object, not an array$/],
  ['a missing address', 'providers: [{id: x}]', /^providers\[0\]\.base_url is required$/],
  [
    'an address of another kind',
    'providers: [{id: x, base_url: "ftp://h"}]',
    /^providers\[0\]\.base_url is "ftp:\/\/h", expected an http:\/\/ or https:\/\/ URL$/,
  ],
  [
    'a bad id',
    'providers: [{id: "A b", base_url: "http://h"}]',
    /^providers\[0\]\.id is "A b", expected 1 to 40/,
  ],
  [
    'a taken id',
    'providers: [{id: muster, base_url: "http://h"}]',
    /is "muster", expected .* and not muster$/,
  ],
  [
    'an address for a built-in provider',
    'providers: [{id: openai, base_url: "http://h"}]',
    /^providers\[0\]\.base_url cannot be set for the built-in provider openai/,
  ],
  [
    'a cap of zero',
    'providers: [{id: openai, max_concurrency: 0}]',
    /^providers\[0\]\.max_concurrency is 0, at least 1$/,
  ],
  [
    'a time as text',
    'providers: [{id: openai, timeout_seconds: "60"}]',
    /^providers\[0\]\.timeout_seconds must be a number, not a string$/,
  ],
  [
    'a model of an unknown provider',
    'models: [{id: m, provider: olama}]',
    /^models\[0\]\.provider is "olama", expected openai, anthropic(?:, [a-z]+)+$/,
  ],
  [
    'a negative price',
    'models: [{id: m, provider: openai, price_in: -1}]',
    /^models\[0\]\.price_in is -1, at least 0$/,
  ],
  [
    'a repeated id',
    'models: [{id: m, provider: openai}, {id: m, provider: google}]',
    /^models\[1\]\.id is "m", as in models\[0\]$/,
  ],
  [
    'the id of the stand-in',
    'models: [{id: muster/demo, provider: openai}]',
    /is "muster\/demo", .* not muster\/…$/,
  ],
  [
    'a header that would end the header block',
    'providers: [{id: x, base_url: "http://h", headers: {A: "b\\r\\nC: d"}}]',
    /^providers\[0\]\.headers\.A is \[hidden\], expected visible ASCII characters$/,
  ],
  [
    'a secret header without a value',
    'providers: [{id: x, base_url: "http://h", headers: {A: {secret: true}}}]',
    /^providers\[0\]\.headers\.A\.value is required$/,
  ],
  ['broken YAML, with its line', 'providers:\n  - id: [', /line 2, column/],
  ['a key given twice', 'models: []\nmodels: []', /unique.*line 2/],
]

for (const [name, content, message] of problems) {
  void test(`refuses ${name}`, async () => {
    assert.match(await problemOf(content), message)
  })
}

void test('values of headers are secrets where their names or the file say so', () => {
  const { headers, secrets } = readHeaders({
    'x-portkey-provider': 'openai',
    'HTTP-Referer': 'https://example.com',
    Authorization: 'Bearer a',
    'X-Portkey-Api-Key': 'b',
    'x-access-token': 'c',
    Cookie: 'd',
    'x-team': { value: 'e', secret: true },
    'x-key-id': { value: 'f', secret: false },
    'x-plain': { value: 'g' },
  })
  assert.deepEqual(secrets, ['a', 'b', 'c', 'd', 'e'])
  assert.equal(headers['x-team'], 'e')
  assert.equal(Object.keys(headers).length, 9)
})

void test('refuses a file over 1 MB and one that is not there', async () => {
  assert.match(await problemOf(`# ${'x'.repeat(1024 * 1024)}`), /bytes, expected up to 1048576$/)
  await assert.rejects(readModelsFile(join(folder, 'absent.yaml')), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /absent\.yaml: cannot be read \(ENOENT/)
    return true
  })
})

void test('refuses aliases that blow up', async () => {
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (let level = 1; level < 8; level += 1) {
    const name = String.fromCharCode(97 + level)
    const before = `*${String.fromCharCode(96 + level)}`
    bomb.push(`${name}: &${name} [${Array(9).fill(before).join(',')}]`)
  }
  assert.match(await problemOf(bomb.join('\n')), /alias/i)
})
