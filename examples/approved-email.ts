/**
 * An agent that may send email, in a workflow where each mail waits for a person.
 *
 *     MUSTER_API_KEY=… npx node examples/approved-email.ts "Order 4711 leaves on Friday."
 *
 * Mail goes through the SMTP server of MUSTER_SMTP_URL, or through one that an admin connected with
 * PUT /v1/connectors/email.
 */
import { Muster } from '@muster-run/sdk'

const { MUSTER_API_KEY: apiKey = '', MUSTER_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env
const muster = new Muster({ apiKey, baseUrl })

const agent = await muster.agents.create({
  name: 'Order desk',
  role: 'clerk',
  systemPrompt:
    'You are the clerk of an order desk. Send the news about the order by email to ' +
    'orders@example.com. Then write one sentence about what you did.',
  connectors: ['email'],
  capabilities: ['email.send'],
})

const workflow = await muster.workflows.create({
  name: 'Order news',
  crew: [{ role: agent.role, systemPrompt: agent.systemPrompt, agentId: agent.id }],
  human_in_the_loop: {
    enabled: true,
    approvals: 'sensitive',
    // Nobody answers for a day: the agent gets that as the result and continues without the mail.
    timeout_seconds: 86_400,
    on_timeout: 'reject',
  },
})

const input = process.argv[2] ?? 'Order 4711 leaves on Friday.'
const { id } = await muster.runs.create(workflow.id, { input })
const run = await muster.runs.wait(id)
if (run.pending !== null) {
  console.log(run.pending.prompt)
  console.log(JSON.stringify(run.pending.tool_input, null, 2))
  console.log(`Answer it: npx muster respond ${id}`)
} else console.log(run.status, run.output ?? run.error)
