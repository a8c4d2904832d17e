import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  hasTerminals,
  json,
  makeFolder,
  muster,
  spawnMuster,
  startOnTerminal,
  type CliOptions,
} from '../test-cli.ts'

describe('muster demo', () => {
  let folder: Awaited<ReturnType<typeof makeFolder>>
  before(async () => {
    folder = await makeFolder()
  })
  after(() => folder[Symbol.asyncDispose]())

  const options = (env: Record<string, string> = {}): CliOptions => ({
    cwd: folder.path,
    env: { MUSTER_DATA_DIR: join(folder.path, '.muster'), ...env },
  })

  it('shows steps, plan, output and what to do next; where nobody can be asked no mail is sent', async () => {
    const { code, stdout, stderr } = await spawnMuster(['demo'], { cwd: folder.path }).finished
    assert.equal(code, 0, stderr)
    assert.match(stderr, /model muster\/demo \(an offline stand-in/)
    assert.match(stderr, /^✔ planner [^]*^✔ writer [^]*^completed /m)
    assert.match(
      stderr,
      /^Plan\n[^]*MUSTER_DATA_DIR=\.muster\/demo npx muster serve\n.*:3000\/setup\?return_to=\/runs\/run_\w+#\S+\n/m,
    )
    assert.match(stdout, /checkout/)
    assert.match(stderr, /"to": "team@example\.com",\n {2}"subject": "Incident report/)
    assert.match(stderr, /There is no terminal to ask at, so no\. --yes and --no answer in advance/)
    assert.match(stderr, /^The mail server received nothing\.$/m)
    assert.match(stdout, /- email\.send: A person rejected this action; it was not done\. Reason: /)
    assert.doesNotMatch(stderr, /"level"/)
    assert.deepEqual(
      (await readdir(join(folder.path, '.muster', 'demo'))).filter((name) => name.includes('pid')),
      [],
    )
  })

  it('sends exactly the mail that it showed, with --yes', async () => {
    const args = ['demo', '--input', 'Grüße aus Gent. The harbour opens at nine.']
    const yes = await muster([...args, '--yes'], options())
    assert.equal(yes.code, 0, yes.stderr)
    const shown = json(/^\{\n[^]*?\n\}$/m.exec(yes.stderr)?.[0] ?? '')
    assert.match(shown.text, /^Grüße aus Gent\./)
    assert.match(yes.stderr, /^The mail server received the mail above, for team@example\.com\.$/m)
    assert.doesNotMatch(yes.stderr, /│ Subject:/)
    assert.match(yes.stdout, /- email\.send: Sent to the mail server\./)

    assert.equal((await muster(['demo', '--yes', '--no'], options())).code, 2)
  })

  const skip = hasTerminals ? false : 'there is no `script` of util-linux on this machine'
  it('shows what they write under who writes it, with --stream', async () => {
    const { code, stdout, stderr } = await muster(['demo', '--stream', '--no'], options())
    assert.equal(code, 0, stderr)
    assert.match(stderr, /\nplanner writes\n# Plan: /)
    assert.match(stderr, /language model\._\n✔ planner /)
    assert.match(stderr, /\nwriter writes\n# [^]*language model\._\n✔ writer /)
    assert.ok(!stderr.includes('\nPlan\n'), 'the plan is not shown again')
    const [, written = ''] = /\nwriter writes\n([^]*)\n✔ writer /.exec(stderr) ?? []
    assert.equal(stdout.trim(), written.trim())
  })

  it('asks on a terminal, and Ctrl-C there ends the run', { skip }, async () => {
    const stopped = startOnTerminal(['demo'], options())
    await stopped.until(/Send it\? \[y\]es or \[n\]o: /)
    stopped.type('\u0003')
    const { code, stdout } = await stopped.finished
    assert.equal(code, 130)
    assert.match(stdout, /error: The demo was stopped\./)

    const asked = startOnTerminal(['demo'], options())
    await asked.until(/"to": "team@example\.com"[^]*Send it\? \[y\]es or \[n\]o: /)
    asked.type('y\n')
    const [, url = ''] = await asked.until(/in the console: .*(http:\/\/127[\w.:/?=#-]+)/)
    assert.match(url, /\/setup\?return_to=\/runs\/run_\w+#[\w-]+$/)
    assert.equal((await fetch(url, { headers: { accept: 'text/html' } })).status, 200)
    await asked.until(/Ctrl-C stops the demo/)
    asked.type('\u0003')
    const ended = await asked.finished
    assert.doesNotMatch(ended.stdout, /error:/)
    assert.match(ended.stdout, /^The mail server received the mail above/m)
  })

  it('ignores the settings of the real service and uses the database again', async () => {
    const env = {
      DATABASE_URL: 'postgresql://muster@127.0.0.1:9/none',
      PORT: '1',
      MUSTER_SMTP_URL: 'smtp://127.0.0.1:9',
      MUSTER_EMAIL_FROM: 'ada@example.org',
      LOG_LEVEL: 'trace',
    }
    const { code, stdout } = await muster(
      ['demo', '--input', 'Short words.', '--no', '--json'],
      options(env),
    )
    assert.equal(code, 0)
    const run = json(stdout)
    assert.deepEqual([run.input, run.status], ['Short words.', 'completed'])
    const [call] = run.steps[1].tool_calls
    assert.deepEqual([call.tool, call.status], ['email.send', 'rejected'])
  })

  it('cuts a long file at a paragraph and says so', async () => {
    const file = join(folder.path, 'long.md')
    await writeFile(file, 'All work and no play is dull.\n\n'.repeat(1_000))
    const { code, stderr } = await muster(['demo', '--file', file], options())
    assert.equal(code, 0)
    assert.match(stderr, /Only its first 15\d{3} of 31000 characters/)
  })

  it('stops cleanly on Ctrl-C, and only one at a time runs', async () => {
    const modelsFile = join(folder.path, 'models.json')
    // A model that never answers keeps the first demo busy.
    const { createServer } = await import('node:net')
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    await writeFile(
      modelsFile,
      JSON.stringify({
        providers: [{ id: 'silent', label: 'Silent', base_url: `http://127.0.0.1:${port}/v1` }],
        models: [{ id: 'silent/one', provider: 'silent', model: 'one' }],
      }),
    )
    const env = { MUSTER_MODELS_FILE: modelsFile }
    const first = spawnMuster(['demo'], options(env))
    const asked = new Promise((resolve) => silent.once('connection', resolve))
    await first.until(/model silent\/one/)
    const second = await muster(['demo'], options())
    assert.equal(second.code, 2)
    assert.match(second.stderr, /another Muster \(process \d+\) already uses/)
    await asked
    first.kill('SIGINT')
    const { code, stderr } = await first.finished
    silent.close()
    assert.equal(code, 130)
    assert.match(stderr, /error: The demo was stopped\.\n$/)
    const third = await muster(['demo', '--json'], options())
    assert.equal(third.code, 0, third.stderr)
  })
})
