import { OwnedTable } from '../db/owned-table.ts'
import { View } from './schema.ts'

export const views = new OwnedTable<View>('saved_views', Object.keys(View.properties))

/** Whether an error is the refusal of a second view with the name. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
