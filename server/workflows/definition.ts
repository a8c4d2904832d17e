import { defaultDefinition, defaultHumanInTheLoop, defaultLimits } from './defaults.ts'
import { WorkflowDefinition, type Workflow } from './schema.ts'

/** The content of a workflow version: without the status and read-only fields. */
export function definitionOf(
  workflow: Omit<WorkflowDefinition, 'model'> & Pick<Workflow, 'model' | 'model_inherited'>,
): Record<string, unknown> {
  const { model, model_inherited: inherits } = workflow
  const all: Record<string, unknown> = { ...workflow, model: inherits ? null : model }
  return Object.fromEntries(
    Object.keys(WorkflowDefinition.properties).map((name) => [name, all[name]]),
  )
}

/** Reads a stored definition; settings that it lacks were added later and get their defaults. */
export function readDefinition(stored: Record<string, unknown>): WorkflowDefinition {
  const definition = stored as WorkflowDefinition
  return {
    ...defaultDefinition,
    ...definition,
    human_in_the_loop: { ...defaultHumanInTheLoop, ...definition.human_in_the_loop },
    limits: { ...defaultLimits, ...definition.limits },
  }
}
