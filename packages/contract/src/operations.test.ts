import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { errorCodesOf, OPERATIONS } from './operations.ts'
import { type Operation, tagOf } from './operations/operation.ts'
import { SCOPES } from './scopes.ts'

const operations = Object.entries<Operation>(OPERATIONS)

test('no two operations share a method and a path', () => {
  const routes = operations.map(([, operation]) => `${operation.method} ${operation.path.replace(/:\w+/g, ':')}`)
  assert.equal(new Set(routes).size, routes.length)
})

test('an operation with a body can refuse its type, and an operation with an id can answer not_found', () => {
  for (const [id, operation] of operations) {
    const codes = errorCodesOf(operation)
    assert.equal(codes.includes('unsupported_media_type'), operation.request !== undefined, id)
    // A comparison, and what is of one selection, have their ids in the query.
    const ofSelection = 'selection_id' in (operation.query?.properties ?? {})
    const hasId = operation.path.includes('/:') || operation.path.endsWith('/compare') || ofSelection
    const named = hasId || tagOf(operation) === 'media' || operation.admission === 'session'
    assert.equal(codes.includes('not_found'), named, id)
    assert.equal(new Set(codes).size, codes.length, id)
  }
})

test('the code of a header that does not match is one of the operation', () => {
  for (const [id, { headerError, headers, errors = [] }] of operations) {
    if (headerError === undefined) continue
    assert.ok(headers !== undefined && errors.includes(headerError), id)
  }
})

test('every scope allows an operation', () => {
  const used = new Set(operations.flatMap(([, operation]) => operation.scopes ?? []))
  assert.deepEqual(
    SCOPES.filter((scope) => !used.has(scope)),
    [],
  )
})

test('requests refuse unknown fields', () => {
  for (const [id, operation] of operations) {
    if (operation.request === undefined || operation.request.contentType === '*/*') continue
    for (const { contentType, examples, schema } of [operation.request, ...(operation.request.alternatives ?? [])]) {
      const [example] = Object.values(examples)
      assert.ok(example, id)
      const lines = contentType === 'application/x-ndjson'
      const line = String(example.value).split('\n')[0] ?? ''
      const body = (lines ? JSON.parse(line) : example.value) as Record<string, unknown>
      const compiled = Compile(schema)
      assert.ok(compiled.Check(body), id)
      assert.equal(compiled.Check({ ...body, nmae: 'a typo' }), false, id)
    }
  }
})

test('a query refuses unknown parameters and values out of range', () => {
  const query = Compile(OPERATIONS.listTraces.query)
  assert.ok(
    query.Check({
      status: 'error',
      meta_key: ['env', 'region'],
      meta_value: ['prod'],
      limit: 5000,
      sort: 'duration_ms',
      start_time: '2026-01-31',
    }),
  )
  for (const wrong of [
    { stat: 'error' },
    { status: 'failed' },
    { limit: 0 },
    { limit: 1.5 },
    { sort: 'name' },
    { q: '' },
  ]) {
    assert.equal(query.Check(wrong), false, JSON.stringify(wrong))
  }
})
