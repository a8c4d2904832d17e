import type { WaitingRun } from '../../../sdk/generated.ts'
import type { Identity } from '../../session/identity.ts'

/** Why the signed-in person may not answer, in the order of the API's checks; the API decides. */
export interface Hindrance {
  /** Why no answer is possible. */
  answer?: string
  /** Why no approval is possible, edited or not. */
  approve?: string
  /** Why another unchanged approval is not possible. */
  again?: string
}

export function hindranceOf(
  { approvers, approvals, excluded = [] }: WaitingRun['pending'],
  { id, role, person }: Pick<Identity, 'id' | 'role' | 'person'>,
): Hindrance {
  const isNamed = approvers.users.includes(id) || approvers.roles.some((one) => one === role)
  if (!isNamed) return { answer: 'You are not an approver of this workflow.' }
  if (excluded.includes(id)) {
    return { approve: 'You triggered this run. Another person has to approve.' }
  }
  const { required = 1, by = [] } = approvals ?? {}
  if (required > 1 && person === undefined) {
    return { approve: `${required} people have to approve; a key does not count.` }
  }
  const hasApproved = by.some((one) => one.id === id)
  return hasApproved ? { again: 'You approved this. Other people have to approve it too.' } : {}
}
