/** A list or a quote nested in twenty others. */
const nested = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){20}/m
const mostMarks = 1_000

/**
 * Whether a text has more nesting, or more Markdown marks in one paragraph, than a person or a
 * model would write: a parser tries them against each other, which takes seconds.
 */
export function isTangled(text: string): boolean {
  const prose = text.replaceAll(/^(```|~~~).*\n[^]*?^\1/gm, '')
  return nested.test(prose) || prose.split(/\n[ \t]*\n/).some((block) => hasManyMarks(block))
}

function hasManyMarks(block: string): boolean {
  return (block.match(/[*_~[\]!<>`#]|\d\./g)?.length ?? 0) > mostMarks
}
