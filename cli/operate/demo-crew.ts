import type { CreateAgent, CreateWorkflow, Muster, Workflow } from '../../sdk/index.ts'
import { findByName } from '../named.ts'

export const demoSender = 'Muster demo <muster@example.com>'

const agent: CreateAgent = {
  name: 'Demo writer',
  description: 'Writes a text and asks before it sends an email.',
  role: 'writer',
  systemPrompt:
    'You are the writer of a crew. Send one email with the main points of the text to ' +
    'team@example.com, its title as the subject. Then write the text, following the plan. If the ' +
    'email was not sent, say so.',
  connectors: ['email'],
  capabilities: ['email.send'],
  memory_enabled: false,
}

/** The demo's workflow in its current form; the first demo creates it, with its agent. */
export async function ensureCrew(muster: Muster, model: string): Promise<Pick<Workflow, 'id'>> {
  const agentId = await ensureAgent(muster)
  const workflow: CreateWorkflow = {
    name: 'Demo',
    model,
    crew: [
      {
        role: 'planner',
        systemPrompt:
          'You are the planner of a crew. Write a short, numbered plan for a text that has the points of what you are given.',
      },
      { role: agent.role, systemPrompt: agent.systemPrompt, agentId },
    ],
    human_in_the_loop: { enabled: true, allow_input: false },
    memory_enabled: false,
  }
  const existing = await findByName(muster, 'run the demo', 'workflows', workflow.name)
  return existing === undefined
    ? muster.workflows.create(workflow)
    : muster.workflows.update(existing.id, workflow)
}

async function ensureAgent(muster: Muster): Promise<string> {
  for await (const { id, name } of await muster.agents.list()) {
    if (name === agent.name) return (await muster.agents.update(id, agent)).id
  }
  return (await muster.agents.create(agent)).id
}
