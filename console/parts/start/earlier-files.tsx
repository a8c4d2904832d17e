import type { ReactNode } from 'react'
import type { StoredFile } from '../../../sdk/generated.ts'
import { searchText, useFiles } from '../../data/files.ts'
import { factsOf } from '../files/words.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/form/field.tsx'
import { useFindHere } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Visible } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

interface Props {
  chosen: readonly StoredFile[]
  /** How many more can be chosen. */
  room: number
  choose: (file: StoredFile) => void
  remove: (id: string) => void
  close: () => void
}

/** A choice of the account's existing files. */
export function EarlierFiles({ chosen, room, choose, remove, close }: Props): ReactNode {
  const query = useFiles()
  const find = useFindHere(searchText)
  const ids = new Set(chosen.map(({ id }) => id))
  return (
    <Modal title="Earlier files" help="files" description="Newest first." onClose={close}>
      <List label="Earlier files" query={query} find={find}>
        {(file) => (
          <div className="px-4 py-2.5">
            <CheckField
              label={
                <span className="wrap-anywhere">
                  <Visible text={file.name} />
                </span>
              }
              hint={
                <>
                  {factsOf(file)} · <Ago at={file.created_at} />
                </>
              }
              checked={ids.has(file.id)}
              disabled={room <= 0 && !ids.has(file.id)}
              onChange={(isChosen) => (isChosen ? choose(file) : remove(file.id))}
            />
          </div>
        )}
      </List>
      <div className="mt-5 flex justify-end">
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Modal>
  )
}
