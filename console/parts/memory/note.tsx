import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import type { MemoryEntry, UpdateMemory } from '../../../sdk/generated.ts'
import { Form } from '../../ui/form/form.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { TextArea } from '../../ui/form/field.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

interface Props {
  entry: MemoryEntry
  canWrite: boolean
  update: (body: UpdateMemory) => Promise<void>
  forget: () => Promise<void>
}

/** One entry: its author, when it was last used, and actions. */
export function Note({ entry, canWrite, update, forget }: Props): ReactNode {
  const [draft, setDraft, clear, isEdited] = useDraft(`memory.${entry.id}`, entry.content)
  const [isEditing, setIsEditing] = useState(isEdited)
  const [asks, setAsks] = useState(false)
  const id = useId()
  const change = useMutation({ mutationFn: update })
  const save = () =>
    change.mutate(
      { content: draft },
      {
        onSuccess: () => {
          clear()
          setIsEditing(false)
        },
      },
    )
  return (
    <div
      className={`flex items-start gap-2 py-3 pr-2 pl-4 ${entry.pinned ? 'bg-accent-soft/40' : ''}`}
    >
      <div className="grid min-w-0 flex-1 gap-1.5">
        {isEditing ? (
          <Form className="grid gap-2" inert={change.isPending} send={save}>
            <TextArea
              label="Note"
              isLabelHidden
              value={draft}
              onChange={setDraft}
              longest={2_000}
              autoFocus
            />
            <div className="flex gap-2">
              <Button type="submit" kind="primary" isBusy={change.isPending}>
                Save
              </Button>
              <Button
                onClick={() => {
                  clear()
                  setIsEditing(false)
                }}
              >
                Cancel
              </Button>
            </div>
          </Form>
        ) : (
          <div id={id}>
            <Text text={entry.content} limit={2_000} />
          </div>
        )}
        {change.error !== null && <Failure error={change.error} />}
        <Origin entry={entry} />
      </div>
      {canWrite && !isEditing && (
        <div className="flex shrink-0">
          <IconButton
            label={entry.pinned ? 'Unpin the note' : 'Pin the note'}
            icon={entry.pinned ? PinOff : Pin}
            aria-describedby={id}
            disabled={change.isPending}
            onClick={() => change.mutate({ pinned: !entry.pinned })}
          />
          <IconButton
            label="Edit the note"
            aria-describedby={id}
            icon={Pencil}
            onClick={() => setIsEditing(true)}
          />
          <IconButton
            label="Forget the note"
            aria-describedby={id}
            icon={Trash2}
            onClick={() => setAsks(true)}
          />
        </div>
      )}
      {asks && (
        <Confirm
          title="Forget this note?"
          action="Forget it"
          wayOut="Cancel"
          run={forget}
          onClose={() => setAsks(false)}
        >
          It is gone for all runs to come. It cannot be undone.
        </Confirm>
      )}
    </div>
  )
}

function Origin({ entry }: { entry: MemoryEntry }): ReactNode {
  const { source, role, pinned, run_id: runId, created_at: at, last_used_at: usedAt } = entry
  return (
    <p className="flex flex-wrap gap-x-1.5 text-xs text-ink-faint">
      {pinned && <span className="font-medium text-accent">Pinned ·</span>}
      {role !== null && <span className="min-w-0">{role} ·</span>}
      <span>
        {source === 'agent' ? 'by the agent' : 'by a person'} <Ago at={at} />
      </span>
      {runId !== null && (
        <Link to="/runs/$runId" params={{ runId }} className="link">
          in a run
        </Link>
      )}
      <span>
        ·{' '}
        {usedAt === null ? (
          'not shown to it yet'
        ) : (
          <>
            shown last <Ago at={usedAt} />
          </>
        )}
      </span>
    </p>
  )
}
