import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { CreateFineTune } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldsOf } from '../../ui/form/fields.ts'
import { screenFor } from '../../session/for-role.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { useWorkflows } from '../../data/workflows.ts'
import { Preview } from './preview.tsx'
import { SourceFields } from './source-fields.tsx'

export interface Draft {
  name: string
  baseModel: string
  source: 'upload' | 'runs'
  workflow: string
  role: string
  suffix: string
  epochs: string
}

/** The call includes the upload to the provider. */
const timeoutMs = 300_000

const empty: Draft = {
  name: '',
  baseModel: '',
  source: 'runs',
  workflow: '',
  role: '',
  suffix: '',
  epochs: '',
}

/** Chooses the examples, previews the training set with its cost, then starts. */
export const NewFineTuneScreen = screenFor('write', 'New fine-tune', NewFineTune)

function NewFineTune(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: workflows = [] } = useWorkflows()
  const [form, setForm, clear] = useDraft<Draft>('fine-tune.new', empty)
  // Read when it is sent; a file that was changed since it was chosen cannot be read.
  const [upload, setUpload] = useState<File>()
  const preview = useMutation({
    mutationFn: async () => muster.fine_tunes.preview(await bodyOf(form, upload), { timeoutMs }),
  })
  const create = useMutation({
    mutationFn: async () => muster.fine_tunes.create(await bodyOf(form, upload), { timeoutMs }),
    onSuccess: async ({ id }) => {
      clear()
      await queries.invalidateQueries({ queryKey: ['fine-tunes'] })
      await navigate({ to: '/fine-tunes/$fineTuneId', params: { fineTuneId: id } })
    },
  })
  const fields = fieldsOf(form, (changed) => {
    setForm(changed)
    preview.reset()
  })
  const { field } = fields
  return (
    <Page title="New fine-tune" above={<WayBack to="/fine-tunes" label="Fine-tunes" />}>
      <Form send={() => preview.mutate()}>
        <Section title="What is trained">
          <div className="panel grid gap-4 p-4 sm:grid-cols-2">
            <TextField label="Name" longest={120} required {...field('name')} />
            <TextField
              label="Base model"
              hint="Such as gpt-4.1-mini-2025-04-14"
              required
              mono
              {...field('baseModel')}
            />
            <TextField
              label="Suffix of the tuned id"
              hint="Letters, digits and hyphens, up to 18."
              longest={18}
              {...field('suffix')}
            />
            <TextField
              label="Epochs"
              hint="Empty: the provider decides."
              inputMode="numeric"
              {...field('epochs')}
            />
            <SelectField
              label="Examples"
              {...field('source')}
              options={[
                { value: 'runs', label: 'From completed runs' },
                { value: 'upload', label: 'From a file' },
              ]}
            />
            <SourceFields
              fields={fields}
              workflows={workflows}
              upload={upload}
              setUpload={(file) => {
                setUpload(file)
                preview.reset()
              }}
            />
          </div>
        </Section>
        {preview.error !== null && (
          <div className="mb-6">
            <Failure error={preview.error} />
          </div>
        )}
        {preview.data === undefined ? (
          <Button type="submit" kind="primary" isBusy={preview.isPending}>
            Preview
          </Button>
        ) : (
          <Preview
            preview={preview.data}
            isBusy={create.isPending}
            error={create.error}
            start={() => create.mutate()}
          />
        )}
      </Form>
    </Page>
  )
}

async function bodyOf(form: Draft, upload: File | undefined): Promise<CreateFineTune> {
  const { name, baseModel, source, workflow, role, suffix, epochs } = form
  return {
    name: name.trim(),
    base_model: baseModel.trim(),
    source,
    ...(source === 'upload'
      ? { training_data: (await upload?.text()) ?? '' }
      : {
          ...(workflow === '' ? {} : { workflow_id: workflow }),
          ...(role === '' ? {} : { role }),
        }),
    ...(suffix.trim() === '' ? {} : { suffix: suffix.trim() }),
    ...(epochs.trim() === '' ? {} : { hyperparameters: { epochs: Number(epochs) } }),
  }
}
