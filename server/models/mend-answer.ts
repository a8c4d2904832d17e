/**
 * Repairs an answer that its SDK would refuse: one without token counts, and tool calls whose arguments are not text.
 * Works on the text of the JSON, without parsing it, so that numbers keep the form in which they were written.
 */
export function mendAnswer(bytes: Buffer, emptyUsage: Record<string, number> | undefined): Buffer {
  const hasCalls = bytes.includes(signOfCalls)
  if (!hasCalls && emptyUsage === undefined) return bytes
  const text = bytes.toString()
  const withCalls = hasCalls ? withTextArguments(text) : text
  const mended = emptyUsage === undefined ? withCalls : withUsage(withCalls, emptyUsage)
  return mended === text ? bytes : Buffer.from(mended)
}

/** Part of `tool_calls` and `function_call`. Searching bytes takes a third of the time. */
const signOfCalls = Buffer.from('_call')

// A quote inside a string has a backslash before it, so these match keys only.
const emptyUsageField = /(?<!\\)"usage"\s*:\s*(?:null|\{\s*\})/
const usageKey = /(?<!\\)"usage"\s*:/

function withUsage(text: string, emptyUsage: Record<string, number>): string {
  const usage = `"usage":${JSON.stringify(emptyUsage)}`
  if (!usageKey.test(text)) return text.replace(/^\s*\{\s*(?=")/, `{${usage},`)
  return text.replace(emptyUsageField, usage)
}

const oddArguments = /(?<!\\)"arguments"\s*:\s*(?=null|\{)/g
/** A call with a name and without arguments. */
const callWithout =
  /\{(?=[^{}]*"name")(?![^{}]*"arguments")(?<=(?<!\\)"function"\s*:\s*\{)|\{(?=[^{}]*"type"\s*:\s*"function_call")(?![^{}]*"arguments")/g

function withTextArguments(text: string): string {
  const source = text.replace(callWithout, '{"arguments":"{}",')
  let mended = ''
  let done = 0
  oddArguments.lastIndex = 0
  for (let found = oddArguments.exec(source); found !== null; found = oddArguments.exec(source)) {
    const start = found.index + found[0].length
    const isNull = source.startsWith('null', start)
    const end = isNull ? start + 4 : endOfObject(source, start)
    mended += source.slice(done, start) + JSON.stringify(isNull ? '{}' : source.slice(start, end))
    done = end
    oddArguments.lastIndex = end
  }
  return mended + source.slice(done)
}

/** Index after the bracket that closes the one at `start`; the text's length if none does. */
function endOfObject(text: string, start: number): number {
  let depth = 0
  let isText = false
  for (let place = start; place < text.length; place += 1) {
    const character = text[place]
    if (character === '\\') place += 1
    else if (character === '"') isText = !isText
    else if (!isText && character === '{') depth += 1
    else if (!isText && character === '}' && --depth === 0) return place + 1
  }
  return text.length
}
