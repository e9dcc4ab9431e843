import { Type } from 'typebox'
import { META_KEY_LENGTH } from './feed-query.ts'

const PREFIX = 'metadata.'

/** A key of metadata where a query names a field. */
export type MetadataField = `${typeof PREFIX}${string}`

/** The schema of a field's name: one of `fields`, or the prefix and a key of metadata. */
export function fieldOrMetadataKey<Field extends string>(
  fields: readonly Field[],
  options: { readonly description: string; readonly examples: readonly unknown[] },
) {
  return Type.Unsafe<Field | MetadataField>({
    type: 'string',
    minLength: 1,
    maxLength: PREFIX.length + META_KEY_LENGTH,
    anyOf: [{ enum: fields }, { pattern: `^metadata[.][\\s\\S]`, title: `${PREFIX} and a key` }],
    ...options,
  })
}

/** Prefixes of fields with a name of their own, with their titles. */
export const NAMED_FIELDS = { metadata: 'metadata. and a key', metric: 'metric. and a name' } as const

/** The schema of up to two names of fields, each one of `fields`, or a prefix and a name of its own. */
export function fieldsOrNamed<Text extends string>(
  fields: readonly string[],
  prefixes: Readonly<Record<string, string>>,
  options: { readonly description: string; readonly examples: readonly unknown[] },
  most = 1,
) {
  const one = {
    minLength: 1,
    maxLength: PREFIX.length + META_KEY_LENGTH,
    anyOf: [
      { enum: fields },
      ...Object.entries(prefixes).map(([prefix, title]) => ({ pattern: `^${prefix}[.][\\s\\S]`, title })),
    ],
  }
  const items = { type: 'string', ...one }
  // The keywords of texts do not apply to a list.
  const list = { ...one, type: ['string', 'array'], items, minItems: 1, maxItems: most }
  return Type.Unsafe<Text | readonly Text[]>({ ...(most === 1 ? items : list), ...options })
}

export function isMetadataField(field: string): field is MetadataField {
  return field.startsWith(PREFIX)
}

export function metadataKey(field: MetadataField): string {
  return field.slice(PREFIX.length)
}
