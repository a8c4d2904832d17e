import { Agent, request } from 'undici'

/**
 * The crew of two that every peer runs, with the prompts of Muster's benchmarks. A peer's program
 * uses the model client of its documentation. If MODEL_CLIENT is `bare`, and always in the floor,
 * undici calls the model: less work than a user's program does.
 */
interface CrewAgent {
  name: 'planner' | 'writer'
  instructions: string
  /** Base URL of the OpenAI-compatible endpoint, with the single model `bench`. */
  baseURL: string
}

/** Answers a prompt as the agent. */
type Answer = (prompt: string) => Promise<string>

const baseURL = `${process.env['MODEL_URL']}/v1`
const dispatcher = new Agent({ pipelining: 1 })

export function makeCrew(makeAgent: (agent: CrewAgent) => Answer = makeBareAgent): {
  callPlanner: (input: string) => Promise<string>
  callWriter: (input: string, plan: string) => Promise<string>
} {
  const make = process.env['MODEL_CLIENT'] === 'bare' ? makeBareAgent : makeAgent
  const planner = make({
    name: 'planner',
    instructions: 'Plan an answer to the text in three points.',
    baseURL,
  })
  const writer = make({
    name: 'writer',
    instructions: 'Write the answer, following the plan.',
    baseURL,
  })
  return {
    callPlanner: planner,
    callWriter: (input, plan) => writer(`${input}\n\n## Output of planner (step 0)\n\n${plan}`),
  }
}

function makeBareAgent({ instructions, baseURL }: CrewAgent): Answer {
  return async (prompt) => {
    const { statusCode, body } = await request(`${baseURL}/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'bench',
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: prompt },
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
}
