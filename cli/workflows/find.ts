import type { Muster, Workflow } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'

/** The workflow with an id or an exact name; `action` completes "Cannot …". */
export async function findWorkflow(
  muster: Muster,
  action: string,
  nameOrId: string,
): Promise<Workflow> {
  if (/^wf_[0-9a-z]{26}$/.test(nameOrId)) return muster.workflows.retrieve(nameOrId)
  const found = await findByName(muster, action, nameOrId)
  if (found !== undefined) return found
  throw new CliError(
    exitCodes.notFound,
    'not_found',
    `Cannot ${action}: no workflow has the id or name ${JSON.stringify(nameOrId)}`,
  )
}

/** Names need not be unique; several of one name are an error here. */
export async function findByName(
  muster: Muster,
  action: string,
  name: string,
): Promise<Workflow | undefined> {
  const found: Workflow[] = []
  for await (const workflow of await muster.workflows.list()) {
    if (workflow.name === name) found.push(workflow)
  }
  if (found.length < 2) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  throw usageError(
    `Cannot ${action}: ${found.length} workflows have the name ${JSON.stringify(name)} (${ids})`,
    'ambiguous_name',
  )
}
