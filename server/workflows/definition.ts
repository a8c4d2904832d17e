import { defaultDefinition, defaultHumanInTheLoop, defaultLimits } from './defaults.ts'
import { WorkflowDefinition, type Workflow } from './schema.ts'

/** What a version of a workflow stores: without its status, and without what only the server sets. */
export function definitionOf(
  workflow: Omit<WorkflowDefinition, 'model'> & Pick<Workflow, 'model' | 'model_inherited'>,
): Record<string, unknown> {
  const { model, model_inherited: inherits } = workflow
  const all: Record<string, unknown> = { ...workflow, model: inherits ? null : model }
  return Object.fromEntries(
    Object.keys(WorkflowDefinition.properties).map((name) => [name, all[name]]),
  )
}

/** A stored definition, also one from before a setting was added. */
export function readDefinition(stored: Record<string, unknown>): WorkflowDefinition {
  const definition = stored as WorkflowDefinition
  return {
    ...defaultDefinition,
    ...definition,
    human_in_the_loop: { ...defaultHumanInTheLoop, ...definition.human_in_the_loop },
    limits: { ...defaultLimits, ...definition.limits },
  }
}
