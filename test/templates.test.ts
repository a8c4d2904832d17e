import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startMailServer } from '../cli/operate/mail-server.ts'
import { json, muster, type Finished } from '../cli/test-cli.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import { send, startScriptedServer } from '../rig/scripted-server.ts'
import { makePdf } from '../server/files/test-files.ts'
import { fixture } from './fixture.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ChatRequest,
  type ModelAnswer,
} from './test-app.ts'

/** Each template, copied by `muster init` and applied by `muster apply`, does its job in a run. */
const mail = fixture(() => startMailServer())
const slack = fixture(() =>
  startScriptedServer((response) =>
    send(response, { ok: true, channel: 'C1', ts: '1.2', user: 'muster' }),
  ),
)
const brave = fixture(() =>
  startScriptedServer((response) => {
    const page = { title: 'Seals', url: `${site.url}/seals`, description: 'Life of seals' }
    send(response, { web: { results: [page] } })
  }),
)
const site = fixture(() =>
  startScriptedServer((response) =>
    response.setHeader('content-type', 'text/html').end('<p>Seals last two years.</p>'),
  ),
)
const app = fixture(() =>
  startTestApp({
    env: {
      MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
      SLACK_BASE_URL: slack.url,
      BRAVE_SEARCH_BASE_URL: brave.url,
    },
  }),
)
const folder = fixture(() => makeScratchFolder())

async function call(...args: string[]): Promise<Finished> {
  const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
  const done = await muster(args, { env, cwd: folder.path })
  assert.ok(done.code === 0 || done.code === 4, `${args.join(' ')}: ${done.stderr}`)
  return done
}

/** Copies a template and applies the folder; a second time changes nothing. */
async function apply(name: string): Promise<void> {
  await call('init', name)
  assert.match((await call('apply', '-f', name)).stdout, /^Created /)
  assert.doesNotMatch((await call('apply', '-f', name)).stdout, /Created|Updated/)
}

/** Calls these tools one after the other, each step of a crew its own, and then answers. */
function script(
  steps: [name: string, args: (results: string[]) => object][],
  answer: string,
): ModelAnswer {
  return (request: ChatRequest, response) => {
    const names = request.tools?.map((tool) => tool.function.name) ?? []
    const own = steps.filter(([name]) => names.includes(name))
    const results = request.messages.filter(({ role }) => role === 'tool').length
    const next = own[results]
    if (next === undefined) return complete(response, answer)
    callTools(response, [{ name: next[0], arguments: next[1](toolResults(request)) }])
  }
}

async function approve(runId: string) {
  const { pending } = await app.rest(runId)
  await app.post(`/v1/runs/${runId}/respond`, { action: 'approve', pending_id: pending.id })
  return app.rest(runId)
}

const fetchSite = (): object => ({ url: `${site.url}/page` })

describe('a template', () => {
  it('is listed, copied once, and refused where there is no such or the folder is there', async () => {
    const { stdout } = await call('init')
    for (const name of await readdir(join(import.meta.dirname, '../examples/templates'))) {
      assert.match(stdout, new RegExp(`^${name} +\\S`, 'm'))
    }
    await call('init', 'research', 'mine')
    assert.deepEqual((await readdir(join(folder.path, 'mine'))).sort(), [
      'README.md',
      'workflow.yaml',
    ])
    const env = { MUSTER_URL: app.url }
    const again = await muster(['init', 'research', 'mine'], { env, cwd: folder.path })
    assert.match(again.stderr, /already exists/)
    const unknown = await muster(['init', 'resarch'], { env, cwd: folder.path })
    assert.match(unknown.stderr, /no "resarch", expected one of email-triage, /)
  })

  it('posts a weekly report to Slack by a schedule, once it is approved', async () => {
    await call('connectors', 'connect', 'slack', await save('slack.json', { token: 'xoxb-1' }))
    await apply('weekly-report')
    // A rule of the crew sets the channel.
    const message = { text: 'Two commits.' }
    app.answer = script(
      [
        ['web__fetch', fetchSite],
        ['slack__post_message', () => message],
      ],
      'Posted.',
    )
    const { run_id: id } = json(
      (await call('schedules', 'trigger', 'Weekly report', '--json')).stdout,
    )
    const run = await approve(id)
    assert.equal(run.status, 'completed', run.error)
    assert.match(run.input, /from the week before \d\d \w+ \d{4}\.\nThe last report was: $/m)
    const posted = slack.requests.filter(({ path }) => path.endsWith('/chat.postMessage'))
    assert.equal(JSON.parse(posted[0]?.body ?? '{}').channel, '#CHANNEL')
  })

  it('sorts a message and answers it, once that is approved', async () => {
    await apply('email-triage')
    const thread = { subject: 'Re: Invoice 2026-118', in_reply_to: '<118@example.com>' }
    const letter = { to: 'ada@example.com', text: 'We look into it.', ...thread }
    const sorted = JSON.stringify({
      category: 'invoice',
      urgency: 'normal',
      reason: 'Two missing.',
    })
    const isClerk = ({ tools = [] }: ChatRequest): boolean =>
      tools.some((tool) => tool.function.name === 'email__send')
    app.answer = (request, response, number) =>
      !isClerk(request)
        ? complete(response, sorted)
        : script([['email__send', () => letter]], 'Answered.')(request, response, number)
    await call('run', 'Email triage', '--data', '@email-triage/message.txt')
    const [{ id }] = await app.get('/v1/runs?limit=1')
    const run = await approve(id)
    assert.equal(run.steps[0].output_json.category, 'invoice')
    assert.equal(mail.mails.at(-1)?.to?.[0]?.address, 'ada@example.com')
    assert.equal(mail.mails.at(-1)?.inReplyTo, '<118@example.com>')
  })

  it('turns PDFs into JSON and CSV', async () => {
    await apply('pdfs-to-json')
    await writeFile(join(folder.path, '1.pdf'), await makePdf(['Invoice 117 of Seals Ltd.']))
    await writeFile(join(folder.path, '2.pdf'), await makePdf(['Invoice 118 of Seals Ltd.']))
    const found = { supplier: 'Seals Ltd', number: '117', date: null, total: 240.5 }
    app.answer = (_request, response) => complete(response, JSON.stringify(found))
    await call('batches', 'create', 'PDFs to JSON', '1.pdf', '2.pdf', '--input', 'Extract this.')
    const [{ id }] = await app.get('/v1/batches')
    const results = (await call('batches', 'results', id)).stdout.trim().split('\n')
    assert.deepEqual(
      results.map((line) => json(line).output_json),
      [found, found],
    )
    assert.match((await call('batches', 'results', id, '--csv')).stdout, /output_json\.supplier/)
  })

  it('drafts an answer to an issue, and does nothing else', async () => {
    await apply('issue-drafts')
    const draft = { label: 'bug', urgency: 'normal', draft: 'Thank you, ada.' }
    app.answer = (_request, response) => complete(response, JSON.stringify(draft))
    await call('run', 'Issue drafts', '--data', '@issue-drafts/issue.txt')
    const [{ id }] = await app.get('/v1/runs?limit=1')
    assert.deepEqual((await app.rest(id)).output_json, draft)

    const { url } = json((await call('hooks', 'show', 'New issues', '--json')).stdout)
    const { secret } = json((await call('hooks', 'rotate-secret', 'New issues', '--json')).stdout)
    const issue = {
      title: 'Fails',
      body: null,
      user: { login: 'ada' },
      html_url: 'https://x.test/1',
    }
    const repository = { full_name: 'ada/parser' }
    const text = JSON.stringify({ action: 'opened', issue, repository })
    const signature = createHmac('sha256', secret).update(text).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': '1',
      'x-hub-signature-256': `sha256=${signature}`,
    }
    assert.equal((await fetch(url, { method: 'POST', headers, body: text })).status, 202)
    await until('the issue has its run', 20_000, async () => {
      const [run] = await app.get('/v1/runs?limit=1&tag=repository:ada/parser')
      return run?.status === 'completed' && run.data.body === null && run.data.author === 'ada'
    })
  })

  it('answers a question with the pages that were read', async () => {
    await call('connectors', 'connect', 'web', await save('web.json', { search_key: 'key' }))
    await apply('research')
    const source = { url: `${site.url}/seals`, title: 'Seals', supports: 'Two years' }
    const answer = JSON.stringify({ answer: 'Two years.', sources: [source] })
    app.answer = script(
      [
        ['web__search', () => ({ query: 'seals' })],
        ['web__fetch', ([found = '']) => ({ url: /http:[^"\\]+/.exec(found)?.[0] })],
      ],
      answer,
    )
    await call('run', 'Research with sources', '--input', 'How long do seals last?')
    const [{ id }] = await app.get('/v1/runs?limit=1')
    assert.deepEqual((await app.rest(id)).output_json.sources, [source])
  })

  it('checks a page each night, and writes only when something is wrong', async () => {
    await apply('nightly-check')
    const trigger = async () => {
      const done = await call('schedules', 'trigger', 'Nightly check', '--json')
      return app.rest(json(done.stdout).run_id)
    }
    mail.mails.length = 0
    app.answer = script([['web__fetch', fetchSite]], 'OK: as expected.')
    assert.match((await trigger()).output, /^OK/)
    assert.equal(mail.mails.length, 0)
    const letter = { to: 'you@example.com', subject: 'Page is wrong', text: 'It says two years.' }
    app.answer = script(
      [
        ['web__fetch', fetchSite],
        ['email__send', () => letter],
      ],
      'WRONG: the text.',
    )
    const run = await trigger()
    assert.match(run.output, /^WRONG/)
    assert.equal(mail.mails.length, 1)
  })

  it('has a page that names what is to be changed and tried', async () => {
    const root = join(import.meta.dirname, '../examples/templates')
    for (const name of await readdir(root)) {
      const page = await readFile(join(root, name, 'README.md'), 'utf8')
      for (const file of await readdir(join(root, name))) {
        if (file !== 'README.md' && file !== 'workflow.yaml')
          assert.ok(page.includes(file), `${name}: ${file}`)
      }
    }
  })
})

async function save(name: string, content: object): Promise<string> {
  await writeFile(join(folder.path, name), JSON.stringify(content))
  return name
}
