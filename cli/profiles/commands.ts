import { Muster } from '../../sdk/index.ts'
import { checkKey, findUrl, type Place } from '../connection.ts'
import { usageError } from '../failure.ts'
import type { LocalCall, Verbs } from '../noun.ts'
import { table } from '../output.ts'
import { askLine, askSecret, canAsk } from '../pending/prompt.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'
import {
  checkProfileName,
  profilesFile,
  readProfile,
  readProfiles,
  saveProfiles,
} from './stored.ts'

/** Commands that store, list, choose and remove profiles. `--profile` of all commands names one. */
interface LoginOptions {
  keyFile?: string
}

interface Listed {
  name: string
  url: string
  current: boolean
}

const defaultName = 'default'
const maxKeyBytes = 4_096
const nothingStored = 'Nothing was stored.'

export function addProfiles({ noun, local }: Verbs): void {
  const login = local(
    'login',
    'store the address and an API key of a service as a profile, and use it',
    async (call: LocalCall<LoginOptions>) => {
      const { url, profile } = login.optsWithGlobals<Place>()
      const name = checkProfileName(profile ?? defaultName)
      const address = await readAddress(call, url)
      const apiKey = checkKey(await readKey(call))
      const account = await new Muster({ baseUrl: address, apiKey }).account.retrieve()
      const { profiles } = await readProfiles()
      profiles[name] = { url: address, api_key: apiKey }
      await saveProfiles({ current: name, profiles })
      return { profile: name, url: address, account: account.name, role: account.key.role }
    },
    ({ profile, url, account, role }) =>
      `Profile ${profile}: ${url}, account ${account}, role ${role}. Stored in ${profilesFile()}.`,
  )
    .option('--key-file <file>', 'file that contains only the API key; - for stdin')
    .addHelpText(
      'after',
      '\nMakes the profile the current one. --url and --profile give its address and its name, "default" without one. Without --key-file, it asks for the key.',
    )
  const logout = local(
    'logout',
    'remove a profile with its key from this machine; the key stays valid',
    async (): Promise<{ profile: string; removed: true }> => {
      const { current, profiles } = await readProfiles()
      const name: string = logout.optsWithGlobals<Place>().profile ?? current ?? defaultName
      await readProfile(name)
      delete profiles[name]
      await saveProfiles({ current: current === name ? null : current, profiles })
      return { profile: name, removed: true }
    },
    ({ profile }) => `Removed profile ${profile}.`,
  )
  const { local: verb } = noun('profiles', 'list the stored profiles, and choose one')
  verb(
    'list',
    'list the stored profiles',
    async (): Promise<Listed[]> => {
      const { current, profiles } = await readProfiles()
      return Object.entries(profiles).map(([name, { url }]) => ({
        name,
        url,
        current: name === current,
      }))
    },
    (listed) => table(listed, ['name', 'url', 'current']),
    { isDefault: true },
  )
  verb(
    'use <profile>',
    'use this profile where nothing else names a service',
    async (_call: LocalCall, name = '') => {
      const { url } = await readProfile(name)
      await saveProfiles({ ...(await readProfiles()), current: name })
      return { profile: name, url }
    },
    ({ profile, url }) => `Profile ${profile} is used from now on: ${url}`,
  )
}

async function readAddress({ out }: LocalCall, url: string | undefined): Promise<string> {
  const { env } = shell()
  const proposed = findUrl(url, env)
  if (url !== undefined || env['MUSTER_URL'] !== undefined || !canAsk(out)) return proposed
  const given = await askLine(`Address (${proposed}): `, { nothing: nothingStored })
  return given ? findUrl(given, env) : proposed
}

async function readKey({ options, out }: LocalCall<LoginOptions>): Promise<string> {
  if (options.keyFile !== undefined) return (await readText(options.keyFile, maxKeyBytes)).trim()
  if (!canAsk(out))
    throw usageError('Cannot log in: there is no terminal to ask at; give --key-file')
  const key = await askSecret('API key, not shown: ', { nothing: nothingStored })
  if (key) return key
  throw usageError(`Cannot log in: no key was given. ${nothingStored}`)
}
