import { cp, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../server/make-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import type { LocalCall, Verbs } from '../noun.ts'
import { clean, table } from '../output.ts'
import { shell } from '../shell.ts'

/** Templates: folders with a crew and its files, each with a README that says how to start it. */
const templatesFolder = fileURLToPath(
  new URL('templates', import.meta.resolve('#examples/crew.yaml')),
)

interface Template {
  name: string
  title: string
}

interface Copied {
  template: string
  folder: string
  files: string[]
}

export function addInit({ local }: Verbs): void {
  local(
    'init',
    'copy a template into a folder; without a name, list the templates',
    (_call: LocalCall, name?: string, folder?: string): Promise<Template[] | Copied> =>
      name === undefined ? readTemplates() : copyTemplate(name, folder ?? name),
    (result) => (Array.isArray(result) ? list(result) : summarize(result)),
  )
    .argument('[template]', 'name of a template')
    .argument('[folder]', "folder to create; the template's name by default")
}

async function readTemplates(): Promise<Template[]> {
  const names = (await readdir(templatesFolder)).sort()
  return Promise.all(names.map(async (name) => ({ name, title: await titleOf(name) })))
}

/** The heading of its README. */
async function titleOf(name: string): Promise<string> {
  const text = await readFile(join(templatesFolder, name, 'README.md'), 'utf8')
  return /^# (.+)$/m.exec(text)?.[1] ?? name
}

async function copyTemplate(name: string, into: string): Promise<Copied> {
  const names = await readdir(templatesFolder)
  if (!names.includes(name)) {
    const expected = `expected one of ${names.sort().join(', ')}`
    throw usageError(`Cannot copy template: there is no ${JSON.stringify(name)}, ${expected}`)
  }
  const folder = resolve(shell().cwd(), into)
  if (!(await makeFolder(folder))) {
    const why = `${folder} already exists; choose another folder`
    throw new CliError(exitCodes.error, 'folder_exists', `Cannot copy template: ${why}`)
  }
  await cp(join(templatesFolder, name), folder, { recursive: true })
  return { template: name, folder: into, files: (await readdir(folder)).sort() }
}

function list(templates: Template[]): string {
  const rows = table(templates, ['name', 'title'], {
    name: ({ name }) => name,
    title: ({ title }) => title,
  })
  return `${rows}\n\nCopy one: muster init NAME`
}

function summarize({ folder, files }: Copied): string {
  return `Copied to ${clean(folder)}: ${files.join(', ')}.\nREADME.md in it says how to start it.`
}
