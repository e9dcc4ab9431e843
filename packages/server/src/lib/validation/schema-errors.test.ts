import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Operation } from '@spoor/contract/operations/operation'
import { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import { StepBody, TraceBody } from '@spoor/contract/schemas/traces/trace-body'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { FieldErrors } from './field-errors.ts'
import { assertKnownSchema, type BodySchema, collectSchemaErrors } from './schema-errors.ts'

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

/**
 * Every schema that findings are worded for: of bodies that `serve` reads, of queries, and of what has a parser of its
 * own.
 */
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
  test(`${name}: finds something exactly when the compiled schema refuses`, () => {
    assertKnownSchema(schema)
    const compiled = Compile(schema)
    let accepted = 0
    fc.assert(
      fc.property(near(schema), (value) => {
        const errors = new FieldErrors(20)
        collectSchemaErrors(schema, value, null, errors)
        const accepts = compiled.Check(value)
        if (accepts) accepted++
        assert.equal(errors.isEmpty, accepts, JSON.stringify(value))
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

test('names every problem with its pointer, and the field that was probably meant', () => {
  const errors = new FieldErrors(20)
  const value = { sessionId: 's', 'a/b~': 1, steps: [{ token_usage: { input: -1, output: 'x' } }, null] }
  collectSchemaErrors(TraceBody, value, null, errors)
  assert.deepEqual(
    errors.all.map(({ pointer, code }) => `${pointer} ${code}`),
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
  assert.match(errors.all[5]!.detail, /Did you mean `session_id`/)
})

test('stops at the number of errors asked for', () => {
  const errors = new FieldErrors(20)
  collectSchemaErrors(TraceBody, { name: 'x', steps: Array.from({ length: 1000 }, () => 1) }, null, errors)
  assert.equal(errors.all.length, 20)
})

test('a schema that says more than is known here is refused, not half obeyed', () => {
  const refused = (schema: object) => () => assertKnownSchema({ properties: { a: { items: schema } } } as BodySchema)
  assert.throws(refused({ type: 'string', format: 'uri' }), /format uri/)
  assert.throws(refused({ type: 'integer', multipleOf: 2 }), /keyword multipleOf/)
})
