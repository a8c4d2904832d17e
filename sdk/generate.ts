import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiDocument } from '../server/start/openapi-document.ts'
import { readOperations, type OpenApi } from './generate-operations.ts'
import { writeTypes } from './generate-types.ts'

/** `npm run sdk`: writes `generated.ts` from the OpenAPI document of the server's own code. */
export const generatedFile = join(import.meta.dirname, 'generated.ts')

export async function generate(): Promise<string> {
  const document = (await openApiDocument()) as unknown as OpenApi
  const { classes, schemas } = readOperations(document)
  const types = await writeTypes(schemas)
  return `// Made by \`npm run sdk\` from the OpenAPI document. Do not edit.
import type { Page } from './page.ts'
import type { RequestOptions, Transport } from './transport.ts'

${types}
${classes}`
}

if (import.meta.main) await writeFile(generatedFile, await generate())
