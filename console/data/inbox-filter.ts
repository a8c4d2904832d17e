/** Filters of the inbox, as they stand in its URL. */
export interface InboxFilter {
  find?: string
  workflow?: string
  /** The name of an action, or `input` or `budget`. */
  action?: string
  /** How long a request waits at least. */
  age?: Age
  /** Only what is assigned to this user. */
  person?: string
}

export const ages = {
  hour: { label: 'Over an hour', ms: 3_600_000 },
  day: { label: 'Over a day', ms: 24 * 3_600_000 },
  week: { label: 'Over a week', ms: 7 * 24 * 3_600_000 },
} as const
type Age = keyof typeof ages

const longest = 200
const leastFind = 3

export function readInboxFilter(search: Record<string, unknown>): InboxFilter {
  const text = (name: string): string | undefined => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined
  }
  const [find, workflow, action, person] = ['find', 'workflow', 'action', 'person'].map(text)
  const age = Object.keys(ages).find((one) => one === search['age']) as Age | undefined
  return {
    ...(find !== undefined && { find }),
    ...(workflow !== undefined && { workflow }),
    ...(action !== undefined && { action }),
    ...(age !== undefined && { age }),
    ...(person !== undefined && { person }),
  }
}

/** Query parameters of the API. A word of fewer letters than it takes is not looked for yet. */
export function toPendingQuery(filter: InboxFilter, now: number): Record<string, string> {
  const { find = '', workflow, action, age, person } = filter
  return {
    ...(find.trim().length >= leastFind && { q: find.trim() }),
    ...(workflow !== undefined && { workflow_id: workflow }),
    ...(action !== undefined && { action }),
    ...(age !== undefined && { created_before: new Date(now - ages[age].ms).toISOString() }),
    ...(person !== undefined && { assignee: person }),
  }
}
