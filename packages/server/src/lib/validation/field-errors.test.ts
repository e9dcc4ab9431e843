import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldErrors } from './field-errors.ts'
import { invalidFields } from './validation-failed.ts'

test('the pointer is a JSON pointer for a body and the parameter name for a query', () => {
  const place = { parent: { parent: null, key: 'meta/key' }, key: 0 }
  for (const [of, pointer] of [
    ['query', '?meta/key'],
    ['body', '/meta~1key/0'],
  ] as const) {
    const errors = new FieldErrors(1, { of })
    errors.add(place, 'too_long', 'It is too long.')
    assert.equal(errors.all[0]?.pointer, pointer)
  }
})

test('an unknown field gets its hint, or the nearest name', () => {
  const errors = new FieldErrors(2, { hints: { secret: 'It is changed elsewhere.' } })
  errors.addUnknown({ parent: null, key: 'secret' }, ['secrets'])
  errors.addUnknown({ parent: null, key: 'nmae' }, ['name'])
  assert.deepEqual(
    errors.all.map(({ detail }) => detail),
    ['There is no field `secret`. It is changed elsewhere.', 'There is no field `nmae`. Did you mean `name`?'],
  )
})

test('the detail of an answer is the first error and the number of the others', () => {
  const errors = new FieldErrors(3)
  errors.addRequired({ parent: null, key: 'name' })
  assert.equal(invalidFields(errors).message, '/name: `name` is required.')
  errors.addRepeated({ parent: null, key: 'steps' })
  assert.equal(invalidFields(errors).message, '/name: `name` is required. (and 1 more)')
  errors.addRequired({ parent: null, key: 'kind' })
  assert.equal(invalidFields(errors).message, '/name: `name` is required. (and at least 2 more)')
})
