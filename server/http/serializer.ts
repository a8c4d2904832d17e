import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type Factory = ReturnType<typeof SerializerSelector>

/** Fastify's serializers, each made for its first answer: all of them at once would slow the start. */
export const buildSerializer: Factory = (sharedSchemas, options) => {
  const compile = SerializerSelector()(sharedSchemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (answer: unknown) => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}
