import { dialects } from './providers/built-ins.ts'

/** The id by which the provider, or a gateway before it, finds the request in its logs; else the answer's id. */
export function findRequestId(
  headers: Record<string, string | undefined> = {},
  answerId?: string,
): string | undefined {
  const name = requestIdHeaders.find((header) => isRequestId(headers[header]))
  const found = name === undefined ? answerId : headers[name]
  return isRequestId(found) ? found : undefined
}

function isRequestId(text: string | undefined): boolean {
  return text !== undefined && /^[\x21-\x7e]{1,100}$/.test(text)
}

const requestIdHeaders = dialects.flatMap((dialect) => dialect.requestIdHeaders)
