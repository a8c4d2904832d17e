import type { Command } from 'commander'
import type { Agent, CreateAgent, UpdateAgent } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { addApply, findAgent } from '../named.ts'
import { given, wholeNumber, type Call, type Verbs } from '../noun.ts'
import { clean, fields, oneLine, table } from '../output.ts'

interface AgentOptions extends Omit<UpdateAgent, 'systemPrompt' | 'memory_enabled'> {
  prompt?: string
  connector?: string[]
  capability?: string[]
  memory?: boolean
}

export function addAgents(program: Verbs): void {
  const agents = program.noun(
    'agents',
    'standing agents: list, show, create, update, pause, resume, delete, apply',
  )
  const { verb } = agents
  verb(
    'list',
    'list the agents, newest first',
    async ({ muster, options }: Call<{ category?: string }>) =>
      Array.fromAsync(await muster.agents.list(options)),
    (all) =>
      table(all, ['id', 'name', 'status', 'category', 'role', 'model', 'memory'], {
        model,
        memory,
      }),
  ).option('--category <category>', 'only agents of this category')
  verb(
    'show <agent>',
    'show an agent',
    ({ muster }, name = '') => findAgent(muster, 'show agent', name),
    describe,
  )
  const create = verb(
    'create',
    'create an agent',
    ({ muster, options }: Call<AgentOptions>) =>
      muster.agents.create(toFields(options) as CreateAgent),
    describe,
  )
  const update = verb(
    'update <agent>',
    'change an agent; what is not given stays as it is',
    async ({ muster, options }: Call<AgentOptions>, name = '') => {
      if (Object.keys(options).length === 0) {
        throw usageError('Cannot update agent: nothing to change; see muster agents update --help')
      }
      const { id } = await findAgent(muster, 'update agent', name)
      return muster.agents.update(id, toFields(options))
    },
    describe,
  )
  withFields(create, 'requiredOption')
  withFields(update, 'option')
  for (const [word, status, description] of [
    ['pause', 'paused', 'take an agent offline: a run that reaches its step fails'],
    ['resume', 'active', 'bring a paused agent back'],
  ] as const) {
    verb(
      `${word} <agent>`,
      description,
      async ({ muster }, name = '') => {
        const { id } = await findAgent(muster, `${word} agent`, name)
        return muster.agents.update(id, { status })
      },
      (agent) => `${oneLine(agent.name)} (${agent.id}) is ${agent.status}.`,
    )
  }
  verb(
    'delete <agent>',
    'delete an agent with its memory; crews run its steps from their own entry',
    async ({ muster }, name = '') =>
      muster.agents.delete((await findAgent(muster, 'delete agent', name)).id),
    ({ id }) => `Deleted ${id}.`,
  )
  addApply(agents, 'agent', (muster) => ({
    list: () => muster.agents.list(),
    create: (body) => muster.agents.create(body as unknown as CreateAgent),
    update: (id, body) => muster.agents.update(id, body),
  }))
}

function withFields(command: Command, whatNamesIt: 'option' | 'requiredOption'): void {
  command[whatNamesIt]('--name <name>', 'name, up to 80 characters')
  command[whatNamesIt]('--role <role>', 'names its steps, up to 60 characters')
  command[whatNamesIt]('--prompt <text>', 'instructions, up to 8,000 characters')
  const tokens = wholeNumber(256, 32_000)
  command
    .option('--description <text>', 'what it is for; empty for none')
    .option('--category <category>', 'to sort agents by')
    .option('--model <model>', 'model id; empty for the model of the workflow')
    .option('--max-tokens <number>', 'most output tokens of a turn, 256 to 32000', tokens)
    .option('--connector <id...>', 'connectors that it may use')
    .option('--capability <id...>', 'actions that it may take, <connector>.<action>')
    .option('--memory', 'keep memory between runs')
    .option('--no-memory', 'keep no memory between runs')
}

function toFields(options: AgentOptions): UpdateAgent {
  const { prompt, description, model, connector, capability, memory, ...same } = options
  return given({
    ...same,
    systemPrompt: prompt,
    description: description === '' ? null : description,
    model: model === '' ? null : model,
    connectors: connector,
    capabilities: capability,
    memory_enabled: memory,
  })
}

const model = (agent: Agent): string => agent.model ?? 'of the workflow'
const memory = (agent: Agent): string => (agent.memory_enabled ? 'on' : 'off')

function describe(agent: Agent): string {
  const first = ['id', 'name', 'description', 'category', 'role', 'status', 'model'] as const
  const overview = fields(
    agent,
    [...first, 'max tokens', 'connectors', 'capabilities', 'memory', 'updated_at'],
    { model, 'max tokens': ({ maxTokens }) => maxTokens, memory },
    '–',
  )
  return `${overview}\n\n${clean(agent.systemPrompt)}`
}
