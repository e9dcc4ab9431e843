import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Operation } from '@spoor/contract/operations/operation'
import { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import { NOT_BLANK, requestTime } from '@spoor/contract/schemas/primitives'
import { fieldOrMetadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import { StepBody, TraceBody } from '@spoor/contract/schemas/traces/trace-body'
import { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { FieldErrors } from './field-errors.ts'
import { compileCollector } from './validator.ts'

interface BodySchema extends TSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly items?: BodySchema
  readonly enum?: readonly unknown[]
}

function errorsOf(schema: TSchema, value: unknown) {
  const errors = new FieldErrors(20)
  compileCollector(schema)(value, errors)
  return errors.all
}

const text = fc.constantFrom(
  '',
  'a',
  'ok',
  'error',
  'a b',
  'x'.repeat(64),
  'x'.repeat(65),
  '😀'.repeat(1000),
  '😀'.repeat(1001),
  'st_01h455vb4pex5vsknk084sn02q',
  '2026-01-31T12:00:00Z',
  '2026-13-31T12:00:00Z',
  '1969-12-31T23:59:59Z',
)
const leaf = fc.oneof(
  text,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    1,
    -1,
    1.5,
    Infinity,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER + 1,
    [],
    {},
  ),
)

/** Values near the schema: its own field names, right and wrong values, unknown names. */
function near(schema: BodySchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.oneof({ arbitrary: fc.constantFrom(...schema.enum), weight: 5 }, leaf)
  if (schema.type === 'array' && schema.items !== undefined) {
    return fc.oneof({ arbitrary: fc.array(near(schema.items), { maxLength: 2 }), weight: 5 }, leaf)
  }
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, near(field)] as const)
    const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    const unknown = fc.dictionary(fc.constantFrom('x', '__proto__', 'constructor', 'Name'), leaf, { maxKeys: 1 })
    const both = fc.tuple(known, fc.oneof({ arbitrary: fc.constant({}), weight: 4 }, unknown))
    return fc.oneof(
      { arbitrary: both.map(([a, b]) => JSON.parse(JSON.stringify({ ...a, ...b })) as unknown), weight: 8 },
      leaf,
    )
  }
  return fc.oneof(text, leaf)
}

const operations = Object.entries<Operation>(OPERATIONS)

/** Every schema whose errors a client may see: of JSON bodies, queries, and bodies with a parser of their own. */
const schemas: Readonly<Record<string, BodySchema>> = Object.fromEntries([
  ...operations.flatMap(([id, { query }]) => (query === undefined ? [] : [[`query of ${id}`, query as object]])),
  ...operations.flatMap(([id, { request }]) =>
    request?.kind === 'json' ? [[`body of ${id}`, request.schema as object]] : [],
  ),
  ['trace', TraceBody],
  ['step', StepBody],
  ['metric event', MetricEventBody],
])

for (const [name, schema] of Object.entries(schemas)) {
  test(`${name}: reports an error exactly when the compiled schema refuses the value`, () => {
    const compiled = Compile(schema)
    const collect = compileCollector(schema)
    let accepted = 0
    fc.assert(
      fc.property(near(schema), (value) => {
        const errors = new FieldErrors(20)
        collect(value, errors)
        const accepts = compiled.Check(value)
        if (accepts) accepted++
        assert.equal(errors.isEmpty, accepts, JSON.stringify(value))
        for (const { detail } of errors.all) assert.match(detail, /^(It must |There is no |`\w+` is required)/)
      }),
      // A random trace is rarely valid all over, so some that are go first.
      name === 'trace'
        ? {
            numRuns: 3000,
            examples: [[{ name: 'a' }], [{ name: 'a', status: 'error', steps: [{ name: 'b', type: 'llm' }] }]],
          }
        : { numRuns: 300 },
    )
    if (name === 'trace') assert.ok(accepted > 0)
  })
}

test('names every error with its pointer, and suggests the nearest known field', () => {
  const value = { sessionId: 's', 'a/b~': 1, steps: [{ token_usage: { input: -1, output: 'x' } }, null] }
  const errors = errorsOf(TraceBody, value)
  assert.deepEqual(
    errors.map(({ pointer, code }) => `${pointer} ${code}`),
    [
      '/name required',
      '/steps/0/name required',
      '/steps/0/token_usage/input out_of_range',
      '/steps/0/token_usage/output wrong_type',
      '/steps/1 wrong_type',
      '/sessionId unknown_field',
      '/a~1b~0 unknown_field',
    ],
  )
  assert.match(errors[5]!.detail, /Did you mean `session_id`/)
})

test('gives one code and one sentence for each kind of error', () => {
  const size = { minProperties: 1, maxProperties: 1 }
  const cases: readonly (readonly [TSchema, unknown, string, string])[] = [
    [Type.String(), null, 'wrong_type', 'It must be a string, not null.'],
    [Type.Boolean(), [], 'wrong_type', 'It must be true or false, not an array.'],
    [Type.Object({}), true, 'wrong_type', 'It must be an object, not a boolean.'],
    [Type.Array(Type.Null()), {}, 'wrong_type', 'It must be an array, not an object.'],
    [Type.Unsafe({ type: ['string', 'null'] }), 1, 'wrong_type', 'It must be a string or null, not a number.'],
    [Type.Integer(), 1.5, 'wrong_type', 'It must be an integer, not a fraction.'],
    [Type.Integer({ minimum: 0 }), -1.5, 'out_of_range', 'It must be >= 0.'],
    [Type.Integer(), '1', 'wrong_type', 'It must be an integer, not a string.'],
    [Type.Number(), Infinity, 'out_of_range', 'It must be a number that 64 bits can hold.'],
    [Type.Number({ minimum: 1 }), 0, 'out_of_range', 'It must be >= 1.'],
    [Type.Integer({ maximum: 1 }), 2, 'out_of_range', 'It must be <= 1.'],
    [Type.String({ minLength: 1, pattern: 'a' }), '', 'too_short', 'It must not be empty.'],
    [Type.String({ minLength: 2 }), '😀', 'too_short', 'It must have at least 2 characters.'],
    [Type.String({ maxLength: 2, pattern: '^a$' }), '😀😀😀', 'too_long', 'It must have at most 2 characters.'],
    [Type.String({ pattern: '^a$' }), 'b', 'invalid_format', 'It must be a text matching ^a$.'],
    [Type.String({ pattern: '^a$', title: 'letter a' }), 'b', 'invalid_format', 'It must be a letter a.'],
    [
      Type.String({ format: 'date-time' }),
      'today',
      'invalid_format',
      'It must be an RFC 3339 time, like 2026-01-31T12:00:00Z.',
    ],
    [Type.Array(Type.Null(), { minItems: 2 }), [], 'too_short', 'It must have at least 2 items.'],
    [Type.Array(Type.Null(), { maxItems: 1 }), [null, null], 'too_many', 'It must have at most one item.'],
    [Type.Record(Type.String(), Type.Null(), size), {}, 'invalid_value', 'It must have at least one field.'],
    [
      Type.Record(Type.String(), Type.Null(), size),
      { a: null, b: null },
      'invalid_value',
      'It must have at most one field.',
    ],
    [Type.Enum(['ok', 'error']), 5, 'invalid_value', 'It must be one of ok, error.'],
    [Type.Unsafe({ type: 'string', enum: ['ok'] }), 5, 'invalid_value', 'It must be one of ok.'],
    [
      Type.Enum(['ok', 'error']),
      'eror',
      'invalid_value',
      'It must be one of ok, error, not "eror". Did you mean "error"?',
    ],
    [
      fieldOrMetadataKey(['model', 'name'], { description: '', examples: [] }),
      'metadata.',
      'invalid_value',
      'It must be one of model, name, or metadata. and a key, not "metadata.".',
    ],
    [fieldOrMetadataKey(['a'], { description: '', examples: [] }), '', 'too_short', 'It must not be empty.'],
    [Type.String({ pattern: NOT_BLANK }), ' ', 'too_short', 'It must contain a word.'],
    [requestTime(''), 'today', 'invalid_format', 'It must be an ISO 8601 time, like 2026-01-31T12:00:00Z.'],
  ]
  for (const [schema, value, code, detail] of cases) {
    assert.deepEqual(errorsOf(schema, value), [{ pointer: '', code, detail }])
  }
})

test('one of several sets of fields: names each field that is missing', () => {
  const errors = errorsOf(TracePatch, { reason: 'a' })
  assert.deepEqual(
    errors.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/status required', '/flagged required'],
  )
})

test('a keyword without a sentence of its own is reported in the words of the library', () => {
  const schema = Type.Object({ a: Type.Array(Type.Integer({ multipleOf: 2 })) })
  assert.deepEqual(errorsOf(schema, { a: [2, 3] }), [
    { pointer: '/a/1', code: 'invalid_value', detail: 'It must be multiple of 2.' },
  ])
})

test('stops at the number of errors that the caller allows', () => {
  assert.equal(errorsOf(TraceBody, { name: 'x', steps: Array.from({ length: 1000 }, () => 1) }).length, 20)
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field ${index}`, 1]))
  assert.equal(errorsOf(TraceBody, { name: 'x', ...unknown }).length, 20)
  const errors = new FieldErrors(3)
  errors.addRequired({ parent: null, key: 'name' })
  compileCollector(TraceBody)({ steps: [1, 2, 3] }, errors)
  assert.deepEqual(
    errors.all.map(({ pointer }) => pointer),
    ['/name', '/name', '/steps/0'],
  )
})

test('finds the invalid items of a long list, also in a list inside', () => {
  const steps = Array.from({ length: 50_000 }, () => ({
    name: 'x',
    messages: [{ role: 'user', content: [{ type: 'text' }] }],
  }))
  const wrong = { name: 'x', messages: [{ role: 'user' }, { role: 'user', content: [{ type: 'text' }, { text: 1 }] }] }
  assert.deepEqual(
    errorsOf(TraceBody, { name: 'x', steps: [...steps, wrong, 'y'] }).map(({ pointer, code }) => `${pointer} ${code}`),
    [
      '/steps/50000/messages/1/content/1/type required',
      '/steps/50000/messages/1/content/1/text wrong_type',
      '/steps/50001 wrong_type',
    ],
  )
})

test('twenty wrong places are twenty errors, however many rules each breaks', () => {
  const wrong = Type.String({ minLength: 5, pattern: '^b', format: 'date-time' })
  const schema = Type.Object({}, { additionalProperties: wrong })
  const value = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, 'a']))
  const errors = errorsOf(schema, value)
  assert.equal(errors.length, 20)
  assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set(['too_short']))
})

test('quotes at most 200 characters of a name or a value', () => {
  const long = 'x'.repeat(100_000)
  for (const value of [
    { name: 'a', [long]: 1 },
    { name: 'a', status: long },
    { name: 'a', steps: [{ [long]: 1 }] },
  ]) {
    for (const error of errorsOf(TraceBody, value)) assert.ok(JSON.stringify(error).length < 700)
  }
})

test('fields named like members of Object are unknown fields', () => {
  const value = JSON.parse('{"name": "a", "__proto__": 1, "constructor": 2, "toString": 3}') as unknown
  assert.deepEqual(
    errorsOf(TraceBody, value).map(({ pointer, code }) => `${pointer} ${code}`),
    ['/__proto__ unknown_field', '/constructor unknown_field', '/toString unknown_field'],
  )
  const texts = Type.Object({}, { additionalProperties: Type.String() })
  assert.deepEqual(errorsOf(texts, JSON.parse('{"__proto__": 1, "constructor": null}')), [
    { pointer: '/__proto__', code: 'wrong_type', detail: 'It must be a string, not a number.' },
    { pointer: '/constructor', code: 'wrong_type', detail: 'It must be a string, not null.' },
  ])
})
