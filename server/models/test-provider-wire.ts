/**
 * For tests only: one model answer in the wire format of each provider's API, whole and as a stream
 * of events.
 */
export interface Said {
  text?: string
  /** The arguments exactly as sent: JSON, or the inside of a text that holds JSON. */
  call?: { name: string; arguments: string }
  finish: Finish
  usage?: unknown
}

export type Finish = 'stop' | 'calls' | 'length' | 'filter' | 'error'

export interface Wire {
  whole(said: Said): string
  /** The events of a stream; a stream that is cut lacks its end. */
  stream(said: Said, isCut?: boolean): string
  /** The API's form of a token count. */
  usage(input: number, output: number): unknown
}

const events = (list: unknown[]): string =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

const named = (list: { type: string }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** OpenAI's chat completions, which Mistral uses as well. */
export const chatWire: Wire = {
  usage: (input, output) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
  }),
  whole: ({ text, call, finish, usage }) =>
    JSON.stringify({
      id: 'chat-1',
      object: 'chat.completion',
      created: 1,
      model: 'tiny',
      choices: [
        {
          index: 0,
          finish_reason: chatFinish[finish],
          message: {
            role: 'assistant',
            content: text ?? '',
            ...(call && { tool_calls: [chatCall(call)] }),
          },
        },
      ],
      ...(usage === undefined ? {} : { usage }),
    }),
  stream: ({ text, call, finish, usage }, isCut = false) => {
    const chunk = (delta: object, reason: string | null = null, more: object = {}) => ({
      id: 'chat-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'tiny',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })
    const said = [
      ...(text === undefined ? [] : [chunk({ role: 'assistant', content: text })]),
      ...(call === undefined ? [] : [chunk({ tool_calls: [{ index: 0, ...chatCall(call) }] })]),
    ]
    if (isCut) return events(said)
    const end = chunk({ content: '' }, chatFinish[finish], usage === undefined ? {} : { usage })
    return `${events([...said, end])}data: [DONE]\n\n`
  },
}

const chatFinish: Record<Finish, string> = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  error: 'error',
}

const chatCall = (call: { name: string; arguments: string }) => ({
  id: 'call_0001',
  type: 'function',
  function: call,
})

/** OpenAI's Responses API. */
export const responsesWire: Wire = {
  usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
  whole: (said) => JSON.stringify(toResponse(said)),
  stream: (said, isCut = false) => {
    const { text, call, finish } = said
    const response = toResponse(said)
    const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
    const list: { type: string }[] = [
      { type: 'response.created', response: { ...response, output: [] } } as { type: string },
    ]
    const at = { output_index: 0, item_id: 'msg_1', content_index: 0 }
    if (text !== undefined) {
      list.push({ type: 'response.output_item.added', ...at, item } as { type: string })
      list.push({ type: 'response.output_text.delta', ...at, delta: text } as { type: string })
      const whole = { ...item, content: [outputText(text)] }
      if (!isCut) list.push({ type: 'response.output_item.done', ...at, item: whole } as never)
    }
    if (call !== undefined) {
      const done = functionCall(call)
      const began = { ...done, arguments: '', status: 'in_progress' }
      list.push({ type: 'response.output_item.added', output_index: 1, item: began } as never)
      const piece = { item_id: done.id, output_index: 1, delta: call.arguments }
      list.push({ type: 'response.function_call_arguments.delta', ...piece })
      list.push({ type: 'response.output_item.done', output_index: 1, item: done } as never)
    }
    const type = finish === 'stop' || finish === 'calls' ? 'completed' : 'incomplete'
    if (finish === 'error') {
      const error = { code: 'server_error', message: 'The server had an error' }
      list.push({ type: 'response.failed', response: { ...response, error } } as never)
    } else if (!isCut) list.push({ type: `response.${type}`, response } as never)
    return named(list.map((event, sequence_number) => ({ ...event, sequence_number })))
  },
}

function toResponse({ text, call, finish, usage }: Said) {
  const reason = { length: 'max_output_tokens', filter: 'content_filter' }[finish as string]
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'tiny',
    status: reason === undefined ? 'completed' : 'incomplete',
    output: [
      ...(text === undefined
        ? []
        : [{ type: 'message', id: 'msg_1', role: 'assistant', content: [outputText(text)] }]),
      ...(call === undefined ? [] : [functionCall(call)]),
    ],
    ...(reason === undefined ? {} : { incomplete_details: { reason } }),
    ...(finish === 'error' ? { error: { code: 'server_error', message: 'Broken' } } : {}),
    ...(usage === undefined ? {} : { usage }),
  }
}

const outputText = (text: string) => ({ type: 'output_text', text, annotations: [] })

const functionCall = (call: { name: string; arguments: string }) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_0001',
  status: 'completed',
  ...call,
})

/** Anthropic's Messages API. */
export const messagesWire: Wire = {
  usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
  whole: ({ text, call, finish, usage }) =>
    JSON.stringify({
      ...message,
      content: [
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...(call === undefined ? [] : [toolUse(call)]),
      ],
      stop_reason: stopReasons[finish],
      stop_sequence: null,
      ...(usage === undefined ? {} : { usage }),
    }),
  stream: ({ text, call, finish, usage }, isCut = false) => {
    const counts = (usage ?? { input_tokens: 0, output_tokens: 0 }) as { output_tokens?: number }
    const list: { type: string }[] = [
      { type: 'message_start', message: { ...message, content: [], usage: counts } } as never,
    ]
    const block = (index: number, content_block: object, delta: object): void => {
      list.push({ type: 'content_block_start', index, content_block } as never)
      list.push({ type: 'content_block_delta', index, delta } as never)
      if (!isCut || 'name' in content_block)
        list.push({ type: 'content_block_stop', index } as never)
    }
    if (text !== undefined) block(0, { type: 'text', text: '' }, { type: 'text_delta', text })
    if (call !== undefined) {
      const { arguments: partial_json } = call
      block(1, { ...toolUse(call), input: {} }, { type: 'input_json_delta', partial_json })
    }
    if (!isCut) {
      const delta = { stop_reason: stopReasons[finish], stop_sequence: null }
      const output_tokens = counts.output_tokens ?? 0
      list.push({ type: 'message_delta', delta, usage: { output_tokens } } as never)
      list.push({ type: 'message_stop' })
    }
    return named(list)
  },
}

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'tiny' }

const stopReasons: Record<Finish, string> = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  error: 'error',
}

function toolUse({ name, arguments: text }: { name: string; arguments: string }) {
  return { type: 'tool_use', id: 'call_0001', name, input: readWritten(text) }
}

/** Google's Gemini API. */
export const geminiWire: Wire = {
  usage: (input, output) => ({
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  }),
  whole: (said) => JSON.stringify(candidate(said, said.finish)),
  stream: (said, isCut = false) => {
    const { usage: _, ...spoken } = said
    return events(isCut ? [candidate(spoken, undefined)] : [candidate(said, said.finish)])
  },
}

function candidate({ text, call, usage }: Omit<Said, 'finish'>, finish: Finish | undefined) {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(call === undefined
      ? []
      : [{ functionCall: { name: call.name, args: readWritten(call.arguments) } }]),
  ]
  const reasons = {
    stop: 'STOP',
    calls: 'STOP',
    length: 'MAX_TOKENS',
    filter: 'SAFETY',
    error: 'MALFORMED_FUNCTION_CALL',
  }
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        ...(finish === undefined ? {} : { finishReason: reasons[finish] }),
      },
    ],
    ...(usage === undefined ? {} : { usageMetadata: usage }),
  }
}

/**
 * Parses arguments for APIs that send them as an object; a text that was cut becomes an empty
 * object.
 */
function readWritten(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
