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
  prompt: DemoPrompt,
  document: Document,
): { name: string; input: Record<string, unknown> } | undefined {
  const called = new Set(prompt.toolCalls.map(({ name }) => name))
  const text = `${prompt.instructions}\n${prompt.task}`
  for (const tool of tools) {
    if (called.has(tool.name) || !isNamed(tool.name, text)) continue
    const input = argumentsFor(tool.inputSchema, { text, document })
    if (input !== undefined) return { name: tool.name, input }
  }
  return undefined
}

const phrases: Record<string, RegExp> = {
  request_input:
    /\bask (?:the )?(?:user|human|person|operator|customer|me|us|someone|a (?:person|human))\b|\bclarif(?:y|ication)|\bhuman input\b/i,
  remember: /\bremember\b|\bkeep in mind\b|\bmemor[iy]/i,
  // A stand-in has no judgement to forget with.
  forget: /(?!)/,
}

function isNamed(name: string, text: string): boolean {
  const phrase = phrases[name]
  if (phrase?.test(text) === true) return true
  const lower = text.toLowerCase()
  if (lower.includes(name.toLowerCase()) || lower.includes(name.replace('__', '.').toLowerCase())) {
    return phrase === undefined || name !== 'remember'
  }
  // `email__send` is named by a text that speaks of sending an email, `web__fetch` by one that fetches a page.
  const parts = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  return parts.length >= 2 && parts.every((part) => mentions(lower, part))
}

const synonyms: Record<string, string> = {
  email: 'e-?mails?|mail',
  web: 'web|pages?|urls?|https?',
  fetch: 'fetch|read|open|load|download',
  post: 'post|send|write',
}

function mentions(text: string, word: string): boolean {
  const stem = synonyms[word] ?? word.replace(/s$/, '')
  return new RegExp(`\\b(?:${stem})(?:s|es|ed|ing)?\\b`).test(text)
}

interface Material {
  text: string
  document: Document
}

type Schema = Exclude<LanguageModelV4FunctionTool['inputSchema'], boolean>

function argumentsFor(schema: Schema, material: Material): Record<string, unknown> | undefined {
  const required = new Set(schema.required)
  const input: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!required.has(name)) continue
    const value = typeof property === 'boolean' ? undefined : valueFor(name, property, material)
    if (value === undefined) return undefined
    input[name] = value
  }
  return input
}

function valueFor(name: string, schema: Schema, material: Material): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'object':
      return argumentsFor(schema, material)
    case 'array': {
      const items = Array.isArray(schema.items) ? schema.items[0] : schema.items
      const item = typeof items === 'object' ? valueFor(name, items, material) : undefined
      return item === undefined ? undefined : [item]
    }
    default: {
      const value = stringFor(name.toLowerCase(), schema, material)
      return value === undefined ? undefined : shorten(value, schema.maxLength ?? 2_000)
    }
  }
}

function stringFor(name: string, schema: Schema, { text, document }: Material): string | undefined {
  const main = [...document.sentences].sort((a, b) => b.weight - a.weight)[0]?.text
  const summary = document.sentences.slice(0, 3).map((sentence) => sentence.text)
  if (schema.format === 'email' || /^(?:to|cc|bcc|e?mail|recipients?)$/.test(name)) {
    return /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/.exec(text)?.[0]
  }
  if (schema.format === 'uri' || /url|link|href/.test(name)) {
    return /https?:\/\/[^\s<>"')\]]+/.exec(text)?.[0]?.replace(/[.,;:!?]+$/, '')
  }
  if (/channel/.test(name)) return /(?:^|\s)(#[\w-]+)/.exec(text)?.[1]
  if (/(?:^|_)id$/.test(name)) return undefined
  if (/question|prompt/.test(name)) {
    return document.title === ''
      ? undefined
      : `What should I take into account for “${document.title}”?`
  }
  if (/query|search|^q$/.test(name)) return document.terms.slice(0, 4).join(' ') || undefined
  if (/subject|title|name|label/.test(name)) return document.title || undefined
  return (/text|body|message|note/.test(name) ? summary.join(' ') : main) || undefined
}
