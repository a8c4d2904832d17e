import { Agent, request } from 'undici'

/**
 * The crew of two that every peer runs, with the prompts of Muster's benchmarks. The model is called
 * by undici itself, without any SDK: less work than a user's program does.
 */
type CrewAgent = 'planner' | 'writer'

const systemPrompts: Record<CrewAgent, string> = {
  planner: 'Plan an answer to the text in three points.',
  writer: 'Write the answer, following the plan.',
}
const modelUrl = `${process.env['MODEL_URL']}/v1/chat/completions`
const dispatcher = new Agent({ pipelining: 1 })

export function callPlanner(input: string): Promise<string> {
  return callModel('planner', input)
}

export function callWriter(input: string, plan: string): Promise<string> {
  return callModel('writer', `${input}\n\n## Output of planner (step 0)\n\n${plan}`)
}

async function callModel(agent: CrewAgent, content: string): Promise<string> {
  const { statusCode, body } = await request(modelUrl, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'bench',
      messages: [
        { role: 'system', content: systemPrompts[agent] },
        { role: 'user', content },
      ],
    }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`The model answered ${statusCode}: ${text}`)
  const { choices } = JSON.parse(text) as { choices: { message: { content: string } }[] }
  const output = choices[0]?.message.content
  if (output === undefined) throw new Error(`The model said nothing: ${text}`)
  return output
}
