/**
 * Text without what people cannot see: zero-width, tag, variation-selector, bidirectional and control
 * characters, which can carry orders that a reviewer never sees. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(hidden, '').toWellFormed()
}

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}[\p{Cc}--[\t\n]]]/gv
