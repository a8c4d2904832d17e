import { visibleText } from '../visible-text.ts'
import type { Cause } from './causes-store.ts'

/** The words of alerts. */
const shown = 5

export function countTitle(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

/** A title, and the first causes as lines. */
export function listCauses(title: string, found: Cause[]): { title: string; text: string } {
  const lines = found.slice(0, shown).map(({ name, why }) => {
    const words = why === null ? name : `${name}: ${why}`
    return visibleText(words).replaceAll(/\s+/g, ' ').slice(0, 400)
  })
  const more = found.length - lines.length
  if (more > 0) lines.push(`and ${more} more`)
  return { title, text: lines.join('\n') }
}
