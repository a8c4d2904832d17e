import type { Rule } from '../../../sdk/generated.ts'

/** JSON as it is typed; empty for none. */
export function textOfRules(rules: Rule[] = []): string {
  return rules.length === 0 ? '' : JSON.stringify(rules, null, 2)
}

/** Text that is not JSON is sent as it is; the API's error says what is wrong. */
export function rulesOf(text: string): Rule[] {
  if (text.trim() === '') return []
  try {
    return JSON.parse(text) as Rule[]
  } catch {
    return text as unknown as Rule[]
  }
}
