/** Shared by the programs of all generated clients: pages by the `Link` header. */
export interface Service {
  baseUrl: string
  apiKey: string
}

interface Read {
  names: string[]
  response: { headers: Headers }
}

export async function follow(
  read: (after: string | undefined) => Promise<Read>,
): Promise<string[]> {
  const names: string[] = []
  let after: string | undefined
  do {
    const page = await read(after)
    names.push(...page.names)
    const next = /<([^>]*)>; rel="next"/.exec(page.response.headers.get('link') ?? '')?.[1]
    after = next && (new URL(next, 'http://any').searchParams.get('after') ?? undefined)
  } while (after !== undefined)
  return names
}
