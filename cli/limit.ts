import { InvalidArgumentError, type Command } from 'commander'
import type { Page } from '../sdk/index.ts'

export interface Limited {
  limit: number
}

export function limited(command: Command, fallback: number): Command {
  return command.option(
    '--limit <number>',
    'up to this many, 1 to 1000',
    wholeNumber(1, 1000),
    fallback,
  )
}

/** The first `limit` items of a list, whose pages hold up to 100. */
export async function take<T>(
  { limit }: Limited,
  list: (query: Limited) => Promise<Page<T>>,
): Promise<T[]> {
  const taken: T[] = []
  for await (const item of await list({ limit: Math.min(limit, 100) })) {
    if (taken.push(item) === limit) break
  }
  return taken
}

/** The parser of an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}
