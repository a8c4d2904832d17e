import { pascal, type Operation } from './generate-operations.ts'

/** A class for each resource, and one that holds them all. */
export function writeClasses(operations: Operation[]): string {
  const root = toTree(operations)
  return [...[...root.children.values()].flatMap(writeResource), writeApi(root)].join('\n')
}

interface Resource {
  path: string[]
  operations: Operation[]
  children: Map<string, Resource>
}

function toTree(operations: Operation[]): Resource {
  const root: Resource = { path: [], operations: [], children: new Map() }
  for (const operation of operations) {
    let resource = root
    for (const name of operation.resource) {
      const path = [...resource.path, name]
      const child = resource.children.get(name) ?? { path, operations: [], children: new Map() }
      resource.children.set(name, child)
      resource = child
    }
    resource.operations.push(operation)
  }
  return root
}

function className(resource: Resource): string {
  return `${resource.path.map(pascal).join('')}Resource`
}

function writeResource(resource: Resource): string[] {
  const children = [...resource.children.values()]
  const text = `export class ${className(resource)} {
  protected readonly transport: Transport
${children.map(writeField).join('')}
  constructor(transport: Transport) {
    this.transport = transport
${children.map(writeAssignment).join('')}  }
${resource.operations.map(writeMethod).join('')}}
`
  return [text, ...children.flatMap(writeResource)]
}

function writeApi(root: Resource): string {
  const children = [...root.children.values()]
  return `/** Every resource of the service. */
export class Api {
${children.map(writeField).join('')}
  constructor(transport: Transport) {
${children.map(writeAssignment).join('')}  }
}
`
}

function writeField(resource: Resource): string {
  return `  readonly ${resource.path.at(-1)}: ${className(resource)}\n`
}

function writeAssignment(resource: Resource): string {
  return `    this.${resource.path.at(-1)} = new ${className(resource)}(transport)\n`
}

function writeMethod(operation: Operation): string {
  const { body, query, result } = operation
  const parameters = [
    ...operation.pathArguments.map(({ argument }) => `${argument}: string`),
    ...(body === undefined ? [] : [`body: ${body.type}${body.isOptional ? ' = {}' : ''}`]),
    ...(query === undefined ? [] : [`query: ${query} = {}`]),
    'options: RequestOptions = {}',
  ]
  const type = result.isList ? `Page<${result.type}>` : result.type
  const path = operation.pathArguments.reduce(
    (text, { part, argument }) =>
      text.replace(`{${part}}`, () => `\${encodeURIComponent(${argument})}`),
    operation.path,
  )
  const request = [
    `method: '${operation.method}'`,
    `path: ${path.includes('${') ? `\`${path}\`` : `'${path}'`}`,
    ...(query === undefined ? [] : ['query: { ...query }']),
    ...(body === undefined ? [] : ['body']),
  ]
  return `
  /** ${operation.documentation} */
  ${operation.verb}(${parameters.join(', ')}): Promise<${type}> {
    return this.transport.${result.isList ? 'page' : 'data'}({ ${request.join(', ')} }, options)
  }
`
}
