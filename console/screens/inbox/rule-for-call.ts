import type { Rule, WaitingRun } from '../../../sdk/generated.ts'

/** A condition that a call meets, which a person may leave out of the rule. */
export interface Part {
  id: string
  /** For people. */
  label: string
  value: string
  /** In CEL. */
  condition: string
  /** Whether the suggested rule includes it. */
  isProposed: boolean
}

/** A longer value is prose, which no later call repeats. */
const mostCharacters = 200

/** Of a call: each argument as it is, its workflow and its role. JSON is CEL as it stands. */
export function partsOf({ workflow_id, workflow_name, pending }: WaitingRun): Part[] {
  const same = (path: string, value: unknown): string => `${path} == ${JSON.stringify(value)}`
  const args = Object.entries(pending.tool_input ?? {}).map(([name, value]): Part => {
    const text = JSON.stringify(value)
    return {
      id: `args ${name}`,
      label: name,
      value: typeof value === 'string' ? value : text,
      condition: same(`args[${JSON.stringify(name)}]`, value),
      isProposed: text.length <= mostCharacters,
    }
  })
  return [
    ...args,
    {
      id: 'workflow',
      label: 'Workflow',
      value: workflow_name,
      condition: same('workflow.id', workflow_id),
      isProposed: true,
    },
    {
      id: 'role',
      label: 'Role',
      value: pending.role,
      condition: same('agent.role', pending.role),
      isProposed: true,
    },
  ]
}

/** Allows calls that meet the chosen conditions and have no other arguments than this call. */
export function ruleFor({ pending }: WaitingRun, chosen: Part[], endsAt: string | null): Rule {
  const names = JSON.stringify(Object.keys(pending.tool_input ?? {}))
  const conditions = [
    `args.all(name, name in ${names})`,
    ...chosen.map(({ condition }) => condition),
  ]
  return {
    action: pending.tool ?? '',
    when: conditions.join(' && '),
    decision: 'allow',
    expires_at: endsAt,
  }
}
