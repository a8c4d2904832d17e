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
}

/** A pause of a run, as it begins. */
export interface Wait {
  pending: PendingRequest
  /** Null: without end. */
  timeoutSeconds: number | null
}
