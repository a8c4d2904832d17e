import type { Command } from 'commander'
import type { Muster } from '../sdk/index.ts'
import { connect } from './connection.ts'
import type { Output } from './output.ts'

/** What a verb is given besides its arguments. */
export interface Call<O = object> {
  muster: Muster
  options: O
  out: Output
}

/** `usage` is the verb with its arguments, `show <run>`. A result of undefined was shown already. */
export type AddVerb = <O extends object, T>(
  usage: string,
  description: string,
  run: (call: Call<O>, ...args: string[]) => Promise<T>,
  show?: (result: NonNullable<T>, ...args: string[]) => string,
) => Command

/** The commands about one noun. */
export function addNoun(
  program: Command,
  output: () => Output,
  name: string,
  description: string,
): { group: Command; verb: AddVerb } {
  const group = program.command(name).description(description)
  return { group, verb: verbsOf(group, output) }
}

/**
 * Verbs that connect, ask the service and show the answer; options are added to the command that each
 * returns.
 */
export function verbsOf(group: Command, output: () => Output): AddVerb {
  return (usage, description, run, show = () => '') => {
    const [verb = '', ...names] = usage.split(' ')
    const command = group.command(verb).description(description)
    for (const name of names) command.argument(name, argumentHelp(name))
    return command.action(async (...all: unknown[]) => {
      const args = all.slice(0, -2) as string[]
      const out = output()
      const muster = await connect(command)
      const result = await run({ muster, options: all.at(-2) as never, out }, ...args)
      if (result != null) out.result(result, () => show(result, ...args))
    })
  }
}

function argumentHelp(name: string): string {
  const noun = name.slice(1, -1)
  return ['agent', 'workflow'].includes(noun) ? 'id or exact name' : `id of the ${noun}`
}

/** Fields that are given, for bodies and queries. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
