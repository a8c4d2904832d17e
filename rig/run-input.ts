const filler = 'A sentence of the text that the crew shall work on, with facts. '

/** A run's input of so many bytes, which begins with the tag that the model server knows it by. */
export function makeInput(tag: number, bytes: number): string {
  return `#${tag}# ${filler.repeat(Math.ceil(bytes / filler.length))}`.slice(0, bytes)
}
