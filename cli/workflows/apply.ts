import type { Muster, UpdateWorkflow, Workflow } from '../../sdk/index.ts'
import { withLine, type NamedFile } from '../named-file.ts'
import { findByName } from './find.ts'

/**
 * Makes the workflow of a file, or changes the one of that name. The service checks the fields; its
 * message gets the line of the file.
 */
export async function applyWorkflow(
  muster: Muster,
  file: NamedFile,
): Promise<{ workflow: Workflow; isNew: boolean }> {
  const existing = await findByName(muster, 'apply workflow', file.fields.name)
  try {
    if (existing !== undefined) {
      const workflow = await muster.workflows.update(existing.id, file.fields)
      return { workflow, isNew: false }
    }
    // A new workflow is active; the API takes a status with changes only.
    const { status, ...fields } = file.fields
    const { id } = await muster.workflows.create(fields)
    const workflow =
      status === undefined
        ? await muster.workflows.retrieve(id)
        : await muster.workflows.update(id, { status } as UpdateWorkflow)
    return { workflow, isNew: true }
  } catch (error) {
    throw withLine(error, file)
  }
}
