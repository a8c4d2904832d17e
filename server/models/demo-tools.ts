import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { shorten, type Document } from './demo-document.ts'
import type { DemoPrompt } from './demo-prompt.ts'

/**
 * The stand-in's choice of the next tool: the first one that the instructions or the input name and
 * that was not called yet, once each. Arguments come from the input; a tool whose required arguments
 * are not there is left alone, so that no address is ever invented.
 */
export function chooseToolCall(
  tools: LanguageModelV4FunctionTool[],
  { instructions, task, toolCalls, hasUnreadFiles }: DemoPrompt,
  document: Document,
): { name: string; input: unknown } | undefined {
  const text = `${instructions}\n${task}`
  for (const { name, inputSchema } of tools) {
    if (name === 'files__search' && hasUnreadFiles && !toolCalls.includes(name)) {
      const query = document.terms.slice(0, 8).join(' ')
      if (query !== '') return { name, input: { query } }
    }
    if (toolCalls.includes(name) || !isNamed(name, text.toLowerCase())) continue
    const input = valueFor('', inputSchema, text, document)
    if (input !== undefined) return { name, input }
  }
  return undefined
}

const phrases: Record<string, RegExp> = {
  request_input:
    /\brequest_input\b|\bask (?:the )?(?:user|human|person|operator|customer|me|us|someone|a (?:person|human))\b|\bclarif(?:y|ication)|\bhuman input\b/,
  remember: /\bremember\b|\bkeep in mind\b|\bmemor[iy]/,
  // A stand-in has no judgement to forget with.
  forget: /(?!)/,
}

/** Other words for a part of a tool's name. */
const synonyms: Record<string, string> = {
  email: 'e-?mails?|mail',
  web: 'web|pages?|urls?|https?',
  fetch: 'fetch|read|open|load|download',
  post: 'post|send|write',
}

/** `email__send` is named by a text that speaks of sending an email, in whatever order. */
function isNamed(toolName: string, text: string): boolean {
  const phrase = phrases[toolName]
  if (phrase !== undefined) return phrase.test(text)
  const name = toolName.toLowerCase()
  if (text.includes(name) || text.includes(name.replace('__', '.'))) return true
  const parts = name.split(/[^a-z0-9]+/).filter(Boolean)
  return (
    parts.length >= 2 &&
    parts.every((part) => {
      const stem = synonyms[part] ?? part.replace(/s$/, '')
      return new RegExp(`\\b(?:${stem})(?:s|es|ed|ing)?\\b`).test(text)
    })
  )
}

type Schema = LanguageModelV4FunctionTool['inputSchema'] | boolean

/** Undefined where the text has none. */
function valueFor(name: string, schema: Schema, text: string, document: Document): unknown {
  if (typeof schema === 'boolean') return undefined
  const given = schema.const ?? schema.enum?.[0] ?? schema.default
  if (given !== undefined) return given
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'object': {
      const entries = (schema.required ?? []).map((key) => [
        key,
        valueFor(key.toLowerCase(), schema.properties?.[key] ?? false, text, document),
      ])
      return entries.some(([, value]) => value === undefined)
        ? undefined
        : Object.fromEntries(entries)
    }
    case 'array': {
      const item = valueFor(name, [schema.items].flat()[0] ?? false, text, document)
      return item === undefined ? undefined : [item]
    }
    default: {
      const value = stringFor(name, schema.format, text, document)
      return value && shorten(value, schema.maxLength ?? 2_000)
    }
  }
}

function stringFor(
  name: string,
  format: string | undefined,
  text: string,
  { title, terms, sentences }: Document,
): string | undefined {
  if (format === 'email' || /^(?:to|cc|bcc|e?mail|recipients?)$/.test(name)) {
    return /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/.exec(text)?.[0]
  }
  if (format === 'uri' || /url|link|href/.test(name)) {
    return /https?:\/\/[^\s<>"')\]]+/.exec(text)?.[0]?.replace(/[.,;:!?]+$/, '')
  }
  if (name.includes('channel')) return /(?:^|\s)(#[\w-]+)/.exec(text)?.[1]
  if (/(?:^|_)id$/.test(name) || title === '') return undefined
  if (/question|prompt/.test(name)) return `What should I take into account for “${title}”?`
  if (/query|search|^q$/.test(name)) return terms.slice(0, 4).join(' ') || undefined
  if (/subject|title|name|label/.test(name)) return title
  return (
    sentences
      .slice(0, 3)
      .map((sentence) => sentence.text)
      .join(' ') || undefined
  )
}
