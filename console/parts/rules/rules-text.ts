import type { Rule } from '../../../sdk/generated.ts'
import { jsonOf } from '../../ui/form/object-field.tsx'

/** JSON text for the field; empty if there are no rules. */
export function textOfRules(rules: Rule[] = []): string {
  return rules.length === 0 ? '' : JSON.stringify(rules, null, 2)
}

export function rulesOf(text: string): Rule[] {
  return (jsonOf(text) as Rule[] | null) ?? []
}
