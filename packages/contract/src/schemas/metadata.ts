import { Type, type Static } from 'typebox'

/** Open: returned with the types, numbers and nesting it was sent with. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Free-form key/value pairs, exactly as sent.',
})
export type Metadata = Static<typeof Metadata>
