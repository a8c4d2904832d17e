import type { Budget } from '../../../sdk/generated.ts'

/** Labels of what happens at the cap. */
export const atCap: Record<Budget['on_cap'], string> = {
  hold: 'runs wait at the cap',
  ask: 'runs ask at the cap',
  refuse: 'runs fail at the cap',
  fallback: 'runs continue on cheaper models at the cap',
}

export function scopeWords({ scope, scope_value: value, scope_name: name }: Budget): string {
  if (scope === 'account') return 'All calls'
  return scope === 'tag' ? `Tag ${value}` : (name ?? `${scope} ${value} (deleted)`)
}

export function windowWords({ window, time_zone: zone }: Budget): string {
  const words = { day: 'every day', week: 'every week', month: 'every month' }
  return `${words[window]} (${zone})`
}
