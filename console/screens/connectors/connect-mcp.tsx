import { Plus, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { ConnectMcp as ConnectMcpBody, Connector } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { ToolPicker, toolsOf } from './tool-picker.tsx'

interface Header {
  name: string
  value: string
}

/** Connects an MCP server; connecting again accepts the current definitions of its tools. */
export function ConnectMcp({
  connector,
  close,
}: {
  connector?: Connector
  close: () => void
}): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['connectors'])
  const dialog = useDialogForm({
    draft: `mcp.${connector?.id ?? 'new'}`,
    initial: {
      id: connector?.id ?? '',
      url: '',
      credentials: connector?.credentials ?? ('account' as const),
      clientId: '',
      safe: connector?.safe_tools?.join('\n') ?? '',
      chosen: undefined as string[] | undefined,
    },
    unstored: { headers: [] as Header[], clientSecret: '' },
    refresh,
    saved: close,
  })
  const { set, field } = dialog
  const { id, url, credentials, clientId, safe, chosen, headers, clientSecret } = dialog.form
  // A server with too many tools, connected without any, so that some can be picked next.
  const [large, setLarge] = useState<Connector>()
  const known = large ?? connector
  const tools = known === undefined ? [] : toolsOf(known)
  const picked = new Set(chosen ?? (known === undefined ? [] : pickedOf(known)))
  const pick =
    chosen === undefined && known?.tools === undefined ? {} : toPick(known, tools, picked)
  const send = async (): Promise<Connector | undefined> => {
    const connect = (fields: object) =>
      muster.connectors.connect(id.trim(), { ...body(), ...fields })
    try {
      return await connect(pick)
    } catch (error) {
      if (known !== undefined || faultOf(error)?.param !== 'tools') throw error
      setLarge(await connect({ tools: { only: [] }, safe_tools: [] }))
      await refresh()
      return undefined
    }
  }
  const body = () => ({
    kind: 'mcp' as const,
    url: url.trim(),
    safe_tools: safe
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    credentials,
    ...(clientId.trim() !== '' && {
      client: {
        id: clientId.trim(),
        ...(clientSecret !== '' && { secret: clientSecret }),
      },
    }),
    // Left out, the headers stored for the same address stay.
    ...(headers.length === 0
      ? {}
      : { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }),
  })
  return (
    <FormModal
      help="mcpServers"
      title={connector === undefined ? 'Add an MCP server' : `Connect ${connector.label} again`}
      description="Its tools are accepted as they are now. One that changes later is refused until you connect it again."
      dialog={dialog}
      close={close}
      action="Connect"
      send={send}
    >
      {connector === undefined && (
        <TextField
          label="Id"
          hint="Short, such as crm: its tools become crm.…"
          required
          {...field('id')}
        />
      )}
      <TextField
        label="Address"
        type="url"
        placeholder="https://…"
        hint={
          connector?.url === undefined
            ? undefined
            : `Currently at ${connector.url}; enter its full address.`
        }
        required
        {...field('url')}
      />
      <HeaderFields
        headers={headers}
        change={(headers) => set({ headers })}
        stored={connector?.header_names ?? []}
      />
      <SelectField
        label="Login"
        hint="For a server that demands a login. You log in after connecting."
        {...field('credentials')}
        options={[
          { value: 'account', label: 'One for the account' },
          { value: 'person', label: 'Each person logs in' },
        ]}
      />
      <details>
        <summary className="text-sm text-ink-soft">Client registered by hand</summary>
        <div className="mt-2 grid gap-3">
          <TextField
            label="Client"
            hint="Its id, only if the server's login says that Muster cannot register itself."
            isOptional
            autoComplete="off"
            {...field('clientId')}
          />
          <TextField
            label="Client secret"
            type="password"
            isOptional
            autoComplete="off"
            {...field('clientSecret')}
          />
        </div>
      </details>
      {tools.length > 0 && (
        <ToolPicker tools={tools} picked={picked} change={(names) => set({ chosen: [...names] })} />
      )}
      {large !== undefined && (
        <p role="alert" className="text-sm text-warn">
          This server has {tools.length} tools. Select the ones that agents may use, and connect.
        </p>
      )}
      <TextArea
        label="Tools that only read"
        hint="One on each line. All other tools require approval."
        rows={2}
        mono
        {...field('safe')}
      />
    </FormModal>
  )
}

function pickedOf({ id, actions }: Connector): string[] {
  return actions.map((action) => action.id.slice(id.length + 1))
}

/**
 * Keeps the connector's kind of list: with `except`, tools that the server adds later are offered,
 * with `only` they are not.
 */
function toPick(
  known: Connector | undefined,
  tools: { name: string }[],
  picked: ReadonlySet<string>,
): Pick<ConnectMcpBody, 'tools'> {
  const names = tools.map(({ name }) => name)
  if (known?.tools?.only !== undefined)
    return { tools: { only: names.filter((name) => picked.has(name)) } }
  return { tools: { except: names.filter((name) => !picked.has(name)) } }
}

interface HeadersProps {
  headers: Header[]
  change: (headers: Header[]) => void
  stored: string[]
}

function HeaderFields({ headers, change, stored }: HeadersProps): ReactNode {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium text-ink-soft">
        Headers, such as Authorization
      </legend>
      {stored.length > 0 && headers.length === 0 && (
        <p className="text-xs text-ink-faint">
          Stored: {stored.join(', ')}. They stay with the same address.
        </p>
      )}
      {headers.map(({ name, value }, index) => (
        <div key={index} className="flex items-start gap-2">
          <TextField
            label="Name of the header"
            isLabelHidden
            placeholder="Name"
            value={name}
            onChange={(name) => change(headers.with(index, { name, value }))}
          />
          <TextField
            label="Value of the header"
            isLabelHidden
            placeholder="Value"
            type="password"
            autoComplete="off"
            value={value}
            onChange={(value) => change(headers.with(index, { name, value }))}
          />
          <IconButton
            label="Remove the header"
            icon={X}
            onClick={() => change(headers.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon={Plus} onClick={() => change([...headers, { name: '', value: '' }])}>
          Add a header
        </Button>
      </div>
    </fieldset>
  )
}
