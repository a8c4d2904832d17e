/** Whose memory it is: a standing agent's, or that of one role of a workflow. */
export type MemoryScope =
  | { kind: 'agent'; agentId: string }
  | { kind: 'role'; workflowId: string; role: string }

/** A workflow stands for all its roles, where memory is read. */
export type MemoryOwner = MemoryScope | { kind: 'workflow'; workflowId: string }

export const maxEntriesPerScope = 200
/** In all roles, those that left the crew included: as many as ten full roles have. */
export const maxEntriesPerWorkflow = 2_000
export const maxContentLength = 2_000
