/**
 * The text of a page, as browsers decode it: a byte order mark decides, then the header's charset, then what the
 * page itself names. A charset that is not known counts as none; without any it is UTF-8 where the bytes are, else
 * Windows-1252.
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

/** Of a header or of a `content` attribute; quoted either way. */
function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?\s*([^\s;"',]+)/i.exec(contentType)?.[1]
}

function charsetInMarkup(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, 1024)
  // `<?` of XML in UTF-16 without a mark.
  if (start.startsWith('<\0?\0')) return 'utf-16le'
  if (start.startsWith('\0<\0?')) return 'utf-16be'
  const named =
    /^\s*<\?xml[^>]+encoding\s*=\s*["']\s*([^\s"']+)/i.exec(start)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]
  // Markup whose declaration reads as ASCII is not in UTF-16, whatever it names.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named
}

/** The last character may be cut. */
function isUtf8Start(body: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true })
    return true
  } catch {
    return false
  }
}
