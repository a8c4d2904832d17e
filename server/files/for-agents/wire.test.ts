import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../../rig/scripted-server.ts'
import { startTestApp } from '../../../test/test-app.ts'
import { providerCases } from '../../models/test-provider-cases.ts'
import { makePdf, makePng, upload } from '../test-files.ts'
import { prepare, fixture } from '../../../test/fixture.ts'

let pdf: Buffer
const png = makePng(10, 10)
let files: string[]
/** The model server fails requests whose path or body contains one of these. */
let broken: string[] = []

const caseOf = (id: string) => {
  const found = providerCases.find((one) => one.id === id)
  assert.ok(found)
  return found
}

const server = fixture(() =>
  startScriptedServer((response, call) => {
    const { path = '', body = '' } = server.requests[call - 1] ?? {}
    if (broken.some((name) => path.includes(name) || body.includes(name))) {
      response.writeHead(503).end('{}')
      return
    }
    const provider = providerCases.find((one) =>
      path.startsWith(one.path.split('/models/')[0] ?? one.path),
    )
    const usage = { in: 10, out: 5 }
    send(response, (provider ?? caseOf('house')).text('seen', usage))
  }),
)
/** What each wire format receives of a run's files, tested through the whole service. */
const app = fixture(() =>
  startTestApp({
    env: {
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: server.url,
      GOOGLE_GENERATIVE_AI_API_KEY: 'k',
      GOOGLE_GENERATIVE_AI_BASE_URL: server.url,
    },
    prepareModels: (file) => {
      file.providers.push({ id: 'house', base_url: `${server.url}/v1` })
      const input_types = ['image/png', 'application/pdf']
      file.models.push({ id: 'house/sees', provider: 'house', model: 'sees', input_types })
      file.models.push({ id: 'house/blind', provider: 'house', model: 'blind' })
    },
  }),
)
prepare(async () => {
  pdf = await makePdf(['The only page says 4711'])
  const made = [
    await upload(app, pdf, 'a.pdf'),
    await upload(app, png, 'b.png'),
    await upload(app, 'plain text', 'c.txt'),
  ]
  files = made.map(({ body }) => body.data.id)
})

async function run(model: string, fallbacks: string[] = []) {
  server.requests.length = 0
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const flow = await app.post('/v1/workflows', { name: 'w', model, fallbacks, crew })
  const { id } = await app.post(`/v1/workflows/${flow.id}/runs`, { input: 'go', files })
  const ended = await app.rest(id)
  assert.equal(ended.status, 'completed', JSON.stringify(ended))
  return ended
}

/** The content parts of the only user message. */
function partsOf(body: string | undefined, key: string): Record<string, unknown>[] {
  const messages = JSON.parse(body ?? '{}')[key] as {
    role?: string
    content: unknown
    parts: unknown
  }[]
  const user = messages.find(({ role }) => role === 'user')
  return (user?.content ?? user?.parts) as Record<string, unknown>[]
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const isText = (part: Record<string, unknown> | undefined, pattern: RegExp): void =>
  assert.match(String(part?.['text']), pattern)

describe('files on the wire', () => {
  it('are input_file and input_image for OpenAI responses', async () => {
    await run('gpt-6-luna')
    const [text, file, label, image] = partsOf(server.requests[0]?.body, 'input')
    isText(
      text,
      /^go\n\n## Files\n[^]*a\.pdf \(.*: attached\n[^]*### c\.txt\n\nplain text\n\n### a\.pdf$/,
    )
    assert.equal(file?.['type'], 'input_file')
    assert.equal(file['file_data'], `data:application/pdf;base64,${base64(pdf)}`)
    assert.equal(file['filename'], 'a.pdf')
    isText(label, /^### b\.png$/)
    assert.equal(image?.['type'], 'input_image')
    assert.equal(image['image_url'], `data:image/png;base64,${base64(png)}`)
  })

  it('are file and image_url for OpenAI chat', async () => {
    await run('house/sees')
    const [text, file, , image] = partsOf(server.requests[0]?.body, 'messages')
    isText(text, /^go\n\n## Files/)
    assert.equal(file?.['type'], 'file')
    const data = `data:application/pdf;base64,${base64(pdf)}`
    assert.deepEqual(file['file'], { filename: 'a.pdf', file_data: data })
    assert.deepEqual(image?.['image_url'], { url: `data:image/png;base64,${base64(png)}` })
  })

  it('are document and image for Anthropic', async () => {
    await run('claude-haiku-5-5')
    const [text, document, , image] = partsOf(server.requests[0]?.body, 'messages')
    isText(text, /^go\n\n## Files/)
    assert.equal(document?.['type'], 'document')
    assert.deepEqual(document['source'], {
      type: 'base64',
      media_type: 'application/pdf',
      data: base64(pdf),
    })
    assert.deepEqual(image?.['source'], {
      type: 'base64',
      media_type: 'image/png',
      data: base64(png),
    })
  })

  it('are inlineData for Google', async () => {
    await run('gemini-3.8-flash')
    const [text, file, , image] = partsOf(server.requests[0]?.body, 'contents')
    isText(text, /^go\n\n## Files/)
    assert.deepEqual(file?.['inlineData'], { mimeType: 'application/pdf', data: base64(pdf) })
    assert.deepEqual(image?.['inlineData'], { mimeType: 'image/png', data: base64(png) })
  })

  it('are text alone for a model that takes none, also as a fallback', async () => {
    broken = ['"model":"sees"']
    const ended = await run('house/sees', ['house/blind']).finally(() => (broken = []))
    assert.equal(ended.steps[0].model, 'house/blind')
    const last = JSON.parse(server.requests.at(-1)?.body ?? '{}')
    assert.equal(last.model, 'blind')
    const { content } = last.messages.at(-1)
    assert.equal(typeof content, 'string')
    assert.match(content, /### a\.pdf\n\nThe only page says 4711/)
    assert.match(content, /b\.png .* this model does not take image\/png/)
    assert.ok(!content.includes('base64'))
    const first = server.requests.find(({ body }) => body.includes('"sees"'))
    assert.ok(first?.body.includes(base64(png)), 'the first model got the image')
  })
})
