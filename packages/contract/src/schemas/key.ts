import { Type, type Static } from 'typebox'
import { SCOPES } from '../scopes.ts'
import * as schema from './primitives.ts'

export const ScopeName = Type.Enum(SCOPES, { description: 'A permission of a key.' })

const beyond = 'A request beyond the limit is answered with `429 rate_limited` and `Retry-After`.'
const limitFields = {
  requests_per_second: schema.nullableInteger({
    minimum: 1,
    maximum: 1_000_000,
    description: `Requests that the key and its sessions may send in a second; null for no limit. ${beyond}`,
  }),
  bytes_per_second: schema.nullableInteger({
    minimum: 1024,
    maximum: 2 ** 40,
    description: `Bytes of request bodies that they may send in a second, as sent; null for no limit. A body that has begun is read to its end, and later requests wait for it. ${beyond}`,
  }),
}

const keyFields = {
  id: schema.idString('key', 'The key.'),
  name: schema.textOf('The name of the key.'),
  scopes: schema.listOf(ScopeName, 'What the key may do.'),
  expires_at: schema.nullablePrintedTime('When it expires; null if it does not.'),
  last_four: Type.String({ minLength: 4, maxLength: 4, description: 'The last four characters of the secret.' }),
  created_at: schema.printedTime('When it was created.'),
  ...limitFields,
}

/** A key in a list. Its secret was shown once and is not stored. */
export const Key = schema.closed('An API key, without its secret.', keyFields)
export type Key = Static<typeof Key>

export const CreatedKey = schema.closed('A new API key with its secret.', {
  ...keyFields,
  secret: Type.String({
    pattern: '^spoor_[0-9A-Za-z]{36}$',
    description: 'The value for `x-api-key`. Shown only once.',
  }),
})
export type CreatedKey = Static<typeof CreatedKey>

export const KeyList = schema.pageOf('keys', Key, 'oldest first, without revoked ones')
export type KeyList = Static<typeof KeyList>

export const KeyCreate = schema.closed('An API key to create.', {
  name: schema.controlName(),
  scopes: Type.Array(ScopeName, {
    minItems: 1,
    description:
      'What the key may do; duplicates are ignored. A key without `admin` can only grant scopes that it has.',
  }),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When it expires: a time in the future (RFC 3339). A key without `admin` cannot create a key that outlives it. If omitted, the new key does not expire, or expires with the creating key if that key expires and has no `admin`.',
    }),
  ),
  requests_per_second: Type.Optional(limitFields.requests_per_second),
  bytes_per_second: Type.Optional(limitFields.bytes_per_second),
})
export type KeyCreate = Static<typeof KeyCreate>

export const KeyPatch = Type.Object(
  {
    requests_per_second: Type.Optional(limitFields.requests_per_second),
    bytes_per_second: Type.Optional(limitFields.bytes_per_second),
  },
  { additionalProperties: false, minProperties: 1, description: 'The limits that change.' },
)
export type KeyPatch = Static<typeof KeyPatch>
