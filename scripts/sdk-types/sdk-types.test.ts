import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docComment, schemaType } from './schema-type.ts'

test('a schema becomes the type of its values', () => {
  assert.equal(schemaType({ $ref: '#/components/schemas/Step' }), 'Step')
  assert.equal(schemaType({ type: ['string', 'null'] }), 'string | null')
  assert.equal(schemaType({ enum: ['ok', 'error'] }), '"ok" | "error"')
  assert.equal(schemaType({ type: 'array', items: { type: 'integer' } }), 'readonly (number)[]')
  assert.equal(schemaType({ anyOf: [{ type: 'boolean' }, { const: 'x' }] }), 'boolean | "x"')
  assert.equal(
    schemaType({ type: 'object', required: ['a'], properties: { a: { type: 'string' }, 'b-c': { type: 'null' } } }),
    '{\nreadonly a: string\nreadonly "b-c"?: null | undefined\n}',
  )
  assert.equal(
    schemaType({ type: 'object', patternProperties: { '^.*$': { type: 'integer' } } }),
    '{\nreadonly [field: string]: number\n}',
  )
  assert.throws(() => schemaType({ type: 'tuple' }), /No TypeScript type/)
})

test('a long description is wrapped and cannot end its comment', () => {
  assert.equal(docComment('Ends */ here'), '/** Ends *\\/ here */\n')
  assert.ok(
    docComment('word '.repeat(100))
      .split('\n')
      .every((line) => line.length < 110),
  )
})
