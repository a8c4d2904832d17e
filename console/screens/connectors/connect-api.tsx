import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ConnectConnector, Connector } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const draft = useFormDraft(`api.${connector?.id ?? 'new'}`)
  const [id, setId] = draft.state('id', connector?.id ?? '')
  const [source, setSource] = draft.state<Source>('source', sourceOf(connector))
  const [address, setAddress] = draft.state('address', '')
  const [document, setDocument] = draft.unstored('document', '')
  const [actions, setActions] = draft.state('actions', actionsOf(connector))
  const [baseUrl, setBaseUrl] = draft.state('base', connector?.base_url ?? '')
  const keeps: AuthKind = connector === undefined ? 'none' : 'keep'
  const [kind, setKind] = draft.state<AuthKind>('login', keeps)
  const [texts, setTexts] = draft.unstored<AuthTexts>('secrets', {})
  // The document was read, and its operations can be picked.
  const [read, setRead] = useState<Connector>()
  const known = read ?? connector
  const operations = known?.listed_operations ?? []
  const [marked, setMarked] = draft.state<Marked>('operations', markedOf(connector))
  const [problem, setProblem] = useState<string>()
  const connect = useMutation({
    mutationFn: async (body: object) => ({
      body,
      connected: await muster.connectors.connect(id.trim(), body as ConnectConnector),
    }),
    onSuccess: async ({ connected }) => {
      await refresh()
      if (source !== 'actions' && operations.length === 0) return setRead(connected)
      draft.discard()
      close()
    },
  })
  const send = (): void => {
    const base = {
      ...(baseUrl.trim() !== '' && { base_url: baseUrl.trim() }),
      ...toAuth(kind, texts),
    }
    setProblem(undefined)
    if (source === 'actions') {
      const given = parseActions(actions)
      if (given === undefined) setProblem('Enter a JSON list of actions')
      else connect.mutate({ kind: 'http', ...base, actions: given })
      return
    }
    const { picked, safe } = marked
    const pick =
      operations.length === 0
        ? { operations: { only: [] } }
        : { operations: { only: picked }, safe }
    const text = document.trim()
    const of =
      source === 'document'
        ? { document: text }
        : { ...(address.trim() !== '' && { document_url: address.trim() }) }
    connect.mutate({ kind: 'openapi', ...base, ...of, ...pick })
  }
  const fault = faultOf(connect.error)
  const errorAt = (param: string): string | undefined =>
    fault?.param === param ? fault.message : undefined
  const hasStoredAddress = connector?.document?.origin != null
  return (
    <FormModal
      help="httpApis"
      title={connector === undefined ? 'Add an HTTP API' : `Connect ${connector.label} again`}
      description="Its calls never leave the base address. Secrets are encrypted and never shown again."
      draft={draft}
      close={close}
      isWide
      action={source === 'actions' || operations.length > 0 ? 'Connect' : 'Read operations'}
      sending={{ mutate: send, isPending: connect.isPending }}
      error={connect.error}
    >
      {connector === undefined && (
        <TextField
          label="Id"
          hint="Short, such as shop: its actions become shop.…"
          required
          value={id}
          onChange={setId}
          error={errorAt('id')}
        />
      )}
      <SelectField<Source> label="Source" value={source} onChange={setSource} options={sources} />
      {source === 'address' && (
        <TextField
          label="Address of the document"
          type="url"
          placeholder="https://…"
          hint={hasStoredAddress ? 'Leave empty to read the stored address again.' : undefined}
          required={!hasStoredAddress}
          isOptional={hasStoredAddress}
          value={address}
          onChange={setAddress}
          error={errorAt('document_url')}
        />
      )}
      {source === 'document' && (
        <DocumentField text={document} change={setDocument} error={errorAt('document')} />
      )}
      {source === 'actions' && (
        <TextArea
          label="Actions"
          hint="A JSON list of {name, description, method, path, input_schema?, query?, body?, safe?}."
          mono
          rows={8}
          required
          value={actions}
          onChange={setActions}
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
        value={baseUrl}
        onChange={setBaseUrl}
        error={errorAt('base_url')}
      />
      <AuthFields {...{ connector: known, kind, texts, setKind, setTexts, fault }} />
      {source !== 'actions' && operations.length > 0 && (
        <OperationPicker operations={operations} marked={marked} change={setMarked} />
      )}
    </FormModal>
  )
}

interface DocumentProps {
  text: string
  change: (text: string) => void
  error: string | undefined
}

/** A document that is chosen as a file or pasted. */
function DocumentField({ text, change, error }: DocumentProps): ReactNode {
  return (
    <>
      <label className="grid gap-1 text-sm font-medium text-ink-soft">
        File with the document
        <input
          type="file"
          accept=".json,.yaml,.yml"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file !== undefined) void file.text().then(change)
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
        value={text}
        onChange={change}
        error={error}
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
