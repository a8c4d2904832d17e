import type { ReactNode } from 'react'
import type { ModelProvider, OwnModel, SetModelProvider } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { TextArea, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { idsOf, PriceFields, pricesOf, type Prices, withPrices } from './price-fields.tsx'
import { useRefreshProviders } from '../../data/model-providers.ts'

interface Props {
  /** Undefined for a new server. */
  provider?: ModelProvider
  close: () => void
}

/**
 * A key for a built-in provider, or a compatible server. The key is held in memory only, and sent
 * once.
 */
export function ProviderForm({ provider, close }: Props): ReactNode {
  const { muster } = useSession()
  const isBuiltIn = provider?.kind === 'builtin'
  const dialog = useDialogForm({
    draft: `provider.${provider?.id ?? 'new'}`,
    initial: {
      id: provider?.id ?? '',
      label: provider?.stored === true ? provider.label : '',
      url: provider?.base_url ?? '',
      timeout: provider?.timeout_seconds?.toString() ?? '',
      models: provider?.models.map((model) => model.id).join('\n') ?? '',
      prices: pricesOf(provider?.models ?? []),
    },
    unstored: { key: '' },
    errorsAt: 'any',
    refresh: useRefreshProviders(),
    saved: close,
  })
  const { set, field } = dialog
  const { id, label, url, timeout, models, prices, key } = dialog.form
  const send = (): Promise<ModelProvider> => {
    const named = toModels(models, provider?.models ?? [], prices)
    const body: SetModelProvider = {
      base_url: url.trim() === '' ? null : url.trim(),
      // Left out, the stored key is kept.
      ...(key.trim() === '' ? {} : { api_key: key.trim() }),
      timeout_seconds: timeout.trim() === '' ? null : Number(timeout),
      ...(isBuiltIn ? {} : { label: label.trim() === '' ? null : label.trim() }),
      ...(named.length === 0 ? {} : { models: named }),
    }
    return muster.model_providers.set(id.trim(), body)
  }
  const isStored = provider?.stored === true
  return (
    <FormModal
      help="models"
      title={titleOf(provider)}
      description={
        isBuiltIn
          ? 'Takes precedence over this server’s key. The key is tested when you save it.'
          : 'Any server that speaks OpenAI’s chat completions API, such as vLLM, Ollama, LiteLLM or OpenRouter. It is tested when you save it.'
      }
      dialog={dialog}
      close={close}
      action="Save and test"
      send={send}
    >
      {provider === undefined && (
        <TextField
          label="Id"
          hint="Short, such as lab: its models become lab/…"
          required
          {...field('id')}
        />
      )}
      {!isBuiltIn && (
        <>
          <TextField label="Name" isOptional longest={120} {...field('label')} />
          <TextField
            label="Base URL"
            type="url"
            placeholder="https://llm.example.com/v1"
            required
            {...field('url', 'base_url')}
          />
        </>
      )}
      <TextField
        label="API key"
        isOptional={!isBuiltIn}
        type="password"
        autoComplete="off"
        hint={provider?.has_key === true ? 'Stored. Leave empty to keep it.' : undefined}
        required={isBuiltIn && !isStored}
        {...field('key', 'api_key')}
      />
      {isBuiltIn ? (
        <TextField
          label="Base URL"
          isOptional
          type="url"
          hint="Only for a gateway. Empty: the provider’s usual address."
          {...field('url', 'base_url')}
        />
      ) : (
        <TextArea
          label="Models"
          hint="One on each line. Empty: the server is asked for its list."
          rows={3}
          mono
          {...field('models')}
        />
      )}
      {!isBuiltIn && (
        <PriceFields ids={idsOf(models)} prices={prices} change={(prices) => set({ prices })} />
      )}
      <TextField
        label="Timeout (seconds)"
        isOptional
        type="number"
        hint="How long the provider may stay silent. Empty: 120. Raise it for slow local models."
        {...field('timeout', 'timeout_seconds')}
      />
    </FormModal>
  )
}

function titleOf(provider: ModelProvider | undefined): string {
  if (provider === undefined) return 'Add a server'
  return provider.stored ? `Change ${provider.label}` : `Add a key for ${provider.label}`
}

/** Keeps the other fields of known models. */
function toModels(text: string, known: readonly OwnModel[], prices: Prices): OwnModel[] {
  return idsOf(text).map((id) =>
    withPrices(known.find((model) => model.id === id) ?? { id }, prices[id]),
  )
}
