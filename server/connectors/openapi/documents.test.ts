import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { send, startScriptedServer } from '../../../rig/scripted-server.ts'
import {
  createCaseModels,
  providerCases,
  type ProviderCase,
} from '../../models/test-provider-cases.ts'
import { readDocument } from './read-document.ts'
import type { ReadOperation } from './read-operation.ts'
import { laughingDocument, shopDocument } from './test-documents.ts'

/**
 * What the wires of OpenAI, Anthropic, Gemini and Mistral take of a tool's schema, together: an object at the root
 * without choices, names of letters, digits, `_`, `.` and `-`, lists with items, no references, valid by draft 2020-12.
 */
const folder = process.env['MUSTER_TEST_OPENAPI_FOLDER']
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
type Schema = Record<string, unknown>

function faultsOf(schema: Schema): string[] {
  const faults: string[] = []
  if (schema['type'] !== 'object') faults.push('the root is no object')
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const']) {
    if (keyword in schema) faults.push(`${keyword} at the root`)
  }
  if (ajv.validateSchema(schema) !== true) faults.push('no valid schema')
  walk(schema)
  return faults

  function walk(part: unknown): void {
    if (typeof part !== 'object' || part === null) return
    if (Array.isArray(part)) return part.forEach(walk)
    const { properties, enum: _enum, const: _const, default: _default, ...others } = part as Schema
    if (typeof others['$ref'] === 'string') faults.push('a reference')
    if ([others['type']].flat().includes('array') && !('items' in others)) faults.push('no items')
    for (const [name, inner] of Object.entries((properties as Schema | undefined) ?? {})) {
      if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) faults.push(`the name ${name}`)
      walk(inner)
    }
    walk(Object.values(others))
  }
}

function readAll(text: string): { operations: ReadOperation[]; refused?: string } {
  const read = readDocument({ text, pick: { except: [] } })
  return read.kind === 'refused' ? { operations: [], refused: read.why } : read
}

describe('every operation of a document', () => {
  it('is offered with a schema that all providers take, or says why not', () => {
    for (const document of [shopDocument('https://api.example.com'), laughingDocument()]) {
      const { operations } = readAll(JSON.stringify(document))
      assert.ok(operations.some(({ offer }) => offer !== undefined))
      check(operations)
    }
  })

  for (const provider of providerCases) {
    it(`is sent to ${provider.id} with the schema that it is offered with`, async () => {
      for (const document of [shopDocument('https://api.example.com'), laughingDocument()]) {
        await checkSent(provider, readAll(JSON.stringify(document)).operations)
      }
    })
  }

  it('of a folder that others wrote', { skip: folder === undefined }, async (t) => {
    for (const name of await readdir(folder ?? '')) {
      const { operations, refused } = readAll(await readFile(join(folder ?? '', name), 'utf8'))
      check(operations)
      for (const provider of providerCases) await checkSent(provider, operations)
      const offered = operations.filter(({ offer }) => offer !== undefined).length
      t.diagnostic(`${name}: ${refused ?? `${offered} of ${operations.length} operations`}`)
      assert.ok(offered > 0 || refused !== undefined, name)
    }
  })
})

function check(operations: ReadOperation[]): void {
  for (const { name, offer, reason } of operations) {
    if (offer === undefined) assert.ok((reason ?? '') !== '', name)
    else assert.deepEqual(faultsOf(offer.input_schema), [], name)
  }
}

/** No adapter changes a schema on its way, leaves a tool out or asks for its strict subset. */
async function checkSent(provider: ProviderCase, operations: ReadOperation[]): Promise<void> {
  const tools = operations.flatMap(({ offer }, at) =>
    offer === undefined
      ? []
      : [{ type: 'function' as const, name: `tool_${at}`, inputSchema: offer.input_schema }],
  )
  await using server = await startScriptedServer((response) => send(response, provider.text('Hi')))
  await using models = await createCaseModels(provider, server.url)
  for (let from = 0; from < tools.length; from += 100) {
    const some = tools.slice(from, from + 100)
    await models.runTurn(provider.modelId, {
      instructions: 'Answer.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      tools: some,
      signal: new AbortController().signal,
    })
    const body = server.requests.at(-1)?.body ?? ''
    assert.doesNotMatch(body, /"strict":true/)
    const sent: unknown[] = []
    JSON.parse(body, (_, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'name' in value) sent.push(value)
      return value
    })
    const schemas = (sent as Schema[])
      .filter(({ name }) => typeof name === 'string' && name.startsWith('tool_'))
      .map((tool) => tool['parameters'] ?? tool['input_schema'] ?? tool['parametersJsonSchema'])
    const offered = some.map(({ inputSchema }) => inputSchema)
    assert.deepEqual(withoutLookaround(schemas), withoutLookaround(offered))
  }
}

/** OpenAI takes no lookaround, so its adapter leaves such patterns out; arguments are still checked by them here. */
function withoutLookaround(schemas: unknown): unknown {
  return JSON.parse(JSON.stringify(schemas), (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' && /\(\?<?[=!]/.test(value) ? undefined : value,
  )
}
