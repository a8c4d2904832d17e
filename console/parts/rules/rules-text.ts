import type { Rule } from '../../../sdk/generated.ts'

/** JSON as it is typed; empty for none. */
export function textOfRules(rules: Rule[] = []): string {
  return rules.length === 0 ? '' : JSON.stringify(rules, null, 2)
}

/** What is no JSON goes as it is: the API says what is wrong with it. */
export function rulesOf(text: string): Rule[] {
  if (text.trim() === '') return []
  try {
    return JSON.parse(text) as Rule[]
  } catch {
    return text as unknown as Rule[]
  }
}
