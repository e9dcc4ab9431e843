import { Type, type Static } from 'typebox'
import { SCOPES } from '../scopes.ts'
import { controlName, idString, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'

export const ScopeName = Type.Enum(SCOPES, { description: 'One thing a key may do.' })

const keyFields = {
  id: idString('key', 'The key.'),
  name: Type.String({ description: 'What it is called.' }),
  scopes: Type.Array(ScopeName, { description: 'What it may do.' }),
  expires_at: nullablePrintedTime('When it stops working; null when never.'),
  last_four: Type.String({ minLength: 4, maxLength: 4, description: 'The last four characters of the secret.' }),
  created_at: printedTime('When it was made.'),
}

/** A key as it is listed: the secret was shown once and is not kept. */
export const Key = Type.Object(keyFields, {
  additionalProperties: false,
  description: 'An API key, without its secret.',
})
export type Key = Static<typeof Key>

export const CreatedKey = Type.Object(
  {
    ...keyFields,
    secret: Type.String({
      pattern: '^spoor_[0-9A-Za-z]{36}$',
      description: 'The value for `x-api-key`. Shown this once.',
    }),
  },
  { additionalProperties: false, description: 'A new API key with its secret.' },
)
export type CreatedKey = Static<typeof CreatedKey>

export const KeyList = Type.Object(
  {
    keys: Type.Array(Key, { description: 'One page of the live keys of the project, oldest first.' }),
    next_cursor: nullableString({ description: 'Pass it as `cursor` for the next page; null on the last one.' }),
  },
  { additionalProperties: false, description: 'One page of keys.' },
)
export type KeyList = Static<typeof KeyList>

export const KeyCreate = Type.Object(
  {
    name: controlName(),
    scopes: Type.Array(ScopeName, {
      minItems: 1,
      description: 'What it may do; given twice counts once. A key without `admin` gives only scopes that it has.',
    }),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When it shall stop working, in the future (RFC 3339). A key without `admin` makes none that outlives it. Absent: never, or with the key that makes it when that one expires and has no `admin`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An API key to make.' },
)
export type KeyCreate = Static<typeof KeyCreate>
