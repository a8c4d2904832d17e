import { InvalidArgumentError, type Command, type CommandOptions } from 'commander'
import type { Muster, Page } from '../sdk/index.ts'
import { connect } from './connection.ts'
import type { Output } from './output.ts'

/** Arguments of a command's function, besides the command line's own. */
export interface Call<O = object> {
  muster: Muster
  options: O
  out: Output
}

/** The same before connecting, for commands that check something first or need no connection. */
export type LocalCall<O = object> = Omit<Call<O>, 'muster'> & { connect: () => Promise<Muster> }

/**
 * Adds a command that calls the service and shows the result, unless it was already shown. `usage`
 * is the verb with its arguments, such as `show <run>`; options are added to the returned command.
 */
type AddVerb<C extends LocalCall | Call> = <O extends object, T>(
  usage: string,
  description: string,
  run: (call: C & { options: O }, ...args: string[]) => Promise<T>,
  show?: (result: NonNullable<T>, ...args: string[]) => string,
  options?: CommandOptions,
) => Command

/** The program, or the commands of one noun. */
export interface Verbs {
  command: Command
  /** The group of this name, created if necessary. */
  noun: (name: string, description?: string) => Verbs
  verb: AddVerb<Call>
  local: AddVerb<LocalCall>
}

export function verbsOf(group: Command, output: () => Output): Verbs {
  const local: Verbs['local'] = (usage, description, run, show = () => '', options = {}) => {
    const [verb = '', ...names] = usage.split(' ')
    const command = group.command(verb, options).description(description)
    for (const name of names) command.argument(name, argumentHelp(name))
    return command.action(async (...all: unknown[]) => {
      const args = all.slice(0, -2) as string[]
      const out = output()
      const call = { options: all.at(-2) as never, out, connect: () => connect(command) }
      const result = await run(call, ...args)
      if (result != null) out.result(result, () => show(result, ...args))
    })
  }
  return {
    command: group,
    noun: (name, about = '') => {
      const known = group.commands.find((one) => one.name() === name)
      return verbsOf(known ?? group.command(name).description(about), output)
    },
    verb: (usage, description, run, show) =>
      local(
        usage,
        description,
        async (call, ...args) => run({ ...call, muster: await call.connect() } as never, ...args),
        show,
      ),
    local,
  }
}

function argumentHelp(name: string): string {
  const noun = name.slice(1, -1)
  if (noun === 'paths...') return 'files on this machine'
  if (noun === 'step') return 'position of the step, from 0'
  return ['agent', 'schedule', 'workflow'].includes(noun) ? 'id or exact name' : `id of the ${noun}`
}

/** The defined fields, for bodies and queries. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

export interface Limited {
  limit: number
}

/** The `--limit` option of a list. */
export function limit(
  fallback: number,
): [flags: string, about: string, parse: (text: string) => number, fallback: number] {
  const parse = wholeNumber(1, 1000)
  return ['--limit <number>', 'up to this many, 1 to 1000', parse, fallback]
}

/** The first `limit` items of a list, whose pages have up to 100. */
export async function take<T>(
  { limit }: Limited,
  list: (query: Limited) => Promise<Page<T>>,
  isWanted: (item: T) => boolean = () => true,
): Promise<T[]> {
  const taken: T[] = []
  for await (const item of await list({ limit: Math.min(limit, 100) })) {
    if (isWanted(item) && taken.push(item) === limit) break
  }
  return taken
}

/** The parser of an integer option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}
