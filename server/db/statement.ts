import {
  CompiledQuery,
  createQueryId,
  sql,
  type QueryExecutorProvider,
  type RawBuilder,
} from 'kysely'
import type { Database, Transaction } from './client.ts'
import { clusterOf, compilerFor } from './cluster/dialect.ts'

/**
 * Frequent statements. Composing a text from a hundred fragments takes longer than sending it, and
 * V8 sees a new string each time. So the text is composed once for each shape, and only the values
 * are filled in.
 */
export interface Query<Row> {
  execute(database: Database | Transaction): Promise<{ rows: Row[] }>
  compile(database: QueryExecutorProvider): Pick<CompiledQuery, 'sql' | 'parameters'>
}

/** A value, or its placeholder in a text. */
export type ValueOf<T> = T | RawBuilder<T>

/** Placeholders for values in a text. */
export type Given<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> }

/** `build` must depend only on the shape. */
export function statement<
  Values extends object,
  Row,
  Shape extends Record<string, boolean> = Record<string, never>,
>(
  build: (given: Given<Values>, shape: Shape) => RawBuilder<Row>,
): (values: Values, shape: Shape) => Query<Row> {
  const texts = new Map<string, Text>()
  return (values, shape) => {
    const compile = (database: QueryExecutorProvider): CompiledQuery<Row> => {
      const isDistributed = clusterOf(database) !== undefined
      const { text, order } = texts.getOrInsertComputed(
        [isDistributed, ...Object.values(shape)].join(),
        () => toText(build(mapValues(values, toSlot), shape), isDistributed),
      )
      return CompiledQuery.raw(
        text,
        order.map((one) => (one instanceof Slot ? values[one.name as keyof Values] : one)),
      )
    }
    return { execute: (database) => database.executeQuery(compile(database)), compile }
  }
}

interface Text {
  text: string
  /** The value of each parameter, or the slot that provides it. */
  order: readonly unknown[]
}

class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function toText(fragment: RawBuilder<unknown>, isDistributed: boolean): Text {
  const node = fragment.toOperationNode()
  const compiler = compilerFor(isDistributed)
  const { sql: text, parameters } = compiler.compileQuery(node, createQueryId())
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
