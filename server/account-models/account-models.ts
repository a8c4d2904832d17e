import type { Logger } from 'pino'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/client.ts'
import { noteUse } from '../db/connection-state.ts'
import type { Notices } from '../db/notices.ts'
import { logFailure } from '../db/outage.ts'
import type { Models, ServerModels } from '../models/models.ts'
import type { Provider } from '../models/provider.ts'
import type { OwnModels } from '../models/routing.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { SecretBox } from '../secret-box.ts'
import {
  changeChannel,
  listStored,
  openKey,
  type ProviderRow,
  findByModel,
  listTuned,
  type TunedRow,
} from './store.ts'
import { cannot } from '../errors.ts'
import type { ModelInfo } from '../models/contract.ts'

interface ModelServices {
  database: Database
  secrets: SecretBox
  outbound: Outbound
  log: Logger
}

/**
 * The models of each account: the server's shared ones, and those of its own providers. They are
 * cached by account; a change of the account's providers drops the entry, in this process at once,
 * in others by a notice. While a process gets no notices, an entry lasts two seconds.
 *
 * A provider object, with its connections and breakers, lives until its row changes. Calls with an
 * account's own key or server are billed to the account by its provider; the key is decrypted only
 * here.
 */
export class AccountModels {
  readonly server: ServerModels
  readonly #services: ModelServices
  readonly #notices: Notices
  readonly #byAccount = new LRUCache<string, { models: Promise<Models>; readAtMs: number }>({
    max: 5_000,
  })
  /** By account, id and version. */
  readonly #providers = new LRUCache<string, Provider>({ max: 2_000 })

  constructor(server: ServerModels, services: ModelServices, notices: Notices) {
    this.server = server
    this.#services = services
    this.#notices = notices
    notices.on(changeChannel, (accountId) => {
      if (accountId === undefined) this.#byAccount.clear()
      else this.forget(accountId)
    })
  }

  /** The account's current models. */
  of(accountId: string): Promise<Models> {
    const maxAgeMs = this.#notices.isListening ? maxAgeWithNoticesMs : maxAgeWithoutMs
    const cached = this.#byAccount.get(accountId)
    if (cached !== undefined && performance.now() - cached.readAtMs < maxAgeMs) return cached.models
    const models = this.#read(accountId)
    this.#byAccount.set(accountId, { models, readAtMs: performance.now() })
    models.catch(() => this.forget(accountId))
    return models
  }

  /** Called after a change of the account's providers. */
  forget(accountId: string): void {
    this.#byAccount.delete(accountId)
  }

  /** The provider of a row. Throws if its key or address cannot be used. */
  open(accountId: string, row: ProviderRow): Provider {
    const key = `${accountId} ${row.id} ${row.version}`
    const provider = this.#providers.get(key) ?? this.#create(accountId, row)
    // A dropped provider is not closed: its calls go on, and idle connections end by themselves.
    this.#providers.set(key, provider)
    return provider
  }

  async #read(accountId: string): Promise<Models> {
    const rows = await listStored(this.#services.database, accountId)
    const own = rows.flatMap((row): OwnModels[] => {
      try {
        return [{ provider: this.open(accountId, row), models: row.models }]
      } catch (error) {
        // The account's other models stay usable.
        const where = { accountId, provider: row.id }
        logFailure(this.#services.log, error, 'a model provider cannot be used', where)
        return []
      }
    })
    return this.server.forAccount(own)
  }

  #create(accountId: string, row: ProviderRow): Provider {
    const services = this.#services
    return this.server.createOwn({
      id: row.id,
      label: labelOf(row, this.server),
      apiKey: openKey(services.secrets, accountId, row),
      baseUrl: row.base_url ?? undefined,
      timeoutSeconds: row.timeout_seconds ?? undefined,
      connect: (url) => services.outbound.connectorFor(url, { allowHttp: 'inside' }),
      noteUse: (finding) => void noteUse(services, 'model_providers', accountId, row, finding),
    })
  }
}

const maxAgeWithNoticesMs = 30_000
const maxAgeWithoutMs = 2_000

export function labelOf(
  { id, label }: Pick<ProviderRow, 'id' | 'label'>,
  server: Pick<ServerModels, 'labelOf'>,
): string {
  return label ?? server.labelOf(id) ?? id
}

interface TunedServices {
  database: Database
  models: Models
  fineTunes: { modelsProviderOf(providerId: string): string | undefined }
}

/** Context of a verb that lists or checks models. */
interface ListContext extends TunedServices {
  accountId: string
  reads: Database
  action: string
}

/** Newest fine-tuned models of an account that are listed, to keep the list one answer. */
const maxTuned = 1_000

/** The models that the account can use without tuning, then its fine-tuned models, newest first. */
export async function listModels(ctx: ListContext): Promise<ModelInfo[]> {
  const tuned = await listTuned(ctx.reads, ctx.accountId, maxTuned)
  return [...ctx.models.list(), ...tuned.map((job) => toModelInfo(ctx, job))]
}

/** Refuses a model that this account cannot run. */
export async function checkModel(ctx: ListContext, param: string, id: string): Promise<void> {
  const model = ctx.models.find(id) ?? (await findTunedModel(ctx, ctx.accountId, id))
  if (model?.available === true) return
  const own = (await listModels(ctx)).filter((one) => one.kind === 'fine_tuned' && one.available)
  const ids = own.map((one) => one.id)
  const near = ctx.models.nearest(id, 3, ids).join(', ')
  const key = model === undefined ? undefined : ctx.models.keyNameOf(model.provider)
  const needs = key === undefined ? '' : ` without ${key}`
  const why = `${param} is ${id}, not a model that this deployment can run${needs}, nearest are ${near}`
  throw cannot(ctx, 'unknown_model', why, { param })
}

/** Refuses fallbacks that this account cannot run; skips undefined ones, which are stored already. */
export async function checkFallbacks(
  ctx: ListContext,
  fallbacks: readonly (string | undefined)[],
): Promise<void> {
  for (const [index, id] of fallbacks.entries()) {
    if (id !== undefined) await checkModel(ctx, `fallbacks[${index}]`, id)
  }
}

/** The fine-tuned model with this id, if it is the account's and not deleted. */
export async function findTunedModel(
  services: TunedServices,
  accountId: string,
  modelId: string,
): Promise<ModelInfo | undefined> {
  const job = await findByModel(services.database, accountId, modelId)
  return job && toModelInfo(services, job)
}

function toModelInfo({ fineTunes, models }: TunedServices, job: TunedRow): ModelInfo {
  const provider = fineTunes.modelsProviderOf(job.provider) ?? job.provider
  return {
    id: job.fine_tuned_model as string,
    provider,
    label: `${job.name} (${job.base_model_label}, fine-tuned)`,
    contextWindow: models.find(job.base_model)?.contextWindow ?? null,
    priceIn: job.inference_rate_in,
    priceOut: job.inference_rate_out,
    shutdownDate: models.find(job.base_model)?.shutdownDate ?? null,
    // The providers enforce schemas for every model that they let users tune.
    structuredOutput: true,
    available: models.isAvailable(provider) === true,
    kind: 'fine_tuned',
  }
}
