import Type from 'typebox'
import type { Tags } from '../journal/search-terms.ts'

/** Labels of a run, given when it is triggered: `{customer: "acme", env: "prod"}`. */
const mostTags = 16
const tagKey = {
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
  description: `Labels, by which runs are found and usage is grouped: up to ${mostTags} pairs.`,
})

/** Tags in a response. */
export const TagsOfRun = Type.Unsafe<Tags>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Labels that it was triggered with; a retry keeps them.',
})

/** Tags in a list's query. */
export const tagsToFind = Type.Array(
  Type.String({
    pattern: `^[a-z0-9_.-]{1,40}:[\\s\\S]{0,${maxTagLength}}$`,
    description: '`key:value`, such as `customer:acme`.',
  }),
  {
    maxItems: 5,
    description: 'Only runs with this tag, `key:value`; given more than once, with all of them.',
  },
)
