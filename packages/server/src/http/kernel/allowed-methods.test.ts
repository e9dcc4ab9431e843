import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AllowedMethods } from './allowed-methods.ts'

test('finds the methods of a path with names, parameters and a wildcard', () => {
  const methods = new AllowedMethods()
  methods.add('/v1/traces', ['POST'])
  methods.add('/v1/traces', ['GET'])
  methods.add('/v1/traces/:id', ['DELETE'])
  methods.add('/docs/*', ['GET'])
  methods.add('/openapi.json', ['GET'])
  assert.deepEqual(methods.of('/v1/traces'), ['GET', 'POST'])
  assert.deepEqual(methods.of('/v1/traces/tr_1'), ['DELETE'])
  assert.deepEqual(methods.of('/docs/a/b'), ['GET'])
  for (const path of ['/v1', '/v1/traces/a/b', '/openapiXjson', '']) assert.deepEqual(methods.of(path), [])
})
