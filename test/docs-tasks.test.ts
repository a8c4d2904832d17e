import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startMailServer } from '../cli/operate/mail-server.ts'
import { muster } from '../cli/test-cli.ts'
import { closeServer, listenOnLoopback } from '../rig/loopback.ts'
import { startLoginServer } from '../rig/login-server.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { sendJson, startTestHttpApi } from '../server/connectors/http/test-http-api.ts'
import { makePdf } from '../server/files/test-files.ts'
import { fixture, prepare } from './fixture.ts'
import { pluck } from './pluck.ts'
import { callTools, complete, startTestApp, toolResults, type ChatRequest } from './test-app.ts'

/**
 * Runs the tutorial and the task pages as they are: files are saved under the names on the page,
 * and commands run in a real shell. `<!-- not run: why -->` excludes a block; `<!-- answer: approve
 * -->` marks where the reader approves.
 */
const docs = join(import.meta.dirname, '..', 'docs')

const mail = fixture(() => startMailServer())
const slack = fixture(() =>
  startScriptedServer((response) =>
    send(response, { ok: true, channel: 'C1', ts: '1.2', user: 'muster' }),
  ),
)
const brave = fixture(() =>
  startScriptedServer((response) => {
    const page = { title: 'Seals', url: `${pump.url}/seals`, description: 'Life of seals' }
    send(response, { web: { results: [page] } })
  }),
)
const pump = fixture(() =>
  startScriptedServer((response) =>
    response.setHeader('content-type', 'text/html').end('<p>Seals last two years.</p>'),
  ),
)
/** An API with its document, for all paths of the pages. */
const shop = fixture(startTestHttpApi)
const receiver = fixture(() => startScriptedServer((response) => send(response, {})))
const app = fixture(() =>
  startTestApp({
    answer: research,
    env: {
      MUSTER_DEFAULT_MODEL: 'muster/demo',
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
      SLACK_BASE_URL: slack.url,
      BRAVE_SEARCH_BASE_URL: brave.url,
    },
  }),
)
const notes = fixture(() => startLoginServer(`${app.url}/oauth/callback`))
const folder = fixture(() => makeScratchFolder())
/**
 * Runs `muster` commands of the shell in this process, which is cheaper than a process for each.
 */
const runner = fixture(startRunner)

prepare(async () => {
  shop.answer = ({ path }, response) =>
    sendJson(response, path === '/openapi.json' ? storeDocument : { seal: 'brass' })
  await mkdir(join(folder.path, 'bin'))
  await writeFile(join(folder.path, 'bin', 'npx'), npx)
  await chmod(join(folder.path, 'bin', 'npx'), 0o755)
  // The SDK under its own name, like an installed package.
  const sdk = join(folder.path, 'node_modules', '@muster-run', 'sdk')
  await mkdir(sdk, { recursive: true })
  const source = pathToFileURL(join(docs, '..', 'sdk', 'index.ts')).href
  await writeFile(join(sdk, 'index.mjs'), `export * from '${source}'`)
  await writeFile(join(sdk, 'package.json'), '{"exports": "./index.mjs"}')
})

describe('a reader of the docs', () => {
  it('has an email approved with the tutorial', async () => {
    mail.mails.length = 0
    const stdout = await follow('tutorial.md')
    assert.match(stdout, /completed/)
    assert.deepEqual(
      mail.mails.map(({ to }) => to?.[0]?.address),
      ['orders@example.com'],
    )
  })

  it('approves and rejects from the terminal and from a program', async () => {
    mail.mails.length = 0
    const stdout = await follow('tasks/approve-an-action.md')
    assert.match(stdout, /email\.send/)
    assert.match(stdout, /run_\w+ approve/)
    await app.rest((await app.get('/v1/runs?limit=1'))[0].id)
    assert.equal(mail.mails.length, 2)
  })

  it('is told of a request by email, with the action and a way to it', async () => {
    mail.mails.length = 0
    const stdout = await follow('tasks/approve-from-your-phone.md')
    assert.match(stdout, /took the message for ada@example\.com/)
    const subjects = () => mail.mails.map(({ subject }) => subject ?? '')
    await until('an email', 15_000, () =>
      subjects().some((one) => one.startsWith('Approval needed: email.send')),
    )
    assert.equal(subjects()[0], 'Test message from Muster')
    const told = mail.mails.find(({ subject }) => subject?.startsWith('Approval needed'))
    assert.match(told?.text ?? '', /Wednesday/)
    const [run] = await app.get('/v1/runs?limit=1')
    await app.post(`/v1/runs/${run.id}/respond`, { action: 'reject' })
    const [channel] = await app.get('/v1/channels')
    await app.delete(`/v1/channels/${channel.id}`)
    const [workflow] = await app.get('/v1/workflows')
    assert.equal(workflow.human_in_the_loop.escalate_after_minutes, 240)
  })

  it('triages a message and answers it', async () => {
    mail.mails.length = 0
    await follow('tasks/triage-email.md')
    const [run] = await app.get('/v1/runs?limit=1')
    const { steps } = await app.rest(run.id)
    assert.equal(steps[0].output_json.category, 'invoice')
    assert.equal(mail.mails[0]?.to?.[0]?.address, 'ada@example.com')
  })

  it('talks to a crew in the terminal and from a program', async () => {
    const stdout = await follow('tasks/talk-to-a-crew.md')
    assert.match(stdout, /turn 3: \S/)
    const [thread] = await app.get('/v1/threads?key=monday')
    assert.equal(thread.turns, 3)
    const [run] = await app.get(`/v1/runs?thread_id=${thread.id}`)
    const { steps } = await app.get(`/v1/runs/${run.id}`)
    assert.match(steps[0].input, /Which pump failed on Monday\?[^]*And why\?[^]*Who repaired it\?/)
  })

  it('changes a prompt, tries it as a draft, publishes it and goes back', async () => {
    const stdout = await follow('tasks/change-a-prompt.md')
    assert.match(stdout, /\[-ten-\]\{\+three\+\} sentences/)
    assert.match(stdout, /2 +draft/)
    const [workflow] = (await app.get('/v1/workflows')).filter(
      ({ name }: { name: string }) => name === 'Summary',
    )
    assert.deepEqual([workflow.version, workflow.last_version], [1, 2])
    const runs = await app.get(`/v1/workflows/${workflow.id}/runs`)
    assert.deepEqual(pluck(runs, 'workflow_version'), [2, 1])
  })

  it('posts a report to Slack', async () => {
    await follow('tasks/report-to-slack.md')
    const posts = slack.requests.filter(({ path }) => path.endsWith('/chat.postMessage'))
    assert.deepEqual(
      posts.map(({ body }) => (JSON.parse(body) as { channel: string }).channel),
      ['#weekly'],
    )
    const [schedule] = await app.get('/v1/schedules')
    assert.equal(schedule.in_words, 'Every Monday at 09:00 (Europe/Berlin)')
    const { input, status } = await app.rest(schedule.last_firing.run_id)
    assert.match(input, /^Report on the week before \d\d \w+ \d{4}\. The last report was: $/)
    assert.equal(status, 'waiting_input')
    assert.equal(posts[0]?.headers.authorization, 'Bearer xoxb-your-token')
  })

  for (const [page, workflow, input] of [
    ['github-issues', 'Answer issues', 'Issue 7 by ada: The export is slow'],
    ['stripe-events', 'Failed payments', '42 eur: The card has expired.'],
    ['slack-mentions', 'Mentions', 'When do the seals arrive?'],
    ['form', 'Contact form', 'Ada (ada@example.com) writes: When do the seals arrive?'],
  ] as const) {
    it(`starts a run of an event with ${page}`, async () => {
      const stdout = await follow(`tasks/${page}.md`)
      assert.match(stdout, /"status":"accepted"/)
      const found = await app.get('/v1/workflows')
      const { id } = found.find((one: { name: string }) => one.name === workflow)
      let runs: { id: string }[] = []
      await until('the event has its run', 10_000, async () => {
        runs = await app.get(`/v1/runs?workflow_id=${id}`)
        return runs.length > 0
      })
      assert.equal(runs.length, 1)
      const run = await app.rest(runs[0]?.id ?? '')
      assert.equal(run.status, 'completed')
      assert.equal(run.input, input)
    })
  }

  it('gives an agent a tool of a process, which executes its call', async () => {
    const stdout = await follow('tasks/own-tools.md')
    assert.match(stdout, /app\.lookup_order: \{"state":"shipped","arrives":"Monday"\}/)
    assert.match(await readFile(join(folder.path, 'worker.log'), 'utf8'), /^call_\w+: .*4712/m)
  })

  it('makes a workflow a tool of MCP clients, and calls it', async () => {
    await follow('tasks/use-a-crew-in-your-assistant.md')
    const { result } = JSON.parse(await readFile(join(folder.path, 'site-report.json'), 'utf8'))
    assert.match(result.content[0].text, /Berlin/)
    assert.equal(result['_meta']['muster/run'].status, 'completed')
  })

  it('extracts PDFs into JSON and a webhook', async () => {
    await mkdir(join(folder.path, 'pdfs'))
    for (const number of [117, 118]) {
      const pdf = await makePdf([`Invoice 2026-${number} of Seals Ltd. Total 240.50 EUR.`])
      await writeFile(join(folder.path, 'pdfs', `${number}.pdf`), pdf)
    }
    await follow('tasks/extract-pdfs.md', ['http://127.0.0.1:4000', receiver.url])
    const results = await readFile(join(folder.path, 'invoices.jsonl'), 'utf8')
    const lines = results.trim().split('\n')
    assert.equal(lines.length, 2)
    const { output_json: found } = JSON.parse(lines[1] ?? '')
    assert.deepEqual(Object.keys(found), ['supplier', 'number', 'total'])
    await receiver.until(() => receiver.requests.length >= 2)
    const { data } = JSON.parse(receiver.requests[0]?.body ?? '')
    assert.deepEqual(Object.keys(data.output_json), ['supplier', 'number', 'total'])
    assert.match(
      await readFile(join(folder.path, 'invoices.csv'), 'utf8'),
      /^key,.*output_json\.supplier/,
    )
  })

  it('researches a question with pages that were read', async () => {
    // The demo model cannot do this task: a scripted model replaces it.
    await follow('tasks/research.md', ['name: Research\n', 'name: Research\nmodel: test/echo\n'])
    const answer = JSON.parse(await readFile(join(folder.path, 'answer.json'), 'utf8'))
    assert.deepEqual(answer.sources[0].url, `${pump.url}/seals`)
    assert.equal(pump.requests.length, 1)
  })

  it('connects an MCP server, logs in and lets an agent use a tool', async () => {
    app.answer = (request, response) => {
      const [result] = toolResults(request)
      if (result !== undefined) complete(response, `The notes say: ${result}`)
      else callTools(response, [{ name: 'notes__echo', arguments: { text: 'those of line 4' } }])
    }
    const stdout = await follow(
      'tasks/connect-an-mcp-server.md',
      ['https://mcp.example.com/mcp', notes.mcp.url],
      ['name: Ask the notes\n', 'name: Ask the notes\nmodel: test/echo\n'],
    )
    assert.match(stdout, /needed: log in on the Connectors page/)
    assert.match(stdout, /The notes say: those of line 4/)
  })

  it('calls an HTTP API, and asks before it writes', async () => {
    shop.requests.length = 0
    app.answer = ({ messages }, response) => {
      const results = messages.filter(({ role }) => role === 'tool').length
      const id = '1001'
      if (results === 0) callTools(response, [{ name: 'shop__get_order', arguments: { id } }])
      else if (results > 1) complete(response, 'It is cancelled.')
      else callTools(response, [{ name: 'shop__cancel_order', arguments: { id, reason: 'twice' } }])
    }
    const stdout = await follow(
      'tasks/call-an-http-api.md',
      ['https://api.example.com/v1', `${shop.url}/v1`],
      ['name: Help with orders\n', 'name: Help with orders\nmodel: test/echo\n'],
    )
    assert.match(stdout, /succeeded[^]*{"seal":"brass"}/)
    const sent = shop.requests.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(sent.slice(-3), [
      'GET /v1/orders/1001',
      'GET /v1/orders/1001',
      'POST /v1/orders/1001/cancel',
    ])
  })

  it('calls operations of an OpenAPI document', async () => {
    app.answer = ({ messages }, response) => {
      if (messages.at(-1)?.role === 'tool') complete(response, 'Item 7.')
      else callTools(response, [{ name: 'store__searchItems', arguments: { words: 'brass' } }])
    }
    const stdout = await follow(
      'tasks/from-an-openapi-document.md',
      ['https://api.example.com', shop.url],
      ['name: Find items\n', 'name: Find items\nmodel: test/echo\n'],
    )
    assert.match(stdout, /Item 7\./)
    assert.ok(
      shop.requests.some(({ path, body }) => path === '/search' && body === '{"words":"brass"}'),
    )
  })

  it('connects a model server by its address', async () => {
    app.answer = (request, response) => complete(response, `${request.model} says seals wear.`)
    const server = ['http://127.0.0.1:11434', app.models.url] as const
    const stdout = await follow('tasks/connect-a-model.md', [...server])
    assert.match(stdout, /ollama\/llama3\.2:3b/)
    assert.match(stdout, /llama3\.2:3b says seals wear\./)
  })

  it('checks and backs up what was deployed or is upgraded', async () => {
    // Installs and removes packages and containers, so all of its blocks are excepted.
    assert.equal(await follow('tasks/install.md'), '')
    assert.equal(await follow('tasks/behind-a-proxy.md'), '')
    assert.match(await follow('tasks/deploy-on-one-server.md'), /ok/i)
    assert.match(await follow('tasks/upgrade.md'), /run_/)
  })

  it('is a coding agent that follows the skill', async () => {
    const stdout = await follow('../skills/muster/SKILL.md')
    assert.match(stdout, /"status": "completed"/)
  })

  it('calls the API from a program', async () => {
    // docs.test.ts runs the walk with curl.
    const page = (await pageOf('tasks/call-the-api.md')).replace(
      /<!-- walk -->\n+```sh[^]*?```/,
      '',
    )
    const { stdout } = await execute(blocksOf(page))
    assert.match(stdout, /^completed /m)
  })
})

interface Block {
  language: string
  /** File name on the page. */
  file: string | undefined
  code: string
  /** What the reader does at this point in the console. */
  answer: 'approve' | 'log in' | undefined
}

const pageOf = (page: string): Promise<string> => readFile(join(docs, page), 'utf8')

function blocksOf(page: string): Block[] {
  const pieces = page.matchAll(
    /(?:(<!-- not run: [^>]+-->)\n+)?(?:(?:^|(?<=\n))((?!<!-- answer)[^\n]*)\n+)?```(\w+)\n([^]*?)\n```|<!-- answer: (approve|log in) -->/g,
  )
  return [...pieces].flatMap<Block>(([, excepted, line = '', language = '', code = '', given]) => {
    const answer = (given ?? /^<!-- answer: (.+) -->$/.exec(line)?.[1]) as Block['answer']
    const acts = answer === undefined ? [] : [{ language: '', file: undefined, code: '', answer }]
    if (language === '' || excepted !== undefined || line.startsWith('<!-- not run')) return acts
    const file = /[Ss]ave (?:this|its bot token) as `([^`]+)`/.exec(line)?.[1]
    return [...acts, { language, file, code: `${code}\n`, answer: undefined }]
  })
}

/** Runs a page from top to bottom; returns the output of its commands. */
async function follow(page: string, ...changes: [from: string, to: string][]): Promise<string> {
  let text = await pageOf(page)
  for (const [from, to] of changes) {
    assert.ok(text.includes(from), from)
    text = text.replaceAll(from, to)
  }
  return (await execute(blocksOf(text))).stdout
}

async function execute(blocks: Block[]): Promise<{ stdout: string }> {
  let stdout = ''
  for (const { language, file, code, answer } of blocks) {
    if (answer === 'approve') await approveAll()
    else if (answer === 'log in') await logIn()
    else if (file !== undefined) await writeFile(join(folder.path, file), code)
    else if (language === 'sh') {
      const env = {
        PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}`,
        MUSTER_URL: app.url,
        MUSTER_API_KEY: app.key,
        RUNNER: runner.url,
      }
      const options = { cwd: folder.path, env }
      const done = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', code], options)
      stdout += done.stdout
    } else assert.fail(`a block of the page is neither saved nor run nor excepted:\n${code}`)
  }
  return { stdout }
}

/** Approves everything, like a reader in the inbox. */
async function approveAll(): Promise<void> {
  for (const { run_id: id, pending } of await app.get('/v1/pending')) {
    await app.post(`/v1/runs/${id}/respond`, { action: 'approve', pending_id: pending.id })
    assert.equal((await app.rest(id)).status, 'completed')
  }
}

/** Logs in at the server of the notes, like an admin in the console. */
async function logIn(): Promise<void> {
  const admin = await app.join('Ada', 'admin')
  const begun = await admin.call('POST', '/v1/connectors/notes/authorize', {})
  const callback = await notes.visit(begun.body.data.authorize_url)
  const landed = await fetch(callback, { redirect: 'manual', headers: { cookie: admin.cookie } })
  assert.equal(landed.status, 303)
}

/** Replaces the real `npx`: passes its arguments on, and returns output and exit code. */
const npx = `#!/bin/bash
shift
stdin=; [ "$1" = chat ] && stdin=$(base64 -w0)
answer=$(printf '%s\\0' "$@" | curl -sS -H "x-stdin: $stdin" --data-binary @- "$RUNNER")
code=\${answer%%$'\\n'*}
[ "$code" = "$answer" ] || printf '%s\\n' "\${answer#*$'\\n'}"
exit "$code"
`

async function startRunner(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const args = (await buffer(request)).toString().split('\0').slice(0, -1)
    const env = { ...app.env, MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const piped = Buffer.from(String(request.headers['x-stdin'] ?? ''), 'base64').toString()
    const stdin = piped === '' ? {} : { stdin: piped }
    const { code, stdout, stderr } = await muster(args, { cwd: folder.path, env, ...stdin })
    // Exit code 4 means that a run waits for a person, as the pages explain. The doctor complains
    // that the test database does not wait for the disk.
    const isFine = code === 0 || code === 4 || args[0] === 'doctor'
    response.end(`${isFine ? 0 : code}\n${stdout.trimEnd()}${isFine ? '' : stderr}`)
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  return { url, [Symbol.asyncDispose]: () => closeServer(server) }
}

/** A model that searches, reads the first result, and cites it. */
function research(request: ChatRequest, response: Parameters<typeof complete>[0]): void {
  const results = request.messages.filter(({ role }) => role === 'tool').length
  if (results === 0) callTools(response, [{ name: 'web__search', arguments: { query: 'seals' } }])
  else if (results === 1) {
    const url = /http:[^"\\]+/.exec(toolResults(request)[0] ?? '')?.[0]
    callTools(response, [{ name: 'web__fetch', arguments: { url } }])
  } else {
    const url = `${pump.url}/seals`
    const sources = [{ url, title: 'Seals', supports: 'Two years' }]
    complete(response, JSON.stringify({ answer: 'Two years.', sources }))
  }
}

const storeDocument = {
  openapi: '3.1.0',
  info: { title: 'Store', version: '1' },
  servers: [{ url: '/' }],
  paths: {
    '/items/{id}': {
      get: {
        operationId: 'getItem',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
    '/search': {
      post: {
        operationId: 'searchItems',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { words: { type: 'string' } },
                required: ['words'],
              },
            },
          },
        },
      },
    },
  },
}
