import Type from 'typebox'
import type { Tags } from '../journal/search-terms.ts'

/** Labels of a run, given when it is triggered: `{customer: "acme", env: "prod"}`. */
const mostTags = 16
const tagKey = {
  type: 'string',
  maxLength: 40,
  pattern: '^[a-z0-9_.-]{1,40}$',
  description: 'Up to 40 of a-z, 0-9, _, . and -.',
}
const maxTagLength = 200

/** Tags in a request body. */
export const TagsToSet = Type.Unsafe<Tags>({
  type: 'object',
  maxProperties: mostTags,
  propertyNames: tagKey,
  additionalProperties: { type: 'string', maxLength: maxTagLength },
  description: `Labels for finding runs and grouping usage: up to ${mostTags} pairs.`,
})

/** Tags in a response. */
export const TagsOfRun = Type.Unsafe<Tags>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Its labels from the trigger; a retry keeps them.',
})

/** Tags in a list's query. */
export const tagsToFind = Type.Array(
  Type.String({
    maxLength: 41 + maxTagLength,
    pattern: `^[a-z0-9_.-]{1,40}:[\\s\\S]{0,${maxTagLength}}$`,
    description: '`key:value`, such as `customer:acme`.',
  }),
  {
    maxItems: 5,
    description: 'Only runs with this tag, `key:value`; may be repeated to require several tags.',
  },
)
