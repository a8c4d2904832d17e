import { startMailServer, type MailServer } from '../../../cli/operate/mail-server.ts'
import { slackToken, startSlackServer, type SlackServer } from '../../../rig/slack-server.ts'
import { until } from '../../../rig/until.ts'
import { clerkFixture, write, type ClerkAtWork } from '../../../test/clerk.ts'
import { fixture } from '../../../test/fixture.ts'
import type { Answer } from '../../../test/api-client.ts'
import type { TestAppOptions } from '../../../test/test-app.ts'

/**
 * For tests: a service whose agent asks for approvals, with a mail server and Slack on loopback.
 */
export interface ChannelsAtWork {
  clerk: ClerkAtWork
  mail: MailServer
  slack: SlackServer
  createEmail: (recipients: string[], fields?: object) => Promise<Answer['body']>
  createSlack: (fields?: object) => Promise<Answer['body']>
  /** Starts a run that waits for the approval of a call with this text. */
  waitingRun: (text?: string, hitl?: object) => Promise<Answer['body']>
  /** The newest mail to a receiver that contains a text, as soon as it has arrived. */
  mailTo: (receiver: string, says: string) => Promise<MailServer['mails'][number]>
}

export function channelsFixture(options: TestAppOptions = {}): ChannelsAtWork {
  const mail = fixture(() => startMailServer())
  const slack = fixture(() => startSlackServer())
  const clerk = clerkFixture({
    ...options,
    intervals: { channelsMs: 20, remindersMs: 20, ...options.intervals },
    get env() {
      return {
        MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
        SLACK_BASE_URL: slack.url,
        MUSTER_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...options.env,
      }
    },
  })
  return {
    clerk,
    mail,
    slack,
    createEmail: (recipients, fields = {}) =>
      clerk.app.post('/v1/channels', { name: 'Approvers', kind: 'email', recipients, ...fields }),
    createSlack: (fields = {}) =>
      clerk.app.post('/v1/channels', {
        name: 'Team',
        kind: 'slack',
        slack_channel: '#approvals',
        token: slackToken,
        ...fields,
      }),
    waitingRun: (text = 'hello', hitl = { enabled: true }) => clerk.start([write(text)], hitl),
    mailTo: async (receiver, says) => {
      const find = () =>
        mail.mails.findLast(
          (one) => one.receivers.includes(receiver) && one.text?.includes(says) === true,
        )
      await until(`a mail to ${receiver}`, 15_000, async () => find() !== undefined)
      return find() as MailServer['mails'][number]
    },
  }
}
