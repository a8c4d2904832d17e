import { cut, type ShownCall, type ShownCase } from './case-view.ts'
import type { SlackMessage } from './deliver.ts'

/**
 * Messages as Slack blocks: https://docs.slack.dev/reference/block-kit/blocks. All text of agents
 * is `plain_text`, which Slack never reads as markup, so it cannot mention people or hide a link.
 */
export type SlackBlock = Record<string, unknown>

/** Slack's limit for one text, and Muster's limits for a whole message. */
const maxTextLength = 2_900
const maxTexts = 6

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: false })

/** A waiting case. Its buttons are left out if the message does not show the whole action. */
export function caseMessage(
  view: ShownCase,
  { url, notificationId, mayAnswer }: { url: string; notificationId: string; mayAnswer: boolean },
): SlackMessage {
  const { blocks, isWhole } = showAction(view)
  const canAnswer = mayAnswer && isWhole && view.kind === 'approval' && view.calls.length === 0
  const open = {
    type: 'button',
    action_id: 'open',
    text: plain(view.kind === 'input' ? 'Answer in Muster' : 'Open in Muster'),
    url,
  }
  const buttons = canAnswer
    ? [
        button('approve', 'Approve', notificationId, 'primary'),
        button('reject', 'Reject', notificationId, 'danger'),
        open,
      ]
    : [open]
  const hint = isWhole
    ? []
    : [context('Too long to show here. Open it in Muster to read and answer.')]
  return {
    text: view.title,
    blocks: [...blocks, ...hint, { type: 'actions', block_id: 'answer', elements: buttons }],
  }
}

/** The same message after the case is closed. */
export function closedMessage(view: ShownCase, outcome: string): SlackMessage {
  const { blocks } = showAction(view)
  return { text: `${outcome} ${view.title}`, blocks: [...blocks, section(outcome)] }
}

/** A message with a title and a text, such as a reminder or an alert. */
export function plainMessage(
  title: string,
  text: string,
  link?: { label: string; url: string },
): SlackMessage {
  const button = link && {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'open', text: plain(link.label), url: link.url }],
  }
  return {
    text: title,
    blocks: [
      section(title),
      ...(text === '' ? [] : [section(cut(text, maxTextLength))]),
      ...(button ? [button] : []),
    ],
  }
}

/** Calls of a case in a Slack message, one line each. */
const maxCalls = 10

function linesOf(calls: ShownCall[]): string[] {
  const lines = calls
    .slice(0, maxCalls)
    .map(({ title, note }, place) => `${place + 1}. ${title}${note ? `: ${cut(note, 200)}` : ''}`)
  const more = calls.length - lines.length
  return more === 0 ? lines : [...lines, `And ${more} more.`]
}

function showAction({ intro, note, fields, texts, calls }: ShownCase): {
  blocks: SlackBlock[]
  isWhole: boolean
} {
  const pieces = texts.flatMap(({ label, value }) =>
    pieceUp(value).map((piece, place) => (place === 0 ? `${label}:\n${piece}` : piece)),
  )
  const table = pieceUp(fields.map(({ label, value }) => `${label}: ${value}`).join('\n'))
  const list = calls.length === 0 ? [] : [cut(linesOf(calls).join('\n'), maxTextLength)]
  const all = [...(fields.length === 0 ? [] : table), ...pieces, ...list]
  return {
    blocks: [
      section(intro),
      ...(note === undefined ? [] : [section(cut(note, maxTextLength))]),
      ...all.slice(0, maxTexts).map(section),
    ],
    isWhole: all.length <= maxTexts,
  }
}

/** Splits a text at character boundaries. */
function pieceUp(text: string): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < Math.max(1, characters.length); at += maxPieceLength) {
    pieces.push(characters.slice(at, at + maxPieceLength).join(''))
  }
  return pieces
}
/** Slack counts surrogate pairs twice. */
const maxPieceLength = maxTextLength / 2

const section = (text: string): SlackBlock => ({ type: 'section', text: plain(text || ' ') })
const context = (text: string): SlackBlock => ({ type: 'context', elements: [plain(text)] })

function button(action: string, label: string, value: string, style: string): object {
  return { type: 'button', action_id: action, text: plain(label), value, style }
}
