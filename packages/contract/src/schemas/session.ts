import { Type, type Static } from 'typebox'
import { ScopeName } from './key.ts'
import { closed, idParameter, idString, listOf, nullablePrintedTime, printedTime, textOf } from './primitives.ts'

export const Session = closed('A browser session. Its token is only in the cookie.', {
  key_id: idString('key', 'The key that started it. The session ends with the key.'),
  key_expires_at: nullablePrintedTime('When that key expires; null if it does not.'),
  project_id: idString('proj', 'The current project: the project of the key, until the session switches.'),
  project_name: textOf('The name of that project.'),
  scopes: listOf(ScopeName, 'What it may do: the scopes of the key.'),
  expires_at: printedTime('When it expires.'),
  created_at: printedTime('When it started.'),
})
export type Session = Static<typeof Session>

export const SessionPatch = closed('A change of a session.', {
  project_id: idParameter('proj', 'The project to switch to.'),
})
export type SessionPatch = Static<typeof SessionPatch>

export const SessionCreate = Type.Object(
  {
    key: Type.Optional(textOf('The API key.')),
    sign_in_token: Type.Optional(
      textOf(
        'Instead of a key: the text after `#sign-in=` in the URL that the first start prints. Valid once, for an hour.',
      ),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'Signs in by exactly one of the two.',
  },
)
export type SessionCreate = Static<typeof SessionCreate>
