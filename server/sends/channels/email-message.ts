import { type CaseView, cut, type ShownCall, type ShownCase } from './case-view.ts'

/**
 * Messages as emails: plain text, and HTML for phones, without images, scripts or anything to load.
 */
export interface EmailBody {
  subject: string
  text: string
  html: string
}

export interface Letter {
  subject: string
  /** Paragraphs, the first in bold. */
  lines: string[]
  fields: CaseView['fields']
  texts: CaseView['texts']
  /** The button. */
  action: { label: string; url: string }
  footer: string
}

/** Characters of one long argument in an email; the link's page shows all. */
const maxTextLength = 20_000
const cutNote = '\n… (cut here; the link shows all of it)'

/** Calls of a case in an email, and characters of each. */
const maxCalls = 10
const maxCallLength = 2_000

function toTexts(calls: ShownCall[]): Letter['texts'] {
  const texts = calls.slice(0, maxCalls).map(({ title, note, fields, texts }, place) => {
    const parts = [
      ...(note === undefined ? [] : [note]),
      ...fields.map(({ label, value }) => `${label}: ${value}`),
      ...texts.map(({ label, value }) => `${label}:\n${value}`),
    ]
    return { label: `${place + 1}. ${title}`, value: cut(parts.join('\n'), maxCallLength) }
  })
  const more = calls.length - texts.length
  return more === 0
    ? texts
    : [...texts, { label: `And ${more} more`, value: 'The link shows all.' }]
}

export function caseLetter(
  { title, intro, note, fields, texts, calls }: ShownCase,
  { url, canAnswer, channel }: { url: string; canAnswer: boolean; channel: string },
): Letter {
  return {
    subject: title,
    lines: [intro, ...(note === undefined ? [] : [note])],
    fields,
    texts: [...texts, ...toTexts(calls)],
    action: { label: canAnswer ? 'Review and answer' : 'Open in Muster', url },
    footer:
      `You get this because you are a recipient of the channel ${channel} of Muster. ` +
      (canAnswer ? 'This link is personal: anyone who has it can answer in your name.' : ''),
  }
}

export function toEmail({ subject, lines, fields, texts, action, footer }: Letter): EmailBody {
  const shown = texts.map(({ label, value }) => ({
    label,
    value: value.length > maxTextLength ? cut(value, maxTextLength) + cutNote : value,
  }))
  const text = [
    ...lines,
    fields.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    ...shown.map(({ label, value }) => `${label}:\n${value}`),
    `${action.label}: ${action.url}`,
    `-- \n${footer}`,
  ]
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto">
${lines.map((line, place) => `<p style="margin:0 0 12px${place === 0 ? ';font-weight:600' : ''}">${escapeHtml(line)}</p>`).join('\n')}
${fields.length === 0 ? '' : `<table role="presentation" style="width:100%;border-collapse:collapse;margin:0 0 12px">${fields.map(fieldRow).join('')}</table>`}
${shown.map(textBlock).join('\n')}
<p style="margin:20px 0"><a href="${escapeHtml(action.url)}" rel="noreferrer" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>
<p style="margin:24px 0 0;font-size:13px;color:#6b7280">${escapeHtml(footer)}</p>
</div></body></html>`
  return { subject, text: `${text.filter((part) => part !== '').join('\n\n')}\n`, html }
}

function fieldRow({ label, value }: { label: string; value: string }): string {
  return `<tr><td style="padding:4px 12px 4px 0;color:#6b7280;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</td><td style="padding:4px 0;width:100%;overflow-wrap:anywhere">${escapeHtml(value)}</td></tr>`
}

function textBlock({ label, value }: { label: string; value: string }): string {
  return `<p style="margin:0 0 4px;color:#6b7280">${escapeHtml(label)}</p><div style="margin:0 0 12px;padding:12px;border:1px solid #d1d5db;border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(value)}</div>`
}

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
