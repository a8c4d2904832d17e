import { showInvisible } from '../ui/text/invisible.ts'

/**
 * The console's JSX is React's, but that text never holds what nobody would see: names, labels and all
 * else that people and models wrote may hold characters that hide or turn around what is read, and a
 * place that shows them cannot be forgotten. What fields edit (`value`) stays as it is.
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

/** Most text, which need not be looked at for long. */
function isPlain(text: string): boolean {
  return /^[\n\x20-\x7e]*$/.test(text)
}
