import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../../rig/loopback.ts'
import { startOidcProvider } from '../../../rig/oidc-provider.ts'
import { makeScratchFolder } from '../../../rig/scratch-folder.ts'
import { complete } from '../../../test/test-app.ts'
import { makeWorld, password, refundScript, startService, type World } from '../world.ts'
import type { OtherBrowser } from './browser.ts'
import { firefoxLacks, startFirefox } from './firefox.ts'
import { editor, enter, handsAt, type Hands } from './hands.ts'
import { startWebkit, webkitLacks } from './webkit.ts'

for (const [name, lacks, start] of [
  ['Firefox', firefoxLacks, startFirefox],
  ['WebKit', webkitLacks, startWebkit],
] as const) {
  // Skipped with the name of what is missing.
  describe(`in ${name}, a person`, { skip: lacks ?? false }, () => {
    const stack = new AsyncDisposableStack()
    let browser: OtherBrowser
    let hands: Hands
    let world: World
    let folder: string

    before(async () => {
      folder = stack.use(await makeScratchFolder()).path
      world = await makeWorld(stack.use(await startService()))
      browser = stack.use(await start())
      hands = handsAt(browser)
    })
    after(() => stack.disposeAsync())

    const open = (path: string) => browser.open(new URL(path, world.app.url).href)
    const signIn = async () => {
      await hands.type('Email', 'ada@example.com')
      await hands.type('Password', password)
      await hands.keys(enter)
    }
    const choose = async (file: string, content: string) => {
      const path = join(folder, file)
      await writeFile(path, content)
      await browser.chooseFile(path)
    }
    let workflowId = ''

    it('becomes the first admin', async () => {
      await browser.open(world.app.setupLink ?? '')
      await hands.type('Email', 'ada@example.com')
      await hands.type('Your name', 'Ada')
      await hands.type('Password', password)
      await hands.press('Create admin account')
      await hands.sees('Ada · admin', 'button')
    })

    it('makes a workflow', async () => {
      await open('/workflows/new')
      await hands.type('Name', 'Digest')
      await hands.press(/^2 ?writer/)
      await hands.type('Instructions', 'You write the digest.', editor)
      await hands.press('Create workflow')
      await hands.sees('Digest', 'h1')
      const [made] = await world.muster.workflows.list()
      assert.equal(made?.crew[1]?.systemPrompt, 'You write the digest.')
      workflowId = made?.id ?? ''
    })

    it('watches a run until its end', async () => {
      const released = Promise.withResolvers<void>()
      world.scripts.set('You write the digest.', (_request, response) => {
        void released.promise.then(() => complete(response, 'A quiet week it was.'))
      })
      await open(`/workflows/${workflowId}`)
      await hands.type('The text that the crew works on', 'Nothing happened.')
      await hands.press('Run and watch')
      await hands.sees('Running')
      released.resolve()
      await hands.sees('Completed')
      await hands.sees('A quiet week it was.')
    })

    it('edits what an agent wants to do, and approves it', async () => {
      const started = await world.start(refundScript)
      const { pending } = await started.rests()
      await open(`/inbox/${pending?.id}`)
      await hands.sees('Refund')
      await hands.keys('e')
      await hands.type('amount', '12')
      await hands.press('Approve with changes')
      await hands.sees('You approved this')
      assert.equal((await started.result()).call?.input?.['amount'], 12)
    })

    it('uploads a file, which goes with a run', async () => {
      await open(`/workflows/${workflowId}`)
      await hands.sees('Add files')
      await choose('notes.md', '# Notes')
      await hands.sees('Markdown')
      await hands.type('The text that the crew works on', 'Read the notes.')
      await hands.press('Run and watch')
      await hands.sees('Output', 'h2')
      await hands.sees('notes.md')
      const [run] = await world.muster.runs.list(workflowId)
      const { files } = await world.muster.runs.retrieve(run?.id ?? '')
      assert.deepEqual(
        files.inputs.map((file) => file.name),
        ['notes.md'],
      )
    })

    it('creates a schedule', async () => {
      await open('/schedules')
      await hands.press('New schedule')
      await hands.choose('Workflow', 'Digest')
      await hands.choose('Repeats', 'Every week')
      await hands.choose('Day', 'Friday')
      await hands.type('Task', 'Sum up the week.')
      await hands.press('Create schedule')
      await hands.sees('Digest', 'h1')
      const [schedule] = await world.muster.schedules.list()
      assert.match(schedule?.cron ?? '', / 5$/)
      assert.equal(schedule?.input, 'Sum up the week.')
    })

    it('starts a batch from a table', async () => {
      await open('/batches')
      await hands.press('New batch')
      await hands.choose('Workflow', 'Digest')
      await choose('people.csv', 'id,name\nfirst,Ada\nsecond,Grace\n')
      await hands.sees('Each line becomes a run')
      await hands.type(/^Key column/, 'id')
      await hands.press('Start batch')
      await hands.sees('second')
      await hands.sees('Completed')
      const [batch] = await world.muster.batches.list()
      assert.equal(batch?.total, 2)
    })

    it('drafts a version and publishes it', async () => {
      await open(`/workflows/${workflowId}`)
      await hands.press(/^2 ?writer/)
      await hands.type('Instructions', 'You write it short.', editor)
      await hands.press('Save draft')
      await hands.sees('Version 2', 'h2')
      await hands.press('Publish')
      await hands.press('Publish version 2')
      await hands.sees('Version 1 Earlier', 'li')
      const stored = await world.muster.workflows.retrieve(workflowId)
      assert.equal(stored.version, 2)
      assert.equal(stored.crew[1]?.systemPrompt, 'You write it short.')
    })

    it('signs out, and in again', async () => {
      const leave = async () => {
        await hands.press(/Ada · admin$/)
        await hands.press('Sign out')
        await hands.sees('Sign in', 'h1')
      }
      await leave()
      await signIn()
      await leave()
    })

    it('signs in through the provider of the organisation', async () => {
      const port = await freePort()
      const publicUrl = `http://127.0.0.1:${port}`
      await using provider = await startOidcProvider(`${publicUrl}/v1/session/oidc/callback`)
      const email = 'carla@example.com'
      provider.user = { sub: 's-1', email, email_verified: true, name: 'Carla' }
      await using _api = await world.app.startAnother('api', {
        PORT: String(port),
        MUSTER_PUBLIC_URL: publicUrl,
        MUSTER_OIDC_ISSUER: provider.issuer,
        MUSTER_OIDC_CLIENT_ID: provider.clientId,
        MUSTER_OIDC_CLIENT_SECRET: provider.clientSecret,
        MUSTER_OIDC_DEFAULT_ROLE: 'viewer',
        MUSTER_OIDC_ALLOWED_DOMAINS: 'example.com',
      })
      await browser.open(`${publicUrl}/runs`)
      await hands.press('Sign in with your organisation')
      await hands.sees('Runs', 'h1')
      await hands.sees('Carla · viewer', 'button')
      await browser.open('about:blank')
    })
  })
}
