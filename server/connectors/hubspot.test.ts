import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApi } from './test-api.ts'
import { pluck } from '../../test/pluck.ts'

const credentials = { token: 'pat-secret' }

describe('hubspot', () => {
  it('searches contacts and gives the fields that matter', async () => {
    await using api = await startTestApi()
    const found = {
      id: '512',
      properties: { email: 'ada@example.com', firstname: 'Ada', lastname: null, secret: 'x' },
      createdAt: '2019-10-30T03:30:17.883Z',
      archived: false,
    }
    api.answers({ body: { total: 1, results: [found] } })
    const result = await api.tools.call('hubspot.search_contacts', { query: 'ada' }, credentials)
    assert.equal(result.status, 'succeeded')
    assert.deepEqual(JSON.parse(result.output), {
      total: 1,
      contacts: [{ id: '512', email: 'ada@example.com', firstname: 'Ada' }],
    })
    const [request] = api.requests
    assert.equal(`${request?.method} ${request?.path}`, 'POST /crm/v3/objects/contacts/search')
    assert.equal(request?.headers.authorization, 'Bearer pat-secret')
    const { query, limit, properties } = (request?.body ?? {}) as Record<string, unknown>
    assert.deepEqual([query, limit], ['ada', 10])
    assert.ok((properties as string[]).includes('email'))
  })

  it('creates and changes a contact', async () => {
    await using api = await startTestApi()
    api.answers({ status: 201, body: { id: '7', properties: {} } })
    const contact = { email: 'ada@example.com', firstname: 'Ada' }
    assert.deepEqual(await api.tools.call('hubspot.create_contact', contact, credentials), {
      status: 'succeeded',
      output: 'Created contact 7.',
    })
    api.answers({ status: 200, body: { id: '7', properties: {} } })
    const change = { id: '7', phone: '+1-555-0200' }
    const changed = await api.tools.call('hubspot.update_contact', change, credentials)
    assert.equal(changed.output, 'Changed contact 7.')
    assert.deepEqual(
      api.requests.map(({ method, path, body }) => [`${method} ${path}`, body]),
      [
        ['POST /crm/v3/objects/contacts', { properties: contact }],
        ['PATCH /crm/v3/objects/contacts/7', { properties: { phone: '+1-555-0200' } }],
      ],
    )
  })

  it('adds a note and a deal, each linked to the contact', async () => {
    await using api = await startTestApi()
    api.answers({ status: 201, body: { id: '9' } })
    const note = { contact_id: '7', text: 'a < b\nand more' }
    await api.tools.call('hubspot.create_note', note, credentials)
    const deal = {
      name: 'Big',
      stage: 'appointmentscheduled',
      amount: 1500.5,
      close_date: '2027-01-31',
      contact_id: '7',
    }
    await api.tools.call('hubspot.create_deal', deal, credentials)
    const [sentNote, sentDeal] = api.requests.map(
      ({ body }) => body as Record<string, Record<string, unknown>>,
    )
    assert.deepEqual(pluck(api.requests, 'path'), [
      '/crm/v3/objects/notes',
      '/crm/v3/objects/deals',
    ])
    const { hs_timestamp: at, ...noteProperties } = sentNote?.['properties'] ?? {}
    assert.match(String(at), /^\d{4}-.*Z$/)
    assert.deepEqual(noteProperties, { hs_note_body: 'a &lt; b<br>and more' })
    const linkOf = (associationTypeId: number) => [
      {
        to: { id: '7' },
        types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }],
      },
    ]
    assert.deepEqual(sentNote?.['associations'], linkOf(202))
    assert.deepEqual(sentDeal?.['associations'], linkOf(3))
    assert.deepEqual(sentDeal?.['properties'], {
      dealname: 'Big',
      dealstage: 'appointmentscheduled',
      amount: '1500.5',
      closedate: '2027-01-31',
    })
  })

  it('tells refusals in words; only what may have happened is unknown', async () => {
    await using api = await startTestApi()
    const create = () =>
      api.tools.call('hubspot.create_contact', { email: 'ada@example.com' }, credentials)
    const message = 'Contact already exists. Existing ID: 512'
    api.answers({ status: 409, body: { status: 'error', message } })
    assert.deepEqual(await create(), {
      status: 'failed',
      output: `HubSpot answered 409: it exists already: ${message}`,
    })
    api.answers({ status: 502, body: 'bad gateway' })
    assert.deepEqual(await create(), { status: 'unknown', output: 'HubSpot answered 502' })
    api.answers('cut')
    assert.equal((await create()).status, 'unknown')
    const search = await api.tools.call('hubspot.search_contacts', { query: 'x' }, credentials)
    assert.equal(search.status, 'failed', 'a search never is unknown')
    assert.equal(api.requests.length, 4, 'nothing was retried')
  })

  it('is tested by reading a contact', async () => {
    await using api = await startTestApi()
    api.answers({ body: { results: [] } })
    assert.equal((await api.tools.test('hubspot', credentials)).ok, true)
    assert.equal(api.requests[0]?.path, '/crm/v3/objects/contacts?limit=1')
    api.answers({ status: 403, body: { message: 'requires crm.objects.contacts.read' } })
    assert.deepEqual(await api.tools.test('hubspot', credentials), {
      ok: false,
      message: 'HubSpot answered 403: the token lacks a scope: requires crm.objects.contacts.read',
    })
    api.answers({ status: 401, body: { category: 'INVALID_AUTHENTICATION' } })
    assert.match((await api.tools.test('hubspot', credentials)).message, /the token is not valid/)
  })
})
