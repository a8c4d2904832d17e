import {
  CompiledQuery,
  createQueryId,
  PostgresQueryCompiler,
  sql,
  type QueryExecutorProvider,
  type RawBuilder,
} from 'kysely'
import type { Database, Transaction } from './client.ts'
import type { Home } from './home.ts'

/**
 * Statements that run often. Of a hundred fragments, putting the text together takes longer than sending it, and
 * the text is new to V8 each time. So it is put together once for each of its shapes, and then only
 * given its values.
 */
export interface Query<Row> {
  execute(database: Database | Transaction): Promise<{ rows: Row[] }>
  compile(database: QueryExecutorProvider): Pick<CompiledQuery, 'sql' | 'parameters'>
}

/** A value, or what stands for it in a text. */
export type ValueOf<T> = T | RawBuilder<T>

/** What stands in a text for each value. */
export type Given<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> }

/**
 * `build` may look at the shape and at nothing else that changes. Where the database is distributed, a text names
 * the accounts of its `home`, and is put together anew.
 */
export function statement<
  Values extends object,
  Row,
  Shape extends Record<string, boolean> = Record<string, never>,
>(
  build: (given: Given<Values>, home: Home, shape: Shape) => RawBuilder<Row>,
): (values: Values, home: Home, shape: Shape) => Query<Row> {
  const texts = new Map<string, Text>()
  return (values, home, shape) => {
    if (home !== undefined) return build(mapValues(values, toParameter), home, shape)
    const { text, order } = texts.getOrInsertComputed(Object.values(shape).join(), () =>
      toText(build(mapValues(values, toSlot), home, shape)),
    )
    const query = CompiledQuery.raw(
      text,
      order.map((one) => (one instanceof Slot ? values[one.name as keyof Values] : one)),
    ) as CompiledQuery<Row>
    return { execute: (database) => database.executeQuery(query), compile: () => query }
  }
}

interface Text {
  text: string
  /** The value of each parameter, or the slot that it is read from. */
  order: readonly unknown[]
}

class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function toText(fragment: RawBuilder<unknown>): Text {
  const node = fragment.toOperationNode()
  const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(node, createQueryId())
  return { text, order: parameters }
}

function toParameter(value: unknown): RawBuilder<never> {
  return sql`${value}`
}

function toSlot(_value: unknown, name: string): RawBuilder<never> {
  return toParameter(new Slot(name))
}

function mapValues<Values extends object>(
  values: Values,
  to: (value: unknown, name: string) => RawBuilder<never>,
): Given<Values> {
  const entries = Object.entries(values).map(([name, value]) => [name, to(value, name)])
  return Object.fromEntries(entries) as Given<Values>
}
