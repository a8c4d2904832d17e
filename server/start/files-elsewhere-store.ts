import type { Connection } from '../engine/safety/epochs.ts'

/** Files whose contents are outside the database, by the store that has them. */
export interface FilesElsewhere {
  store: string
  files: number
}

export async function findFilesElsewhere(connection: Connection): Promise<FilesElsewhere[]> {
  const { rows } = await connection.query<FilesElsewhere>(`
    select store, count(*)::int as files from muster.file_contents
    where store <> 'database' and state = 'kept' group by store order by store`)
  return rows
}
