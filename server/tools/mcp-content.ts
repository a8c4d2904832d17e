import type { CallToolResult } from '@modelcontextprotocol/client'
import { visibleText } from '../visible-text.ts'

const maxOutputCharacters = 50_000

/** What a tool answered as text for a model; other content is named, not shown. */
export function textOfContent({ content, structuredContent }: CallToolResult): string {
  const parts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text
      case 'image':
      case 'audio':
        return `[${part.type}, ${part.mimeType}, ${sizeOf(part.data)}]`
      case 'resource_link':
        return `[link to ${part.name}: ${part.uri}]`
      case 'resource':
        return 'text' in part.resource
          ? part.resource.text
          : `[resource ${part.resource.uri}, ${sizeOf(part.resource.blob)}]`
      default:
        return '[content of an unknown kind]'
    }
  })
  const isOnlyStructured = parts.length === 0 && structuredContent !== undefined
  const text = isOnlyStructured ? JSON.stringify(structuredContent) : parts.join('\n')
  // Cut first: cleaning takes time.
  const visible = visibleText(text.slice(0, maxOutputCharacters))
  if (text.length > maxOutputCharacters) {
    return `${visible}\n\n[The answer is longer; the rest was left out.]`
  }
  return visible === '' ? '[no content]' : visible
}

function sizeOf(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`
}
