import { OwnedTable } from '../db/owned-table.ts'
import { Workflow } from './schema.ts'

/** All SQL of workflows; their list shows those first that were changed last. */
export const workflows = new OwnedTable<Workflow>(
  'workflows',
  Object.keys(Workflow.properties),
  'updated_at',
)
