import type { ModelProvider } from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { given, wholeNumber, type LocalCall, type Verbs } from '../noun.ts'
import { clean, fields, table } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

const maxKeyBytes = 4_096

interface SetOptions {
  baseUrl?: string
  label?: string
  model?: string[]
  timeout?: number
  /** False: the server takes calls without one. */
  key: boolean
}

export function addModelProviders(program: Verbs): void {
  const about = 'connect models: keys of the account, and compatible servers of its own'
  const { verb, local } = program.noun('model-providers', about)
  verb(
    'list',
    'list the providers, whose key is used, and whether it works',
    async ({ muster }) => Array.fromAsync(await muster.model_providers.list()),
    (providers) =>
      table(providers, ['id', 'label', 'key', 'state', 'message'], {
        key: ({ source }) => source ?? 'none',
        message: ({ message }) => clean(message ?? ''),
      }),
  )
  local(
    'set',
    'store a key or a server and test it (needs an admin key)',
    async ({ connect, options }: LocalCall<SetOptions>, id = '', file?: string) => {
      const { baseUrl, label, model, timeout, key: hasKey } = options
      const key = file === undefined ? undefined : (await readText(file, maxKeyBytes)).trim()
      const body = given({
        api_key: hasKey ? key : null,
        base_url: baseUrl,
        label,
        timeout_seconds: timeout,
        models: model?.map((name) => ({ id: name })),
      })
      const provider = await (await connect()).model_providers.set(id, body)
      if (provider.state === 'failing') shell().exitCode = exitCodes.connectorFailed
      return provider
    },
    describe,
  )
    .argument('<provider>', 'openai, anthropic, google, mistral, or an id of your own for a server')
    .argument('[key-file]', 'file with the key and nothing else; - for stdin')
    .option('--base-url <url>', 'address of a server that speaks the API of OpenAI')
    .option('--model <name...>', 'models of the server; left out, it is asked for its list')
    .option('--label <label>', 'name for people')
    .option(
      '--timeout <seconds>',
      'longest silence of the provider, 120 by default',
      wholeNumber(1, 3600),
    )
    .option('--no-key', 'the server needs no key')
    .addHelpText('after', setHelp)
  verb(
    'test <provider>',
    'ask the provider whether it accepts what is stored',
    async ({ muster }, id = '') => {
      const tested = await muster.model_providers.test(id)
      if (!tested.ok) shell().exitCode = exitCodes.connectorFailed
      return tested
    },
    ({ message }) => clean(message),
  )
  verb(
    'remove <provider>',
    'remove what is stored; a key of the server is used again, where there is one',
    ({ muster }, id = '') => muster.model_providers.remove(id),
    ({ id }) => `Removed ${id}.`,
  )
}

const setHelp = `
Keys are read from a file or stdin, so that they never show in a process list:
  muster model-providers set openai key.txt
  muster model-providers set lab key.txt --base-url https://llm.example.com/v1 --model llama-3.3-70b
Workflows then name the model lab/llama-3.3-70b.`

function describe(provider: ModelProvider): string {
  return fields(provider, ['provider', 'base_url', 'models', 'state', 'message'], {
    provider: ({ id }) => id,
    models: ({ id, models }) => models.map((model) => `${id}/${model.id}`),
    message: ({ message }) => clean(message ?? ''),
  })
}
