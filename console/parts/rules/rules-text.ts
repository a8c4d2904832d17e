import type { Rule } from '../../../sdk/generated.ts'
import { jsonOf } from '../../ui/form/object-field.tsx'

/** JSON as it is typed; empty for none. */
export function textOfRules(rules: Rule[] = []): string {
  return rules.length === 0 ? '' : JSON.stringify(rules, null, 2)
}

export function rulesOf(text: string): Rule[] {
  return (jsonOf(text) as Rule[] | null) ?? []
}
