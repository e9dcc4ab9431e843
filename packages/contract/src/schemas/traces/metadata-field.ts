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

export function isMetadataField(field: string): field is MetadataField {
  return field.startsWith(PREFIX)
}

export function metadataKey(field: MetadataField): string {
  return field.slice(PREFIX.length)
}
