import { type TArray, type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { CONTROL_NAME_LENGTH } from '../limits.ts'
import type { Id, IdPrefix, TraceId } from '../ids.ts'
import { OTEL_TRACE_ID } from '../otlp.ts'

/** An object without other members. */
export function closed<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { additionalProperties: false, description })
}

/** The parameters of a path or a query: others are refused. */
export function parameters<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** Properties that may be omitted. */
export function optional<Properties extends TProperties>(properties: Properties) {
  const pairs = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])
  return Object.fromEntries(pairs) as { [Name in keyof Properties]: TOptional<Properties[Name]> }
}

/** Some of the properties, at least one. */
export function changeOf<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Partial(Type.Object(properties), { additionalProperties: false, minProperties: 1, description })
}

/** `null` means unknown or not applicable. A type union, as in JSON Schema 2020-12 and OpenAPI 3.1. */
export function nullableString(options: Readonly<Record<string, unknown>>) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function nullableInteger(options: Readonly<Record<string, unknown>>) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

/** The schema, or null. */
export function nullable<Of extends TSchema>(of: Of, description: string) {
  return Type.Union([of, Type.Null()], { description })
}

export function nullableEnum<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number] | null>({ type: ['string', 'null'], enum: [...values, null], description })
}

export function nullableText(description: string) {
  return nullableString({ description })
}

export function textOf(description: string) {
  return Type.String({ description })
}

/** A text that is not empty. */
export function shortText(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, description })
}

export function flagOf(description: string) {
  return Type.Boolean({ description })
}

export function listOf<Row extends TSchema>(row: Row, description: string) {
  return Type.Array(row, { description })
}

export const nextCursor = nullableString({
  description: 'Pass it as `cursor` for the next page; null on the last one.',
})

/** The answer of a list: one page of rows, by the name `of`. */
export function pageOf<Of extends string, Row extends TSchema>(of: Of, row: Row, order: string) {
  const rows = Type.Array(row, { description: `One page of ${of}, ${order}.` })
  const properties = { [of]: rows, next_cursor: nextCursor } as unknown
  return closed(`One page of ${of}.`, properties as { [Name in Of]: TArray<Row> } & { next_cursor: typeof nextCursor })
}

/** Exactly what the service writes: UTC with milliseconds. */
const PRINTED_TIME = {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
} as const

export function printedTime(description: string) {
  return Type.String({ ...PRINTED_TIME, description })
}

export function nullablePrintedTime(description: string) {
  return nullableString({ ...PRINTED_TIME, description })
}

/** RFC 3339, also without seconds, or a date for its midnight UTC. */
export const TIME_PATTERN = '^\\d{4}-\\d{2}-\\d{2}([Tt]\\d{2}:\\d{2}(:\\d{2}([.]\\d{1,9})?)?([Zz]|[+-]\\d{2}:\\d{2}))?$'

/** A time in a request. The handler of the operation gets milliseconds since 1970 UTC. */
export interface TRequestTime extends TUnsafe<string> {
  readonly pattern: typeof TIME_PATTERN
}

export function requestTime(description: string): TRequestTime {
  const examples = ['2026-01-31T12:00:00Z', '2026-01-31']
  return Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    pattern: TIME_PATTERN,
    description,
    examples,
  }) as TRequestTime
}

/** Of a text with at least one visible character. */
export const NOT_BLANK = '\\S'

/** The schema of what `isId` in ids.ts accepts. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

export function idString(prefix: IdPrefix, description: string) {
  return Type.String({ pattern: idPattern(prefix), description })
}

/** The same for ids in requests: a valid value has the type of an id. */
export function idParameter<P extends IdPrefix>(prefix: P, description: string) {
  return Type.Unsafe<Id<P>>({ type: 'string', pattern: idPattern(prefix), description })
}

/** A trace, by its id, or by the 32 hex digits or the UUID of its sender. Handlers get its id. */
export function traceParameter(description: string) {
  return Type.Unsafe<TraceId>({
    type: 'string',
    pattern: `${idPattern('tr')}|${OTEL_TRACE_ID.source}`,
    description: `${description} By its id, or by the 32 hex digits or the UUID that its sender knows it by.`,
  })
}

export function nullableIdString(prefix: IdPrefix, description: string) {
  return nullableString({ pattern: idPattern(prefix), description })
}

/** A count, a size or a number of tokens. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

export function controlName() {
  return shortText(
    CONTROL_NAME_LENGTH,
    'The name: at least one visible character, no control characters. It need not be unique.',
  )
}
