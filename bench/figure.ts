/** One line of the report: what was measured, and what was promised. */
export interface Figure {
  name: string
  value: string
  /** Empty where nothing is promised. */
  target: string
  /** Undefined where nothing is promised. */
  isMet: boolean | undefined
}

export function figure(name: string, value: string, target = '', isMet?: boolean): Figure {
  return { name, value, target, isMet }
}
