import type { RunComparison, VersionDiff } from '../../sdk/index.ts'
import { bold, clean, dim } from '../output.ts'
import { reveal } from '../pending/show.ts'

type Parts = NonNullable<RunComparison['output']>

/** The differences between two versions, field by field. */
export function describeDiff({ from, to, changes }: VersionDiff): string {
  if (changes.length === 0) return `Versions ${from} and ${to} are the same.`
  return changes
    .map(({ field, agent, before, after, parts }) => {
      const head = bold(agent === null ? field : `${field} (${clean(agent)})`)
      if (parts !== null) return `${head}\n${describeParts(parts)}`
      return `${head}\n- ${reveal(JSON.stringify(before))}\n+ ${reveal(JSON.stringify(after))}`
    })
    .join('\n\n')
}

/** Removed and added words inside the text, marked like `git diff --word-diff`. */
export function describeParts(parts: Parts): string {
  return parts.map(({ kind, text }) => marked(kind, clean(text))).join('')
}

function marked(kind: Parts[number]['kind'], text: string): string {
  if (kind === 'same') return dim(text)
  return kind === 'added' ? `{+${text}+}` : `[-${text}-]`
}
