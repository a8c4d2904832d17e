import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { sectionsOf, type Section } from './sections.ts'

/**
 * Copies the docs of this version into the console, with the pictures that they show and the texts
 * that its search reads. Decision records are for developers.
 */
export async function copyDocs(docs: string, target: string): Promise<void> {
  const names = await readdir(docs, { recursive: true })
  const pages = names.filter((name) => /^(tasks[/\\])?[^/\\]+\.md$/.test(name)).sort()
  const sections: Section[] = []
  for (const name of pages) {
    const text = await readFile(join(docs, name), 'utf8')
    await copy(docs, target, name)
    for (const [, picture = ''] of text.matchAll(/!\[[^\]]*\]\(([^):]+)\)/g)) {
      await copy(docs, target, normalize(join(dirname(name), picture)))
    }
    const page = name.slice(0, -'.md'.length).replaceAll('\\', '/')
    // The index would be found for every title.
    if (page !== 'README') sections.push(...sectionsOf(page, text))
  }
  await writeFile(join(target, 'search.json'), JSON.stringify(sections))
}

/** The index of the docs for programs, at `/llms.txt`: each page is Markdown at its address in the service. */
export async function writeLlms(docs: string, target: string): Promise<void> {
  const index = await readFile(join(docs, 'README.md'), 'utf8')
  const [, ...lines] = index.split('\n')
  const linked = lines
    .join('\n')
    .replaceAll(/\]\((?!https?:)([^)#]+\.md)(#[^)]*)?\)/g, '](/help/$1)')
    .replace(/^- \[Decisions\].*$/m, '')
  const about = `# Muster

> A self-hosted service that runs crews of language-model agents as durable workflows: API, command line, console, SDKs for
> TypeScript and Python. The API's OpenAPI document is at /openapi.json. Pages are Markdown.
`
  await writeFile(target, `${about}${linked.trimEnd()}\n`)
}

async function copy(docs: string, target: string, name: string): Promise<void> {
  await mkdir(join(target, dirname(name)), { recursive: true })
  await cp(join(docs, name), join(target, name))
}
