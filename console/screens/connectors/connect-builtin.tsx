import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ConnectConnector, Connector } from '../../../sdk/generated.ts'
import { fieldsOf, type Field } from '../../parts/schema-form/fields.ts'
import type { Schema } from '../../parts/schema-form/schema.ts'
import { parseTyped, typedOf, type Typed } from '../../parts/schema-form/typed.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

/**
 * A form for credentials by the connector's schema; they are held in memory only, and sent once.
 */
export function ConnectBuiltin({
  connector,
  close,
}: {
  connector: Connector
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['connectors'])
  const { id, label, stored, settings = {}, credentials_schema: schema } = connector
  const properties = (schema as Schema | undefined)?.properties ?? {}
  const isSecret = ({ name }: Field): boolean => properties[name]?.writeOnly === true
  // A stored secret is kept if its field is left empty.
  const fields = fieldsOf(schema, {}).map((field) => ({
    ...field,
    isRequired: field.isRequired && !(stored && isSecret(field)),
  }))
  const draft = useFormDraft(`connector.${id}`)
  const [open, setOpen] = draft.state<Typed>(
    'settings',
    typedOf(
      fields.filter(({ name }) => Object.hasOwn(settings, name)),
      settings,
    ),
  )
  const [secrets, setSecrets] = draft.unstored<Typed>('secrets', {})
  const typed = { ...open, ...secrets }
  const [problems, setProblems] = useState<Record<string, string>>({})
  const connect = useMutation({
    mutationFn: (body: object) => muster.connectors.connect(id, body as ConnectConnector),
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  const send = (): void => {
    const given = Object.entries(typed).filter(([, text]) => text !== '')
    const read = parseTyped(fields, Object.fromEntries(given))
    setProblems('problems' in read ? read.problems : {})
    if ('value' in read) connect.mutate(read.value)
  }
  const fault = faultOf(connect.error)
  return (
    <FormModal
      help="connectors"
      title={`Connect ${label}`}
      description={
        stored
          ? 'Leave a secret empty to keep it for the same server.'
          : 'Secrets are encrypted and never shown again.'
      }
      draft={draft}
      close={close}
      action="Connect"
      sending={{ mutate: send, isPending: connect.isPending }}
      error={connect.error}
    >
      {fields.map((field) => {
        const { name, key, kind, description, isRequired } = field
        const common = {
          label: properties[name]?.title ?? name,
          hint: stored && isSecret(field) ? 'Leave empty to keep the stored one.' : description,
          isOptional: !isRequired,
          value: typed[key] ?? '',
          onChange: (text: string) =>
            isSecret(field)
              ? setSecrets({ ...secrets, [key]: text })
              : setOpen({ ...open, [key]: text }),
          error: problems[key] ?? (fault?.param === name ? fault.message : undefined),
        }
        return kind === 'boolean' ? (
          <SelectField
            key={key}
            {...common}
            options={[
              { value: '', label: 'Default' },
              { value: 'true', label: 'Yes' },
              { value: 'false', label: 'No' },
            ]}
          />
        ) : (
          <TextField
            key={key}
            {...common}
            type={isSecret(field) ? 'password' : 'text'}
            autoComplete="off"
            inputMode={kind === 'integer' ? 'numeric' : undefined}
          />
        )
      })}
    </FormModal>
  )
}
