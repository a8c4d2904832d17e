import type { BuiltIn } from '../tools/connector.ts'
import { email } from './email.ts'
import { files } from '../tools/files.ts'
import { hubspot } from './hubspot.ts'
import { slack } from './slack.ts'
import { web } from './web/web.ts'

/** Every connector that comes with Muster, in the order of lists. */
export const builtIns: readonly BuiltIn[] = [email, files, hubspot, slack, web]

/** Those that take credentials. */
export const connectable = builtIns.filter(({ id }) => id !== files.id)

export function findBuiltIn(id: string): BuiltIn | undefined {
  return builtIns.find((builtIn) => builtIn.id === id)
}
