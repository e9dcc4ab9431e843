import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ERROR_CODES, ERRORS, type ErrorCode } from './errors.ts'
import { DELIVERED_EVENT_TYPES } from './events.ts'
import { buildOpenApi } from './openapi.ts'
import type { OperationObject } from './openapi/openapi-document.ts'
import { OPERATIONS } from './operations.ts'

const GOLDEN = new URL('./openapi.golden.json', import.meta.url)

const document = buildOpenApi({ version: '0.0.0-golden', serverUrl: 'http://127.0.0.1:4319' })

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

function* walk(node: unknown, pointer = '#'): Generator<{ pointer: string; node: Record<string, unknown> }> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield { pointer, node: node as Record<string, unknown> }
  for (const [key, value] of Object.entries(node)) {
    yield* walk(value, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

function find(pointer: string): unknown {
  const keys = pointer.slice(2).split('/')
  return keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}

function compiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'openapi.json', undefined, false)
  return ajv
}

/** Compiles the schema at a pointer into the document, with its references. */
function compileAt(ajv: Ajv2020, pointer: string) {
  const fragment = pointer.slice(1).split('/').map(encodeURIComponent).join('/')
  return ajv.compile({ $ref: `openapi.json#${fragment}` })
}

/**
 * A change of the document is a change of the contract: `UPDATE_GOLDEN=1 node --test
 * packages/contract/src/openapi.test.ts`, then format, then read the diff.
 */
test('the document matches the golden file', () => {
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, `${JSON.stringify(document, null, 2)}\n`)
  const golden: unknown = JSON.parse(readFileSync(GOLDEN, 'utf8'))
  assert.equal(JSON.stringify(document, null, 2), JSON.stringify(golden, null, 2))
})

test('the document has every operation of the table under its name', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids.toSorted(), Object.keys(OPERATIONS).toSorted())
})

test('every reference resolves', () => {
  const references = [...walk(document)].filter(({ node }) => typeof node['$ref'] === 'string')
  assert.ok(references.length > 50)
  for (const { pointer, node } of references) {
    assert.notEqual(find(node['$ref'] as string), undefined, `${pointer}: ${String(node['$ref'])}`)
  }
})

test('every named schema is referenced, except for the data of the stream', () => {
  const used = new Set([...walk(document)].map(({ node }) => node['$ref']))
  const unused = Object.keys(document.components.schemas).filter((name) => !used.has(`#/components/schemas/${name}`))
  assert.deepEqual(unused, ['TailCommitted'])
})

test('exactly the parameters of each path are declared', () => {
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      declared.map((parameter) => parameter.name),
      inPath,
      path,
    )
    assert.ok(
      declared.every((parameter) => parameter.required),
      path,
    )
  }
})

test('no parameter is declared twice, and each has a description', () => {
  for (const { operation } of operations) {
    const parameters = operation.parameters ?? []
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`)
    assert.equal(new Set(keys).size, keys.length, operation.operationId)
  }
})

test('every field of every schema has a description', () => {
  for (const { pointer, node } of walk(document.components.schemas)) {
    const properties = node['properties']
    if (typeof properties !== 'object' || properties === null || !('type' in node)) continue
    for (const [name, property] of Object.entries(
      properties as Record<string, { description?: string; $ref?: string }>,
    )) {
      assert.ok(property.description ?? property.$ref, `${pointer} ${name}`)
    }
  }
})

test('no body has defaults: generators would make such a field required, and a patch would set it', () => {
  for (const { pointer, node } of walk(document)) {
    if (!('default' in node) || /\/(properties|examples)$/.test(pointer)) continue
    assert.match(pointer, /^#\/paths\/[^/]+\/\w+\/parameters\/\d+\/schema$/)
  }
})

test('every event type has its own webhook item with the schema of its body', () => {
  assert.deepEqual(Object.keys(document.webhooks), [...DELIVERED_EVENT_TYPES])
  for (const [type, item] of Object.entries(document.webhooks)) {
    const body = item.post?.requestBody?.content['application/json']?.schema
    const schema = find(String(body?.['$ref'])) as { properties: { type: { const: string } } }
    assert.equal(schema.properties.type.const, type)
    const headers = item.post?.parameters?.map(({ name }) => name)
    for (const name of ['X-Service-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      assert.ok(headers?.includes(name), name)
    }
  }
})

test('every group of operations has a description and operations', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags))
  assert.deepEqual(document.tags.map(({ name }) => name).toSorted(), [...used].toSorted())
})

test('every code of a field or line is explained in the schema of codes', () => {
  const { description } = document.components.schemas['ErrorCode'] as { description: string }
  for (const code of ERROR_CODES.filter((one) => ERRORS[one].status === null)) {
    assert.ok(description.includes(`- \`${code}\`: `), code)
  }
})

test('every schema compiles as JSON Schema 2020-12', () => {
  const ajv = compiler()
  const schemas = [...walk(document)].filter(({ pointer }) => /\/schema$|^#\/components\/schemas\/[^/]+$/.test(pointer))
  assert.ok(schemas.length > 100)
  // Most parameters occur in many operations.
  const distinct = new Map(schemas.map(({ pointer, node }) => [JSON.stringify(node), pointer]))
  for (const pointer of distinct.values()) assert.doesNotThrow(() => compileAt(ajv, pointer), pointer)
})

test('every example is valid, NDJSON examples line by line', () => {
  const ajv = compiler()
  let checked = 0
  for (const { path, method, operation } of operations) {
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
      const keys = ['paths', path, method, 'requestBody', 'content', type, 'schema']
      const validate = compileAt(ajv, `#/${keys.map((key) => key.replaceAll('/', '~1')).join('/')}`)
      for (const { value } of Object.values(media.examples ?? {})) {
        for (const body of bodies(type, value)) {
          assert.ok(validate(body), `${operation.operationId}: ${ajv.errorsText(validate.errors)}`)
          checked += 1
        }
      }
    }
  }
  assert.ok(checked >= 8)
})

function bodies(type: string, value: unknown): unknown[] {
  if (type !== 'application/x-ndjson') return [value]
  const lines = (value as string).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown)
}

test('every error answer lists its codes, and they have its status', () => {
  for (const { operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const codes = documentedCodes(response)
      assert.equal(codes.length > 0 || Number(status) < 400, true, `${operation.operationId} ${status}`)
      for (const code of codes) {
        assert.equal(ERRORS[code].status, Number(status), `${operation.operationId} ${code}`)
        assert.ok(response.description.includes(`\`${code}\``))
      }
    }
  }
})

function documentedCodes(response: OperationObject['responses'][string]): ErrorCode[] {
  const schema = response.content?.['application/problem+json']?.schema as
    { allOf: [unknown, { properties: { code: { enum: ErrorCode[] } } }] } | undefined
  return schema?.allOf[1].properties.code.enum ?? []
}

test('every operation under /v1 needs a key, a session or a signed URL and can refuse it; every other is public', () => {
  for (const { path, operation } of operations) {
    const id = operation.operationId
    const bySignedUrl = id === 'putDirectUpload'
    const needsKey = path.startsWith('/v1/') && !bySignedUrl
    assert.equal(operation.security.length > 0, needsKey && id !== 'signIn', path)
    assert.equal('401' in operation.responses, needsKey, path)
    const refuses = bySignedUrl || (needsKey && !['listProjects', 'getSession'].includes(id))
    assert.equal('403' in operation.responses, refuses, path)
  }
})

test('a session allows what a key allows, except for signed URLs, and changes need its origin', () => {
  for (const { method, operation } of operations) {
    const schemes = new Set(operation.security.flatMap((alternative) => Object.keys(alternative)))
    if (schemes.size === 0) continue
    const id = operation.operationId
    assert.equal(schemes.has('session'), id !== 'signUpload', id)
    assert.equal(schemes.has('bearer'), schemes.has('apiKey'), id)
    assert.equal(schemes.has('apiKey'), !['getSession', 'switchProject', 'signOut'].includes(id), id)
    const asksForOrigin = operation.responses['403']?.description.includes('foreign_origin') ?? false
    assert.equal(asksForOrigin, !['get', 'head'].includes(method), id)
  }
})

test('every answer of 429 and 503 has Retry-After', () => {
  const refusals = operations.flatMap(({ path, operation: { responses } }) =>
    [429, 503].flatMap((status) => (status in responses ? [{ path, status, response: responses[status]! }] : [])),
  )
  assert.ok(refusals.some(({ path }) => path === '/readyz'))
  for (const { path, status, response } of refusals) assert.ok(response.headers?.['Retry-After'], `${path} ${status}`)
})
