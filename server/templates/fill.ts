import { refuseTemplates, renderTemplate, renderValue, Room, TemplateError } from './template.ts'

/** Tasks that check and render all templates of one event together, in a thread if they are not cheap. Pure. */
export interface Field {
  name: string
  /** A text, or a JSON value with texts in it. */
  template: unknown
  /** The result is a text, or a list of texts, whatever a template names. */
  isText: boolean
}

export interface Filled {
  values: Record<string, unknown>
  problems: { field: string; why: string }[]
}

/** Renders fields, which share one limit of characters. */
export function fill({ fields, values }: { fields: Field[]; values: object }): Filled {
  const room = new Room()
  const filled: Filled = { values: {}, problems: [] }
  for (const { name, template, isText } of fields) {
    try {
      filled.values[name] = isText
        ? textsOf(template, values, room)
        : renderValue(template, values, room)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      filled.problems.push({ field: name, why: error.message })
    }
  }
  return filled
}

function textsOf(template: unknown, values: object, room: Room): unknown {
  return Array.isArray(template)
    ? template.map((one) => renderTemplate(String(one), values, room))
    : renderTemplate(String(template), values, room)
}

/** The first text that cannot be used, with its path; undefined if there is none. */
export function refuse(fields: Field[]): { path: string; why: string } | undefined {
  for (const { name, template } of fields) {
    const found = refuseTemplates(template, name)
    if (found !== undefined) return found
  }
  return undefined
}
