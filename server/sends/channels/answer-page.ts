import { createHash } from 'node:crypto'
import type { CaseView, ShownCall, ShownCase } from './case-view.ts'
import { escapeHtml } from './email-message.ts'

/**
 * The page of a link, for one request or several calls. It has no form, so programs that submit
 * forms find none. Its script answers only after a real click or key press (`isTrusted`), with the
 * page's nonce, in a request that other sites cannot send. It loads nothing.
 */
export interface AnswerPage {
  title: string
  /** Message above the action. */
  notice: string | undefined
  view: ShownCase | undefined
  /** Reloads the page, because its state changes within moments. */
  isPassing?: boolean
  /** The visitor: requests that they have approved have no buttons. */
  visitorId?: string
  /** Set if the page can answer. */
  nonce: string | undefined
  /** A link to the console. */
  link: { label: string; url: string } | undefined
}

const style = `
:root{color-scheme:light dark;--line:#d1d5db;--soft:#6b7280;--back:#fff;--text:#111827;--yes:#166534;--no:#b91c1c;--main:#1d4ed8}
@media (prefers-color-scheme:dark){:root{--line:#374151;--soft:#9ca3af;--back:#111827;--text:#f3f4f6;--yes:#15803d;--no:#f87171}}
*{box-sizing:border-box}
body{margin:0;padding:16px;background:var(--back);color:var(--text);font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:640px;margin:0 auto}
h1{font-size:20px;line-height:1.3;margin:8px 0 12px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 12px;margin:0 0 12px}
dt,h3,small{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
h2{font-size:16px;line-height:1.4;margin:0 0 8px;overflow-wrap:anywhere}
h3{font-size:14px;font-weight:400;margin:12px 0 4px}
section{margin:0 0 16px;padding:16px;border:1px solid var(--line);border-radius:8px}
pre{margin:0;padding:12px;border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}
.notice{padding:12px;border:1px solid var(--line);border-left:4px solid var(--main);border-radius:8px}
label{display:block;margin:16px 0 4px}
textarea,input{width:100%;padding:10px;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;font:inherit}
textarea{min-height:72px}
section textarea{min-height:44px}
section .actions{margin:12px 0 0}
.actions{display:flex;gap:12px;margin:16px 0;flex-wrap:wrap}
button,.button{flex:1;min-width:120px;min-height:48px;padding:12px 16px;border:0;border-radius:8px;color:#fff;background:var(--main);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button.approve{background:var(--yes)}
button.reject{background:transparent;color:var(--no);border:1px solid var(--no)}
button:disabled{opacity:.6;cursor:default}
button:focus-visible,a:focus-visible,textarea:focus-visible,input:focus-visible{outline:3px solid var(--main);outline-offset:2px}
#problem{color:var(--no)}
`

const script = `
const main = document.querySelector('main')
const problem = document.querySelector('#problem')
const buttons = [...document.querySelectorAll('button')]
const calls = [...document.querySelectorAll('section[data-call]')]
const textIn = (place) => place.querySelector('textarea')?.value.trim() ?? ''
const answerOf = (place, action) => {
  const text = textIn(place)
  return { action, ...(text !== '' && { [action === 'input' ? 'input' : 'reason']: text }) }
}
const decisionOf = (call, action) => ({
  ...answerOf(call, action),
  call_id: call.dataset.call,
  pending_id: call.dataset.pending,
})
for (const button of buttons) button.addEventListener('click', async (event) => {
  if (!event.isTrusted) return
  const action = button.dataset.action
  const call = button.closest('section')
  const max = main.querySelector('input')?.value
  if (action === 'input' && textIn(call ?? main) === '') {
    problem.textContent = 'Enter an answer'
    return
  }
  if (action === 'approve' && max !== undefined && !(Number(max) > 0)) {
    problem.textContent = 'Enter what the run may cost in all'
    return
  }
  for (const one of buttons) one.disabled = true
  problem.textContent = ''
  const chosen = call === null ? calls.filter((one) => 'together' in one.dataset) : [call]
  const body = {
    nonce: main.dataset.nonce,
    ...(main.querySelector('section') === null
      ? answerOf(main, action)
      : { decisions: chosen.map((one) => decisionOf(one, action)) }),
  }
  if (action === 'approve' && max !== undefined) body.max_cost_usd = Number(max)
  try {
    const answer = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.ok || answer.status === 409) {
      location.reload()
      return
    }
    const { error } = await answer.json()
    problem.textContent = error.message
  } catch {
    problem.textContent = 'Muster cannot be reached. Check the connection and try again.'
  }
  for (const one of buttons) one.disabled = false
})
`

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow, noarchive',
}

export function toHtml(page: AnswerPage): string {
  const { title, notice, view, isPassing = false, visitorId, nonce, link } = page
  const calls = (view?.calls ?? []).map((call) => {
    const isOpen = nonce !== undefined && !call.approvedBy.includes(visitorId ?? '')
    return { call, isOpen }
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>${isPassing ? '<meta http-equiv="refresh" content="2">' : ''}
<style>${style}</style></head>
<body><main${nonce === undefined ? '' : ` data-nonce="${escapeHtml(nonce)}"`}>
<h1>${escapeHtml(title)}</h1>
${notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`}
${view === undefined ? '' : `<p>${escapeHtml(view.intro)}</p>${showView(view)}`}
${calls.map(showCall).join('\n')}
${view === undefined || nonce === undefined ? '' : showControls(view, calls)}
${link === undefined ? '' : `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`}
</main>${nonce === undefined ? '' : `<script>${script}</script>`}</body></html>`
}

function showView({ note, fields, texts }: CaseView): string {
  const rows = fields
    .map(({ label, value }) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')
  const blocks = texts
    .map(({ label, value }) => `<h3>${escapeHtml(label)}</h3><pre>${escapeHtml(value)}</pre>`)
    .join('')
  return `${note === undefined ? '' : `<p class="notice">${escapeHtml(note)}</p>`}
${rows === '' ? '' : `<dl>${rows}</dl>`}${blocks}`
}

interface OfferedCall {
  call: ShownCall
  /** Whether the visitor may decide the call. */
  isOpen: boolean
}

/** One of several calls, with its own buttons. */
function showCall({ call, isOpen }: OfferedCall): string {
  const { callId = '', pendingId, kind, title } = call
  const data = `data-call="${escapeHtml(callId)}" data-pending="${escapeHtml(pendingId)}"${isTogether(call) ? ' data-together' : ''}`
  return `<section${isOpen ? ` ${data}` : ''}><h2>${escapeHtml(title)}</h2>
${showView(call)}${isOpen ? answerTo(kind) : ''}</section>`
}

/** Whether the buttons for all calls include this one. */
function isTogether({ kind, mayBeDone }: ShownCall): boolean {
  return kind === 'approval' && !mayBeDone
}

function showControls(view: ShownCase, calls: OfferedCall[]): string {
  const count = calls.filter(({ call, isOpen }) => isOpen && isTogether(call)).length
  const all = `<div class="actions">${button('approve', `Approve all ${count}`)}${button('reject', 'Reject all')}</div>`
  const controls = calls.length === 0 ? answerTo(view.kind) : count > 1 ? all : ''
  return `<p id="problem" role="alert"></p>
${controls}
<noscript><p class="notice">Answering needs JavaScript. Open the case in Muster instead.</p></noscript>`
}

function answerTo(kind: CaseView['kind']): string {
  const [label, max, buttons] =
    kind === 'input'
      ? ['Answer', 16_000, button('input', 'Send answer')]
      : ['Reason (optional)', 2_000, `${button('approve', 'Approve')}${button('reject', 'Reject')}`]
  const cost =
    kind === 'budget'
      ? '<label>New total limit for the run (USD)<input type="number" min="0" max="1000000" step="any" ' +
        'inputmode="decimal"></label>'
      : ''
  return `${cost}<label>${label}<textarea maxlength="${max}"></textarea></label>
<div class="actions">${buttons}</div>`
}

function button(action: string, label: string): string {
  return `<button type="button" class="${action}" data-action="${action}">${label}</button>`
}
