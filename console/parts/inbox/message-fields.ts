import type { Field } from '../schema-form/fields.ts'

/** How the arguments of a message are shown in a form: as mail programs do it, the text last and tall. */
interface Look {
  /** Labels, in order; other fields follow under their own names. */
  labels: Record<string, string>
  /** The one field that has several lines. */
  text: string
}

const looks: Record<string, Look> = {
  'email.send': {
    labels: { to: 'To', cc: 'Cc', subject: 'Subject', text: 'Message', in_reply_to: 'In reply to' },
    text: 'text',
  },
  'slack.post_message': {
    labels: { channel: 'Channel', text: 'Message', thread_ts: 'Thread' },
    text: 'text',
  },
}

/** The fields of an action, in the order and with the names of a message if it sends one. */
export function messageFields(tool: string, fields: Field[]): Field[] {
  const look = looks[tool]
  if (look === undefined) return fields
  const names = Object.keys(look.labels)
  const rank = ({ name }: Field): number =>
    names.includes(name) ? names.indexOf(name) : names.length
  return fields
    .map((field): Field => {
      const label = look.labels[field.name]
      if (label === undefined || field.kind !== 'text') return field
      // The description is written for models.
      const { description: _, ...rest } = field
      return { ...rest, label, lines: field.name === look.text ? 10 : 1 }
    })
    .toSorted((one, other) => rank(one) - rank(other))
}
