import type { Command } from 'commander'
import type { Agent, CreateAgent, UpdateAgent } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { usageError } from '../failure.ts'
import { shortTime } from '../format.ts'
import { wholeNumber } from '../limit.ts'
import { applyFile, findAgent } from '../named.ts'
import { addNoun, given, type Call } from '../noun.ts'
import { clean, fields, table, type Output } from '../output.ts'

interface AgentOptions {
  name?: string
  role?: string
  prompt?: string
  description?: string
  category?: string
  model?: string
  maxTokens?: number
  connector?: string[]
  capability?: string[]
  memory?: boolean
}

export function addAgents(program: Command, output: () => Output): void {
  const { group, verb } = addNoun(
    program,
    output,
    'agents',
    'standing agents: list, show, create, update, pause, resume, delete, apply',
  )
  verb(
    'list',
    'list the agents, newest first',
    async ({ muster, options }: Call<{ category?: string }>) =>
      Array.fromAsync(await muster.agents.list(options)),
    agentTable,
  ).option('--category <category>', 'only agents of this category')

  verb(
    'show <agent>',
    'show an agent',
    ({ muster }, name = '') => findAgent(muster, 'show agent', name),
    describe,
  )

  withFields(
    verb(
      'create',
      'create an agent',
      ({ muster, options }: Call<AgentOptions>) =>
        muster.agents.create(toFields(options) as CreateAgent),
      describe,
    ),
    true,
  )
  withFields(
    verb(
      'update <agent>',
      'change an agent; what is not given stays as it is',
      async ({ muster, options }: Call<AgentOptions>, name = '') => {
        if (Object.keys(options).length === 0) {
          throw usageError(
            'Cannot update agent: nothing to change; see muster agents update --help',
          )
        }
        const { id } = await findAgent(muster, 'update agent', name)
        return muster.agents.update(id, toFields(options))
      },
      describe,
    ),
    false,
  )
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
      (agent) => `${agent.name} (${agent.id}) is ${agent.status}.`,
    )
  }
  verb(
    'delete <agent>',
    'delete an agent with its memory; crews run its steps from their own entry',
    async ({ muster }, name = '') =>
      muster.agents.delete((await findAgent(muster, 'delete agent', name)).id),
    ({ id }) => `Deleted ${id}.`,
  )
  group
    .command('apply')
    .description('create the agent of a YAML or JSON file, or update the one that has its name')
    .requiredOption('-f, --file <file>', 'fields as the API has them; - for stdin')
    .action(async ({ file }: { file: string }, command: Command) => {
      const { applied, told } = await applyFile('agent', file, async () => {
        const { agents } = await connect(command)
        return {
          list: () => agents.list(),
          create: (body) => agents.create(body as unknown as CreateAgent),
          update: (id, body) => agents.update(id, body),
        }
      })
      output().result(applied, () => told)
    })
}

function withFields(command: Command, isNew: boolean): void {
  for (const [flags, description] of [
    ['--name <name>', 'name, up to 80 characters'],
    ['--role <role>', 'names its steps, up to 60 characters'],
    ['--prompt <text>', 'instructions, up to 8,000 characters'],
  ] as const) {
    if (isNew) command.requiredOption(flags, description)
    else command.option(flags, description)
  }
  command
    .option('--description <text>', 'what it is for; empty for none')
    .option('--category <category>', 'to sort agents by')
    .option('--model <model>', 'model id; empty for the model of the workflow')
    .option(
      '--max-tokens <number>',
      'most output tokens of a turn, 256 to 32000',
      wholeNumber(256, 32_000),
    )
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

function agentTable(agents: Agent[]): string {
  return table(
    ['ID', 'NAME', 'STATUS', 'CATEGORY', 'ROLE', 'MODEL', 'MEMORY'],
    agents.map((agent) => [
      agent.id,
      agent.name,
      agent.status,
      agent.category,
      agent.role,
      agent.model ?? 'of the workflow',
      agent.memory_enabled ? 'on' : 'off',
    ]),
  )
}

function describe(agent: Agent): string {
  const overview = fields([
    ['id', agent.id],
    ['name', agent.name],
    ['description', agent.description ?? '–'],
    ['category', agent.category],
    ['role', agent.role],
    ['status', agent.status],
    ['model', agent.model ?? 'of the workflow'],
    ['max tokens', String(agent.maxTokens ?? '–')],
    ['connectors', agent.connectors.join(', ') || '–'],
    ['capabilities', agent.capabilities.join(', ') || '–'],
    ['memory', agent.memory_enabled ? 'on' : 'off'],
    ['updated', shortTime(agent.updated_at)],
  ])
  return `${overview}\n\n${clean(agent.systemPrompt)}`
}
