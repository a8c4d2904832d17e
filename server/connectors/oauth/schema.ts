import Type, { type Static } from 'typebox'
import { StrictObject, Timestamp } from '../../wire-types.ts'

export const AuthorizeConnector = StrictObject(
  {
    return_to: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description:
          'Console path to open after the login, such as `/workflows`; `/connectors` by default.',
      }),
    ),
  },
  {
    $id: 'AuthorizeConnector',
    examples: [{ return_to: '/connectors' }],
    description: 'Where the login leads to.',
  },
)
export type AuthorizeConnector = Static<typeof AuthorizeConnector>

export const Authorization = Type.Object(
  {
    authorize_url: Type.String({
      format: 'uri',
      description: "Address to open in the same browser session; it leads to the server's login.",
    }),
    expires_at: Timestamp('When the login must be finished.'),
  },
  { $id: 'Authorization', description: 'A login that has begun.' },
)
export type Authorization = Static<typeof Authorization>
