import { until } from '../../../rig/until.ts'
import type { TestApp } from '../../../test/test-app.ts'

/** A thread of a test. */
export interface TestThread {
  id: string
  path: string
  workflowId: string
  send: (input: string, more?: object) => Promise<Message>
  messages: () => Promise<Message[]>
  /** The messages, once none of them is open. */
  settled: () => Promise<Message[]>
  /** A message, once it has this status. */
  reaches: (id: string, status: string) => Promise<Message>
}

export interface Message {
  id: string
  turn: number
  role: string
  text: string
  status: string
  why: string | null
  run_id: string | null
  files: { id: string; name: string }[]
}

const crew = [{ role: 'r', systemPrompt: 's' }]

export async function openThread(
  app: TestApp,
  fields: { workflow?: object; thread?: object; body?: object; workflowId?: string } = {},
): Promise<TestThread> {
  const thread = fields.thread ?? {}
  const workflowId =
    fields.workflowId ?? (await app.createWorkflow({ crew, thread, ...fields.workflow }))
  const { id } = await app.post('/v1/threads', { workflow_id: workflowId, ...fields.body })
  const path = `/v1/threads/${id}`
  const messages = async (): Promise<Message[]> =>
    (await app.pages(`${path}/messages?limit=100`)).flat() as Message[]
  const isOpen = ({ status }: Message) => ['queued', 'running', 'waiting_input'].includes(status)
  return {
    id,
    path,
    workflowId,
    send: (input, more) => app.post(`${path}/messages`, { input, ...more }),
    messages,
    settled: async () => {
      let all: Message[] = []
      await until('every message has ended', 20_000, async () => {
        all = await messages()
        return all.length > 0 && !all.some(isOpen)
      })
      return all
    },
    reaches: async (id, status) => {
      let found: Message | undefined
      await until(`the message is ${status}`, 20_000, async () => {
        found = (await messages()).find((one) => one.id === id)
        return found?.status === status
      })
      return found as Message
    },
  }
}
