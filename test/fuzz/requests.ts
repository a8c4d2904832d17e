import fc from 'fast-check'
import type { Ground } from './ground.ts'
import type { Document, Operation } from './document.ts'
import { bodyOf, hostileText, type Known } from './values.ts'

/** A request as it is sent, without any parsing or correction. */
export interface Shot {
  operationId: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

/** Which id a path gets; numbers choose among the existing ids when it is sent. */
type Id = { own: number } | { theirs: number } | { raw: string }

/** Requests of one operation: mostly valid, with each part sometimes hostile. */
export function shotsAt(
  document: Document,
  operation: Operation,
  ground: Ground,
): fc.Arbitrary<() => Shot> {
  const { operationId, method, path, body } = operation
  const places = path.match(/\{\w+\}/g) ?? []
  const queries = operation.parameters.filter((one) => one.in === 'query')
  return fc
    .record({
      ids: fc.tuple(...places.map(() => idShape)),
      query: queryOf(queries.map(({ name }) => name)),
      body: body === undefined ? strayBody : bodyOf(document, body, knownIn(ground)),
      headers,
      key: fc.constantFrom(...Array<keyof Ground['keys']>(12).fill('admin'), 'viewer', 'neighbour'),
    })
    .map(({ ids, query, body, headers, key }) => () => ({
      operationId,
      method,
      path: fill(path, places, ids, ground) + query,
      headers: {
        authorization: `Bearer ${ground.keys[key]}`,
        ...(body.text === '' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body.text === '' ? undefined : body.text,
    }))
}

const strayBody = fc
  .constantFrom(...Array<string>(8).fill(''), '{}', 'null', '[]', '{"x":1}')
  .map((text) => ({ text }))

const oddIds = [
  '',
  '.',
  '..',
  '%2e%2e%2f%2e%2e',
  '%00',
  'a%00b',
  '%',
  '%zz',
  '%ff%fe',
  '%ED%A0%80',
  '%E2%80%AE',
  'null',
  '-1',
  '*',
  "'%20or%20'1'='1",
  'wf_%22;drop',
  'wf_00000000000000000000000000',
  'run_' + 'z'.repeat(26),
  'x'.repeat(100),
  'x'.repeat(101),
  'x'.repeat(8_000),
  '%F0%9F%98%80'.repeat(30),
  'a;b=c',
  'a%2Fb',
  '__proto__',
]

const idShape: fc.Arbitrary<Id> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ own: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ theirs: fc.nat(1_000) }) },
  { weight: 3, arbitrary: fc.record({ raw: fc.constantFrom(...oddIds) }) },
)

function fill(path: string, places: string[], ids: Id[], ground: Ground): string {
  return places.reduce((text, place, index) => {
    const id = ids[index] as Id
    if ('raw' in id) return text.replace(place, () => id.raw)
    const [all, number] = 'own' in id ? [ground.ids, id.own] : [ground.neighbourIds, id.theirs]
    const pool = all[nounBefore(path, place)] ?? []
    return text.replace(place, pool[number % pool.length] ?? 'absent')
  }, path)
}

/** The path segment before a parameter; the operator's routes must not get account ids. */
function nounBefore(path: string, place: string): string {
  const noun =
    path
      .slice(0, path.indexOf(place) - 1)
      .split('/')
      .at(-1) ?? ''
  return path.startsWith('/v1/operator') ? '' : noun
}

const oddValues = [
  '',
  '0',
  '1',
  '100',
  '101',
  '-1',
  '1.5',
  '1e3',
  '1e999',
  'NaN',
  '%00',
  '%',
  '%zz',
  '%ED%A0%80',
  'queued',
  'failed',
  'pending',
  'General',
  'x'.repeat(201),
  'x'.repeat(4_000),
  'MTc2MDAwMDAwMDAwMCB3Zl8wMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA',
  'OTk5OTk5OTk5OTk5OTk5IHdmXzAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw',
  "'%20or%201=1--",
  'a%20%26%20!%20(b%20%7C',
  '%22%22%22%20%3A*%20%26',
  '%F0%9F%98%80',
]

/** Waits of a minute are tested elsewhere. */
const waits = ['0', '1', '-1', '61', '1e1000', 'x', '', '0.5', '%00']

function queryOf(names: string[]): fc.Arbitrary<string> {
  const pair = fc
    .constantFrom(...names, 'unknown', 'limit', '__proto__')
    .chain((name) =>
      fc.constantFrom(...(name === 'wait' ? waits : oddValues)).map((value) => `${name}=${value}`),
    )
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: fc.array(pair, { minLength: 1, maxLength: 3 }).map((all) => `?${all.join('&')}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('?', '??', '?&&=', '?a[b][c]=1', `?${'a=1&'.repeat(900)}`),
    },
  )
}

/** Values that a header may have when `undici` sends it. */
const headerText = hostileText.map((text) =>
  Array.from(text.slice(0, 2_000), (char) => (/[\x20-\x7e\x80-\xff]/.test(char) ? char : '?')).join(
    '',
  ),
)

const oddHeader = fc.oneof(
  fc.record({
    'idempotency-key': fc.oneof(
      fc.constantFrom('k1', 'k2', '"k3"', '""', '"', 'x'.repeat(255), 'x'.repeat(256), 'a\tb'),
      headerText,
    ),
  }),
  fc.record({
    'last-event-id': fc.oneof(
      fc.constantFrom('0', '1', '3', '999999999', '9999999999', '-1', '1e3', ''),
      headerText,
    ),
  }),
  fc.record({ 'x-request-id': fc.oneof(fc.constantFrom('own-1', 'x'.repeat(129)), headerText) }),
  fc.record({
    'content-type': fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json; charset=latin1',
      'application/JSON',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/merge-patch+json',
      ';',
      '',
    ),
  }),
  fc.record({ accept: fc.constantFrom('text/html', '', 'application/xml;q=0.9', ',,,') }),
  fc.record({
    authorization: fc.oneof(fc.constantFrom('Bearer', 'Basic eDp5', 'Bearer  '), headerText),
  }),
  fc.record({ 'content-encoding': fc.constantFrom('gzip', 'br', 'nonsense') }),
  fc.record({ 'x-forwarded-host': headerText, 'x-http-method-override': fc.constant('DELETE') }),
)

const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: oddHeader },
)

/** Fields whose values must refer to something that exists. Hosts and URLs are unreachable. */
function knownIn(ground: Ground): Known {
  return (name) => {
    switch (name) {
      case 'model':
        return fc.constantFrom('test/echo', 'muster/demo')
      case 'agentId':
        return fc.constantFrom(ground.agentId, ...(ground.neighbourIds['agents'] ?? []))
      case 'workflow_id':
        return fc.constantFrom(null, ...(ground.ids['workflows'] ?? []))
      case 'url':
        return fc.constantFrom('https://127.0.0.1:9/x', 'http://127.0.0.1:9/')
      case 'host':
        return fc.constant('127.0.0.1')
      case 'port':
        return fc.constant(9)
      case 'capabilities':
        return fc.constantFrom([], ['sink.write'], ['sink.read', 'sink.write'])
      case 'connectors':
        return fc.constantFrom(['sink'], ['sink', 'slack'])
      case 'role':
        return fc.constantFrom('planner', 'viewer', 'writer')
      default:
        return undefined
    }
  }
}

/** Records the id of a created resource for later requests. */
export function keepId(ground: Ground, shot: Shot, status: number, id: unknown): void {
  if (shot.method !== 'POST' || status < 200 || status > 299 || typeof id !== 'string') return
  const last = shot.path.split('?')[0]?.split('/').at(-1) ?? ''
  const kept = ground.ids[last === 'test' || last === 'redeliver' ? 'deliveries' : last]
  kept?.push(id)
  if (kept !== undefined && kept.length > 30) kept.splice(1, 1)
}
