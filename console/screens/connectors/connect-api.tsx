import { useState, type ReactNode } from 'react'
import type { ConnectConnector, Connector } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { AuthFields, toAuth, type AuthKind, type AuthTexts } from './auth-fields.tsx'
import { OperationPicker, type Marked } from './operation-picker.tsx'

type Source = 'address' | 'document' | 'actions'

const sources = [
  { value: 'address', label: 'OpenAPI document at an address' },
  { value: 'document', label: 'OpenAPI document as a file or text' },
  { value: 'actions', label: 'Actions described by hand' },
] as const

/** Connects an HTTP API; its operations are picked once its document was read. */
export function ConnectApi({
  connector,
  close,
}: {
  connector?: Connector
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['connectors'])
  const dialog = useDialogForm({
    draft: `api.${connector?.id ?? 'new'}`,
    initial: {
      id: connector?.id ?? '',
      source: sourceOf(connector),
      address: '',
      actions: actionsOf(connector),
      baseUrl: connector?.base_url ?? '',
      kind: fieldOf<AuthKind>(connector === undefined ? 'none' : 'keep'),
      marked: markedOf(connector),
    },
    unstored: { document: '', texts: fieldOf<AuthTexts>({}) },
    errorsAt: 'any',
    refresh,
    saved: close,
  })
  const { set, field, fault } = dialog
  const { id, source, address, actions, baseUrl, kind, marked, document, texts } = dialog.form
  // The document was read, and its operations can be picked.
  const [read, setRead] = useState<Connector>()
  const known = read ?? connector
  const operations = known?.listed_operations ?? []
  const [problem, setProblem] = useState<string>()
  const connect = (body: object): Promise<Connector> => {
    const base = {
      ...(baseUrl.trim() !== '' && { base_url: baseUrl.trim() }),
      ...toAuth(kind, texts),
    }
    return muster.connectors.connect(id.trim(), { ...base, ...body } as ConnectConnector)
  }
  const send = async (): Promise<Connector | undefined> => {
    setProblem(undefined)
    if (source === 'actions') {
      const given = parseActions(actions)
      if (given !== undefined) return connect({ kind: 'http', actions: given })
      setProblem('Enter a JSON list of actions')
      return undefined
    }
    const of =
      source === 'document'
        ? { document: document.trim() }
        : { ...(address.trim() !== '' && { document_url: address.trim() }) }
    if (operations.length > 0) {
      const { picked, safe } = marked
      return connect({ kind: 'openapi', ...of, operations: { only: picked }, safe })
    }
    setRead(await connect({ kind: 'openapi', ...of, operations: { only: [] } }))
    await refresh()
    return undefined
  }
  const hasStoredAddress = connector?.document?.origin != null
  return (
    <FormModal
      help="httpApis"
      title={connector === undefined ? 'Add an HTTP API' : `Connect ${connector.label} again`}
      description="Its calls never leave the base address. Secrets are encrypted and never shown again."
      dialog={dialog}
      close={close}
      isWide
      action={source === 'actions' || operations.length > 0 ? 'Connect' : 'Read operations'}
      send={send}
    >
      {connector === undefined && (
        <TextField
          label="Id"
          hint="Short, such as shop: its actions become shop.…"
          required
          {...field('id')}
        />
      )}
      <SelectField<Source> label="Source" {...field('source')} options={sources} />
      {source === 'address' && (
        <TextField
          label="Address of the document"
          type="url"
          placeholder="https://…"
          hint={hasStoredAddress ? 'Leave empty to read the stored address again.' : undefined}
          required={!hasStoredAddress}
          isOptional={hasStoredAddress}
          {...field('address', 'document_url')}
        />
      )}
      {source === 'document' && <DocumentField {...field('document')} />}
      {source === 'actions' && (
        <TextArea
          label="Actions"
          hint="A JSON list of {name, description, method, path, input_schema?, query?, body?, safe?}."
          mono
          rows={8}
          required
          {...field('actions')}
          error={problem}
        />
      )}
      <TextField
        label="Base address"
        type="url"
        placeholder="https://…"
        hint={source === 'actions' ? undefined : "The document's server by default."}
        required={source === 'actions'}
        isOptional={source !== 'actions'}
        {...field('baseUrl', 'base_url')}
      />
      <AuthFields connector={known} {...{ kind, texts, set, fault }} />
      {source !== 'actions' && operations.length > 0 && (
        <OperationPicker
          operations={operations}
          marked={marked}
          change={(marked) => set({ marked })}
        />
      )}
    </FormModal>
  )
}

interface DocumentProps {
  value: string
  onChange: (text: string) => void
  error: string | undefined
}

/** A document that is chosen as a file or pasted. */
function DocumentField({ onChange, ...field }: DocumentProps): ReactNode {
  return (
    <>
      <label className="grid gap-1 text-sm font-medium text-ink-soft">
        File with the document
        <input
          type="file"
          accept=".json,.yaml,.yml"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file !== undefined) void file.text().then(onChange)
          }}
          className="text-sm"
        />
      </label>
      <TextArea
        label="Document"
        hint="OpenAPI 3.0 or 3.1, JSON or YAML, up to 5 MB."
        mono
        rows={6}
        required
        onChange={onChange}
        {...field}
      />
    </>
  )
}

function sourceOf(connector: Connector | undefined): Source {
  if (connector?.kind === 'http') return 'actions'
  return connector?.document !== undefined && connector.document.origin === null
    ? 'document'
    : 'address'
}

function markedOf(connector: Connector | undefined): Marked {
  const listed = connector?.listed_operations ?? []
  const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'
  return {
    picked: listed.filter(({ picked }) => picked).map(({ name }) => name),
    safe: listed.filter(({ safe, method }) => safe && !isRead(method)).map(({ name }) => name),
  }
}

function actionsOf(connector: Connector | undefined): string {
  if (connector?.kind !== 'http') return ''
  const actions = connector.actions.map((action) => ({
    name: action.id.slice(connector.id.length + 1),
    description: action.description,
    method: action.method,
    path: action.path,
    input_schema: action.input_schema,
    ...(action.query !== undefined && action.query.length > 0 && { query: action.query }),
    body: action.body,
    safe: action.safe,
  }))
  return JSON.stringify(actions, null, 2)
}

function parseActions(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
