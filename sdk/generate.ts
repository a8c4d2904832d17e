import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiDocument } from '../server/start/openapi-document.ts'
import { readOperations, type OpenApi } from './generate-operations.ts'
import { writeCommands } from './generate-commands.ts'
import { writePython } from './generate-python.ts'
import { writeTypes } from './generate-types.ts'

/**
 * `npm run sdk`: writes `generated.ts`, the methods in the README, the commands of the command line and the Python SDK's
 * part of the same, from the
 * OpenAPI document of the server's own code.
 */
export const generatedFile = join(import.meta.dirname, 'generated.ts')

export const readmeFile = join(import.meta.dirname, 'README.md')

export const commandsFile = join(import.meta.dirname, '../cli/generated.ts')

export const pythonFile = join(import.meta.dirname, '../python/muster/_generated.py')

export async function generate(): Promise<{
  source: string
  readme: string
  commands: string
  python: string
}> {
  const document = (await openApiDocument()) as unknown as OpenApi
  const { classes, signatures, schemas } = readOperations(document)
  const types = await writeTypes(schemas)
  const source = `// Made by \`npm run sdk\` from the OpenAPI document. Do not edit.
import type { Page } from './page.ts'
import { queryOf, type RequestOptions, type Transport } from './transport.ts'

${types}
${classes}`
  const block = `<!-- methods -->\n\n\`\`\`text\n${signatures.join('\n')}\n\`\`\`\n\n<!-- end of methods -->`
  const stored = await readFile(readmeFile, 'utf8')
  const readme = stored.replace(/<!-- methods -->[^]*<!-- end of methods -->/, () => block)
  return { source, readme, commands: writeCommands(document), python: writePython(document) }
}

if (import.meta.main) {
  const { source, readme, commands, python } = await generate()
  await writeFile(commandsFile, commands)
  await writeFile(pythonFile, python)
  await writeFile(generatedFile, source)
  await writeFile(readmeFile, readme)
}
