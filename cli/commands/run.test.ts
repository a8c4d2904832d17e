import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { complete, echo, startTestApp } from '../../test/test-app.ts'
import {
  hasTerminals,
  json,
  makeFolder,
  muster,
  spawnMuster,
  startMuster,
  startOnTerminal,
  type CliOptions,
} from '../test-cli.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const plainStep = /^✔ planner {2}test\/echo {2}\S+ {2}10→5 tokens {2}\$0\.00002$/m

describe('muster run and runs', () => {
  let workflowId: string
  const held: (() => void)[] = []
  let cutNext = false

  const app = fixture(() =>
    startTestApp({
      answer: (request, response) => {
        const prompt = request.messages.at(-1)?.content ?? ''
        if (prompt.includes('fail')) send(response, { error: { message: 'no' } }, 400)
        else if (prompt.includes('hold')) held.push(() => complete(response, 'held back'))
        else if (cutNext) {
          cutNext = false
          complete(response, 'The pump is', 10, 5, 'length')
        } else echo(request, response)
      },
    }),
  )
  const folder = fixture(() => makeFolder())
  prepare(async () => {
    workflowId = await app.createWorkflow({ name: 'Two agents' })
    const crew = [{ role: 'planner', systemPrompt: 'p' }]
    await app.createWorkflow({ name: 'One agent', crew })
  })
  after(async () => {
    for (const answer of held.splice(0)) answer()
  })

  function options(more: CliOptions = {}): CliOptions {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key, ...more.env }
    return { cwd: folder.path, ...more, env }
  }

  it('labels a run with tags, by which the list finds it again', async () => {
    const tags = ['--tag', 'customer=acme', '--tag', 'note=a=b c']
    const args = ['run', 'Two agents', '--input', 'tagged', '--no-wait', ...tags]
    const id = (await muster(args, options())).stdout.trim()
    const list = ['runs', 'list', 'Two agents', '--tag', 'note=a=b c', '--tag', 'customer=acme']
    const found = json((await muster([...list, '--json'], options())).stdout)
    assert.deepEqual([found.length, found[0].id], [1, id])
    assert.deepEqual(found[0].tags, { customer: 'acme', note: 'a=b c' })
    const words = json(
      (await muster(['runs', 'list', '--find', 'ACME', '--json'], options())).stdout,
    )
    assert.deepEqual([words.length, words[0].id], [1, id])
    const shown = await muster(['runs', 'show', id], options())
    assert.match(shown.stdout, /^tags +(customer=acme note=a=b c|note=a=b c customer=acme)$/m)
    const wrong = await muster(['runs', 'list', '--min-cost', 'much'], options())
    assert.match(wrong.stderr, /--min-cost is "much", expected a number/)
  })

  it('prints the output to stdout and plain progress to stderr', async () => {
    const args = ['run', 'Two agents', '--input', 'good morning']
    const { code, stdout, stderr } = await spawnMuster(args, options()).finished
    assert.equal(code, 0)
    assert.match(stdout, /^echo: .*\n$/)
    assert.match(stderr, plainStep)
    assert.match(stderr, /^✔ writer /m)
    assert.match(stderr, /^completed {2}\S+ {2}2 steps {2}20→10 tokens {2}\$0\.00004$/m)
    // oxlint-disable-next-line no-control-regex -- that none is there is the point
    assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f\u007f]/)
  })

  it('says that a run has warnings, and exits with 6 if asked to be strict', async () => {
    cutNext = true
    const args = ['run', 'One agent', '--input', 'cut', '--strict']
    const { code, stderr } = await muster(args, options())
    assert.equal(code, 6, stderr)
    assert.match(stderr, /^completed with warnings {2}/m)
    assert.match(stderr, /^step 1 \(planner\): the answer was cut off/m)
    cutNext = true
    assert.equal((await muster(args.slice(0, -1), options())).code, 0)
    const { stdout } = await muster(['runs', 'list', '--has-warnings'], options())
    assert.match(stdout, /completed +answer_cut/)
    assert.equal(
      (await muster(['run', 'One agent', '--input', 'x', '--strict'], options())).code,
      0,
    )
  })

  it('takes the input from a file, from a pipe, and from -', async () => {
    const file = join(folder.path, 'notes.md')
    await writeFile(file, '\ufefffrom a file')
    const ways: [string[], string, string][] = [
      [['--file', file], '', 'from a file'],
      [['--file', '-'], 'from stdin', 'from stdin'],
      [['-'], 'from a dash', 'from a dash'],
      [[], 'from a pipe', 'from a pipe'],
    ]
    for (const [args, stdin, expected] of ways) {
      const { stdout } = await muster(['run', workflowId, ...args, '--json'], options({ stdin }))
      const run = json(stdout)
      assert.equal(run.input, expected)
      assert.equal(run.status, 'completed')
      assert.equal(run.steps.length, 2)
    }
  })

  it('ends with 3 when the run fails, and retries it', async () => {
    const failed = await muster(['run', 'Two agents', '--input', 'fail'], options())
    assert.equal(failed.code, 3)
    assert.equal(failed.stdout, '')
    assert.match(failed.stderr, /^✖ planner [^]*^failed [^]*step 1 \(planner\): /m)
    const id = /muster runs show (run_\w+)/.exec(failed.stderr)?.[1] as string
    const shown = await muster(['runs', 'show', id], options())
    assert.match(shown.stdout, /status +failed\nerror +step 1 \(planner\)/)
    const retried = await muster(['runs', 'retry', id, '--json'], options())
    assert.equal(json(retried.stdout).retry_of, id)
    const retries = await muster(['runs', 'list', '--retry-of', id, '--json'], options())
    assert.deepEqual(pluck(json(retries.stdout), 'id'), [json(retried.stdout).id])
    const watched = await muster(['runs', 'watch', json(retried.stdout).id], options())
    assert.equal(watched.code, 3)
  })

  it('prints the id and leaves the run to itself, then lists, watches and shows it', async () => {
    const { stdout } = await muster(['run', workflowId, '--input', 'later', '--no-wait'], options())
    const id = stdout.trim()
    assert.match(id, /^run_\w{26}$/)
    const watched = await muster(['runs', 'watch', id, '--json'], options())
    assert.equal(watched.code, 0)
    const events = watched.stdout.trim().split('\n').map(json)
    assert.equal(events.at(-1).type, 'run.completed')
    const list = await muster(['runs', 'list', 'Two agents', '--status', 'completed'], options())
    assert.match(list.stdout, new RegExp(`${id} +completed .* later$`, 'm'))
    const few = await muster(['runs', 'list', workflowId, '--limit', '1', '--json'], options())
    assert.equal(json(few.stdout).length, 1)
    const shown = await muster(['runs', 'show', id], options())
    assert.match(shown.stdout, /2\. writer {2}test\/echo[^]*echo: /)
  })

  it('shows all runs that move, until Ctrl-C', async () => {
    const watching = spawnMuster(['runs', 'watch'], options())
    await watching.until(/^Changed runs/m)
    const { stdout } = await muster(['run', workflowId, '--input', 'seen', '--no-wait'], options())
    await watching.until(new RegExp(`^${stdout.trim()} +completed +event 7$`, 'm'))
    watching.kill('SIGINT')
    assert.equal((await watching.finished).code, 130)
  })

  it('lets go on Ctrl-C: the run goes on and can be watched and cancelled', async () => {
    const running = spawnMuster(['run', workflowId, '--input', 'hold'], options())
    await app.models.until(() => held.length === 1)
    held.shift()?.()
    await running.until(/^✔ planner/m)
    running.kill('SIGINT')
    const { code, stderr, stdout } = await running.finished
    assert.deepEqual([code, stdout], [130, ''])
    const id = /the run continues.*muster runs watch (run_\w+)/.exec(stderr)?.[1] as string
    const shown = await muster(['runs', 'show', id, '--json'], options())
    assert.equal(json(shown.stdout).status, 'running')

    const watching = startMuster(['runs', 'watch', id], options())
    const cancelled = await muster(['runs', 'cancel', id], options())
    assert.equal(cancelled.stdout, `Cancelled ${id}.\n`)
    assert.equal((await watching.finished).code, 3)
    const again = await muster(['runs', 'cancel', id], options())
    assert.equal(again.code, 0)
  })

  const skip = hasTerminals ? false : 'there is no `script` of util-linux on this machine'
  it('shows a spinner on a terminal, and no colours where unwanted', { skip }, async () => {
    const args = ['run', workflowId, '--input', 'x']
    const env = { TERM: 'xterm-256color' }
    const live = await startOnTerminal(args, options({ env })).finished
    assert.equal(live.code, 0)
    assert.match(live.stdout, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
    // oxlint-disable-next-line no-control-regex -- the colour is the point
    assert.match(live.stdout, /\u001b\[32m✔/)
    const grey = await startOnTerminal(args, options({ env: { ...env, NO_COLOR: '1' } })).finished
    // oxlint-disable-next-line no-control-regex -- as above
    assert.doesNotMatch(grey.stdout, /\u001b\[\d+m/)
    assert.match(grey.stdout, /✔ planner/)
    const ascii = await startOnTerminal(args, options({ env: { ...env, LANG: 'C' } })).finished
    assert.doesNotMatch(ascii.stdout, /[⠀-⣿✔✖]/)
    assert.match(ascii.stdout, /\+.* planner/)
  })

  it('ends with 5 for a run that is not there', async () => {
    for (const verb of ['show', 'watch', 'cancel', 'retry']) {
      const id = 'run_00000000000000000000000000'
      assert.equal((await muster(['runs', verb, id], options())).code, 5, verb)
    }
  })
})

describe('muster runs watch, where a human is asked', () => {
  it('passes over an old pause and ends with 4 at the present one', async () => {
    const types = ['run.waiting_input', 'run.resumed', 'run.waiting_input']
    const frames = types.map((type, index) => {
      const event = { id: 'evt', type, sequence: index + 1, run_id: 'run_1', data: {} }
      return `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`
    })
    let asked = 0
    await using server = await startScriptedServer((response, call) => {
      if (server.requests[call - 1]?.path.endsWith('/events')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames.join(''))
        return
      }
      const status = (asked += 1) === 1 ? 'running' : 'waiting_input'
      const pending = { kind: 'input', prompt: 'Which \u001b[31mtown\u0007?' }
      const counts = { total_steps: 0, tokens_in: 0, tokens_out: 0, cost_usd: 0, started_at: null }
      send(response, { data: { id: 'run_1', status, pending, steps: [], ...counts } })
    })
    const env = { MUSTER_URL: server.url, MUSTER_API_KEY: 'mst_x' }
    const { code, stderr } = await muster(['runs', 'watch', 'run_1'], { env })
    assert.equal(code, 4)
    assert.match(stderr, /waits for a human {2}Which town\?\n/)
    assert.equal(asked, 2)
  })
})
