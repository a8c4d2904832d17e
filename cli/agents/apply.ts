import type { Agent, CreateAgent, Muster } from '../../sdk/index.ts'
import { withLine, type NamedFile } from '../named-file.ts'
import { findAgentByName } from './find.ts'

/**
 * Makes the agent of a file, or changes the one of that name. The service checks the fields; its
 * message gets the line of the file.
 */
export async function applyAgent(
  muster: Muster,
  file: NamedFile,
): Promise<{ agent: Agent; isNew: boolean }> {
  const existing = await findAgentByName(muster, 'apply agent', file.fields.name)
  try {
    const agent =
      existing === undefined
        ? await muster.agents.create(file.fields as unknown as CreateAgent)
        : await muster.agents.update(existing.id, file.fields)
    return { agent, isNew: existing === undefined }
  } catch (error) {
    throw withLine(error, file)
  }
}
