import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { startTestApp } from '../../test/test-app.ts'
import { safeName } from '../save-file.ts'
import { json, makeFolder, muster, startMuster, type Finished } from '../test-cli.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

describe('muster files', () => {
  let folder: string
  const run = (args: string[], stdin?: string): Promise<Finished> => {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    return muster(args, { env, cwd: folder, ...(stdin === undefined ? {} : { stdin }) })
  }

  const app = fixture(() => startTestApp())
  const made = fixture(() => makeFolder())
  prepare(async () => {
    folder = made.path
    await writeFile(join(folder, 'notes.md'), '# Notes\n')
    await writeFile(join(folder, 'table.csv'), 'a,b\n1,2\n')
  })

  it('go up, are listed and shown, come down byte for byte, and go', async () => {
    const sent = json((await run(['files', 'upload', 'notes.md', 'table.csv', '--json'])).stdout)
    assert.deepEqual(pluck(sent, 'name', 'media_type'), [
      ['notes.md', 'text/markdown'],
      ['table.csv', 'text/csv'],
    ])
    const piped = await run(['files', 'upload', '-', '--name', 'a.json', '--json'], '{"a":1}')
    assert.equal(json(piped.stdout)[0].media_type, 'application/json')
    const list = await run(['files', 'list'])
    assert.match(list.stdout, /ID +NAME +MEDIA TYPE +SIZE[^]*a\.json[^]*notes\.md .* 8 B/)
    const [{ id }] = sent
    assert.match((await run(['files', 'show', id])).stdout, /text +8 characters/)
    const saved = await run(['files', 'download', id, '--out', 'copy.md'])
    assert.equal(saved.stdout, `Saved ${join(folder, 'copy.md')} (8 B).\n`)
    assert.equal(await readFile(join(folder, 'copy.md'), 'utf8'), '# Notes\n')
    assert.equal((await run(['files', 'download', id, '--out', '-'])).stdout, '# Notes\n')
    assert.equal((await run(['files', 'delete', id])).stdout, `Deleted ${id}.\n`)
    assert.equal((await run(['files', 'show', id])).code, 5)
  })

  it('are named as far as they went up before one could not', async () => {
    const { code, stdout, stderr } = await run(['files', 'upload', 'notes.md', 'none.md', '--json'])
    assert.equal(code, 2)
    assert.match(stderr, /none\.md/)
    const [sent, ...more] = json(stdout)
    assert.deepEqual([sent.name, more], ['notes.md', []])
    assert.equal((await run(['files', 'delete', sent.id])).code, 0)
  })

  it('replace nothing without a word, and follow no link', async () => {
    const [{ id }] = json((await run(['files', 'upload', 'notes.md', '--json'])).stdout)
    await writeFile(join(folder, 'mine.md'), 'mine')
    await symlink(join(folder, 'elsewhere.md'), join(folder, 'link.md'))
    for (const name of ['mine.md', 'link.md']) {
      const refused = await run(['files', 'download', id, '--out', name])
      assert.equal(refused.code, 2)
      assert.match(refused.stderr, /already exists; choose another with --out, or .*--force/)
    }
    assert.equal(await readFile(join(folder, 'mine.md'), 'utf8'), 'mine')
    assert.equal((await run(['files', 'download', id, '--out', 'link.md', '--force'])).code, 0)
    assert.equal(await readFile(join(folder, 'link.md'), 'utf8'), '# Notes\n')
    const names = await readdir(folder)
    assert.ok(!names.some((name) => name === 'elsewhere.md' || name.startsWith('.muster-')))
  })

  it('are given to a run, which shows them', async () => {
    await app.call('POST', '/v1/workflows', { body: { name: 'Reader' } })
    const [{ id }] = json((await run(['files', 'upload', 'table.csv', '--json'])).stdout)
    const attach = ['--attach', 'notes.md', '--attach', id]
    const started = await run(['run', 'Reader', '--input', 'Read.', ...attach, '--no-wait'])
    assert.equal(started.code, 0, started.stderr)
    assert.match(started.stderr, /Uploaded notes\.md \(8 B\) as file_/)
    const shown = await run(['runs', 'show', started.stdout.trim()])
    assert.match(shown.stdout, /given +notes\.md {2}file_\w{26} {2}text\/markdown, 8 B\ntable\.csv/)
    assert.match((await run(['runs', 'files', started.stdout.trim()])).stdout, /^ID +NAME/)
    const wrong = await run(['run', 'Reader', '--input', 'Read.', '--attach', 'absent.md'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /Cannot read absent\.md: no such file/)
  })
})

describe('files of a run, whatever a service calls them', () => {
  const sha256 = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'

  async function saveFrom(names: string[], content = 'foo', args: string[] = []) {
    const file = (name: string, index: number) => {
      const known = { media_type: 'text/plain', bytes: 3, sha256, deleted: false }
      return { id: `file_${index}`, name, ...known }
    }
    const files = names.map(file)
    await using server = await startScriptedServer((response) => {
      const [, id, rest] = /\/v1\/files\/file_(\d+)(.*)/.exec(response.req.url ?? '') ?? []
      if (id === undefined) return send(response, { data: { files: { outputs: files } } })
      if (rest === '/content') return void response.end(content)
      send(response, { data: files[Number(id)] })
    })
    await using made = await makeFolder()
    const folder = made.path
    await mkdir(join(folder, 'inner'))
    const env = { MUSTER_URL: server.url, MUSTER_API_KEY: 'mst_x' }
    const all = ['runs', 'files', 'run_1', '--out', 'inner/out', ...args]
    const ended = await muster(all, { env, cwd: folder })
    const saved = await readdir(join(folder, 'inner', 'out'))
    return { ...ended, saved: saved.sort(), around: await readdir(join(folder, 'inner')) }
  }

  it('stay in their folder, each under a name of its own', async () => {
    const names = ['../../evil', '/etc/passwd', 'C:\\x\\a.txt', '..', 'A.TXT', 'a.txt', '.bashrc']
    const { code, stderr, saved, around } = await saveFrom([...names, 'con.txt', 'b\u202Etxt.exe'])
    assert.equal(code, 0, stderr)
    const expected = ['A (2).TXT', '_con.txt', 'a (3).txt', 'a.txt', 'b_txt.exe', 'bashrc']
    assert.deepEqual(saved, [...expected, 'evil', 'file', 'passwd'].sort())
    assert.deepEqual(around, ['out'])
  })

  it('are not kept where they arrive damaged', async () => {
    const { code, stderr, saved } = await saveFrom(['a.txt'], 'bar')
    assert.equal(code, 1)
    assert.match(stderr, /what arrived is not what was stored/)
    assert.deepEqual(saved, [])
  })

  it('are under their name once they are whole, and never over what came meanwhile', async () => {
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>()
    await using server = await startScriptedServer((response) => {
      if (response.req.url?.endsWith('/content') !== true) {
        const file = { id: 'file_1', name: 'a.txt', media_type: 'text/plain', bytes: 3, sha256 }
        return send(response, { data: file })
      }
      response.write('fo')
      ask()
      void rest.then(() => response.end('o'))
    })
    await using made = await makeFolder()
    const env = { MUSTER_URL: server.url, MUSTER_API_KEY: 'mst_x' }
    const { finished } = startMuster(['files', 'download', 'file_1'], { env, cwd: made.path })
    await isAsked
    const visible = async () => (await readdir(made.path)).filter((name) => !name.startsWith('.'))
    assert.deepEqual(await visible(), [])
    await writeFile(join(made.path, 'a.txt'), 'mine')
    goOn()
    const { code, stderr } = await finished
    assert.deepEqual([code, /already exists/.test(stderr)], [2, true])
    assert.equal(await readFile(join(made.path, 'a.txt'), 'utf8'), 'mine')
    assert.deepEqual(await readdir(made.path), ['a.txt'])
  })

  it('have names that a file system takes', () => {
    for (const name of ['東'.repeat(200) + '.md', 'x'.repeat(5_000), '🙂'.repeat(200)]) {
      assert.ok(Buffer.byteLength(safeName(name)) <= 255)
      assert.ok(safeName(name).isWellFormed())
    }
    assert.ok(safeName('東'.repeat(200) + '.md').endsWith('東.md'))
  })
})
