import { globSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** The published Markdown pages, by their paths below `root`. */
export async function readPages(root: string): Promise<Map<string, string>> {
  const patterns = ['*.md', 'docs/**/*.md', 'sdk/*.md']
  const pages = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  const read = async (page: string) => [page, await readFile(join(root, page), 'utf8')] as const
  return new Map(await Promise.all(pages.map(read)))
}

/** Links to files or headings that do not exist, as `page: link`. */
export async function findBrokenLinks(root: string, pages: Map<string, string>): Promise<string[]> {
  const broken: string[] = []
  for (const [page, content] of pages) {
    for (const [, link = ''] of withoutCode(content).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : relative(root, join(root, dirname(page), path))
      const exists = await access(join(root, target)).then(
        () => true,
        () => false,
      )
      const anchors = anchorsOf(pages.get(target) ?? '')
      if (!exists || (anchor !== undefined && !anchors.includes(anchor))) {
        broken.push(`${page}: ${link}`)
      }
    }
  }
  return broken
}

/** The anchors of a page's headings, as GitHub generates them. */
function anchorsOf(content: string): string[] {
  const seen = new Map<string, number>()
  return [...withoutCode(content).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

export function withoutCode(content: string): string {
  return content.replaceAll(/^( *)```[^]*?^\1```/gm, '')
}
