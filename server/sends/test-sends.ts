import { connect, createServer, type Socket } from 'node:net'
import { startMailServer } from '../../cli/operate/mail-server.ts'
import { listenOnLoopback } from '../../rig/loopback.ts'
import { slackToken, type SlackServer } from '../../rig/slack-server.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import type { ApiClient } from '../../test/api-client.ts'
import type { TestApp } from '../../test/test-app.ts'
import { earlier } from '../../test/earlier.ts'

/**
 * The sends, each as a small adapter for the suite that all of them have to pass (`sends.test.ts`). The agents of the
 * suite's service ask a person about their input, so that an item is a run that waits; for an alert, it is a run that fails.
 */
export interface SendAdapter {
  name: string
  open: (at: SendParts) => Promise<SendStage>
}

export interface SendParts {
  app: TestApp
  /** The API for the account of the stage. */
  api: ApiClient
  accountId: string
  slack: SlackServer
}

export interface SendStage extends AsyncDisposable {
  /** Makes that a message becomes due for each item. */
  send(items: string[]): Promise<void>
  /** The texts of the messages that the receiver has accepted. */
  arrived(): string[]
  /** Whether the receiver refuses what it gets. */
  refuse(isRefusing: boolean): void
  /** From now on the receiver answers nothing. */
  hang(): void
  setActive(active: boolean): Promise<unknown>
  /** Lets messages that wait be tried now. */
  hurry(): Promise<void>
  /** Failed attempts of the message that has most of them. */
  failures(): Promise<number>
}

/** The start of inputs whose runs fail. */
export const failing = 'failing'

const webhook: SendAdapter = {
  name: 'a webhook',
  async open({ app, api, accountId }) {
    const receiver = await startWebhookReceiver()
    const accepted: string[] = []
    let [isRefusing, isHanging] = [false, false]
    receiver.answer = ({ text }, response) => {
      if (isHanging) return
      if (!isRefusing) accepted.push(text)
      response.writeHead(isRefusing ? 500 : 200).end()
    }
    const { id } = await api.post('/v1/webhooks', {
      url: receiver.url,
      events: ['run.waiting_input'],
    })
    return {
      send: (items) => ask(api, items),
      arrived: () => accepted,
      refuse: (refuses) => void (isRefusing = refuses),
      hang: () => void (isHanging = true),
      setActive: (active) => api.patch(`/v1/webhooks/${id}`, { active }),
      async hurry() {
        await app.sql`
          update webhook_deliveries set next_attempt_at = now()
          where account_id = ${accountId} and status = 'pending'`
      },
      async failures() {
        const { count } = await app.row`
          select coalesce(max(jsonb_array_length(attempts)), 0) as count from webhook_deliveries
          where account_id = ${accountId} and status <> 'succeeded'`
        return count
      },
      async [Symbol.asyncDispose]() {
        await api.delete(`/v1/webhooks/${id}`)
        await receiver[Symbol.asyncDispose]()
      },
    }
  },
}

const email: SendAdapter = {
  name: 'an email of a channel',
  async open(parts) {
    const { app, api, accountId } = parts
    const mail = await startMailServer()
    const front = await startFront(mail.port)
    const to = 'ada@example.com'
    const server = { host: '127.0.0.1', port: front.port, from: 'muster@example.com' }
    await api.put('/v1/connectors/email', server)
    const channel = { name: 'Approvers', kind: 'email', recipients: [to] }
    const { id } = await api.post('/v1/channels', channel)
    return {
      ...messagesOf(parts, id),
      arrived: () => mail.mails.map(({ subject, text }) => `${subject}\n${text}`),
      refuse(refuses) {
        if (refuses) mail.refused.add(to)
        else mail.refused.delete(to)
      },
      hang: () => void (front.isHanging = true),
      async [Symbol.asyncDispose]() {
        await api.delete(`/v1/channels/${id}`)
        await app.sql`delete from connectors where account_id = ${accountId}`
        await front[Symbol.asyncDispose]()
        await mail[Symbol.asyncDispose]()
      },
    }
  },
}

/** Passes connections on to a server, or leaves them without an answer. */
async function startFront(
  behind: number,
): Promise<AsyncDisposable & { port: number; isHanging: boolean }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    if (!front.isHanging) socket.pipe(connect(behind, '127.0.0.1')).pipe(socket)
  })
  const front = {
    port: await listenOnLoopback(server),
    isHanging: false,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return front
}

let channels = 0

const slackMessage: SendAdapter = {
  name: 'a Slack message of a channel',
  async open(parts) {
    const { api, slack } = parts
    const channel = `#sends-${++channels}`
    const fields = { name: 'Team', kind: 'slack', slack_channel: channel, token: slackToken }
    const { id } = await api.post('/v1/channels', fields)
    return {
      ...messagesOf(parts, id),
      arrived: () =>
        slack.messages
          .filter((one) => one.channel === `C-${channel}`)
          .map(({ blocks }) => JSON.stringify(blocks)),
      refuse(refuses) {
        if (refuses) slack.archived.add(channel)
        else slack.archived.delete(channel)
      },
      hang: () => void slack.silent.add(channel),
      [Symbol.asyncDispose]: async () => void (await api.delete(`/v1/channels/${id}`)),
    }
  },
}

const alert: SendAdapter = {
  name: 'an alert',
  async open(parts) {
    const { app, api } = parts
    const channel = await email.open(parts)
    const fields = { name: 'Failed', on: 'run.failed', at_most_every_minutes: 1 }
    const { id } = await api.post('/v1/alerts', fields)
    return {
      ...channel,
      async send(items) {
        // All of them fail during a pause of the alert.
        await app.sql`update alerts set last_fired_at = now() where id = ${id}`
        for (const item of items) {
          const workflowId = await api.createWorkflow({ name: item, crew })
          await api.run(workflowId, failing)
        }
      },
      setActive: (active) => api.patch(`/v1/alerts/${id}`, { active }),
      async hurry() {
        await app.sql`
          update alerts set next_check_at = now(), last_fired_at = ${earlier('last_fired_at', '1 day')}
          where id = ${id}`
        await channel.hurry()
      },
      async [Symbol.asyncDispose]() {
        await api.delete(`/v1/alerts/${id}`)
        await channel[Symbol.asyncDispose]()
      },
    }
  },
}

const crew = [{ role: 'r', systemPrompt: 's' }]

/** Starts a run for each item, which asks a person about it. */
async function ask(api: ApiClient, items: string[]): Promise<void> {
  const workflowId = await api.createWorkflow({ crew, human_in_the_loop: { enabled: true } })
  await Promise.all(items.map((item) => api.run(workflowId, item)))
}

/** What messages of both kinds of channels have in common. */
function messagesOf(
  { app, api, accountId }: SendParts,
  id: string,
): Pick<SendStage, 'send' | 'setActive' | 'hurry' | 'failures'> {
  return {
    send: (items) => ask(api, items),
    setActive: (active) => api.patch(`/v1/channels/${id}`, { active }),
    async hurry() {
      await app.sql`
        update notifications set next_attempt_at = now()
        where account_id = ${accountId} and next_attempt_at is not null`
    },
    async failures() {
      const { count } = await app.row`
        select coalesce(max(tries), 0) as count from notifications where account_id = ${accountId}`
      return count
    },
  }
}

export const sends: SendAdapter[] = [webhook, email, slackMessage, alert]
