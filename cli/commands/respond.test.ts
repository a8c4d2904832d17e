import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { actOnce, ask, clerkFixture, write, type ToolCall } from '../../test/clerk.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import {
  hasTerminals,
  json,
  makeFolder,
  muster,
  startOnTerminal,
  type CliOptions,
} from '../test-cli.ts'
import { pluck } from '../../test/pluck.ts'

const skip = hasTerminals ? false : 'there is no `script` of util-linux on this machine'

const folder = fixture(() => makeFolder())
const clerk = clerkFixture({}, [])
const { app, sink } = clerk
let workflowId: string
/** The calls that the agent of the next run makes. */
let wanted: ToolCall[]
prepare(async () => {
  const hitl = { enabled: true, timeout_seconds: 3600 }
  workflowId = await clerk.createWorkflow(hitl, { name: 'Desk' })
})
beforeEach(() => {
  sink.calls.length = 0
  wanted = [write('hello')]
  app.answer = (...call) => actOnce(...wanted)(...call)
})

function options(more: CliOptions = {}): CliOptions {
  const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key, ...more.env }
  return { cwd: folder.path, ...more, env }
}

async function trigger(): Promise<string> {
  const { id, status } = await app.run(workflowId)
  assert.equal(status, 'waiting_input')
  return id
}

const written = () => sink.calls.map(({ input }) => input['text'])

describe('muster respond, with the answer given', () => {
  it('approves, rejects with a reason, changes the arguments, answers a question', async () => {
    const file = join(folder.path, 'input.json')
    await writeFile(file, '{"text": "from a file"}')
    const cases: [string[], string, string[]][] = [
      [['--approve'], 'done: written: hello', ['hello']],
      [['--reject'], 'done: A person rejected this action; it was not done.', []],
      [['--reject', '--reason', 'not now'], 'it was not done. Reason: not now', []],
      [['--tool-input', file], 'written: from a file', ['from a file']],
      [['--approve', '--tool-input', file], 'written: from a file', ['from a file']],
    ]
    for (const [args, output, calls] of cases) {
      sink.calls.length = 0
      const id = await trigger()
      const { code, stdout, stderr } = await muster(['respond', id, ...args], options())
      assert.equal(code, 0, stderr)
      assert.equal(stdout, `${id} continues. Watch it: muster runs watch ${id}\n`)
      assert.ok((await app.rest(id)).output.includes(output), args.join(' '))
      assert.deepEqual(written(), calls)
    }
    wanted = [ask('Which town?')]
    const id = await trigger()
    const { stdout } = await muster(['respond', id, '--input', 'Ghent', '--json'], options())
    assert.deepEqual(json(stdout), { id, status: 'running' })
    assert.equal((await app.rest(id)).output, 'done: Ghent')
  })

  it('lets a run cost more, or ends it', async () => {
    const limits = { on_cost: 'ask', max_cost_usd: 0.000001 }
    const asking = await clerk.createWorkflow(undefined, { limits })
    const answers: [string[], string, string][] = [
      [['--max-cost-usd', '2.5'], 'continues. Watch it: muster runs watch', 'waiting_input'],
      [['--reject', '--reason', 'too dear'], 'has ended. See: muster runs show', 'failed'],
    ]
    for (const [args, words, status] of answers) {
      const { id, pending } = await app.run(asking)
      assert.equal(pending.kind, 'budget')
      const { code, stdout, stderr } = await muster(['respond', id, ...args], options())
      assert.deepEqual([code, stdout], [0, `${id} ${words} ${id}\n`], stderr)
      // After the budget is decided, the run waits for the approval of its action.
      const run = await app.rest(id)
      assert.deepEqual(
        [run.status, run.pending?.kind ?? null],
        [status, status === 'failed' ? null : 'approval'],
      )
    }
  })

  it('decides several calls: all at once, by a list, or one of them', async () => {
    wanted = [write('one', 'a'), write('two', 'b'), write('three', 'c')]
    const respond = async (id: string, ...args: string[]) => {
      const { code, stdout, stderr } = await muster(['respond', id, ...args], options())
      assert.equal(code, 0, stderr)
      return stdout
    }
    const all = await trigger()
    assert.match(await respond(all, '--approve', '--all'), /continues/)
    assert.equal((await app.rest(all)).status, 'completed')
    assert.equal(written().length, 3)
    const none = await trigger()
    await respond(none, '--reject', '--all', '--reason', 'not today')
    assert.equal((await app.rest(none)).output.match(/Reason: not today/g)?.length, 3)
    sink.calls.length = 0
    const some = await trigger()
    const { calls } = (await app.rest(some)).pending
    await respond(some, '--reject', '--pending', calls[1].id)
    const file = join(folder.path, 'decisions.json')
    const edit = { call_id: calls[2].call_id, action: 'approve', tool_input: { text: '3' } }
    await writeFile(file, JSON.stringify([edit]))
    await app.rest(some)
    await respond(some, '--decisions', file)
    const last = await app.rest(some)
    assert.deepEqual([written(), last.pending.id], [['3'], calls[0].id])
    await writeFile(file, JSON.stringify([{ call_id: calls[1].call_id, action: 'approve' }]))
    const late = await muster(['respond', some, '--decisions', file], options())
    assert.deepEqual([late.code, /Someone else has answered/.test(late.stderr)], [1, true])
    await writeFile(file, '{}')
    const wrong = await muster(['respond', some, '--decisions', file], options())
    assert.match(wrong.stderr, /--decisions holds no JSON array/)
    await respond(some, '--approve')
    await app.rest(some)
  })

  it('answers only the request that was looked at', async () => {
    wanted = [write('one'), write('two')]
    const id = await trigger()
    const { stdout } = await muster(['pending', '--json'], options())
    const [{ pending }] = json(stdout).filter((one: { run_id: string }) => one.run_id === id)
    const args = ['respond', id, '--approve', '--pending', pending.id]
    assert.equal((await muster(args, options())).code, 0)
    assert.equal((await app.rest(id)).pending.tool_input.text, 'two')
    const late = await muster(args, options())
    assert.equal(late.code, 1)
    assert.match(
      late.stderr,
      /Someone else has answered, or the request has expired; nothing was changed/,
    )
    assert.deepEqual(written(), ['one'])
    await muster(['runs', 'cancel', id], options())
    const over = await muster(['respond', id, '--reject'], options())
    assert.equal(over.code, 1)
    assert.match(over.stderr, /it is failed|is failed, not waiting_input/)
  })

  it('refuses what does not fit, and changes nothing', async () => {
    const id = await trigger()
    const list = join(folder.path, 'list.json')
    await writeFile(list, '[]')
    const wrong: [string[], RegExp][] = [
      [[], /no terminal to ask at; give --approve, --reject, --input, --tool-input, --max/],
      [['--json'], /no terminal to ask at/],
      [['--approve', '--reject'], /cannot be used with option/],
      [['--input', 'x', '--approve'], /cannot be used with option/],
      [['--approve', '--reason', 'x'], /--reason goes with --reject/],
      [['--max-cost-usd', 'much'], /--max-cost-usd is much, expected US dollars/],
      [['--max-cost-usd', '2'], /max_cost_usd goes with approve of a pending budget only/],
      [['--tool-input', list], /expected one JSON object/],
      [['--tool-input', '/nowhere'], /no such file/],
      [['--input', 'x'], /expected approve or reject for a pending approval/],
      [['--reject', '--reason', 'x'.repeat(2_001)], /reason/],
    ]
    for (const [args, message] of wrong) {
      const { code, stderr } = await muster(['respond', id, ...args], options())
      assert.equal(code, 2, args.join(' '))
      assert.match(stderr, message)
    }
    const bad = await muster(
      ['respond', id, '--tool-input', '-'],
      options({ stdin: '{"text": 1}' }),
    )
    assert.equal(bad.code, 2)
    assert.match(bad.stderr, /tool_input: text/)
    assert.equal((await app.rest(id)).status, 'waiting_input')
    assert.equal((await muster(['respond', 'run_none', '--approve'], options())).code, 5)
  })
})

describe('muster pending', () => {
  it('lists what waits, oldest first, over all pages', async () => {
    for (const run of json((await muster(['pending', '--json'], options())).stdout)) {
      await app.call('POST', `/v1/runs/${run.run_id}/cancel`)
    }
    const ids = [await trigger(), await trigger()]
    wanted = [ask('Which \u001b[31mtown\u0007?')]
    ids.push(await trigger())
    const { code, stdout } = await muster(['pending'], options())
    assert.equal(code, 0)
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`
    const rows = stdout.trim().split('\n')
    assert.match(rows[0] ?? '', /^RUN +WORKFLOW +ROLE +KIND +PROMPT +WAITING SINCE +EXPIRES$/)
    assert.deepEqual(
      rows.slice(1).map((row) => row.split(' ')[0]),
      ids,
    )
    assert.match(
      rows[1] ?? '',
      new RegExp(
        `Desk +clerk +approval +clerk asks to run sink.write \\(text: .*\\)\\. +${time} +${time}$`,
      ),
    )
    assert.match(rows[3] ?? '', /Desk +clerk +input +Which town\? /)
    const few = await muster(['pending', '--limit', '2', '--json'], options())
    assert.deepEqual(pluck(json(few.stdout), 'run_id'), ids.slice(0, 2))
  })
})

describe('muster respond, on a terminal', { skip }, () => {
  it('shows the arguments whole, with what is invisible in them, and approves', async () => {
    const text = `${'long '.repeat(400)}end\u001b[2K\u202e\u200b\u{e0041}`
    wanted = [write(text)]
    const id = await trigger()
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/\[a\]pprove, \[r\]eject, \[e\]dit, \[s\]kip\? /)
    const shown = shell.output.stdout.replaceAll('\r', '')
    assert.ok(
      shown.includes(
        `{\n  "text": "${'long '.repeat(400)}end\\u001b[2K\\u202e\\u200b\\udb40\\udc41"\n}\n`,
      ),
    )
    assert.match(shown, /^Approval of sink\.write {2}step 1 \(clerk\), since .*, until .* UTC$/m)
    assert.match(shown, /^│ clerk asks to run sink\.write \(text: (long ?)+…\)\.$/m)
    assert.deepEqual(written(), [])
    shell.type('a\n')
    const { code } = await shell.finished
    assert.equal(code, 0)
    await app.rest(id)
    assert.deepEqual(written(), [text])
  })

  it('goes on with its question after Ctrl-Z and fg', async () => {
    const id = await trigger()
    // With job control, the shell gets on with its next command once the first has stopped.
    const toLine = (line: string) => `bash -mc "${line}; fg"`
    const shell = startOnTerminal(['respond', id], { ...options(), toLine })
    await shell.until(/kip\? /)
    shell.type('\u001a')
    await shell.until(/kip\? [^]*respond[^]*kip\? /)
    shell.type('a\n')
    assert.equal((await shell.finished).code, 0, shell.output.stdout)
    assert.equal((await app.rest(id)).status, 'completed')
  })

  it('fits questions and lists to 40, 80 and 200 columns, without breaking a word', async () => {
    const text = 'the seal of the pump of line four was worn and has to be replaced soon'
    wanted = [write(text)]
    const id = await trigger()
    const wordsAt = async (columns: number, args: string[], until?: RegExp): Promise<string[]> => {
      const shell = startOnTerminal(args, { ...options({ env: { NO_COLOR: '1' } }), columns })
      if (until !== undefined) {
        await shell.until(until)
        shell.type('s\n')
      }
      const { stdout } = await shell.finished
      const lines = stdout.replaceAll('\r', '').split('\n')
      for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`)
      return lines.join(' ').split(/[\s│]+/)
    }
    for (const columns of [40, 80, 200]) {
      const asked = await wordsAt(columns, ['respond', id], /kip\? /)
      for (const word of text.split(' ')) assert.ok(asked.join(' ').includes(word), word)
      assert.ok(asked.includes(id) && asked.includes('keeps'))
      const listed = await wordsAt(columns, ['pending'])
      for (const word of [id, 'Desk', 'clerk', 'approval']) assert.ok(listed.includes(word), word)
    }
  })

  it('asks again until it understands, and passes the reason of a rejection on', async () => {
    const id = await trigger()
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/kip\? $/m)
    shell.type('what\n')
    await shell.until(/kip\? [^]*kip\? /)
    shell.type('reject\n')
    await shell.until(/Reason, for the agent/)
    shell.type('wrong town\n')
    assert.equal((await shell.finished).code, 0)
    assert.match((await app.rest(id)).output, /not done\. Reason: wrong town$/)
    assert.deepEqual(written(), [])
  })

  it('asks about each of several calls, and sends what was decided together', async () => {
    wanted = [write('one', 'a'), write('two', 'b'), ask('Which town?')]
    const id = await trigger()
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/1 of 3[^]*"text": "one"[^]*kip\? /)
    shell.type('a\n')
    await shell.until(/2 of 3[^]*"text": "two"[^]*kip\? /)
    shell.type('s\n')
    await shell.until(/3 of 3[^]*Which town\?[^]*skip\): /)
    assert.deepEqual(written(), [])
    shell.type('Ghent\n')
    assert.equal((await shell.finished).code, 0)
    const { pending, steps } = await app.rest(id)
    assert.deepEqual(written(), ['one'])
    assert.equal(pending.tool_input.text, 'two')
    assert.equal(steps[0].tool_calls[2].output, 'Ghent')
    await app.call('POST', `/v1/runs/${id}/cancel`)
  })

  it('asks for the total limit of the run', { skip }, async () => {
    const limits = { on_cost: 'ask', max_cost_usd: 0.000001 }
    const { id } = await app.run(await clerk.createWorkflow(undefined, { limits }))
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/limits\.max_cost_usd of 0\.000001 USD has no room[^]*kip\? $/m)
    shell.type('a\n')
    await shell.until(/total limit for the run, in USD: /)
    shell.type('none\n')
    await shell.until(/max_cost_usd is missing[^]*kip\? /)
    shell.type('a\n')
    await shell.until(/in USD: [^]*in USD: /)
    shell.type('2\n')
    assert.equal((await shell.finished).code, 0)
    assert.equal((await app.rest(id)).pending.kind, 'approval')
  })

  it('takes arguments from an editor, shows them, and asks again when they do not fit', async () => {
    const id = await trigger()
    const editor = join(folder.path, 'editor.sh')
    const edits = join(folder.path, 'edits')
    // Each start of the editor uses up the next line of `edits`.
    await writeFile(editor, `head -1 '${edits}' > "$1"; sed -i 1d '${edits}'`)
    await writeFile(edits, 'no json\n{"text": 5}\n{"text": "changed"}\n')
    const env = { EDITOR: `sh ${editor}` }
    const shell = startOnTerminal(['respond', id], options({ env }))
    await shell.until(/kip\? /)
    shell.type('e\n')
    await shell.until(/Cannot read the arguments: [^]*kip\? /)
    shell.type('e\n')
    await shell.until(/Changed to\r\n\{\r\n {2}"text": 5\r\n\}[^]*kip\? /)
    shell.type('a\n')
    await shell.until(/tool_input: text[^]*kip\? /)
    shell.type('e\n')
    await shell.until(/"text": "changed"[^]*kip\? /)
    shell.type('a\n')
    assert.equal((await shell.finished).code, 0)
    const run = await app.rest(id)
    assert.deepEqual(written(), ['changed'])
    assert.equal(run.steps[0].tool_calls[0].decision, 'edited')
  })

  it('opens the editor of the environment alone, without a shell', async () => {
    await using stranger = await makeFolder()
    const marker = join(stranger.path, 'marker')
    await writeFile(join(stranger.path, '.env'), `VISUAL="touch ${marker}"\n`)
    const id = await trigger()
    const env = { EDITOR: `no-such-editor || touch ${marker}` }
    const shell = startOnTerminal(['respond', id], options({ env, cwd: stranger.path }))
    await shell.until(/kip\? /)
    shell.type('e\n')
    await shell.until(/Cannot open the editor \(no-such-editor [^]*ENOENT[^]*kip\? /)
    shell.type('s\n')
    assert.equal((await shell.finished).code, 4)
    assert.equal(existsSync(marker), false)
  })

  it('leaves the run as it is on skip, on Ctrl-D and on Ctrl-C', async () => {
    const id = await trigger()
    for (const [keys, expected] of [
      ['s\n', 4],
      ['\u0004', 4],
      ['\u0003', 130],
    ] as const) {
      const shell = startOnTerminal(['respond', id], options())
      await shell.until(/kip\? /)
      shell.type(keys)
      assert.equal((await shell.finished).code, expected)
    }
    assert.equal((await app.rest(id)).status, 'waiting_input')
  })

  it('says so when somebody else was faster', async () => {
    const id = await trigger()
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/kip\? /)
    await app.call('POST', `/v1/runs/${id}/respond`, { body: { action: 'reject' } })
    await app.rest(id)
    shell.type('a\n')
    const { code, stdout } = await shell.finished
    assert.equal(code, 1)
    assert.match(stdout, /Someone else has answered/)
    assert.deepEqual(written(), [])
  })

  it('offers no edit where a call may have been made already', async () => {
    sink.onCall = (response) => response.destroy()
    const id = await trigger()
    await app.call('POST', `/v1/runs/${id}/respond`, { body: { action: 'approve' } })
    assert.equal((await app.rest(id)).steps[0].tool_calls[0].status, 'unknown')
    sink.onCall = undefined
    const shell = startOnTerminal(['respond', id], options())
    await shell.until(/│ It is unknown whether sink\.write \(.*\) was done[^]*eject, \[s\]kip\? /)
    assert.doesNotMatch(shell.output.stdout, /edit/)
    shell.type('a\n')
    assert.equal((await shell.finished).code, 0)
    assert.equal((await app.rest(id)).status, 'completed')
    assert.deepEqual(written(), ['hello', 'hello'])
  })
})

describe('muster run and runs watch, where a human is asked', () => {
  it('withdraw the question when it is answered elsewhere, and follow on', { skip }, async () => {
    const shell = startOnTerminal(['run', 'Desk', '--input', 'go'], options())
    await shell.until(/kip\? /)
    const waiting = (await app.get('/v1/pending')).at(-1)
    await app.post(`/v1/runs/${waiting.run_id}/respond`, { action: 'approve' })
    const { code, stdout } = await shell.finished
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Someone else has answered, or the request has expired/)
    assert.match(stdout, /completed {2}/)
    assert.deepEqual(written(), ['hello'])
  })

  it('end with 4 without a terminal, and say how to answer', async () => {
    const { code, stdout, stderr } = await muster(['run', 'Desk', '--input', 'go'], options())
    assert.deepEqual([code, stdout], [4, ''])
    const id = /^Answer it: muster respond (run_\w+)$/m.exec(stderr)?.[1] as string
    const watched = await muster(['runs', 'watch', id], options())
    assert.equal(watched.code, 4)
    assert.match(watched.stderr, new RegExp(`^Answer it: muster respond ${id}$`, 'm'))
    const machine = await muster(['run', 'Desk', '--input', 'go', '--json'], options())
    assert.equal(machine.code, 4)
    assert.equal(json(machine.stdout).pending.kind, 'approval')
    assert.equal(machine.stderr, '')
  })

  it('ask on a terminal about all calls of a pause, and go on to the end', { skip }, async () => {
    wanted = [write('one'), ask('Which town?')]
    for (const TERM of ['dumb', 'xterm-256color']) {
      sink.calls.length = 0
      const env = { TERM, NO_COLOR: '1' }
      const shell = startOnTerminal(['run', 'Desk', '--input', 'go'], options({ env }))
      await shell.until(/"text": "one"[^]*kip\? /)
      shell.type('a\n')
      await shell.until(/│ Which town\?[^]*Answer \(nothing to skip\): /)
      shell.type('Ghent\n')
      const { code, stdout } = await shell.finished
      assert.equal(code, 0)
      assert.match(stdout, /✔ clerk [^]*done: written: one \| Ghent/)
      assert.equal(stdout.split('resumed').length, 2)
      assert.deepEqual(written(), ['one'])
    }
  })

  it('go on when somebody else answers first; a skip ends with 4', { skip }, async () => {
    const id = await trigger()
    const shell = startOnTerminal(['runs', 'watch', id], options())
    await shell.until(/kip\? /)
    await app.call('POST', `/v1/runs/${id}/respond`, { body: { action: 'approve' } })
    const { code, stdout } = await shell.finished
    assert.equal(code, 0)
    assert.match(stdout, /Someone else has answered[^]*completed/)

    const skipped = startOnTerminal(['runs', 'watch', await trigger()], options())
    await skipped.until(/kip\? /)
    skipped.type('s\n')
    assert.equal((await skipped.finished).code, 4)
    assert.match(skipped.output.stdout, /Answer it: muster respond run_/)
  })
})
