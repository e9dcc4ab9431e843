import { type CustomTypesConfig, types } from 'pg'

const [BYTEA, INT8, TEXT, NUMERIC] = [17, 20, 25, 1700]

/** Text of PostgreSQL cannot hold NUL. This character escapes it and itself; texts keep their order. */
const ESCAPE = '\u0001'
const [ESCAPED_NUL, ESCAPED_ESCAPE] = [`${ESCAPE}\u0001`, `${ESCAPE}\u0002`]

/** The value as the driver takes it. Throws TypeError for a type that the stores do not use. */
export function toPostgresql(value: unknown): unknown {
  if (typeof value === 'string') return toText(value)
  if (typeof value === 'number' || value === null || value instanceof Uint8Array || typeof value === 'bigint') {
    return value
  }
  if (Array.isArray(value)) return value.map(toPostgresql)
  throw new TypeError(`PostgreSQL has no value for a parameter of type ${typeof value}`)
}

/** Results have the types that SQLite gives: counts are numbers (all are below 2^53), bytes are a Uint8Array. */
export const POSTGRESQL_TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text') =>
    PARSERS.get(type) ?? types.getTypeParser(type, format)) as CustomTypesConfig['getTypeParser'],
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [NUMERIC, Number],
  [TEXT, fromText],
  [BYTEA, fromBytea],
])

function toText(value: string): string {
  if (!value.includes('\0') && !value.includes(ESCAPE)) return value
  return value.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll('\0', ESCAPED_NUL)
}

function fromText(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(ESCAPED_NUL, '\0').replaceAll(ESCAPED_ESCAPE, ESCAPE) : text
}

/** From `\x` and hexadecimal digits, into memory of its own: floats are read in place and need its alignment. */
function fromBytea(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) / 2)
  Buffer.from(bytes.buffer).write(text.slice(2), 'hex')
  return bytes
}
