import type { HumanInTheLoop } from '../../workflows/schema.ts'

/** What a run waits for. Stored on its row; the times are columns of their own. */
export interface PendingRequest {
  id: string
  kind: 'input' | 'approval'
  /** The question, or a short summary of the action. */
  prompt: string
  step_order: number
  role: string
  /** The tool call that asks. */
  call_id: string
  /** Approvals only. */
  tool?: string
  /** The exact arguments; approvals only. */
  tool_input?: Record<string, unknown>
  /** What the approval is bound to besides them. */
  tool_version?: string
  /** The action as it is now, where it changed after the agent asked; no schema where it is long. */
  tool_changed?: { description: string; input_schema: object | null }
  /** Who may answer. */
  approvers: HumanInTheLoop['approvers']
  /** Approvals only: how many people have to approve, and who has. */
  approvals?: { required: number; given: number; by: Approval[] }
}

/** A person's approval, where one is not enough. */
export interface Approval {
  id: string
  name: string
  reason: string | null
  at: string
}

/** A pause of a run, as it begins. */
export interface Wait {
  pending: PendingRequest
  /** Null: without end. */
  timeoutSeconds: number | null
}
