import { usageError } from '../failure.ts'
import type { LocalCall, Verbs } from '../noun.ts'
import { forStdout, oneLine } from '../output.ts'
import { shell } from '../shell.ts'
import { applyObjects, type Applied } from './apply.ts'
import { exportObjects, findWanted, toYaml } from './export.ts'
import { readObjects, type FileObject } from './read-objects.ts'
import { fileResources, type FileResource } from './resources.ts'
import { Server } from './server.ts'
import { showDone, showPlan } from './show-plan.ts'

interface ApplyOptions {
  file: string[]
  dryRun?: boolean
  prune?: boolean
}

/** `muster apply` and `muster export`, and the same commands for single resources. */
export function addFileCommands(program: Verbs): void {
  addApply(program, undefined)
  addExport(program, undefined)
  for (const of of fileResources) {
    if (of.key !== 'name') continue
    const group = program.noun(of.resource.replaceAll('_', '-'))
    addApply(group, of)
    addExport(group, of)
  }
}

function addApply({ local }: Verbs, of: FileResource | undefined): void {
  const what = of === undefined ? 'what files describe' : `a YAML or JSON file with the ${of.noun}`
  const command = local(
    'apply',
    of === undefined
      ? 'create or update the objects in files and folders: agents, workflows, schedules and others'
      : `create ${what}, or update the one with the same name`,
    async ({ options, out, connect }: LocalCall<ApplyOptions>) => {
      const { file: paths, dryRun: isDryRun = false, prune: prunes = false } = options
      const objects = await readObjects(paths, of)
      if (objects.length === 0)
        throw usageError(`Cannot apply: ${paths.join(', ')} holds no object`)
      const server = new Server(await connect())
      await server.read([...new Set(objects.map((one) => one.of))])
      const isOne = of !== undefined && objects.length === 1
      const report = (done: Applied): void => {
        if (out.isJson || isDryRun) return
        if (done.action === 'keep' && !isOfFile(objects, done)) return
        shell().stdout.write(`${forStdout(showDone(done, isOne))}\n`)
      }
      const done = await applyObjects(server, objects, { isDryRun, prunes, report })
      const others = done.slice(objects.length).filter(({ action }) => action === 'keep')
      if (of === undefined && !isDryRun && others.length > 0) {
        const names = others.slice(0, 20).map((one) => `${one.of.noun} ${oneLine(one.name)}`)
        const more =
          others.length > names.length ? `, and ${others.length - names.length} more` : ''
        out.note(`On the server but not in the files: ${names.join(', ')}${more}.`)
      }
      if (isDryRun && !out.isJson) {
        shell().stdout.write(`${showPlan(done, objects.length)}\n`)
        return undefined
      }
      if (!out.isJson) return undefined
      return isOne ? retrieve(server, done[0]) : done.map(toJson)
    },
  )
  command
    .requiredOption('-f, --file <path...>', 'files, or folders of them; - for stdin')
    .option('--dry-run', 'show the changes without making them')
    .option(
      '--prune',
      'delete objects that are on the server but not in the files, of the resource types in the files',
    )
}

function isOfFile(objects: FileObject[], { of, name }: Applied): boolean {
  return objects.some((one) => one.of === of && one.name === name)
}

async function retrieve(server: Server, done: Applied | undefined): Promise<unknown> {
  if (done?.id === undefined) return done && toJson(done)
  return server.retrieve(done.of, done.id)
}

function toJson({ action, of, name, id, changes, warnings }: Applied): object {
  return { action, resource: of.noun, name, id: id ?? null, changes, warnings }
}

function addExport({ local }: Verbs, of: FileResource | undefined): void {
  const run = async (
    { out, connect }: LocalCall,
    ...names: (string | undefined)[]
  ): Promise<object[] | undefined> => {
    const server = new Server(await connect())
    const passesOverForbidden = of === undefined
    await server.read(of === undefined ? fileResources : [of], { passesOverForbidden })
    const wanted =
      of === undefined
        ? fileResources.flatMap((one) => server.all(one).map(({ id }) => ({ of: one, id })))
        : names.flat().flatMap((name) => (name === undefined ? [] : findWanted(server, of, name)))
    const objects = exportObjects(server, wanted)
    if (out.isJson) return objects.map(({ resource, fields }) => ({ resource, ...fields }))
    shell().stdout.write(forStdout(toYaml(objects)))
    return undefined
  }
  if (of === undefined)
    local('export', 'write everything that files can describe as YAML, for apply', run)
  else
    local(
      'export',
      `write ${of.resource} as YAML, with the agents that they link, for apply`,
      run,
    ).argument('<names...>', 'ids or exact names')
}
