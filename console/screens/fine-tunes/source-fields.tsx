import { useId, type ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { SelectField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { formatBytes } from '../../ui/text/format.ts'
import type { Draft } from './new-screen.tsx'

interface Props {
  fields: Fields<Draft>
  workflows: Workflow[]
  upload: File | undefined
  setUpload: (file: File) => void
}

/** The source of the examples. */
export function SourceFields({ fields, workflows, upload, setUpload }: Props): ReactNode {
  const { form, set, field } = fields
  const id = useId()
  if (form.source === 'upload') {
    return (
      <div className="grid content-start gap-1.5">
        <label htmlFor={id} className="text-sm font-medium text-ink-soft">
          File of examples, JSONL
        </label>
        <input
          id={id}
          type="file"
          accept=".jsonl,.json,.txt"
          className="text-sm"
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file !== undefined) setUpload(file)
          }}
        />
        <p className="text-xs text-ink-faint">
          {upload === undefined ? 'Ten lines or more, up to 20 MB.' : formatBytes(upload.size)}
        </p>
      </div>
    )
  }
  const roles = workflows.find(({ id }) => id === form.workflow)?.crew.map(({ role }) => role) ?? []
  return (
    <>
      <SelectField
        label="Runs of the workflow"
        value={form.workflow}
        onChange={(workflow) => set({ workflow, role: '' })}
        options={[
          { value: '', label: 'Choose one' },
          ...workflows.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <SelectField
        label="Steps of the role"
        hint="Train on one role for better results."
        {...field('role')}
        options={[
          { value: '', label: 'All roles' },
          ...[...new Set(roles)].map((role) => ({ value: role, label: role })),
        ]}
      />
    </>
  )
}
