import { createLanguage, type Language } from './expression.ts'

/** Tasks that check and evaluate conditions in a thread, all of one request together. */
export interface Case {
  texts: string[]
  values: Record<string, unknown>
}

const languages = new Map<string, Language>()

function languageOf(variables: Record<string, string>): Language {
  return languages.getOrInsertComputed(JSON.stringify(variables), () => createLanguage(variables))
}

/** The first text that cannot be used; undefined if there is none. */
export function refuseFirst({
  variables,
  texts,
}: {
  variables: Record<string, string>
  texts: string[]
}): { index: number; why: string } | undefined {
  const language = languageOf(variables)
  for (const [index, text] of texts.entries()) {
    const why = language.refuse(text)
    if (why !== undefined) return { index, why }
  }
  return undefined
}

/** For each case the outcomes of its texts; a string says why one has none. */
export function evaluateAll({
  variables,
  cases,
}: {
  variables: Record<string, string>
  cases: Case[]
}): (boolean | string)[][] {
  const language = languageOf(variables)
  return cases.map(({ texts, values }) => texts.map((text) => language.evaluate(text, values)))
}
