import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { createAccount } from '../../server/accounts/create-account.ts'
import { makePdf } from '../../server/files/test-files.ts'
import { isTitled, setScene } from './scene.ts'

const { it } = setScene()

interface Given {
  name: string
  content: string | Buffer
}

/** Drops or pastes files onto the page, optionally together with a text. */
async function bring(page: Page, how: 'drop' | 'paste', files: Given[], text?: string) {
  const given = files.map(({ name, content }) => ({
    name,
    base64: Buffer.from(content).toString('base64'),
  }))
  await page.evaluate(`(${bringing})(${JSON.stringify({ how, given, text })})`)
}

/** This source runs in the page. */
const bringing = `({ how, given, text }) => {
  const carried = new DataTransfer()
  for (const { name, base64, size } of given) {
    const bytes = size ? new Uint8Array(size) : Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
    carried.items.add(new File([bytes], name))
  }
  if (text !== undefined) carried.items.add(text, 'text/plain')
  const init = { bubbles: true, cancelable: true }
  if (how === 'paste') {
    const event = new ClipboardEvent('paste', { ...init, composed: true, clipboardData: carried })
    const { activeElement } = document
    return void (activeElement.shadowRoot?.activeElement ?? activeElement).dispatchEvent(event)
  }
  for (const type of ['dragenter', 'dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { ...init, dataTransfer: carried }))
}`

/** An image that browsers show: one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const listIn = (page: Page) => page.getByRole('list', { name: 'Files that go with the run' })
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

const crew = [{ role: 'writer', systemPrompt: 'Write.' }]

describe('files of a run', () => {
  it('are dropped, pasted and chosen, refused in words, taken away, and go with the run', async (given) => {
    const { page, person, muster } = given
    const { id } = await muster.workflows.create({ name: 'With files', crew })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: 'Add files' }).waitFor()

    await bring(page, 'drop', [
      { name: 'report.pdf', content: await makePdf(['The pump failed.', 'A seal was worn.']) },
      { name: 'scan.pdf', content: await makePdf(['']) },
      { name: 'letter.docx', content: Buffer.from('504b030414000600', 'hex') },
      { name: 'rows.csv', content: 'a,b\n1,2\n' },
    ])
    await rowOf(page, 'report.pdf').getByText('2 pages').waitFor()
    await rowOf(page, 'scan.pdf').getByText('No text in it, as in a scan').waitFor()
    await rowOf(page, 'letter.docx')
      .getByText('Not added. The file is a damaged ZIP archive')
      .waitFor()
    await rowOf(page, 'rows.csv').getByText('CSV · 8 bytes').waitFor()

    // A pasted picture becomes a file; a paste from a spreadsheet, which has a picture beside its
    // text, stays text.
    await page.getByText('Files need a text or data').waitFor()
    const field = page.getByLabel('Input', { exact: true })
    await field.fill('Read what is here.')
    await bring(page, 'paste', [{ name: 'image.png', content: pixel }])
    await rowOf(page, 'image.png').getByText('1 × 1 pixels').waitFor()
    await field.focus()
    await bring(page, 'paste', [{ name: 'table.png', content: pixel }], 'a\tb')
    await page.locator('summary', { hasText: 'Input data' }).click()
    const editor = person.editor('Input data')
    await editor.focus()
    await bring(page, 'paste', [{ name: 'table.png', content: pixel }], '{}')
    await editor.fill('')
    await page.locator('summary', { hasText: 'Input data' }).click()

    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add files' }).focus()
    await page.keyboard.press('Enter')
    await (
      await choosing
    ).setFiles([{ name: 'notes.md', mimeType: '', buffer: Buffer.from('# Notes') }])
    await rowOf(page, 'notes.md').getByText('Markdown').waitFor()
    assert.equal(await rowOf(page, 'table.png').count(), 0)
    await person.findsItAccessible()

    await person.press('Dismiss letter.docx')
    await page.getByRole('button', { name: 'Remove scan.pdf' }).focus()
    await page.keyboard.press('Enter')
    await rowOf(page, 'scan.pdf').waitFor({ state: 'detached' })
    // The uploaded files survive a reload.
    await page.reload()
    await rowOf(page, 'image.png').waitFor()

    await person.press('Earlier files')
    await page.getByRole('checkbox', { name: 'scan.pdf' }).check()
    await page.getByRole('checkbox', { name: 'rows.csv' }).uncheck()
    await person.findsItAccessible()
    await person.press('Done')
    assert.equal(await listIn(page).getByRole('listitem').count(), 4)

    await person.press('Run and watch')
    const inputs = page.getByRole('list', { name: 'Input files' })
    await inputs.getByText('report.pdf').waitFor()
    const [run] = await muster.runs.list(id)
    const { files } = await muster.runs.retrieve(run?.id ?? '')
    assert.deepEqual(
      files.inputs.map(({ name }) => name),
      ['report.pdf', 'image.png', 'notes.md', 'scan.pdf'],
    )
    const saved = await person.download('Download notes.md')
    assert.deepEqual(saved, { name: 'notes.md', text: '# Notes' })
    await inputs.getByRole('link', { name: 'image.png' }).click()
    await page.getByRole('img', { name: 'image.png' }).waitFor()
    await page.goBack()
    await inputs.waitFor()
    await person.findsItAccessible()
  })

  it('are sent again after the line broke, and a folder gets true words', async (given) => {
    const { page, person, muster } = given
    const { id } = await muster.workflows.create({ name: 'On a bad line', crew })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: 'Add files' }).waitFor()
    await page.route('**/v1/files*', (route) => route.abort())
    await bring(page, 'drop', [{ name: 'log.md', content: '# Monday' }])
    await rowOf(page, 'log.md').getByText('Not added.').waitFor()
    await page.unroute('**/v1/files*')
    await page.getByRole('button', { name: 'Try again: log.md' }).focus()
    await page.keyboard.press('Enter')
    await rowOf(page, 'log.md').getByText('Markdown').waitFor()
    assert.equal((await muster.files.list()).filter(({ name }) => name === 'log.md').length, 1)

    await page.evaluate(`DataTransferItem.prototype.webkitGetAsEntry = function () {
      const { name } = this.getAsFile()
      return { name, isDirectory: name === 'invoices' }
    }`)
    await bring(page, 'drop', [
      { name: 'invoices', content: '' },
      { name: 'more.md', content: '# Tuesday' },
    ])
    await rowOf(page, 'invoices').getByText('Not added. It is a folder: open it').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Try again/ }).count(), 0)
    await rowOf(page, 'more.md').getByText('Markdown').waitFor()
    await person.findsItAccessible()
  })

  it('do not take the console away when they are dropped where none is expected', async ({
    page,
  }) => {
    await page.goto('/agents')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const prevented = await page.evaluate(`(() => {
      const carried = new DataTransfer()
      carried.items.add(new File(['x'], 'x.pdf'))
      return ['dragover', 'drop'].map((type) => !document.querySelector('h1').dispatchEvent(
        new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: carried }),
      ))
    })()`)
    assert.deepEqual(prevented, [true, true])
  })

  it('are twenty at most, each of up to 32 MB', async ({ muster, join }) => {
    const { id } = await muster.workflows.create({ name: 'Many files', crew })
    // Here uploads are authorised by the cookie of a session.
    const person = await join('ada', 'member')
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: 'Add files' }).waitFor()
    const many = Array.from({ length: 22 }, (_, place) => ({
      name: `${place}.txt`,
      content: `${place}`,
    }))
    await bring(page, 'drop', many)
    await page.getByText('A run takes up to 20 files; 2 files left out').waitFor()
    await page.getByText('20 of up to 20').waitFor()
    const first = await listIn(page).getByRole('listitem').first().innerText()
    assert.match(first, /^0\.txt/)
    await person.press('Remove 0.txt')
    const large = { how: 'drop', given: [{ name: 'large.bin', size: 33 * 1024 * 1024 }] }
    await page.evaluate(`(${bringing})(${JSON.stringify(large)})`)
    await rowOf(page, 'large.bin').getByText('It has 33 MB, at most 32 MB').waitFor()
  })

  it('appear while an agent writes them', async (given) => {
    const { page, person, muster, start, app } = given
    const script = 'write {"name": "prices.csv", "content": "part,price\\nseal,12\\n"}'
    const wrote = await start(script, { name: 'Wrote', capabilities: ['files.write'] })
    const { runId } = await start('hang', { name: 'Writes' })
    await page.goto(`/runs/${wrote.runId}`)
    await page.getByRole('link', { name: 'prices.csv' }).click()
    await page.getByText('seal,12').waitFor()
    await page.goto(`/runs/${runId}`)
    await page.getByText('Running', { exact: true }).waitFor()
    const { id, name, media_type, bytes } = await muster.files.upload('# Done', {
      name: 'result.md',
    })
    const { id: account_id } = await muster.account.retrieve()
    const row = { account_id, run_id: runId, direction: 'output' as const, position: 0 }
    await app.database
      .insertInto('run_files')
      .values({ ...row, file_id: id, step_position: 1, name, media_type, bytes })
      .execute()
    const written = page.getByRole('list', { name: 'Output files' })
    await written.getByText('result.md').waitFor()

    await written.getByRole('link', { name: 'result.md' }).click()
    await page.getByText('# Done').waitFor()
    await person.press('Delete')
    await person.press('Delete it')
    await page.getByRole('alert').getByText(`run ${runId} uses it and has not ended`).waitFor()
    await muster.runs.cancel(runId)
    await person.press('Delete it')
    await page.getByRole('heading', { name: 'Files', exact: true }).waitFor()
    assert.equal(await rowOf(page, 'result.md').count(), 0)
    await page.goto(`/runs/${runId}`)
    await written.getByText('deleted').waitFor()
    assert.equal(await written.getByRole('link').count(), 0)
  })
})

describe('a file that is opened', () => {
  it('runs nothing, shows its text or picture, and leaves a PDF to the download', async (given) => {
    const { muster, join } = given
    const hostile = '<script>document.title = "run"</script><img src=x onerror=alert(1)>'
    const html = await muster.files.upload(hostile, { name: 'page.html' })
    const pdf = await muster.files.upload(await makePdf(['one']), { name: 'one.pdf' })
    const long = await muster.files.upload('line of text\n'.repeat(50_000), { name: 'long.txt' })
    // A browser sends the cookie with every request to the service, navigations included.
    const person = await join('eva', 'member')
    const { page } = person
    await page.goto(`/files/${html.id}`)
    await page.getByText(hostile).waitFor()
    await isTitled(page, /^page\.html · Muster$/)
    await page.goto(`/files/${pdf.id}`)
    await page.getByText('Download it to read it').waitFor()
    assert.equal(await page.locator('iframe, object, embed').count(), 0)
    await page.goto(`/files/${long.id}`)
    await page.getByText('This is its beginning').waitFor()
    // Opening the address of the bytes saves a file and never shows a page.
    const saving = page.waitForEvent('download')
    const address = JSON.stringify(`/v1/files/${html.id}/content`)
    await page.evaluate(`Object.assign(document.createElement('a'), { href: ${address} }).click()`)
    await (await saving).cancel()
    await person.findsItAccessible()
  })

  it('is not found in another account', async ({ muster, app, sit }) => {
    const { id } = await muster.files.upload('secret', { name: 'secret.txt' })
    const { adminKey } = await createAccount(app.database, 'another')
    const { page } = await sit({ key: adminKey })
    await page.goto(`/files/${id}`)
    await page.getByText('Page not found').waitFor()
    await page.goto('/files')
    await page.getByText('No files yet').waitFor()
  })

  it('is uploaded, read and deleted on a phone', { isPhone: true }, async ({ page, person }) => {
    await page.goto('/files')
    const name = `${'a-very-long-name-'.repeat(10)}.txt`
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload files' }).tap()
    await (
      await choosing
    ).setFiles([
      { name, mimeType: '', buffer: Buffer.from('short') },
      { name: 'empty.txt', mimeType: '', buffer: Buffer.alloc(0) },
    ])
    await page.getByText('Not added. The file is empty').waitFor()
    await page.getByRole('button', { name: 'Dismiss empty.txt' }).tap()
    await person.fitsWindow()
    await page.getByRole('link', { name }).tap()
    await page.getByText('short', { exact: true }).waitFor()
    await person.fitsWindow()
    await page.getByRole('button', { name: 'Delete' }).tap()
    await page.getByRole('button', { name: 'Delete it' }).tap()
    await page.getByRole('button', { name: 'Upload files' }).waitFor()
    await page.getByRole('link', { name }).waitFor({ state: 'detached' })
    await person.findsItAccessible()
  })
})
