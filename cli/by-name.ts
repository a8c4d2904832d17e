import { exitCodes } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'

/** The one that has a name. Names need not be unique; several of one name are an error here. */
export async function findOneByName<T extends { id: string; name: string }>(
  all: AsyncIterable<T>,
  action: string,
  noun: string,
  name: string,
): Promise<T | undefined> {
  const found: T[] = []
  for await (const one of all) if (one.name === name) found.push(one)
  if (found.length < 2) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  throw usageError(
    `Cannot ${action}: ${found.length} ${noun}s have the name ${JSON.stringify(name)} (${ids})`,
    'ambiguous_name',
  )
}

export function noneOfName(action: string, noun: string, nameOrId: string): CliError {
  return new CliError(
    exitCodes.notFound,
    'not_found',
    `Cannot ${action}: no ${noun} has the id or name ${JSON.stringify(nameOrId)}`,
  )
}
