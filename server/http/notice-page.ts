/** A page of a few words, for browsers that are outside of the console. */
export const noticeHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

interface Notice {
  title: string
  text: string
  link: { url: string; label: string }
}

export function toNotice({ title, text, link }: Notice): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title></head>
<body><h1>${escape(title)}</h1>
<p>${escape(text)}</p>
<p><a href="${escape(link.url)}">${escape(link.label)}</a></p></body></html>`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
