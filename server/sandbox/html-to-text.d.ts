/** Types for the used part of the package, which has none. */
declare module 'html-to-text' {
  export function convert(
    html: string,
    options: {
      wordwrap: false
      limits: { maxInputLength: number; maxDepth: number; maxChildNodes: number }
      selectors: { selector: string; format?: string; options?: Record<string, unknown> }[]
    },
  ): string
}
