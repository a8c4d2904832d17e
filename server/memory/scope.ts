/** The owner of a memory: a standing agent, or one role of a workflow. */
export type MemoryScope =
  | { kind: 'agent'; agentId: string }
  | { kind: 'role'; workflowId: string; role: string }

/** For reads, a workflow stands for all its roles. */
export type MemoryOwner = MemoryScope | { kind: 'workflow'; workflowId: string }

export const maxEntriesPerScope = 200
/** Limit for all roles, including roles that left the crew: as many as ten full roles have. */
export const maxEntriesPerWorkflow = 2_000
export const maxContentLength = 2_000
