import { Muster, MusterError, verifyWebhook } from '@muster-run/sdk'

/**
 * What each platform must be able to do with the packed SDK: web standards only, so that the same
 * file runs in Node and in a browser. Rejects with the error.
 */
export interface Exercise {
  baseUrl: string
  apiKey: string
  /** An address that redirects to the service. */
  redirectUrl: string
}

export async function exercise({ baseUrl, apiKey, redirectUrl }: Exercise): Promise<string[]> {
  const done: string[] = []
  const check = (what: string, isTrue: boolean): void => {
    if (!isTrue) throw new Error(`Failed: ${what}`)
    done.push(what)
  }
  const muster = new Muster({ baseUrl, apiKey })
  const workflow = await muster.workflows.create({ name: 'Exercise' })
  const run = await muster.runs.create(workflow.id, { input: 'Pumps fail. Seals wear.' })
  const types: string[] = []
  for await (const event of muster.runs.stream(run.id)) types.push(event.type)
  check('trigger and stream', types[0] === 'run.queued' && types.at(-1) === 'run.completed')
  check('wait', (await muster.runs.wait(run.id)).status === 'completed')

  const text = 'month,pumps\nMay,12\n'
  const bytes = new TextEncoder().encode(text)
  const sent = [
    await muster.files.upload(new Blob([bytes], { type: 'text/csv' }), { name: 'pumps.csv' }),
    await muster.files.upload(bytes, { name: 'ümläut.csv' }),
  ]
  const [file] = sent
  check('upload', file?.media_type === 'text/csv' && sent[1]?.name === 'ümläut.csv')
  const listed: string[] = []
  for await (const one of await muster.files.list({ limit: 1 })) listed.push(one.id)
  check(
    'list files',
    sent.every(({ id }) => listed.includes(id)),
  )
  const id = file?.id ?? ''
  const whole = await muster.files.content(id)
  check('download', (await whole.text()) === text)
  const part = await muster.files.content(id, { range: { start: 6, end: 11 } })
  check('download a range', part.status === 206 && (await part.text()) === 'pumps')
  const again = await muster.runs.create(workflow.id, { input: 'Again.', files: [id] })
  const { files } = await muster.runs.wait(again.id)
  check('trigger with files', files.inputs[0]?.name === 'pumps.csv')
  for (const { id: one } of sent) await muster.files.delete(one)
  check('delete files', (await failureOf(muster.files.content(id))).code === 'not_found')

  let count = 0
  for await (const one of await muster.runs.list(workflow.id, { limit: 1 })) count += one.id ? 1 : 0
  check('pages by the Link header', count === 2)

  const refused = await failureOf(new Muster({ baseUrl, apiKey: 'mst_x' }).account.retrieve())
  check('errors', refused.status === 401 && refused.code === 'invalid_api_key')

  const redirecting = new Muster({ baseUrl: redirectUrl, apiKey })
  const redirected = await failureOf(redirecting.workflows.create({ name: 'Elsewhere' }))
  check('no redirect is followed', redirected.code === 'redirected')

  const key = new Uint8Array(32).fill(7)
  const body = '{"type":"webhook.test","timestamp":"2026-01-01T00:00:00Z","data":{}}'
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = new Headers({
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${await sign(key, `evt_1.${timestamp}.${body}`)}`,
  })
  const secret = `whsec_${btoa(String.fromCharCode(...key))}`
  check('verify', (await verifyWebhook(body, headers, secret)).id === 'evt_1')
  const forged = await verifyWebhook(`${body} `, headers, secret).then(
    () => false,
    () => true,
  )
  check('refuse a changed webhook', forged)
  return done
}

async function failureOf(call: Promise<unknown>): Promise<MusterError> {
  const error = await call.then(
    () => new Error('It did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof MusterError) return error
  throw error
}

async function sign(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(signature)))
}
