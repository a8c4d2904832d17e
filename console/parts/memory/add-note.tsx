import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { CheckField, SelectField, TextArea } from '../../ui/form/field.tsx'
import { fieldsOf } from '../../ui/form/fields.ts'
import type { Owner } from './memory-section.tsx'

interface Draft {
  content: string
  pinned: boolean
  role: string
}

/** A person's entry, for an agent or for one role of a workflow. */
export function AddNote({
  owner,
  onAdded,
}: {
  owner: Owner
  onAdded: () => Promise<void>
}): ReactNode {
  const { muster } = useSession()
  const roles = owner.kind === 'workflow' ? owner.roles : []
  const empty: Draft = { content: '', pinned: false, role: roles[0] ?? '' }
  const [draft, setDraft, clear] = useDraft<Draft>(`note.${owner.id}`, empty)
  const { field, check } = fieldsOf(draft, setDraft)
  const add = useMutation({
    mutationFn: (): Promise<unknown> => {
      const { role, ...note } = draft
      return owner.kind === 'agent'
        ? muster.agents.memory.create(owner.id, note)
        : muster.workflows.memory.create(owner.id, { ...note, role })
    },
    onSuccess: async () => {
      clear()
      await onAdded()
    },
  })
  return (
    // Input during the request would be lost when the draft is cleared.
    <Form className="grid gap-3" inert={add.isPending} send={() => add.mutate()}>
      <TextArea
        label="A new note"
        isLabelHidden
        placeholder="What it should remember"
        {...field('content')}
        longest={2_000}
        rows={2}
      />
      {draft.content !== '' && (
        <div className="flex flex-wrap items-center gap-4">
          {roles.length > 1 && (
            <SelectField
              label="Role"
              isLabelHidden
              {...field('role')}
              options={roles.map((role) => ({ value: role, label: `For ${role}` }))}
            />
          )}
          <CheckField label="Always show it" {...check('pinned')} />
          <Button type="submit" kind="primary" isBusy={add.isPending}>
            Add note
          </Button>
        </div>
      )}
      {add.error !== null && <Failure error={add.error} />}
    </Form>
  )
}
