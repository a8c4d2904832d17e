import { showInvisible } from '../ui/text/invisible.ts'

/**
 * A JSX runtime like React's that removes invisible characters from all text: names, labels and
 * texts of people and models may contain characters that hide or reverse text, and this way no
 * place that shows them can be forgotten. Values of form fields (`value`) are unchanged.
 */
export function visibleProps<T>(props: T): T {
  const shown = props as Record<string, unknown>
  let changed: Record<string, unknown> | undefined
  for (const name of texts) {
    const visible = toVisible(shown[name])
    if (visible !== shown[name]) changed = { ...(changed ?? shown), [name]: visible }
  }
  return (changed ?? shown) as T
}

const texts = ['children', 'title', 'aria-label', 'alt', 'placeholder', 'label']

function toVisible(value: unknown): unknown {
  if (typeof value === 'string') return isPlain(value) ? value : showInvisible(value)
  if (!Array.isArray(value)) return value
  const children = value.map(toVisible)
  return children.every((child, place) => child === value[place]) ? value : children
}

const literal = new Set<unknown>(['code', 'kbd', 'pre'])

/** Ids, code and keys, which a browser that translates the page leaves alone. */
export function literalProps<T>(type: unknown, props: T): T {
  const { className } = props as { className?: unknown }
  const isLiteral =
    literal.has(type) || (typeof type === 'string' && /\bfont-mono\b/.test(String(className)))
  return isLiteral ? { translate: 'no', ...props } : props
}

/** A fast check for most texts, which have no such characters. */
function isPlain(text: string): boolean {
  return /^[\n\x20-\x7e]*$/.test(text)
}
