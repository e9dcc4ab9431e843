import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { SchemaComponents } from './schema-components.ts'

const Wheel = Type.Object({ size: Type.Integer() })
const Cart = Type.Object({ wheels: Type.Array(Wheel), spare: Type.Optional(Wheel), colour: Type.Enum(['red', 'blue']) })

test('a named schema becomes a reference everywhere, also where it is optional', () => {
  const components = new SchemaComponents({ Cart, Wheel })
  const wheel = { $ref: '#/components/schemas/Wheel' }
  assert.deepEqual(components.definitions(), {})
  assert.deepEqual(components.resolve(Cart), { $ref: '#/components/schemas/Cart' })
  assert.deepEqual(components.definitions(), {
    Cart: {
      type: 'object',
      required: ['wheels', 'colour'],
      properties: {
        wheels: { type: 'array', items: wheel },
        spare: wheel,
        colour: { type: 'string', enum: ['red', 'blue'] },
      },
    },
    Wheel: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
  })
  assert.deepEqual(components.resolve(Wheel), wheel)
  assert.deepEqual(components.resolve(Type.Union([Wheel, Type.Null()])), { anyOf: [wheel, { type: 'null' }] })
})

test('a property named like a keyword is still a property', () => {
  const components = new SchemaComponents({ Wheel })
  assert.deepEqual(components.resolve(Type.Object({ items: Wheel, enum: Wheel })), {
    type: 'object',
    required: ['items', 'enum'],
    properties: { items: { $ref: '#/components/schemas/Wheel' }, enum: { $ref: '#/components/schemas/Wheel' } },
  })
})

test('two names for the same content are refused', () => {
  assert.throws(() => new SchemaComponents({ Wheel, Tyre: Type.Object({ size: Type.Integer() }) }), /Wheel and Tyre/)
})
