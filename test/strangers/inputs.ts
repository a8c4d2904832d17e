/**
 * Inputs of a stranger, at the limits that the API states: each kind in the shapes that took seconds before such work
 * could be ended, and in random mixtures of them.
 */
export interface Shot {
  kind: string
  method: 'POST' | 'PATCH'
  path: string
  type: string
  body: string
}

/** A random number below `below`. */
export type Dice = (below: number) => number

/** Repeatable: the same seed rolls the same numbers. */
export function createDice(seed: number): Dice {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const oneOf = <T>(dice: Dice, list: readonly T[]): T => list[dice(list.length)] as T
const some = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

const json = (
  kind: string,
  path: string,
  body: unknown,
  method: Shot['method'] = 'POST',
): Shot => ({
  kind,
  method,
  path,
  type: 'application/json',
  body: JSON.stringify(body),
})

/** The body of an event: long texts and lists that conditions and templates multiply. */
export function eventBody(dice: Dice): string {
  const body = {
    t: oneOf(dice, ['a', 'ab', ' ', '\u00e9', 'aaaaaaab']).repeat(1 + dice(50_000)),
    many: some(1 + dice(5_000), (at) => oneOf(dice, [at, { a: `x${at}`, b: [at] }, 'text'])),
    deep: { a: { b: { c: some(100, String) } } },
  }
  return JSON.stringify(body).slice(0, 490_000)
}

export function condition(dice: Dice): string {
  const doubled = `[1]${'.map(x, [x, x])'.repeat(10 + dice(20))}`
  const pattern = oneOf(dice, ['^(a+)+b$', '(a|b|ab){1,40}c', '(.*)(.*)(.*)x', '[a-z]{1,200}9'])
  return oneOf(dice, [
    `${doubled} == ${doubled}`,
    'body.many.exists(a, body.many.exists(b, a == b && false))',
    'body.many.all(a, body.many.map(b, [a, b]).size() > 0)',
    'body.t.split("").join(body.t).size() > 0',
    'body.many.map(a, body.many).map(a, a.map(b, [b, b])).size() > 0',
    some(8, () => `body.t.matches("${pattern}")`).join(' || '),
    some(40, () => 'body.many == body.many').join(' && '),
    `size(${some(30, () => 'body.t').join(' + ')}) > 0`,
    'body.many.filter(a, body.t.contains(string(a))).size() > 3',
    'cel.bind(a, body.many + body.many, cel.bind(b, a + a, b + b == b + a))',
  ]).slice(0, 2_000)
}

export function template(dice: Dice): string {
  const filter = oneOf(dice, ['where: "a"', 'map: "a"', 'group_by: "a"', 'sort: "a"', 'uniq'])
  const one = oneOf(dice, [
    `{{ body.many | has_exp: 'i', 'body.t contains "aa"' }}`,
    `{{ body.many | find_exp: 'i', 'body.t contains "zz"' }}`,
    `{{ body.many | ${filter} | size }}`,
    '{{ body.many | join: body.t | size }}',
    '{{ body.t }}',
    '{{ body.t | split: "" | join: "xxxx" | size }}',
    '{% for i in (1..100000) %}{% for j in (1..1000) %}{% assign x = j %}{% endfor %}{% endfor %}',
    '{% assign s = "aaaaaaaa" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    '{{ "now" | date: "%9999999Y" }}',
    '{{ body.t | replace: "a", body.t | size }}',
  ])
  return one.repeat(1 + dice(Math.floor(15_999 / one.length)))
}

export function schema(dice: Dice): object {
  const field = (at: number): object =>
    oneOf(dice, [
      { type: 'string', minLength: at % 9 },
      { enum: some(10, (n) => `${at}.${n}`) },
      {
        anyOf: [
          { type: 'string' },
          { type: 'array', uniqueItems: true, items: { type: 'string' } },
        ],
      },
      { type: 'object', properties: { a: { $ref: '#/$defs/d' } }, additionalProperties: false },
      { oneOf: [{ pattern: `^a{1,${1 + dice(60)}}b$` }, { not: {} }] },
      { type: 'string', format: oneOf(dice, ['date-time', 'email', 'uri', 'uuid', 'hostname']) },
    ])
  const fields: Record<string, object> = {}
  for (let at = 0, bytes = 0; bytes < 29_000; at++) {
    fields[`p${at}`] = field(at)
    bytes += JSON.stringify(fields[`p${at}`]).length + 10
  }
  const d = { anyOf: some(20, (at) => ({ const: at })) }
  return {
    type: 'object',
    $defs: { d },
    properties: fields,
    required: Object.keys(fields).slice(0, 5),
  }
}

export function csv(dice: Dice): string {
  const columns = oneOf(dice, [1, 20, 1_000, 1_001, 60_000])
  const rows = oneOf(dice, [1, 100, 9_999])
  const cell = oneOf(dice, ['', 'x', '"a\nb"', '"""""'])
  const row = `${some(columns, () => cell).join(',')}\n`
  const bytes = 31 * 1024 * 1024
  const head = `${some(columns, (at) => `c${at}`).join(',')}\n`
  const fitting = Math.max(1, Math.floor((bytes - head.length) / row.length))
  const quoted = `a,b\n1,"${'x'.repeat(bytes - 100)}"\n`
  return dice(8) === 0 ? quoted : head + row.repeat(Math.min(rows, fitting))
}

export function lines(dice: Dice): string {
  const fields = Object.fromEntries(some(oneOf(dice, [1, 1_000, 8_000]), (at) => [`f${at}`, at]))
  const line = `${JSON.stringify({ data: fields })}\n`
  return line.repeat(
    Math.min(oneOf(dice, [10, 9_999]), Math.floor((31 * 1024 * 1024) / line.length)),
  )
}

export function mail(dice: Dice): string {
  const head = [
    'From: Mallory <mallory@example.net>',
    'To: desk@example.com',
    `Subject: ${'s'.repeat(dice(2_000))}`,
    `Message-ID: <${dice(1e9)}@example.net>`,
  ].join('\r\n')
  const size = oneOf(dice, [1_000, 100_000, 2_400_000, 20_000_000])
  const html = `${head}\r\nContent-Type: text/html\r\n\r\n`
  const part = oneOf(dice, ['<div>', '<table><tr><td>', '<a href="x">', '<ol><li>', '<b>x</b>'])
  return oneOf(dice, [
    () => `${head}\r\nContent-Type: text/plain; format=flowed\r\n\r\n${'a \r\n'.repeat(size / 4)}`,
    () => html + part.repeat(size / part.length),
    () => `${html}<ol type=I start=100000><li>x</ol>`,
    () => `${head}\r\n\r\n${'word\u200b '.repeat(size / 8)}`,
    () => {
      const parts = '--q\r\n\r\nx\r\n'.repeat(size / 10)
      return `${head}\r\nContent-Type: multipart/mixed; boundary=q\r\n\r\n${parts}--q--`
    },
    () => `${head}\r\n${'X-A: b\r\n'.repeat(size / 8)}\r\nx`,
    () => {
      const nested = some(
        60,
        (at) => `Content-Type: multipart/mixed; boundary=q${at}\r\n\r\n--q${at}`,
      )
      return `${head}\r\n${nested.join('\r\n')}\r\n\r\nx`
    },
  ])()
}

/** Text of which no word is the same as in another one. */
export function prose(dice: Dice, length: number): string {
  let text = ''
  while (text.length < length) text += `${dice(1e6).toString(36)}${oneOf(dice, [' ', ', ', '\n'])}`
  return text.slice(0, length).trim()
}

/** Training data whose JSON takes up to three times its bytes. */
function trainingBody(dice: Dice): object {
  const text = oneOf(dice, ['x', 'word ', 'é', '\\', '\u0001', '😀', '[', 'a,'])
  const line = oneOf(dice, [
    () => '1',
    () => JSON.stringify({ input: text.repeat(1 + dice(2_000)), output: 'Yes.' }),
    () => JSON.stringify({ messages: some(1_000, () => ({ role: 'user', content: text })) }),
    () => JSON.stringify({ input: text.repeat(5_000_000 / text.length), output: text }),
    () => '['.repeat(1_000_000),
  ])()
  const count = Math.floor((20 * 1024 * 1024) / (Buffer.byteLength(line) + 1))
  return {
    name: 'n',
    base_model: 'gpt-4.1-mini-2025-04-14',
    source: 'upload',
    training_data: `${line}\n`.repeat(Math.max(1, count)),
  }
}

/** A request of an account with this workflow and agent; it changes nothing that others see. */
export function shot(
  dice: Dice,
  { workflowId, agentId }: { workflowId: string; agentId: string },
): Shot {
  const crewOf = (entry: () => object): object => ({
    crew: some(10, (at) => ({ role: `r${at}`, systemPrompt: 'x', ...entry() })),
  })
  const batch = `/v1/workflows/${workflowId}/batches?dry_run=true`
  const kinds: (() => Shot)[] = [
    () => {
      const data = Object.fromEntries(some(600, (at) => [`t${at}`, template(dice).slice(0, 800)]))
      const given = oneOf(dice, [
        { filter: condition(dice) },
        { input: template(dice) },
        { data },
        { filter: condition(dice), input: template(dice), tags: { a: '{{ body.t }}' } },
      ])
      return json('event', '/v1/hooks/preview', { body: eventBody(dice), ...given })
    },
    () => {
      const whens = some(200, () => condition(dice).replaceAll('body', 'args'))
      const short = whens.filter((when) => when.length <= 1_000).slice(0, 50)
      const rules = short.map((when) => ({ action: '*', decision: 'ask', when }))
      const args = JSON.parse(eventBody(dice).length < 400_000 ? eventBody(dice) : '{}')
      return json('rules', '/v1/rules/test', { rules, action: 'email.send', args })
    },
    () =>
      json('schemas', '/v1/workflows', {
        name: 'x',
        ...crewOf(() => ({ output_schema: schema(dice) })),
      }),
    () => ({ kind: 'csv', method: 'POST', path: batch, type: 'text/csv', body: csv(dice) }),
    () => ({
      kind: 'lines',
      method: 'POST',
      path: batch,
      type: 'application/x-ndjson',
      body: lines(dice),
    }),
    () => json('training', '/v1/fine-tunes/preview', trainingBody(dice)),
    () => json('texts', `/v1/agents/${agentId}`, { systemPrompt: prose(dice, 7_900) }, 'PATCH'),
  ]
  return oneOf(dice, kinds)()
}
