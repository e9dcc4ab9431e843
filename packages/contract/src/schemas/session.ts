import { Type, type Static } from 'typebox'
import { ScopeName } from './key.ts'
import { idParameter, idString, nullablePrintedTime, printedTime } from './primitives.ts'

export const Session = Type.Object(
  {
    key_id: idString('key', 'The key it was begun with. It ends with that key.'),
    key_expires_at: nullablePrintedTime('When that key stops working; null when never.'),
    project_id: idString('proj', 'The project it is in: that of the key, until it goes on in another.'),
    project_name: Type.String({ description: 'What that project is called.' }),
    scopes: Type.Array(ScopeName, { description: 'What it may do: what the key may.' }),
    expires_at: printedTime('When it ends by itself.'),
    created_at: printedTime('When it began.'),
  },
  { additionalProperties: false, description: 'A session of a browser, without its token: that is in the cookie.' },
)
export type Session = Static<typeof Session>

export const SessionPatch = Type.Object(
  { project_id: idParameter('proj', 'The project to go on in.') },
  { additionalProperties: false, description: 'A change of a session.' },
)
export type SessionPatch = Static<typeof SessionPatch>

export const SessionCreate = Type.Object(
  {
    key: Type.Optional(Type.String({ description: 'The API key.' })),
    sign_in_token: Type.Optional(
      Type.String({
        description:
          'In its place: what the URL that a first start prints has behind `#sign-in=`. Good once, for an hour.',
      }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'Signs in, by exactly one of the two.',
  },
)
export type SessionCreate = Static<typeof SessionCreate>
