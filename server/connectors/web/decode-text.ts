/**
 * Decodes a page's text as browsers do: by its byte order mark, else by the charset of the header,
 * else by the one that the page names. An unknown charset counts as none. Without one it is UTF-8
 * if the bytes are valid, else Windows-1252.
 */
export function decodeText(body: Buffer, contentType: string, isMarkup: boolean): string {
  const decoder =
    decoderFor(byteOrderMark(body)) ??
    decoderFor(charsetOf(contentType)) ??
    (isMarkup ? decoderFor(charsetInMarkup(body)) : undefined) ??
    decoderFor(isUtf8Start(body) ? 'utf-8' : 'windows-1252')
  return (decoder ?? new TextDecoder()).decode(body)
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

function byteOrderMark(body: Buffer): string | undefined {
  const start = body.toString('hex', 0, 3)
  if (start === 'efbbbf') return 'utf-8'
  if (start.startsWith('fffe')) return 'utf-16le'
  return start.startsWith('feff') ? 'utf-16be' : undefined
}

/** The charset of a header or a `content` attribute, with either kind of quotes. */
function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?\s*([^\s;"',]+)/i.exec(contentType)?.[1]
}

function charsetInMarkup(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, 1024)
  // `<?` of XML in UTF-16 without a byte order mark.
  if (start.startsWith('<\0?\0')) return 'utf-16le'
  if (start.startsWith('\0<\0?')) return 'utf-16be'
  const named =
    /^\s*<\?xml[^>]+encoding\s*=\s*["']\s*([^\s"']+)/i.exec(start)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]
  // If the declaration reads as ASCII, the page is not in UTF-16, whatever it names.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named
}

/** The last character may be incomplete. */
function isUtf8Start(body: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true })
    return true
  } catch {
    return false
  }
}
