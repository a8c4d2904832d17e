import Type, { type Static } from 'typebox'
import { runsFilter } from '../engine/wire/runs-query.ts'
import { author } from '../engine/wire/step.ts'
import { Name, optional, Ref, StrictObject, Timestamp } from '../wire-types.ts'

const yearSeconds = 31_536_000

export const ViewFilters = StrictObject(
  {
    ...runsFilter,
    created_within_seconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: yearSeconds,
        description:
          'Only runs created at most this long before the list is read. For `GET /v1/runs`, make `created_after` of it.',
      }),
    ),
  },
  {
    $id: 'ViewFilters',
    description: 'The filters of `GET /v1/runs`, with arrays for lists; none means every run.',
  },
)

const given = {
  name: Name(100, 'Display name, unique in the account'),
  filters: Ref(ViewFilters),
}

export const View = Type.Object(
  {
    id: Type.String({ description: 'View id.' }),
    ...given,
    created_by: author('Who created it.'),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it was last changed.'),
  },
  { $id: 'View', description: 'Filters of the list of runs, saved under a name.' },
)
export type View = Static<typeof View>

export const CreateView = StrictObject(given, {
  $id: 'CreateView',
  examples: [
    {
      name: 'Failed this week',
      filters: { status: ['failed'], created_within_seconds: 604_800 },
    },
  ],
  description: 'The view to create.',
})
export type CreateView = Static<typeof CreateView>

export const UpdateView = StrictObject(optional(given), {
  $id: 'UpdateView',
  examples: [{ filters: { status: ['failed'], created_within_seconds: 86_400 } }],
  description: 'The fields to update.',
})
export type UpdateView = Static<typeof UpdateView>
