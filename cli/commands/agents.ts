import { InvalidArgumentError, type Command } from 'commander'
import type { Agent, CreateAgent, UpdateAgent } from '../../sdk/index.ts'
import { applyAgent } from '../agents/apply.ts'
import { findAgent } from '../agents/find.ts'
import { connect } from '../connection.ts'
import { usageError } from '../failure.ts'
import { shortTime } from '../format.ts'
import { readNamedFile } from '../named-file.ts'
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
  const agents = program
    .command('agents')
    .description('standing agents: list, show, create, update, pause, resume, delete, apply')

  agents
    .command('list')
    .description('list the agents, newest first')
    .option('--category <category>', 'only agents of this category')
    .action(async (query: { category?: string }, command: Command) => {
      const muster = await connect(command)
      const all = await Array.fromAsync(await muster.agents.list(query))
      output().result(all, () => agentTable(all))
    })

  agents
    .command('show')
    .description('show an agent')
    .argument('<agent>', 'id or exact name')
    .action(async (nameOrId: string, _options: object, command: Command) => {
      const agent = await findAgent(await connect(command), 'show agent', nameOrId)
      output().result(agent, () => describe(agent))
    })

  withFields(agents.command('create').description('make an agent'), true).action(
    async (options: AgentOptions, command: Command) => {
      const muster = await connect(command)
      const agent = await muster.agents.create(toFields(options) as CreateAgent)
      output().result(agent, () => describe(agent))
    },
  )

  withFields(
    agents
      .command('update')
      .description('change an agent; what is not given stays as it is')
      .argument('<agent>', 'id or exact name'),
    false,
  ).action(async (nameOrId: string, options: AgentOptions, command: Command) => {
    if (Object.keys(options).length === 0) {
      throw usageError('Cannot update agent: nothing to change; see muster agents update --help')
    }
    const muster = await connect(command)
    const { id } = await findAgent(muster, 'update agent', nameOrId)
    const agent = await muster.agents.update(id, toFields(options))
    output().result(agent, () => describe(agent))
  })

  for (const [verb, status, description] of [
    ['pause', 'paused', 'take an agent offline: a run that reaches its step fails'],
    ['resume', 'active', 'bring a paused agent back'],
  ] as const) {
    agents
      .command(verb)
      .description(description)
      .argument('<agent>', 'id or exact name')
      .action(async (nameOrId: string, _options: object, command: Command) => {
        const muster = await connect(command)
        const { id } = await findAgent(muster, `${verb} agent`, nameOrId)
        const agent = await muster.agents.update(id, { status })
        output().result(agent, () => `${agent.name} (${agent.id}) is ${agent.status}.`)
      })
  }

  agents
    .command('delete')
    .description('delete an agent with its memory; crews run its steps from their own entry')
    .argument('<agent>', 'id or exact name')
    .action(async (nameOrId: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const { id } = await findAgent(muster, 'delete agent', nameOrId)
      const deleted = await muster.agents.delete(id)
      output().result(deleted, () => `Deleted ${deleted.id}.`)
    })

  agents
    .command('apply')
    .description('make the agent of a YAML or JSON file, or change the one that has its name')
    .requiredOption('-f, --file <file>', 'fields as the API has them; - for stdin')
    .action(async ({ file }: { file: string }, command: Command) => {
      const source = await readNamedFile('agent', file)
      const { agent, isNew } = await applyAgent(await connect(command), source)
      output().result(agent, () => `${isNew ? 'Created' : 'Updated'} ${agent.name} (${agent.id}).`)
    })
}

function withFields(command: Command, isNew: boolean): Command {
  const options: [string, string][] = [
    ['--name <name>', 'name, at most 80 characters'],
    ['--role <role>', 'names its steps, at most 60 characters'],
    ['--prompt <text>', 'instructions, at most 8,000 characters'],
  ]
  for (const [flags, description] of options) {
    if (isNew) command.requiredOption(flags, description)
    else command.option(flags, description)
  }
  return command
    .option('--description <text>', 'what it is for; empty for none')
    .option('--category <category>', 'to sort agents by')
    .option('--model <model>', 'model id; empty for the model of the workflow')
    .option('--max-tokens <number>', 'most output tokens of a turn, 256 to 32000', toNumber)
    .option('--connector <id...>', 'connectors that it may use')
    .option('--capability <id...>', 'actions that it may take, <connector>.<action>')
    .option('--memory', 'keep memory between runs')
    .option('--no-memory', 'keep no memory between runs')
}

function toFields(options: AgentOptions): UpdateAgent {
  const { name, role, prompt, description, category, model, maxTokens } = options
  const { connector, capability, memory } = options
  const given = {
    name,
    role,
    systemPrompt: prompt,
    description: description === '' ? null : description,
    category,
    model: model === '' ? null : model,
    maxTokens,
    connectors: connector,
    capabilities: capability,
    memory_enabled: memory,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function toNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Accepted is a whole number from 256 to 32000.')
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
