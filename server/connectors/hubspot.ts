import Type, { type Static } from 'typebox'
import { callApi, explainFailure, textField, type ApiAnswer } from '../tools/call-api.ts'
import { defineAction, defineConnector, Token, type CallContext } from '../tools/connector.ts'
import type { ToolResult } from '../tools/contract.ts'

/**
 * HubSpot's CRM API v3 with the token of a private app:
 * https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide. It takes no idempotency
 * key; a contact is unique by its e-mail address, notes and deals are not.
 */
const Credentials = Type.Object(
  { token: Token(500, 'Access token of a HubSpot private app, `pat-…`.') },
  {
    $id: 'HubspotCredentials',
    additionalProperties: false,
    description: 'How HubSpot is reached.',
  },
)
type Credentials = Static<typeof Credentials>
type Context = CallContext<Credentials>

const short = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))
const recordId = (description: string) => Type.String({ pattern: '^[0-9]{1,20}$', description })

const contactFields = {
  firstname: short('First name.'),
  lastname: short('Last name.'),
  phone: short('Telephone number.'),
  company: short('Name of the company.'),
  jobtitle: short('Job title.'),
  website: short('Website.'),
}
const emailField = Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address.' })
const contactProperties = ['email', ...Object.keys(contactFields)]

const searchContacts = defineAction({
  name: 'search_contacts',
  description: 'Finds HubSpot contacts by name, e-mail address, telephone number or company.',
  sensitive: false,
  input: {
    query: Type.String({ minLength: 1, maxLength: 500, description: 'What to look for.' }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'Most contacts, 10 by default.' }),
    ),
  },
  call: async ({ query, limit = 10 }, context: Context, { signal }) => {
    const answer = await callHubspot(context, 'POST', 'contacts/search', {
      body: { query, limit, properties: contactProperties, filterGroups: [], sorts: [] },
      signal,
      isRead: true,
    })
    if (!answer.ok) return refusalOf(answer)
    const { results, total } = answer.body as { results?: unknown; total?: unknown }
    const contacts = Array.isArray(results) ? results.slice(0, limit).map(toContact) : []
    return { status: 'succeeded', output: JSON.stringify({ total, contacts }) }
  },
})

const createContact = defineAction({
  name: 'create_contact',
  description: 'Adds a contact to HubSpot. Refused when one with the e-mail address exists.',
  sensitive: true,
  input: { email: emailField, ...contactFields },
  call: (input, context: Context, { signal }) =>
    write(context, 'POST', 'contacts', { properties: input }, signal, 'Created contact'),
})

const updateContact = defineAction({
  name: 'update_contact',
  description: 'Changes the given fields of a HubSpot contact.',
  sensitive: true,
  input: {
    id: recordId('Id of the contact.'),
    email: Type.Optional(emailField),
    ...contactFields,
  },
  call: ({ id, ...properties }, context: Context, { signal }) =>
    write(context, 'PATCH', `contacts/${id}`, { properties }, signal, 'Changed contact'),
})

const createNote = defineAction({
  name: 'create_note',
  description: 'Adds a note to a HubSpot contact.',
  sensitive: true,
  input: {
    contact_id: recordId('Id of the contact.'),
    text: Type.String({ minLength: 1, maxLength: 20_000, description: 'The note.' }),
  },
  call: ({ contact_id: contactId, text }, context: Context, { signal }) => {
    const properties = { hs_timestamp: new Date().toISOString(), hs_note_body: toHtml(text) }
    const associations = [toContactLink(contactId, noteToContact)]
    return write(context, 'POST', 'notes', { properties, associations }, signal, 'Created note')
  },
})

const createDeal = defineAction({
  name: 'create_deal',
  description: 'Adds a deal to HubSpot, linked to a contact if one is given.',
  sensitive: true,
  input: {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the deal.' }),
    stage: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Id of its stage, such as appointmentscheduled.',
    }),
    pipeline: short('Id of its pipeline; the default one where absent.'),
    amount: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12, description: 'Amount.' })),
    close_date: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description: 'Day it is expected to close, such as 2027-01-31.',
      }),
    ),
    contact_id: Type.Optional(recordId('Id of the contact it is with.')),
  },
  call: (input, context: Context, { signal }) => {
    const properties = {
      dealname: input.name,
      dealstage: input.stage,
      ...(input.pipeline === undefined ? {} : { pipeline: input.pipeline }),
      ...(input.amount === undefined ? {} : { amount: String(input.amount) }),
      ...(input.close_date === undefined ? {} : { closedate: input.close_date }),
    }
    const associations =
      input.contact_id === undefined ? [] : [toContactLink(input.contact_id, dealToContact)]
    return write(context, 'POST', 'deals', { properties, associations }, signal, 'Created deal')
  },
})

export const hubspot = defineConnector({
  id: 'hubspot',
  label: 'HubSpot',
  api: { url: 'https://api.hubapi.com', variable: 'HUBSPOT_BASE_URL' },
  credentials: Credentials,
  labels: { token: 'Access token' },
  actions: [searchContacts, createContact, updateContact, createNote, createDeal],
  test: async (context) => {
    const answer = await callHubspot(context, 'GET', 'contacts?limit=1', { isRead: true })
    if (!answer.ok) return { ok: false, message: refusalOf(answer).output }
    return { ok: true, message: 'HubSpot accepts the token, which can read contacts' }
  },
})

// HubSpot's ids of association types.
const noteToContact = 202
const dealToContact = 3

function toContactLink(contactId: string, associationTypeId: number) {
  const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId }]
  return { to: { id: contactId }, types }
}

async function write(
  context: Context,
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  signal: AbortSignal,
  done: string,
): Promise<ToolResult> {
  const answer = await callHubspot(context, method, path, { body, signal, isRead: false })
  if (!answer.ok) return refusalOf(answer)
  return { status: 'succeeded', output: `${done} ${textField(answer.body, 'id')}.` }
}

function callHubspot(
  context: Context,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  call: { body?: unknown; signal?: AbortSignal; isRead: boolean },
): Promise<ApiAnswer> {
  return callApi(context, {
    ...call,
    method,
    connector: 'hubspot',
    path: `/crm/v3/objects/${path}`,
    headers: { authorization: `Bearer ${context.credentials.token}` },
    name: 'HubSpot',
  })
}

function refusalOf(answer: Extract<ApiAnswer, { ok: false }>): ToolResult {
  const output = explainFailure(answer, hints, textField(answer.body, 'message'))
  return { status: answer.status, output }
}

const hints: Record<number, string> = {
  401: 'the token is not valid',
  403: 'the token lacks a scope',
  404: 'no such record',
  409: 'it exists already',
  429: 'too many calls, try again later',
}

function toContact(result: unknown) {
  const { properties } = result as { properties?: unknown }
  const fields = contactProperties.map((name) => [name, textField(properties, name, 200)])
  return { id: textField(result, 'id', 50), ...Object.fromEntries(fields) }
}

// HubSpot's notes are HTML.
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replaceAll('\n', '<br>')
}
