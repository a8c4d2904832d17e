import { useState, type ReactNode } from 'react'
import type { ConnectConnector, Connector } from '../../../sdk/generated.ts'
import { fieldsOf, type Field } from '../../parts/schema-form/fields.ts'
import type { Schema } from '../../parts/schema-form/schema.ts'
import { parseTyped, typedOf, type Typed } from '../../parts/schema-form/typed.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
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
  const { id, label, stored, settings = {}, credentials_schema: schema } = connector
  const properties = (schema as Schema | undefined)?.properties ?? {}
  const isSecret = ({ name }: Field): boolean => properties[name]?.writeOnly === true
  // A stored secret is kept if its field is left empty.
  const fields = fieldsOf(schema, {}).map((field) => ({
    ...field,
    isRequired: field.isRequired && !(stored && isSecret(field)),
  }))
  const given = fields.filter(({ name }) => Object.hasOwn(settings, name))
  const dialog = useDialogForm({
    draft: `connector.${id}`,
    initial: { settings: typedOf(given, settings) },
    unstored: { secrets: fieldOf<Typed>({}) },
    errorsAt: 'any',
    refresh: useRefresh(['connectors']),
    saved: close,
  })
  const { set, form, fault } = dialog
  const typed = { ...form.settings, ...form.secrets }
  const [problems, setProblems] = useState<Record<string, string>>({})
  const send = async (): Promise<Connector | undefined> => {
    const entered = Object.entries(typed).filter(([, text]) => text !== '')
    const read = parseTyped(fields, Object.fromEntries(entered))
    setProblems('problems' in read ? read.problems : {})
    if (!('value' in read)) return undefined
    return muster.connectors.connect(id, read.value as object as ConnectConnector)
  }
  return (
    <FormModal
      help="connectors"
      title={`Connect ${label}`}
      description={
        stored
          ? 'Leave a secret empty to keep it for the same server.'
          : 'Secrets are encrypted and never shown again.'
      }
      dialog={dialog}
      close={close}
      action="Connect"
      send={send}
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
              ? set({ secrets: { ...form.secrets, [key]: text } })
              : set({ settings: { ...form.settings, [key]: text } }),
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
