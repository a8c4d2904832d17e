import type { Muster, Workflow } from '../../sdk/index.ts'
import { findOneByName, noneOfName } from '../by-name.ts'

/** The workflow with an id or an exact name; `action` completes "Cannot …". */
export async function findWorkflow(
  muster: Muster,
  action: string,
  nameOrId: string,
): Promise<Workflow> {
  if (/^wf_[0-9a-z]{26}$/.test(nameOrId)) return muster.workflows.retrieve(nameOrId)
  const found = await findByName(muster, action, nameOrId)
  if (found === undefined) throw noneOfName(action, 'workflow', nameOrId)
  return found
}

export async function findByName(
  muster: Muster,
  action: string,
  name: string,
): Promise<Workflow | undefined> {
  return findOneByName(await muster.workflows.list(), action, 'workflow', name)
}
