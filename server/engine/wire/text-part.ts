import Type, { type Static } from 'typebox'
import { StringEnum } from '../../wire-types.ts'

/** A part of a comparison of two texts. */
export const TextPart = Type.Object(
  {
    kind: StringEnum(['same', 'removed', 'added'] as const, {
      description: 'Whether the text is in both, or only before or after.',
    }),
    text: Type.String({ description: 'A part of the text.' }),
  },
  { description: 'A part of a text.' },
)
export type TextPart = Static<typeof TextPart>
